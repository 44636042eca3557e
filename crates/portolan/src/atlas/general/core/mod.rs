//! The core of a graph: the graph without its trees and chains.
//!
//! Most nodes of a road network or a maze offer no choice: they are in dead ends or between two
//! junctions. The index is built over the graph without them, the *core*.
//!
//! - Ignoring directions, nodes with one neighbour are removed until none is left: these form the
//!   *trees*.
//! - In the rest, runs of nodes with two neighbours are the *chains*. A chain leads from a core
//!   node to another, or back to the same one.
//! - All other nodes are core nodes. A chain becomes one core edge in each direction.
//!
//! Without the core nodes the graph consists of components without cycles, each attached to one or
//! two core nodes. A shortest path without core nodes stays in one component, in which there is
//! only one path ([`ReducedGraph::local_cost`]). Any other path goes from the start to an access
//! node, through the core, and from an access node to the goal ([`ReducedGraph::accesses`]). The
//! cheaper of the two is the shortest path.
//!
//! - `scale`: weights that are never zero.
//! - `decomposition`: which nodes are in the core, on chains, in trees.
//! - `reduced`: the core as a graph, in flat arrays. `build`: computes them. `validate`: checks
//!   arrays from a file. `reweigh`: the same core with other weights.
//! - `access`: connections to the core, and the nodes along trees and chains.

mod access;
mod build;
mod decomposition;
#[cfg(test)]
mod random_graphs;
mod reduced;
mod reweigh;
mod scale;
#[cfg(test)]
mod tests;
mod validate;

pub(crate) use reduced::{Arrays, ReducedGraph};
pub(crate) use scale::Scale;
