//! Index files, for `--index` and the commands about them.

use std::path::{Path, PathBuf};

use portolan::Engine;
use portolan::registry::Method;
use portolan::store::{IndexFile, OpenError};
use portolan_bench::engines;
use portolan_bench::workload::Subject;
use portolan_bench::workload::files::read_error;

use crate::error::Error;

/// An open index file and its name.
pub(crate) struct Index {
    path: PathBuf,
    pub(crate) file: IndexFile,
}

impl Index {
    /// Maps the file; its contents are checked later.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Err(portolan_bench::Error::Folder { path: path.into() }.into());
        }
        match IndexFile::open(path) {
            Ok(file) => Ok(Self { path: path.into(), file }),
            Err(OpenError::Io(source)) => Err(read_error(path, source).into()),
            Err(error) => Err(Error::Index { path: path.into(), error }),
        }
    }

    /// The engine that built it.
    pub(crate) fn method(&self) -> Result<&'static dyn Method, Error> {
        Ok(engines::find(self.file.engine())?)
    }

    /// Opens the engine in it, which must be this one, for this map.
    pub(crate) fn engine(
        &self,
        method: &'static dyn Method,
        subject: &Subject,
    ) -> Result<Box<dyn Engine>, Error> {
        engines::takes_bounds(method, subject)?;
        let opened = method.open(&self.file, &subject.map, &subject.settings);
        opened.map_err(|error| self.unusable(error))
    }

    /// Reads every byte.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        self.file.verify().map_err(|error| self.unusable(error))
    }

    fn unusable(&self, error: OpenError) -> Error {
        match error {
            OpenError::Unsupported(unsupported) => {
                portolan_bench::Error::Unsupported(unsupported).into()
            }
            error => Error::Index { path: self.path.clone(), error },
        }
    }
}
