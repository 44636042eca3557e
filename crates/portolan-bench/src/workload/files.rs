//! Files into memory.

use std::path::{Path, PathBuf};
use std::{fs, io};

use portolan::formats::FormatError;

use crate::Error;

/// The content of a file or a pipe, without the mark that some editors put before UTF-8 text; no
/// format begins with it.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let metadata = fs::metadata(path).map_err(|error| read_error(path, error))?;
    if metadata.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    // A device may never end.
    if !metadata.is_file() && !is_pipe(&metadata) {
        return Err(Error::NotAFile { path: path.into() });
    }
    let mut bytes = fs::read(path).map_err(|error| read_error(path, error))?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// Why a file cannot be read.
pub fn read_error(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::NotFound => Error::Missing { path: path.into() },
        _ => Error::Read { path: path.into(), source },
    }
}

/// Adds the file's name to what is wrong in it.
pub fn in_file(path: &Path) -> impl FnOnce(FormatError) -> Error {
    move |error| Error::Format { path: path.into(), error }
}

/// The name with a suffix: `rooms.map` and `.scen` give `rooms.map.scen`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether a name has this extension, in any case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
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
