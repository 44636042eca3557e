//! Heuristics made of stored distances: what each must have, and the list of all.
//!
//! A heuristic joins every search, the command line (`--heuristic octile+NAME`), the list of
//! engines' settings and the index file by implementing [`Stored`] and one line in the list below.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::{
    Border, BorderConfig, BoundForm, Canonical, CanonicalConfig, Differential, DifferentialConfig,
    Gateway, GatewayConfig,
};
use crate::changes::Changes;
use crate::engine::{BuildError, Unsupported};
use crate::graph::NodeId;
use crate::heuristic::{Heuristic, LowerBound};
use crate::map::Map;
use crate::portal::bound::{Portal, PortalConfig};
use crate::progress::Progress;
use crate::registry::Settings;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// A heuristic that is precomputed from true distances, kept in memory within a limit, stored in an
/// index file, and follows edits of the map.
pub(crate) trait Stored: Heuristic + Send + Sync + Sized + 'static {
    /// What can be chosen when building.
    type Config: Debug + Clone + PartialEq + Eq + Send + Sync;

    /// Which of all it is.
    const KIND: StoredKind;

    /// What a caller has chosen who knows no more than the name; `memory_limit` is this heuristic's
    /// share in bytes.
    fn configure(settings: &Settings, memory_limit: u64) -> Self::Config;

    /// Whether its bounds stay sound after edits; where they may be stale instead, because that was
    /// chosen, paths may be longer than need be.
    fn is_exact(_config: &Self::Config) -> bool {
        true
    }

    /// Whether it can be built on this map, and if not, why.
    fn supports(_map: &Map, _config: &Self::Config) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Finds the distances. Where the memory limit is too small the error says what is needed at
    /// least ([`BuildError::MemoryLimit`]). Threads are the caller's.
    fn build(map: &Map, config: &Self::Config, progress: &dyn Progress)
    -> Result<Self, BuildError>;

    /// The heuristic for the map after these changes, which have already been made in it: sound
    /// again, and as tight as can be had soon.
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError>;

    /// What it is made of.
    fn form(&self) -> BoundForm;

    /// Adds its sections to an index file. Their names begin with the heuristic's own and a dot.
    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>);

    /// Takes its sections from an index file, which has been found to be of this map. Any number in
    /// them may be wrong; see [`store`](crate::store) for what that asks for.
    fn open(index: &IndexFile, map: &Map, config: &Self::Config) -> Result<Self, OpenError>;
}

/// A [`Stored`] heuristic whose type is erased.
pub(crate) trait AnyStored: Any + Send + Sync {
    /// Which of all it is.
    fn kind(&self) -> StoredKind;

    /// See [`Heuristic::toward`].
    fn any_toward(&self, target: NodeId) -> Box<dyn LowerBound + '_>;

    /// See [`Heuristic::away_from`].
    fn any_away_from(&self, source: NodeId) -> Box<dyn LowerBound + '_>;

    /// See [`Heuristic::ahead`].
    fn any_ahead(&self, from: NodeId, to: NodeId) -> Box<dyn LowerBound + '_>;

    /// See [`Heuristic::behind`].
    fn any_behind(&self, from: NodeId, to: NodeId) -> Box<dyn LowerBound + '_>;

    /// See [`Heuristic::is_consistent`].
    fn any_is_consistent(&self) -> bool;

    /// See [`Heuristic::is_patchy`].
    fn any_is_patchy(&self) -> bool;

    /// See [`Heuristic::memory_bytes`].
    fn any_memory_bytes(&self) -> usize;

    /// See [`Stored::refreshed`].
    fn any_refreshed(&self, map: &Map, changes: &Changes)
    -> Result<Arc<dyn AnyStored>, BuildError>;

    /// See [`Stored::form`].
    fn any_form(&self) -> BoundForm;

    /// See [`Stored::store`].
    fn any_store<'a>(&'a self, writer: &mut IndexWriter<'a>);
}

impl<S: Stored> AnyStored for S {
    fn kind(&self) -> StoredKind {
        S::KIND
    }

    fn any_toward(&self, target: NodeId) -> Box<dyn LowerBound + '_> {
        Box::new(self.toward(target))
    }

    fn any_away_from(&self, source: NodeId) -> Box<dyn LowerBound + '_> {
        Box::new(self.away_from(source))
    }

    fn any_ahead(&self, from: NodeId, to: NodeId) -> Box<dyn LowerBound + '_> {
        Box::new(self.ahead(from, to))
    }

    fn any_behind(&self, from: NodeId, to: NodeId) -> Box<dyn LowerBound + '_> {
        Box::new(self.behind(from, to))
    }

    fn any_is_consistent(&self) -> bool {
        self.is_consistent()
    }

    fn any_is_patchy(&self) -> bool {
        self.is_patchy()
    }

    fn any_memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn any_refreshed(
        &self,
        map: &Map,
        changes: &Changes,
    ) -> Result<Arc<dyn AnyStored>, BuildError> {
        Ok(Arc::new(self.refreshed(map, changes)?))
    }

    fn any_form(&self) -> BoundForm {
        self.form()
    }

    fn any_store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        self.store(writer);
    }
}

/// Writes down everything that depends on the list of stored heuristics.
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
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$heuristic),*];

            /// The name, on the command line and in index files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$heuristic => $name,)*
                }
            }

            /// What a caller has chosen who knows no more than the name; `memory_limit` is its
            /// share in bytes.
            pub fn configure(self, settings: &Settings, memory_limit: u64) -> StoredConfig {
                match self {
                    $(Self::$heuristic => {
                        StoredConfig::$heuristic($heuristic::configure(settings, memory_limit))
                    })*
                }
            }
        }

        /// A stored heuristic and what was chosen for it.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum StoredConfig {
            $($(#[$doc])* $heuristic($config),)*
        }

        impl StoredConfig {
            /// Which heuristic it is about.
            pub fn kind(&self) -> StoredKind {
                match self {
                    $(Self::$heuristic(_) => StoredKind::$heuristic,)*
                }
            }

            /// Whether the bounds stay admissible after edits. Where they may be stale instead,
            /// paths may be longer than need be.
            pub fn is_exact(&self) -> bool {
                match self {
                    $(Self::$heuristic(config) => $heuristic::is_exact(config),)*
                }
            }

            /// Bytes that it may take.
            pub fn memory_limit(&self) -> u64 {
                match self {
                    $(Self::$heuristic(config) => config.memory_limit,)*
                }
            }

            /// Whether it can be built on this map, and if not, why.
            pub fn supports(&self, map: &Map) -> Result<(), Unsupported> {
                match self {
                    $(Self::$heuristic(config) => $heuristic::supports(map, config),)*
                }
            }

            /// See [`Stored::build`].
            pub(crate) fn build(
                &self,
                map: &Map,
                progress: &dyn Progress,
            ) -> Result<Arc<dyn AnyStored>, BuildError> {
                Ok(match self {
                    $(Self::$heuristic(config) => {
                        Arc::new(<$heuristic as Stored>::build(map, config, progress)?)
                    })*
                })
            }

            /// See [`Stored::open`].
            pub(crate) fn open(
                &self,
                index: &IndexFile,
                map: &Map,
            ) -> Result<Arc<dyn AnyStored>, OpenError> {
                Ok(match self {
                    $(Self::$heuristic(config) => {
                        Arc::new(<$heuristic as Stored>::open(index, map, config)?)
                    })*
                })
            }
        }

        $(impl $heuristic {
            /// The bounds for the map after these changes, which have already been made in it:
            /// admissible again, unless the configuration allows stale bounds, and as tight as they
            /// can be soon.
            pub fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
                <Self as Stored>::refreshed(self, map, changes)
            }
        })*
    };
}

stored_heuristics! {
    /// Distances to a few landmarks.
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

impl StoredKind {
    /// The heuristic of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// These kinds, each once, as settings configure them with equal shares of so much memory.
    pub(crate) fn configure_all(
        kinds: impl IntoIterator<Item = Self>,
        settings: &Settings,
        memory_limit: u64,
    ) -> Vec<StoredConfig> {
        let mut chosen: Vec<Self> = Vec::new();
        for kind in kinds {
            if !chosen.contains(&kind) {
                chosen.push(kind);
            }
        }
        let kinds = chosen.len().max(1) as u64;
        let (share, rest) = (memory_limit / kinds, memory_limit % kinds);
        let share = |at: u64| share + u64::from(at < rest);
        (0..).zip(chosen).map(|(at, kind)| kind.configure(settings, share(at))).collect()
    }
}
