//! Threads for builds.

use crate::engine::BuildError;

/// Runs work on so many threads, or on all there are for 0.
pub(crate) fn in_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, BuildError> {
    if threads == 0 {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| BuildError::Threads { threads, reason: error.to_string() })?;
    Ok(pool.install(work))
}
