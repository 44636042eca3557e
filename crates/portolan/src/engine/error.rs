//! Why there is no answer, no engine, or no file.

use std::fmt;

use crate::graph::NodeId;
use crate::location::{Extent, Location};
use crate::map::IllegalPath;
use crate::partition::PartitionError;
use crate::registry::METHODS;
use crate::threads::ThreadError;

/// Why a query has no answer, not even "no path".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// A cell or node that is not on the map.
    #[error("{at} is not on the map; {extent}")]
    Outside {
        /// What was named.
        at: Location,
        /// How far the map extends.
        extent: Extent,
    },
    /// A cell or node that no path can start or end at.
    #[error("{at} is blocked; take the nearest passable one instead")]
    Blocked {
        /// What was named.
        at: Location,
    },
    /// There is a path, but its cost does not fit into a [`Cost`](crate::Cost).
    #[error(
        "the path from {from} to {to} costs {} or more, beyond what a cost can hold; scale the weights down",
        crate::UNREACHABLE
    )]
    CostOverflow {
        /// Where the path starts.
        from: Location,
        /// Where it ends.
        to: Location,
    },
    /// The engine gave something that is no path. This is a bug in the engine, or its index file is
    /// damaged ([`IndexFile::verify`](crate::store::IndexFile::verify) tells).
    #[error(
        "internal error: the path from {from} to {to} is not valid: {fault}; please report it, or check the index file"
    )]
    InvalidPath {
        /// Where the path should start.
        from: Location,
        /// Where it should end.
        to: Location,
        /// What is wrong with it.
        fault: IllegalPath,
    },
}

impl EndpointError {
    /// Both ends of a path whose cost is too large.
    pub(crate) fn overflow(extent: Extent, from: NodeId, to: NodeId) -> Self {
        Self::CostOverflow { from: extent.location(from), to: extent.location(to) }
    }

    /// What an engine gave for this pair is no path.
    pub(crate) fn invalid(
        extent: Extent,
        (from, to): (NodeId, NodeId),
        fault: IllegalPath,
    ) -> Self {
        Self::InvalidPath { from: extent.location(from), to: extent.location(to), fault }
    }
}

/// No engine has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine is called `{name}`; {}there are {}", meant(name), known())]
pub struct UnknownEngine {
    /// The name that was given.
    pub name: String,
}

fn meant(name: &str) -> String {
    let name = name.to_lowercase();
    let names = METHODS.iter().map(|method| method.name());
    let nearest = names.map(|known| (strsim::damerau_levenshtein(&name, known), known)).min();
    match nearest {
        Some((distance, known)) if distance <= known.len() / 2 => {
            format!("did you mean `{known}`? ")
        }
        _ => String::new(),
    }
}

fn known() -> String {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
    names.join(", ")
}

/// Why a method cannot serve a map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} cannot serve this map: {reason}")]
pub struct Unsupported {
    /// The method's name.
    pub method: &'static str,
    /// What is in the way, and what to do instead.
    pub reason: String,
}

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

/// An engine that takes less memory than the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smaller {
    /// The name of the engine.
    pub engine: &'static str,
    /// Bytes that its index takes.
    pub needed: u64,
}

impl Smaller {
    fn advice(&self) -> String {
        format!(", or choose {}, which takes {:.1} MiB", self.engine, mebibytes(self.needed))
    }
}

/// Why an engine cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The method cannot serve this map with these settings.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The map cannot be cut into regions.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// The index does not fit into the memory that was allowed.
    #[error(
        "the index takes at least {} and {} are allowed; allow that much{}",
        Amount(*needed), Amount(*limit), smaller.as_ref().map_or(String::new(), Smaller::advice)
    )]
    MemoryLimit {
        /// What it takes; the least of all forms that were tried.
        needed: u64,
        /// What was allowed.
        limit: u64,
        /// Another engine, close to this one, that would fit.
        smaller: Option<Smaller>,
    },
    /// The threads that were asked for could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The caller's progress callback stopped the build.
    #[error("the build was cancelled")]
    Cancelled,
}

/// An amount of memory as people read it, and to the byte: `12.3 MiB (12,902,400 bytes)`.
struct Amount(u64);

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        let digits = bytes.to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .filter_map(|group| str::from_utf8(group).ok())
            .collect();
        let exact = groups.join(",");
        match bytes {
            0..0x10_0000 => write!(out, "{exact} bytes"),
            _ => write!(out, "{:.1} MiB ({exact} bytes)", mebibytes(bytes)),
        }
    }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
