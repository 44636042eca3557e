//! The border heuristic (BH) of Felner, Barer, Sturtevant and Schaeffer (2009).
//!
//! The map is cut into regions. Of any two regions the least distance between their *border nodes*
//! is stored, those with a neighbour in another region; and of every node the distance to the
//! nearest border node of its region. A path from one region to another leaves the first over its
//! border and enters the second over its own, so it costs at least the sum of the three.
//!
//! On directed maps a node has two such distances, to the border and from it, and pairs of regions
//! are ordered. Regions have 16-bit numbers. Where costs outgrow their numbers, the bound is the
//! geometric one.

use rayon::prelude::*;

use super::costs::{Costs, common_unit};
use super::matrix::Matrix;
use super::ranks::Ranks;
use super::{BoundForm, Stored, StoredKind};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::engine::{BuildError, Unsupported};
use crate::graph::{Graph, NodeId, touching};
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound};
use crate::map::{Map, on_graph};
use crate::partition::{IndexBytes, MAX_NUMBERS, RegionCounts, RegionSplitter, Topology};
use crate::progress::{Progress, Watch};
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};
use crate::search::wave::Wave;
use crate::store::{Array, IndexFile, IndexWriter, OpenError, unusable};

/// What can be chosen when building a [`Border`] heuristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BorderConfig {
    /// Bytes that everything stored may take. More buys more regions and tighter bounds.
    pub memory_limit: u64,
    /// How many shortest paths lead over an edge before it is taken for one that holds two halves
    /// together.
    pub counter_limit: u32,
    /// Regions of fewer nodes are not cut. Fewer make tighter bounds and longer builds: one search
    /// over the map for every region.
    pub least_region: usize,
    /// The most regions, whatever memory is left.
    pub most_regions: usize,
    /// What bounds ways inside a region.
    pub heuristic: HeuristicChoice,
    /// What cuts are drawn from.
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
/// assert!(bound >= Some(61 * portolan::cost::DIAGONAL), "not less than the octile distance");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Border {
    config: BorderConfig,
    base: Geometric,
    ranks: Ranks,
    /// By rank.
    regions: Array<u16>,
    /// By rank, how far the nearest border node of the region is.
    out: Costs,
    /// The same from the border to the node, where that differs.
    into: Option<Costs>,
    distances: Matrix,
    heavy: bool,
}

debug_by_name!("Border", [] Border, |border| "form" = border.form(), "config" = border.config);

impl Border {
    /// Finds regions and distances on all threads.
    pub fn new(map: &Map, config: &BorderConfig) -> Result<Self, BuildError> {
        <Self as Stored>::build(map, config, &())
    }

    /// How many regions there are.
    pub fn regions(&self) -> usize {
        self.distances.size()
    }

    fn base(map: &Map, config: &BorderConfig) -> Result<Geometric, Unsupported> {
        Geometric::serving(Self::KIND.name(), map, config.heuristic)
    }

    fn bound(&self, end: NodeId, turned: bool) -> BorderBound<'_> {
        let rank = self.ranks.rank(end);
        // The fixed end is entered where paths lead to it, and left where they start there.
        let nearest = rank.map(|rank| self.nearest(!turned).get(rank));
        BorderBound {
            border: self,
            turned,
            straight: self.base.with_end(end),
            home: rank.map_or(usize::MAX, |rank| usize::from(self.regions[rank])),
            nearest: nearest.unwrap_or(UNREACHABLE),
        }
    }

    fn nearest(&self, entering: bool) -> &Costs {
        self.into.as_ref().filter(|_| entering).unwrap_or(&self.out)
    }
}

impl Heuristic for Border {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, false)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, true)
    }

    fn memory_bytes(&self) -> usize {
        let into = self.into.as_ref().map_or(0, Costs::memory_bytes);
        let nearest = self.out.memory_bytes() + into;
        let tables = self.regions.memory_bytes() + self.distances.memory_bytes();
        self.ranks.memory_bytes() + nearest + tables
    }
}

/// Bounds of a [`Border`] with one end fixed.
struct BorderBound<'a> {
    border: &'a Border,
    /// Whether the fixed end is where paths start.
    turned: bool,
    straight: crate::heuristic::GeometricBound,
    home: usize,
    /// How far the border is from the fixed end.
    nearest: Cost,
}

impl LowerBound for BorderBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let straight = self.straight.at(node)?;
        let Some(rank) = self.border.ranks.rank(node) else { return Some(straight) };
        let region = usize::from(self.border.regions[rank]);
        if region == self.home || self.home == usize::MAX || self.border.heavy {
            return Some(straight);
        }
        let (from, to) = if self.turned { (self.home, region) } else { (region, self.home) };
        let between = self.border.distances.between(from, to);
        let nearest = self.border.nearest(self.turned).get(rank);
        if [between, nearest, self.nearest].contains(&UNREACHABLE) {
            return None;
        }
        let sum = between.saturating_add(nearest).saturating_add(self.nearest);
        Some(straight.max(sum))
    }
}

impl Stored for Border {
    type Config = BorderConfig;

    const KIND: StoredKind = StoredKind::Border;

    fn configure(settings: &Settings, memory_limit: u64) -> BorderConfig {
        let Settings { heuristic, seed, .. } = *settings;
        BorderConfig { memory_limit, heuristic, seed, ..BorderConfig::default() }
    }

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
        let a_node = 2 + Costs::width(unit) * if undirected { 1 } else { 2 };
        let nodes = ranks.memory_bytes() as u64 + a_node * ranks.count() as u64;
        let floor = |tally: &RegionCounts| Matrix::bytes(tally.regions, undirected, unit);
        let whole = |tally: &RegionCounts| nodes.saturating_add(floor(tally));
        let need = IndexBytes { whole: &whole, floor: &floor, limit: config.memory_limit };
        let growth = RegionSplitter {
            limit: config.counter_limit,
            least: config.least_region,
            most: config.most_regions,
            portals: false,
            seed: config.seed,
        };
        let grown = growth.grow(&topology, &need, progress)?;
        let regions: Vec<u16> = grown.of.iter().map(|region| region.unwrap_or(0) as u16).collect();
        let (ranks_of, count) = (&ranks, grown.regions);
        let find = Finding { ranks: ranks_of, regions: &regions, count, undirected, unit };
        let found = on_graph!(map, graph => find.find(graph, progress))?;
        let Found { out, into, distances, heavy } = found;
        let regions = regions.into();
        Ok(Self { config: config.clone(), base, ranks, regions, out, into, distances, heavy })
    }

    /// Builds anew.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::new(map, &self.config)
    }

    fn form(&self) -> BoundForm {
        BoundForm::Border { regions: self.regions() }
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        let units = [self.out.unit(), self.distances.costs().unit()];
        let shape = vec![VERSION, self.regions() as u32, self.heavy.into(), units[0], units[1]];
        writer.section_owned(SHAPE, shape).section(REGIONS, &self.regions);
        self.out.store(OUT, writer);
        self.distances.costs().store(DISTANCES, writer);
        if let Some(into) = &self.into {
            into.store(INTO, writer);
        }
    }

    fn open(index: &IndexFile, map: &Map, config: &BorderConfig) -> Result<Self, OpenError> {
        index.verify_section(SHAPE)?;
        let base = Self::base(map, config)?;
        let (count, heavy, units) = match *index.section::<u32>(SHAPE)? {
            [VERSION, count, heavy @ (0 | 1), a, b] if count as usize <= MAX_NUMBERS => {
                (count as usize, heavy == 1, [a, b])
            }
            ref shape => return Err(unusable(SHAPE, format!("{shape:?} describes no regions"))),
        };
        let (ranks, undirected) = (Ranks::of(map), map.is_undirected());
        let regions: Array<u16> = index.section(REGIONS)?;
        let out = Costs::open(index, OUT, units[0])?;
        let into = if undirected { None } else { Some(Costs::open(index, INTO, units[0])?) };
        let lengths = [regions.len(), out.len(), into.as_ref().map_or(out.len(), Costs::len)];
        if let Some(found) = lengths.into_iter().find(|&length| length != ranks.count()) {
            let expected = ranks.count();
            return Err(unusable(REGIONS, format!("{found} entries for {expected} nodes")));
        }
        // A number beyond the last region finds no distance in the matrix, which only makes bounds
        // wrong.
        let distances = Costs::open(index, DISTANCES, units[1])?;
        let distances = Matrix::from_costs(count, undirected, distances);
        let distances = distances.ok_or_else(|| {
            unusable(DISTANCES, format!("they are not those between {count} regions"))
        })?;
        Ok(Self { config: config.clone(), base, ranks, regions, out, into, distances, heavy })
    }
}

const VERSION: u32 = 1;
const SHAPE: &str = "border.shape";
const REGIONS: &str = "border.regions";
const OUT: &str = "border.out";
const INTO: &str = "border.into";
const DISTANCES: &str = "border.distances";

/// Finds distances for regions.
struct Finding<'a> {
    ranks: &'a Ranks,
    regions: &'a [u16],
    count: usize,
    undirected: bool,
    unit: Option<Cost>,
}

struct Found {
    out: Costs,
    into: Option<Costs>,
    distances: Matrix,
    heavy: bool,
}

impl Finding<'_> {
    fn find(&self, graph: &impl Graph, progress: &dyn Progress) -> Result<Found, BuildError> {
        let borders = self.borders(graph);
        let all: Vec<NodeId> = borders.iter().flatten().copied().collect();
        let mut wave = Wave::default();
        let (costs, mut heavy) = wave.spread(&graph.reversed(), &all);
        let out = self.ranked(costs);
        let into = (!self.undirected).then(|| {
            let (costs, too) = wave.spread(graph, &all);
            heavy |= too;
            self.ranked(costs)
        });
        let watch = Watch::new(progress, "borders", self.count);
        let rows = borders.par_iter().map_init(Wave::default, |wave, border| {
            watch.check()?;
            let (costs, heavy) = wave.spread(graph, border);
            let least = |border: &Vec<NodeId>| {
                border.iter().map(|&node| costs[node as usize]).min().unwrap_or(UNREACHABLE)
            };
            let row: Vec<Cost> = borders.iter().map(least).collect();
            watch.advance(1);
            Ok((row, heavy))
        });
        let rows: Vec<(Vec<Cost>, bool)> = rows.collect::<Result<_, BuildError>>()?;
        heavy |= rows.iter().any(|&(_, heavy)| heavy);
        let rows: Vec<Vec<Cost>> = rows.into_iter().map(|(row, _)| row).collect();
        Ok(Found {
            out,
            into,
            distances: Matrix::from_rows(&rows, self.undirected, self.unit),
            heavy,
        })
    }

    /// By region, its nodes with a neighbour elsewhere.
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

    fn ranked(&self, costs: &[Cost]) -> Costs {
        let nodes = (0..costs.len() as NodeId).filter(|&node| self.ranks.rank(node).is_some());
        Costs::new(nodes.map(|node| costs[node as usize]), self.unit)
    }
}
