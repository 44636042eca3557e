//! Bad input of every kind: one clear message, its remedy, exit code 2.

use crate::folder::Folder;

/// Runs the program and expects the start of the error and of the help line.
fn check(folder: &Folder, words: &str, error: &str, help: &str) {
    let ran = folder.run(words);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
    let lines: Vec<&str> = ran.err.lines().collect();
    let [first, second] = lines[..] else { panic!("{words}: {ran:?}") };
    assert!(first.starts_with(&format!("error: {error}")), "{words}: {first}");
    assert!(second.starts_with(&format!("help: {help}")), "{words}: {second}");
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::filled();
    std::fs::create_dir(folder.path("dir.map")).unwrap();
    folder.write("notes.md", "Dear diary");
    folder.write("short.map", "type octile\nheight 2\nwidth 3\nmap\n.@.\n..\n");
    folder.write("dynamic.scen", "version 2\npatch 1\n");
    folder.write("bad.gr", "p sp 2 1\na 1 3 5\n");
    for (words, error, help) in [
        ("info none.map", "there is no file `none.map`", "check the spelling"),
        ("info dir.map", "`dir.map` is a folder", "name a file"),
        ("info notes.md", "`notes.md` is not a map", "maps are .map"),
        ("info short.map", "`short.map`, line 6, column 3: a row of 3 cells", "make every row"),
        ("info bad.gr", "`bad.gr`, line 2, column 5: a head was expected", "write a number"),
        ("info small.gr --coordinates none.co", "there is no file `none.co`", "check"),
        ("info small.gr --coordinates small.gr", "`small.gr`, line 1, column 3:", "replace"),
        ("info small.map --terrain none", "there is no file `none`", "check"),
        ("verify small.map --scen none.scen", "there is no file `none.scen`", "check"),
        (
            "verify small.map --scen dynamic.scen",
            "`dynamic.scen` is a dynamic scenario, of version 2",
            "`portolan replay` takes it",
        ),
        ("verify small.map --scen small.map", "`small.map`, line 1, column 1:", "replace"),
    ] {
        check(&folder, words, error, help);
    }
    #[cfg(unix)]
    check(&folder, "info /dev/null", "`/dev/null` is neither a file nor a pipe", "save");
}

#[test]
fn bounds_that_an_engine_has_no_use_for() {
    let folder = Folder::filled();
    for engine in ["portal-search", "perfect-portal"] {
        for command in ["query small.map --from 0,0 --to 7,4", "build small.map -o small.index"] {
            let words = format!("{command} --heuristic octile+differential --engine {engine}");
            let ran = folder.run(&words);
            let expected = "takes no other stored bounds; leave differential out of --heuristic";
            assert!(ran.code == 2 && ran.err.contains(expected), "{words}: {ran:?}");
        }
    }
    let ran =
        folder.run("query small.map --from 0,0 --to 7,4 --heuristic differential --engine hpa");
    let expected = "it takes no stored bounds; leave differential out of --heuristic";
    assert!(ran.code == 2 && ran.err.contains(expected), "{ran:?}");
    folder.succeed(
        "query small.map --from 0,0 --to 7,4 --heuristic octile+differential --engine ppa",
    );
}

#[test]
fn places_that_are_none() {
    let folder = Folder::filled();
    folder.write("solid.drawing", "## / ##");
    for (words, error, help) in [
        (
            "query small.map --from 3,0 --to 0,0",
            "--from 3,0 is blocked",
            "the nearest passable cell is --from 2,0",
        ),
        (
            "query small.map --from 0,0 --to 8,1",
            "--to 8,1 lies outside the map, which has 8 x 5 cells",
            "x runs from 0 to 7, y from 0 to 4; the nearest passable cell is --to 7,",
        ),
        (
            "query small.map --from 7,2 --to 0,0 --agent 2",
            "--from 7,2 is blocked for a unit of 2 x 2 cells",
            "the nearest passable cell is --from 6,2",
        ),
        ("query small.map --from 3 --to 0,0", "--from 3 does not name a cell", "on grids, write"),
        ("query small.gr --from 3,1 --to 1", "--from 3,1 does not name a node", "on graphs, write"),
        (
            "query small.gr --from 0 --to 1",
            "--from 0 is not on the map",
            "nodes are counted from 1 to 4",
        ),
        ("query small.gr --from 1 --to 5", "--to 5 is not on the map", "nodes are counted"),
        ("query small.map --from 3,0 --to 7,0 --partial", "--from 3,0 is blocked", "the nearest"),
        ("query solid.drawing --from 0,0 --to 1,1", "--from 0,0 is blocked", "no cell of this map"),
        (
            "query solid.drawing --to 0,0",
            "--from was not given, and the drawing has no S",
            "on grids, write --from X,Y",
        ),
        ("query small.gr --from 1", "--to was not given", "on graphs, write --to NODE"),
        (
            "query small.gr --from 1 --to 4 --partial",
            "`small.gr` has no coordinates, so nothing is known to lie near 4, which 1 cannot reach",
            "add --coordinates small.co",
        ),
        ("verify solid.drawing", "the map has no passable cell", "choose a map"),
    ] {
        check(&folder, words, error, help);
    }
}

#[test]
fn options_that_do_not_fit() {
    let folder = Folder::filled();
    folder.write("wrong.ter", "111\n111\n");
    folder.write("other.scen", "version 1\n0\tx.map\t9\t5\t0\t0\t0\t0\t0\n");
    folder.write("few.co", "p aux sp co 1\nv 1 0 0\n");
    for (words, error, help) in [
        (
            "info small.gr --moves four",
            "--moves is for grids, and `small.gr` is a graph",
            "leave out",
        ),
        ("info small.gr --agent 2", "--agent is for grids", "leave out --agent"),
        ("info small.gr --corners one", "--corners is for grids", "leave out"),
        ("info small.gr --terrain x", "--terrain is for grids", "leave out"),
        ("info small.map --coordinates small.co", "--coordinates is for graphs", "leave out"),
        ("info small.gr --coordinates few.co", "`few.co` does not match this graph", "give"),
        (
            "info small.map --agent 4",
            "no cell of `small.map` has room for a unit of 4 x 4 cells; the largest that fits has 3 x 3",
            "choose --agent 3 or less",
        ),
        ("info small.map --agent 2 --moves hex", "units of more than one cell", "choose"),
        (
            "info small.map --terrain wrong.ter",
            "the terrain of `wrong.ter` has 3 x 2 cells",
            "terrain",
        ),
        (
            "verify small.map --scen other.scen",
            "query 1 of `other.scen` is for a map of 9 x 5",
            "give",
        ),
        ("verify small.map --scen small.queries", "`small.queries` is for graphs", "--scen takes"),
        ("verify small.gr --scen small.map.scen", "`small.map.scen` is for grids", "--scen takes"),
        (
            "verify small.map --engines dikstra",
            "there is no engine `dikstra`",
            "did you mean `dijkstra`?",
        ),
        ("query small.map --from 0,0 --to 1,1 --engine x", "there is no engine `x`", "there are: "),
        (
            "verify small.map --heuristic hex --engines astar",
            "astar cannot serve this map: the hex heuristic",
            "choose another engine",
        ),
        (
            "query small.map --heuristic hex --from 0,0 --to 1,1",
            "astar cannot serve this map",
            "choose another engine",
        ),
    ] {
        check(&folder, words, error, help);
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = Folder::filled();
    std::fs::create_dir(folder.path("dir.png")).unwrap();
    let ask = "query small.map --from 0,0 --to 1,1 --picture";
    let roads = "query small.gr --from 1 --to 2 --picture";
    for (words, error, help) in [
        (
            format!("{ask} x.jpg"),
            "`x.jpg` cannot be written: pictures are",
            "end the name with .png",
        ),
        (format!("{ask} no/x.png"), "cannot write `no/x.png`", "check that the folder exists"),
        (format!("{ask} dir.png"), "`dir.png` is a folder", "name a file"),
        (format!("{roads} x.png"), "`small.gr` has no coordinates", "add --coordinates small.co"),
        (
            "generate rooms -o x.png".into(),
            "`x.png` cannot be written: grids",
            "end the name with .map",
        ),
        (
            "generate roads -o x.map".into(),
            "`x.map` cannot be written: road",
            "end the name with .gr",
        ),
        ("generate cave --size 9 -o no/x.map".into(), "cannot write `no/x.map`", "check"),
        (
            "generate rooms --size 9 --room 3 -o x.map --scen x.map".into(),
            "`x.map` cannot be written: queries on grids are written as .scen",
            "end the name with .scen",
        ),
        (
            "generate roads --nodes 30 -o x.gr --scen x.scen".into(),
            "`x.scen` cannot be written: queries on graphs",
            "end the name with .queries",
        ),
        (
            "demo -o small.map".into(),
            "`small.map` is a file, and a folder is needed",
            "choose another",
        ),
    ] {
        check(&folder, &words, error, help);
    }
    assert!(!folder.names().iter().any(|name| name.starts_with('x')), "{:?}", folder.names());
}

#[test]
fn costs_that_no_cost_can_hold() {
    let folder = Folder::new();
    folder.write("dear.gr", "p sp 3 2\na 1 2 4000000000\na 2 3 4000000000\n");
    let error = "the path from 1 to 3 costs more than a cost can hold";
    check(&folder, "query dear.gr --from 1 --to 3", error, "choose places closer");
    check(&folder, "query dear.gr --from 1 --to 3 --partial", error, "choose places closer");
    folder.write("dear.queries", "1 2 4000000000\n1 3 -\n");
    let ran = folder.run("verify dear.gr");
    assert_eq!(ran.code, 1, "the file is wrong");
    let expected =
        "query 2, 1 to 3: a path of more than a cost can hold exists, the file says there is none";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("astar              all 2 right"), "the engines say so: {}", ran.out);
    folder.write("dear.queries", "1 3 70\n");
    let ran = folder.run("verify dear.gr --engines astar");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains(&format!("refused: {error}; the file says 70")), "{}", ran.out);
    std::fs::remove_file(folder.path("dear.queries")).unwrap();
    let out = folder.succeed("verify dear.gr --random 40");
    assert!(out.contains("dear.gr: 40 queries") && !out.contains("invalid"), "all asked: {out}");
    folder.succeed("bench dear.gr --random 40 --json --engines astar,ppa,atlas");
}

#[test]
fn edits_that_cannot_be_measured() {
    let folder = Folder::filled();
    folder.write("lone.gr", "p sp 3 0\n");
    for (words, error, help) in [
        ("lone.gr", "`lone.gr` has no edge, so there is no weight to edit", "choose a graph"),
        ("none.map", "there is no file `none.map`", "check"),
        ("small.map --engines dikstra", "there is no engine `dikstra`", "did you mean"),
        (
            "small.map --heuristic hex --engines astar --json",
            "astar cannot serve this map: the hex heuristic",
            "choose another engine",
        ),
    ] {
        check(&folder, &format!("edit-bench {words}"), error, help);
    }
    let ran = folder.run("edit-bench small.map --engines ppa --memory 1 --json");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    assert!(ran.err.starts_with("error: `ppa` cannot be built: the index takes"), "{}", ran.err);
    // Nothing to walk on at first, and after some edits again.
    folder.write("solid.drawing", "## / ##");
    folder.succeed("edit-bench solid.drawing --edits 30");
    folder.write("dear.gr", "p sp 3 2\na 1 2 4000000000\na 2 3 4000000000\n");
    folder.succeed("edit-bench dear.gr --edits 30");
}

#[test]
fn scenarios_that_cannot_be_replayed() {
    let folder = Folder::filled();
    folder.write_dynamic();
    folder.write("lost.scen", crate::folder::DYNAMIC.replace("small.patch", "gone.patch"));
    folder.write("away.scen", crate::folder::DYNAMIC.replace("small.patch", "../small.patch"));
    folder.write("far.scen", crate::folder::DYNAMIC.replace("P 1 0 2 0", "P 1 9 2 0"));
    folder.write("off.scen", crate::folder::DYNAMIC.replace("P 1 0 2 0", "P 1 0 5 0"));
    folder.write("cut.scen", &crate::folder::DYNAMIC[..60]);
    folder.write("mute.scen", "version 2\nheight 2\nwidth 2\npatch small.patch\ncommands\n");
    for (words, error, help) in [
        ("small.map.scen", "`small.map.scen` is a scenario of version 1", "`portolan verify"),
        ("small.map", "`small.map`, line 1, column 1: `version 2` was expected", "replace it"),
        ("lost.scen", "there is no file `gone.patch`", "check"),
        ("away.scen", "`away.scen` names its patches `../small.patch`", "put the patches beside"),
        (
            "far.scen",
            "command 2 of `far.scen` stamps patch 9, and there are 3",
            "patches are counted",
        ),
        (
            "off.scen",
            "command 2 of `off.scen` stamps a patch at 5,0, outside the map of 5 x 4 cells",
            "a patch begins at",
        ),
        ("cut.scen", "`cut.scen`, line 6, column 1: `height`, `width`", "replace it"),
        ("mute.scen", "there is no query to run: there is none in mute.scen", "give a scenario"),
        ("small.scen --engines dikstra", "there is no engine `dikstra`", "did you mean"),
        (
            "small.scen --engines ppa --memory 1 --json",
            "`ppa` cannot be built: the index takes at least",
            "choose another",
        ),
    ] {
        check(&folder, &format!("replay {words}"), error, help);
    }
}

#[test]
fn workloads_without_a_query() {
    let folder = Folder::filled();
    folder.write("none.scen", "version 1\n");
    folder.write("none.queries", "# from to cost\n");
    folder.write("one.queries", "1 9 5\n");
    folder.write("two.queries", "9 1 5\n8 1 5\n");
    let help = "give a scenario for this map";
    for command in ["verify", "bench", "bench --json"] {
        for (words, error) in [
            ("small.map --scen none.scen", "there is none in none.scen"),
            ("small.gr --scen none.queries", "there is none in none.queries"),
            (
                "small.gr --scen one.queries",
                "the only one in one.queries is invalid, query 1: goal 9",
            ),
            (
                "small.gr --scen two.queries",
                "all 2 in two.queries are invalid, first query 1: start",
            ),
        ] {
            let error = format!("there is no query to run: {error}");
            check(&folder, &format!("{command} {words}"), &error, help);
        }
    }
}

#[test]
fn settings_that_make_no_map() {
    let folder = Folder::new();
    for (words, error) in [
        ("rooms --size 1", "the width of --size is 1; 2 to"),
        ("rooms --size 9x1", "the height of --size is 1; 2 to"),
        ("rooms --size 10 --room 11", "--room is 11; 2 to 10 is allowed here"),
        ("maze --size 10 --corridor 10", "--corridor is 10; 1 to 9"),
        ("random --size 10 --blocked 2", "--blocked is 2; 0 to 1"),
        ("random --size 10 --blocked NaN", "--blocked is NaN"),
        ("streets --size 90 --block 10 --river 11", "--river is 11; 0 to 10"),
        ("roads --nodes 2", "--nodes is 2; 16 to"),
        ("roads --nodes 50 --one-way 0.4", "--one-way is 0.4; 0 to 0.3"),
        ("roads --nodes 50 --towns 1001", "--towns is 1001; 0 to 1000"),
    ] {
        let (kind, file) = match words.split_once(' ') {
            Some(("roads", _)) => ("roads", "x.gr"),
            Some((kind, _)) => (kind, "x.map"),
            None => unreachable!(),
        };
        let help = format!("`portolan generate {kind} --help` explains the settings");
        check(&folder, &format!("generate {words} -o {file}"), error, &help);
    }
    for words in ["random --size 9 --blocked 1 --queries 3", "cave --size 20 --fill 1"] {
        let error = "these settings leave no passable cell";
        check(
            &folder,
            &format!("generate {words} -o x.map"),
            error,
            "take a larger --size, or see",
        );
    }
    assert!(folder.names().is_empty());
}

#[test]
fn clap_refuses_the_rest() {
    let folder = Folder::filled();
    for words in [
        "",
        "fly",
        "info",
        "info small.map --memory much",
        "info small.map --memory 0",
        "info small.map --moves five",
        "info small.map --agent 0",
        "query small.map --from -1,0 --to 0,0",
        "query small.map --from 0,0,0 --to 0,0",
        "edit-bench",
        "edit-bench small.map --edits 0",
        "edit-bench small.map --random 5",
        "verify small.map --limit 0",
        "verify small.map --random 0",
        "verify small.map --random 5 --scen x.scen",
        "generate",
        "generate rooms",
        "generate rooms --size 3x -o x.map",
        "completions tcsh",
        "build small.map",
        "lab --port 99999",
        "lab --bind nowhere",
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
        assert!(!ran.err.is_empty());
    }
}
