//! Searches along portals: Portal-Based Search (PBS) and the perfect portal heuristic (PPH) of
//! Goldenberg, Felner, Sturtevant and Schaeffer (2010).
//!
//! Both have the tables of [`heuristic::Portal`](crate::portal::bound::Portal) and answer in three
//! steps:
//!
//! 1. *Which portals.* [`PortalSearch`] runs A* over the regions of start and goal, joined by
//!    stored distances as if they were edges (`collapsed.rs`). [`PerfectPortal`] also stores the
//!    distances from every node to the portals beside its region, and compares sums.
//! 2. *The portals between.* The stored way from portal to portal is refined hop by hop, each
//!    through one region (`refine.rs`).
//! 3. *The nodes between.* A search inside one region, from the end that the tables say is the
//!    better one; or, with the distances of every node, neighbour by neighbour without a search.
//!
//! Step 2 differs from the paper in that the tables know which pairs of portals have a shortest way
//! right through a region, so that only those are looked at, and no search goes astray into the
//! other region that two portals share.
//!
//! Edges that cost nothing make a refinement run in circles. On such maps, and where costs outgrow
//! their numbers, both engines are A* with the portal bound or the geometric one. Nothing better
//! than a rebuild is known for edits.

pub mod bound;
mod perfect;
mod readoff;
mod refine;
mod search;

pub use perfect::PerfectPortal;
pub use search::PortalSearch;
