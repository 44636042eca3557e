//! Other pathfinding crates, asked the way Portolan is asked; for benchmarks only.
//!
//! A peer gets the map through the cheapest interface that it has, so that what is measured is its
//! search and not our plumbing.
//!
//! A benchmark takes [`Subject`]s, which are real maps with queries and answers, makes a
//! [`Contestant`] of every engine, and has them [race](race()): all are asked the same, and no
//! answer counts unchecked. The program `peers` does so with everyone whom [`entrant`] knows by
//! name, judges every path ([`verdict`]), keeps the [`results`] and makes a report of them
//! ([`write_up`]).

pub mod adjacency;
pub mod clusters;
pub mod contestant;
pub mod contraction;
pub mod entrant;
pub mod jump_points;
pub mod memory;
mod peer_astar;
pub mod race;
pub mod results;
mod subject;
pub mod times;
pub mod verdict;
mod warm;
pub mod write_up;

pub use contestant::Contestant;
pub use peer_astar::{pathfinding_astar, pathfinding_astar_on_graph};
pub use race::{Figures, race};
pub use subject::{Ask, Subject, files, name};
pub use warm::Warm;

/// The folders of real maps whose grids are raced on.
pub const GRID_FOLDERS: [&str; 7] = ["rooms", "mazes", "dao", "bg512", "sc1", "random", "cities"];

/// What keeps a benchmark from going on.
pub type Problem = Box<dyn std::error::Error>;
