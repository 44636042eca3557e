//! What every fuzz target checks.

pub mod checks;
