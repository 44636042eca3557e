//! The form for every map: labels of the nodes of separators, or tables alone.

pub(crate) mod build;
mod core;
mod direction;
pub(crate) mod file;
pub(crate) mod index;
pub(crate) mod labels;
mod path_builder;
mod path_cache;
pub(crate) mod query;
pub(crate) mod refresh;
pub(crate) mod tables;
pub(crate) mod validate;
