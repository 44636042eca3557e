//! A* on the device, after Inam, Cederman and Tsigas, "A* Algorithm for Graphics Processors" (2010).
//!
//! - `astar`: one invocation per agent, with a binary heap.
//!
//! They share the memory of searches (`state.wgsl`, `layout`) and the way in which batches are
//! answered (`batches`).

mod astar;
mod batches;
mod layout;
#[cfg(test)]
mod tests;

pub use astar::GpuAstar;

/// What agents know about the cells that they have reached.
const STATE_SOURCE: &str = include_str!("state.wgsl");
