//! Which engine suits which task, for `portolan help`.
//!
//! `docs/engines.md` and the library's documentation have the same table with links; the tests
//! compare them. `portolan recommend` measures instead.

use std::fmt::Write;

/// A task, what to use for it (an engine, or a type of the library), and the reason in a few words.
/// Types are written with capitals, engines in backticks or alone.
const TABLE: [[&str; 3]; 11] = [
    ["static map", "atlas", "looks up paths in about a microsecond"],
    ["rare edits", "atlas", "stays exact; `World` rebuilds it"],
    ["edits in every frame", "atlas", "follows an edited cell in microseconds"],
    ["edits of roads, terrain", "atlas-climb", "tables follow edits; no stale labels"],
    ["little memory", "atlas", "keeps every limit, down to plain A*"],
    ["road networks, graphs", "atlas", "labels; `atlas-climb` takes less memory"],
    ["weighted terrain", "atlas", "labels; `atlas-climb` takes less memory"],
    ["crowds", "FlowField", "one field for all agents"],
    ["near-optimal is enough", "dhpa", "edits cost little; paths 0 to 9 % longer"],
    ["several unit sizes", "atlas", "`World` has one for each size"],
    ["few paths on a map", "astar", "nothing to build"],
];

/// The table for a terminal of 80 columns.
pub(crate) fn help() -> String {
    let mut text =
        String::from("Which engine? `portolan recommend MAP` measures this on your map.\n");
    for [task, choice, why] in TABLE {
        let _ = writeln!(text, "  {task:23}  {choice:11}  {}", why.replace('`', ""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::METHODS;
    use std::path::{Path, PathBuf};

    fn path(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
    }

    /// The rows of the first table of a page, three cells each, without backticks around links.
    fn rows(name: &str) -> Vec<[String; 3]> {
        let text = std::fs::read_to_string(path(name)).unwrap();
        let lines = text.lines().skip_while(|line| !line.starts_with('|'));
        let lines = lines.take_while(|line| line.starts_with('|')).skip(2);
        let cell = |cell: &str| {
            let linked = cell.strip_prefix('[').and_then(|cell| cell.split_once(']'));
            linked.map_or(cell, |(words, _)| words).to_owned()
        };
        lines
            .map(|line| {
                let mut cells = line.trim_matches('|').split('|').map(|text| cell(text.trim()));
                std::array::from_fn(|_| cells.next().unwrap())
            })
            .collect()
    }

    #[test]
    fn the_page_and_the_library_have_the_same_table_as_the_help() {
        let expected = TABLE
            .map(|[task, choice, why]| [task.to_owned(), format!("`{choice}`"), why.to_owned()]);
        for name in ["docs/engines.md", "crates/portolan/src/which_engine.md"] {
            assert_eq!(rows(name), expected, "{name}");
        }
    }

    #[test]
    fn every_engine_in_the_table_exists() {
        for [task, choice, why] in TABLE {
            let named = why.split('`').skip(1).step_by(2).chain([choice]);
            for name in named.filter(|name| !name.contains(char::is_uppercase)) {
                assert!(METHODS.iter().any(|method| method.name() == name), "{task}: {name}");
            }
        }
    }

    #[test]
    fn every_page_that_the_page_points_to_exists() {
        let page = std::fs::read_to_string(path("docs/engines.md")).unwrap();
        let links: Vec<&str> =
            page.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert!(links.len() >= TABLE.len());
        for link in links {
            assert!(path("docs").join(link).is_file(), "{link}");
        }
    }

    #[test]
    fn the_help_fits_a_terminal() {
        let help = help();
        assert_eq!(help.lines().count(), TABLE.len() + 1);
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
