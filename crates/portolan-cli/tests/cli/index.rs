//! Index files, end to end: built, checked, opened, damaged, killed.

use std::process::Stdio;
use std::time::Duration;

use crate::folder::{Folder, fields};
use serde_json::{Value, json};

/// A folder with the small maps, rooms.map, and an index of each kind.
fn folder() -> Folder {
    let folder = Folder::filled();
    folder.succeed("generate rooms --size 60x50 --room 7 --seed 3 -o rooms.map --queries 40");
    folder.succeed("build rooms.map -o rooms.index");
    folder.succeed("build rooms.map -o ppa.index --engine ppa");
    folder.succeed("build small.gr -o small.index --engine ppa-bidirectional");
    folder
}

#[test]
fn build_says_what_it_made() {
    let folder = folder();
    let out = folder.succeed("build rooms.map -o new.index --threads 2 --memory 64MiB");
    assert!(out.starts_with("new.index: `atlas` for rooms.map\n  form "), "{out}");
    for expected in [
        "labels of 172 subgoals",
        "the fastest form",
        "  file       ",
        "  memory     ",
        "  time       ",
        " to build, ",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(folder.names().iter().all(|name| !name.ends_with(".tmp")));
}

#[test]
fn the_same_map_gives_the_same_bytes() {
    let folder = folder();
    let first = folder.read("rooms.index");
    for threads in [1, 3] {
        folder.succeed(&format!("build rooms.map -o again.index --threads {threads}"));
        assert!(folder.read("again.index") == first, "{threads} threads");
    }
}

#[test]
fn an_index_answers_as_the_engine_that_is_built() {
    let folder = folder();
    for (built, opened) in [
        ("rooms.map --from 1,1 --to 58,48 --engine atlas", "rooms.map --from 1,1 --to 58,48"),
        ("small.gr --from 1 --to 3 --engine ppa-bidirectional", "small.gr --from 1 --to 3"),
    ] {
        let name = if opened.starts_with("rooms") { "rooms" } else { "small" };
        let expected = folder.json(&format!("query {built} --json"));
        let answer = folder.json(&format!("query {opened} --index {name}.index --json"));
        assert_eq!(answer["found"], true);
        for field in ["engine", "cost", "path", "expanded", "generated"] {
            assert_eq!(answer[field], expected[field], "{field}");
        }
    }
    // To name the engine as well does no harm.
    folder.succeed("query rooms.map --from 1,1 --to 58,48 --index rooms.index --engine atlas");
}

#[test]
fn bench_opens_the_index_and_builds_the_others() {
    let folder = folder();
    let out = folder.succeed("bench rooms.map --index rooms.index --json");
    let lines: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(lines.as_array().map(Vec::len), Some(1));
    let line = &lines[0];
    assert_eq!((&line["engine"], &line["optimal"]), (&json!("atlas"), &json!(40)));
    assert_eq!((&line["build_s"], &line["build_cpu_s"]), (&Value::Null, &Value::Null));
    assert!(line["index_bytes"].as_u64() > Some(0) && line["form"].is_string());
    let built = folder.succeed("bench rooms.map --engines atlas --json");
    assert_eq!(fields(&out), fields(&built), "the fields are the same");

    let lines = folder.json("bench rooms.map --index rooms.index --engines astar,atlas --json");
    assert!(lines[0]["build_s"].is_number() && lines[1]["build_s"].is_null());
    let out = folder.succeed("bench rooms.map --index rooms.index");
    assert!(out.contains("atlas              opened in "), "{out}");
}

#[test]
fn check_index_checks() {
    let folder = folder();
    let out = folder.succeed("check-index rooms.index");
    assert!(out.contains("rooms.index: an index of `atlas`\n  file       "), "{out}");
    assert!(out.contains("checksums  all 8 sections") && out.contains("fingerprint "), "{out}");
    let out = folder.succeed("check-index rooms.index rooms.map");
    assert!(out.contains("built for rooms.map") && out.contains("all of 100 are right"), "{out}");
    folder.succeed("check-index small.index small.gr");
    // Nothing to stand on.
    folder.write("wall.map", "type octile\nheight 1\nwidth 2\nmap\n@@\n");
    folder.succeed("build wall.map -o wall.index");
    folder.succeed("check-index wall.index wall.map");
}

/// Runs the program, which must refuse with exit code 2 and these words.
fn refuse(folder: &Folder, words: &str, expected: &[&str]) {
    let ran = folder.run(words);
    assert_eq!(ran.code, 2, "{words}: {ran:?}");
    for expected in expected {
        assert!(ran.err.contains(expected), "{words}: {expected} is not in {}", ran.err);
    }
}

#[test]
fn foreign_files_are_refused_with_the_reason() {
    let folder = folder();
    let query = "query rooms.map --from 1,1 --to 58,48";
    for (words, expected) in [
        (format!("{query} --index rooms.map"), "not a Portolan index"),
        (format!("{query} --index none.index"), "there is no file `none.index`"),
        (format!("{query} --index ."), "is a folder"),
        (format!("{query} --index small.index"), "another map"),
        (format!("{query} --index rooms.index --moves four"), "another map"),
        (format!("{query} --index rooms.index --engine astar"), "built by `atlas`, not by `astar`"),
        (format!("{query} --index ppa.index --heuristic hex"), "cannot serve this map"),
        (
            "bench rooms.map --index rooms.index --engines astar".into(),
            "an index of `atlas`, which",
        ),
        ("bench small.map --index rooms.index".into(), "another map"),
        ("check-index rooms.index small.map".into(), "another map"),
        ("check-index rooms.map".into(), "not a Portolan index"),
        ("check-index none.index".into(), "there is no file"),
    ] {
        refuse(&folder, &words, &["error: ", expected]);
    }
}

#[test]
fn what_cannot_be_built_is_refused_before_the_build() {
    let folder = folder();
    for (words, expected) in [
        ("build rooms.map -o x.index --engine astar", "help: these can: differential, "),
        ("build rooms.map -o x.index --engine ppaa", "did you mean `ppa`?"),
        ("build rooms.map -o rooms.map", "`rooms.map` would overwrite the input `rooms.map`"),
        ("build rooms.map -o none/x.index", "there is no such folder"),
        ("build rooms.map -o .", "is a folder"),
        (
            "build rooms.map -o x.index --engine ppa --memory 1KiB",
            "bytes and 1,024 bytes are allowed",
        ),
        ("build rooms.map", "--output"),
        ("build rooms.map -o x.index --threads 9999", "--threads"),
    ] {
        refuse(&folder, words, &[expected]);
    }
    assert!(!folder.names().contains(&"x.index".to_owned()));
    assert!(folder.read("rooms.map").starts_with(b"type octile"));
}

/// What the help line says to allow.
fn amount(refused: &str) -> &str {
    refused.split_once("or --memory ").unwrap_or_else(|| panic!("{refused}")).1.trim()
}

#[test]
fn a_refused_limit_names_one_that_is_enough() {
    let folder = folder();
    let build = |engine: &str, memory: &str| {
        format!("build rooms.map -o x.index --engine {engine} --memory {memory}")
    };
    let refused = folder.run(&build("atlas-climb", "1KiB")).err;
    let needed = amount(&refused);
    let less = (needed.parse::<u64>().unwrap() - 1).to_string();
    refuse(&folder, &build("atlas-climb", &less), &[&format!("--memory {needed}")]);
    let general = folder.run(&build("atlas-general", needed));
    assert!(general.err.contains("or choose atlas-climb, which takes "), "{general:?}");
    assert!(!folder.names().contains(&"x.index".to_owned()));
    folder.succeed(&build("atlas-climb", needed));
}

#[test]
fn atlas_keeps_every_limit_and_info_says_how() {
    let folder = folder();
    for (memory, bytes, form) in
        [("1KiB", "0", "A* without an index, because"), ("20KiB", "", "A* with ")]
    {
        let build = format!("build rooms.map -o x.index --memory {memory}");
        assert!(folder.succeed(&build).contains(form), "{memory}");
        let info = folder.json(&format!("info rooms.map --memory {memory} --json"));
        assert!(info["index"]["form"].to_string().contains(form), "{info}");
        assert!(info["index"]["bytes"].to_string().contains(bytes), "{info}");
        folder.succeed("query rooms.map --index x.index --from 1,1 --to 58,48");
    }
    let info = folder.json("info rooms.map --json");
    assert_eq!(info["index"]["limit"], 128 << 20);
}

/// Stored bounds, alone and several that share the memory: the help names an amount that can be
/// typed and is enough.
#[test]
fn a_refused_limit_of_stored_bounds_names_one_that_is_enough() {
    let folder = folder();
    let engines = [
        "differential",
        "canonical",
        "border",
        "gateway",
        "portal",
        "portal-search",
        "perfect-portal",
    ];
    let alone = engines.map(|engine| format!("--engine {engine}"));
    let together = ["--engine astar --heuristic octile+portal+differential".to_owned()];
    for (at, engine) in alone.iter().chain(&together).enumerate() {
        let mut memory = ["1", "0.25V", "9000"][at % 3].to_owned();
        // One bound after the other may find its share too small.
        for _ in 0..3 {
            let words = format!("query rooms.map --from 1,1 --to 58,48 {engine} --memory {memory}");
            let ran = folder.run(&words);
            if ran.code == 0 {
                break;
            }
            let (_, needed) =
                ran.err.split_once("or --memory ").unwrap_or_else(|| panic!("{ran:?}"));
            memory = needed.trim().to_owned();
        }
        folder
            .succeed(&format!("query rooms.map --from 1,1 --to 58,48 {engine} --memory {memory}"));
        assert!(memory.parse::<u64>().is_ok_and(|bytes| bytes > 1), "{engine}: {memory}");
    }
}

#[test]
fn damage_anywhere_is_found() {
    let folder = folder();
    let whole = folder.read("rooms.index");
    for part in 0..24 {
        let at = whole.len() * part / 24 + part;
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        folder.write("damaged.index", &damaged);
        refuse(&folder, "check-index damaged.index rooms.map", &["error: `damaged.index`: "]);
        // Without the full check it is refused or answers something.
        let ran = folder.run("query rooms.map --from 1,1 --to 58,48 --index damaged.index");
        assert!(ran.code == 0 || ran.code == 2, "{ran:?}");
    }
    for length in [0, 1, 7, 100, 128, 500, whole.len() / 2, whole.len() - 1] {
        folder.write("damaged.index", &whole[..length]);
        refuse(&folder, "check-index damaged.index", &["error: `damaged.index`: "]);
        refuse(&folder, "query rooms.map --from 1,1 --to 2,2 --index damaged.index", &["error: "]);
    }
}

#[test]
fn a_killed_build_leaves_the_old_index_whole() {
    let folder = folder();
    folder.succeed("generate rooms --size 200 --room 9 --seed 4 -o large.map");
    let old = folder.read("rooms.index");
    let mut killed = 0;
    for millis in [1, 20, 60, 120, 200, 300] {
        folder.write("kept.index", &old);
        let mut child = folder
            .command()
            .args("build large.map -o kept.index --threads 1".split(' '))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        if folder.read("kept.index") == old {
            folder.succeed("check-index kept.index rooms.map");
        } else {
            // Too late: the new one is there, and it is whole.
            folder.succeed("check-index kept.index large.map");
        }
    }
    assert!(killed > 0, "no build was caught");
}
