//! The general form, for any map.
//!
//! In the order in which data flows:
//!
//! - `core/`: the graph that is indexed. A graph is reduced: its trees and chains are removed. A
//!   grid is its own core.
//! - `build`: core, separator tree, tables, labels. `index`: the result.
//! - `tables/`: for each region the costs between its separator and its border.
//! - `labels/`: hub labels computed from the tables, with the next hop beside each entry.
//! - `path_cache/`: node sequences that queries copy into paths.
//! - `query/`, `path_builder`: answers from labels, or from tables alone.
//! - `refresh`: follows edits. `reweigh`: takes other weights. `file/`: the index file. `validate`: checks all invariants.
//! - `explain`: what an index shows of itself.
//!
//! All costs inside the index are costs in the core, see [`core::Scale`].

pub(crate) mod build;
mod core;
mod direction;
mod explain;
pub(crate) mod file;
pub(crate) mod index;
pub(crate) mod labels;
mod path_builder;
mod path_cache;
pub(crate) mod query;
pub(crate) mod refresh;
pub(crate) mod reweigh;
pub(crate) mod tables;
pub(crate) mod validate;
