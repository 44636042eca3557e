//! Exact shortest paths on grids and road networks.
//!
//! Three things, each with a life of its own:
//!
//! - a **map**, which you edit: a [`Grid`] of cells or a [`CsrGraph`] of nodes and edges, both behind
//!   [`Map`]; read by [`formats`], made by [`generate`];
//! - an **engine**, which is built from a map and never changes: see [`engine`] for the one face that all of
//!   them share and the list of their names;
//! - a **query**, which you make from an engine, one per thread, and ask again and again.
//!
//! ```
//! use portolan::search::{SearchConfig, SearchEngine};
//! use portolan::{Engine, Grid, Map, Query};
//!
//! let grid = Grid::from_fn(8, 8, |x, y| x != 4 || y == 7)?;
//! let map = Map::from(&grid);
//! let engine = SearchEngine::build(&map, &SearchConfig::default())?;
//! let mut query = engine.query();
//! let (from, to) = (grid.node(0, 0).unwrap(), grid.node(7, 0).unwrap());
//! let route = query.find(from, to)?.expect("the wall has a gap");
//! assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Costs are integers that order exactly like real lengths ([`cost`]); "no path" is a value, not an error;
//! nothing here prints or keeps global state, and only [`store`] opens files.

pub mod atlas;
pub mod batch;
pub mod changes;
pub mod cost;
pub mod crowd;
pub mod engine;
pub mod formats;
pub mod generate;
pub mod graph;
pub mod grid;
pub mod heuristic;
pub mod hpa;
mod kernel;
mod location;
mod map;
pub mod partition;
pub mod portal;
pub mod ppa;
mod progress;
mod route;
pub mod search;
pub mod store;
mod subgoals;
mod threads;
pub mod world;

pub use changes::{ChangeError, Changes};
pub use cost::{Cost, UNREACHABLE};
pub use engine::{
    BuildError, EndpointError, Engine, EngineQuery, METHODS, Query, Settings, Unsupported,
};
pub use graph::{CsrGraph, Graph, GraphBuilder, GraphError, NodeId, Point};
pub use grid::{AgentError, Connectivity, Corners, Grid, GridError};
pub use location::{Cell, Extent, Location};
pub use map::{IllegalPath, Map};
pub use progress::Progress;
pub use route::{Route, RouteStatus};
pub use threads::ThreadError;

/// Compiles and runs the programs in the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
