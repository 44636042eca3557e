//! Threads for builds and batches.

/// The threads that were asked for could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{threads} threads could not be started: {reason}")]
pub struct ThreadError {
    /// How many were asked for.
    pub threads: usize,
    /// What the system said.
    pub reason: String,
}

/// Runs work on so many threads, or on all there are for 0.
pub(crate) fn in_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, ThreadError> {
    if threads == 0 {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| ThreadError { threads, reason: error.to_string() })?;
    Ok(pool.install(work))
}

/// How many threads there are to work on.
pub(crate) fn thread_count() -> usize {
    rayon::current_num_threads()
}
