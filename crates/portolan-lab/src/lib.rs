//! The lab: every pathfinding method at work.
//!
//! This crate has everything but the transport. A [`Scene`] answers requests of the page; requests
//! and replies are bytes ([`wire`]). The server of `portolan lab` passes them through a socket, and
//! anything else that can move bytes may do the same, such as a worker of the browser.
//!
//! | room | what is inside |
//! |---|---|
//! | [`wire`] | messages as bytes |
//! | `scene` | [`Scene`]: one view of the page; hands each request to its topic |
//! | `topics` | one folder or file per view: what it can be asked, and how that is computed |
//! | `shelf` | [`Shelf`]: maps, engines and dropped files that all views share, within limits |
//! | `maps` | where maps come from: the gallery, generators, dropped files |
//! | [`page`] | the files of the page, embedded |
//!
//! [`Limits`] bound the size of each map, file and index, and what a [`Shelf`] caches. They do not
//! bound all views together: a view keeps what it uses, also after the cache has evicted it, and
//! indexes of the view `edits` and on the GPU are its own. Requests can be cancelled through
//! [`Link`].

mod error;
mod maps;
pub mod page;
mod scene;
mod shelf;
mod task;
#[cfg(test)]
mod testing;
mod topics;
pub mod wire;

pub use error::LabError;
pub use scene::Scene;
pub use shelf::{Limits, Shelf};
pub use task::Link;
