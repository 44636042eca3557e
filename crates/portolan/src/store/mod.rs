//! The index file: what was built once, opened in a moment.
//!
//! [`Engine::store`](crate::Engine::store) gives an [`IndexWriter`], whose
//! [`save`](IndexWriter::save) writes the file; [`IndexFile::open`] maps a file into memory, and
//! [`Engine::open`](crate::Engine::open) makes the engine of it. A [`Fingerprint`] ties a file to
//! the one map that it was built for.
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
//! All numbers are little-endian. Names are 1 to 40 visible ASCII characters, filled up with zeros.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic: `89 50 54 4c 4e 0d 0a 1a`; like PNG's it betrays files that went through a text filter |
//! | 8..12 | endianness mark `0x01020304` |
//! | 12..16 | format version |
//! | 16..24 | checksum of everything from here to the end of the section table |
//! | 24..32 | length of the file |
//! | 32..48 | fingerprint of the map |
//! | 48..56 | number of sections |
//! | 56..96 | name of the engine |
//! | 96..128 | zeros |
//! | 128.. | section table, 64 bytes a section: name (40), offset (8), length (8), checksum (8) |
//! | then | the sections, each filled up with zeros to a multiple of 64 bytes |
//!
//! Sections lie in the order of their names, without a gap and without a choice: the same input
//! gives the same bytes, and a table that says anything else (two sections of one name, overlaps,
//! holes) is refused. A file that opens and passes [`IndexFile::verify`] is byte for byte what
//! [`IndexWriter`] would write.
//!
//! Checksums are XXH3, 64 bits: an order of magnitude faster than CRC-32 in software and, at 2^-64,
//! never fooled by accident. The `twox-hash` crate has it in Rust alone, tested against the
//! original, with vector instructions chosen at run time. Neither it nor the fingerprint guards
//! against someone who *wants* to deceive; nothing here has to, because no file can do more than
//! answer wrongly.

// What engines must do
//
// Opening reads the header and the table, nothing else. Damage inside a section is found by
// `IndexFile::verify` only, so an engine that answers from a file may meet any number in any place,
// and must answer wrongly rather than panic, hang or read out of bounds:
//
// - check the length of each section against the others when loading (`OpenError::Contents`), and
//   allocate nothing by a number that a section states;
// - read small sections whole when loading, with `IndexFile::verify_section`, so that most damage
//   is named;
// - use no stored number as an index that was not checked then: `get`, never `[]`;
// - follow no chain of stored next hops further than the map has nodes;
// - add stored costs with `cost::plus` or saturating, never with a bare `+`.

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

pub(crate) use array::{Array, Bytes, Draft, Element, Longs, Movable, Words, side_by_side};
pub use error::{OpenError, Unstorable, WriteError};
pub use file::{IndexFile, Section};
pub use fingerprint::Fingerprint;
pub use replace::{check_replaceable, replace_file};
pub(crate) use sequence::{Sequence, unusable};
pub use writer::IndexWriter;
