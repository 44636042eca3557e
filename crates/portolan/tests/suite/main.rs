//! The integration tests of the library, as one program: one link step, and tests of all subjects
//! share the cores.
//!
//! - `all_engines`: every method of the registry on drawn, random, edited and real maps, against
//!   the reference Dijkstra.
//! - `atlas`, `ppa`, `hpa`, `portals`, `searches`, `bounds`: one engine or one kind of lower bound
//!   in all of its forms.
//! - `table_solver`: builds whose tables something else computes.
//! - `world`, `crowd`, `finder`: what is built on top of engines.
//! - `store`, `formats`, `generate`: files in, files out, generated maps.
//! - `hostile`, `features`: arguments that nobody should pass; optional features.
//! - `layers`: which module may import which.
//!
//! `tests/memory` is a program of its own, because it replaces the global allocator.

mod all_engines;
mod atlas;
mod bounds;
mod crowd;
mod features;
mod finder;
mod formats;
mod generate;
mod hostile;
mod hpa;
mod layers;
mod portals;
mod ppa;
mod searches;
mod store;
mod table_solver;
mod world;
