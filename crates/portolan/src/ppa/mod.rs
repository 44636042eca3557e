//! Partially Precomputed A* (PPA*), after Hewlett: an exact hierarchy of subgraphs with all-pairs
//! tables.
//!
//! The map is cut into regions, each region again, a few times. A leaf's table holds the distances
//! between all of its nodes within the leaf. A higher subgraph consists of the borders of its
//! children, and its table holds the distances between those within its region. A query is plain A*
//! on a small graph (`layers.rs`): up from the start through the borders of ever larger regions,
//! down again to the goal; the hops are then filled in from the tables (`resolve.rs`).
//!
//! What the paper leaves open, and what is done here:
//!
//! - *Directed maps*: a border is a node with an edge that leaves the region in either direction.
//! - *Undirected maps* keep half of each table; the paper keeps all of it.
//! - *How to cut*: where nothing is said, twice into as many regions as make leaves of up to 200
//!   nodes, if the one table at the top fits well into the memory limit: the flatter the hierarchy,
//!   the fewer nodes a search expands. Else by 4, as often as leaves keep at least 48 nodes, at
//!   most five times, which is what the paper does from 50,000 nodes on; more often where the
//!   memory limit asks for it. Where that does not fit after all, the same cuts are grouped into
//!   more levels and the leaves cut once more (`plan.rs`).
//! - *Changes*: the early stop of the paper (a subgraph whose border distances stay the same does
//!   not touch its parent), and in a table only the rows that can change are computed anew
//!   (`refresh.rs`).
//! - *Its future work*: a search from both ends, and tables filled on demand.
//!
//! Complete tables can be kept in an index file (`file.rs`), where queries read them without a
//! copy.

mod build;
mod core;
mod dissect;
mod file;
mod frame;
mod layers;
mod plan;
mod query;
mod refresh;
mod resolve;
mod table;
mod tree;

use std::fmt;

use self::core::Core;
use self::query::{PpaScratch, Run};
use self::table::Shape;
use crate::changes::Changes;
use crate::engine::{
    BuildError, Engine, EngineForm, ScratchPool, Unstorable, Unsupported, debug_by_form,
};
use crate::graph::Graph;
use crate::heuristic::{Heuristic, HeuristicChoice};
use crate::map::{Map, on_graph};
use crate::partition::Partitioner;
use crate::progress::Progress;
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};
use crate::search::answer_by_searching;
use crate::store::{IndexFile, IndexWriter, OpenError};
use crate::threads::in_threads;
use crate::true_distance::{BoundForm, Bounds, StoredConfig, StoredKind, whole_limit};

/// What the tables hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tables {
    /// Distances; paths are worked out from them. The least memory that is fast.
    #[default]
    Distances,
    /// Distances and the step before each node: paths come faster, for about twice the memory.
    Steps,
    /// Distances, each row computed when a query first needs it: the build takes only the time to
    /// cut the map, first queries take longer, and rows that nobody needs take no memory.
    OnDemand,
}

/// What can be chosen when building a [`Ppa`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PpaConfig {
    /// Into how many regions a region is cut. More make the hierarchy flatter: fewer hops, larger
    /// tables above.
    pub branching: usize,
    /// How often regions are cut, 64 times at most. More make smaller tables and longer searches.
    /// `None` chooses this, and where a flat hierarchy is affordable the branching too, by the map
    /// and the memory limit.
    pub splits: Option<usize>,
    /// How cuts are found.
    pub partitioner: Partitioner,
    /// What the tables hold.
    pub tables: Tables,
    /// The geometric lower bound of the search.
    pub heuristic: HeuristicChoice,
    /// Stored bounds beside it; the greatest counts. Their memory is limited by their own
    /// configurations.
    pub stored: Vec<StoredConfig>,
    /// Whether queries search from both ends.
    pub bidirectional: bool,
    /// Bytes that the index may take, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for as many
    /// as it needs.
    pub memory_limit: u64,
    /// Threads for the build; 0 for one per core. The index does not depend on it.
    pub threads: usize,
}

impl Default for PpaConfig {
    fn default() -> Self {
        Self {
            branching: 4,
            splits: None,
            // More tries make cuts a few per cent smaller, and METIS tries one after the other.
            partitioner: Partitioner { tries: 2, ..Partitioner::default() },
            tables: Tables::default(),
            heuristic: HeuristicChoice::Auto,
            stored: Vec::new(),
            bidirectional: false,
            memory_limit: DEFAULT_MEMORY_LIMIT,
            threads: 0,
        }
    }
}

/// The paper cuts five times at most, and graphs of more than 50,000 nodes that often.
const USUAL_SPLITS: usize = 5;
const LEAST_LEAF: usize = 48;

/// Far more cuts than any map needs: each at least halves regions, until they are single nodes.
const MOST_SPLITS: usize = 64;

/// The nodes of a leaf in a flat hierarchy: as many as in the paper's largest maps.
const FLAT_LEAF: usize = 200;

impl PpaConfig {
    /// Builds the config from generic settings.
    pub fn from_settings(settings: &Settings, bidirectional: bool) -> Self {
        let config = Self::default();
        // Stored bounds, if there are any, get half of the memory.
        let room = if settings.stored.is_empty() { 0 } else { settings.memory_limit / 2 };
        let kinds = settings.stored.iter().copied();
        Self {
            partitioner: Partitioner { seed: settings.seed, ..config.partitioner },
            heuristic: settings.heuristic,
            stored: StoredKind::configure_all(kinds, settings, room),
            bidirectional,
            memory_limit: settings.memory_limit - room,
            threads: settings.threads,
            ..config
        }
    }

    /// What stands in the way of the bounds, the tables or both. Where each may take half of a
    /// limit, the error names the whole limit, and what it has to be for both.
    fn refused(&self, bounds: Option<BuildError>, tables: Option<BuildError>) -> BuildError {
        let halves = whole_limit(&self.stored);
        let halves = halves.filter(|limit| limit.abs_diff(self.memory_limit) <= 1);
        let whole = halves.map(|limit| limit.saturating_add(self.memory_limit));
        let of = |error: &Option<BuildError>| match error {
            Some(BuildError::MemoryLimit { needed, .. }) => Some(*needed),
            Some(_) => None,
            None => Some(0),
        };
        match (of(&bounds), of(&tables), whole, bounds, tables) {
            (Some(a), Some(b), Some(limit), ..) => {
                let needed = a.max(b).saturating_mul(2);
                BuildError::MemoryLimit { needed, limit, smaller: None }
            }
            (Some(_), None, .., Some(error)) | (.., Some(error), _) | (.., Some(error)) => error,
            (.., None, None) => BuildError::Cancelled,
        }
    }

    /// Into how many regions to cut twice for a flat hierarchy; `None` for maps too small to
    /// bother.
    fn flat_branching(&self, nodes: usize) -> Option<usize> {
        let affordable = self.memory_limit / 4 / nodes.max(1) as u64;
        let leaf = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(24, FLAT_LEAF);
        let branching = (nodes / leaf).isqrt();
        (branching >= 8 && self.splits.is_none()).then_some(branching)
    }

    /// Whether the top table of a flat hierarchy with so many members leaves room for all others;
    /// where memory has no limit, by the usual one.
    fn is_affordable(&self, top_members: usize) -> bool {
        let bytes = (top_members * top_members) as u64 * 4;
        let is_unlimited = self.memory_limit == u64::MAX;
        bytes <= if is_unlimited { DEFAULT_MEMORY_LIMIT } else { self.memory_limit } / 4
    }

    /// How often a map of this many nodes is cut into [`branching`](Self::branching) regions.
    fn splits(&self, nodes: usize) -> usize {
        if let Some(splits) = self.splits {
            return splits;
        }
        let branching = self.branching.max(2);
        let leaf_size = |splits: usize| nodes / branching.saturating_pow(splits as u32);
        let mut splits = (0..=USUAL_SPLITS).rev().find(|&splits| leaf_size(splits) >= LEAST_LEAF);
        // The leaves take most of the memory; half of what is allowed leaves room for the rest.
        let limit = self.memory_limit / 2;
        while splits.is_some_and(|splits| {
            leaf_size(splits) >= 2 * LEAST_LEAF / branching
                && nodes as u128 * leaf_size(splits) as u128 * 2 > u128::from(limit)
        }) {
            splits = splits.map(|splits| splits + 1);
        }
        splits.unwrap_or(0)
    }

    fn steps(&self) -> bool {
        self.tables == Tables::Steps
    }

    fn shape(&self, undirected: bool) -> Shape {
        match self.tables {
            Tables::OnDemand => Shape::OnDemand,
            _ if undirected => Shape::Half,
            _ => Shape::Full,
        }
    }
}

/// The index of Partially Precomputed A*.
///
/// ```
/// use portolan::ppa::{Ppa, PpaConfig};
/// use portolan::{Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let ppa = Ppa::build(&map, &PpaConfig::default())?;
/// let mut query = ppa.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ppa {
    core: Core,
    config: PpaConfig,
    bounds: Bounds,
    pool: ScratchPool<PpaScratch>,
}

/// What an index is made of, for reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PpaSummary {
    /// Subgraphs on each level, the leaves first.
    pub subgraphs: Vec<usize>,
    /// Borders of all leaves together.
    pub leaf_borders: usize,
    /// Members of the top subgraph.
    pub top_members: usize,
    /// Bytes of the tables.
    pub table_bytes: usize,
    /// Bytes that the matrix of all pairs of nodes would take at four bytes a pair.
    pub full_matrix_bytes: u128,
}

/// What a [`Ppa`] is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PpaForm {
    /// How many leaves there are.
    pub leaves: usize,
    /// How often regions are cut.
    pub cuts: usize,
    /// Into how many regions, at least and at most.
    pub into: (usize, usize),
    /// What the tables hold.
    pub tables: Tables,
    /// Stored bounds beside them.
    pub bounds: Vec<BoundForm>,
}

impl fmt::Display for PpaForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { leaves, cuts, into: (least, most), tables, bounds } = self;
        write!(out, "{leaves} leaves by {cuts} cuts into {least}")?;
        if least != most {
            write!(out, " to {most}")?;
        }
        out.write_str(match tables {
            Tables::Distances => ", distances",
            Tables::Steps => ", distances and steps",
            Tables::OnDemand => ", distances on demand",
        })?;
        bounds.iter().try_for_each(|bound| write!(out, "; {bound}"))
    }
}

impl Ppa {
    /// What the index is made of.
    pub fn summary(&self) -> PpaSummary {
        let tree = &self.core.tree;
        let leaves = tree.level(0).map(|leaf| self.core.subgraph(leaf));
        let nodes = self.core.map.usable_count() as u128;
        PpaSummary {
            subgraphs: (0..tree.levels()).map(|level| tree.level(level).len()).collect(),
            leaf_borders: leaves.map(|leaf| leaf.borders).sum(),
            top_members: self.core.subgraphs.last().map_or(0, |top| top.members.len()),
            table_bytes: self.core.table_bytes(),
            full_matrix_bytes: nodes * nodes * 4,
        }
    }

    /// Whether the configuration makes sense on this map.
    fn check(map: &Map, config: &PpaConfig) -> Result<(), Unsupported> {
        let refused = |reason| Err(Unsupported { method: name_of(config), reason });
        match (config.branching, config.splits) {
            (_, Some(splits)) if splits > MOST_SPLITS => {
                return refused(format!("it cannot be cut {splits} times; at most {MOST_SPLITS}"));
            }
            (branching @ 0..2, splits) if splits != Some(0) => {
                return refused(format!("regions cannot be cut into {branching}; at least 2"));
            }
            _ => {}
        }
        Bounds::support(name_of(config), map, config.heuristic, &config.stored)
    }
}

debug_by_form!(Ppa);

impl Engine for Ppa {
    type Config = PpaConfig;
    type Scratch = PpaScratch;

    fn name(&self) -> &'static str {
        name_of(&self.config)
    }

    fn exact(&self) -> bool {
        self.config.stored.iter().all(StoredConfig::is_exact)
    }

    fn supports(map: &Map, config: &PpaConfig) -> Result<(), Unsupported> {
        Self::check(map, config)
    }

    fn build_watched(
        map: &Map,
        config: &PpaConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Self::check(map, config)?;
        let undirected = on_graph!(map, graph => graph.is_undirected());
        in_threads(config.threads, || {
            let PpaConfig { heuristic, stored, .. } = config;
            let bounds = Bounds::build(name_of(config), map, *heuristic, stored, progress);
            let core = match &bounds {
                // How much the tables take is part of the answer.
                Err(BuildError::MemoryLimit { .. }) => {
                    build::check(map, config, undirected, progress).map(|()| None)
                }
                Err(_) => Ok(None),
                Ok(_) => build::build(map, config, undirected, progress).map(Some),
            };
            match (bounds, core) {
                (Ok(bounds), Ok(Some(core))) => {
                    Ok(Self { core, config: config.clone(), bounds, pool: ScratchPool::default() })
                }
                (bounds, core) => Err(config.refused(bounds.err(), core.err())),
            }
        })?
    }

    fn refresh(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        let anew = || Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? });
        if !map.follows(&self.core.map, changes) {
            return anew();
        }
        let bounds = self.bounds.refreshed(name_of(&self.config), map, changes)?;
        match refresh::refresh(&self.core, map, changes, self.config.steps()) {
            // A fresh one may be smaller.
            Some(core) if core.memory_bytes() as u64 > self.config.memory_limit => anew(),
            Some(core) => {
                let (config, pool) = (self.config.clone(), self.pool.clone());
                Ok(Self { core, config, bounds, pool })
            }
            None => anew(),
        }
    }

    fn memory_bytes(&self) -> usize {
        self.core.memory_bytes() + self.bounds.memory_bytes()
    }

    fn form(&self) -> Option<EngineForm> {
        let tree = &self.core.tree;
        let most = |level| tree.level(level).map(|id| tree.children(id).len()).max().unwrap_or(0);
        let into = match (1..tree.levels()).map(most) {
            levels if self.core.regrouped => {
                levels.fold((usize::MAX, 0), |(a, b), n| (a.min(n), b.max(n)))
            }
            _ => {
                let of_top = tree.children(tree.subgraph_count() as u32 - 1).len();
                (of_top, of_top)
            }
        };
        Some(EngineForm::Ppa(PpaForm {
            leaves: tree.leaf_count(),
            cuts: tree.levels() - 1,
            into,
            tables: self.config.tables,
            bounds: self.bounds.forms(),
        }))
    }

    fn storable(config: &PpaConfig) -> Result<(), Unstorable> {
        match config.tables {
            Tables::Distances | Tables::Steps => Ok(()),
            Tables::OnDemand => Err(Unstorable {
                reason: "tables on demand are never complete; build the tables of distances".into(),
            }),
        }
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        Self::storable(&self.config)?;
        let mut writer = file::store(&self.core, &self.config);
        self.bounds.store(&mut writer);
        Ok(writer)
    }

    /// How the map is cut and what the tables hold is the file's; the lower bound, the threads and
    /// how cuts are found from now on are the configuration's, and so is the memory limit unless
    /// the index is larger already.
    fn open(index: &IndexFile, map: &Map, config: &PpaConfig) -> Result<Self, OpenError> {
        index.check_engine(name_of(config))?;
        index.check_map(map)?;
        Self::check(map, config)?;
        let PpaConfig { heuristic, stored, .. } = config;
        let bounds = Bounds::open(name_of(config), index, map, *heuristic, stored)?;
        let (core, cut) = file::open(index, map)?;
        let bytes = core.memory_bytes() as u64;
        let config = PpaConfig {
            branching: cut.branching.unwrap_or(PpaConfig::default().branching),
            splits: cut.branching.map(|_| core.tree.levels() - 1),
            tables: cut.tables,
            memory_limit: if bytes <= config.memory_limit { config.memory_limit } else { u64::MAX },
            ..config.clone()
        };
        Ok(Self { core, config, bounds, pool: ScratchPool::default() })
    }

    fn map(&self) -> &Map {
        &self.core.map
    }

    answer_by_searching!(PpaScratch);
}

fn name_of(config: &PpaConfig) -> &'static str {
    if config.bidirectional { "ppa-bidirectional" } else { "ppa" }
}
