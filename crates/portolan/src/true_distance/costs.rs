//! Many costs, in two bytes each where that loses nothing.
//!
//! On four-connected and hexagonal grids of one terrain every distance is a whole number of steps,
//! and in general a multiple of what all edges have as a common divisor. Counted in that unit,
//! distances mostly fit into 16 bits.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId, weak_components};
use crate::map::{Map, on_graph};
use crate::search::wave::Wave;
use crate::store::{Array, IndexFile, IndexWriter, OpenError, Words};

/// Costs that stay as they are, or are counted in a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Costs {
    Wide(Words),
    Narrow { unit: Cost, entries: Array<u16> },
}

/// Stands for [`UNREACHABLE`].
const NEVER: u16 = u16::MAX;

impl Costs {
    /// Costs that are counted in this unit, if there is one.
    pub(crate) fn new(costs: impl Iterator<Item = Cost> + Clone, unit: Option<Cost>) -> Self {
        let narrow = |unit: Cost| {
            let entry = |cost: Cost| match cost {
                UNREACHABLE => Some(NEVER),
                cost if cost % unit == 0 => {
                    u16::try_from(cost / unit).ok().filter(|&entry| entry != NEVER)
                }
                _ => None,
            };
            let entries: Option<Vec<u16>> = costs.clone().map(entry).collect();
            Some(Self::Narrow { unit, entries: entries?.into() })
        };
        unit.and_then(narrow).unwrap_or_else(|| Self::Wide(costs.collect()))
    }

    /// Bytes that a cost takes.
    pub(crate) fn width(unit: Option<Cost>) -> u64 {
        if unit.is_some() { 2 } else { 4 }
    }

    /// A cost; [`UNREACHABLE`] beyond the last.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> Cost {
        match self {
            Self::Wide(costs) => costs.get(at).copied().unwrap_or(UNREACHABLE),
            Self::Narrow { unit, entries } => match entries.get(at) {
                None | Some(&NEVER) => UNREACHABLE,
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

    /// The unit that costs are counted in; 0 where there is none.
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

/// The unit that all distances of a map can be counted in, if each then fits into 16 bits.
///
/// No two nodes of a component are farther apart than twice the farthest is from any one of them,
/// on undirected maps. Of others nothing is said.
pub(crate) fn common_unit(map: &Map) -> Option<Cost> {
    on_graph!(map, graph => unit_of(graph))
}

fn unit_of(graph: &impl Graph) -> Option<Cost> {
    if !graph.is_undirected() {
        return None;
    }
    let unit = grain_of(graph);
    let firsts: Vec<NodeId> =
        weak_components(graph).sizes().iter().map(|&(name, _)| name).collect();
    let mut wave = Wave::default();
    let (costs, heavy) = wave.spread(graph, &firsts);
    let farthest = costs.iter().copied().filter(|&cost| cost != UNREACHABLE).max().unwrap_or(0);
    let fits = unit > 0 && 2 * u64::from(farthest / unit) < u64::from(NEVER);
    (fits && !heavy).then_some(unit)
}

/// What every distance of a map is a multiple of: the greatest common divisor of all its edges; 0
/// where none costs anything.
pub(crate) fn grain(map: &Map) -> Cost {
    on_graph!(map, graph => grain_of(graph))
}

fn grain_of(graph: &impl Graph) -> Cost {
    let mut grain = 0;
    for tail in 0..graph.node_count() as NodeId {
        graph.out_edges(tail, |_, weight| grain = common_divisor(grain, weight));
        if grain == 1 {
            break;
        }
    }
    grain
}

fn common_divisor(a: Cost, b: Cost) -> Cost {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::STRAIGHT;
    use crate::{Connectivity, GraphBuilder, Grid};

    #[test]
    fn costs_come_back_as_they_were() {
        let costs = [0, 33461, 7 * 33461, UNREACHABLE, 65534 * 33461];
        for (unit, width) in [(None, 4), (Some(33461), 2), (Some(2), 4)] {
            let stored = Costs::new(costs.iter().copied(), unit);
            assert_eq!(stored.memory_bytes(), costs.len() * width, "{unit:?}");
            assert!((0..costs.len()).all(|at| stored.get(at) == costs[at]), "{unit:?}");
            assert_eq!(stored.get(5), UNREACHABLE);
        }
    }

    #[test]
    fn units_are_those_of_steps() {
        let grid = Grid::new(9, 9).unwrap();
        let four = grid.clone().with_connectivity(Connectivity::Four);
        assert_eq!(common_unit(&four.into()), Some(STRAIGHT));
        // Straight and diagonal steps have no divisor in common, and eight steps are more than 16
        // bits hold.
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
