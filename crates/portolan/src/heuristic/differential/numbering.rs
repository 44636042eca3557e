//! Which row of a table belongs to a node.

use crate::graph::NodeId;
use crate::map::Map;

/// Rows for all ids, or only for nodes that paths can use: the first is quicker to find, the second takes less memory
/// where much is blocked.
#[derive(Debug, Clone)]
pub(super) enum Numbering {
    ById { rows: usize },
    Ranked(Ranks),
}

/// The usable nodes as bits, and how many come before each word of them.
#[derive(Debug, Clone)]
pub(super) struct Ranks {
    words: Vec<(u64, u32)>,
    rows: usize,
}

impl Ranks {
    pub(super) fn of(map: &Map) -> Self {
        let nodes = map.node_count();
        let (mut words, mut rows) = (Vec::with_capacity(nodes.div_ceil(64)), 0);
        for start in (0..nodes).step_by(64) {
            let members =
                (start..nodes.min(start + 64)).filter(|&node| map.contains(node as NodeId));
            let bits = members.fold(0, |bits, node| bits | 1u64 << (node - start));
            words.push((bits, rows));
            rows += bits.count_ones();
        }
        Self { words, rows: rows as usize }
    }

    /// Bytes that the ranks of so many nodes take.
    pub(super) fn bytes(nodes: usize) -> u64 {
        (nodes.div_ceil(64) * size_of::<(u64, u32)>()) as u64
    }

    #[inline(always)]
    fn row(&self, node: NodeId) -> Option<usize> {
        let &(bits, before) = self.words.get(node as usize / 64)?;
        let at = node % 64;
        let below = bits & ((1 << at) - 1);
        (bits >> at & 1 != 0).then(|| before as usize + below.count_ones() as usize)
    }
}

impl Numbering {
    /// The row of a node, if it has one.
    #[inline(always)]
    pub(super) fn row(&self, node: NodeId) -> Option<usize> {
        match self {
            Self::ById { rows } => ((node as usize) < *rows).then_some(node as usize),
            Self::Ranked(ranks) => ranks.row(node),
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::ById { rows } => *rows,
            Self::Ranked(ranks) => ranks.rows,
        }
    }

    pub(super) fn is_ranked(&self) -> bool {
        matches!(self, Self::Ranked(_))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::ById { .. } => 0,
            Self::Ranked(ranks) => size_of_val(ranks.words.as_slice()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::generate::Random;

    #[test]
    fn ranks_count_the_usable_nodes_before() {
        let mut random = Random::new(3);
        for width in [1, 9, 64, 130] {
            let grid = Grid::from_fn(width, 7, |_, _| random.chance(0.6)).unwrap();
            let map = Map::from(grid);
            let ranks = Numbering::Ranked(Ranks::of(&map));
            let mut expected = 0;
            for node in 0..map.node_count() as NodeId {
                let row = map.contains(node).then_some(expected);
                assert_eq!(ranks.row(node), row);
                expected += usize::from(row.is_some());
            }
            assert_eq!((ranks.rows(), ranks.row(NodeId::MAX)), (expected, None));
        }
    }
}
