//! Messages as bytes, the same in both directions.
//!
//! A frame is a header and named parts. The header is JSON; a part is an array of numbers, so that
//! a path or a coloured map arrives as a typed array that the page reads in place.
//!
//! | bytes | contents |
//! |---|---|
//! | 4 | the length of the header, little endian, a multiple of 4 |
//! | that many | the header, JSON, padded with spaces |
//! | the rest | the parts in the order of the header's list, each padded to a multiple of 4 |
//!
//! The header of a request has `id` (a number that the replies repeat), `topic` and `do`; see
//! [`Scene`](crate::Scene). A reply has `id` and one of `data`, `error` or `progress`. With
//! `event: true`, `data` is a part of the answer that is sent ahead of it. Every header may have
//! `parts`: a list of `[name, type, bytes]`, types being `u8`, `u16`, `u32` and `f32`.

mod frame;
mod part;

pub use frame::{Frame, FrameError, MOST_HEADER_BYTES, is_cancel};
pub use part::{Part, PartKind};
