//! The differential heuristic: lower bounds from true distances to a few landmarks.
//!
//! Known as differential heuristic (DH) in search and as ALT (A*, landmarks, triangle inequality; Goldberg and Harrelson
//! 2005) on roads. A table holds the distance between every node and every landmark (`table.rs`); the triangle inequality
//! makes bounds of them (`bound.rs`), from above as well, which tell a search what it need not keep.

mod bound;
mod config;
mod field;
mod file;
mod place;
mod table;

pub use bound::DifferentialBound;
pub use config::{DifferentialConfig, Placement};

use self::bound::End;
use self::table::Table;
use super::{Heuristic, LowerBound, Stored, StoredKind};
use crate::changes::Changes;
use crate::engine::{BuildError, Settings};
use crate::graph::NodeId;
use crate::map::Map;
use crate::progress::Progress;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// Lower bounds from landmarks.
///
/// ```
/// use portolan::heuristic::{Differential, DifferentialConfig, Heuristic, LowerBound};
/// use portolan::{Grid, Map};
/// let map = Map::from(Grid::from_fn(20, 9, |x, y| x != 10 || y == 8)?);
/// let landmarks = Differential::new(&map, &DifferentialConfig::default())?;
/// assert_eq!(landmarks.landmarks().len(), 8);
/// assert!(landmarks.toward(19).at(0) > Some(19 * portolan::cost::STRAIGHT), "the way round the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Differential {
    table: Table,
    config: DifferentialConfig,
}

impl Differential {
    /// Places landmarks and finds their distances.
    pub fn new(map: &Map, config: &DifferentialConfig) -> Result<Self, BuildError> {
        Self::build(map, config, &())
    }

    /// Where the landmarks are.
    pub fn landmarks(&self) -> &[NodeId] {
        self.table.landmarks()
    }

    /// Never below the distance from one node to another; [`UNREACHABLE`](crate::UNREACHABLE) where nothing is known.
    pub fn upper_bound(&self, from: NodeId, to: NodeId) -> crate::Cost {
        self.table.upper(from, to)
    }

    fn bound(&self, node: NodeId, end: End) -> DifferentialBound<'_> {
        DifferentialBound::new(&self.table, node, end)
    }
}

impl Heuristic for Differential {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, End::Target)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, End::Source)
    }

    fn ahead(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.bound(to, End::Target).with_upper(self.table.upper(from, to))
    }

    fn behind(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.bound(from, End::Source).with_upper(self.table.upper(from, to))
    }

    fn is_consistent(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }
}

impl Stored for Differential {
    type Config = DifferentialConfig;

    const KIND: StoredKind = StoredKind::Differential;

    fn configure(settings: &Settings, memory_limit: u64) -> DifferentialConfig {
        DifferentialConfig::from_settings(settings, memory_limit)
    }

    fn build(
        map: &Map,
        config: &DifferentialConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let directed = !map.is_undirected();
        let column = map.node_count() as u64 * 4 * if directed { 2 } else { 1 };
        let limit = config.memory_limit.unwrap_or(u64::MAX);
        let fitting = limit.checked_div(column + 4).unwrap_or(u64::MAX);
        if fitting == 0 && config.landmarks > 0 {
            return Err(BuildError::MemoryLimit { needed: column + 4, limit, smaller: None });
        }
        let count = usize::try_from(fitting).unwrap_or(usize::MAX).min(config.landmarks);
        let fields = place::place(map, config, count, progress)?;
        let table = Table::new(map.node_count(), directed, &fields);
        Ok(Self { table, config: config.clone() })
    }

    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::new(map, &self.config)
    }

    fn form(&self) -> String {
        format!("{} landmarks", self.landmarks().len())
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        file::store(&self.table, writer);
    }

    fn open(index: &IndexFile, map: &Map, config: &DifferentialConfig) -> Result<Self, OpenError> {
        Ok(Self { table: file::open(index, map)?, config: config.clone() })
    }
}
