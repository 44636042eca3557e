//! Numbers of usable nodes, without gaps.
//!
//! Tables then have entries for usable nodes only, and none for walls. Stored as one bit per id
//! and, per word of bits, the number of usable nodes before it. Nothing is stored if all ids are
//! usable.

use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};

/// The rank of a usable node is the number of usable nodes with smaller ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// A bit per id, set for usable nodes. Empty if all ids are usable.
    words: Vec<u64>,
    /// By word, the number of usable nodes before it.
    before: Vec<u32>,
    count: usize,
}

impl Ranks {
    pub(crate) fn of(map: &Map) -> Self {
        on_graph!(map, graph => Self::of_graph(graph))
    }

    fn of_graph(graph: &impl Graph) -> Self {
        let nodes = graph.node_count();
        let mut words = vec![0u64; nodes.div_ceil(64)];
        for node in 0..nodes {
            words[node / 64] |= u64::from(graph.contains(node as NodeId)) << (node % 64);
        }
        let mut count = 0;
        let before = words.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        let before: Vec<u32> = before.collect();
        let count = count as usize;
        if count == nodes {
            return Self { words: Vec::new(), before: Vec::new(), count };
        }
        Self { words, before, count }
    }

    /// The most bytes that the ranks of `ids` ids take.
    pub(crate) fn bytes(ids: usize) -> u64 {
        (ids.div_ceil(64) * (size_of::<u64>() + size_of::<u32>())) as u64
    }

    /// The number of usable nodes.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The rank of a node. `None` if it is not usable.
    #[inline(always)]
    pub(crate) fn rank(&self, node: NodeId) -> Option<usize> {
        let node = node as usize;
        if self.words.is_empty() {
            return (node < self.count).then_some(node);
        }
        let word = *self.words.get(node / 64)?;
        let rest = word >> (node % 64);
        if rest & 1 == 0 {
            return None;
        }
        let below = word & ((1 << (node % 64)) - 1);
        Some((self.before[node / 64] + below.count_ones()) as usize)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn ranks_have_no_gaps() {
        let grid = Grid::from_fn(70, 5, |x, y| (x + 3 * y) % 4 != 0).unwrap();
        let ranks = Ranks::of(&Map::from(&grid));
        assert_eq!(ranks.memory_bytes() as u64, Ranks::bytes(350));
        assert_eq!(ranks.rank(NodeId::MAX), None);
        let ranked: Vec<usize> = (0..400).filter_map(|node| ranks.rank(node)).collect();
        assert_eq!(ranked, (0..grid.passable_count()).collect::<Vec<_>>());
        assert!((0..350).all(|node| ranks.rank(node).is_some() == Graph::contains(&grid, node)));
    }

    #[test]
    fn a_map_without_walls_needs_no_memory() {
        let ranks = Ranks::of(&Map::from(Grid::new(13, 7).unwrap()));
        assert_eq!((ranks.rank(90), ranks.rank(91), ranks.memory_bytes()), (Some(90), None, 0));
    }
}
