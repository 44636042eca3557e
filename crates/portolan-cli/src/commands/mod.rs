//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod check_index;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod edit_bench;
pub(crate) mod generate;
pub(crate) mod gpu;
pub(crate) mod info;
pub(crate) mod lab;
pub(crate) mod query;
pub(crate) mod recommend;
pub(crate) mod replay;
pub(crate) mod reproduce;
pub(crate) mod verify;
