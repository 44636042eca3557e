//! Measures pathfinding engines: what they cost, and whether their answers are right.
//!
//! The program `portolan` is a thin layer over this crate. Read the rooms in the order in which
//! data flows:
//!
//! | room | what is inside |
//! |---|---|
//! | [`workload`] | maps under test, queries and edits with expected answers, the reference |
//! | [`engines`] | engines by name, and which of them support a map |
//! | [`judge`] | whether an answer is right: every path is walked |
//! | [`timing`] | what builds, queries and edits cost |
//! | [`experiments`] | the experiments of papers and our own; `portolan reproduce` runs them |
//! | [`recommend`] | which engine suits a map |
//! | [`report`] | tables, plots and reports as HTML and Markdown |
//! | [`picture`] | maps, searches and paths as PNG, SVG or text |
//! | `peers` | other pathfinding crates on the same maps; only with the feature `peers` |
//!
//! Nothing here prints, writes files or knows of a command line. Long work shows its progress
//! through [`Bars`].

pub mod engines;
mod error;
pub mod experiments;
pub mod judge;
pub mod names;
mod parallel;
#[cfg(feature = "peers")]
pub mod peers;
pub mod picture;
mod progress;
pub mod recommend;
pub mod report;
mod svg;
pub mod text;
pub mod timing;
pub mod workload;

pub use error::Error;
pub use progress::{Bar, Bars};
