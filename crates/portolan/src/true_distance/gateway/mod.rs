//! The gateway heuristic (GH) of Björnsson and Halldórsson (2006).
//!
//! A grid is flooded into *zones* (`zones.rs`). The cells of a zone that have a neighbour in
//! another are grouped into *gates*, straight lines of cells (`gates.rs`), and the least distance
//! between any two gates is stored. A path from one zone to another crosses a gate of each, so it
//! costs at least the bound to some gate, the distance from that gate to another, and the bound
//! from there: the least over all pairs.
//!
//! As in the portal paper's version, a gate belongs to one zone. How many zones and gates there are
//! is a matter of the map: the memory that they take is fixed, and a limit below it is an error
//! that says so.
//!
//! All grids are served; in hexagonal ones, whose columns are no lines, gates lie along rows. Where
//! costs outgrow their numbers, the bound is the geometric one.

mod file;
mod gates;
mod zones;

use rayon::prelude::*;

use self::gates::{Gates, MOST_GATES};
use super::costs::common_unit;
use super::matrix::Matrix;
use super::{BoundForm, Stored, StoredKind};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::engine::{BuildError, Unsupported};
use crate::graph::NodeId;
use crate::grid::Grid;
use crate::heuristic::Spot;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound};
use crate::map::Map;
use crate::progress::{Progress, Watch};
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};
use crate::search::wave::Wave;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// What can be chosen when building a [`Gateway`] heuristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayConfig {
    /// Bytes that everything stored may take. How many it takes depends on the map alone.
    pub memory_limit: u64,
    /// What bounds the way to a gate.
    pub heuristic: HeuristicChoice,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self { memory_limit: DEFAULT_MEMORY_LIMIT, heuristic: HeuristicChoice::Auto }
    }
}

/// Bounds by way of gates; on grids only.
///
/// ```
/// use portolan::true_distance::{Gateway, GatewayConfig};
/// use portolan::heuristic::{Heuristic, LowerBound};
/// use portolan::{Map, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let gateway = Gateway::new(&Map::from(grid), &GatewayConfig::default())?;
/// let bound = gateway.toward(to).at(from);
/// assert!(bound > Some(61 * portolan::cost::DIAGONAL), "more than the octile distance");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gateway {
    config: GatewayConfig,
    base: Geometric,
    gates: Gates,
    distances: Matrix,
    heavy: bool,
}

debug_by_name!("Gateway", [] Gateway, |gateway| "form" = gateway.form(), "config" = gateway.config);

impl Gateway {
    /// Finds zones, gates and distances on all threads.
    pub fn new(map: &Map, config: &GatewayConfig) -> Result<Self, BuildError> {
        <Self as Stored>::build(map, config, &())
    }

    /// How many zones with gates there are, and how many gates.
    pub fn sizes(&self) -> (usize, usize) {
        (self.gates.zones(), self.gates.len())
    }

    fn bind<'a>(
        map: &'a Map,
        config: &GatewayConfig,
    ) -> Result<(&'a Grid, Geometric), Unsupported> {
        let method = Self::KIND.name();
        let Map::Grid(grid) = map else {
            let reason = "gates are lines of cells and this is a graph; use portal".into();
            return Err(Unsupported { method, reason });
        };
        Ok((grid, Geometric::serving(method, map, config.heuristic)?))
    }

    fn bound(&self, end: NodeId) -> GatewayBound<'_> {
        let spot = self.base.spot(end);
        let zone = self.gates.zone(end);
        let ends = zone.map_or(&[][..], |zone| self.gates.of(zone));
        let rest = |&gate: &u16| (gate, self.to_gate(spot, gate));
        GatewayBound {
            gateway: self,
            end: spot,
            zone,
            ends: ends.iter().map(rest).collect(),
            onward: vec![UNKNOWN; self.gates.len()],
        }
    }

    /// The bound between a place and the nearest cell of a gate.
    #[inline(always)]
    fn to_gate(&self, from: Spot, gate: u16) -> Cost {
        let (first, last) = self.gates.ends(gate);
        let nearest = from.clamped(self.base.spot(first), self.base.spot(last));
        self.base.between(from, nearest)
    }
}

impl Heuristic for Gateway {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target)
    }

    /// Grids are undirected.
    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source)
    }

    fn memory_bytes(&self) -> usize {
        self.gates.memory_bytes() + self.distances.memory_bytes()
    }
}

/// What is left from a gate that nobody asked about yet, and from one that no way leads on from.
const UNKNOWN: u64 = u64::MAX;
const NEVER: u64 = u64::MAX - 1;

/// Bounds of a [`Gateway`] with one end fixed.
struct GatewayBound<'a> {
    gateway: &'a Gateway,
    end: Spot,
    zone: Option<u16>,
    /// The gates of the fixed end's zone, with the bounds to them.
    ends: Vec<(u16, Cost)>,
    /// By gate what is left from there.
    onward: Vec<u64>,
}

impl GatewayBound<'_> {
    fn onward(&mut self, gate: u16) -> u64 {
        let known = self.onward[usize::from(gate)];
        if known != UNKNOWN {
            return known;
        }
        let sums = self.ends.iter().filter_map(|&(end, rest)| {
            let way = self.gateway.distances.between(gate.into(), end.into());
            (way != UNREACHABLE).then(|| u64::from(way) + u64::from(rest))
        });
        let least = sums.min().unwrap_or(NEVER);
        self.onward[usize::from(gate)] = least;
        least
    }
}

impl LowerBound for GatewayBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let gateway = self.gateway;
        let here = gateway.base.spot(node);
        let straight = gateway.base.between(here, self.end);
        let (Some(zone), Some(home)) = (gateway.gates.zone(node), self.zone) else {
            return Some(straight);
        };
        if zone == home || gateway.heavy {
            return Some(straight);
        }
        let mut least = NEVER;
        for &gate in gateway.gates.of(zone) {
            let onward = self.onward(gate);
            if onward != NEVER {
                least = least.min(u64::from(gateway.to_gate(here, gate)) + onward);
            }
        }
        if least == NEVER {
            return None;
        }
        Some(straight.max(least.min(UNREACHABLE.into()) as Cost))
    }
}

impl Stored for Gateway {
    type Config = GatewayConfig;

    const KIND: StoredKind = StoredKind::Gateway;

    fn configure(settings: &Settings, memory_limit: u64) -> GatewayConfig {
        GatewayConfig { memory_limit, heuristic: settings.heuristic }
    }

    fn supports(map: &Map, config: &GatewayConfig) -> Result<(), Unsupported> {
        Self::bind(map, config).map(|_| ())
    }

    fn build(
        map: &Map,
        config: &GatewayConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let (grid, base) = Self::bind(map, config)?;
        let limit = config.memory_limit;
        let gates = Gates::find(grid, &zones::flood(grid));
        let gates = gates.map_err(|count| {
            let reason =
                format!("it has {count} gates and {MOST_GATES} can be numbered; use portal");
            Unsupported { method: Self::KIND.name(), reason }
        })?;
        let unit = common_unit(map);
        let needed = gates.memory_bytes() as u64;
        let needed = needed.saturating_add(Matrix::bytes(gates.len(), true, unit));
        if needed > limit {
            return Err(BuildError::MemoryLimit { needed, limit, smaller: None });
        }
        let watch = Watch::new(progress, "gates", gates.len());
        let cells: Vec<Vec<NodeId>> =
            (0..gates.len()).map(|gate| gates.cells(grid, gate as u16)).collect();
        let rows = cells.par_iter().map_init(Wave::default, |wave, from| {
            watch.check()?;
            let (costs, heavy) = wave.spread(grid, from);
            let least = |to: &Vec<NodeId>| to.iter().map(|&node| costs[node as usize]).min();
            let row: Vec<Cost> = cells.iter().map(|to| least(to).unwrap_or(UNREACHABLE)).collect();
            watch.advance(1);
            Ok((row, heavy))
        });
        let rows: Vec<(Vec<Cost>, bool)> = rows.collect::<Result<_, BuildError>>()?;
        let heavy = rows.iter().any(|&(_, heavy)| heavy);
        let rows: Vec<Vec<Cost>> = rows.into_iter().map(|(row, _)| row).collect();
        let distances = Matrix::from_rows(&rows, true, unit);
        Ok(Self { config: config.clone(), base, gates, distances, heavy })
    }

    /// Builds anew.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Self::new(map, &self.config)
    }

    fn form(&self) -> BoundForm {
        let (zones, gates) = self.sizes();
        BoundForm::Gateway { zones, gates }
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        file::store(self, writer);
    }

    fn open(index: &IndexFile, map: &Map, config: &GatewayConfig) -> Result<Self, OpenError> {
        let (grid, base) = Self::bind(map, config)?;
        let (gates, distances, heavy) = file::open(index, grid)?;
        Ok(Self { config: config.clone(), base, gates, distances, heavy })
    }
}
