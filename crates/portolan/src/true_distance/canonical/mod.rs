//! The canonical heuristic (CH) of Sturtevant, Felner, Barer, Schaeffer and Burch (2009).
//!
//! Stored are the distances between all pairs of some *canonical* nodes, and for each node, the few
//! nearest canonical nodes with their distances. For nodes a and b and canonical nodes C and D, the
//! path from C over a and b to D is no shorter than the stored distance d(C, D). So a path from a
//! to b costs at least d(C, D) - d(C, a) - d(b, D). The bound is the maximum over all stored C and
//! D.
//!
//! On directed maps a node has two lists: the canonical nodes nearest to it, and those that it is
//! nearest to.
//!
//! The papers leave two choices open. Canonical nodes are placed one after the other, each farthest
//! from all previous ones (`placement.rs`). The number that each node stores (`nearest.rs`) is
//! found by trial: the one with the best bounds on random pairs, within the memory limit. If a cost
//! overflows, the bound is the geometric one.

mod file;
mod nearest;
mod placement;

use self::nearest::NearestCanonical;
use super::matrix::DistanceMatrix;
use super::packed_costs::common_unit;
use super::ranks::Ranks;
use super::searches::search_all;
use super::{BoundForm, StoredHeuristic, StoredKind};
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT, Progress, Unsupported};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::{Direction, Endpoints, Graph, NodeId};
use crate::heuristic::{Geometric, GeometricBound, Heuristic, HeuristicChoice, LowerBound};
use crate::map::{Map, on_graph};
use crate::random::Random;
use crate::search::{Scratch, dijkstra};
use crate::store::{IndexFile, IndexWriter, OpenError};

/// Build options of the [`Canonical`] heuristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalConfig {
    /// The memory limit in bytes, for everything that is stored. More memory allows more canonical
    /// nodes and tighter bounds.
    pub memory_limit: u64,
    /// The most canonical nodes, even if more fit into memory. Each takes a search over the map.
    pub most: usize,
    /// The number of canonical nodes that each node stores; `None` for the number with the best
    /// bounds.
    pub nearest: Option<usize>,
    /// The geometric bound to combine with.
    pub heuristic: HeuristicChoice,
    /// The seed of the first canonical nodes and of the trials.
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
/// assert!(canonical.toward(19).at(0) > Some(19 * portolan::cost::STRAIGHT), "the path around the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Canonical {
    config: CanonicalConfig,
    base: Geometric,
    tables: CanonicalTables,
}

debug_by_name!("Canonical", [] Canonical, |canonical| "form" = canonical.form(), "config" = canonical.config);

/// The stored data.
struct CanonicalTables {
    ranks: Ranks,
    distances: DistanceMatrix,
    /// From canonical nodes to each node.
    from: NearestCanonical,
    /// From each node to canonical nodes, on directed maps.
    to: Option<NearestCanonical>,
    /// Whether some cost overflowed. If so, nothing stored is used.
    overflowed: bool,
}

/// More nearest nodes than this never gave the best bounds.
const MOST_NEAREST: usize = 4;

/// The number of random pairs for the trials.
const TRIALS: usize = 400;

impl Canonical {
    /// The number of canonical nodes, and the number that each node stores.
    pub fn sizes(&self) -> (usize, usize) {
        (self.tables.distances.size(), self.tables.from.per_node())
    }

    fn base(map: &Map, config: &CanonicalConfig) -> Result<Geometric, Unsupported> {
        Geometric::for_method(Self::KIND.name(), map, config.heuristic)
    }

    fn bound(&self, end: NodeId, direction: Direction) -> CanonicalBound<'_> {
        let stored = self.tables.bound(end, direction);
        CanonicalBound { straight: self.base.with_end(end), stored }
    }
}

impl Heuristic for Canonical {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, Direction::Forward)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, Direction::Backward)
    }

    fn memory_bytes(&self) -> usize {
        self.tables.memory_bytes()
    }
}

impl CanonicalTables {
    fn to(&self) -> &NearestCanonical {
        self.to.as_ref().unwrap_or(&self.from)
    }

    /// A path is extended from a canonical node to its start, and from its goal to another
    /// canonical node.
    fn bound(&self, end: NodeId, direction: Direction) -> TableBound<'_> {
        let (of_nodes, of_end) = match direction {
            Direction::Forward => (&self.from, self.to()),
            Direction::Backward => (self.to(), &self.from),
        };
        let of_end = self.ranks.rank(end).map(|rank| of_end.of(rank).collect());
        TableBound { tables: self, direction, of_nodes, of_end: of_end.unwrap_or_default() }
    }

    fn memory_bytes(&self) -> usize {
        let to = self.to.as_ref().map_or(0, NearestCanonical::memory_bytes);
        self.ranks.memory_bytes() + self.distances.memory_bytes() + self.from.memory_bytes() + to
    }

    /// The size in bytes of tables with these numbers of canonical nodes.
    fn bytes(
        ranks: &Ranks,
        (undirected, unit): (bool, Option<Cost>),
        canonical: usize,
        nearest: usize,
    ) -> u64 {
        let lists = if undirected { 1 } else { 2 };
        let near = NearestCanonical::bytes(ranks.count(), nearest, unit).saturating_mul(lists);
        let distances = DistanceMatrix::bytes(canonical, undirected, unit);
        near.saturating_add(ranks.memory_bytes() as u64).saturating_add(distances)
    }
}

/// [`CanonicalTables`] with one end fixed.
struct TableBound<'a> {
    tables: &'a CanonicalTables,
    /// Forward: the fixed end is the goal. Backward: it is the start.
    direction: Direction,
    /// The canonical nodes near each node, in this direction.
    of_nodes: &'a NearestCanonical,
    /// The canonical nodes near the fixed end.
    of_end: Vec<(u16, Cost)>,
}

impl TableBound<'_> {
    #[inline]
    fn at(&self, node: NodeId) -> Option<Cost> {
        let Some(rank) = self.tables.ranks.rank(node).filter(|_| !self.tables.overflowed) else {
            return Some(0);
        };
        let mut most = 0;
        for (near_node, cost) in self.of_nodes.of(rank) {
            for &(near_end, end_cost) in &self.of_end {
                let (from, to) = match self.direction {
                    Direction::Forward => (near_node, near_end),
                    Direction::Backward => (near_end, near_node),
                };
                match self.tables.distances.between(from.into(), to.into()) {
                    // A path between the ends would connect the canonical nodes.
                    UNREACHABLE => return None,
                    whole => most = most.max(whole.saturating_sub(cost).saturating_sub(end_cost)),
                }
            }
        }
        Some(most)
    }
}

/// A [`Canonical`] heuristic with one end fixed.
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

impl StoredHeuristic for Canonical {
    type Config = CanonicalConfig;

    const KIND: StoredKind = StoredKind::Canonical;

    fn supports(map: &Map, config: &CanonicalConfig) -> Result<(), Unsupported> {
        Self::base(map, config).map(|_| ())
    }

    fn build(
        map: &Map,
        config: &CanonicalConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Self::base(map, config)?;
        let tables = on_graph!(map, graph => {
            CanonicalBuilder::new(graph, map, config).build(&base, progress)
        })?;
        Ok(Self { config: config.clone(), base, tables })
    }

    /// Builds from scratch.
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

/// Builds [`CanonicalTables`] of several sizes and keeps the best.
struct CanonicalBuilder<'a, G> {
    graph: &'a G,
    config: &'a CanonicalConfig,
    ranks: Ranks,
    undirected: bool,
    /// The unit of distances.
    unit: Option<Cost>,
}

impl<'a, G: Graph> CanonicalBuilder<'a, G> {
    fn new(graph: &'a G, map: &Map, config: &'a CanonicalConfig) -> Self {
        let (ranks, unit) = (Ranks::of(map), common_unit(map));
        Self { graph, config, ranks, undirected: graph.is_undirected(), unit }
    }

    fn build(
        self,
        base: &Geometric,
        progress: &dyn Progress,
    ) -> Result<CanonicalTables, BuildError> {
        let sizes = self.sizes()?;
        let most = sizes.iter().map(|&(canonical, _)| canonical).max().unwrap_or(0);
        let nodes = placement::farthest(self.graph, &self.ranks, most, self.config.seed);
        let (rows, overflowed) = self.rows(&nodes, progress)?;
        let pairs = self.pairs();
        let mut best: Option<(u64, CanonicalTables)> = None;
        for (canonical, nearest) in sizes {
            let tables = self.tables(&nodes, &rows, (canonical, nearest), overflowed);
            let sum = pairs.iter().map(|&(from, to)| {
                let straight = base.with_end(to).at(from).unwrap_or(0);
                u64::from(tables.bound(to, Direction::Forward).at(from).unwrap_or(0).max(straight))
            });
            let sum = sum.sum();
            if best.as_ref().is_none_or(|&(most, _)| sum > most) {
                best = Some((sum, tables));
            }
        }
        Ok(best.map(|(_, tables)| tables).expect("there is at least one size"))
    }

    /// Pairs of the number of nearest nodes and the largest number of canonical nodes that then
    /// fit into memory, canonical first.
    fn sizes(&self) -> Result<Vec<(usize, usize)>, BuildError> {
        let limit = self.config.memory_limit;
        let most = self.config.most.min(self.ranks.count()).min(usize::from(u16::MAX));
        let bytes = |canonical, nearest| {
            CanonicalTables::bytes(&self.ranks, (self.undirected, self.unit), canonical, nearest)
        };
        let fewest = most.min(2);
        let tried = match self.config.nearest {
            // A node cannot store more than there are.
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

    /// The distances between canonical nodes, and whether a cost overflowed.
    fn rows(
        &self,
        nodes: &[NodeId],
        progress: &dyn Progress,
    ) -> Result<(Vec<Vec<Cost>>, bool), BuildError> {
        search_all(nodes.len(), "canonical nodes", progress, |scratch: &mut Scratch, at| {
            let overflowed = dijkstra::one_to_all(self.graph, scratch, nodes[at]).is_err();
            let cost = |&to| scratch.cost(to).unwrap_or(UNREACHABLE);
            (nodes.iter().map(cost).collect(), overflowed)
        })
    }

    fn tables(
        &self,
        nodes: &[NodeId],
        rows: &[Vec<Cost>],
        (canonical, nearest): (usize, usize),
        overflowed: bool,
    ) -> CanonicalTables {
        let canonical = canonical.min(nodes.len());
        let rows: Vec<Vec<Cost>> =
            rows[..canonical].iter().map(|row| row[..canonical].to_vec()).collect();
        let nodes = &nodes[..canonical];
        let from = NearestCanonical::find(self.graph, &self.ranks, nodes, nearest, self.unit);
        let to = (!self.undirected).then(|| {
            NearestCanonical::find(&self.graph.reversed(), &self.ranks, nodes, nearest, self.unit)
        });
        let distances = DistanceMatrix::from_rows(&rows, self.undirected, self.unit);
        CanonicalTables { ranks: self.ranks.clone(), distances, from, to, overflowed }
    }

    /// Random pairs of usable nodes for the trials.
    fn pairs(&self) -> Vec<Endpoints> {
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
