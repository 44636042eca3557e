//! Many searches on all threads.

use rayon::prelude::*;

use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::search::wave::Wave;

/// Calls `search` for `0..count` on all threads, each with its own scratch. Returns the results in
/// order, and whether any search reported a cost overflow.
pub(crate) fn search_all<S: Default, T: Send>(
    count: usize,
    phase: &'static str,
    progress: &dyn Progress,
    search: impl Fn(&mut S, usize) -> (T, bool) + Sync + Send,
) -> Result<(Vec<T>, bool), BuildError> {
    let watch = Watch::new(progress, phase, count);
    let results = (0..count).into_par_iter().map_init(S::default, |scratch, at| {
        watch.check()?;
        let result = search(scratch, at);
        watch.advance(1);
        Ok(result)
    });
    let results: Vec<(T, bool)> = results.collect::<Result<_, BuildError>>()?;
    let overflowed = results.iter().any(|&(_, overflowed)| overflowed);
    Ok((results.into_iter().map(|(result, _)| result).collect(), overflowed))
}

/// The least distances between sets of nodes, a row per set, and whether a cost overflowed.
pub(super) fn between_sets(
    graph: &impl Graph,
    sets: &[Vec<NodeId>],
    phase: &'static str,
    progress: &dyn Progress,
) -> Result<(Vec<Vec<Cost>>, bool), BuildError> {
    search_all(sets.len(), phase, progress, |wave: &mut Wave, at| {
        let (costs, overflowed) = wave.spread(graph, &sets[at]);
        let least = |set: &Vec<NodeId>| {
            set.iter().map(|&node| costs[node as usize]).min().unwrap_or(UNREACHABLE)
        };
        (sets.iter().map(least).collect(), overflowed)
    })
}
