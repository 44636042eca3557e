//! Every method of the registry: exactness, real maps, memory limits and batches.

mod batch;
mod limits;
mod matrix;
mod pairs;
mod real_maps;
