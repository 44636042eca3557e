//! The layers of the library: no module imports from a layer above its own, and no engine imports
//! another. Reads the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up. A path of two parts is listed apart from the rest of its folder.
const LAYERS: [&[&str]; 8] = [
    &["cost", "random", "debug", "trace"],
    &["location", "graph", "grid", "changes", "map", "route", "kernel"],
    &["search", "heuristic", "partition", "store", "formats", "generate", "build"],
    &["engine"],
    &["true_distance", "portal::bound"],
    &["search_engine", "portal", "ppa", "hpa", "atlas"],
    &["registry"],
    &["finder", "world", "batch", "crowd", "error", "prelude"],
];

/// The layer whose modules may not import each other.
const ENGINES: usize = 5;

/// The layer of a path below the crate's root, and the name under which it is listed.
fn layer(path: &str) -> Option<(usize, &'static str)> {
    let listed = |name: &str| path == name || path.starts_with(&format!("{name}::"));
    let all =
        LAYERS.iter().enumerate().flat_map(|(at, names)| names.iter().map(move |&name| (at, name)));
    all.filter(|&(_, name)| listed(name)).max_by_key(|(_, name)| name.len())
}

/// What a source imports or names by `crate::` outside of tests and comments, each as a path.
fn imports(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line.trim(), " "]).collect();
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut imports = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => imports.push(rest.split(|c| !is_path(c)).next().unwrap_or_default().to_owned()),
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                imports.extend(list.split(',').map(|item| item.trim().to_owned()));
            }
        }
    }
    // Items that the root exports again have no module in their path.
    imports.retain(|path| path.starts_with(char::is_lowercase));
    imports
}

/// All Rust files of a folder that are not tests alone, with their module paths.
fn sources(folder: &Path, module: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let inner = match (module, name) {
            (_, "mod") => module.to_owned(),
            ("", _) => name.to_owned(),
            _ => format!("{module}::{name}"),
        };
        if path.is_dir() {
            sources(&path, &inner, found);
        } else if name != "lib" && name != "tests" && path.extension().is_some_and(|e| e == "rs") {
            found.push((inner, path));
        }
    }
}

#[test]
fn nothing_imports_from_a_layer_above() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
    assert!(files.len() > 200, "{} files", files.len());
    let mut faults = Vec::new();
    let mut edges = 0;
    for (module, path) in files {
        let Some((own, name)) = layer(&module) else {
            faults.push(format!("{module} is in no layer"));
            continue;
        };
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            // Macros and functions of the root have no layer.
            let Some((other, imported)) = layer(&import) else { continue };
            edges += 1;
            if other > own || own == ENGINES && other == own && imported != name {
                faults.push(format!(
                    "{module} (layer {}) imports {import} (layer {})",
                    own + 1,
                    other + 1
                ));
            }
        }
    }
    assert!(edges > 1_000, "{edges} imports");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn imports_are_found() {
    let source = "use crate::graph::{NodeId, Graph};\nuse crate::{Map, engine};\n// crate::no\n\
                  fn f() -> crate::map::X {}\n#[cfg(test)]\nmod tests {\n use crate::world;\n}\n";
    assert_eq!(imports(source), ["graph::", "engine", "map::X"]);
    assert_eq!(layer("portal::bound::file"), Some((4, "portal::bound")));
    assert_eq!(layer("portal::search"), Some((ENGINES, "portal")));
    assert_eq!(layer("portal"), Some((ENGINES, "portal")));
    assert_eq!(layer("portals"), None);
}
