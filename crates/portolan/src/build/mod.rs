//! Shared parts of all builds: progress and cancellation, threads, the default memory limit,
//! tables that a GPU may compute, errors.

mod error;
mod progress;
mod solver;
mod threads;

pub use error::{BuildError, Smaller, Unsupported};
pub use progress::Progress;
pub(crate) use progress::Watch;
pub(crate) use solver::solve;
pub use solver::{CostMatrix, TableSolver};
pub use threads::ThreadError;
pub(crate) use threads::{in_threads, thread_count, thread_pool};

/// The default memory limit of an index in bytes, used by
/// [`Settings`](crate::Settings) and of every configuration.
pub const DEFAULT_MEMORY_LIMIT: u64 = 128 << 20;
