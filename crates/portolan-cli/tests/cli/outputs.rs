//! Files that are written: never over an input, never half, and refused before the work.

use crate::folder::Folder;

/// Runs the program, which must refuse with exit code 2 and these words before it writes or prints
/// anything.
fn refuse(folder: &Folder, words: &str, expected: &[&str]) {
    let before = folder.names();
    let ran = folder.run(words);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
    for expected in expected {
        assert!(ran.err.contains(expected), "{words}: {expected} is not in {}", ran.err);
    }
    assert_eq!(folder.names(), before, "{words}");
}

#[test]
fn a_picture_does_not_overwrite_its_own_map() {
    let folder = Folder::filled();
    folder.succeed("generate random --size 20 --blocked 0.1 --seed 3 -o a.map");
    folder.succeed("query a.map --from 0,0 --to 0,0 --partial --picture map.png");
    folder.write("terrain.png", folder.read("map.png"));
    folder.succeed("build small.map -o index.svg");
    let map = folder.read("map.png");
    for words in [
        "query map.png --from 0,0 --to 1,1 --picture map.png",
        "query map.png --from 0,0 --to 1,1 --picture ./map.png",
        "query map.png --from 0,0 --to 1,1 --terrain terrain.png --picture terrain.png",
        "query small.map --from 0,0 --to 1,1 --index index.svg --picture index.svg",
        "build map.png -o map.png",
        "build map.png --terrain terrain.png -o terrain.png",
        "build small.gr --coordinates small.co -o small.co",
    ] {
        refuse(&folder, words, &["would overwrite the input", "choose another name"]);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("map.png", folder.path("link.png")).unwrap();
        let words = "query map.png --from 0,0 --to 1,1 --picture link.png";
        refuse(&folder, words, &["`link.png` would overwrite the input `map.png`"]);
    }
    assert_eq!(folder.read("map.png"), map);
}

/// The map is no map, so an error about the place comes from before it is read.
#[test]
fn a_place_that_cannot_be_written_is_noticed_before_the_work() {
    let folder = Folder::new();
    folder.write("broken.map", "type octile\nheight 9\n");
    folder.write("file", "");
    for words in [
        "build broken.map -o missing/x.index",
        "build broken.map -o file/x.index",
        "query broken.map --from 0,0 --to 1,1 --picture missing/x.png",
        "generate rooms --size 46000 -o missing/x.map",
        "generate rooms --size 46000 -o x.map --scen missing/x.scen",
        "generate arena -o missing/x.scen",
        "reproduce growth --quick -o missing/x.html",
    ] {
        refuse(&folder, words, &["cannot write `", "/x."]);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_without_write_permission_is_noticed_before_the_work() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("broken.map", "type octile\nheight 9\n");
    std::fs::create_dir(folder.path("locked")).unwrap();
    let permissions = std::fs::Permissions::from_mode(0o555);
    std::fs::set_permissions(folder.path("locked"), permissions).unwrap();
    if std::fs::write(folder.path("locked/probe"), "").is_ok() {
        // The superuser may write anywhere; a system folder that nobody can write to is left.
        refuse(&folder, "build broken.map -o /proc/x.index", &["cannot write `/proc/x.index`"]);
    } else {
        refuse(&folder, "build broken.map -o locked/x.index", &["cannot write `locked/x.index`"]);
    }
}

#[cfg(unix)]
mod interrupts {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    fn is_temporary(name: &str) -> bool {
        name.starts_with(".portolan-")
    }

    fn start(folder: &Folder, words: &str) -> Child {
        let mut command = folder.command();
        command.args(words.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    fn signal(child: &Child, signal: &str) {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        // It may have ended by itself.
        let _ = sent;
    }

    /// Waits until there is a temporary file, or the program has ended.
    fn wait_for_write(folder: &Folder, child: &mut Child) {
        let start = Instant::now();
        while !folder.names().iter().any(|name| is_temporary(name)) {
            if child.try_wait().unwrap().is_some() {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "nothing is written");
        }
    }

    #[test]
    fn an_interrupted_write_leaves_nothing_behind() {
        let folder = Folder::new();
        folder.write("old.map", "an old map");
        let mut codes = Vec::new();
        for (name, code) in [("-INT", 130), ("-TERM", 143)].into_iter().cycle().take(20) {
            // Large, so that the signal comes while it is written.
            let words = "generate random --size 6000 --blocked 0.01 --islands -o old.map";
            let mut child = start(&folder, words);
            wait_for_write(&folder, &mut child);
            signal(&child, name);
            let status = child.wait().unwrap();
            assert_eq!(folder.names(), ["old.map"], "{status:?}");
            if status.code() == Some(code) {
                codes.push(code);
            } else {
                assert!(status.success(), "the write was complete: {status:?}");
            }
            if codes.contains(&130) && codes.contains(&143) {
                return;
            }
        }
        panic!("no write was interrupted: {codes:?}");
    }

    #[test]
    fn an_interrupt_at_work_ends_the_program_at_once() {
        let folder = Folder::new();
        let mut child = start(&folder, "generate roads --nodes 3000000 -o a.gr");
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "-INT");
        let status = child.wait().unwrap();
        // The system ends it where the signal comes before the program watches for it.
        let ended = (status.code(), status.signal());
        assert!([(Some(130), None), (None, Some(2))].contains(&ended), "{status:?}");
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }

    #[test]
    fn the_next_write_removes_what_a_killed_one_left() {
        let folder = Folder::new();
        let words = "generate random --size 6000 --blocked 0.01 --islands -o a.map";
        for _ in 0..20 {
            let mut child = start(&folder, words);
            wait_for_write(&folder, &mut child);
            child.kill().unwrap();
            child.wait().unwrap();
            if folder.names().iter().any(|name| is_temporary(name)) {
                folder.succeed("generate rooms --size 9 --room 3 -o b.map");
                let names = folder.names();
                assert!(!names.iter().any(|name| is_temporary(name)), "{names:?}");
                return;
            }
        }
        panic!("no write was killed in the middle");
    }
}
