//! Worlds: snapshots, edits, threads, sizes and requests.

mod edits;
mod model;
mod requests;
mod sizes;
mod snapshots;
mod threads;
