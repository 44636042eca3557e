//! Reports of experiments: one self-contained HTML page, or Markdown.
//!
//! A [`Report`] is plain data: sections of paragraphs, notes, [`Table`]s, `Comparison`s with
//! published figures, [`Plot`]s and [`Picture`]s. [`Report::to_html`] and
//! [`Report::to_markdown`] turn it into text.
//!
//! What holds for every report:
//!
//! - The page loads nothing: style, drawings and pictures are inside it, and it runs no script.
//! - The same report gives the same bytes. Nothing here reads a clock or the machine; the caller
//!   fills in [`Report::date`] and [`Report::machine`].
//! - All text is plain text. What looks like HTML or Markdown is escaped.
//! - No data can make a renderer panic. Values that cannot be drawn (not finite, or not positive
//!   on a logarithmic axis) are left out, and a note under the drawing counts them.
//! - Colour is never the only difference: series also differ in their markers, and verdicts are
//!   written out.
//!
//! ```
//! use portolan_bench::report::{Axis, Plot, Report, Section, Series};
//!
//! let times = Plot::new("Average search time", Axis::log("Nodes"), Axis::log("Time").unit("ms"))
//!     .with(Series::ours("PPA*", [(11_383.0, 0.08), (200_284.0, 0.41)]))
//!     .with(Series::paper("PPA*", [(11_383.0, 0.3), (200_284.0, 1.6)]));
//!
//! let mut report = Report::new("Partially Precomputed A*");
//! report.date = "2026-03-01".into();
//! report.sections.push(
//!     Section::new("Road maps").with("1,000 random pairs on each map.").with(times),
//! );
//!
//! assert!(report.to_html().contains("<svg"));
//! assert!(report.to_markdown().contains("1,000 random pairs"));
//! ```

mod comparison;
mod document;
mod html;
mod markdown;
mod number;
mod page;
mod plot;
mod svg;
mod table;
mod text;
mod ticks;

#[cfg(test)]
mod tests;

pub(crate) use comparison::{Better, Comparison, Tally};
pub(crate) use document::Block;
pub use document::{Mark, Note, Picture, Report, Section};
pub use page::places;
pub use plot::{Axis, Draw, Plot, Series};
pub(crate) use plot::{Scale, Source};
pub use table::{Align, Cell, Column, Table};
