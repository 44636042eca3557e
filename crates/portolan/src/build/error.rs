//! Errors of builds.

use std::fmt;

use super::ThreadError;
use crate::partition::PartitionError;

/// A method that cannot serve a map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} cannot serve this map: {reason}")]
pub struct Unsupported {
    /// The method's name.
    pub method: &'static str,
    /// The reason, and what to do instead.
    pub reason: String,
}

/// An engine that takes less memory than the requested one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smaller {
    /// The name of the engine.
    pub engine: &'static str,
    /// The size of its index in bytes.
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
    /// The map cannot be partitioned.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// The index does not fit into the memory limit.
    #[error(
        "the index takes at least {} and {} are allowed; allow that much{}",
        Amount(*needed), Amount(*limit), smaller.as_ref().map_or(String::new(), Smaller::advice)
    )]
    MemoryLimit {
        /// The bytes needed by the smallest form of the index.
        needed: u64,
        /// The memory limit in bytes.
        limit: u64,
        /// A similar engine that fits.
        smaller: Option<Smaller>,
    },
    /// The requested threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The [`TableSolver`](super::TableSolver) of the build failed.
    #[error("the tables could not be computed: {reason}; build without the solver")]
    Solver {
        /// What the solver reports.
        reason: String,
    },
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

/// Formats an amount of memory: `12.3 MiB (12,902,400 bytes)`.
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
