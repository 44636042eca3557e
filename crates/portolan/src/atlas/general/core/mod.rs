//! The core of a general graph, and the connector that ties every node to it.
//!
//! Most nodes of a road network, and of a maze, are no choice: they lie in dead ends or between two
//! junctions. The index is built over what is left without them, the *core*; the rest is put back
//! exactly.
//!
//! - Directions forgotten, nodes with one neighbour are taken off again and again: these are the
//!   *trees*.
//! - Of what is left, runs of nodes with two neighbours are the *chains*; a chain leads from one
//!   core node to another, or back to the same one.
//! - All other nodes are core nodes, and a chain becomes one core edge each way.
//!
//! Without the core nodes the graph falls apart into pieces without cycles, each tied to one or two
//! core nodes. A shortest path that meets no core node stays in one piece, where there is one way
//! only ([`ReducedGraph::local`]); any other leaves its piece by a tie, goes from core node to core
//! node, and enters the last piece by a tie ([`ReducedGraph::accesses`]). The shorter of the two is the
//! distance.
//!
//! | file | what |
//! |---|---|
//! | `scale` | weights that are never zero |
//! | `shape` | which nodes are core, chain or tree |
//! | `build` | the arrays of a core from a shape |
//! | `reduced` | these arrays, and the core as a graph |
//! | `connect` | ties, local ways and the nodes along them |
//! | `check` | whether arrays that were read can be trusted not to lead astray |

mod access;
mod build;
mod decomposition;
#[cfg(test)]
mod random_graphs;
mod reduced;
mod scale;
#[cfg(test)]
mod tests;
mod validate;

pub(crate) use reduced::{Arrays, ReducedGraph};
pub(crate) use scale::Scale;
