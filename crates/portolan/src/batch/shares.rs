//! Divides a batch into shares of pairs that read the same data.
//!
//! Pairs are ordered by the highest bits of [`Query::locality`], and each share is a range of that
//! order. So a thread works on one part of the map at a time, and neighbours in a share have most
//! of their paths in common. No thread works alone: parts of the batch are sorted in parallel, and
//! each share collects its pairs from all of them. A worker per thread takes one share after the
//! other, with the same query, whose scratch space stays in the cache of its core.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::build::thread_count;
use crate::engine::Query;
use crate::graph::Endpoints;

/// The number of shares per thread: some take several times as long as others, and all threads should
/// finish at about the same time.
const SHARES_PER_THREAD: usize = 32;

/// The number of parts per thread that are sorted.
const PARTS_PER_THREAD: usize = 2;

/// The least number of pairs in a share, unless the batch is smaller.
const MIN_SHARE: usize = 64;

/// The most pairs in a share, or in a part that is sorted: their positions fit into 32 bits.
const MAX_SHARE: usize = 1 << 30;

/// Bits of the locality by which pairs are ordered. Engines order the pairs of a share further.
const BITS: u32 = 10;

/// Some pairs of a batch.
pub(super) struct Share<'p> {
    pub(super) pairs: Cow<'p, [Endpoints]>,
    /// The index of each pair in the batch. Empty if the share is the whole batch.
    numbers: Vec<usize>,
}

impl Share<'_> {
    /// The index in the batch of a pair of the share.
    pub(super) fn number(&self, at: usize) -> usize {
        self.numbers.get(at).copied().unwrap_or(at)
    }
}

/// Works on the shares of a batch in parallel, on the current pool. `init` makes the state of a
/// worker from its number. Returns the states of all workers, in order.
pub(super) fn in_shares<Q: Query, W: Send>(
    query: impl Fn() -> Q + Sync,
    pairs: &[Endpoints],
    init: impl Fn(usize) -> W + Sync,
    work: impl Fn(&mut W, &mut Q, &Share<'_>) + Sync,
) -> Vec<W> {
    let most = match thread_count() {
        1 => 1,
        threads => threads * SHARES_PER_THREAD,
    };
    let few = most.min(pairs.len().div_ceil(MIN_SHARE));
    let shares = few.max(pairs.len().div_ceil(MAX_SHARE));
    if shares <= 1 {
        let mut state = init(0);
        work(&mut state, &mut query(), &Share { pairs: pairs.into(), numbers: Vec::new() });
        return vec![state];
    }
    let parts = (PARTS_PER_THREAD * thread_count()).max(pairs.len().div_ceil(MAX_SHARE));
    let order = PairOrder::new(&query, pairs, parts);
    let next = AtomicUsize::new(0);
    let worker = |worker: usize| {
        let (mut state, mut query) = (init(worker), query());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= shares {
                return state;
            }
            let limit = |at: usize| (pairs.len() as u128 * at as u128 / shares as u128) as usize;
            let numbers = order.numbers(limit(at)..limit(at + 1));
            let pairs = numbers.iter().map(|&number| pairs[number]).collect();
            work(&mut state, &mut query, &Share { pairs, numbers });
        }
    };
    let workers = thread_count().min(shares);
    (0..workers).into_par_iter().with_max_len(1).map(worker).collect()
}

/// The order of all pairs.
struct PairOrder {
    parts: Vec<SortedPart>,
    /// By key, the position of its first pair in the order, then the number of pairs.
    starts: Vec<usize>,
}

/// The order of consecutive pairs.
struct SortedPart {
    /// The index of the first pair in the batch.
    first: usize,
    /// By key, the position of its first pair in `order`, then the number of pairs.
    starts: Vec<u32>,
    /// The positions of the pairs in the part.
    order: Vec<u32>,
}

impl PairOrder {
    fn new<Q: Query>(query: &(impl Fn() -> Q + Sync), pairs: &[Endpoints], parts: usize) -> Self {
        let size = pairs.len().div_ceil(parts);
        let parts = pairs.par_chunks(size).with_max_len(1).enumerate();
        let parts = parts.map(|(at, part)| SortedPart::new(&query(), at * size, part));
        let parts: Vec<SortedPart> = parts.collect();
        let start = |key: usize| parts.iter().map(|part| part.starts[key] as usize).sum::<usize>();
        Self { starts: (0..=1 << BITS).map(start).collect(), parts }
    }

    /// The indices of the pairs in a range of the order, which is not empty.
    fn numbers(&self, range: Range<usize>) -> Vec<usize> {
        let mut numbers = Vec::with_capacity(range.len());
        let key = self.starts.partition_point(|&start| start <= range.start) - 1;
        let mut at = self.starts[key];
        for (key, part) in
            (key..1 << BITS).flat_map(|key| self.parts.iter().map(move |part| (key, part)))
        {
            if at >= range.end {
                break;
            }
            let run = part.run(key);
            let skipped = range.start.saturating_sub(at).min(run.len());
            let end = run.len().min(range.end - at);
            numbers.extend(run[skipped..end].iter().map(|&at| part.first + at as usize));
            at += run.len();
        }
        numbers
    }
}

impl SortedPart {
    /// A counting sort.
    fn new(query: &impl Query, first: usize, pairs: &[Endpoints]) -> Self {
        let key = |&pair: &Endpoints| (query.locality(pair) >> (u32::BITS - BITS)) as u16;
        let keys: Vec<u16> = pairs.iter().map(key).collect();
        let mut starts = vec![0; (1 << BITS) + 1];
        keys.iter().for_each(|&key| starts[usize::from(key) + 1] += 1);
        for key in 0..1 << BITS {
            starts[key + 1] += starts[key];
        }
        let mut ends = starts.clone();
        let mut order = vec![0; pairs.len()];
        for (at, key) in (0..).zip(keys) {
            let end = &mut ends[usize::from(key)];
            order[*end as usize] = at;
            *end += 1;
        }
        Self { first, starts, order }
    }

    /// The positions of the pairs with a key.
    fn run(&self, key: usize) -> &[u32] {
        &self.order[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::in_threads;
    use crate::engine::{CostAnswer, PathAnswer};
    use crate::grid::Grid;
    use crate::map::Map;
    use crate::random::Random;
    use crate::search::Observer;

    /// Knows only where pairs are.
    struct Locality(Map);

    impl Query for Locality {
        fn map(&self) -> &Map {
            &self.0
        }

        fn distance(&mut self, _: u32, _: u32) -> CostAnswer {
            Ok(None)
        }

        fn find_observed(&mut self, _: u32, _: u32, _: &mut dyn Observer) -> PathAnswer<'_> {
            Ok(None)
        }

        fn locality(&self, (from, _): Endpoints) -> u32 {
            from
        }
    }

    #[test]
    fn each_pair_is_in_one_share_and_shares_ascend() {
        let query = || Locality(Map::from(Grid::new(1, 1).unwrap()));
        let mut random = Random::new(5);
        for threads in [1, 2, 3, 8] {
            for (count, keys) in [(0, 1), (1, 9), (63, 9), (129, 2), (5_000, 1 << 32), (9_999, 7)] {
                let mut node = || random.below(keys) as u32;
                let pairs: Vec<Endpoints> = (0..count).map(|at| (node() << 20, at)).collect();
                let workers = in_threads(threads, || {
                    in_shares(
                        query,
                        &pairs,
                        |_| Vec::new(),
                        |shares: &mut Vec<_>, _, share| {
                            let numbers = 0..share.pairs.len();
                            let numbers: Vec<usize> = numbers.map(|at| share.number(at)).collect();
                            assert!(
                                numbers.iter().map(|&at| pairs[at]).eq(share.pairs.iter().copied())
                            );
                            shares.push(numbers);
                        },
                    )
                });
                let mut shares: Vec<Vec<usize>> = workers.unwrap().into_iter().flatten().collect();
                let key = |at: usize| (pairs[at].0 >> (u32::BITS - BITS), at);
                shares.sort_by_key(|share| share.first().map(|&at| key(at)));
                let order: Vec<usize> = shares.into_iter().flatten().collect();
                if threads > 1 && count > 64 {
                    let sorted = order.is_sorted_by_key(|&at| key(at));
                    assert!(sorted, "{count} pairs on {threads} threads");
                }
                let mut numbers = order;
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..count as usize));
            }
        }
    }
}
