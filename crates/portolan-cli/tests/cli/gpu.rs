//! Engines on the GPU. Machines without one need a software driver; `scripts/test` installs it.

use std::process::Stdio;

use crate::folder::{Folder, Ran};

/// Runs the program with a variable of the environment.
fn run_with(folder: &Folder, (variable, value): (&str, &str), words: &str) -> Ran {
    let mut command = folder.command();
    command.env(variable, value).args(words.split_whitespace()).stdin(Stdio::null());
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[cfg(feature = "gpu")]
mod with_the_feature {
    use portolan_bench::gpu::METHODS;

    use super::*;
    use crate::folder::{fields, names};

    /// All names, as --engines takes them.
    fn all() -> String {
        METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn adapters_and_engines_are_listed() {
        let folder = Folder::new();
        let out = folder.succeed("gpu");
        assert_eq!(out.matches(": used\n").count(), 1, "{out}");
        assert!(out.contains(" in a binding, ") && out.contains("A batch uses up to "), "{out}");
        for method in METHODS {
            assert!(out.contains(&format!("\n  {} ", method.name)), "{}: {out}", method.name);
        }
        let json = folder.json("gpu --json");
        let adapters = json["adapters"].as_array().unwrap();
        assert!(adapters.iter().any(|adapter| adapter["name"] == json["used"]), "{json}");
        assert_eq!(json["engines"].as_array().unwrap().len(), METHODS.len());
    }

    #[test]
    fn another_adapter_is_named_by_a_variable() {
        let folder = Folder::filled();
        let name = folder.json("gpu --json")["used"].as_str().unwrap().to_uppercase();
        let word = name.split_whitespace().next().unwrap();
        assert_eq!(run_with(&folder, ("PORTOLAN_GPU", word), "gpu").code, 0);
        for words in ["gpu", "verify small.map --engines gpu-astar"] {
            let ran = run_with(&folder, ("PORTOLAN_GPU", "voodoo"), words);
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(
                ran.err.starts_with("error: no GPU is called `voodoo`; there are: "),
                "{ran:?}"
            );
        }
    }

    #[test]
    fn without_an_adapter_nothing_runs_on_the_cpu_instead() {
        let folder = Folder::filled();
        for words in [
            "gpu",
            "verify small.map --engines astar,gpu-astar",
            "bench small.map --engines gpu-astar --json",
            "reproduce gpu --quick",
        ] {
            let ran = run_with(&folder, ("VK_DRIVER_FILES", "/nowhere"), words);
            assert_eq!(ran.code, 2, "{words}: {ran:?}");
            assert!(
                !ran.out.contains("optimal") && !ran.out.contains(": used"),
                "{words}: {ran:?}"
            );
            let lines: Vec<&str> = ran.err.lines().collect();
            let [error, help] = lines[..] else { panic!("{words}: {ran:?}") };
            assert!(error.starts_with("error: no GPU was found ("), "{words}: {error}");
            assert!(error.contains("mesa-vulkan-drivers"), "{words}: {error}");
            assert!(help.starts_with("help: `portolan gpu` lists all adapters"), "{words}: {help}");
        }
        assert!(!folder.names().iter().any(|name| name.starts_with("report")));
    }

    #[test]
    fn verify_checks_every_engine_of_the_gpu() {
        let folder = Folder::new();
        folder.succeed("generate rooms --size 33 --room 4 -o rooms.map");
        let out =
            folder.succeed(&format!("verify rooms.map --random 200 --engines astar,{}", all()));
        for method in METHODS {
            let line = out.lines().find(|line| line.trim_start().starts_with(method.name));
            let line = line.unwrap_or_else(|| panic!("{}: {out}", method.name));
            let verdict =
                if method.exact { "all 200 right and optimal" } else { "all 200 legal, " };
            assert!(line.contains(verdict), "{line}");
            assert_eq!(line.contains(" % longer on average, "), !method.exact, "{line}");
            let form = match method.name {
                "gpu-atlas" => " (general)",
                "gpu-hierarchical" => " (clusters of 10)",
                _ => "optimal",
            };
            assert!(line.ends_with(form), "{line}");
        }
        assert!(out.contains("  astar              all 200 right and optimal\n"), "{out}");
    }

    #[test]
    fn scenarios_are_checked_and_invalid_queries_set_aside() {
        let folder = Folder::filled();
        let out = folder.succeed("verify small.map --engines gpu-astar");
        assert!(out.contains("1 invalid, not asked:"), "{out}");
        assert!(out.contains("  gpu-astar          all 2 right and optimal\n"), "{out}");
        folder.write("wrong.scen", "version 1\n0\tsmall.map\t8\t5\t0\t0\t2\t0\t3\n");
        let ran = folder.run("verify small.map --scen wrong.scen --engines gpu-astar");
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.out.contains("gpu-astar          1 of 1 WRONG"), "{ran:?}");
    }

    #[test]
    fn bench_measures_batches_beside_queries() {
        let folder = Folder::new();
        folder.succeed("generate rooms --size 33 --room 4 -o rooms.map");
        let words = "bench rooms.map --random 100 --engines gpu-astar,astar,gpu-hierarchical";
        let out = folder.succeed(words);
        let heads = out.lines().filter(|line| line.trim_start().starts_with("engine")).count();
        assert_eq!(heads, 2, "a table for queries and one for batches: {out}");
        for word in
            ["clusters of", "paths/s", "upload", "kernel", "download", "rounds", "distances/s"]
        {
            assert!(out.contains(word), "{word}: {out}");
        }
        let lines = folder.json(&format!("{words} --json"));
        assert_eq!(names(&lines), ["astar", "gpu-astar", "gpu-hierarchical"]);
        let batch = &lines[1];
        assert_eq!((&batch["queries"], &batch["optimal"]), (&100.into(), &100.into()), "{batch}");
        assert_eq!((&batch["illegal"], &batch["exact"]), (&0.into(), &true.into()), "{batch}");
        assert!(batch["paths"]["per_second"].as_f64().unwrap() > 0.0, "{batch}");
        assert!(batch["paths"]["rounds"].as_u64().unwrap() > 0, "{batch}");
        assert_eq!(lines[2]["form"], "clusters of 10", "{lines}");
        let alone = folder.succeed("bench rooms.map --random 9 --engines gpu-astar --json");
        let times = ["per_second", "total_s", "upload_s", "kernel_s", "download_s", "rounds"];
        let mut expected = vec![
            "engine",
            "exact",
            "form",
            "gpu",
            "build_s",
            "build_cpu_s",
            "device_bytes",
            "queries",
            "invalid",
            "found",
            "paths",
        ];
        expected.extend(times);
        expected.push("distances");
        expected.extend(times);
        expected.extend(["optimal", "suboptimality_mean", "suboptimality_max", "illegal"]);
        assert_eq!(fields(&alone), expected);
    }

    #[test]
    fn engines_of_the_gpu_run_only_if_they_are_named() {
        let folder = Folder::filled();
        let hidden = |words: &str| run_with(&folder, ("VK_DRIVER_FILES", "/nowhere"), words);
        for words in ["verify small.map", "bench small.map --engines all"] {
            let ran = hidden(words);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}: {ran:?}");
            assert!(!ran.out.contains("gpu-"), "{words}: {ran:?}");
        }
    }

    #[test]
    fn mistyped_names_are_recognized() {
        let folder = Folder::filled();
        for (name, expected) in [
            ("gpu-asta", "did you mean `gpu-astar`?"),
            ("GPU-ASTAR", "did you mean `gpu-astar`?"),
            ("gpu-cooperativ", "did you mean `gpu-cooperative`?"),
            ("gpu-qqqqqqqqqqqqqqqqq", "gpu-astar"),
        ] {
            let ran = folder.run(&format!("verify small.map --engines {name}"));
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{name}: {ran:?}");
            assert!(ran.err.starts_with(&format!("error: there is no engine `{name}`")), "{ran:?}");
            assert!(ran.err.contains(expected), "{name}: {ran:?}");
        }
    }

    #[test]
    fn commands_that_ask_single_queries_refuse_them() {
        let folder = Folder::filled();
        folder.write_dynamic();
        for words in [
            "query small.map --from 0,0 --to 7,4 --engine gpu-astar",
            "build small.map -o x.index --engine gpu-astar",
            "edit-bench small.map --engines gpu-astar",
            "replay small.scen --engines gpu-astar",
            "recommend small.map --engines gpu-astar",
        ] {
            let ran = folder.run(words);
            assert_eq!(ran.code, 2, "{words}: {ran:?}");
            let expected = "error: `gpu-astar` answers batches on the GPU, and this command asks";
            assert!(ran.err.starts_with(expected), "{words}: {ran:?}");
            assert!(ran.err.contains("help: `portolan verify` and `portolan bench`"), "{ran:?}");
        }
    }

    #[test]
    fn a_map_that_an_engine_cannot_serve_is_an_error_that_says_why() {
        let folder = Folder::filled();
        let ran = folder.run("verify small.gr --engines gpu-hierarchical");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("error: `gpu-hierarchical`: "), "{ran:?}");
    }

    #[test]
    fn a_limit_that_is_too_low_is_named_by_its_option() {
        let folder = Folder::new();
        folder.succeed("generate rooms --size 96 --room 8 -o rooms.map");
        let words = "verify rooms.map --random 9 --engines gpu-atlas --memory";
        let ran = folder.run(&format!("{words} 1KiB"));
        assert_eq!(ran.code, 2, "{ran:?}");
        let lines: Vec<&str> = ran.err.lines().collect();
        let [error, help] = lines[..] else { panic!("{ran:?}") };
        assert!(error.ends_with("bytes are needed, and the memory limit is 1024"), "{error}");
        let sufficient = help.strip_prefix("help: choose another engine, or --memory ");
        let sufficient = sufficient.unwrap_or_else(|| panic!("{help}"));
        let out = folder.succeed(&format!("{words} {sufficient}"));
        assert!(out.contains("right and optimal ("), "{out}");
    }

    #[test]
    fn batches_take_the_memory_that_they_are_given() {
        let folder = Folder::new();
        folder.succeed("generate rooms --size 33 --room 4 -o rooms.map");
        let words = "bench rooms.map --random 300 --engines gpu-atlas --json";
        let rounds = |option: &str| {
            let lines = folder.json(&format!("{words} {option}"));
            lines[0]["paths"]["rounds"].as_u64().unwrap()
        };
        let [all, little] = ["", "--gpu-memory 20KiB"].map(rounds);
        assert!(all < little && little > 2, "{all} {little}");
        for (size, expected) in [("8V", "64MiB or 1.5GiB"), ("0", "at least one byte")] {
            let ran = folder.run(&format!("{words} --gpu-memory {size}"));
            assert!(ran.code == 2 && ran.err.contains(expected), "{ran:?}");
        }
    }

    /// Kernels of a software driver may be cut there.
    #[test]
    fn paths_that_are_too_long_for_a_software_driver_have_a_remedy() {
        let folder = Folder::new();
        let row = ".".repeat(20_000);
        folder.write("row.map", format!("type octile\nheight 1\nwidth 20000\nmap\n{row}\n"));
        let ran = folder.run("verify row.map --random 3 --engines gpu-atlas");
        let is_software = folder.json("gpu --json")["adapters"][0]["kind"] == "software driver";
        assert_eq!(ran.code, if is_software { 2 } else { 0 }, "{ran:?}");
        if is_software {
            assert!(ran.err.contains("use a GPU, or another engine"), "{ran:?}");
        }
    }

    #[test]
    fn a_missing_folder_of_maps_has_a_remedy_that_exists() {
        let folder = Folder::new();
        let ran = folder.run("reproduce gpu --quick --maps gone");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.starts_with("error: there is no folder `gone`\n"), "{ran:?}");
        assert!(
            ran.err.contains("leave out --maps") && !ran.err.contains("--generated"),
            "{ran:?}"
        );
    }

    #[test]
    fn reproduce_writes_a_page_markdown_and_drawings() {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("maps")).unwrap();
        let words = "reproduce gpu --quick --maps maps --date 2026-01-31 -o gpu.html";
        let out = folder.succeed(words);
        assert!(out.contains("\na quick run uses small generated maps only"), "{out}");
        std::fs::remove_dir(folder.path("maps")).unwrap();
        assert!(out.contains("\ngpu.html: a quick run, from whose figures nothing"), "{out}");
        let drawings = ["beyond1", "figure10", "figure5", "figure6", "figure8", "figure9"];
        let mut expected = drawings.map(|name| format!("gpu-{name}.svg")).to_vec();
        expected.extend(["gpu.html".to_owned(), "gpu.md".to_owned()]);
        assert_eq!(folder.names(), expected);
        let text = String::from_utf8(folder.read("gpu.md")).unwrap();
        for expected in [
            "# A\\* on graphics processors\n",
            "- Date: 2026-01-31\n",
            "- Command: portolan reproduce gpu --quick --seed 1\n",
            "- GPU: ",
            "## Figure 5: all pairs on the maps of Table 1\n",
            "| M0 | gpu-astar | ",
            "| M1 | gpu-cooperative | ",
            "## Figure 8: cluster sizes\n",
            "gpu-hierarchical, clusters of 25",
            "## Figure 10: building the hierarchy\n",
            "## Beyond the paper: every engine, more agents\n",
            "> ✓ ",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        // One good note: the answers were checked. A quick run concludes nothing.
        assert_eq!(text.matches('✓').count(), 1, "{text}");
        assert!(!text.contains('✗') && !text.contains("The paper: "), "{text}");
    }
}

#[cfg(not(feature = "gpu"))]
#[test]
fn without_the_feature_names_are_explained() {
    let folder = Folder::filled();
    for (words, what) in [
        ("gpu", "`portolan gpu`"),
        ("verify small.map --engines gpu-astar", "`gpu-astar`"),
        ("bench small.map --engines astar,gpu-atlas", "`gpu-atlas`"),
        ("query small.map --from 0,0 --to 7,4 --engine gpu-astar", "`gpu-astar`"),
        ("reproduce gpu --quick", "this experiment"),
    ] {
        let ran = run_with(&folder, ("VK_DRIVER_FILES", "/nowhere"), words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
        let expected = format!("error: {what} needs a GPU, and this program was built without");
        assert!(ran.err.starts_with(&expected), "{words}: {ran:?}");
        assert!(ran.err.contains("--features gpu"), "{words}: {ran:?}");
    }
}
