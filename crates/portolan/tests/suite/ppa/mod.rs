//! Partially Precomputed A*.

mod answers;
mod file;
