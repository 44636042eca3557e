//! Every method of the registry: exactness, real maps, memory limits, batches and index files.

mod batch;
mod files;
mod limits;
mod matrix;
mod pairs;
mod real_maps;
