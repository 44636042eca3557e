//! What Portolan's tests share; for development only.
//!
//! A [`mod@reference`] Dijkstra that shares no search code with the library and has its own
//! neighbour rule, a path [`walker`], [`worlds`] drawn and random, [`edits`], the [`matrix`] of
//! every engine against every world, lower [`bounds`], all [`pairs`] of [`small_grids`] by the
//! million, the [`forms`] of an Atlas, and the way to [`real`] maps.

pub mod allocator;
pub mod bounds;
pub mod edits;
pub mod forms;
pub mod matrix;
pub mod pairs;
pub mod real;
pub mod reference;
pub mod small_grids;
pub mod walker;
pub mod worlds;
