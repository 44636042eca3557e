//! Replaces files atomically.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file atomically: completely or not at all.
///
/// The bytes go to a temporary file in the same folder, which is synced to the disk and then
/// replaces the old file in one step. If `write` fails or panics, the temporary file is removed. A
/// killed process leaves it behind as `.portolan-*.tmp`; the next write to the same folder removes
/// it. In all these cases the old file is unchanged.
///
/// Keeps the permissions of the old file; a write-protected file is an error. Follows links. Writes
/// directly to a path that is not a regular file, such as a pipe or a terminal.
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
    let Some(target) = ReplaceTarget::of(path.as_ref())? else {
        return write_all(File::options().write(true).open(path)?, write);
    };
    let folder = target.folder();
    remove_leftovers(folder);
    let (file, temporary) = TemporaryFile::create(folder)?;
    if let Some(permissions) = &target.permissions {
        // Best effort: not every file system has permissions.
        let _ = file.set_permissions(permissions.clone());
    }
    let value = write_all(file, write)?;
    temporary.lock.sync_all()?;
    temporary.rename(&target.path)?;
    sync_folder(folder)?;
    Ok(value)
}

/// Checks that [`replace_file`] can write to this path. Call it before computing a result for a
/// long time.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// assert!(portolan::store::check_replaceable(folder.path().join("new.index")).is_ok());
/// assert!(portolan::store::check_replaceable(folder.path().join("missing/new.index")).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn check_replaceable(path: impl AsRef<Path>) -> io::Result<()> {
    match ReplaceTarget::of(path.as_ref())? {
        Some(target) => TemporaryFile::create(target.folder()).map(drop),
        None if path.as_ref().is_dir() => Err(io::Error::from(ErrorKind::IsADirectory)),
        None => Ok(()),
    }
}

/// The file to replace, with links resolved.
struct ReplaceTarget {
    path: PathBuf,
    /// The permissions of the old file, if it exists.
    permissions: Option<Permissions>,
}

impl ReplaceTarget {
    /// `None` if the path exists and is not a regular file.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Ok(old) if !old.is_file() => Ok(None),
            Ok(old) if old.permissions().readonly() => {
                Err(io::Error::new(ErrorKind::PermissionDenied, "the old file is write-protected"))
            }
            Ok(old) => {
                let (path, permissions) = (fs::canonicalize(path)?, Some(old.permissions()));
                Ok(Some(Self { path, permissions }))
            }
            // A dangling link is replaced itself.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Some(Self { path: path.into(), permissions: None }))
            }
            Err(error) => Err(error),
        }
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }
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

/// Makes the rename durable. A folder that cannot be opened or synced is not an error: the file is
/// complete either way, the old or the new one.
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

const PREFIX: &str = ".portolan-";
const SUFFIX: &str = ".tmp";

/// A temporary file, removed on drop unless renamed.
///
/// It is locked while in use. The system releases the lock when the process ends, so a file that
/// can be locked is a leftover.
struct TemporaryFile {
    path: PathBuf,
    lock: File,
}

impl TemporaryFile {
    fn create(folder: &Path) -> io::Result<(File, Self)> {
        /// No two threads of a process share a name.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{PREFIX}{process}-{number}{SUFFIX}"));
            match File::options().write(true).create_new(true).open(&path) {
                Ok(lock) => {
                    let temporary = Self { path, lock };
                    let file = temporary.lock.try_clone()?;
                    // Best effort: not every file system has locks. Without them, leftovers stay.
                    let _ = file.lock();
                    // Another process may have taken it for a leftover before it was locked.
                    if temporary.path.exists() {
                        return Ok((file, temporary));
                    }
                }
                // A leftover of an earlier process with the same id that could not be removed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
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

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes the temporary files of killed processes, if the folder can be listed.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours =
            name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        // Opening a pipe would block.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_left(&entry.path());
        }
    }
}

/// Removes a file if it can be locked. Holds the lock meanwhile, so that a process that has just
/// created the file and waits for the lock notices.
fn remove_if_left(path: &Path) {
    let Ok(file) = File::options().write(true).open(path) else { return };
    if file.try_lock().is_ok() {
        let _ = fs::remove_file(path);
    }
}
