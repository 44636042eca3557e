//! Every command, end to end, as a user runs it.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::folder::{Folder, fields, names};
use serde_json::{Value, json};

#[test]
fn info_describes_grids() {
    let folder = Folder::filled();
    let out = folder.succeed("info small.map");
    for expected in [
        "kind           grid, MovingAI map",
        "size           8 x 5 cells",
        "passable       33 of 40 cells, 82.5 %",
        "moves          eight, corners cut: never",
        "components     2, the largest of 32 cells",
        "terrain        uniform",
        "dijkstra           yes",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    let info = folder.json("info small.map --moves four --agent 2 --json");
    assert_eq!(info["grid"]["moves"], "four");
    assert_eq!(info["grid"]["passable"], 16);
    assert_eq!(info["engines"][0]["name"], "dijkstra");
    assert!(info.get("graph").is_none());
}

#[test]
fn a_byte_order_mark_before_a_text_does_no_harm() {
    let folder = Folder::filled();
    for name in ["small.map", "small.map.scen", "small.gr", "small.co", "small.queries"] {
        let text = folder.read(name);
        folder.write(name, [b"\xef\xbb\xbf".as_slice(), &text].concat());
    }
    folder.write("marked.txt", "\u{feff}S.T");
    folder.succeed("query marked.txt");
    folder.succeed("verify small.map");
    folder.succeed("verify small.gr --coordinates small.co");
}

#[test]
fn info_says_why_an_engine_cannot_serve() {
    let folder = Folder::filled();
    let out = folder.succeed("info small.map --heuristic manhattan");
    assert!(out.contains("astar              no   the manhattan heuristic"), "{out}");
    let info = folder.json("info small.map --heuristic manhattan --json");
    assert_eq!(info["engines"][1]["supported"], false);
    assert!(info["engines"][1]["reason"].as_str().unwrap().contains("four-connected"));
}

/// A black picture of one bit per pixel.
fn black_picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_depth(png::BitDepth::One);
    let samples = vec![0; (width / 8 * height) as usize];
    encoder.write_header().unwrap().write_image_data(&samples).unwrap();
    bytes
}

/// It took minutes.
#[test]
fn a_small_picture_of_134_million_blocked_cells_is_described_soon() {
    let folder = Folder::new();
    let picture = black_picture(1 << 14, 1 << 13);
    assert!(picture.len() < 64 << 10, "{} bytes", picture.len());
    folder.write("black.png", picture);
    let start = Instant::now();
    let info = folder.json("info black.png --json");
    // A hundredth of it would be enough.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let grid = &info["grid"];
    assert_eq!((&grid["width"], &grid["height"]), (&(1 << 14).into(), &(1 << 13).into()));
    assert_eq!((&grid["cells"], &grid["passable"]), (&(1 << 27).into(), &0.into()));
    assert_eq!(grid["components"], json!({ "count": 0, "largest": 0 }));
    assert_eq!(info["format"], "PNG picture");
}

#[test]
fn info_describes_graphs() {
    let folder = Folder::filled();
    let info = folder.json("info small.gr --coordinates small.co --json");
    let expected = json!({
        "nodes": 4, "edges": 4, "undirected": false,
        "weakly_connected": { "count": 2, "largest": 3 },
        "strongly_connected": { "count": 2, "largest": 3 },
        "coordinates": { "x": [0, 50], "y": [0, 20] },
    });
    assert_eq!(info["graph"], expected);
    assert!(folder.succeed("info small.gr").contains("coordinates    none"));
}

#[test]
fn query_finds_the_way_through_the_door() {
    let folder = Folder::filled();
    let out = folder.succeed("query small.map --from 2,2 --to 4,2 --path");
    assert!(out.starts_with("2,2 to 4,2: length 6, 6 steps\n"), "{out}");
    assert!(out.ends_with("2,2\n2,3\n2,4\n3,4\n4,4\n4,3\n4,2\n"), "{out}");
    let answer = folder.json("query small.map --from 2,2 --to 4,2 --engine dijkstra --json");
    let names: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = vec![
        "map",
        "engine",
        "from",
        "to",
        "found",
        "status",
        "cost",
        "length",
        "steps",
        "expanded",
        "generated",
        "time_us",
        "path",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(answer["engine"], "dijkstra");
    assert_eq!(answer["cost"], 6 * 33461);
    assert_eq!(answer["path"][3], json!([3, 4]));
}

#[test]
fn query_counts_nodes_as_the_file_does() {
    let folder = Folder::filled();
    let answer = folder.json("query small.gr --from 1 --to 3 --json");
    assert_eq!((&answer["path"], &answer["cost"]), (&json!([1, 2, 3]), &json!(100)));
}

#[test]
fn no_path_is_an_answer() {
    let folder = Folder::filled();
    let out = folder.succeed("query small.map --from 0,0 --to 7,0");
    assert!(out.starts_with("0,0 to 7,0: there is no path\n"), "{out}");
    let answer = folder.json("query small.map --from 0,0 --to 7,0 --json");
    assert_eq!(answer["found"], false);
    assert_eq!(answer["path"], Value::Null);
    assert_eq!(folder.json("query small.gr --from 1 --to 4 --json")["found"], false);
}

#[test]
fn partial_goes_as_near_as_it_can() {
    let folder = Folder::filled();
    let out = folder.succeed("query small.map --from 0,0 --to 7,0 --partial");
    assert!(
        out.starts_with("0,0 cannot reach 7,0; the nearest place within reach is 5,0: "),
        "{out}"
    );
    let out = folder.succeed("query small.map --from 0,0 --to 3,0 --partial");
    assert!(out.starts_with("3,0 is blocked; the nearest place within reach is 2,0: "), "{out}");
    let blocked = folder.json("query small.map --from 0,0 --to 3,0 --partial --json");
    assert_eq!((&blocked["status"], &blocked["found"]), (&json!("partial"), &json!(true)));
    assert_eq!(blocked["path"].as_array().unwrap().last(), Some(&json!([2, 0])));
    let whole = folder.json("query small.map --from 0,0 --to 4,2 --partial --json");
    assert_eq!(whole["status"], "complete");
}

#[test]
fn partial_on_graphs_goes_by_coordinates() {
    let folder = Folder::filled();
    let out = folder.succeed("query small.gr --coordinates small.co --from 1 --to 4 --partial");
    assert!(out.starts_with("1 cannot reach 4; the nearest place within reach is 1: "), "{out}");
    assert_eq!(
        folder.json("query small.gr --from 1 --to 3 --partial --json")["status"],
        "complete"
    );
    folder.write("dear.gr", "p sp 4 2\na 1 2 4000000000\na 2 3 4000000000\n");
    let ran = folder.run("query dear.gr --coordinates small.co --from 1 --to 3 --partial");
    let expected = "error: the path from 1 to 3 costs more than a cost can hold\n";
    assert!(ran.code == 2 && ran.err.starts_with(expected), "{ran:?}");
}

#[test]
fn query_takes_the_ends_that_a_drawing_marks() {
    let folder = Folder::new();
    folder.write("drawing.txt", "S#. / .#. / ..T");
    let out = folder.succeed("query drawing.txt");
    assert!(out.starts_with("0,0 to 2,2: length 4, 4 steps\n"), "{out}");
    let answer = folder.json("query drawing.txt --to 0,1 --json");
    assert_eq!((&answer["from"], &answer["to"]), (&json!([0, 0]), &json!([0, 1])));
    let out = folder.succeed("query drawing.txt --to 0,1");
    assert!(out.starts_with("0,0 to 0,1: length 1, 1 step\n"), "{out}");
}

#[test]
fn map_options_change_the_answer() {
    const DIAGONAL: f64 = 47321.0 / 33461.0;
    let to_eight = |length: f64| (length * 1e8).round() / 1e8;
    let folder = Folder::filled();
    folder.write("small.ter", "99999999\n99999999\n99999999\n99999999\n11111111\n");
    folder.write("wall.drawing", ".# / #.");
    for (options, length) in [
        ("small.map --from 0,4 --to 2,2", json!(to_eight(2.0 * DIAGONAL))),
        ("small.map --from 0,4 --to 2,2 --moves four", json!(4.0)),
        ("small.map --from 0,4 --to 2,2 --moves hex", json!(3.0)),
        ("small.map --from 0,4 --to 4,4 --terrain small.ter", json!(4.0)),
        ("small.map --from 0,3 --to 1,3 --terrain small.ter", json!(9.0)),
        ("small.map --from 4,2 --to 6,3 --agent 2", json!(to_eight(1.0 + DIAGONAL))),
        ("wall.drawing --from 0,0 --to 1,1", Value::Null),
        ("wall.drawing --from 0,0 --to 1,1 --corners one", Value::Null),
        ("wall.drawing --from 0,0 --to 1,1 --corners always", json!(to_eight(DIAGONAL))),
    ] {
        assert_eq!(folder.json(&format!("query {options} --json"))["length"], length, "{options}");
    }
}

#[test]
fn verify_takes_the_scenario_beside_the_map() {
    let folder = Folder::filled();
    let out = folder.succeed("verify small.map");
    assert!(out.contains("small.map: 2 queries (small.map.scen)"), "{out}");
    assert!(out.contains("1 invalid, not asked:\n    query 3: start 3,0 is blocked"), "{out}");
    assert!(out.contains("astar              all 2 right and optimal"), "{out}");
    let out = folder.succeed("verify small.gr --engines dijkstra,bidirectional");
    assert!(out.contains("small.gr: 3 queries (small.queries)"), "{out}");
    assert!(!out.contains("astar"), "{out}");
}

#[test]
fn verify_finds_wrong_lengths() {
    let folder = Folder::filled();
    folder.write("bad.scen", crate::folder::SCEN.replace("\t4\t2\t6\n", "\t4\t2\t7\n"));
    let ran = folder.run("verify small.map --scen bad.scen --engines astar");
    assert_eq!(ran.code, 1);
    let expected = "query 2, 2,2 to 4,2: a legal path of 6 exists, the file says 7\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("  does bad.scen belong to this map?"), "{}", ran.out);
    let ran = folder.run("verify small.map --scen bad.scen");
    assert!(ran.out.contains("  every engine differs: does bad.scen belong"), "{}", ran.out);
    folder.write("bad.queries", "1 3 99\n1 4 7\n4 1 -\n");
    let ran = folder.run("verify small.gr --scen bad.queries --engines dijkstra");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("2 of 3 WRONG"), "{}", ran.out);
    assert!(ran.out.contains("query 1, 1 to 3: length 100, the file says 99"), "{}", ran.out);
    let expected = "query 2, 1 to 4: no path found, the file says there is one";
    assert!(ran.out.contains(expected), "{}", ran.out);
}

#[test]
fn verify_finds_no_path_claimed_where_there_is_one() {
    let folder = Folder::filled();
    folder.write("bad.queries", "1 3 100\n3 2 -\n4 1 -\n");
    let ran = folder.run("verify small.gr --scen bad.queries");
    assert_eq!(ran.code, 1);
    let expected = "  1 of the file WRONG:\n    query 2, 3 to 2: a path of 75 exists, the file says there is none\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(
        ran.out.contains("astar              all 3 right"),
        "no engine is to blame: {}",
        ran.out
    );
    let ran = folder.run("bench small.gr --scen bad.queries --json");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("note:   query 2, 3 to 2: a path of 75"), "{}", ran.err);
}

#[test]
fn verify_compares_with_the_reference_where_scenarios_do_not_hold() {
    let folder = Folder::filled();
    let out = folder.succeed("verify small.map --moves four");
    assert!(out.contains("since scenario lengths do not hold"), "{out}");
    let out = folder.succeed("verify small.map --random 30 --seed 4 --limit 12 --moves hex");
    assert!(out.contains("small.map: 12 queries (30 random queries, seed 4)"), "{out}");
    let out = folder.succeed("verify small.map --random 1");
    assert!(out.contains("small.map: 1 query (1 random query, seed 1)"), "{out}");
    let ran = folder.run("verify small.map --agent 2");
    let expected = "query 1: goal 2,0 is blocked for a unit of 2 x 2 cells";
    assert!(ran.err.contains(expected), "{ran:?}");
    std::fs::remove_file(folder.path("small.map.scen")).unwrap();
    assert!(folder.succeed("verify small.map").contains("1,000 queries"), "the default");
}

#[test]
fn verify_names_engines_that_cannot_serve() {
    let folder = Folder::filled();
    let out = folder.succeed("verify small.map --heuristic hex");
    assert!(out.contains("astar              skipped: the hex heuristic"), "{out}");
    let lines = out.lines().filter(|line| line.contains("skipped") || line.contains("optimal"));
    let engines: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    let all: Vec<&str> = portolan::METHODS.iter().map(|method| method.name()).collect();
    assert_eq!(engines, all, "in the order of all: {out}");
}

#[test]
fn bench_prints_the_agreed_fields_in_order() {
    let folder = Folder::filled();
    folder
        .write("right.scen", crate::folder::SCEN.replace("\t3\t0\t4\t2\t9\n", "\t4\t0\t4\t2\t2\n"));
    let text = folder.succeed("bench small.map --scen right.scen --engines astar --json");
    let expected = [
        "engine",
        "exact",
        "form",
        "build_s",
        "build_cpu_s",
        "index_bytes",
        "queries",
        "invalid",
        "found",
        "mean_us",
        "median_us",
        "p99_us",
        "distance_mean_us",
        "expanded_mean",
        "generated_mean",
        "optimal",
        "suboptimality_mean",
        "suboptimality_max",
        "illegal",
    ];
    assert_eq!(fields(&text), expected);
    let ran = folder.run("bench small.map --json");
    assert_eq!(ran.code, 0);
    let lines: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(lines.as_array().unwrap().len(), portolan::METHODS.len());
    for line in lines.as_array().unwrap() {
        let counts = ["queries", "invalid", "found", "optimal", "illegal"].map(|key| &line[key]);
        assert_eq!(counts, [2, 1, 2, 2, 0]);
        assert_eq!(line["suboptimality_max"], 0.0);
        // Only what is built has a form.
        assert_eq!(line["form"].is_null(), line["index_bytes"] == 0, "{line}");
        assert!(line["p99_us"].as_f64() >= line["median_us"].as_f64());
    }
}

#[test]
fn bench_tells_people_and_fails_on_wrong_answers() {
    let folder = Folder::filled();
    let out = folder.succeed("bench small.gr --random 20 --limit 10");
    assert!(out.contains("10/10"), "{out}");
    folder.write("bad.queries", "1 3 99\n");
    let ran = folder.run("bench small.gr --scen bad.queries --json --engines astar");
    assert_eq!(ran.code, 1);
    let lines: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&lines[0]["optimal"], &lines[0]["queries"]), (&json!(0), &json!(1)));
    assert!(ran.err.starts_with("wrong: astar: query 1, 1 to 3: length 100"), "{}", ran.err);
}

#[test]
fn bench_names_what_json_leaves_out() {
    let folder = Folder::filled();
    let ran = folder.run("bench small.map --heuristic hex --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Value = serde_json::from_str(&ran.out).unwrap();
    let served = ["dijkstra", "atlas", "atlas-uniform", "atlas-general", "atlas-climb"];
    assert_eq!(names(&lines), served, "those without a heuristic");
    for expected in [
        "note: 1 invalid, not asked:\nnote:   query 3: start 3,0 is blocked\n",
        "note: astar skipped: the hex heuristic",
        "note: bidirectional skipped: the hex heuristic",
    ] {
        assert!(ran.err.contains(expected), "{expected}: {}", ran.err);
    }
}

#[test]
fn generate_gives_the_same_bytes_every_time() {
    let (one, two) = (Folder::new(), Folder::new());
    for words in [
        "generate rooms --size 64 --room 8 --seed 1 -o a.map --scen a.scen --queries 20",
        "generate maze --size 60x40 --corridor 3 -o b.map --queries 20",
        "generate cave --size 60x50 --grain 2 -o c.map",
        "generate random --size 40 --blocked 0.3 -o d.map",
        "generate streets --size 96 --block 24 --avenue 8 --river 6 -o e.map",
        "generate roads --nodes 200 -o f.gr --queries 30",
    ] {
        assert_eq!(one.succeed(words), two.succeed(words));
    }
    let expected = [
        "a.map",
        "a.scen",
        "b.map",
        "b.map.scen",
        "c.map",
        "d.map",
        "e.map",
        "f.co",
        "f.gr",
        "f.queries",
    ];
    assert_eq!(one.names(), expected, "and no temporary file is left");
    for name in expected {
        assert_eq!(one.read(name), two.read(name), "{name}");
        assert!(!one.read(name).is_empty());
    }
}

#[test]
fn defaults_shrink_to_fit_small_maps() {
    let folder = Folder::new();
    for size in [4, 10, 30, 100] {
        for kind in ["rooms", "maze", "random", "cave", "streets"] {
            let words = format!("generate {kind} --size {size} -o {kind}.map");
            let ran = folder.run(&words);
            let is_empty = ran.err.starts_with("error: these settings leave no passable cell\n");
            assert!(ran.code == 0 || is_empty, "{words}: {ran:?}");
            assert!(ran.code == 0 || size < 30, "{words}: {ran:?}");
        }
    }
    for settings in ["--block 10", "--avenue 3", "--lane 30", "--block 8 --lane 8"] {
        folder.succeed(&format!("generate streets --size 90 {settings} -o streets.map"));
    }
}

#[test]
fn what_is_generated_verifies() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 48 --room 6 --seed 3 -o a.map --queries 40");
    let out = folder.succeed("verify a.map");
    assert!(out.contains("a.map: 40 queries (a.map.scen)"), "{out}");
    folder.succeed("generate roads --nodes 300 --metric milliseconds -o f.gr --queries 40");
    let out = folder.succeed("verify f.gr --coordinates f.co");
    assert!(out.contains("f.gr: 40 queries (f.queries)"), "{out}");
}

#[test]
fn demo_shows_checks_and_suggests_commands_that_work() {
    let folder = Folder::new();
    let out = folder.succeed("demo --queries 6 -o shown");
    assert!(out.contains("all 6 optimal"), "{out}");
    assert!(out.contains("all 150 optimal") && out.contains("steps legal, costs least"), "{out}");
    assert!(out.contains("those of exact engines are all optimal"), "{out}");
    assert!(out.contains("  dhpa left out: it cuts grids"), "{out}");
    assert!(!out.contains("\n  dijkstra"), "four engines unless all are asked for: {out}");
    assert!(!out.contains('\x1b'), "no colours outside terminals");
    assert!(out.contains('█') && out.contains('•'), "{out}");
    let suggested: Vec<&str> =
        out.lines().filter_map(|line| line.trim().strip_prefix("portolan ")).collect();
    assert_eq!(suggested.len(), 4, "{out}");
    for words in suggested {
        folder.succeed(&words.replace("--random 500", "--random 20"));
    }
    for name in ["rooms.png", "cave.png", "roads.png", "crowd.png", "path.svg", "maze.map"] {
        assert!(folder.path("shown").join(name).is_file(), "{name}");
    }
}

#[test]
fn the_page_of_the_demo_stands_alone() {
    let folder = Folder::new();
    folder.succeed("demo --queries 2 -o shown");
    let page = String::from_utf8(folder.read("shown/index.html")).unwrap();
    assert_eq!(page.matches("<img ").count(), 5);
    assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 5);
    for heading in ["Rooms with doors", "A cave", "A road network", "A map that changes", "A crowd"]
    {
        assert!(page.contains(heading), "{heading}");
    }
    assert!(!page.contains("src=\"http") && !page.contains("<script"), "it loads and runs nothing");
    assert!(page.contains("class=\"note good\""));
}

#[test]
fn recommend_says_what_to_use_and_how() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 40 --room 8 --seed 3 -o a.map");
    let out = folder.succeed("recommend a.map --seconds 2");
    for expected in ["\nUse `", "\n  static map  ", "\n  edits in every frame  ", "\n  crowds  "] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(!out.contains("WRONG"), "{out}");
    let commands: Vec<&str> =
        out.lines().filter_map(|line| line.trim().strip_prefix("portolan ")).collect();
    assert_eq!(commands.len(), 2, "{out}");
    for words in commands {
        folder.succeed(&words.replace("X,Y", "1,1"));
    }

    let found = folder.json("recommend a.map --seconds 2 --json");
    assert_eq!((found["queries"].as_u64(), found["edits"].as_u64()), (Some(200), Some(40)));
    let engines = names(&found["engines"]);
    assert!(engines.contains(&"astar") && engines.contains(&"atlas"), "{engines:?}");
    for engine in found["engines"].as_array().unwrap() {
        assert_eq!(engine["wrong"], 0, "{engine}");
        assert!(engine["queries"].as_u64() > Some(0), "{engine}");
        assert!(engine["exact"] == false || engine["longer_mean"] == 0.0, "{engine}");
    }
    for advice in found["advice"].as_array().unwrap() {
        let choice = advice["choice"].as_str().unwrap();
        assert!(engines.contains(&choice) || choice == "flow field", "{advice}");
    }
}

#[test]
fn recommend_takes_every_kind_of_map_and_says_what_it_leaves_out() {
    let folder = Folder::filled();
    let out = folder.succeed("recommend small.gr --seconds 1");
    assert!(out.contains("(small.queries)") && out.contains("\n  dhpa left out: "), "{out}");
    // The third line of the scenario starts in the wall.
    let out = folder.succeed("recommend small.map --seconds 1 --engines astar,differential");
    assert!(out.contains("\n  2 queries (small.map.scen)"), "{out}");
    let moves = "recommend small.map --moves hex --seconds 1 --random 7 --engines astar";
    assert!(folder.succeed(moves).contains("7 random queries"));
    folder.write("point.drawing", ".\n");
    assert!(folder.succeed("recommend point.drawing --seconds 1").contains("Use `"));
    folder.write("edgeless.gr", "p sp 2 0\n");
    assert!(folder.succeed("recommend edgeless.gr --seconds 1").contains("0 edits"));
    assert_eq!(folder.run("recommend small.map --seconds 0").code, 2);
    assert_eq!(folder.run("recommend small.map --seconds nan").code, 2);
}

#[test]
fn engines_that_take_too_long_to_build_are_cancelled_and_listed() {
    let folder = Folder::new();
    folder.succeed("generate random --size 300 --blocked 0.1 --seed 3 -o noise.map");
    let out = folder.succeed("recommend noise.map --seconds 0.1");
    assert!(out.contains("\n  atlas left out: not built in "), "{out}");
    assert!(out.contains("Not built in time: atlas"), "{out}");
    assert!(out.contains("Of the engines that were built in time, use `"), "{out}");
    assert!(!out.contains("\nUse `"), "{out}");
    assert!(out.contains("--seconds 1 may change the advice"), "{out}");
}

#[test]
fn edits_on_paths_are_followed_too() {
    let folder = Folder::filled();
    for map in ["small.map", "small.gr"] {
        let out = folder
            .succeed(&format!("edit-bench {map} --edits 20 --on-paths --engines astar,atlas"));
        assert!(out.contains("on a path"), "{out}");
    }
}

#[test]
fn help_teaches() {
    let folder = Folder::new();
    let all = folder.succeed("--help");
    for command in [
        "demo",
        "generate",
        "info",
        "build",
        "recommend",
        "check-index",
        "query",
        "verify",
        "bench",
        "edit-bench",
        "replay",
        "reproduce",
        "lab",
        "completions",
    ] {
        assert!(all.contains(&format!("\n  {command}")), "{all}");
        let help = folder.succeed(&format!("help {command}"));
        assert!(help.contains("Examples:\n  "), "{help}");
    }
    assert!(folder.succeed("--version").starts_with("portolan "));
}

#[test]
fn completions_are_printed_for_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(folder.succeed(&format!("completions {shell}")).contains("portolan"), "{shell}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = Folder::filled();
    for words in [
        &["info", "small.map"][..],
        &["--help"],
        &["completions", "bash"],
        &["bench", "small.gr", "--json", "--engines", "astar,atlas"],
        &["edit-bench", "small.gr", "--edits", "3"],
        &["verify", "small.map"],
    ] {
        let mut child = folder
            .command()
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let code = child.wait().unwrap().code();
        assert_eq!((code, err.as_str()), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_wrong_answers() {
    let folder = Folder::filled();
    folder.write("bad.queries", "1 3 99\n");
    let mut command = folder.command();
    command.args(["verify", "small.gr", "--scen", "bad.queries"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
