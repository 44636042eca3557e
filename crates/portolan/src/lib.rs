//! Exact shortest paths on grids and road networks.
//!
//! A [`Map`] is a [`Grid`] or a [`CsrGraph`]; an engine answers queries on it.

pub mod changes;
pub mod cost;
pub mod formats;
pub mod generate;
pub mod graph;
pub mod grid;
mod map;

pub use changes::{ChangeError, Changes};
pub use cost::{Cost, UNREACHABLE};
pub use graph::{CsrGraph, Graph, GraphBuilder, GraphError, NodeId, Point};
pub use grid::{AgentError, Connectivity, Corners, Grid, GridError};
pub use map::{IllegalPath, Map};
