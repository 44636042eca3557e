//! Other pathfinding crates on the same maps in the same run; for benchmarks only.
//!
//! A peer gets the map through its cheapest interface, so that its search is measured and not the
//! adapter. Each adapter is a [`Contestant`](crate::timing::Contestant):
//!
//! | file | crate |
//! |---|---|
//! | `pathfinding_astar` | `pathfinding` |
//! | `adjacency` | `petgraph` |
//! | `contraction` | `fast_paths` |
//! | `clusters` | `hierarchical_pathfinding` |
//! | `jump_points` | `grid_pathfinding` |
//!
//! [`real`] reads real maps with their queries, [`entrant`] prepares peers and engines by name,
//! [`results`] measures them and keeps the figures, [`write_up`] makes the report of the program
//! `peers`.

pub(crate) mod adjacency;
pub mod clusters;
pub mod contraction;
pub mod entrant;
pub(crate) mod jump_points;
pub mod memory;
mod pathfinding_astar;
pub mod real;
pub mod results;
pub mod write_up;

pub(crate) use pathfinding_astar::Pathfinding;

/// The folders of real grids on which peers are measured.
pub const GRID_FOLDERS: [&str; 7] = ["rooms", "mazes", "dao", "bg512", "sc1", "random", "cities"];

/// Why a benchmark cannot continue.
pub type Problem = Box<dyn std::error::Error>;
