//! Usable nodes, numbered without gaps.
//!
//! Tables over nodes have an entry for every usable one and none for walls: a bit per id and, for
//! every word of bits, how many usable nodes come before it. Where every id is usable there is
//! nothing to store.

use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// Empty where every id is usable.
    words: Vec<u64>,
    /// Beside `words`.
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

    /// Bytes that the ranks of so many ids take at most.
    pub(crate) fn bytes(ids: usize) -> u64 {
        (ids.div_ceil(64) * (size_of::<u64>() + size_of::<u32>())) as u64
    }

    /// How many usable nodes there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of a usable node; an id that is none has none.
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
    fn numbers_have_no_gaps() {
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
