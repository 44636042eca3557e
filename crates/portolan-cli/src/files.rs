//! Files in and out of memory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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

/// Writes a file whole or not at all: under a temporary name in the same folder, then renamed. What is no
/// regular file (a pipe, a device) is written to directly.
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let write_error = |source| Error::Write { path: path.into(), source };
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(Error::Folder { path: path.into() }),
        Ok(metadata) if !metadata.is_file() => {
            File::create(path).and_then(|file| fill_file(file, fill)).map_err(write_error)
        }
        // A link keeps pointing where it points.
        Ok(_) => fs::canonicalize(path).and_then(|path| replace(&path, fill)).map_err(write_error),
        Err(_) => replace(path, fill).map_err(write_error),
    }
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

fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(&temporary)?;
    let done = fill_file(file, fill).and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

fn fill_file(file: File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    fill(&mut writer)?;
    writer.flush()
}

#[cfg(unix)]
fn is_pipe(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}
