//! Portal-Based Search (PBS) and the perfect portal heuristic (PPH) of Goldenberg, Felner,
//! Sturtevant and Schaeffer (2010).
//!
//! Both engines use the tables of [`Portal`](bound::Portal), and answer in three steps:
//!
//! 1. *The first and last portal.* [`PortalSearch`] runs A* over the regions of start and goal,
//!    joined by stored distances (`search/`). [`PerfectPortal`] also stores the distances between
//!    every node and the portals of its region, and compares sums (`perfect/`).
//! 2. *The portals between.* The path between the two portals is refined, one hop through one
//!    region at a time (`portal_hops.rs`).
//! 3. *The nodes between.* `descend.rs` follows the distances step by step. Where [`PortalSearch`]
//!    cannot, it searches one region, from the end where the search expands fewer nodes.
//!
//! Read `bound/` first (the tables), then `engine.rs`, which both engines share. `inspect.rs` shows
//! the regions to programs that draw them.
//!
//! In step 2 the paper searches the regions between two portals. Here the tables tell which pairs
//! of portals have a shortest path directly through a region, so only these are compared, and no
//! search enters the other region that two portals share.
//!
//! With edges of zero weight, a refinement may run in circles. On such maps, and if a cost
//! overflows, both engines are A* with the portal bound or the geometric one. Edits rebuild
//! everything.

pub mod bound;
mod descend;
mod engine;
mod inspect;
mod perfect;
mod portal_hops;
mod search;

pub use perfect::PerfectPortal;
pub use search::PortalSearch;
