//! The open list: a radix heap.
//!
//! The bucket of an entry is the highest bit in which its bound differs from the last bound taken.
//! The first bucket has the entries with an equal bound. Another bucket is distributed only when
//! all before it are empty, and into those. An entry moves at most once per bit, always to the end
//! of an array, while a binary heap moves it between distant positions.
//!
//! Radix heaps require bounds that never fall below the last one taken. With an inconsistent lower
//! bound they can fall. Such an entry is *raised* to the last bound (*pathmax*, Mero 1984).
//! Searches stay exact: until the best path is complete, one of its nodes is open with a bound of
//! at most its cost, and neither a raise to a bound already taken nor another order changes this.
//! All raised entries have to be expanded before the bound grows. The cheapest goes first, as in
//! Dijkstra's algorithm, so most are expanded only once (algorithm B, Martelli 1977).
//!
//! Order: least bound first; of equal bounds, raised entries by cost, then the entry pushed last.
//! This is the tie rule of all searches here. A node whose cost decreases is pushed again. The old
//! entry is recognised by its cost when it is popped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::Cost;
use crate::graph::NodeId;

#[derive(Debug, Clone)]
pub(crate) struct Queue {
    /// Bucket b > 0 holds bounds that differ from `last` in bit b - 1 and in none above.
    buckets: [Vec<Entry>; BUCKETS],
    /// Entries with a bound below `last`, by cost.
    raised: BinaryHeap<(Reverse<Cost>, NodeId)>,
    /// Bit b is set if bucket b is not empty, and [`RAISED`] if `raised` is not.
    filled: u64,
    last: Cost,
    len: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The lower bound on a whole path through the node.
    pub(crate) bound: Cost,
    /// The cost so far.
    pub(crate) cost: Cost,
    pub(crate) node: NodeId,
}

const BUCKETS: usize = Cost::BITS as usize + 1;
const RAISED: u64 = 1 << 63;

impl Default for Queue {
    fn default() -> Self {
        let buckets = [const { Vec::new() }; BUCKETS];
        Self { buckets, raised: BinaryHeap::new(), filled: 0, last: 0, len: 0 }
    }
}

impl Queue {
    pub(crate) fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.raised.clear();
        (self.filled, self.last, self.len) = (0, 0, 0);
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: Entry) {
        self.len += 1;
        if entry.bound < self.last {
            self.raise(entry);
        } else {
            self.put(entry);
        }
    }

    /// Removes the first entry.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let bound = self.least_bound()?;
        self.len -= 1;
        if self.filled & RAISED != 0 {
            let raised = self.raised.pop();
            self.filled ^= if self.raised.is_empty() { RAISED } else { 0 };
            return raised.map(|(Reverse(cost), node)| Entry { bound, cost, node });
        }
        let entry = self.buckets[0].pop();
        self.filled &= !u64::from(self.buckets[0].is_empty());
        entry
    }

    /// The least bound of any entry, outdated ones included.
    #[inline(always)]
    pub(crate) fn least_bound(&mut self) -> Option<Cost> {
        if self.filled == 0 {
            return None;
        }
        if self.filled & (1 | RAISED) == 0 {
            self.distribute(self.filled.trailing_zeros() as usize);
        }
        Some(self.last)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let buckets = self.buckets.iter().map(|bucket| bucket.capacity() * size_of::<Entry>());
        buckets.sum::<usize>() + self.raised.capacity() * size_of::<(Reverse<Cost>, NodeId)>()
    }

    /// Never called with consistent bounds.
    #[cold]
    fn raise(&mut self, Entry { cost, node, .. }: Entry) {
        self.raised.push((Reverse(cost), node));
        self.filled |= RAISED;
    }

    #[inline(always)]
    fn put(&mut self, entry: Entry) {
        let bucket = (Cost::BITS - (entry.bound ^ self.last).leading_zeros()) as usize;
        self.buckets[bucket].push(entry);
        self.filled |= 1 << bucket;
    }

    /// Distributes the first nonempty bucket over those before it, in order.
    fn distribute(&mut self, bucket: usize) {
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        self.filled &= !(1 << bucket);
        self.last = entries.iter().map(|entry| entry.bound).min().unwrap_or(self.last);
        for &entry in &entries {
            self.put(entry);
        }
        entries.clear();
        self.buckets[bucket] = entries;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Random pushes and pops, compared with a list that is sorted for every pop.
    #[test]
    fn the_least_bound_comes_first_then_the_cheapest_raised_one_then_the_last_pushed() {
        let mut raised = 0;
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut queue = Queue::default();
            // By bound, then those that were raised by cost and greatest node, then the greatest
            // node.
            let mut list: Vec<(Cost, Cost, Reverse<NodeId>)> = Vec::new();
            let (mut last, mut node) = (0, 0);
            let spread = [4, 1000, 1 << 31][seed as usize % 3];
            for _ in 0..3000 {
                if random.chance(0.55) {
                    // Sometimes below the last bound taken, as inconsistent bounds are.
                    let bound = (last as Cost).saturating_add(random.below(spread) as Cost);
                    let bound = if random.chance(0.1) { bound / 2 } else { bound };
                    let cost = random.below(40) as Cost;
                    queue.push(Entry { bound, cost, node });
                    raised += usize::from(bound < last);
                    let rank = if bound < last { cost } else { Cost::MAX };
                    list.push((bound.max(last), rank, Reverse(node)));
                    node += 1;
                } else {
                    let expected = list.iter().copied().min();
                    assert_eq!(queue.least_bound(), expected.map(|(bound, ..)| bound));
                    let found = queue.pop().map(|entry| (entry.bound, entry.node));
                    let named = expected.map(|(bound, _, Reverse(node))| (bound, node));
                    assert_eq!(found, named, "seed {seed}");
                    list.retain(|&entry| Some(entry) != expected);
                    last = expected.map_or(last, |(bound, ..)| bound);
                }
                assert_eq!(queue.len(), list.len());
            }
        }
        assert!(raised > 1000, "{raised} entries were raised");
    }
}
