//! Whatever is thrown at the program, it ends with an exit code that means something.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::folder::{COORDINATES, Folder, GRAPH, MAP, QUERIES, SCEN};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Runs the program in this process; gives the exit code.
fn run(args: &[String]) -> u8 {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args_of_program = std::iter::once("portolan".into()).chain(args.iter().map(Into::into));
    let code = catch_unwind(AssertUnwindSafe(|| {
        let mut output = portolan_cli::Output::new(&mut out, &mut err, Default::default());
        portolan_cli::run(args_of_program, &mut output)
    }));
    let code = code.unwrap_or_else(|_| panic!("panicked on {args:?}"));
    assert!(code <= 2, "{code} on {args:?}");
    let complaint = String::from_utf8_lossy(&err);
    match code {
        0 => assert!(complaint.lines().all(|line| line.starts_with("note: ")), "{args:?}"),
        1 => {}
        _ => assert!(complaint.contains("error: ") || complaint.contains("Usage: "), "{args:?}"),
    }
    code
}

/// Words that commands are made of; names of files stand for files in a folder of the test's own.
const WORDS: &[&str] = &[
    "info",
    "query",
    "verify",
    "bench",
    "build",
    "check-index",
    "generate",
    "completions",
    "help",
    "rooms",
    "maze",
    "cave",
    "random",
    "streets",
    "roads",
    "--moves",
    "--corners",
    "--terrain",
    "--agent",
    "--heuristic",
    "--seed",
    "--memory",
    "--threads",
    "--index",
    "--coordinates",
    "--from",
    "--to",
    "--engine",
    "--engines",
    "--partial",
    "--path",
    "--picture",
    "--json",
    "--scen",
    "--random",
    "--limit",
    "--size",
    "--room",
    "-o",
    "--queries",
    "--nodes",
    "--blocked",
    "--grain",
    "--fill",
    "--corridor",
    "--block",
    "--help",
    "four",
    "eight",
    "hex",
    "never",
    "one",
    "always",
    "auto",
    "zero",
    "octile",
    "euclidean",
    "astar",
    "dijkstra",
    "bidirectional",
    "ppa",
    "all",
    "bash",
    "0",
    "1",
    "2",
    "3",
    "7",
    "30",
    "4294967295",
    "-1",
    "0.3",
    "nan",
    "0,0",
    "2,2",
    "4,2",
    "7,0",
    "30x20",
    "8V",
    "1KiB",
    "",
    "é",
    "\u{7f}",
    "/small.map",
    "/small.map.scen",
    "/small.gr",
    "/small.co",
    "/small.queries",
    "/small.ter",
    "/small.index",
    "/x.index",
    "/none.map",
    "/x.map",
    "/x.gr",
    "/x.png",
    "/x.svg",
    "/",
];

/// Commands that mostly work, so that what follows them is reached.
const STARTS: &[&str] = &[
    "",
    "info /small.map",
    "info /small.gr --coordinates /small.co",
    "query /small.map --from 2,2 --to 4,2",
    "query /small.gr --from 1 --to 3 --picture /x.svg --coordinates /small.co",
    "verify /small.map --random 3",
    "verify /small.gr",
    "bench /small.map --limit 2",
    "build /small.map -o /x.index",
    "check-index /small.index /small.map",
    "query /small.map --from 2,2 --to 4,2 --index /small.index",
    "generate rooms --size 30 --room 7 -o /x.map",
    "generate roads --nodes 30 -o /x.gr",
];

fn folder() -> Folder {
    let folder = Folder::filled();
    folder.write("small.ter", "12345678\n".repeat(5));
    folder.succeed("build small.map -o small.index");
    folder
}

/// Names that start with a slash lie in the folder.
fn in_folder(folder: &Folder, word: &str) -> String {
    match word.strip_prefix('/') {
        Some(name) => folder.path(name).to_str().unwrap().to_owned(),
        None => word.to_owned(),
    }
}

/// A change to a file: where, how many bytes go, and what comes instead.
fn edits() -> impl Strategy<Value = Vec<(Index, usize, Vec<u8>)>> {
    let text = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..4),
        select(
            &[" ", "\n", "-", "0", "9", "99999999999", "4294967295", ".", "@", "p sp ", "map\n"][..]
        )
        .prop_map(|text: &str| text.as_bytes().to_vec()),
    ];
    proptest::collection::vec((any::<Index>(), 0..12usize, text), 0..4)
}

fn mutated(text: &str, edits: &[(Index, usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (place, length, new) in edits {
        let start = place.index(bytes.len() + 1);
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, new.iter().copied());
    }
    bytes
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn any_arguments_end_well() {
    let folder = folder();
    let words = proptest::collection::vec(select(WORDS), 0..8);
    proptest!(config(1500), |(start in select(STARTS), words in words)| {
        let words = start.split_whitespace().chain(words);
        run(&words.map(|word| in_folder(&folder, word)).collect::<Vec<_>>());
    });
}

#[test]
fn any_files_end_well() {
    let folder = folder();
    let every = (edits(), edits(), edits(), edits(), edits());
    proptest!(config(400), |((map, scen, graph, coordinates, queries) in every)| {
        folder.write("m.map", mutated(MAP, &map));
        folder.write("m.scen", mutated(SCEN, &scen));
        folder.write("g.gr", mutated(GRAPH, &graph));
        folder.write("g.co", mutated(COORDINATES, &coordinates));
        folder.write("g.queries", mutated(QUERIES, &queries));
        for words in [
            "info /m.map --json",
            "info /m.map --terrain /m.map",
            "query /m.map --from 2,2 --to 4,2 --picture /x.png",
            "verify /m.map --scen /m.scen",
            "bench /m.map --random 3 --json",
            "info /g.gr",
            "query /g.gr --coordinates /g.co --from 1 --to 3 --picture /x.png",
            "verify /g.gr --scen /g.queries",
        ] {
            let words = words.split_whitespace();
            run(&words.map(|word| in_folder(&folder, word)).collect::<Vec<_>>());
        }
    });
}

#[test]
fn any_bytes_are_a_map_or_an_error() {
    let folder = folder();
    let name = select(&["/b.map", "/b.gr", "/b.png", "/b.drawing", "/b"][..]);
    proptest!(config(400), |(name in name, bytes in proptest::collection::vec(any::<u8>(), 0..200))| {
        folder.write(&name[1..], &bytes);
        run(&["info".into(), in_folder(&folder, name)]);
    });
}
