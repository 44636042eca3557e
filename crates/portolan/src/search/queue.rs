//! The open list: a radix heap.
//!
//! Entries lie in buckets by the highest bit in which their bound differs from the last bound
//! taken. The first bucket holds the entries whose bound equals it; the others are sorted out only
//! when all before them are empty, and then into those. An entry moves at most once per bit, always
//! from one array to the end of another, where a heap would sift it through entries far apart.
//!
//! Radix heaps need bounds that never fall below the last one taken. With an inconsistent lower
//! bound they can; such an entry is taken at the last bound instead (known as *pathmax*, Mero
//! 1984). That keeps searches exact: while the best path is not complete, one of its nodes is open
//! with a bound not above its cost, and neither raising that bound to one already taken nor taking
//! others first changes this. Raised entries all have to be expanded before the bound grows,
//! whatever their order, so the cheapest of them goes first, as in Dijkstra's algorithm: that way
//! most of them are expanded once only (algorithm B, Martelli 1977). They come before all others.
//!
//! Order: least bound first, raised entries before others by their cost; of other equal bounds the
//! entry that came last. That is the tie rule of every search here. A node whose cost falls is
//! pushed again; the entry left behind is recognised by its old cost when it comes up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::Cost;
use crate::graph::NodeId;

#[derive(Debug, Clone)]
pub(crate) struct Queue {
    /// Bucket b > 0 holds bounds that differ from `last` in bit b - 1 and in none above.
    buckets: [Vec<Entry>; BUCKETS],
    /// Entries whose own bound is below `last`, by cost.
    raised: BinaryHeap<(Reverse<Cost>, NodeId)>,
    /// Bit b is set where bucket b holds something, and [`RAISED`] where `raised` does.
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

    /// Takes the first entry.
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

    /// The least bound of any entry, left-behind ones included.
    #[inline(always)]
    pub(crate) fn least_bound(&mut self) -> Option<Cost> {
        if self.filled == 0 {
            return None;
        }
        if self.filled & (1 | RAISED) == 0 {
            self.sort_out(self.filled.trailing_zeros() as usize);
        }
        Some(self.last)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let buckets = self.buckets.iter().map(|bucket| bucket.capacity() * size_of::<Entry>());
        buckets.sum::<usize>() + self.raised.capacity() * size_of::<(Reverse<Cost>, NodeId)>()
    }

    /// Out of the way of consistent bounds, which never come here.
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

    /// Distributes the first filled bucket over those before it, in order.
    fn sort_out(&mut self, bucket: usize) {
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

    /// Pushes and pops at random beside a list that is sorted anew for every pop.
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
