//! Lower bounds from true distances that are computed beforehand and stored.

mod border;
mod bounds;
mod canonical;
pub(crate) mod costs;
pub mod differential;
mod form;
mod gateway;
pub(crate) mod matrix;
pub(crate) mod ranks;
mod stored;

pub use border::{Border, BorderConfig};
pub use bounds::Bounds;
pub(crate) use bounds::whole_limit;
pub use canonical::{Canonical, CanonicalConfig};
pub use differential::{Differential, DifferentialConfig};
pub use form::BoundForm;
pub use gateway::{Gateway, GatewayConfig};
pub(crate) use stored::{AnyStored, Stored};
pub use stored::{StoredConfig, StoredKind};
