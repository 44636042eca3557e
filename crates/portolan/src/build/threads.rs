//! Threads for builds, batches and requests.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The most threads that may be requested. More would only make the system slow.
const MOST_THREADS: usize = 1024;

/// The requested threads cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{threads} threads cannot be started: {reason}")]
pub struct ThreadError {
    /// The requested number.
    pub threads: usize,
    /// The limit, or the system's reason.
    pub reason: String,
}

/// Runs work on a pool of this many threads, or for 0 on the current pool. Starting threads takes
/// longer than a small batch, so a current pool of this size is used as well.
pub(crate) fn in_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, ThreadError> {
    match threads {
        0 => Ok(work()),
        // One thread may be asked for so as to have no others.
        2.. if threads == thread_count() => Ok(work()),
        _ => Ok(thread_pool(threads)?.install(work)),
    }
}

/// A pool of this many threads; 0 for one per core.
pub(crate) fn thread_pool(threads: usize) -> Result<ThreadPool, ThreadError> {
    if threads > MOST_THREADS {
        let reason = format!("at most {MOST_THREADS} are allowed; 0 takes one per core");
        return Err(ThreadError { threads, reason });
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| ThreadError { threads, reason: error.to_string() })
}

/// The number of threads of the current pool.
pub(crate) fn thread_count() -> usize {
    rayon::current_num_threads()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_too_many_threads_are_refused_before_any_starts() {
        let error = in_threads(usize::MAX, || ()).unwrap_err();
        assert!(error.to_string().contains("at most 1024"), "{error}");
        assert_eq!(in_threads(3, thread_count), Ok(3));
    }
}
