//! What can be wrong with an index file.

use std::io;

use super::fingerprint::Fingerprint;
use super::layout::{MAX_NAME, VERSION};
use crate::build::Unsupported;

/// Why an index file cannot be opened or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It does not begin like an index.
    #[error("this is no Portolan index; make one with `portolan build`")]
    NotAnIndex,
    /// Made by a program that writes numbers the other way round.
    #[error(
        "the index has the endianness mark {found:#010x} where {expected:#010x} is expected; build it anew with `portolan build`"
    )]
    Endianness {
        /// What a little-endian file says.
        expected: u32,
        /// What this one says.
        found: u32,
    },
    /// Of another version; other versions are never guessed at.
    #[error(
        "the index has format version {found}, this program reads version {supported}; build it anew with `portolan build`"
    )]
    Version {
        /// The version of the file.
        found: u32,
        /// The only one that can be read.
        supported: u32,
    },
    /// Cut short, or something was added behind its end.
    #[error("the index should have {expected} bytes and has {found}; {REPLACE}")]
    Length {
        /// The length that its header tells, or at least demands.
        expected: u64,
        /// The length it has.
        found: u64,
    },
    /// The header or the section table is damaged.
    #[error(
        "the header of the index is damaged: its checksum is {found:016x} and should be {expected:016x}; {REPLACE}"
    )]
    Header {
        /// The checksum that was written.
        expected: u64,
        /// The checksum of what is there.
        found: u64,
    },
    /// More sections than the file has room for.
    #[error("the index tells of {found} sections and has room for {room}; {REPLACE}")]
    TooManySections {
        /// How many there could be.
        room: u64,
        /// How many the header tells of.
        found: u64,
    },
    /// Something else where the name of a section, or of the engine, should be.
    #[error(
        "the name of {what} in the index is not 1 to {MAX_NAME} visible ASCII characters; {REPLACE}"
    )]
    Name {
        /// Whose name.
        what: String,
    },
    /// Bytes that this version leaves empty are not.
    #[error("the header of the index is not empty where version {VERSION} leaves it so; {REPLACE}")]
    Reserved,
    /// Two sections of one name, or in the wrong order.
    #[error("section `{section}` of the index should come after `{before}`; {REPLACE}")]
    Order {
        /// The section before it.
        before: String,
        /// The section whose name is not greater.
        section: String,
    },
    /// A section that does not lie where the one before it ends.
    #[error(
        "section `{section}` of the index should begin at byte {expected} and begins at {found}; {REPLACE}"
    )]
    Offset {
        /// The section.
        section: String,
        /// Where it must begin.
        expected: u64,
        /// Where the table says it begins.
        found: u64,
    },
    /// A section that reaches beyond the end of the file.
    #[error(
        "section `{section}` of the index claims {found} bytes where at most {room} are left; {REPLACE}"
    )]
    Beyond {
        /// The section.
        section: String,
        /// How many bytes are left for it.
        room: u64,
        /// How many the table gives it.
        found: u64,
    },
    /// Built by another engine.
    #[error(
        "the index was built by `{found}`, not by `{expected}`; name that engine or build anew"
    )]
    OtherEngine {
        /// The engine that was asked for.
        expected: String,
        /// The engine that wrote the file.
        found: String,
    },
    /// Built for another map, or for the same one with other rules.
    #[error(
        "the index was built for another map (fingerprint {found}, not {expected}); give the map and the options (moves, corners, terrain, agent, coordinates) that it was built with, or build anew"
    )]
    OtherMap {
        /// The fingerprint of the map at hand.
        expected: Fingerprint,
        /// The fingerprint in the file.
        found: Fingerprint,
    },
    /// The engine cannot serve the map with these settings.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The engine keeps nothing in files, whatever the file says.
    #[error(
        "`{engine}` as it is configured keeps nothing in index files; name the stored bounds that the file was built with, or build it from the map"
    )]
    NothingStored {
        /// The engine.
        engine: String,
    },
    /// A section that the engine needs is not there.
    #[error("the index has no section `{section}`, which `{engine}` needs; {REPLACE}")]
    NoSection {
        /// The section that was asked for.
        section: String,
        /// The engine that wrote the file.
        engine: String,
    },
    /// A section that is not a whole number of elements, or does not lie on their boundary.
    #[error(
        "section `{section}` of the index, {found} bytes, is no array of {element}-byte numbers; {REPLACE}"
    )]
    Shape {
        /// The section.
        section: String,
        /// The size of an element in bytes.
        element: usize,
        /// The size of the section in bytes.
        found: usize,
    },
    /// For engines: a section whose length or numbers cannot be.
    #[error("section `{section}` of the index cannot be used: {reason}; {REPLACE}")]
    Contents {
        /// The section.
        section: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// The full check found a section that is not as it was written.
    #[error(
        "section `{section}` of the index is damaged: its checksum is {found:016x} and should be {expected:016x}; {REPLACE}"
    )]
    Damaged {
        /// The section.
        section: String,
        /// The checksum that was written.
        expected: u64,
        /// The checksum of what is there.
        found: u64,
    },
    /// The full check found something between two sections.
    #[error(
        "byte {at} of the index, behind section `{section}`, is {found:#04x} and should be zero; {REPLACE}"
    )]
    Padding {
        /// The section before it.
        section: String,
        /// Where it lies in the file.
        at: u64,
        /// What is there.
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
    /// A name of an engine or a section that does not fit the format.
    #[error(
        "{name:?} is no name for an engine or a section: 1 to {MAX_NAME} visible ASCII characters"
    )]
    Name {
        /// The name that was given.
        name: String,
    },
    /// Two sections of one name.
    #[error("there are two sections `{section}`")]
    Duplicate {
        /// Their name.
        section: String,
    },
    /// The file cannot be written. An older one of that name is as it was, unless all that failed
    /// was to make sure that the new name outlasts a loss of power.
    #[error("the index cannot be written: {0}")]
    Io(#[from] io::Error),
}

const REPLACE: &str = "copy the file again or build it anew with `portolan build`";

/// Why an engine cannot be kept in an index file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the engine cannot be kept in an index file: {reason}")]
pub struct Unstorable {
    /// What is in the way, and what to do instead.
    pub reason: String,
}

impl Unstorable {
    pub(crate) fn nothing() -> Self {
        Self { reason: "it precomputes nothing, so building it takes no time".into() }
    }
}
