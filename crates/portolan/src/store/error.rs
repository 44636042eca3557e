//! Errors of index files.

use std::io;

use super::fingerprint::Fingerprint;
use super::layout::MAX_NAME;
use crate::build::Unsupported;

/// Why an index file cannot be opened or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file does not begin like an index.
    #[error("this is not a Portolan index; make one with `portolan build`")]
    NotAnIndex,
    /// The file has another byte order.
    #[error(
        "the index has the endianness mark {found:#010x} where {expected:#010x} is expected; rebuild it with `portolan build`"
    )]
    Endianness {
        /// The mark of little-endian files.
        expected: u32,
        /// The mark in the file.
        found: u32,
    },
    /// The file has another format version. Other versions are not supported.
    #[error(
        "the index has format version {found}, this program reads version {supported}; rebuild it with `portolan build`"
    )]
    Version {
        /// The version of the file.
        found: u32,
        /// The supported version.
        supported: u32,
    },
    /// The file was truncated or extended.
    #[error("the index should have {expected} bytes and has {found}; {REPLACE}")]
    Length {
        /// The length in the header, or the least length implied by it.
        expected: u64,
        /// The actual length.
        found: u64,
    },
    /// The header or the section table is damaged.
    #[error(
        "the header of the index is damaged: its checksum is {found:016x} and should be {expected:016x}; {REPLACE}"
    )]
    Header {
        /// The stored checksum.
        expected: u64,
        /// The checksum of the actual bytes.
        found: u64,
    },
    /// More sections than fit into the file.
    #[error("the index announces {found} sections and has space for {most}; {REPLACE}")]
    TooManySections {
        /// The number of sections that fit.
        most: u64,
        /// The number in the header.
        found: u64,
    },
    /// An invalid name of a section or the engine.
    #[error(
        "the name of {what} in the index is not 1 to {MAX_NAME} visible ASCII characters; {REPLACE}"
    )]
    Name {
        /// The owner of the name.
        what: String,
    },
    /// Reserved bytes are not zero.
    #[error("reserved bytes in the header of the index are not zero; {REPLACE}")]
    Reserved,
    /// Two sections of one name, or in the wrong order.
    #[error("section `{section}` of the index should come after `{before}`; {REPLACE}")]
    Order {
        /// The section before it.
        before: String,
        /// The section whose name is not greater.
        section: String,
    },
    /// A section that does not begin at the end of the one before it.
    #[error(
        "section `{section}` of the index should begin at byte {expected} and begins at {found}; {REPLACE}"
    )]
    Offset {
        /// The section.
        section: String,
        /// The expected offset.
        expected: u64,
        /// The offset in the table.
        found: u64,
    },
    /// A section that reaches beyond the end of the file.
    #[error(
        "section `{section}` of the index announces {found} bytes where at most {most} are left; {REPLACE}"
    )]
    Beyond {
        /// The section.
        section: String,
        /// The remaining bytes of the file.
        most: u64,
        /// The length in the table.
        found: u64,
    },
    /// Built by another engine.
    #[error("the index was built by `{found}`, not by `{expected}`; name that engine or rebuild")]
    OtherEngine {
        /// The requested engine.
        expected: String,
        /// The engine that wrote the file.
        found: String,
    },
    /// Built for another map, or for the same map with other rules.
    #[error(
        "the index was built for another map (fingerprint {found}, not {expected}); give the map and the options (moves, corners, terrain, agent, coordinates) that it was built with, or rebuild"
    )]
    OtherMap {
        /// The fingerprint of the given map.
        expected: Fingerprint,
        /// The fingerprint in the file.
        found: Fingerprint,
    },
    /// The engine cannot serve the map with these settings.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The engine stores nothing in files with this configuration.
    #[error(
        "`{engine}` stores nothing in index files with this configuration; name the stored bounds that the file was built with, or build it from the map"
    )]
    NothingStored {
        /// The engine.
        engine: String,
    },
    /// A section that the engine needs is missing.
    #[error("the index has no section `{section}`, which `{engine}` needs; {REPLACE}")]
    NoSection {
        /// The requested section.
        section: String,
        /// The engine that wrote the file.
        engine: String,
    },
    /// A section that is misaligned or not a whole number of elements.
    #[error(
        "section `{section}` of the index, {found} bytes, is not an array of {element}-byte numbers; {REPLACE}"
    )]
    ElementSize {
        /// The section.
        section: String,
        /// The size of an element in bytes.
        element: usize,
        /// The size of the section in bytes.
        found: usize,
    },
    /// A section with an invalid length or invalid numbers.
    #[error("section `{section}` of the index cannot be used: {reason}; {REPLACE}")]
    Contents {
        /// The section.
        section: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// The full check found a damaged section.
    #[error(
        "section `{section}` of the index is damaged: its checksum is {found:016x} and should be {expected:016x}; {REPLACE}"
    )]
    Damaged {
        /// The section.
        section: String,
        /// The stored checksum.
        expected: u64,
        /// The checksum of the actual bytes.
        found: u64,
    },
    /// The full check found padding that is not zero.
    #[error(
        "byte {at} of the index, after section `{section}`, is {found:#04x} and should be zero; {REPLACE}"
    )]
    Padding {
        /// The section before the padding.
        section: String,
        /// The offset in the file.
        at: u64,
        /// The byte.
        found: u8,
    },
    /// The file cannot be read.
    #[error("the index cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Why an index file cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// An invalid name of an engine or a section.
    #[error(
        "{name:?} is not a valid name of an engine or a section: 1 to {MAX_NAME} visible ASCII characters"
    )]
    Name {
        /// The given name.
        name: String,
    },
    /// Two sections with the same name.
    #[error("there are two sections `{section}`")]
    Duplicate {
        /// The name.
        section: String,
    },
    /// The file cannot be written. An old file is unchanged, unless only the final sync of the
    /// folder failed.
    #[error("the index cannot be written: {0}")]
    Io(#[from] io::Error),
}

const REPLACE: &str = "copy the file again or rebuild it with `portolan build`";

/// Why an engine cannot be stored in an index file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the engine cannot be stored in an index file: {reason}")]
pub struct Unstorable {
    /// The reason, and what to do instead.
    pub reason: String,
}

impl Unstorable {
    pub(crate) fn nothing() -> Self {
        Self { reason: "it precomputes nothing, so building it takes no time".into() }
    }
}
