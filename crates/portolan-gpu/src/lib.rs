//! Shortest paths for whole crowds on the GPU.

mod batch;
mod device;
mod engine;
mod error;
mod grid;
mod search;

pub use batch::{GpuDistances, GpuLeg, GpuPath, GpuPathAnswer, GpuPaths, GpuRound, Request};
pub use device::{Adapter, Gpu, GpuOptions, Timing, adapters};
pub use engine::GpuEngine;
pub use error::GpuError;
pub use search::{GpuAstar, GpuCooperative, GpuPrecalculated};
