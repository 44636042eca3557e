//! A* on the device, after Inam, Cederman and Tsigas, "A* Algorithm for Graphics Processors".
//!
//! - `astar`: one invocation per agent, with a heap.
//! - `precalculated`: the same, with stored paths through the whole map.
//! - `cooperative`: a workgroup per agent, which expands many cells at a time.
//!
//! They share the way in which batches are answered (`batches`), the memory of searches (`layout`,
//! `state.wgsl`, `pages.wgsl`) and the registers and walks of agents (`agent.wgsl`).

mod astar;
mod batches;
mod cooperative;
mod layout;
mod precalculated;
#[cfg(test)]
mod tests;

pub use astar::GpuAstar;
pub use cooperative::GpuCooperative;
pub use precalculated::GpuPrecalculated;

const PAGES_SOURCE: &str = include_str!("pages.wgsl");
const SHARED_PAGES_SOURCE: &str = include_str!("shared_pages.wgsl");
const STATE_SOURCE: &str = include_str!("state.wgsl");
const AGENT_SOURCE: &str = include_str!("agent.wgsl");
const ASTAR_SOURCE: &str = include_str!("astar.wgsl");
