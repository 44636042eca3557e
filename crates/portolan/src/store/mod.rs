//! The index file: stores a built engine, and opens in almost no time.
//!
//! [`Engine::store`](crate::Engine::store) returns an [`IndexWriter`];
//! [`IndexWriter::save`] writes the file. [`IndexFile::open`] maps a file into memory,
//! [`IndexFile::load`] reads it for the fastest queries, and
//! [`Build::open`](crate::Build::open) makes an engine from it. A [`Fingerprint`] ties a file to
//! the map that it was built for.
//!
//! ```
//! use portolan::ppa::{Ppa, PpaConfig};
//! use portolan::store::IndexFile;
//! use portolan::{Build, Engine, Grid, Map};
//!
//! let map = Map::from(Grid::new(8, 8)?);
//! let mut file = Vec::new();
//! Ppa::build(&map, &PpaConfig::default())?.store()?.write_to(&mut file)?;
//!
//! let index = IndexFile::from_bytes(file)?;
//! index.verify()?;
//! index.check_map(&map)?;
//! assert_eq!(index.engine(), "ppa");
//! # Ok::<(), portolan::Error>(())
//! ```
//!
//! # The format, version 1
//!
//! All numbers are little-endian. Names are 1 to 40 visible ASCII characters, padded with zeros.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic: `89 50 54 4c 4e 0d 0a 1a`; like PNG's it detects files changed by a text filter |
//! | 8..12 | endianness mark `0x01020304` |
//! | 12..16 | format version |
//! | 16..24 | checksum of everything from here to the end of the section table |
//! | 24..32 | length of the file |
//! | 32..48 | fingerprint of the map |
//! | 48..56 | number of sections |
//! | 56..96 | name of the engine |
//! | 96..128 | zeros |
//! | 128.. | section table, 64 bytes per section: name (40), offset (8), length (8), checksum (8) |
//! | then | the sections, each padded with zeros to a multiple of 64 bytes |
//!
//! Sections are sorted by name and have no gaps, so the same input gives the same bytes. Any other
//! table (duplicate names, overlaps, gaps) is an error. A file that opens and passes
//! [`IndexFile::verify`] is byte for byte what [`IndexWriter`] would write.
//!
//! Checksums are 64-bit XXH3: an order of magnitude faster than CRC-32 in software, with a 2^-64
//! chance to miss accidental damage. The `twox-hash` crate implements it in Rust, tested against
//! the original, with vector instructions chosen at run time. Neither checksum nor fingerprint
//! protects against deliberate manipulation. That is not necessary, because a manipulated file can
//! only cause wrong answers.

// Requirements on engines
//
// Opening reads only the header and the table. Only `IndexFile::verify` finds damage inside a
// section, so an engine that answers from a file must expect any number anywhere. It may then
// answer wrongly, but must not panic, hang or read out of bounds:
//
// - check the length of each section against the others when loading (`OpenError::Contents`), and
//   never allocate from a stored number;
// - read small sections whole when loading, with `IndexFile::verify_section`, so that most damage
//   is reported;
// - use stored numbers that were not checked then with `get`, never with `[]`;
// - follow a chain of stored next hops no further than the map has nodes;
// - add stored costs with `cost::plus` or saturating, never with `+`.
//
// Files in reading order: `layout.rs` (header and table), `writer.rs`, `file.rs` (opening),
// `array.rs` (sections as arrays), `sequence.rs`, `mapping.rs`, `replace.rs`, `fingerprint.rs`.

mod array;
mod error;
mod file;
mod fingerprint;
mod layout;
mod mapping;
mod replace;
mod sequence;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use array::{AnyArray, Array, ArrayDraft, Bytes, Element, Longs, Words, pack_arrays};
pub use error::{OpenError, Unstorable, WriteError};
pub use file::{IndexFile, Section};
pub use fingerprint::Fingerprint;
pub use replace::{check_replaceable, replace_file};
pub(crate) use sequence::{Sequence, unusable};
pub use writer::IndexWriter;
