//! `edit-bench` and `replay`, end to end.

use crate::folder::{Folder, fields, names};
use serde_json::{Value, json};

#[test]
fn edit_bench_prints_the_agreed_fields_in_order() {
    let folder = Folder::filled();
    let text = folder.succeed("edit-bench small.map --engines astar --edits 5 --json");
    let expected = [
        "engine",
        "exact",
        "build_s",
        "edits",
        "edit_mean_us",
        "edit_p99_us",
        "first_query_mean_us",
        "wrong",
        "dynamic",
    ];
    let totals = ["searches_per_build", "total_us"].iter().cycle().take(20);
    let expected: Vec<&str> = expected.iter().chain(totals).copied().collect();
    assert_eq!(fields(&text), expected);
    for map in ["small.map", "small.gr --coordinates small.co", "small.map --moves hex"] {
        let ran = folder.run(&format!("edit-bench {map} --edits 60 --seed 3 --json"));
        let lines: Value = serde_json::from_str(&ran.out).unwrap();
        let uniform = ran.err.matches("note: atlas-uniform skipped").count();
        assert_eq!(uniform, usize::from(map != "small.map"), "{ran:?}");
        let skipped = ran.err.matches(" skipped").count();
        assert_eq!(lines.as_array().unwrap().len(), portolan::METHODS.len() - skipped, "{map}");
        for line in lines.as_array().unwrap() {
            assert_eq!(line["edits"], json!(60), "{line}");
            assert!(line["wrong"] == json!(0) || line["exact"] == json!(false), "{line}");
            let dynamic = line["dynamic"].as_array().unwrap();
            let searches: Vec<u64> =
                dynamic.iter().filter_map(|total| total["searches_per_build"].as_u64()).collect();
            assert_eq!(searches, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
            let total = |index: usize| dynamic[index]["total_us"].as_f64();
            assert!(total(0) < total(9), "{line}");
            assert!(line["edit_mean_us"].as_f64() > Some(0.0), "{line}");
            assert!(line["first_query_mean_us"].as_f64() > Some(0.0), "{line}");
        }
    }
}

#[test]
fn edit_bench_changes_all_weights() {
    let folder = Folder::filled();
    let text = folder.succeed("edit-bench small.gr --traffic --engines atlas --json");
    let expected = [
        "engine",
        "exact",
        "build_us",
        "all_weights_us",
        "tenth_us",
        "labels_us",
        "query_mean_us",
        "wrong",
    ];
    assert_eq!(fields(&text), expected);
    let text = folder.succeed("edit-bench small.gr --traffic --engines astar,atlas --json");
    let lines: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(lines.as_array().unwrap().len(), 2);
    assert!(lines.as_array().unwrap().iter().all(|line| line["wrong"] == json!(0)), "{text}");
    let text = folder.succeed("edit-bench small.gr --traffic --engines atlas");
    assert!(text.contains("a tenth") && text.contains("new weights for all edges"), "{text}");
    let ran = folder.run("edit-bench small.map --traffic --engines atlas");
    assert!(ran.err.contains("this map is a grid"), "{ran:?}");
}

#[test]
fn edit_bench_tells_people() {
    let folder = Folder::filled();
    let out = folder.succeed("edit-bench small.map --edits 3 --engines dijkstra,ppa --seed 9");
    let expected =
        "small.map: 3 edits (one cell blocked or freed each, seed 9), 5 searches after each\n";
    assert!(out.starts_with(expected), "{out}");
    assert!(out.contains("edit + 100") && out.contains("\n  ppa "), "{out}");
    assert!(!out.contains("astar"), "{out}");
    let out = folder.succeed("edit-bench small.gr --edits 1");
    assert!(out.contains("1 edit (one weight doubled or restored each, seed 1)"), "{out}");
    let help = folder.succeed("edit-bench --help");
    assert!(help.contains("the refresh, without"), "what is not timed: {help}");
}

#[test]
fn edit_bench_leaves_out_engines_that_cannot_serve() {
    let folder = Folder::filled();
    let ran = folder.run("edit-bench small.map --heuristic hex --edits 2 --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Value = serde_json::from_str(&ran.out).unwrap();
    let served = ["dijkstra", "atlas", "atlas-uniform", "atlas-general", "atlas-climb"];
    assert_eq!(names(&lines), served, "those without a heuristic");
    assert!(ran.err.contains("note: astar skipped: the hex heuristic"), "{}", ran.err);
    let out = folder.run("edit-bench small.map --heuristic hex --edits 2").out;
    assert!(out.contains("astar              skipped: the hex heuristic"), "{out}");
    let ran = folder.run("edit-bench small.map --memory 1 --edits 2");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("note: ppa skipped: the index takes"), "{}", ran.err);
}

#[test]
fn replay_prints_the_agreed_fields_in_order() {
    let folder = Folder::filled();
    folder.write_dynamic();
    let text = folder.succeed("replay small.scen --engines astar --json");
    let expected = [
        "engine",
        "edits",
        "edit_mean_us",
        "edit_p99_us",
        "queries",
        "query_mean_us",
        "query_p99_us",
        "wrong",
    ];
    assert_eq!(fields(&text), expected);
    for options in ["", " --advance"] {
        let ran = folder.run(&format!("replay small.scen --engines all --json{options}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let lines: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(lines.as_array().unwrap().len(), portolan::METHODS.len(), "{ran:?}");
        for line in lines.as_array().unwrap() {
            let counts = (&line["edits"], &line["queries"], &line["wrong"]);
            assert_eq!(counts, (&json!(2), &json!(3), &json!(0)), "{line}");
            assert!(line["query_mean_us"].as_f64() > Some(0.0), "{line}");
        }
    }
}

#[test]
fn replay_tells_people_and_finds_wrong_lengths() {
    let folder = Folder::filled();
    folder.write_dynamic();
    let out = folder.succeed("replay small.scen --engines astar,atlas");
    assert!(out.starts_with("small.scen: 2 edits, 3 queries\n"), "{out}");
    assert!(out.contains("in all") && out.contains("\n  atlas "), "{out}");
    let ran = folder.run("replay small.scen");
    assert!(ran.out.contains("\n  atlas ") && !ran.out.contains("\n  portal "), "{}", ran.out);
    assert!(
        ran.err.contains("note: portal skipped: every edit builds it from scratch"),
        "{}",
        ran.err
    );
    let wrong = crate::folder::DYNAMIC.replace("4 0 8.83", "4 0 8.5");
    folder.write("wrong.scen", wrong + "Q 2 2 0 2 2 2\n");
    let ran = folder.run("replay wrong.scen --engines astar");
    assert_eq!(ran.code, 1, "{ran:?}");
    let fault = "wrong: astar: after edit 1, query 2, 0,0 to 4,0: length 8.8";
    assert!(ran.err.contains(fault), "{}", ran.err);
    assert!(ran.err.contains("invalid: query 4: start 2,0 is blocked\n"), "{}", ran.err);
}

#[test]
fn replay_checks_that_there_is_no_path() {
    let folder = Folder::filled();
    folder.write_dynamic();
    // The wall of the second edit has no gap.
    let walled = "P 3 0 2 0\nP 3 0 2 2\nQ 3 0 0 4 0 -1\nQ 3 0 0 1 0 1\n";
    folder.write("walled.scen", crate::folder::DYNAMIC.to_owned() + walled);
    let ran = folder.run("replay walled.scen --engines all --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Value = serde_json::from_str(&ran.out).unwrap();
    for line in lines.as_array().unwrap() {
        assert_eq!((&line["queries"], &line["wrong"]), (&json!(5), &json!(0)), "{line}");
    }
    for (right, wrong, fault) in [
        ("4 0 8.83", "4 0 -1", "after edit 1, query 2, 0,0 to 4,0: "),
        ("4 0 -1", "4 0 4", "after edit 3, query 4, 0,0 to 4,0: "),
    ] {
        let text = (crate::folder::DYNAMIC.to_owned() + walled).replace(right, wrong);
        folder.write("wrong.scen", text);
        let ran = folder.run("replay wrong.scen --engines astar,atlas");
        assert_eq!(ran.code, 1, "{ran:?}");
        for engine in ["astar", "atlas"] {
            assert!(ran.err.contains(&format!("wrong: {engine}: {fault}")), "{}", ran.err);
        }
    }
}

/// The scenario of the competition's dynamic track.
#[test]
fn replay_is_exact_on_a_real_scenario() {
    let Some(maps) = portolan_testkit::real::folder() else { return };
    let scenario = maps.canonicalize().unwrap().join("dynamic/dao_arena2.scen");
    let words = format!("replay {} --engines astar,atlas --json", scenario.display());
    let lines: Value = serde_json::from_str(&Folder::new().succeed(&words)).unwrap();
    for line in lines.as_array().unwrap() {
        let counts = (&line["edits"], &line["queries"], &line["wrong"]);
        assert_eq!(counts, (&json!(93), &json!(2000), &json!(0)), "{line}");
    }
}
