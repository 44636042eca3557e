//! Why an engine cannot be built.

use std::fmt;

use super::ThreadError;
use crate::partition::PartitionError;

/// Why a method cannot serve a map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} cannot serve this map: {reason}")]
pub struct Unsupported {
    /// The method's name.
    pub method: &'static str,
    /// What is in the way, and what to do instead.
    pub reason: String,
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

impl BuildError {
    /// Fails if an index of `needed` bytes exceeds the limit.
    pub(crate) fn check_limit(needed: u64, limit: u64) -> Result<(), Self> {
        if needed <= limit {
            Ok(())
        } else {
            Err(Self::MemoryLimit { needed, limit, smaller: None })
        }
    }
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
