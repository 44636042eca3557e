//! Work spread over the cores, its results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies `work` to every item, on as many threads as there are cores; each thread has a worker of
/// its own. The results come in the order of the items, whatever the threads do.
pub(crate) fn map_in_order<T: Sync, W, R: Send>(
    items: &[T],
    new_worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut worker = new_worker();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(&mut worker, item)));
        }
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..cores.min(items.len())).map(|_| scope.spawn(run)).collect();
        let mut results = run();
        for other in others {
            match other.join() {
                Ok(done) => results.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled = map_in_order(
            &items,
            || 0u32,
            |seen, &item| {
                *seen += 1;
                item * 2
            },
        );
        assert!(doubled.iter().zip(&items).all(|(&double, &item)| double == 2 * item));
        assert!(map_in_order(&[] as &[u32], || (), |(), &item| item).is_empty());
    }
}
