//! The canonical heuristic (CH) of Sturtevant, Felner, Barer, Schaeffer and Burch (2009).
//!
//! The distances between all of some *canonical* nodes are stored, and of every node the few
//! canonical ones that are nearest to it with their distances. Between nodes a and b the way from a
//! canonical node C by way of a and b to a canonical node D is no shorter than the stored one, so a
//! path costs at least d(C, D) - d(C, a) - d(b, D); the greatest over all stored C and D counts.
//!
//! On directed maps a node has two lists: the canonical nodes that are nearest to it, and those
//! that it is nearest to.
//!
//! What the papers leave open: canonical nodes are placed one after the other where all others are
//! farthest (`place.rs`); how many a node stores is found by trying, on pairs drawn at random, what
//! bounds best within the memory limit. Where costs outgrow their numbers, the bound is the
//! geometric one.

mod file;
mod near;
mod place;

use rayon::prelude::*;

use self::near::Near;
use super::costs::common_unit;
use super::matrix::Matrix;
use super::ranks::Ranks;
use super::{BoundForm, Stored, StoredKind};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::engine::{BuildError, Unsupported};
use crate::generate::Random;
use crate::graph::{Graph, NodeId};
use crate::heuristic::{Geometric, GeometricBound, Heuristic, HeuristicChoice, LowerBound};
use crate::map::{Map, on_graph};
use crate::progress::{Progress, Watch};
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};
use crate::search::{Scratch, dijkstra};
use crate::store::{IndexFile, IndexWriter, OpenError};

/// What can be chosen when building a [`Canonical`] heuristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalConfig {
    /// Bytes that everything stored may take. More buys more canonical nodes and tighter bounds.
    pub memory_limit: u64,
    /// The most canonical nodes, whatever memory is left: each takes a search over the map.
    pub most: usize,
    /// How many canonical nodes each node stores; `None` for the number that bounds best.
    pub nearest: Option<usize>,
    /// A geometric bound beside it.
    pub heuristic: HeuristicChoice,
    /// What the first canonical node and trials are drawn from.
    pub seed: u64,
}

impl Default for CanonicalConfig {
    fn default() -> Self {
        let heuristic = HeuristicChoice::Auto;
        Self { memory_limit: DEFAULT_MEMORY_LIMIT, most: 2048, nearest: None, heuristic, seed: 1 }
    }
}

/// Bounds from distances between canonical nodes.
///
/// ```
/// use portolan::true_distance::{Canonical, CanonicalConfig};
/// use portolan::heuristic::{Heuristic, LowerBound};
/// use portolan::{Grid, Map};
/// let map = Map::from(Grid::from_fn(20, 9, |x, y| x != 10 || y == 8)?);
/// let canonical = Canonical::new(&map, &CanonicalConfig::default())?;
/// assert!(canonical.toward(19).at(0) > Some(19 * portolan::cost::STRAIGHT), "the way round the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Canonical {
    config: CanonicalConfig,
    base: Geometric,
    tables: Tables,
}

debug_by_name!("Canonical", [] Canonical, |canonical| "form" = canonical.form(), "config" = canonical.config);

/// What is stored.
struct Tables {
    ranks: Ranks,
    distances: Matrix,
    /// From canonical nodes to each node.
    from: Near,
    /// From each node to canonical ones, where that differs.
    to: Option<Near>,
    heavy: bool,
}

/// More than this many never bound best.
const MOST_NEAREST: usize = 4;

/// Pairs of nodes that numbers of nearest nodes are tried on.
const TRIALS: usize = 400;

impl Canonical {
    /// Places canonical nodes and finds distances on all threads.
    pub fn new(map: &Map, config: &CanonicalConfig) -> Result<Self, BuildError> {
        <Self as Stored>::build(map, config, &())
    }

    /// How many canonical nodes there are, and how many each node stores.
    pub fn sizes(&self) -> (usize, usize) {
        (self.tables.distances.size(), self.tables.from.each())
    }

    fn base(map: &Map, config: &CanonicalConfig) -> Result<Geometric, Unsupported> {
        Geometric::serving(Self::KIND.name(), map, config.heuristic)
    }

    fn bound(&self, end: NodeId, turned: bool) -> CanonicalBound<'_> {
        CanonicalBound { straight: self.base.with_end(end), stored: self.tables.bound(end, turned) }
    }
}

impl Heuristic for Canonical {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, false)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, true)
    }

    fn memory_bytes(&self) -> usize {
        self.tables.memory_bytes()
    }
}

impl Tables {
    fn near(&self, leaving: bool) -> &Near {
        self.to.as_ref().filter(|_| leaving).unwrap_or(&self.from)
    }

    fn bound(&self, end: NodeId, turned: bool) -> TableBound<'_> {
        // Ways lead from a canonical node to where they start, and to one from where they end.
        let near = self.near(!turned);
        let ends = self.ranks.rank(end).map(|rank| near.of(rank).collect());
        TableBound { tables: self, turned, ends: ends.unwrap_or_default() }
    }

    fn memory_bytes(&self) -> usize {
        let to = self.to.as_ref().map_or(0, Near::memory_bytes);
        self.ranks.memory_bytes() + self.distances.memory_bytes() + self.from.memory_bytes() + to
    }

    /// What tables of so many canonical nodes take.
    fn bytes(
        ranks: &Ranks,
        (undirected, unit): (bool, Option<Cost>),
        canonical: usize,
        nearest: usize,
    ) -> u64 {
        let lists = if undirected { 1 } else { 2 };
        let near = Near::bytes(ranks.count(), nearest, unit).saturating_mul(lists);
        let distances = Matrix::bytes(canonical, undirected, unit);
        near.saturating_add(ranks.memory_bytes() as u64).saturating_add(distances)
    }
}

/// Bounds of [`Tables`] with one end fixed.
struct TableBound<'a> {
    tables: &'a Tables,
    turned: bool,
    /// Canonical nodes near the fixed end.
    ends: Vec<(u16, Cost)>,
}

impl TableBound<'_> {
    #[inline]
    fn at(&self, node: NodeId) -> Option<Cost> {
        let Some(rank) = self.tables.ranks.rank(node).filter(|_| !self.tables.heavy) else {
            return Some(0);
        };
        let mut most = 0;
        for (here, near) in self.tables.near(self.turned).of(rank) {
            for &(there, rest) in &self.ends {
                let (from, to) = if self.turned { (there, here) } else { (here, there) };
                match self.tables.distances.between(from.into(), to.into()) {
                    // A path would make a way from one to the other.
                    UNREACHABLE => return None,
                    way => most = most.max(way.saturating_sub(near).saturating_sub(rest)),
                }
            }
        }
        Some(most)
    }
}

struct CanonicalBound<'a> {
    straight: GeometricBound,
    stored: TableBound<'a>,
}

impl LowerBound for CanonicalBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        Some(self.straight.at(node)?.max(self.stored.at(node)?))
    }
}

impl Stored for Canonical {
    type Config = CanonicalConfig;

    const KIND: StoredKind = StoredKind::Canonical;

    fn configure(settings: &Settings, memory_limit: u64) -> CanonicalConfig {
        let Settings { heuristic, seed, .. } = *settings;
        CanonicalConfig { memory_limit, heuristic, seed, ..CanonicalConfig::default() }
    }

    fn supports(map: &Map, config: &CanonicalConfig) -> Result<(), Unsupported> {
        Self::base(map, config).map(|_| ())
    }

    fn build(
        map: &Map,
        config: &CanonicalConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Self::base(map, config)?;
        let tables =
            on_graph!(map, graph => Building::new(graph, map, config).build(&base, progress))?;
        Ok(Self { config: config.clone(), base, tables })
    }

    /// Builds anew.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::new(map, &self.config)
    }

    fn form(&self) -> BoundForm {
        let (canonical, nearest) = self.sizes();
        BoundForm::Canonical { canonical, nearest }
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        file::store(&self.tables, writer);
    }

    fn open(index: &IndexFile, map: &Map, config: &CanonicalConfig) -> Result<Self, OpenError> {
        let base = Self::base(map, config)?;
        Ok(Self { config: config.clone(), base, tables: file::open(index, map)? })
    }
}

struct Building<'a, G> {
    graph: &'a G,
    config: &'a CanonicalConfig,
    ranks: Ranks,
    undirected: bool,
    /// What distances are counted in.
    unit: Option<Cost>,
}

impl<'a, G: Graph> Building<'a, G> {
    fn new(graph: &'a G, map: &Map, config: &'a CanonicalConfig) -> Self {
        let (ranks, unit) = (Ranks::of(map), common_unit(map));
        Self { graph, config, ranks, undirected: graph.is_undirected(), unit }
    }

    fn build(self, base: &Geometric, progress: &dyn Progress) -> Result<Tables, BuildError> {
        let sizes = self.sizes()?;
        let most = sizes.iter().map(|&(canonical, _)| canonical).max().unwrap_or(0);
        let nodes = place::farthest(self.graph, &self.ranks, most, self.config.seed);
        let (rows, heavy) = self.rows(&nodes, progress)?;
        let pairs = self.pairs();
        let mut best: Option<(u64, Tables)> = None;
        for (canonical, nearest) in sizes {
            let tables = self.tables(&nodes, &rows, (canonical, nearest), heavy);
            let sum = pairs.iter().map(|&(from, to)| {
                let straight = base.with_end(to).at(from).unwrap_or(0);
                u64::from(tables.bound(to, false).at(from).unwrap_or(0).max(straight))
            });
            let sum = sum.sum();
            if best.as_ref().is_none_or(|&(most, _)| sum > most) {
                best = Some((sum, tables));
            }
        }
        Ok(best.map(|(_, tables)| tables).expect("there is at least one size"))
    }

    /// The numbers of canonical nodes and of nearest ones that fit, as many of the former as the
    /// latter allow.
    fn sizes(&self) -> Result<Vec<(usize, usize)>, BuildError> {
        let limit = self.config.memory_limit;
        let most = self.config.most.min(self.ranks.count()).min(usize::from(u16::MAX));
        let bytes = |canonical, nearest| {
            Tables::bytes(&self.ranks, (self.undirected, self.unit), canonical, nearest)
        };
        let fewest = most.min(2);
        let tried = match self.config.nearest {
            // No node has more of them near than there are.
            Some(nearest) => {
                let nearest = nearest.clamp(1, most.max(1));
                nearest..=nearest
            }
            None => 1..=MOST_NEAREST,
        };
        let needed = bytes(fewest, *tried.start());
        let sizes: Vec<(usize, usize)> = tried
            .filter(|&nearest| bytes(fewest, nearest) <= limit)
            .map(|nearest| {
                let more: Vec<usize> = (fewest + 1..=most).collect();
                (fewest + more.partition_point(|&count| bytes(count, nearest) <= limit), nearest)
            })
            .collect();
        if sizes.is_empty() {
            return Err(BuildError::MemoryLimit { needed, limit, smaller: None });
        }
        Ok(sizes)
    }

    /// The distances between canonical nodes, and whether one was beyond counting.
    fn rows(
        &self,
        nodes: &[NodeId],
        progress: &dyn Progress,
    ) -> Result<(Vec<Vec<Cost>>, bool), BuildError> {
        let watch = Watch::new(progress, "canonical nodes", nodes.len());
        let rows = nodes.par_iter().map_init(Scratch::default, |scratch, &from| {
            watch.check()?;
            let heavy = dijkstra::one_to_all(self.graph, scratch, from).is_err();
            let cost = |&to| scratch.cost(to).unwrap_or(UNREACHABLE);
            let row: Vec<Cost> = nodes.iter().map(cost).collect();
            watch.advance(1);
            Ok((row, heavy))
        });
        let rows: Vec<(Vec<Cost>, bool)> = rows.collect::<Result<_, BuildError>>()?;
        let heavy = rows.iter().any(|&(_, heavy)| heavy);
        Ok((rows.into_iter().map(|(row, _)| row).collect(), heavy))
    }

    fn tables(
        &self,
        nodes: &[NodeId],
        rows: &[Vec<Cost>],
        (canonical, nearest): (usize, usize),
        heavy: bool,
    ) -> Tables {
        let canonical = canonical.min(nodes.len());
        let rows: Vec<Vec<Cost>> =
            rows[..canonical].iter().map(|row| row[..canonical].to_vec()).collect();
        let nodes = &nodes[..canonical];
        let from = Near::find(self.graph, &self.ranks, nodes, nearest, self.unit);
        let to = (!self.undirected)
            .then(|| Near::find(&self.graph.reversed(), &self.ranks, nodes, nearest, self.unit));
        let distances = Matrix::from_rows(&rows, self.undirected, self.unit);
        Tables { ranks: self.ranks.clone(), distances, from, to, heavy }
    }

    fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let nodes = 0..self.graph.node_count() as NodeId;
        let usable: Vec<NodeId> = nodes.filter(|&node| self.graph.contains(node)).collect();
        let mut random = Random::new(self.config.seed);
        let mut draw = || usable[random.below(usable.len() as u64) as usize];
        match usable.len() {
            0 => Vec::new(),
            _ => (0..TRIALS).map(|_| (draw(), draw())).collect(),
        }
    }
}
