//! Files in and out: every format that maps, terrain and queries come in.
//!
//! [`open`] reads a map from a file of any of these formats. All other readers take bytes. Writers
//! take a [`Write`](std::io::Write) and make many small writes, so put a
//! [`BufWriter`](std::io::BufWriter) around a file. What is read can be written and read again
//! without loss, where a format has a writer at all.
//!
//! A reader never trusts a header: nothing is reserved by a number that the bytes themselves do not
//! bear out, so a damaged or hostile text costs memory in proportion to its length, a picture at
//! most a byte for each of 2^27 pixels, and either ends in a [`FormatError`] that says where, what
//! was expected, what was found and how to mend it. Line ends may be LF or CRLF, the last one may
//! be missing, and blank lines may follow.
//!
//! | format | module | holds |
//! |---|---|---|
//! | `.map`, `.scen`, `.patch` | [`movingai`] | grids, queries on them, pieces to change them by |
//! | `.gr`, `.co` | [`dimacs`] | graphs, where their nodes lie |
//! | `.queries` | [`queries`] | queries on graphs |
//! | drawings | [`ascii`] | small grids, for people and tests |
//! | rows of digits | [`terrain`] | terrain for a grid |
//! | `.png` | `png` (with the cargo feature of that name) | grids, terrain |

pub mod ascii;
pub mod dimacs;
mod error;
mod kind;
mod lines;
pub mod movingai;
#[cfg(feature = "png")]
pub mod png;
pub mod queries;
pub mod terrain;

pub use error::{FormatError, MapFileError, Place, Problem};
pub use kind::{Kind, open, read_map};
