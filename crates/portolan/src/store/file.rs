//! Opens index files.

use std::fmt;
use std::path::Path;

use super::array::{Array, Element};
use super::error::OpenError;
use super::fingerprint::Fingerprint;
use super::layout::{FileHeader, SectionEntry, checksum};
use super::mapping;
use crate::map::Map;

/// An open index file; see [`store`](super) for an example. Its sections stay readable after it is
/// dropped.
pub struct IndexFile {
    bytes: bytes::Bytes,
    header: FileHeader,
}

/// An entry of the section table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// The name.
    pub name: &'a str,
    /// The offset in the file in bytes.
    pub offset: u64,
    /// The length in bytes, without padding.
    pub length: u64,
    /// The checksum when the section was written.
    pub checksum: u64,
}

impl IndexFile {
    /// Maps a file into memory and reads its header. The time does not depend on the size of the
    /// file.
    ///
    /// [`IndexWriter::save`](super::IndexWriter::save) never changes a file in place, so a new
    /// index can be saved while an old one is in use. Other programs must not change it either:
    /// truncating a mapped file ends the process (`SIGBUS`). Reads the whole file where files
    /// cannot be mapped.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::read(mapping::open(path.as_ref())?)
    }

    /// Reads a file into memory, into large pages where the system has them, and reads its header.
    ///
    /// Queries are faster than on the mapped file of [`open`](Self::open), above all the first
    /// ones, which would otherwise wait for the pages of the file. Reading takes time in proportion
    /// to the size, and processes do not share the memory. The file may change afterwards.
    ///
    /// ```
    /// # use portolan::atlas::{Atlas, AtlasConfig};
    /// # use portolan::store::IndexFile;
    /// # use portolan::{Build, Engine, Grid, Map, Query};
    /// # let map = Map::from(Grid::new(8, 8)?);
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("level.index");
    /// # Atlas::build(&map, &AtlasConfig::default())?.store()?.save(&path)?;
    /// let index = IndexFile::load(&path)?; // while the level loads
    /// let atlas = Atlas::open(&index, &map, &AtlasConfig::default())?;
    /// assert!(atlas.query().find(0, 63)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::read(mapping::load(path.as_ref())?)
    }

    /// Opens an index file in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, OpenError> {
        Self::read(mapping::aligned(bytes.into()))
    }

    fn read(bytes: bytes::Bytes) -> Result<Self, OpenError> {
        let header = FileHeader::read(&bytes)?;
        Ok(Self { bytes, header })
    }

    /// The name of the engine that wrote the file.
    pub fn engine(&self) -> &str {
        self.header.engine.as_str()
    }

    /// The fingerprint of the map of the index.
    pub fn fingerprint(&self) -> Fingerprint {
        self.header.fingerprint
    }

    /// Checks that the engine of this name wrote the file.
    pub fn check_engine(&self, engine: &str) -> Result<(), OpenError> {
        if self.engine() == engine {
            return Ok(());
        }
        Err(OpenError::OtherEngine { expected: engine.to_owned(), found: self.engine().to_owned() })
    }

    /// Checks that the index was built for this map.
    pub fn check_map(&self, map: &Map) -> Result<(), OpenError> {
        let expected = Fingerprint::of(map);
        if self.fingerprint() == expected {
            return Ok(());
        }
        Err(OpenError::OtherMap { expected, found: self.fingerprint() })
    }

    /// The sections, sorted by name.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Section<'_>> {
        self.header.entries.iter().map(|entry| Section {
            name: entry.name.as_str(),
            offset: entry.offset,
            length: entry.length,
            checksum: entry.checksum,
        })
    }

    /// The elements of a section, without a copy and unverified: `let labels: Words =
    /// index.section("labels")?`. The element type must be the one that was written; the file does
    /// not store it.
    pub(crate) fn section<T: Element>(&self, name: &str) -> Result<Array<T>, OpenError> {
        let bytes = self.bytes.slice(self.entry(name)?.range());
        let found = bytes.len();
        Array::from_little_endian(bytes).ok_or_else(|| OpenError::ElementSize {
            section: name.to_owned(),
            element: size_of::<T>(),
            found,
        })
    }

    /// The length of the file in bytes.
    pub fn file_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The full check, which opening skips: reads the whole file and compares all checksums. The
    /// error names the first damaged section.
    pub fn verify(&self) -> Result<(), OpenError> {
        self.header.entries.iter().try_for_each(|entry| self.verify_entry(entry))
    }

    /// The full check of one section, for small ones that an engine reads whole anyway.
    pub(crate) fn verify_section(&self, name: &str) -> Result<(), OpenError> {
        self.verify_entry(self.entry(name)?)
    }

    fn entry(&self, name: &str) -> Result<&SectionEntry, OpenError> {
        let entries = &self.header.entries;
        let at = entries.binary_search_by(|entry| entry.name.as_str().cmp(name));
        at.map(|at| &entries[at]).map_err(|_| OpenError::NoSection {
            section: name.to_owned(),
            engine: self.engine().to_owned(),
        })
    }

    fn verify_entry(&self, entry: &SectionEntry) -> Result<(), OpenError> {
        let section = || entry.name.as_str().to_owned();
        let found = checksum(&self.bytes[entry.range()]);
        if found != entry.checksum {
            let (section, expected) = (section(), entry.checksum);
            return Err(OpenError::Damaged { section, expected, found });
        }
        if let Some(at) = entry.padding().find(|&at| self.bytes[at] != 0) {
            let (at, found) = (at as u64, self.bytes[at]);
            return Err(OpenError::Padding { section: section(), at, found });
        }
        Ok(())
    }
}

impl fmt::Debug for IndexFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("IndexFile")
            .field("engine", &self.engine())
            .field("fingerprint", &self.fingerprint())
            .field("bytes", &self.bytes.len())
            .field("sections", &self.sections().collect::<Vec<_>>())
            .finish()
    }
}
