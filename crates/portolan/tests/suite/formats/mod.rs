//! Map formats: fuzzed readers and real files.

#[cfg(feature = "png")]
mod fuzz;
mod real_files;
