//! What Portolan's tests share; for development only.
//!
//! - [`mod@reference`]: Dijkstra with its own neighbour rule, independent of the library's searches;
//!   [`walker`] walks paths by the same rule.
//! - [`worlds`], [`small_grids`]: drawn and random maps; [`edits`]: random edits of them; [`real`]:
//!   the folder of real maps.
//! - [`matrix`]: an engine against the reference; [`pairs`]: all pairs of small grids by the million;
//!   [`bounds`]: lower bounds against true distances.
//! - [`methods`]: which methods can do what; [`forms`]: every form of an Atlas; [`index_file`]: index files as bytes, damaged and repaired.
//! - [`allocator`]: counts memory, for tests of memory limits.

pub mod allocator;
pub mod bounds;
pub mod edits;
pub mod forms;
pub mod index_file;
pub mod matrix;
pub mod methods;
pub mod pairs;
pub mod real;
pub mod reference;
pub mod small_grids;
pub mod walker;
pub mod worlds;
