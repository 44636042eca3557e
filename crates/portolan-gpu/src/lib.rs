//! Shortest paths for whole crowds on the GPU.
//!
//! A program opens a [`Gpu`], builds an engine on a map, and gives it whole batches of requests.
//! Each is a start and a goal, and the answers come in the order of the requests.
//!
//! ```
//! use portolan::{Grid, Map};
//! use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig, GpuEngine};
//!
//! let map = Map::from("...\n.#.\n...".parse::<Grid>()?);
//! let atlas = GpuAtlas::build(&Gpu::new()?, &map, &GpuAtlasConfig::default())?;
//! let requests = [(0, 8), (8, 0), (0, 4)];
//! let paths = atlas.find_all(&requests)?;
//! let path = paths.get(0).expect("three requests")?.expect("a way round");
//! assert_eq!((path.length(), path.nodes().count()), (4.0, 5));
//! assert!(paths.get(2).expect("three requests").is_err(), "4 is blocked");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Engines
//!
//! | engine | exact | method |
//! |---|---|---|
//! | [`GpuAtlas`] | yes | hub labels, for every map; the fastest |
//! | [`GpuAstar`] | yes | A\* on grids, without preparation |
//! | [`GpuCooperative`] | yes | A\* on grids, for few agents on large maps |
//! | [`GpuPrecalculated`] | yes | A\* on grids, with stored paths |
//! | [`GpuHierarchical`] | nearly | A\* over clusters of a grid, in little memory |
//!
//! [`GpuEngine`] is the interface of all. [`METHODS`] lists them by name and builds them from the
//! library's [`Settings`](portolan::Settings):
//!
//! ```
//! use portolan::{Grid, Settings};
//! use portolan_gpu::Gpu;
//!
//! let method = portolan_gpu::method("gpu-astar").expect("it is in the list");
//! let engine = method.build(&Gpu::new()?, &Grid::new(9, 9)?.into(), &Settings::default())?;
//! assert_eq!(engine.distances(&[(0, 0)])?.costs(), [0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Answers
//!
//! [`distances`](GpuEngine::distances) gives costs alone and [`find_all`](GpuEngine::find_all)
//! copies all paths. [`visit_paths`](GpuEngine::visit_paths) shows paths where the device wrote
//! them, without a copy, and [`GpuAtlas::visit_paths_as`] in the [`PathForm`] of your choice: as
//! straight legs or as cells. [`GpuAtlas::matrix`] computes all pairs of sources and targets.
//!
//! ```
//! use portolan::{Grid, Map};
//! use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig, GpuEngine, PathForm};
//!
//! let map = Map::from(Grid::new(20, 10)?);
//! let atlas = GpuAtlas::build(&Gpu::new()?, &map, &GpuAtlasConfig::default())?;
//! let mut legs = 0;
//! atlas.visit_paths(&[(0, 19), (0, 185)], &mut |round| {
//!     for (_position, answer) in round.iter() {
//!         legs += answer.ok().flatten().map_or(0, |path| path.legs().len());
//!     }
//! })?;
//! assert!(legs >= 3, "the second path turns");
//!
//! let requests = [(0, 19)];
//! let cells = atlas.find_all_as(PathForm::Nodes, &requests)?;
//! assert_eq!(cells.get(0).expect("an answer")?.expect("a path").nodes().count(), 20);
//!
//! let matrix = atlas.matrix(&[0, 1, 2], &[199, 2])?;
//! assert_eq!(matrix.get(2, 1), Some(Ok(Some(0))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Crowds with a common goal
//!
//! [`GpuFields`] computes flow fields, and a [`GpuCrowd`] follows them on the device:
//!
//! ```
//! use portolan::{Grid, Map};
//! use portolan_gpu::{Gpu, GpuCrowd, GpuFields};
//!
//! let map = Map::from(Grid::new(8, 1)?);
//! let fields = GpuFields::build(&Gpu::new()?, &map)?;
//! let [left, right] = [fields.field(&[(0, 0)])?, fields.field(&[(7, 0)])?];
//! // Each agent has a cell and the number of its field.
//! let mut crowd = GpuCrowd::new(&fields, &[(4, 0), (4, 1)])?;
//! crowd.advance(&[&left, &right], 2)?;
//! assert_eq!(crowd.positions()?, [2, 6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Indexes of the CPU
//!
//! [`GpuTables`] computes the tables of `Atlas` and `Ppa` while they are built. The index has the
//! same bytes as without a GPU.
//!
//! # Memory
//!
//! [`GpuOptions`] choose the adapter, limit the memory of a batch, and limit its buffers. A batch
//! of any size is cut into rounds that fit.
//!
//! ```
//! use portolan_gpu::{Gpu, GpuOptions};
//!
//! let options = GpuOptions { working_memory: Some(64 << 20), ..GpuOptions::default() };
//! assert_eq!(Gpu::with_options(options)?.working_memory(), 64 << 20);
//! # Ok::<(), portolan_gpu::GpuError>(())
//! ```
//!
//! # Errors
//!
//! Nothing falls back to the CPU by itself. A [`GpuError`] says what is wrong and what to do. What
//! does not fit names the [`GpuLimit`] that it exceeds: yours, or that of the device.
//!
//! ```
//! use portolan::Grid;
//! use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig, GpuError, GpuLimit};
//!
//! let config = GpuAtlasConfig { memory_limit: 1000, ..GpuAtlasConfig::default() };
//! match GpuAtlas::build(&Gpu::new()?, &Grid::new(30, 30)?.into(), &config) {
//!     Err(GpuError::TooLarge { limit: GpuLimit::Memory, needed, .. }) => assert!(needed > 1000),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atlas;
mod batch;
#[cfg(test)]
mod check;
mod device;
mod engine;
mod error;
mod field;
mod grid;
mod hierarchy;
mod registry;
mod search;
mod tables;

pub use atlas::{GpuAtlas, GpuAtlasConfig, GpuAtlasForm, GpuMatrix};
pub use batch::{
    GpuDistances, GpuLeg, GpuPath, GpuPathAnswer, GpuPaths, GpuRound, PathForm, Request,
};
pub use device::{Adapter, Gpu, GpuOptions, Timing, adapters};
pub use engine::GpuEngine;
pub use error::{GpuError, GpuLimit};
pub use field::{GpuCrowd, GpuFields, GpuFlowField};
pub use hierarchy::{GpuHierarchical, GpuHierarchicalConfig};
pub use registry::{GpuMethod, METHODS, method};
pub use search::{GpuAstar, GpuCooperative, GpuPrecalculated};
pub use tables::GpuTables;
