//! Worlds: snapshots, edits, threads, rebuilds, sizes and requests.

mod edits;
mod model;
mod rebuilds;
mod requests;
mod sizes;
mod snapshots;
mod threads;
