//! Stored heuristics: the trait, and the list of all implementations.
//!
//! To add a stored heuristic, implement [`StoredHeuristic`] and add one line to each of the two lists
//! in this file. Every search, the command line (`--heuristic octile+NAME`), the engines' settings
//! and the index file then support it.

use std::fmt::Debug;
use std::sync::Arc;

use super::{
    Border, BorderConfig, BoundForm, Canonical, CanonicalConfig, Differential, DifferentialConfig,
    Gateway, GatewayConfig,
};
use crate::build::{BuildError, Progress, Unsupported};
use crate::changes::Changes;
use crate::heuristic::Heuristic;
use crate::map::Map;
use crate::portal::bound::{Portal, PortalConfig};
use crate::store::{IndexFile, IndexWriter, OpenError};

/// A heuristic that is precomputed from true distances. It has a memory limit, can be stored in an
/// index file, and follows edits of the map.
pub(crate) trait StoredHeuristic: Heuristic + Send + Sync + Sized + 'static {
    /// Build options.
    type Config: Debug + Clone + PartialEq + Eq + Send + Sync;

    /// The kind of this heuristic.
    const KIND: StoredKind;

    /// Whether bounds stay admissible after edits. If the config allows stale bounds instead, paths
    /// may be longer than necessary.
    fn is_exact(_config: &Self::Config) -> bool {
        true
    }

    /// Whether it can be built on this map. The error says why not.
    fn supports(_map: &Map, _config: &Self::Config) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Computes the distances, on the caller's threads. If the memory limit is too small, the error
    /// ([`BuildError::MemoryLimit`]) has the smallest sufficient limit.
    fn build(map: &Map, config: &Self::Config, progress: &dyn Progress)
    -> Result<Self, BuildError>;

    /// The heuristic for `map`, to which `changes` have already been applied. Its bounds are
    /// admissible, and as tight as is possible in a short time.
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError>;

    /// What was built.
    fn form(&self) -> BoundForm;

    /// Adds sections to an index file. Section names start with the heuristic's name and a dot.
    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>);

    /// Reads sections from an index file, which has been checked to belong to this map. Any number
    /// in them may be wrong; see [`store`](crate::store) for the required checks.
    fn open(index: &IndexFile, map: &Map, config: &Self::Config) -> Result<Self, OpenError>;
}

/// Generates all code that depends on the list of stored heuristics.
macro_rules! stored_heuristics {
    ($($(#[$doc:meta])* $heuristic:ident($config:ident) = $name:literal;)*) => {
        /// The stored heuristics by name.
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum StoredKind {
            $($(#[$doc])* $heuristic,)*
        }

        impl StoredKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$heuristic),*];

            /// The name, on the command line and in index files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$heuristic => $name,)*
                }
            }
        }

        /// A stored heuristic and its config.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum StoredConfig {
            $($(#[$doc])* $heuristic($config),)*
        }

        impl StoredConfig {
            /// The kind of the heuristic.
            pub fn kind(&self) -> StoredKind {
                match self {
                    $(Self::$heuristic(_) => StoredKind::$heuristic,)*
                }
            }

            /// Whether bounds stay admissible after edits. If they may be stale instead, paths may
            /// be longer than necessary.
            pub fn is_exact(&self) -> bool {
                match self {
                    $(Self::$heuristic(config) => $heuristic::is_exact(config),)*
                }
            }

            /// The memory limit in bytes.
            pub fn memory_limit(&self) -> u64 {
                match self {
                    $(Self::$heuristic(config) => config.memory_limit,)*
                }
            }

            /// Whether it can be built on this map. The error says why not.
            pub fn supports(&self, map: &Map) -> Result<(), Unsupported> {
                match self {
                    $(Self::$heuristic(config) => $heuristic::supports(map, config),)*
                }
            }

            /// See [`StoredHeuristic::build`].
            pub(crate) fn build(
                &self,
                map: &Map,
                progress: &dyn Progress,
            ) -> Result<Stored, BuildError> {
                match self {
                    $(Self::$heuristic(config) => {
                        <$heuristic as StoredHeuristic>::build(map, config, progress).map(Stored::from)
                    })*
                }
            }

            /// See [`StoredHeuristic::open`].
            pub(crate) fn open(&self, index: &IndexFile, map: &Map) -> Result<Stored, OpenError> {
                match self {
                    $(Self::$heuristic(config) => {
                        <$heuristic as StoredHeuristic>::open(index, map, config).map(Stored::from)
                    })*
                }
            }
        }

        /// A stored heuristic of any kind. Clones share it.
        #[derive(Clone)]
        pub(crate) enum Stored {
            $($heuristic(Arc<$heuristic>),)*
        }

        $(impl From<$heuristic> for Stored {
            fn from(heuristic: $heuristic) -> Self {
                Self::$heuristic(Arc::new(heuristic))
            }
        })*

        $(impl $heuristic {
            /// Computes the distances on all threads.
            pub fn new(map: &Map, config: &$config) -> Result<Self, BuildError> {
                <Self as StoredHeuristic>::build(map, config, &())
            }

            /// The bounds for `map`, to which `changes` have already been applied. They are
            /// admissible, unless the config allows stale bounds, and as tight as is possible in a
            /// short time.
            pub fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
                <Self as StoredHeuristic>::refreshed(self, map, changes)
            }
        })*
    };
}

stored_heuristics! {
    /// Distances to and from a few landmarks.
    Differential(DifferentialConfig) = "differential";
    /// Distances between canonical nodes, and from each node to the nearest of them.
    Canonical(CanonicalConfig) = "canonical";
    /// Distances between the borders of regions.
    Border(BorderConfig) = "border";
    /// Distances between the gates of zones.
    Gateway(GatewayConfig) = "gateway";
    /// Distances between the portals of regions.
    Portal(PortalConfig) = "portal";
}

/// Runs a block on a [`Stored`] heuristic, compiled for each kind.
macro_rules! on_stored {
    ($stored:expr, $heuristic:ident => $body:expr) => {
        match $stored {
            $crate::true_distance::stored::Stored::Differential($heuristic) => $body,
            $crate::true_distance::stored::Stored::Canonical($heuristic) => $body,
            $crate::true_distance::stored::Stored::Border($heuristic) => $body,
            $crate::true_distance::stored::Stored::Gateway($heuristic) => $body,
            $crate::true_distance::stored::Stored::Portal($heuristic) => $body,
        }
    };
}
pub(super) use on_stored;

impl StoredKind {
    /// The heuristic with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
