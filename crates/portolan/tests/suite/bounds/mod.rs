//! Stored lower bounds, alone and inside the engines that use them.

mod differential;
mod landmark_engines;
mod real_maps;
mod stored;
