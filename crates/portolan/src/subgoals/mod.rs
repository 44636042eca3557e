//! Grids of one terrain reduced to the corners that shortest paths bend round.

mod compass;
mod edit;
mod graph;
mod lines;
mod sight;

pub(crate) use graph::{Onward, Subgoals};
pub(crate) use sight::{Run, Spot};

#[cfg(test)]
mod tests;
