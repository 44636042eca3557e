//! Real maps, where there are some.
//!
//! `PORTOLAN_MAPS` names their folder; the default is `shared/maps` beside the checkout. Where it
//! is missing, tests say that they are skipped; with `PORTOLAN_REQUIRE_MAPS=1` they fail.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of real maps, if there is one.
///
/// # Panics
/// Where maps are required and there are none.
pub fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/maps");
    let folder = std::env::var_os("PORTOLAN_MAPS").map_or_else(|| beside.into(), PathBuf::from);
    let is_empty = fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty {
        return Some(folder);
    }
    let required = std::env::var_os("PORTOLAN_REQUIRE_MAPS").is_some_and(|value| value == "1");
    assert!(!required, "there are no real maps in {}, and they are required", folder.display());
    println!("skipped: there are no real maps in {}", folder.display());
    None
}

/// All files below the folder of real maps whose name ends like this, in a fixed order.
///
/// # Panics
/// Where maps are required and there are none.
pub fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(folder) = folder() {
        collect(&folder, ending, &mut found);
    }
    found.sort();
    found
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}
