//! The program `portolan`, end to end. One test binary, since every binary costs linking time.

mod commands;
mod edits;
mod errors;
mod folder;
mod gpu;
mod index;
mod lab;
mod messages;
mod outputs;
mod pictures;
mod reproduce;
mod robustness;
