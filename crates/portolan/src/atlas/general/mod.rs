//! The form for every map: labels of the nodes of separators, or tables alone.

pub(crate) mod build;
mod core;
pub(crate) mod file;
mod homes;
pub(crate) mod index;
pub(crate) mod labels;
mod path_cache;
pub(crate) mod query;
pub(crate) mod refresh;
pub(crate) mod tables;
pub(crate) mod validate;
