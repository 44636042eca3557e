//! Work spread over the cores, its results in order.

use rayon::prelude::*;

/// Applies `work` to every item on all cores and returns the results in the order of the items.
/// Workers are scratch space; each belongs to one thread at a time.
pub(crate) fn map_in_order<T: Sync, W, R: Send>(
    items: &[T],
    new_worker: impl Fn() -> W + Sync + Send,
    work: impl Fn(&mut W, &T) -> R + Sync + Send,
) -> Vec<R> {
    items.par_iter().map_init(new_worker, work).collect()
}
