//! Files are replaced whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;

use portolan::ppa::{Ppa, PpaConfig};
use portolan::store::{IndexFile, check_replaceable, replace_file};
use portolan::{Build, Engine, Grid};

const CHILD: &str = "PORTOLAN_TEST_KILLED_WRITER";

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn new_files_are_made_and_old_ones_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for text in ["first", "second, longer", "3"] {
        let length = replace_file(&path, |out| {
            out.write_all(text.as_bytes())?;
            Ok(text.len())
        });
        assert_eq!(length.unwrap(), text.len());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(folder.path()), ["file"]);
    }
}

#[test]
fn a_failing_writer_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let fail = |out: &mut io::BufWriter<fs::File>| -> io::Result<()> {
        out.write_all(&[1; 100_000])?;
        Err(io::Error::other("the disk is full"))
    };
    assert_eq!(replace_file(&path, fail).unwrap_err().to_string(), "the disk is full");
    assert!(names(folder.path()).is_empty());
    fs::write(&path, "old").unwrap();
    assert_eq!(replace_file(&path, fail).unwrap_err().to_string(), "the disk is full");
    let panics = || replace_file(&path, |_| -> io::Result<()> { panic!("on purpose") });
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_killed_build_leaves_the_old_index_whole() {
    if let Some(path) = std::env::var_os(CHILD) {
        let _ = replace_file(path, |out| -> io::Result<()> {
            out.write_all(&[1; 100_000])?;
            out.flush()?;
            std::process::abort()
        });
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let grid = Grid::new(8, 8).unwrap();
    let ppa = Ppa::build(&grid.into(), &PpaConfig::default()).unwrap();
    let index = ppa.store().unwrap();
    index.save(&path).unwrap();
    let killed = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::replace::a_killed_build_leaves_the_old_index_whole"])
        .env(CHILD, &path)
        .output()
        .unwrap();
    assert!(!killed.status.success());
    assert_eq!(names(folder.path()).len(), 2, "it was killed in the middle");
    IndexFile::open(&path).unwrap().verify().unwrap();
    index.save(&path).unwrap();
    assert_eq!(names(folder.path()), ["index"], "the next write removes what the killed one left");
}

#[test]
fn files_that_others_are_writing_are_no_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("portolan.tmp"), "somebody's").unwrap();
    fs::create_dir(path(".portolan-folder.tmp")).unwrap();
    replace_file(path("outer"), |out| {
        out.write_all(b"outer")?;
        replace_file(path("inner"), |out| out.write_all(b"inner"))
    })
    .unwrap();
    let expected = [".portolan-folder.tmp", "inner", "outer", "portolan.tmp"];
    assert_eq!(names(folder.path()), expected);
    assert_eq!(fs::read(path("outer")).unwrap(), b"outer");
}

#[test]
fn places_are_checked_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    check_replaceable(&path).unwrap();
    fs::write(&path, "old").unwrap();
    check_replaceable(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let error = check_replaceable(folder.path().join("no/file")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    check_replaceable(folder.path()).unwrap_err();
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_missing_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = replace_file(folder.path().join("no/file"), |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(replace_file(folder.path(), |_| Ok(())).is_err(), "a folder is no file");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn write_protected_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let error = replace_file(&path, |out| out.write_all(b"new")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn many_threads_may_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::thread::scope(|scope| {
        for number in 0..8u8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..20 {
                    replace_file(path, |out| out.write_all(&[number; 50_000])).unwrap();
                }
            });
        }
    });
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() == 50_000 && bytes.iter().all(|&byte| byte == bytes[0]));
    assert_eq!(names(folder.path()), ["file"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    #[test]
    fn links_are_followed_and_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        fs::write(folder.path().join("real/file"), "old").unwrap();
        symlink("real/file", folder.path().join("link")).unwrap();
        replace_file(folder.path().join("link"), |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("real/file")).unwrap(), "new");
        assert!(folder.path().join("link").is_symlink());
        assert_eq!(names(&folder.path().join("real")), ["file"]);
    }

    #[test]
    fn permissions_outlast_a_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace_file(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn what_is_no_regular_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _socket = UnixListener::bind(&path).unwrap();
        replace_file(&path, |out| out.write_all(b"new")).unwrap_err();
        assert!(fs::metadata(&path).unwrap().file_type().is_socket());
        assert_eq!(names(folder.path()), ["socket"]);
    }
}
