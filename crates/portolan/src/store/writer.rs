//! Writes index files.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use super::array::{Element, swapped};
use super::error::WriteError;
use super::fingerprint::Fingerprint;
use super::layout::{ALIGNMENT, FileHeader, Name, checksum_of_pieces};
use super::replace::replace_file;

/// The sections of an index file; see [`store`](super) for an example.
///
/// Borrows sections where possible, so large ones are not copied. Writes them sorted by name.
#[derive(Debug, Clone)]
pub struct IndexWriter<'a> {
    engine: String,
    fingerprint: Fingerprint,
    /// The name and bytes of each section, in one or more pieces.
    sections: Vec<(String, Vec<Cow<'a, [u8]>>)>,
}

impl<'a> IndexWriter<'a> {
    /// An index without sections.
    pub(crate) fn new(engine: &str, fingerprint: Fingerprint) -> Self {
        Self { engine: engine.to_owned(), fingerprint, sections: Vec::new() }
    }

    /// Adds a section of `u8`, `u16`, `u32` or `u64` numbers. The name must be 1 to 40 visible
    /// ASCII characters, which is checked when writing.
    pub(crate) fn section<T: Element>(&mut self, name: &str, elements: &'a [T]) -> &mut Self {
        self.section_in_pieces(name, [elements])
    }

    /// Adds a section of several pieces, written without separators.
    pub(crate) fn section_in_pieces<T: Element>(
        &mut self,
        name: &str,
        pieces: impl IntoIterator<Item = &'a [T]>,
    ) -> &mut Self {
        let bytes = |elements: &'a [T]| match cfg!(target_endian = "little") {
            true => Cow::Borrowed(bytemuck::cast_slice(elements)),
            false => Cow::Owned(bytemuck::cast_slice(&swapped(elements)).to_vec()),
        };
        self.sections.push((name.to_owned(), pieces.into_iter().map(bytes).collect()));
        self
    }

    /// Adds a section of owned elements.
    pub(crate) fn section_owned<T: Element>(&mut self, name: &str, elements: Vec<T>) -> &mut Self {
        let elements = if cfg!(target_endian = "little") { elements } else { swapped(&elements) };
        let bytes = bytemuck::cast_slice(&elements).to_vec();
        self.sections.push((name.to_owned(), vec![Cow::Owned(bytes)]));
        self
    }

    /// Writes the index. The same sections give the same bytes.
    pub fn write_to(&self, out: &mut impl Write) -> Result<(), WriteError> {
        Ok(self.layout()?.write_to(out)?)
    }

    /// Writes the index to this path atomically; see [`replace_file`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        let index = self.layout()?;
        Ok(replace_file(path, |out| index.write_to(out))?)
    }

    fn layout(&self) -> Result<IndexLayout<'_>, WriteError> {
        let name_of =
            |name: &str| Name::new(name).ok_or_else(|| WriteError::Name { name: name.to_owned() });
        let engine = name_of(&self.engine)?;
        let mut sections = self
            .sections
            .iter()
            .map(|(name, pieces)| Ok((name_of(name)?, pieces.as_slice())))
            .collect::<Result<Vec<_>, WriteError>>()?;
        sections.sort_by_key(|&(name, _)| name);
        if let Some(pair) = sections.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(WriteError::Duplicate { section: pair[0].0.as_str().to_owned() });
        }
        let entries = sections.iter().map(|&(name, pieces)| {
            let length = pieces.iter().map(|piece| piece.len() as u64).sum();
            (name, length, checksum_of_pieces(pieces.iter().map(|piece| &**piece)))
        });
        let header = FileHeader::new(engine, self.fingerprint, entries);
        let sections = sections.into_iter().map(|(_, pieces)| pieces).collect();
        Ok(IndexLayout { header, sections })
    }
}

/// An index in the order of the file.
struct IndexLayout<'a> {
    header: FileHeader,
    /// In the order of the header's table.
    sections: Vec<&'a [Cow<'a, [u8]>]>,
}

impl IndexLayout<'_> {
    fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.header.to_bytes())?;
        for (entry, pieces) in self.header.entries.iter().zip(&self.sections) {
            for piece in *pieces {
                out.write_all(piece)?;
            }
            out.write_all(&[0; ALIGNMENT as usize][..entry.padding().len()])?;
        }
        out.flush()
    }
}
