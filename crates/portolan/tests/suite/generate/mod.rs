//! Generated maps.

mod arena;
mod grids;
mod roads;
