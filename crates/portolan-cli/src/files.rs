//! Files out of memory.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use portolan::store::{check_replaceable, replace_file};

use crate::error::Error;
use crate::interrupt::Writing;

/// Writes a file whole or not at all; see [`replace_file`]. An interrupt stops it.
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    if path.is_dir() {
        return Err(portolan_bench::Error::Folder { path: path.into() }.into());
    }
    let writing = Writing::begin();
    let written = replace_file(path, |out| fill(&mut writing.writer(out)));
    match writing.signal() {
        Some(signal) => Err(Error::Interrupted { signal }),
        None => written.map_err(|source| Error::Write { path: path.into(), source }),
    }
}

/// An error if no file can be written here, or if this is one of the command's inputs. Call it
/// before long work, not after it.
pub(crate) fn check_output<'a>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Error> {
    if path.is_dir() {
        return Err(portolan_bench::Error::Folder { path: path.into() }.into());
    }
    let canonical = fs::canonicalize(path).ok();
    for input in inputs {
        if canonical.is_some() && fs::canonicalize(input).ok() == canonical {
            return Err(Error::OutputIsInput { path: path.into(), input: input.into() });
        }
    }
    let checked = {
        let writing = Writing::begin();
        let checked = check_replaceable(path);
        if let Some(signal) = writing.signal() {
            return Err(Error::Interrupted { signal });
        }
        checked
    };
    checked
        .map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => io::Error::new(source.kind(), "there is no such folder"),
            _ => source,
        })
        .map_err(|source| Error::Write { path: path.into(), source })
}

/// Creates a folder unless it exists.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    if path.is_file() {
        return Err(Error::FileNotFolder { path: path.into() });
    }
    fs::create_dir_all(path).map_err(|source| Error::Write { path: path.into(), source })
}
