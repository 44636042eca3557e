//! Writes index files.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use super::array::{Element, swapped};
use super::error::WriteError;
use super::fingerprint::Fingerprint;
use super::layout::{ALIGNMENT, Header, Name, checksum_of_pieces};
use super::replace::replace_file;

/// What an engine stores, ready to be written; see [`store`](super) for an example.
///
/// Sections are borrowed where they can be, so large ones are not copied. They are written in the
/// order of their names, whatever the order in which they came.
#[derive(Debug, Clone)]
pub struct IndexWriter<'a> {
    engine: String,
    fingerprint: Fingerprint,
    /// The name of each and its bytes, in one piece or in several.
    sections: Vec<(String, Vec<Cow<'a, [u8]>>)>,
}

impl<'a> IndexWriter<'a> {
    /// An index without sections, of this engine for the map of this fingerprint.
    pub(crate) fn new(engine: &str, fingerprint: Fingerprint) -> Self {
        Self { engine: engine.to_owned(), fingerprint, sections: Vec::new() }
    }

    /// Adds a section: `u8`, `u16`, `u32` or `u64` numbers under a name of 1 to 40 visible ASCII
    /// characters. Whether the name will do is said when writing.
    pub(crate) fn section<T: Element>(&mut self, name: &str, elements: &'a [T]) -> &mut Self {
        self.section_in_pieces(name, [elements])
    }

    /// The same for elements that lie in several places; the file does not show where one ends.
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

    /// The same for elements that the writer is to own.
    pub(crate) fn section_owned<T: Element>(&mut self, name: &str, elements: Vec<T>) -> &mut Self {
        let elements = if cfg!(target_endian = "little") { elements } else { swapped(&elements) };
        let bytes = bytemuck::cast_slice(&elements).to_vec();
        self.sections.push((name.to_owned(), vec![Cow::Owned(bytes)]));
        self
    }

    /// Writes the index; the same sections give the same bytes.
    pub fn write_to(&self, out: &mut impl Write) -> Result<(), WriteError> {
        Ok(self.laid_out()?.write_to(out)?)
    }

    /// Puts the index at this path, whole or not at all; see [`replace_file`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        let index = self.laid_out()?;
        Ok(replace_file(path, |out| index.write_to(out))?)
    }

    fn laid_out(&self) -> Result<LaidOut<'_>, WriteError> {
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
        let lines = sections.iter().map(|&(name, pieces)| {
            let length = pieces.iter().map(|piece| piece.len() as u64).sum();
            (name, length, checksum_of_pieces(pieces.iter().map(|piece| &**piece)))
        });
        let header = Header::new(engine, self.fingerprint, lines);
        Ok(LaidOut { header, sections: sections.into_iter().map(|(_, pieces)| pieces).collect() })
    }
}

/// An index that can be written from front to back.
struct LaidOut<'a> {
    header: Header,
    /// In the order of the header's table.
    sections: Vec<&'a [Cow<'a, [u8]>]>,
}

impl LaidOut<'_> {
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
