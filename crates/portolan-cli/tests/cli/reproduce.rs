//! `portolan reproduce`, end to end.

use crate::folder::Folder;

/// A run in seconds, whatever maps this machine has.
const QUICK: &str = "reproduce ppa --quick --maps nowhere --date 2026-01-31";

/// With a folder in which there are no maps.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("nowhere")).unwrap();
    folder
}

#[test]
fn ppa_writes_a_page_and_markdown() {
    let folder = folder();
    let out = folder.succeed(&format!("{QUICK} -o ppa.html"));
    assert_eq!(
        out,
        "ppa.html: a quick run, from whose figures nothing can be concluded\nppa.md: the same as Markdown\n"
    );
    assert_eq!(folder.names(), ["nowhere", "ppa.html", "ppa.md"]);

    let page = String::from_utf8(folder.read("ppa.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.matches("<svg").count() >= 5);
    for figure in 12..=16 {
        assert!(page.contains(&format!("Figure {figure}. ")), "{figure}");
    }

    let text = String::from_utf8(folder.read("ppa.md")).unwrap();
    for expected in [
        "# Partially Precomputed A\\*\n",
        "- Date: 2026-01-31\n",
        "- Command: portolan reproduce ppa --quick --seed 1\n",
        "## Road networks: Figures 12 to 16\n",
        "## The room map: Table I\n",
        "| A\\*, straight line | ",
        "| PPA\\*, 2 cuts into 4 | ",
        "| PPA\\*, 1 cut into 6, filled on demand | ",
        "| generated | 1,200 | ",
        "## 5 edge deletions\n",
        "> ✓ ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("nowhere"), "a report does not tell where files lie");
    assert!(!text.contains('✗') && !text.contains("No reason given"), "{text}");
}

#[test]
fn landmarks_are_measured_and_drawn() {
    let folder = folder();
    let out =
        folder.succeed("reproduce landmarks --quick --maps nowhere --date 2026-01-31 -o l.html");
    assert!(out.starts_with("l.html: a quick run, from whose figures nothing"), "{out}");
    assert_eq!(
        folder.names(),
        [
            "l-1.png", "l-2.png", "l-3.png", "l-4.png", "l-5.png", "l-6.png", "l.html", "l.md",
            "nowhere"
        ]
    );
    let page = String::from_utf8(folder.read("l.html")).unwrap();
    assert_eq!(
        page.matches("data:image/png").count(),
        6,
        "three maps, each with four and eight moves"
    );
    let text = String::from_utf8(folder.read("l.md")).unwrap();
    for expected in [
        "# Landmarks\n",
        "generated maze1, 48x48, seed 1",
        "generated cave, 48x48, seed 1",
        "| Landmarks | random | farthest | advanced | avoid | border |",
        "| 32 landmarks, 8 a node, 32 bits | ",
        "> ✓ ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn another_seed_gives_other_maps_and_as_few_searches_as_asked_for() {
    let folder = folder();
    folder.succeed(&format!("{QUICK} --seed 7 --queries 3"));
    let text = String::from_utf8(folder.read("report.md")).unwrap();
    assert!(text.contains("generated 8room, 64x64, seed 7"), "{text}");
    assert!(text.contains("3 random searches with solutions of 32 to 64 steps"), "{text}");
    assert!(text.contains("portolan reproduce ppa --quick --queries 3 --seed 7"), "{text}");
}

#[test]
fn destinations_are_checked_before_the_work() {
    let folder = folder();
    std::fs::create_dir(folder.path("dir.html")).unwrap();
    for (words, error) in [
        ("reproduce ppa -o x.pdf", "`x.pdf` cannot be written: reports are written as .html"),
        ("reproduce ppa -o no/x.html", "cannot write `no/x.html`"),
        ("reproduce ppa -o dir.html", "`dir.html` is a folder"),
        ("reproduce growth -o x.md", "`x.md` cannot be written: reports are written as .html"),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
        assert!(ran.err.starts_with(&format!("error: {error}")), "{words}: {ran:?}");
        assert!(ran.err.contains("help: "), "{words}: {ran:?}");
    }
    assert_eq!(folder.names(), ["dir.html", "nowhere"]);
}

#[test]
fn clap_refuses_the_rest() {
    let folder = folder();
    for words in [
        "reproduce",
        "reproduce chess",
        "reproduce ppa --queries 0",
        "reproduce portals --count 0",
        "reproduce ppa --seed x",
        "reproduce growth --largest 99999",
        "reproduce dhpa --queries 0",
        "reproduce growth --quick --largest 1024",
        "reproduce growth --quick --largest-roads 100000",
        "reproduce growth --parts sizes,colours",
        "reproduce growth --kinds castles",
        "reproduce gpu --quick --agents 1000",
        "reproduce gpu --agents 10",
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
    }
}

#[test]
fn growth_writes_a_page_markdown_and_drawings() {
    let folder = folder();
    let out = folder.succeed("reproduce growth --quick --date 2026-01-31 -o growth.html");
    for expected in ["rooms, 64 x 64, 128 MiB: ", "roads, 600 nodes, 2 threads: built in "] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(out.contains("\ngrowth.html: a quick run, from whose figures nothing"), "{out}");
    let drawings = [
        "growth-build.svg",
        "growth-distance.svg",
        "growth-index.svg",
        "growth-limits-distance.svg",
        "growth-limits-path.svg",
        "growth-path.svg",
        "growth-peak.svg",
        "growth-threads-builds.svg",
        "growth-threads-distances.svg",
        "growth-threads-paths.svg",
    ];
    let mut expected = drawings.to_vec();
    expected.extend(["growth.html", "growth.md", "nowhere"]);
    assert_eq!(folder.names(), expected);

    let page = String::from_utf8(folder.read("growth.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert_eq!(page.matches("<svg class=\"drawing\"").count(), drawings.len());

    let text = String::from_utf8(folder.read("growth.md")).unwrap();
    for expected in [
        "# How atlas grows\n",
        "- Date: 2026-01-31\n",
        "- Command: portolan reproduce growth --quick --seed 1\n",
        "- Maps: generated rooms, caves, streets, noise, mazes, roads, seed 1\n",
        "## Sizes\n",
        "| rooms | 128 x 128 | 128 MiB | ",
        "| roads | 300 nodes | 128 MiB | ",
        "## Limits\n",
        "| caves | 128 x 128 | 1 byte a cell",
        "| roads | 600 nodes | 25 bytes a node",
        "## Threads\n",
        " answers were checked: ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains('✗'), "{text}");
    for drawing in drawings {
        assert!(text.contains(&format!("](<{drawing}>)")), "{text}");
        let drawing = String::from_utf8(folder.read(drawing)).unwrap();
        assert!(drawing.contains(">rooms<") && !drawing.contains(": to the"), "{drawing}");
    }
}

#[test]
fn growth_covers_the_parts_and_kinds_that_are_named() {
    let folder = folder();
    let out = folder.succeed("reproduce growth --quick --parts threads --kinds mazes,rooms");
    assert!(!out.contains("caves") && !out.contains("MiB"), "{out}");
    let text = String::from_utf8(folder.read("report.md")).unwrap();
    assert!(text.contains("--quick --parts threads --kinds mazes,rooms --seed 1\n"), "{text}");
    assert!(text.contains("- Maps: generated rooms, mazes, seed 1\n"), "{text}");
    assert!(text.contains("## Threads\n") && !text.contains("## Sizes\n"), "{text}");
}

#[test]
fn growth_fills_the_places_of_a_page_and_leaves_the_rest() {
    let folder = folder();
    let page = "# Mine\n\n<!-- figures: Sizes -->\nold\n<!-- end of figures -->\n\nWords.\n\n\
        <!-- figures: Threads -->\nkept\n<!-- end of figures -->\n";
    folder.write("page.md", page);
    let words = "reproduce growth --quick --parts sizes --kinds rooms -o x.html --page page.md";
    let out = folder.succeed(words);
    assert!(out.contains("\npage.md: the figures of this run\n"), "{out}");
    assert_eq!(folder.names(), ["images", "nowhere", "page.md", "x.html"]);
    let text = String::from_utf8(folder.read("page.md")).unwrap();
    for expected in ["# Mine\n", "\nWords.\n", "-->\nkept\n<!--", "](<images/page-build.svg>)"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("\nold\n") && text.contains(" answers were checked: "), "{text}");
    assert!(!folder.read("images/page-build.svg").is_empty());

    folder.write("bare.md", "# Mine\n");
    let ran = folder.run("reproduce growth --quick --page bare.md");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    assert!(ran.err.starts_with("error: `bare.md` has no place for figures\n"), "{ran:?}");
    assert!(ran.err.contains("help: put the lines `<!-- figures: Sizes -->`"), "{ran:?}");
}

#[test]
fn dhpa_writes_a_page_markdown_and_drawings() {
    let folder = folder();
    let out = folder.succeed("reproduce dhpa --quick --maps nowhere --date 2026-01-31 -o d.html");
    assert!(out.starts_with("d.html: a quick run, from whose figures nothing"), "{out}");
    assert_eq!(folder.names(), ["d-dynamic.svg", "d-speed.svg", "d.html", "d.md", "nowhere"]);
    let text = String::from_utf8(folder.read("d.md")).unwrap();
    for expected in [
        "# DHPA\\* and SHPA\\*\n",
        "- Command: portolan reproduce dhpa --quick --seed 1\n",
        "- Maps: 2 generated caves, ",
        "## Figure 5: builds\n",
        "## Figure 6: searches\n",
        "| all | 40 | ",
        "## Figure 7: obstacles that move\n",
        "| Searches after each move | hpa \\[s\\] | dhpa \\[s\\] |\n",
        " | differential \\[s\\] | ",
        // Three hierarchies on two maps, then nine engines that are asked in two rounds.
        "> ✓ 3,720 answers were checked: ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains('✗') && !text.contains("nowhere"), "{text}");
}

/// What a reader takes for a result: verdicts, published figures, exponents, ratios in a headline.
#[test]
fn quick_runs_conclude_nothing() {
    let folder = folder();
    for subject in ["landmarks", "growth", "dhpa", "ppa", "portals"] {
        let maps = if subject == "growth" { "" } else { "--generated" };
        let out = folder.succeed(&format!("reproduce {subject} --quick {maps} -o q.html"));
        assert!(out.contains("q.html: a quick run, from whose figures nothing"), "{out}");
        let text = String::from_utf8(folder.read("q.md")).unwrap();
        assert_eq!(text.matches("## A quick run\n").count(), 1, "{text}");
        // One good note: the answers were checked.
        assert_eq!(text.matches('✓').count(), 1, "{subject}: {text}");
        assert!(!text.contains('✗') && !text.contains("Exponents"), "{subject}: {text}");
        let is_best = |line: &&str| line.starts_with('|') && line.contains("**");
        assert_eq!(text.lines().find(is_best), None, "{subject}: a best figure");
        if subject == "dhpa" {
            assert_eq!(text.matches("Baldur").count(), 1, "only what is not shown: {text}");
            assert!(text.contains("The maps are generated caves"), "{text}");
            assert!(!text.contains("33.826") && !text.contains("The paper finds"), "{text}");
        }
    }
}

#[test]
fn files_beside_the_page_are_listed() {
    let folder = folder();
    let out = folder.succeed("reproduce growth --quick --kinds rooms -o growth.html");
    for name in folder.names().iter().filter(|name| name.starts_with("growth")) {
        assert!(out.contains(&format!("\n{name}: ")), "{name}: {out}");
    }
}

#[test]
fn real_maps_are_asked_for_by_name() {
    let folder = folder();
    let run = |words: &str, maps: Option<&str>| {
        let mut command = folder.command();
        command.env_remove("PORTOLAN_MAPS").args(words.split_whitespace());
        maps.map(|maps| command.env("PORTOLAN_MAPS", maps));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for subject in ["ppa", "landmarks", "portals", "dhpa"] {
        let (code, err) = run(&format!("reproduce {subject}"), None);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("no folder with any was named"), "{err}");
        assert!(err.contains("--maps DIR or the variable PORTOLAN_MAPS"), "{err}");
    }
    let (code, err) = run("reproduce dhpa", Some("gone"));
    assert!(code == Some(2) && err.contains("there is no folder `gone`"), "{err}");
    assert_eq!(run("reproduce dhpa --quick", None), (Some(0), String::new()));
    assert_eq!(run("reproduce dhpa --quick --generated", Some("gone")), (Some(0), String::new()));
}

#[test]
fn help_explains_every_experiment() {
    let folder = folder();
    let all = folder.succeed("reproduce --help");
    let subjects = [
        ("ppa", "Figures 12 to 16"),
        ("landmarks", "mazes and caves"),
        ("portals", "Portal-Based Search"),
        ("growth", "Exponents"),
        ("dhpa", "obstacles of 2 x 2"),
        ("gpu", "maps of Table 1"),
    ];
    let listed = all.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let listed: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    let names = subjects.map(|(name, _)| name);
    assert!(listed.iter().all(|name| names.contains(name) || *name == "help"), "{listed:?}");
    for (name, words) in subjects {
        assert!(all.contains(&format!("\n  {name}")), "{all}");
        let help = folder.succeed(&format!("reproduce {name} --help"));
        assert!(help.contains("Examples:\n  ") && help.contains(words), "{help}");
    }
}
