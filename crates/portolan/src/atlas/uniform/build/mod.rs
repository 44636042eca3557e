//! Building the index: the reduction of the grid, and the edges that become hops.

pub(crate) mod first_edges;
pub(crate) mod hop_edges;
pub(crate) mod reduce;
