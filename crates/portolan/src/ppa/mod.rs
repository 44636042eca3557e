//! Partially Precomputed A* (PPA*), after Hewlett: an exact hierarchy of subgraphs with all-pairs
//! tables.
//!
//! The map is cut into regions, and each region is cut again, a few times. A leaf's table holds the
//! distances between all its nodes within the leaf. A higher subgraph consists of the borders of
//! its children; its table holds the distances between them within its region. A query is plain A*
//! on a small graph: from the start up through the borders of ever larger regions, then down to the
//! goal. The tables then expand the hops of that path.
//!
//! Read the files in this order:
//! - `config.rs`, `engine.rs`: the public face.
//! - `region_tree.rs`, `index.rs`: the tree of regions, and the subgraphs with their tables.
//! - `tables/`: the layouts of a table, and how its rows are computed.
//! - `build/`: cuts the map, chooses a hierarchy that fits into memory, fills the tables.
//! - `query/`: the layered graph that A* searches, and the expansion of hops.
//! - `inspect.rs`: the regions, for programs that draw them.
//! - `refresh.rs`: follows edits. `file.rs`: the index file; queries read its tables without a
//!   copy.
//!
//! Choices that the paper leaves open:
//!
//! - *Directed maps*: a border is a node with an edge that leaves the region in either direction.
//! - *Undirected maps* keep half of each table; the paper keeps all of it.
//! - *How to cut*: by default twice, into as many regions as make leaves of up to 200 nodes, if the
//!   single table at the top fits well into the memory limit: a flatter hierarchy expands fewer
//!   nodes per search. Otherwise by 4, as often as leaves keep at least 48 nodes, at most five
//!   times, which is what the paper does from 50,000 nodes on; more often where the memory limit
//!   requires it. If that still does not fit, the same cuts are grouped into more levels and the
//!   leaves are cut once more (`build/choose.rs`).
//! - *Changes*: the paper's early stop (a subgraph whose border distances stay the same does not
//!   affect its parent). Within a table only the rows that can change are recomputed.
//! - *The paper's future work*: bidirectional search, and tables filled on demand.

mod build;
mod config;
mod engine;
mod file;
mod index;
mod inspect;
mod query;
mod refresh;
mod region_tree;
mod tables;

pub use config::{PpaConfig, Tables};
pub use engine::{Ppa, PpaForm, PpaSummary};
