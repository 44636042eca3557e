//! Square clusters: how a grid is cut into them, and what is known of one cluster.
//!
//! `tiling.rs` numbers clusters and abstract nodes, `entrances.rs` chooses the abstract nodes,
//! `cell_search.rs` searches inside a cluster, `cluster.rs` holds the result, and `cell_cache.rs`
//! what DHPA* stores for every cell.

pub(super) mod cell_cache;
pub(super) mod cell_search;
pub(super) mod cluster;
pub(super) mod entrances;
pub(super) mod tiling;
