//! Atlas: an exact index for any map. It keeps a memory limit and follows edits.
//!
//! Nested dissection cuts the map by vertex separators into a tree of regions (`separator_tree/`).
//! Two forms build on this tree:
//!
//! - `general/`, for any map: tables of costs between the border and separator nodes of each
//!   region, and hub labels made of these tables: for each separator node the costs to all
//!   separators above it, with the next hop. Without labels (little memory, or after an edit)
//!   queries climb from table to table instead.
//! - `uniform/`, for grids without terrain costs: hub labels of subgoals, the corners that shortest
//!   paths bend around.
//!
//! If neither fits into the memory limit, A* answers, with landmarks as far as they fit (`search/`).
//!
//! Read `config.rs` (what to build), `plan.rs` (which form fits into the memory limit, and why),
//! `index.rs` (an index of any form, from draft to file), `engine.rs` ([`Atlas`] and its
//! [`Engine`](crate::Engine) implementation), `earlier.rs` (indexes kept for maps that return), then
//! the two forms. `separators.rs` shows the tree to other programs, `subgoals_of_map.rs` the
//! subgoals, `inspect.rs` the regions of an index, and `explanation.rs` one query in detail.
//!
//! Atlas combines several lines of research. The hierarchy of tables is that of Partially
//! Precomputed A* (Hewlett). Borders are vertices, as in the portals of Goldenberg, Felner,
//! Sturtevant and Schaeffer. The order of nested dissection and its customisation come from
//! customisable contraction hierarchies (Dibbelt, Strasser, Wagner), the labels from hierarchical
//! hub labels (Abraham, Delling, Goldberg, Werneck).
//!
//! Invariants: an edge of the map joins two nodes of one leaf, or the home region of one of them is
//! the other's home or above it. The index depends on the map and the configuration alone, not on
//! the number of threads.

mod config;
mod earlier;
mod engine;
mod explanation;
mod file;
mod general;
mod index;
mod inspect;
mod plan;
mod scratch;
mod search;
mod separator_tree;
mod separators;
mod subgoals_of_map;
mod uniform;

pub use config::{AtlasConfig, Form};
pub use engine::{Atlas, ReweighError};
pub use explanation::{AtlasExplanation, ExplainedEnd, Meeting};
pub use general::validate::InvalidIndex;
pub use plan::{AtlasForm, AtlasLabels, FormReason, Plan};
pub use separators::{SeparatorRegion, Separators};
pub use subgoals_of_map::{SubgoalEdge, SubgoalGraph};
