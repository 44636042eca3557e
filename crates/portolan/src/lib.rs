//! Exact shortest paths on grids and road networks.
//!
//! A [`Map`] is a [`Grid`] or a [`CsrGraph`]; an engine answers queries on it.

pub mod changes;
pub mod cost;
pub mod engine;
pub mod formats;
pub mod generate;
pub mod graph;
pub mod grid;
pub mod heuristic;
mod map;
mod route;
pub mod search;

pub use changes::{ChangeError, Changes};
pub use cost::{Cost, UNREACHABLE};
pub use engine::{BuildError, EndpointError, Engine, METHODS, Query, Settings, Unsupported};
pub use graph::{CsrGraph, Graph, GraphBuilder, GraphError, NodeId, Point};
pub use grid::{AgentError, Connectivity, Corners, Grid, GridError};
pub use map::{IllegalPath, Map};
pub use route::{Route, RouteStatus};
