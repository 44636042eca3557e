//! Builds the configurations of engines from generic settings.
//!
//! Configurations that count in bytes take the limit of [`Settings::on`] a map, or the least one.

use super::Settings;
use crate::atlas::{AtlasConfig, Form};
use crate::hpa::{HpaConfig, ShpaConfig};
use crate::partition::Partitioner;
use crate::portal::bound::PortalConfig;
use crate::ppa::PpaConfig;
use crate::search_engine::{Algorithm, SearchConfig};
use crate::true_distance::differential::AfterEdits;
use crate::true_distance::{
    BorderConfig, CanonicalConfig, DifferentialConfig, GatewayConfig, StoredConfig, StoredKind,
};

impl SearchConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(algorithm: Algorithm, settings: &Settings) -> Self {
        let kinds = settings.stored.iter().copied();
        let kinds = kinds.filter(|_| algorithm != Algorithm::Dijkstra);
        Self {
            stored: StoredKind::configure_all(kinds, settings, settings.memory_limit.least_bytes()),
            threads: settings.threads,
            ..Self::new(algorithm, settings.heuristic)
        }
    }

    /// Builds the config of A* under the name of a stored heuristic, which it uses in addition to
    /// the stored bounds of the settings.
    pub fn named(kind: StoredKind, settings: &Settings) -> Self {
        let kinds = [kind].into_iter().chain(settings.stored.iter().copied());
        Self {
            stored: StoredKind::configure_all(kinds, settings, settings.memory_limit.least_bytes()),
            named: Some(kind),
            threads: settings.threads,
            ..Self::new(Algorithm::AStar, settings.heuristic)
        }
    }

    /// Builds the config of A* with landmarks whose bounds may be stale after an edit.
    pub fn stale_landmarks(settings: &Settings) -> Self {
        let mut config = Self::named(StoredKind::Differential, settings);
        for stored in &mut config.stored {
            if let StoredConfig::Differential(landmarks) = stored {
                landmarks.after_edits = AfterEdits::Stale;
            }
        }
        config
    }
}

impl DifferentialConfig {
    /// Builds the config from generic settings. Bounds stay admissible after edits, because only
    /// the method `differential-stale` may make them stale.
    pub fn from_settings(settings: &Settings, memory_limit: u64) -> Self {
        Self {
            memory_limit,
            after_edits: AfterEdits::Exact,
            seed: settings.seed,
            ..settings.differential.clone()
        }
    }
}

impl PortalConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings, memory_limit: u64) -> Self {
        let Settings { heuristic, seed, threads, .. } = *settings;
        Self { memory_limit, heuristic, seed, threads, ..Self::default() }
    }
}

impl PpaConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings, bidirectional: bool) -> Self {
        let config = Self::default();
        // Stored bounds, if there are any, get half of the memory.
        let memory_limit = settings.memory_limit.least_bytes();
        let stored_limit = if settings.stored.is_empty() { 0 } else { memory_limit / 2 };
        let kinds = settings.stored.iter().copied();
        Self {
            partitioner: Partitioner { seed: settings.seed, ..config.partitioner },
            heuristic: settings.heuristic,
            stored: StoredKind::configure_all(kinds, settings, stored_limit),
            bidirectional,
            memory_limit: memory_limit - stored_limit,
            threads: settings.threads,
            ..config
        }
    }
}

impl AtlasConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings, form: Form) -> Self {
        let config = Self::default();
        Self {
            form,
            memory_limit: settings.memory_limit,
            partitioner: Partitioner { seed: settings.seed, ..config.partitioner },
            threads: settings.threads,
            ..config
        }
    }
}

impl HpaConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings, cached: bool) -> Self {
        Self {
            cluster_size: settings.cluster_size,
            levels: if cached { 1 } else { settings.cluster_levels },
            cached,
            heuristic: settings.heuristic,
            memory_limit: settings.memory_limit.least_bytes(),
            threads: settings.threads,
            ..Self::default()
        }
    }
}

impl ShpaConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            cluster_size: settings.cluster_size,
            heuristic: settings.heuristic,
            memory_limit: settings.memory_limit.least_bytes(),
            ..Self::default()
        }
    }
}

impl StoredKind {
    /// Builds the config of this heuristic from generic settings; `memory_limit` is its share in
    /// bytes.
    pub fn configure(self, settings: &Settings, memory_limit: u64) -> StoredConfig {
        let Settings { heuristic, seed, .. } = *settings;
        match self {
            Self::Differential => StoredConfig::Differential(DifferentialConfig::from_settings(
                settings,
                memory_limit,
            )),
            Self::Canonical => StoredConfig::Canonical(CanonicalConfig {
                memory_limit,
                heuristic,
                seed,
                ..CanonicalConfig::default()
            }),
            Self::Border => StoredConfig::Border(BorderConfig {
                memory_limit,
                heuristic,
                seed,
                ..BorderConfig::default()
            }),
            Self::Gateway => StoredConfig::Gateway(GatewayConfig { memory_limit, heuristic }),
            Self::Portal => {
                StoredConfig::Portal(PortalConfig::from_settings(settings, memory_limit))
            }
        }
    }

    /// The configs of these kinds, each once, with equal shares of the memory limit.
    fn configure_all(
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
