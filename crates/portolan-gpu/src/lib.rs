//! Shortest paths for whole crowds on the GPU.

mod batch;
mod device;
mod engine;
mod error;
mod field;
mod grid;
mod hierarchy;
mod tables;

pub use batch::{GpuDistances, GpuLeg, GpuPath, GpuPathAnswer, GpuPaths, GpuRound, Request};
pub use device::{Adapter, Gpu, GpuOptions, Timing, adapters};
pub use engine::GpuEngine;
pub use error::GpuError;
pub use field::{GpuCrowd, GpuFields, GpuFlowField};
pub use hierarchy::{GpuHierarchical, GpuHierarchicalConfig};
pub use tables::GpuTables;
