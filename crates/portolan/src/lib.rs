//! Exact shortest paths on grids and road networks.
//!
//! ```
//! use portolan::prelude::*;
//!
//! let grid: Grid = "..#..\n..#..\n.....".parse()?;
//! let mut finder = PathFinder::new(&grid)?;
//! let path = finder.find((0, 0), (4, 0))?.expect("the wall has a gap");
//! assert_eq!(path.cells().count(), 7);
//! assert_eq!(format!("{:.2}", path.length()), "6.83");
//! # Ok::<(), portolan::Error>(())
//! ```
//!
//! [`PathFinder`] is all that most programs need. Underneath there are three things, each with a
//! lifetime of its own:
//!
//! - a **map**, which you edit: a [`Grid`] of cells or a [`CsrGraph`] of nodes and edges, both
//!   behind [`Map`]; read by [`formats`], made by [`generate`];
//! - an **engine**, which is built from a map and never changes: see [`engine`] for the interface
//!   that all engines share and the list of their names;
//! - a **query**, which you create from an engine, one per thread, and use again and again.
//!
//! For a map that is edited while several threads ask, use a [`world`]; for crowds that share
//! goals, the fields of [`crowd`]; for thousands of paths at once, a [`batch`].
//!
#![doc = include_str!("which_engine.md")]
//!
//! # Conventions
//!
//! Costs are integers that order exactly like real lengths ([`cost`]). "No path" is a value, not an
//! error. Nothing here prints or keeps global state, and only [`store`] and [`formats::open`] open
//! files.

#![warn(missing_debug_implementations)]

pub mod atlas;
pub mod batch;
pub mod build;
pub mod changes;
pub mod cost;
pub mod crowd;
mod debug;
pub mod engine;
mod error;
mod finder;
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
pub mod prelude;
mod random;
pub mod registry;
mod route;
pub mod search;
pub mod search_engine;
pub mod store;
mod trace;
pub mod true_distance;
pub mod world;

pub use build::{BuildError, MemoryLimit, Progress, ThreadError, Unsupported};
pub use changes::{ChangeError, Changes};
pub use cost::{Cost, UNREACHABLE};
pub use engine::{Build, Engine, Query};
pub use error::Error;
pub use finder::{PathFinder, PathFinderBuilder};
pub use graph::{CsrGraph, Graph, GraphBuilder, GraphError, NodeId, Point};
pub use grid::{AgentError, Connectivity, Corners, Grid, GridError};
pub use location::{Cell, Extent, Location};
pub use map::{EndpointError, IllegalPath, Map};
pub use registry::{METHODS, Settings, UnknownEngine};
pub use route::{Route, RouteCells, RouteNodes, RouteStatus};

/// Compiles and runs the programs in the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
