//! Other pathfinding crates on the same maps in the same run; for benchmarks only.
//!
//! A peer gets the map through its cheapest interface, so that its search is measured and not the
//! adapter. Each adapter is a `Contestant`:
//!
//! | file | crate |
//! |---|---|
//! | `pathfinding_astar` | `pathfinding` |
//! | `adjacency` | `petgraph` |
//! | `contraction` | `fast_paths` |
//! | `clusters` | `hierarchical_pathfinding` |
//! | `jump_points` | `grid_pathfinding` |
//!
//! [`real`] reads real maps with their queries, `entrant` prepares peers and engines by name,
//! `results` measures them and keeps the figures, `write_up` makes the report, `program` is
//! the program `peers`.

mod adjacency;
mod clusters;
mod contraction;
mod entrant;
mod jump_points;
mod memory;
mod pathfinding_astar;
mod program;
pub mod real;
mod results;
mod write_up;

pub use clusters::EditedClusters;
pub use memory::{Counting, counted};
use pathfinding_astar::Pathfinding;
pub use program::main;

/// The folders of real grids on which peers are measured.
pub const GRID_FOLDERS: [&str; 7] = ["rooms", "mazes", "dao", "bg512", "sc1", "random", "cities"];

/// Why a benchmark cannot continue.
pub type Problem = Box<dyn std::error::Error>;
