//! What builds, queries and edits cost.
//!
//! | file | what is inside |
//! |---|---|
//! | `times` | times of one kind, their means and quantiles |
//! | `contestant` | anything that answers queries, an engine or another crate |
//! | `sheet` | one contestant, its times and the verdicts on its answers |
//! | `race` | several contestants that take turns; [`measure`] for a single engine |
//! | `figures` | what was measured of one engine, rounded and named |
//! | `edits` | an engine that follows edits, and the queries after each |
//! | `traffic` | an engine that takes new weights for a whole graph |
//! | `crowd` | a flow field that leads a crowd while the map changes |
//!
//! Everything runs on one thread, in the order of the workload. Nothing is read, drawn or judged
//! while a clock runs. A query counts with its best time of several rounds over the whole workload,
//! not of repeated tries, so that what it leaves in the caches does not help its own repetition.

mod contestant;
pub mod crowd;
pub mod edits;
mod figures;
mod race;
mod sheet;
mod times;
pub mod traffic;

pub(crate) use contestant::{Contestant, Own, find_into};
pub use figures::Figures;
pub(crate) use race::Plan;
pub use race::{Measured, measure, measure_opened};
pub(crate) use race::{ROUNDS, race};
pub(crate) use sheet::Sheet;

pub use times::micros;
pub(crate) use times::{Rounds, Times};
