//! Files in and out of memory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use portolan::store::replace_file;

use crate::error::Error;

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

/// Writes a file whole or not at all; see [`replace_file`].
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    replace_file(path, |out| fill(out)).map_err(|source| Error::Write { path: path.into(), source })
}

/// Refuses a place for a file where none can be written: asked before long work, not after it.
pub(crate) fn check_destination(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    // A name without any folder lies in this one.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        let source = io::Error::new(io::ErrorKind::NotFound, "there is no such folder");
        return Err(Error::Write { path: path.into(), source });
    }
    Ok(())
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
