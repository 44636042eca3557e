//! Index files, as `--index` and the commands that are about them name them.

use std::path::{Path, PathBuf};

use portolan::Engine;
use portolan::registry::Method;
use portolan::store::{IndexFile, OpenError};

use crate::error::Error;
use crate::load::Loaded;
use crate::{engines, files};

/// An open index file and its name.
pub(crate) struct Index {
    path: PathBuf,
    pub(crate) file: IndexFile,
}

impl Index {
    /// Maps the file; its contents are looked at later.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Err(Error::Folder { path: path.into() });
        }
        match IndexFile::open(path) {
            Ok(file) => Ok(Self { path: path.into(), file }),
            Err(OpenError::Io(source)) => Err(files::read_error(path, source)),
            Err(error) => Err(Error::Index { path: path.into(), error }),
        }
    }

    /// The engine that it was built by.
    pub(crate) fn method(&self) -> Result<&'static dyn Method, Error> {
        engines::find(self.file.engine())
    }

    /// The engine inside, which must be this one, for this map.
    pub(crate) fn engine(
        &self,
        method: &'static dyn Method,
        loaded: &Loaded,
    ) -> Result<Box<dyn Engine>, Error> {
        engines::takes_bounds(method, loaded).map_err(Error::Unsupported)?;
        let opened = method.open(&self.file, &loaded.map, &loaded.settings);
        opened.map_err(|error| self.unusable(error))
    }

    /// Reads every byte.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        self.file.verify().map_err(|error| self.unusable(error))
    }

    fn unusable(&self, error: OpenError) -> Error {
        match error {
            OpenError::Unsupported(unsupported) => Error::Unsupported(unsupported),
            error => Error::Index { path: self.path.clone(), error },
        }
    }
}
