//! Readers and writers of maps, terrain and queries.
//!
//! [`open`] reads a map from a file in any of these formats. All other readers take bytes. Writers
//! take a [`Write`](std::io::Write) and make many small writes, so put a
//! [`BufWriter`](std::io::BufWriter) around a file. Where a format has a writer, writing and
//! reading back is lossless.
//!
//! Readers never allocate from header values. A damaged or hostile text takes memory in proportion
//! to its length, a picture at most one byte for each of 2^27 pixels. The resulting [`FormatError`]
//! states the position, what was expected, what was found and how to fix it. Lines end with LF or
//! CRLF; the last line end is optional, and blank lines may follow.
//!
//! | format | module | holds |
//! |---|---|---|
//! | `.map`, `.scen`, `.patch` | [`movingai`] | grids, queries on grids, edits of grids |
//! | `.gr`, `.co` | [`dimacs`] | graphs, coordinates of nodes |
//! | `.queries` | [`queries`] | queries on graphs |
//! | drawings | [`ascii`] | small grids, for people and tests |
//! | rows of digits | [`terrain`] | terrain of a grid |
//! | `.png` | `png` (with the cargo feature of that name) | grids, terrain |
//!
//! `map_file.rs` recognises formats, `lines.rs` is the scanner of all text formats, and `error.rs`
//! has the errors.

pub mod ascii;
pub mod dimacs;
mod error;
mod lines;
mod map_file;
pub mod movingai;
#[cfg(feature = "png")]
pub mod png;
pub mod queries;
pub mod terrain;

pub use error::{FilePosition, FormatError, MapFileError, Problem};
pub use map_file::{MapFormat, open, read_map};

/// Checks what a reader returns: a value, or an error that starts with a text.
#[cfg(test)]
fn check_read<T: PartialEq + std::fmt::Debug>(
    text: &str,
    found: Result<T, FormatError>,
    expected: Result<T, &str>,
) {
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text:?}"),
        (Err(error), Err(start)) => {
            assert!(error.to_string().starts_with(start), "{text:?}: {error}");
        }
        (found, _) => panic!("{text:?}: {found:?}"),
    }
}
