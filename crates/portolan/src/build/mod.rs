//! Shared parts of all builds: progress and cancellation, threads, memory limits,
//! tables that a GPU may compute, errors.

mod error;
mod limit;
mod progress;
mod solver;
mod threads;

pub use error::{BuildError, Smaller, Unsupported};
pub use limit::{DEFAULT_MEMORY_LIMIT, MemoryLimit};
pub use progress::Progress;
pub(crate) use progress::Watch;
pub(crate) use solver::solve;
pub use solver::{CostMatrix, TableSolver};
pub use threads::ThreadError;
pub(crate) use threads::{in_threads, thread_count, thread_pool};
