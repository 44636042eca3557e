//! Near-optimal hierarchies: HPA* (Botea, Müller, Schaeffer 2004), DHPA* and SHPA* (Kring,
//! Champandard, Samarin 2010).
//!
//! A grid is cut into clusters. Where a border between two of them can be crossed, a few pairs of
//! cells become abstract nodes; what it costs between the nodes of a cluster is known. A query
//! searches this small graph (`search.rs`), fills in the cells between (`query.rs`), and
//! straightens the path (`smooth.rs`), which undoes most of the detours through abstract nodes.
//! Paths are legal and found where there is one, and a little longer than the shortest.
//!
//! - **`hpa`** finds what the start and the goal cost to the nodes of their clusters by a search
//!   inside each, and fills in every piece by A*. It may have several levels.
//! - **`dhpa`** stores for every abstract node what each cell of its cluster costs and in which
//!   direction it is left (`cache.rs`), so that both are looked up. It ends at the first node found
//!   in the goal's cluster.
//! - **`shpa`** has clusters of varying size, made by merging (`regions/`), and takes straight
//!   lines for what it costs inside. It stores no costs.
//!
//! What the papers leave open or do otherwise, and what is done here:
//!
//! - *Nothing is added to the graph for a search*, in `hpa` neither: costs from the start and to
//!   the goal are the query's own. So any number of queries may run at once on one engine.
//! - *One search inside a cluster* finds what all its nodes cost; HPA* as the later paper describes
//!   it makes one per node.
//! - *A cluster may fall into pieces.* DHPA* ends at a node only if the goal can be reached from it
//!   inside the cluster.
//! - *Start and goal in one cluster*: `dhpa` and `shpa` run A* as the paper does, up to a number of
//!   cells; beyond that they search the abstract graph, which finds the way out of the cluster and
//!   back in.
//! - *Edits*: costs inside a cluster change only if one of its own cells does, and nodes only if a
//!   cell on a rim does (`hierarchy.rs`).
//! - *All three smooth their paths*; the later paper does not say what it does.

mod abstract_graph;
mod clusters;
mod config;
mod engine;
mod hierarchy;
mod query;
mod regions;

pub use config::HpaConfig;
pub use engine::{Hpa, HpaForm, HpaSummary};
pub use regions::engine::{Shpa, ShpaConfig, ShpaForm};
