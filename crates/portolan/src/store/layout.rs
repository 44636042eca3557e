//! The header and the section table of an index file; the head of [`store`](super) describes them.

use std::hash::Hasher;
use std::ops::Range;

use twox_hash::XxHash3_64;

use super::error::OpenError;
use super::fingerprint::Fingerprint;

/// The version of the format. The library writes and reads only this one.
pub(super) const VERSION: u32 = 1;

/// The longest name of an engine or a section, in bytes.
pub(super) const MAX_NAME: usize = 40;

const MAGIC: [u8; 8] = *b"\x89PTLN\r\n\x1a";
const ENDIANNESS: u32 = 0x0102_0304;
/// The alignment of sections in bytes.
pub(super) const ALIGNMENT: u64 = 64;

const HEADER: usize = 128;
const ENTRY: usize = 64;

const CHECKSUM_AT: usize = 16;
/// The start of the bytes covered by the checksum of the header; earlier fields are compared one by
/// one.
const COVERED_FROM: usize = 24;
const RESERVED: Range<usize> = 96..HEADER;

/// A stored name: visible ASCII, then zeros.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name([u8; MAX_NAME]);

impl Name {
    pub(super) fn new(name: &str) -> Option<Self> {
        let is_valid =
            (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic());
        is_valid.then(|| {
            let mut bytes = [0; MAX_NAME];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            Self(bytes)
        })
    }

    fn read(bytes: [u8; MAX_NAME]) -> Option<Self> {
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(MAX_NAME);
        let name = Self::new(std::str::from_utf8(&bytes[..length]).ok()?)?;
        (name.0 == bytes).then_some(name)
    }

    pub(super) fn as_str(&self) -> &str {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(MAX_NAME);
        std::str::from_utf8(&self.0[..length]).unwrap_or_default()
    }
}

/// An entry of the section table.
#[derive(Clone, Copy)]
pub(super) struct SectionEntry {
    pub(super) name: Name,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) checksum: u64,
}

impl SectionEntry {
    /// The position of the section in the file.
    pub(super) fn range(&self) -> Range<usize> {
        // Checked against the length of the file when the table was read.
        self.offset as usize..(self.offset + self.length) as usize
    }

    /// The position of the zeros after the section.
    pub(super) fn padding(&self) -> Range<usize> {
        let end = self.offset + self.length;
        end as usize..end.next_multiple_of(ALIGNMENT) as usize
    }
}

/// The header and the section table.
pub(super) struct FileHeader {
    pub(super) engine: Name,
    pub(super) fingerprint: Fingerprint,
    /// Sorted by name; each begins at the end of the previous one's padding.
    pub(super) entries: Vec<SectionEntry>,
}

impl FileHeader {
    /// Lays out sections of these names, lengths and checksums, sorted by name.
    pub(super) fn new(
        engine: Name,
        fingerprint: Fingerprint,
        sections: impl ExactSizeIterator<Item = (Name, u64, u64)>,
    ) -> Self {
        let mut offset = (HEADER + sections.len() * ENTRY) as u64;
        let entries = sections.map(|(name, length, checksum)| {
            let entry = SectionEntry { name, offset, length, checksum };
            offset = (offset + length).next_multiple_of(ALIGNMENT);
            entry
        });
        Self { engine, fingerprint, entries: entries.collect() }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let end = HEADER + self.entries.len() * ENTRY;
        let length = self.entries.last().map_or(end, |last| last.padding().end);
        let mut bytes = Vec::with_capacity(end);
        bytes.extend(MAGIC);
        bytes.extend(ENDIANNESS.to_le_bytes());
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; COVERED_FROM - CHECKSUM_AT]);
        bytes.extend((length as u64).to_le_bytes());
        bytes.extend(self.fingerprint.to_u128().to_le_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(self.engine.0);
        bytes.extend([0; RESERVED.end - RESERVED.start]);
        for entry in &self.entries {
            bytes.extend(entry.name.0);
            bytes.extend(entry.offset.to_le_bytes());
            bytes.extend(entry.length.to_le_bytes());
            bytes.extend(entry.checksum.to_le_bytes());
        }
        let sum = checksum(&bytes[COVERED_FROM..]);
        bytes[CHECKSUM_AT..COVERED_FROM].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the beginning of a file. Checks everything, and allocates no more than the length of
    /// the file.
    pub(super) fn read(file: &[u8]) -> Result<Self, OpenError> {
        if file.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(OpenError::NotAnIndex);
        }
        // These two come first in every version of the format; the rest may differ.
        let mut reader = Reader { file, at: MAGIC.len() };
        let endianness = u32::from_le_bytes(reader.take()?);
        if endianness != ENDIANNESS {
            return Err(OpenError::Endianness { expected: ENDIANNESS, found: endianness });
        }
        let version = u32::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(OpenError::Version { found: version, supported: VERSION });
        }
        let expected = reader.u64()?;
        let length = reader.u64()?;
        let found = file.len() as u64;
        if length != found || file.len() < HEADER {
            return Err(OpenError::Length { expected: length.max(HEADER as u64), found });
        }
        let fingerprint = Fingerprint::from_u128(u128::from_le_bytes(reader.take()?));
        let count = reader.u64()?;
        let most = (found - HEADER as u64) / ENTRY as u64;
        if count > most {
            return Err(OpenError::TooManySections { most, found: count });
        }
        let end = HEADER + count as usize * ENTRY;
        let sum = checksum(&file[COVERED_FROM..end]);
        if sum != expected {
            return Err(OpenError::Header { expected, found: sum });
        }
        let engine = reader.name(|| "the engine".to_owned())?;
        if file[RESERVED].iter().any(|&byte| byte != 0) {
            return Err(OpenError::Reserved);
        }
        let entries = read_table(file, count as usize)?;
        Ok(Self { engine, fingerprint, entries })
    }
}

/// The checksum of a section or a header.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// The checksum of a section in several pieces.
pub(super) fn checksum_of_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut sum = XxHash3_64::new();
    pieces.into_iter().for_each(|piece| sum.write(piece));
    sum.finish()
}

/// Reads a table of this many sections, which must be inside the file.
fn read_table(file: &[u8], count: usize) -> Result<Vec<SectionEntry>, OpenError> {
    let length = file.len() as u64;
    let mut reader = Reader { file, at: HEADER };
    let mut entries: Vec<SectionEntry> = Vec::new();
    let mut end = (HEADER + count * ENTRY) as u64;
    for number in 0..count {
        let name = reader.name(|| format!("section {number}"))?;
        let (offset, length_of_section, checksum) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let entry = SectionEntry { name, offset, length: length_of_section, checksum };
        let section = || name.as_str().to_owned();
        if let Some(before) = entries.last().filter(|before| before.name >= name) {
            let before = before.name.as_str().to_owned();
            return Err(OpenError::Order { before, section: section() });
        }
        if entry.offset != end {
            let (expected, found) = (end, entry.offset);
            return Err(OpenError::Offset { section: section(), expected, found });
        }
        // `end` is at most the length, so neither this nor the sum below can overflow.
        let most = length - end;
        if entry.length > most {
            return Err(OpenError::Beyond { section: section(), most, found: entry.length });
        }
        end = (end + entry.length).next_multiple_of(ALIGNMENT);
        if end > length {
            return Err(OpenError::Length { expected: end, found: length });
        }
        entries.push(entry);
    }
    if end != length {
        return Err(OpenError::Length { expected: end, found: length });
    }
    Ok(entries)
}

/// Reads numbers and names from a file in order.
struct Reader<'a> {
    file: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], OpenError> {
        let bytes = self.file.get(self.at..).and_then(|rest| rest.first_chunk());
        self.at += N;
        bytes.copied().ok_or(OpenError::Length {
            expected: self.at.max(HEADER) as u64,
            found: self.file.len() as u64,
        })
    }

    fn u64(&mut self) -> Result<u64, OpenError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn name(&mut self, what: impl FnOnce() -> String) -> Result<Name, OpenError> {
        Name::read(self.take()?).ok_or_else(|| OpenError::Name { what: what() })
    }
}
