//! Generated maps.

mod arena;
mod grids;
mod roads;
mod switch;
