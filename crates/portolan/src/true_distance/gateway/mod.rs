//! The gateway heuristic (GH) of Björnsson and Halldórsson (2006).
//!
//! A grid is divided into *zones* (`zones.rs`). The cells of a zone that have a neighbour in
//! another zone are grouped into *gates*, straight lines of cells (`gates.rs`). The least distance
//! between each pair of gates is stored. A path between two zones crosses a gate of each, so it
//! costs at least the bound to a gate, plus the distance from that gate to another, plus the bound
//! from there: the minimum over all pairs of gates.
//!
//! As in the version of the portal paper, a gate belongs to one zone. The numbers of zones and
//! gates depend on the map alone, so the size in memory is fixed. A smaller limit is an error.
//!
//! Works on all grids. In hexagonal grids, gates follow rows only, because columns are not
//! straight. If a cost overflows, the bound is the geometric one.

mod file;
mod gates;
mod zones;

use self::gates::{Gates, MOST_GATES};
use super::matrix::DistanceMatrix;
use super::packed_costs::common_unit;
use super::searches::between_sets;
use super::{BoundForm, StoredHeuristic, StoredKind};
use crate::build::{BuildError, DEFAULT_MEMORY_LIMIT, Progress, Unsupported};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::grid::Grid;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound, Position};
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// Build options of the [`Gateway`] heuristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayConfig {
    /// The memory limit in bytes, for everything that is stored. The size depends on the map alone.
    pub memory_limit: u64,
    /// The bound on the distance to a gate.
    pub heuristic: HeuristicChoice,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self { memory_limit: DEFAULT_MEMORY_LIMIT, heuristic: HeuristicChoice::Auto }
    }
}

/// Bounds from distances between gates. On grids only.
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
    /// Between gates.
    distances: DistanceMatrix,
    /// Whether some cost overflowed. If so, stored distances are not used.
    overflowed: bool,
}

debug_by_name!("Gateway", [] Gateway, |gateway| "form" = gateway.form(), "config" = gateway.config);

impl Gateway {
    /// The number of zones that have gates, and the number of gates.
    pub fn sizes(&self) -> (usize, usize) {
        (self.gates.zones(), self.gates.len())
    }

    /// The grid and its geometric bound, if the map is supported.
    fn grid_and_base<'a>(
        map: &'a Map,
        config: &GatewayConfig,
    ) -> Result<(&'a Grid, Geometric), Unsupported> {
        let method = Self::KIND.name();
        let Map::Grid(grid) = map else {
            let reason = "gates are lines of cells, but this map is a graph; use portal".into();
            return Err(Unsupported { method, reason });
        };
        Ok((grid, Geometric::for_method(method, map, config.heuristic)?))
    }

    fn bound(&self, end: NodeId) -> GatewayBound<'_> {
        let position = self.base.position(end);
        let zone = self.gates.zone(end);
        let gates = zone.map_or(&[][..], |zone| self.gates.of(zone));
        let with_cost = |&gate: &u16| (gate, self.to_gate(position, gate));
        GatewayBound {
            gateway: self,
            end: position,
            end_zone: zone,
            end_gates: gates.iter().map(with_cost).collect(),
            remaining: vec![UNKNOWN; self.gates.len()],
        }
    }

    /// The bound between a position and the nearest cell of a gate.
    #[inline(always)]
    fn to_gate(&self, from: Position, gate: u16) -> Cost {
        let (first, last) = self.gates.ends(gate);
        let nearest = from.clamped(self.base.position(first), self.base.position(last));
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

/// The remaining cost from a gate before its first use.
const UNKNOWN: u64 = u64::MAX;
/// The remaining cost from a gate that has no path to the fixed end.
const NO_PATH: u64 = u64::MAX - 1;

/// A [`Gateway`] heuristic with one end fixed.
struct GatewayBound<'a> {
    gateway: &'a Gateway,
    end: Position,
    end_zone: Option<u16>,
    /// The gates of the fixed end's zone, with the bounds between them and the end.
    end_gates: Vec<(u16, Cost)>,
    /// By gate, the bound on the remaining cost. Computed on first use.
    remaining: Vec<u64>,
}

impl GatewayBound<'_> {
    fn remaining(&mut self, gate: u16) -> u64 {
        let known = self.remaining[usize::from(gate)];
        if known != UNKNOWN {
            return known;
        }
        let sums = self.end_gates.iter().filter_map(|&(end_gate, rest)| {
            let between = self.gateway.distances.between(gate.into(), end_gate.into());
            (between != UNREACHABLE).then(|| u64::from(between) + u64::from(rest))
        });
        let least = sums.min().unwrap_or(NO_PATH);
        self.remaining[usize::from(gate)] = least;
        least
    }
}

impl LowerBound for GatewayBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let gateway = self.gateway;
        let here = gateway.base.position(node);
        let straight = gateway.base.between(here, self.end);
        let (Some(zone), Some(end_zone)) = (gateway.gates.zone(node), self.end_zone) else {
            return Some(straight);
        };
        if zone == end_zone || gateway.overflowed {
            return Some(straight);
        }
        let mut least = NO_PATH;
        for &gate in gateway.gates.of(zone) {
            let remaining = self.remaining(gate);
            if remaining != NO_PATH {
                least = least.min(u64::from(gateway.to_gate(here, gate)) + remaining);
            }
        }
        if least == NO_PATH {
            return None;
        }
        Some(straight.max(least.min(UNREACHABLE.into()) as Cost))
    }
}

impl StoredHeuristic for Gateway {
    type Config = GatewayConfig;

    const KIND: StoredKind = StoredKind::Gateway;

    fn supports(map: &Map, config: &GatewayConfig) -> Result<(), Unsupported> {
        Self::grid_and_base(map, config).map(|_| ())
    }

    fn build(
        map: &Map,
        config: &GatewayConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let (grid, base) = Self::grid_and_base(map, config)?;
        let limit = config.memory_limit;
        let gates = Gates::find(grid, &zones::flood(grid));
        let gates = gates.map_err(|count| {
            let reason = format!("it has {count} gates, and the limit is {MOST_GATES}; use portal");
            Unsupported { method: Self::KIND.name(), reason }
        })?;
        let unit = common_unit(map);
        let needed = gates.memory_bytes() as u64;
        let needed = needed.saturating_add(DistanceMatrix::bytes(gates.len(), true, unit));
        BuildError::check_limit(needed, limit)?;
        let cells: Vec<Vec<NodeId>> =
            (0..gates.len()).map(|gate| gates.cells(grid, gate as u16)).collect();
        let (rows, overflowed) = between_sets(grid, &cells, "gates", progress)?;
        let distances = DistanceMatrix::from_rows(&rows, true, unit);
        Ok(Self { config: config.clone(), base, gates, distances, overflowed })
    }

    /// Builds from scratch.
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
        let (grid, base) = Self::grid_and_base(map, config)?;
        let (gates, distances, overflowed) = file::open(index, grid)?;
        Ok(Self { config: config.clone(), base, gates, distances, overflowed })
    }
}
