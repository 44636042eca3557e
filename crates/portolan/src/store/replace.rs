//! Replaces a file whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Puts what `write` writes at this path, whole or not at all.
///
/// It goes to a temporary file in the same folder, is synced to the disk, and takes the place of the old
/// file in one step. Where `write` fails or panics, the temporary file is removed; a process that is killed
/// leaves it behind (`.portolan-*.tmp`). In all these cases the old file is as it was.
///
/// The permissions of the old file are kept, and a write-protected one is refused. Links are followed. What
/// is no regular file, such as a pipe or a terminal, is written to directly.
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("report.txt");
/// portolan::store::replace_file(&path, |out| writeln!(out, "all good"))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "all good\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn replace_file<T>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let path = path.as_ref();
    let old = match fs::metadata(path) {
        Ok(old) if !old.is_file() => {
            return write_all(File::options().write(true).open(path)?, write);
        }
        Ok(old) if old.permissions().readonly() => {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                "the old file is write-protected",
            ));
        }
        Ok(old) => Some((fs::canonicalize(path)?, old.permissions())),
        // A link to nothing included: it is replaced itself.
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let target = old.as_ref().map_or(path, |(target, _)| target);
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let (file, temporary) = Temporary::create(folder)?;
    if let Some((_, permissions)) = &old {
        // Best effort: not every file system knows them.
        let _ = file.set_permissions(permissions.clone());
    }
    let sync = file.try_clone()?;
    let value = write_all(file, write)?;
    sync.sync_all()?;
    // Some systems do not rename open files.
    drop(sync);
    temporary.rename(target)?;
    sync_folder(folder)?;
    Ok(value)
}

fn write_all<T>(
    file: File,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let value = write(&mut out)?;
    out.flush()?;
    Ok(value)
}

/// Makes the renaming itself outlast a loss of power. A folder that cannot be opened or synced is left as it
/// is: the file there is whole either way, the old or the new one.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
        other => other,
    }
}

/// A file that is removed again unless it gets its name.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn create(folder: &Path) -> io::Result<(File, Self)> {
        let process = std::process::id();
        let mut number = 0u32;
        loop {
            let path = folder.join(format!(".portolan-{process}-{number}.tmp"));
            match File::options().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path })),
                // Another thread's, or left behind by a process that was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.path.clear();
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}
