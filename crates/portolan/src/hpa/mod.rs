//! Near-optimal hierarchies: HPA* (Botea, Müller, Schaeffer 2004), DHPA* and SHPA* (Kring,
//! Champandard, Samarin 2010).
//!
//! A grid is cut into clusters. Where two of them touch, a few pairs of cells become abstract
//! nodes; the costs between the nodes of a cluster are known. A query searches this small graph,
//! fills in the cells between its nodes, and straightens the path, which removes most of the
//! detours through abstract nodes. Paths are legal, are found whenever one exists, and are slightly
//! longer than the shortest.
//!
//! - **`hpa`** finds the costs from start and goal to the nodes of their clusters by a search
//!   within each, and fills in every piece by A*. It may have several levels.
//! - **`dhpa`** stores for every abstract node the cost from each cell of its cluster and the
//!   direction of the first step, so that both are looked up. Its search ends at the first node
//!   found in the goal's cluster.
//! - **`shpa`** has clusters of varying size, made by merging, and takes straight lines for the
//!   costs within them. It stores no costs.
//!
//! Read the files in this order: `config.rs` and `engine.rs` (the public face), `clusters/` (one
//! square cluster), `abstract_graph/` (the search over abstract nodes), `hierarchy/` (all clusters
//! on all levels, and edits), `query/` (from the search to the path), `regions/` (SHPA*, with its
//! engine). `inspect.rs` shows clusters to programs that draw them.
//!
//! Differences from the papers and choices that they leave open:
//!
//! - *A search adds nothing to the graph*, in `hpa` neither: the costs from the start and to the
//!   goal belong to the query. So any number of queries may run at once on one engine.
//! - *One search within a cluster* finds the costs of all its nodes; HPA* as the later paper
//!   describes it makes one per node.
//! - *A cluster may be disconnected.* DHPA* ends at a node only if the goal can be reached from it
//!   within the cluster.
//! - *Start and goal in one cluster*: `dhpa` and `shpa` run A* as in the paper, up to a number of
//!   cells. Beyond that they search the abstract graph, which finds paths that leave the cluster
//!   and come back.
//! - *Edits*: costs within a cluster change only if one of its own cells does, and nodes only if a
//!   cell on a rim does.
//! - *All three smooth their paths*; the later paper does not say whether its engines do.

mod abstract_graph;
mod clusters;
mod config;
mod engine;
mod hierarchy;
mod inspect;
mod query;
mod regions;

pub use config::HpaConfig;
pub use engine::{Hpa, HpaForm, HpaSummary};
pub use regions::engine::{Shpa, ShpaConfig, ShpaForm};
