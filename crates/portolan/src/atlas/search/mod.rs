//! A search instead of an index, for limits below every index: A* on the map itself, with as many
//! stored landmark distances as the limit holds. With none, it takes no memory.
//!
//! The landmarks are those of the differential heuristic. An edit repairs their distances where
//! that takes no new search, and otherwise drops them: bounds stay admissible, so answers stay
//! exact, and a rebuild brings the landmarks back.

mod file;
mod index;
mod query;

pub(super) use index::{SearchIndex, SearchOutline};
pub(super) use query::{SearchQuery, SearchScratch};
