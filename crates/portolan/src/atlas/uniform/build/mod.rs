//! Building the index: `reduce` chooses the edges between subgoals and cuts them into regions,
//! `first_edges` finds how shortest paths to hubs start, and `hop_edges` joins these edges into
//! hops.

pub(crate) mod first_edges;
pub(crate) mod hop_edges;
pub(crate) mod reduce;
