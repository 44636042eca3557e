//! The border heuristic (BH) of Felner, Barer, Sturtevant and Schaeffer (2009).
//!
//! The map is cut into regions. *Border nodes* have a neighbour in another region. Stored are, for
//! each pair of regions, the least distance between their border nodes, and for each node, the
//! distance to the nearest border node of its region. A path between two regions leaves the first
//! over its border and enters the second over its border, so it costs at least the sum of the
//! three.
//!
//! On directed maps a node has two such distances, to the border and from it, and pairs of regions
//! are ordered. Region numbers have 16 bits. If a cost overflows, the bound is the geometric one.

use super::matrix::DistanceMatrix;
use super::packed_costs::{PackedCosts, common_unit};
use super::ranks::Ranks;
use super::searches::between_sets;
use super::{BoundForm, StoredHeuristic, StoredKind};
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT, Progress, Unsupported};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::{Direction, Graph, NodeId, touching};
use crate::heuristic::{Geometric, GeometricBound, Heuristic, HeuristicChoice, LowerBound};
use crate::map::{Map, on_graph};
use crate::partition::{IndexBytes, MAX_NUMBERS, RegionCounts, RegionSplitter, Topology};
use crate::search::wave::Wave;
use crate::store::{Array, IndexFile, IndexWriter, OpenError, unusable};

/// Build options of the [`Border`] heuristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BorderConfig {
    /// The memory limit in bytes, for everything that is stored. More memory allows more regions
    /// and tighter bounds.
    pub memory_limit: u64,
    /// The number of shortest paths over an edge at which the edge counts as a link between two
    /// halves, and is cut.
    pub counter_limit: u32,
    /// Regions of fewer nodes are not cut. Smaller regions give tighter bounds, and longer builds:
    /// one search over the whole map per region.
    pub least_region: usize,
    /// The most regions, even if more fit into memory.
    pub most_regions: usize,
    /// The bound inside a region.
    pub heuristic: HeuristicChoice,
    /// The seed of the random cuts.
    pub seed: u64,
}

impl Default for BorderConfig {
    fn default() -> Self {
        Self {
            memory_limit: DEFAULT_MEMORY_LIMIT,
            counter_limit: 12,
            least_region: 32,
            most_regions: 2048,
            heuristic: HeuristicChoice::Auto,
            seed: 1,
        }
    }
}

/// Bounds from distances between the borders of regions.
///
/// ```
/// use portolan::true_distance::{Border, BorderConfig};
/// use portolan::heuristic::{Heuristic, LowerBound};
/// use portolan::{Map, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let border = Border::new(&Map::from(grid), &BorderConfig::default())?;
/// let bound = border.toward(to).at(from);
/// assert!(bound >= Some(61 * portolan::cost::DIAGONAL), "at least the octile distance");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Border {
    config: BorderConfig,
    base: Geometric,
    ranks: Ranks,
    /// By rank.
    regions: Array<u16>,
    /// By rank, the distance to the nearest border node of the region.
    to_border: PackedCosts,
    /// By rank, the distance from the nearest border node, on directed maps.
    out_of_border: Option<PackedCosts>,
    /// Between the borders of regions.
    between: DistanceMatrix,
    /// Whether some cost overflowed. If so, stored distances are not used.
    overflowed: bool,
}

debug_by_name!("Border", [] Border, |border| "form" = border.form(), "config" = border.config);

impl Border {
    /// The number of regions.
    pub fn regions(&self) -> usize {
        self.between.size()
    }

    fn base(map: &Map, config: &BorderConfig) -> Result<Geometric, Unsupported> {
        Geometric::for_method(Self::KIND.name(), map, config.heuristic)
    }

    fn out_of_border(&self) -> &PackedCosts {
        self.out_of_border.as_ref().unwrap_or(&self.to_border)
    }

    fn bound(&self, end: NodeId, direction: Direction) -> BorderBound<'_> {
        let rank = self.ranks.rank(end);
        let (of_nodes, of_end) = match direction {
            Direction::Forward => (&self.to_border, self.out_of_border()),
            Direction::Backward => (self.out_of_border(), &self.to_border),
        };
        BorderBound {
            border: self,
            direction,
            straight: self.base.with_end(end),
            end_region: rank.map_or(usize::MAX, |rank| usize::from(self.regions[rank])),
            border_costs: of_nodes,
            end_border_cost: rank.map_or(UNREACHABLE, |rank| of_end.get(rank)),
        }
    }
}

impl Heuristic for Border {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, Direction::Forward)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, Direction::Backward)
    }

    fn memory_bytes(&self) -> usize {
        let out_of_border = self.out_of_border.as_ref().map_or(0, PackedCosts::memory_bytes);
        let by_node = self.to_border.memory_bytes() + out_of_border + self.regions.memory_bytes();
        self.ranks.memory_bytes() + by_node + self.between.memory_bytes()
    }
}

/// A [`Border`] heuristic with one end fixed.
struct BorderBound<'a> {
    border: &'a Border,
    /// Forward: the fixed end is the goal. Backward: it is the start.
    direction: Direction,
    straight: GeometricBound,
    /// `usize::MAX` if the fixed end is not a usable node.
    end_region: usize,
    /// By rank, the distances between nodes and borders in this direction.
    border_costs: &'a PackedCosts,
    /// The distance between the fixed end and its border.
    end_border_cost: Cost,
}

impl LowerBound for BorderBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let straight = self.straight.at(node)?;
        let Some(rank) = self.border.ranks.rank(node) else { return Some(straight) };
        let region = usize::from(self.border.regions[rank]);
        if region == self.end_region || self.end_region == usize::MAX || self.border.overflowed {
            return Some(straight);
        }
        let between = match self.direction {
            Direction::Forward => self.border.between.between(region, self.end_region),
            Direction::Backward => self.border.between.between(self.end_region, region),
        };
        let to_border = self.border_costs.get(rank);
        if [between, to_border, self.end_border_cost].contains(&UNREACHABLE) {
            return None;
        }
        let sum = between.saturating_add(to_border).saturating_add(self.end_border_cost);
        Some(straight.max(sum))
    }
}

impl StoredHeuristic for Border {
    type Config = BorderConfig;

    const KIND: StoredKind = StoredKind::Border;

    fn supports(map: &Map, config: &BorderConfig) -> Result<(), Unsupported> {
        Self::base(map, config).map(|_| ())
    }

    fn build(
        map: &Map,
        config: &BorderConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Self::base(map, config)?;
        let (ranks, undirected) = (Ranks::of(map), map.is_undirected());
        let topology = Topology::of_map(map)?;
        let unit = common_unit(map);
        let bytes_per_node = 2 + PackedCosts::width(unit) * if undirected { 1 } else { 2 };
        let nodes = ranks.memory_bytes() as u64 + bytes_per_node * ranks.count() as u64;
        let floor = |tally: &RegionCounts| DistanceMatrix::bytes(tally.regions, undirected, unit);
        let whole = |tally: &RegionCounts| nodes.saturating_add(floor(tally));
        let need = IndexBytes { whole: &whole, floor: &floor, limit: config.memory_limit };
        let splitter = RegionSplitter {
            max_paths: config.counter_limit,
            min_nodes: config.least_region,
            max_count: config.most_regions,
            portals: false,
            seed: config.seed,
        };
        let grown = splitter.split(&topology, &need, progress)?;
        let regions: Vec<u16> = grown.of.iter().map(|region| region.unwrap_or(0) as u16).collect();
        let count = grown.regions;
        let builder = BorderBuilder { ranks: &ranks, regions: &regions, count, undirected, unit };
        let distances = on_graph!(map, graph => builder.build(graph, progress))?;
        let BorderDistances { to_border, out_of_border, between, overflowed } = distances;
        let (config, regions) = (config.clone(), regions.into());
        Ok(Self { config, base, ranks, regions, to_border, out_of_border, between, overflowed })
    }

    /// Builds from scratch.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::new(map, &self.config)
    }

    fn form(&self) -> BoundForm {
        BoundForm::Border { regions: self.regions() }
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        let units = [self.to_border.unit(), self.between.unit()];
        let shape =
            vec![VERSION, self.regions() as u32, self.overflowed.into(), units[0], units[1]];
        writer.section_owned(SHAPE, shape).section(REGIONS, &self.regions);
        self.to_border.store(OUT, writer);
        self.between.store(DISTANCES, writer);
        if let Some(out_of_border) = &self.out_of_border {
            out_of_border.store(INTO, writer);
        }
    }

    fn open(index: &IndexFile, map: &Map, config: &BorderConfig) -> Result<Self, OpenError> {
        index.verify_section(SHAPE)?;
        let base = Self::base(map, config)?;
        let (count, overflowed, units) = match *index.section::<u32>(SHAPE)? {
            [VERSION, count, overflowed @ (0 | 1), a, b] if count as usize <= MAX_NUMBERS => {
                (count as usize, overflowed == 1, [a, b])
            }
            ref shape => return Err(unusable(SHAPE, format!("{shape:?} is not a valid header"))),
        };
        let (ranks, undirected) = (Ranks::of(map), map.is_undirected());
        let regions: Array<u16> = index.section(REGIONS)?;
        let to_border = PackedCosts::open(index, OUT, units[0])?;
        let out_of_border = match undirected {
            true => None,
            false => Some(PackedCosts::open(index, INTO, units[0])?),
        };
        let other = out_of_border.as_ref().map_or(to_border.len(), PackedCosts::len);
        let lengths = [regions.len(), to_border.len(), other];
        if let Some(found) = lengths.into_iter().find(|&length| length != ranks.count()) {
            let expected = ranks.count();
            return Err(unusable(REGIONS, format!("{found} entries for {expected} nodes")));
        }
        // A region number that is out of range has no distance in the matrix. That makes bounds
        // wrong, but cannot panic.
        let between = DistanceMatrix::open(index, DISTANCES, (count, undirected), units[1])?;
        let config = config.clone();
        Ok(Self { config, base, ranks, regions, to_border, out_of_border, between, overflowed })
    }
}

const VERSION: u32 = 1;
const SHAPE: &str = "border.shape";
const REGIONS: &str = "border.regions";
const OUT: &str = "border.out";
const INTO: &str = "border.into";
const DISTANCES: &str = "border.distances";

/// Computes the distances for given regions.
struct BorderBuilder<'a> {
    ranks: &'a Ranks,
    /// By rank.
    regions: &'a [u16],
    count: usize,
    undirected: bool,
    unit: Option<Cost>,
}

struct BorderDistances {
    to_border: PackedCosts,
    out_of_border: Option<PackedCosts>,
    between: DistanceMatrix,
    overflowed: bool,
}

impl BorderBuilder<'_> {
    fn build(
        &self,
        graph: &impl Graph,
        progress: &dyn Progress,
    ) -> Result<BorderDistances, BuildError> {
        let borders = self.borders(graph);
        let all: Vec<NodeId> = borders.iter().flatten().copied().collect();
        let mut wave = Wave::default();
        let (costs, mut overflowed) = wave.spread(&graph.reversed(), &all);
        let to_border = self.by_rank(costs);
        let out_of_border = (!self.undirected).then(|| {
            let (costs, too_large) = wave.spread(graph, &all);
            overflowed |= too_large;
            self.by_rank(costs)
        });
        let (rows, too_large) = between_sets(graph, &borders, "borders", progress)?;
        overflowed |= too_large;
        let between = DistanceMatrix::from_rows(&rows, self.undirected, self.unit);
        Ok(BorderDistances { to_border, out_of_border, between, overflowed })
    }

    /// The border nodes of each region.
    fn borders(&self, graph: &impl Graph) -> Vec<Vec<NodeId>> {
        let mut borders = vec![Vec::new(); self.count];
        let region = |node| self.ranks.rank(node).map(|rank| self.regions[rank]);
        for node in 0..graph.node_count() as NodeId {
            let Some(here) = region(node) else { continue };
            let mut is_border = false;
            touching(graph, self.undirected, node, |other, _| {
                is_border |= region(other) != Some(here);
            });
            if is_border {
                borders[usize::from(here)].push(node);
            }
        }
        borders
    }

    fn by_rank(&self, costs: &[Cost]) -> PackedCosts {
        let nodes = (0..costs.len() as NodeId).filter(|&node| self.ranks.rank(node).is_some());
        PackedCosts::new(nodes.map(|node| costs[node as usize]), self.unit)
    }
}
