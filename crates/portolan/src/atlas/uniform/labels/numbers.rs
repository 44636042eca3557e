//! The numbers of the subgoals, by cell.

use super::SubgoalId;
use crate::atlas::separator_tree::NO_REGION;
use crate::graph::NodeId;
use crate::kernel::prefetch_element;
use crate::store::Words;

/// The number of the subgoal at each cell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CellNumbers {
    /// A number for each cell; [`NO_REGION`] for cells that are not subgoals.
    PerCell(Words),
    /// A bit for each cell. Takes a twentieth of the memory, and a look-up reads two lines.
    PerSubgoal(RankedNumbers),
}

/// The numbers of subgoals in the order of their cells.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RankedNumbers {
    blocks: Vec<Block>,
    numbers: Vec<SubgoalId>,
}

/// The bits of [`BLOCK`] cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Block {
    /// The number of subgoals in earlier blocks.
    before: u32,
    bits: [u32; WORDS],
}

const WORDS: usize = 7;

/// Cells of a block.
const BLOCK: usize = WORDS * u32::BITS as usize;

impl Block {
    /// The position of the subgoal at a cell of the block.
    #[inline(always)]
    fn rank(&self, at: usize) -> Option<usize> {
        let (word, bit) = (at / 32, 1 << (at % 32));
        let ones = |bits: &[u32]| bits.iter().map(|bits| bits.count_ones()).sum::<u32>();
        let rank = self.before + ones(&self.bits[..word]) + ones(&[self.bits[word] & (bit - 1)]);
        (self.bits[word] & bit != 0).then_some(rank as usize)
    }
}

impl RankedNumbers {
    /// The numbers of these cells, which ascend, on a grid with so many cells; all are unset.
    pub(super) fn new(cells: usize, subgoals: impl Iterator<Item = NodeId>) -> Self {
        let mut blocks = vec![Block::default(); cells.div_ceil(BLOCK)];
        let mut count = 0;
        for node in subgoals {
            let (block, at) = (node as usize / BLOCK, node as usize % BLOCK);
            blocks[block].bits[at / 32] |= 1 << (at % 32);
            count += 1;
        }
        let mut before = 0;
        for block in &mut blocks {
            block.before = before;
            before += block.bits.iter().map(|bits| bits.count_ones()).sum::<u32>();
        }
        Self { blocks, numbers: vec![NO_REGION; count] }
    }

    #[inline(always)]
    fn rank(&self, node: NodeId) -> Option<usize> {
        self.blocks.get(node as usize / BLOCK)?.rank(node as usize % BLOCK)
    }

    /// Sets the number of a subgoal.
    pub(super) fn set(&mut self, node: NodeId, number: SubgoalId) {
        if let Some(rank) = self.rank(node) {
            self.numbers[rank] = number;
        }
    }
}

impl CellNumbers {
    /// The subgoal at a cell; [`NO_REGION`] if there is none.
    #[inline(always)]
    pub(crate) fn of(&self, node: NodeId) -> SubgoalId {
        match self {
            Self::PerCell(numbers) => numbers[node as usize],
            Self::PerSubgoal(ranked) => {
                ranked.rank(node).map_or(NO_REGION, |rank| ranked.numbers[rank])
            }
        }
    }

    /// Prefetches what [`of`](Self::of) reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, node: NodeId) {
        match self {
            Self::PerCell(numbers) => prefetch_element(numbers, node as usize),
            Self::PerSubgoal(ranked) => prefetch_element(&ranked.blocks, node as usize / BLOCK),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::PerCell(numbers) => numbers.memory_bytes(),
            Self::PerSubgoal(RankedNumbers { blocks, numbers }) => {
                size_of_val(&blocks[..]) + size_of_val(&numbers[..])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn bits_and_lists_agree() {
        let mut random = Random::new(4);
        for cells in [1, 31, 223, 224, 225, 3000] {
            let subgoals: Vec<NodeId> = (0..cells).filter(|_| random.chance(0.2)).collect();
            let mut per_cell = vec![NO_REGION; cells as usize];
            let mut ranked = RankedNumbers::new(cells as usize, subgoals.iter().copied());
            for (number, &node) in (0..).zip(&subgoals) {
                per_cell[node as usize] = 7 * number;
                ranked.set(node, 7 * number);
            }
            let (per_cell, ranked) =
                (CellNumbers::PerCell(per_cell.into()), CellNumbers::PerSubgoal(ranked));
            assert!((0..cells).all(|node| per_cell.of(node) == ranked.of(node)));
        }
    }
}
