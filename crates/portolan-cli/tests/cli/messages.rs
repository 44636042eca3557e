//! What messages say: limits by name, amounts with units, names that were mistyped.

use crate::folder::Folder;

fn refused(folder: &Folder, words: &str) -> String {
    let ran = folder.run(words);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
    ran.err
}

fn check(folder: &Folder, words: &str, expected: &str) {
    let message = refused(folder, words);
    assert!(message.contains(expected), "{words}: {expected} is not in {message}");
}

#[test]
fn numbers_out_of_range_name_the_limit() {
    let folder = Folder::filled();
    let most_cells = "the most are 2,147,483,648 cells, as in a square of 46,340";
    for (words, expected) in [
        ("generate rooms --size 99999999999 -o x.map", most_cells),
        ("generate rooms --size 9999999999999999999999 -o x.map", most_cells),
        ("generate rooms --size 70000x70000 -o x.map", most_cells),
        ("generate rooms --size 0 -o x.map", "one row and one column at least"),
        ("generate rooms --room 99999999999 -o x.map", "the most is 4,294,967,295"),
        ("generate rooms --seed 99999999999999999999 -o x.map", "18,446,744,073,709,551,615"),
        ("info small.map --agent 70000", "too large: the most is 65,535"),
        ("verify small.map --random 10000001", "too large: the most is 10,000,000"),
        ("verify small.map --random many", "a whole number from 1 to 10,000,000"),
        ("generate roads --nodes 999999999 -o x.gr", "--nodes is 999,999,999; 16 to "),
    ] {
        check(&folder, words, expected);
    }
}

#[test]
fn mistyped_names_are_recognized() {
    let folder = Folder::filled();
    for (words, expected) in [
        ("build small.map -o x.index --engine ATLAS", "did you mean `atlas`?"),
        ("build small.map -o x.index --engine Atlas", "did you mean `atlas`?"),
        ("build small.map -o x.index --engine atals", "did you mean `atlas`?"),
        ("verify small.map --engines astar,DIJKSTRA", "did you mean `dijkstra`?"),
        ("info small.map --heuristic octil", "did you mean `octile`?"),
        ("info small.map --heuristic octile+Diferential", "did you mean `differential`?"),
        ("info small.map --placement fathest", "did you mean `farthest`?"),
        ("info small.map --moves egiht", "'eight'"),
        ("generate ROOMS -o x.map", "'rooms'"),
        ("generate romos -o x.map", "'rooms'"),
        ("generate AREAN -o x.scen", "'arena'"),
        ("INFO small.map", "'info'"),
        ("reproduce PPA", "'ppa'"),
    ] {
        check(&folder, words, expected);
    }
    folder.succeed("info small.map --moves EIGHT --corners Never");
}

#[test]
fn a_unit_too_large_for_the_map_is_an_error() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 64 --room 8 -o rooms.map");
    let error = "no cell of `rooms.map` has room for a unit of 100 x 100 cells; the largest that fits has 7 x 7";
    for command in ["build rooms.map -o x.index", "info rooms.map", "verify rooms.map"] {
        check(&folder, &format!("{command} --agent 100"), error);
    }
    folder.succeed("info rooms.map --agent 7");
    folder.write("solid.drawing", "## / ##");
    folder.succeed("info solid.drawing --agent 2");
}

#[test]
fn sizes_of_an_index_say_what_they_are_of() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 64 --room 8 -o rooms.map");
    let built = folder.succeed("build rooms.map -o rooms.index");
    let checked = folder.succeed("check-index rooms.index rooms.map");
    let line = |text: &str, label: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(label));
        line.unwrap_or_else(|| panic!("{label}: {text}")).trim().to_owned()
    };
    let length = folder.read("rooms.index").len();
    assert_eq!(line(&built, "file"), line(&checked, "file"));
    let digits: String = line(&built, "file").chars().filter(char::is_ascii_digit).collect();
    assert!(digits.ends_with(&length.to_string()), "{built}");
    assert!(line(&built, "file").contains("KiB ("), "{built}");
    assert!(line(&built, "memory").ends_with(" when built"), "{built}");
    assert!(line(&checked, "memory").ends_with(" when opened"), "{checked}");
}

#[test]
fn amounts_of_memory_have_units() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 200 --room 8 -o rooms.map");
    let message = refused(&folder, "build rooms.map -o x.index --engine ppa --memory 9999");
    assert!(message.contains(" and 9,999 bytes are allowed"), "{message}");
    let needed = message.split_once("--memory ").unwrap().1.trim();
    assert!(needed.parse::<u64>().is_ok(), "can be typed: {message}");
}

#[test]
fn a_generated_arena_can_be_replayed() {
    let folder = Folder::new();
    let words = "generate arena --size 48 --edits 5 --queries 8 --seed 3";
    let out = folder.succeed(&format!("{words} -o arena.scen"));
    assert_eq!(out, "arena.scen: 48 x 48 cells, 6 edits, 48 queries\narena.patch: 24 patches\n");
    let lines = folder.json("replay arena.scen --engines dijkstra,astar,atlas --json");
    for line in lines.as_array().unwrap() {
        assert_eq!((&line["queries"], &line["wrong"]), (&48.into(), &0.into()), "{line}");
        assert_eq!(line["edits"], 6, "{line}");
    }
    folder.succeed(&format!("{words} -o again.scen"));
    assert_eq!(folder.read("again.patch"), folder.read("arena.patch"));
    check(&folder, "generate arena -o arena.map", "scenarios are written as .scen");
    check(&folder, "generate arena --size 9 --side 10 -o a.scen", "--side is 10; 2 to 9");
}

#[test]
fn maps_that_replace_each_other_can_be_replayed() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 60 --room 8 -o rooms.map");
    folder.succeed("generate maze --size 50x64 --corridor 2 -o maze.map");
    let words = "generate switch rooms.map maze.map --edits 4 --queries 5 --seed 3";
    let out = folder.succeed(&format!("{words} -o switch.scen"));
    assert_eq!(out, "switch.scen: 60 x 64 cells, 4 edits, 20 queries\nswitch.patch: 2 patches\n");
    let lines = folder.json("replay switch.scen --engines dijkstra,astar,atlas --json");
    for line in lines.as_array().unwrap() {
        let counts = (&line["edits"], &line["queries"], &line["wrong"]);
        assert_eq!(counts, (&4.into(), &20.into(), &0.into()), "{line}");
    }
    check(&folder, "generate switch rooms.map -o x.map", "scenarios are written as .scen");
    check(&folder, "generate switch none.map -o x.scen", "none.map");
    folder.succeed("generate roads --nodes 100 -o roads.gr");
    check(&folder, "generate switch roads.gr -o x.scen", "`generate switch` is for grids");
}

/// It replayed a file that no command made, and installed with other versions than were tested.
#[test]
fn the_commands_of_the_readme_can_be_followed() {
    let readme = include_str!("../../../../README.md");
    let lines = || readme.lines().map(|line| line.split('#').next().unwrap_or(line).trim());
    let installs = lines().filter(|line| line.starts_with("cargo install"));
    assert!(installs.clone().all(|line| line.contains("--locked")) && installs.count() > 0);
    let replayed = lines().filter_map(|line| line.strip_prefix("portolan replay "));
    let replayed: Vec<&str> = replayed.map(|rest| rest.split(' ').next().unwrap()).collect();
    assert!(!replayed.is_empty());
    for name in replayed {
        let made = format!(" -o {name}");
        assert!(
            lines().any(|line| line.starts_with("portolan generate ") && line.contains(&made)),
            "{name}"
        );
    }
}
