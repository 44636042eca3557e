//! Lower bounds from true distances that are precomputed and stored.
//!
//! Five heuristics, one per paper: [`Differential`] (landmarks), [`Canonical`], [`Border`],
//! [`Gateway`], and [`Portal`](crate::portal::bound::Portal), which is in `portal/` with the
//! engines that use the same tables. Read in this order:
//!
//! - `stored.rs`: the trait `StoredHeuristic`, and the list of all stored heuristics, from which
//!   [`StoredKind`] and [`StoredConfig`] are generated. `form.rs` describes what was built.
//! - `bounds.rs`: [`Bounds`], the bounds of one search: a geometric one and any stored ones.
//! - `packed_costs.rs`, `matrix.rs`, `ranks.rs`, `searches.rs`: compact costs, all-pairs distances,
//!   numbers of usable nodes, and parallel searches. All heuristics share them.
//! - `differential/`: landmarks. The most used, and the only one that follows edits without a
//!   rebuild.
//! - `canonical/`, `border.rs`, `gateway/`: the others, each independent.

mod border;
mod bounds;
mod canonical;
pub mod differential;
mod form;
mod gateway;
pub(crate) mod matrix;
pub(crate) mod packed_costs;
pub(crate) mod ranks;
pub(crate) mod searches;
mod stored;

pub use border::{Border, BorderConfig};
pub use bounds::Bounds;
pub(crate) use bounds::shared_memory_limit;
pub use canonical::{Canonical, CanonicalConfig};
pub use differential::{Differential, DifferentialConfig};
pub use form::{BoundForm, BoundForms};
pub use gateway::{Gateway, GatewayConfig};
pub(crate) use stored::{Stored, StoredHeuristic};
pub use stored::{StoredConfig, StoredKind};
