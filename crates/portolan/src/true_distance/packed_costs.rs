//! Arrays of costs, with two bytes per cost where that loses nothing.
//!
//! On four-connected and hexagonal grids of one terrain, every distance is a whole number of steps.
//! In general, it is a multiple of the greatest common divisor of all edge weights. In this unit,
//! most distances fit into 16 bits.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId, weak_components};
use crate::map::{Map, on_graph};
use crate::search::wave::Wave;
use crate::store::{Array, IndexFile, IndexWriter, OpenError, Words};

/// An array of costs: as they are, or in multiples of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PackedCosts {
    Wide(Words),
    Narrow { unit: Cost, entries: Array<u16> },
}

/// The entry for [`UNREACHABLE`].
const UNREACHABLE_ENTRY: u16 = u16::MAX;

impl PackedCosts {
    /// Packs costs in multiples of `unit`. Keeps them as they are if there is no unit, or if one of
    /// them does not fit.
    pub(crate) fn new(costs: impl Iterator<Item = Cost> + Clone, unit: Option<Cost>) -> Self {
        let narrow = |unit: Cost| {
            let entry = |cost: Cost| match cost {
                UNREACHABLE => Some(UNREACHABLE_ENTRY),
                cost if cost % unit == 0 => {
                    u16::try_from(cost / unit).ok().filter(|&entry| entry != UNREACHABLE_ENTRY)
                }
                _ => None,
            };
            let entries: Option<Vec<u16>> = costs.clone().map(entry).collect();
            Some(Self::Narrow { unit, entries: entries?.into() })
        };
        unit.and_then(narrow).unwrap_or_else(|| Self::Wide(costs.collect()))
    }

    /// Bytes per cost.
    pub(crate) fn width(unit: Option<Cost>) -> u64 {
        if unit.is_some() { 2 } else { 4 }
    }

    /// One cost. [`UNREACHABLE`] if `at` is out of range.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> Cost {
        match self {
            Self::Wide(costs) => costs.get(at).copied().unwrap_or(UNREACHABLE),
            Self::Narrow { unit, entries } => match entries.get(at) {
                None | Some(&UNREACHABLE_ENTRY) => UNREACHABLE,
                Some(&entry) => Cost::from(entry).saturating_mul(*unit),
            },
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Wide(costs) => costs.len(),
            Self::Narrow { entries, .. } => entries.len(),
        }
    }

    /// The unit of the costs; 0 for none.
    pub(crate) fn unit(&self) -> Cost {
        match self {
            Self::Wide(_) => 0,
            &Self::Narrow { unit, .. } => unit,
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::Wide(costs) => costs.memory_bytes(),
            Self::Narrow { entries, .. } => entries.memory_bytes(),
        }
    }

    pub(crate) fn store<'a>(&'a self, section: &str, writer: &mut IndexWriter<'a>) {
        match self {
            Self::Wide(costs) => writer.section(section, costs),
            Self::Narrow { entries, .. } => writer.section(section, entries),
        };
    }

    pub(crate) fn open(index: &IndexFile, section: &str, unit: Cost) -> Result<Self, OpenError> {
        Ok(match unit {
            0 => Self::Wide(index.section(section)?),
            unit => Self::Narrow { unit, entries: index.section(section)? },
        })
    }
}

/// A unit in which all distances of a map are whole numbers that fit into 16 bits. `None` if there
/// is none, and for directed maps.
///
/// On undirected maps, the largest distance in a component is at most twice the largest distance
/// from any one of its nodes.
pub(crate) fn common_unit(map: &Map) -> Option<Cost> {
    on_graph!(map, graph => unit_of(graph))
}

fn unit_of(graph: &impl Graph) -> Option<Cost> {
    if !graph.is_undirected() {
        return None;
    }
    let unit = weight_gcd_of(graph);
    let firsts: Vec<NodeId> =
        weak_components(graph).sizes().iter().map(|&(name, _)| name).collect();
    let mut wave = Wave::default();
    let (costs, overflowed) = wave.spread(graph, &firsts);
    let farthest = costs.iter().copied().filter(|&cost| cost != UNREACHABLE).max().unwrap_or(0);
    let fits = unit > 0 && 2 * u64::from(farthest / unit) < u64::from(UNREACHABLE_ENTRY);
    (fits && !overflowed).then_some(unit)
}

/// The greatest common divisor of all edge weights, which also divides every distance. 0 if all
/// weights are 0.
pub(crate) fn weight_gcd(map: &Map) -> Cost {
    on_graph!(map, graph => weight_gcd_of(graph))
}

fn weight_gcd_of(graph: &impl Graph) -> Cost {
    let mut divisor = 0;
    for tail in 0..graph.node_count() as NodeId {
        graph.out_edges(tail, |_, weight| divisor = gcd(divisor, weight));
        if divisor == 1 {
            break;
        }
    }
    divisor
}

fn gcd(a: Cost, b: Cost) -> Cost {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::STRAIGHT;
    use crate::{Connectivity, GraphBuilder, Grid};

    #[test]
    fn packed_costs_keep_their_values() {
        let costs = [0, 33461, 7 * 33461, UNREACHABLE, 65534 * 33461];
        for (unit, width) in [(None, 4), (Some(33461), 2), (Some(2), 4)] {
            let stored = PackedCosts::new(costs.iter().copied(), unit);
            assert_eq!(stored.memory_bytes(), costs.len() * width, "{unit:?}");
            assert!((0..costs.len()).all(|at| stored.get(at) == costs[at]), "{unit:?}");
            assert_eq!(stored.get(5), UNREACHABLE);
        }
    }

    #[test]
    fn units_are_step_costs() {
        let grid = Grid::new(9, 9).unwrap();
        let four = grid.clone().with_connectivity(Connectivity::Four);
        assert_eq!(common_unit(&four.into()), Some(STRAIGHT));
        // Straight and diagonal steps have no common divisor, and eight steps do not fit into 16
        // bits.
        assert_eq!(common_unit(&grid.into()), None);
        let mut builder = GraphBuilder::new(3).unwrap();
        builder.add_two_way(0, 1, 60).unwrap();
        builder.add_two_way(1, 2, 84).unwrap();
        assert_eq!(common_unit(&builder.build().into()), Some(12));
        let mut one_way = GraphBuilder::new(2).unwrap();
        one_way.add_edge(0, 1, 60).unwrap();
        assert_eq!(common_unit(&one_way.build().into()), None);
    }
}
