//! The open list: a heap with four children per node.
//!
//! An entry is one 128-bit number, the lower bound on the whole path above the complement of the cost so
//! far above the node. The smallest number comes first: least bound, then the node that has come
//! farthest, then the smallest node id. That order is the tie rule of every search here.
//!
//! A node whose cost falls is pushed again; the entry left behind is recognised by its old cost when it
//! comes up.

use crate::cost::Cost;
use crate::graph::NodeId;

#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    entries: Vec<u128>,
}

const CHILDREN: usize = 4;

impl Queue {
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The least bound of any entry, left-behind ones included.
    pub(super) fn least_bound(&self) -> Option<Cost> {
        self.entries.first().map(|&entry| bound_of(entry))
    }

    #[inline(always)]
    pub(super) fn push(&mut self, bound: Cost, cost: Cost, node: NodeId) {
        let entry = u128::from(bound) << 64 | u128::from(!cost) << 32 | u128::from(node);
        let mut hole = self.entries.len();
        self.entries.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if self.entries[parent] <= entry {
                break;
            }
            self.entries[hole] = self.entries[parent];
            hole = parent;
        }
        self.entries[hole] = entry;
    }

    /// Takes the first entry: its bound, cost and node.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<(Cost, Cost, NodeId)> {
        let last = self.entries.pop()?;
        let first = match self.entries.first() {
            Some(&first) => first,
            None => return Some(parts_of(last)),
        };
        let entries = self.entries.as_mut_slice();
        let mut hole = 0;
        loop {
            let first_child = hole * CHILDREN + 1;
            if first_child >= entries.len() {
                break;
            }
            let children = &entries[first_child..entries.len().min(first_child + CHILDREN)];
            let mut least = 0;
            for child in 1..children.len() {
                if children[child] < children[least] {
                    least = child;
                }
            }
            if children[least] >= last {
                break;
            }
            entries[hole] = children[least];
            hole = first_child + least;
        }
        entries[hole] = last;
        Some(parts_of(first))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u128>()
    }
}

fn bound_of(entry: u128) -> Cost {
    (entry >> 64) as Cost
}

fn parts_of(entry: u128) -> (Cost, Cost, NodeId) {
    (bound_of(entry), !((entry >> 32) as Cost), entry as NodeId)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    #[test]
    fn entries_come_by_bound_then_farthest_then_id() {
        let mut random = Random::new(1);
        let mut queue = Queue::default();
        let mut expected = Vec::new();
        for _ in 0..2000 {
            let mut draw = || random.below(12) as u32;
            let (bound, cost, node) = (draw(), draw(), draw());
            queue.push(bound, cost, node);
            expected.push((bound, std::cmp::Reverse(cost), node));
        }
        expected.sort_unstable();
        assert_eq!(queue.least_bound(), Some(expected[0].0));
        for (bound, std::cmp::Reverse(cost), node) in expected {
            assert_eq!(queue.pop(), Some((bound, cost, node)));
        }
        assert_eq!(queue.pop(), None);
    }
}
