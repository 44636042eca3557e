//! A folder to run the program in, and what came of it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A small world: a wall with a door at 3,4, and an island at the top right.
pub(crate) const MAP: &str = "type octile\nheight 5\nwidth 8\nmap\n\
    ...@..@.\n\
    ...@..@@\n\
    ...@....\n\
    ...@....\n\
    ........\n";

/// Three lines: right, right, and one that starts in the wall.
pub(crate) const SCEN: &str = "version 1\n\
    0\tsmall.map\t8\t5\t0\t0\t2\t0\t2\n\
    0\tsmall.map\t8\t5\t2\t2\t4\t2\t6\n\
    0\tsmall.map\t8\t5\t3\t0\t4\t2\t9\n";

pub(crate) const GRAPH: &str = "p sp 4 4\na 1 2 70\na 2 3 30\na 3 1 5\na 1 3 200\n";
pub(crate) const COORDINATES: &str = "p aux sp co 4\nv 1 0 0\nv 2 50 0\nv 3 50 20\nv 4 9 9\n";
pub(crate) const QUERIES: &str = "# from to cost\n1 3 100\n3 2 75\n1 4 -\n";

/// Nothing in the way; a wall with a door below, in two patches; and the door opened at the top as
/// well, of which the first stamp is wiped out by the second.
pub(crate) const DYNAMIC: &str = "version 2\nheight 4\nwidth 5\ncost 1 octile\n\
    patch small.patch\ncommands\n\
    Q 0 0 0 4 0 4\n\
    P 1 0 2 0\nP 1 0 2 1\n\
    Q 1 0 0 4 0 8.83\n\
    P 2 0 1 3\nP 2 1 0 3\nP 2 2 2 1\n\
    Q 2 0 1 4 1 4\n";
pub(crate) const PATCHES: &str = "type patch\npatches 3\n\
    patch 0\nheight 2\nwidth 1\nmap\n@\n@\n\
    patch 1\nheight 1\nwidth 5\nmap\n.....\n\
    patch 2\nheight 1\nwidth 1\nmap\n.\n";

pub(crate) struct Folder(tempfile::TempDir);

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// One with small.map, small.map.scen, small.gr, small.co and small.queries.
    pub(crate) fn filled() -> Self {
        let folder = Self::new();
        folder.write("small.map", MAP);
        folder.write("small.map.scen", SCEN);
        folder.write("small.gr", GRAPH);
        folder.write("small.co", COORDINATES);
        folder.write("small.queries", QUERIES);
        folder
    }

    /// Adds small.scen and small.patch, a map that changes.
    pub(crate) fn write_dynamic(&self) {
        self.write("small.scen", DYNAMIC);
        self.write("small.patch", PATCHES);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portolan"));
        command.current_dir(self.0.path()).env_remove("CARGO_MANIFEST_DIR");
        // A layer of Mesa looks for a desktop and complains on standard error if there is none.
        command.env("NODEVICE_SELECT", "1");
        command
    }

    /// Runs the program with these words as its arguments.
    pub(crate) fn run(&self, words: &str) -> Ran {
        let output = self.command().args(words.split_whitespace()).stdin(Stdio::null()).output();
        let output = output.unwrap();
        let ran = Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.err.contains("panicked"), "{words}: {ran:?}");
        ran
    }

    /// The same, where all must go well.
    pub(crate) fn succeed(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}: {ran:?}");
        ran.out
    }

    /// The same, where the answer is JSON.
    pub(crate) fn json(&self, words: &str) -> Value {
        let out = self.succeed(words);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{words}: {error}: {out}"))
    }
}

/// The names of an object's fields, in their order in the text.
pub(crate) fn fields(json: &str) -> Vec<String> {
    json.lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.split_once("\":"))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The engines of the lines that were printed.
pub(crate) fn names(lines: &Value) -> Vec<&str> {
    lines.as_array().unwrap().iter().map(|line| line["engine"].as_str().unwrap()).collect()
}
