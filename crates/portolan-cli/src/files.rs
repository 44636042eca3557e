//! Files in and out of memory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use portolan::store::{check_replaceable, replace_file};

use crate::error::Error;
use crate::interrupt::Writing;

/// The whole content of a file or a pipe.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let metadata = fs::metadata(path).map_err(|error| read_error(path, error))?;
    if metadata.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    // A device may never end.
    if !metadata.is_file() && !is_pipe(&metadata) {
        return Err(Error::NotAFile { path: path.into() });
    }
    fs::read(path).map_err(|error| read_error(path, error))
}

/// Why a file cannot be read.
pub(crate) fn read_error(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::NotFound => Error::Missing { path: path.into() },
        _ => Error::Read { path: path.into(), source },
    }
}

/// Writes a file whole or not at all; see [`replace_file`]. An interrupt stops it.
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    let writing = Writing::begin();
    let written = replace_file(path, |out| fill(&mut writing.writer(out)));
    match writing.signal() {
        Some(signal) => Err(Error::Interrupted { signal }),
        None => written.map_err(|source| Error::Write { path: path.into(), source }),
    }
}

/// Refuses a place where no file can be written, or where one of the command's inputs lies. Ask
/// before long work, not after it.
pub(crate) fn check_output<'a>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Folder { path: path.into() });
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

/// Makes a folder for several files, unless it is there.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    if path.is_file() {
        return Err(Error::FileNotFolder { path: path.into() });
    }
    fs::create_dir_all(path).map_err(|source| Error::Write { path: path.into(), source })
}

/// The name with something behind it: `rooms.map` and `.scen` give `rooms.map.scen`.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether a name has this extension, in capitals or not.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

#[cfg(unix)]
fn is_pipe(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}
