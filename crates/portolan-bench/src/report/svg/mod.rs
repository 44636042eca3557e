//! Drawings as SVG, inside the page or in files of their own.
//!
//! A drawing holds bars, lines, markers, ticks and numbers only. In the page, titles, legends and
//! notes are HTML around it, which wraps on a narrow screen where SVG text cannot; in a file of its
//! own they are text in it. Colours and line styles are classes that [`STYLE`] fills in for the
//! light and the dark scheme.

mod alone;
mod key;
mod lines;
mod names;

use std::fmt::Display;

use crate::report::ticks::Tick;
use crate::svg::{element, escaped};
pub(crate) use alone::alone;
pub(crate) use key::key;
pub(crate) use lines::{description, lines};

/// The colours of everything and the classes of what is drawn.
pub(crate) const STYLE: &str = include_str!("drawing.css");

/// The width of every drawing in its own units; the page scales it to the screen.
const WIDTH: f64 = 560.0;
/// Room for a character. The style sheet enlarges letters on small screens, and the layout leaves
/// room for the large ones in a wide font.
const CHARACTER: f64 = 10.9;
/// Room for a line of text.
const LINE: f64 = 20.0;
/// The gap between things that must not touch.
const GAP: f64 = 8.0;

/// The rectangle between the axes.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    /// The horizontal position of a fraction of the x axis.
    fn x(&self, fraction: f64) -> f64 {
        self.left + fraction * (self.right - self.left)
    }

    /// The vertical position of a fraction of the y axis.
    fn y(&self, fraction: f64) -> f64 {
        self.bottom - fraction * (self.bottom - self.top)
    }

    /// Ticks, grid and numbers of the x axis.
    fn x_axis(&self, ticks: &[Tick]) -> String {
        let Self { top, bottom, .. } = *self;
        axis(
            ticks,
            |at| format!("M{:.1} {top:.1}V{bottom:.1}", self.x(at)),
            |at, label| words(self.x(at), bottom + LINE, "middle", label),
        )
    }

    /// Ticks, grid and numbers of the y axis.
    fn y_axis(&self, ticks: &[Tick]) -> String {
        let Self { left, right, .. } = *self;
        axis(
            ticks,
            |at| format!("M{left:.1} {:.1}H{right:.1}", self.y(at)),
            |at, label| words(left - GAP, self.y(at) + 5.0, "end", label),
        )
    }
}

/// The grid lines of an axis and the numbers beside them.
fn axis(
    ticks: &[Tick],
    line: impl Fn(f64) -> String,
    number: impl Fn(f64, &str) -> String,
) -> String {
    let draw = |tick: &Tick| {
        let class = if tick.label.is_some() { "grid" } else { "small" };
        let number = tick.label.as_deref().map(|label| number(tick.at, label));
        let line = element("path", &[("class", &class), ("d", &line(tick.at))], "");
        line + &number.unwrap_or_default()
    };
    ticks.iter().map(draw).collect()
}

/// The outer element, with a description for readers who cannot see it.
fn drawing(height: f64, description: &str, contents: &str) -> String {
    let view = format!("0 0 {WIDTH} {height:.0}");
    let attributes: [(&str, &dyn Display); 4] =
        [("class", &"drawing"), ("role", &"img"), ("aria-label", &description), ("viewBox", &view)];
    element("svg", &attributes, contents)
}

/// Text at a position; `anchor` says which end of the text is there.
fn words(x: f64, y: f64, anchor: &str, text: &str) -> String {
    let (x, y) = (format_args!("{x:.1}"), format_args!("{y:.1}"));
    element("text", &[("x", &x), ("y", &y), ("text-anchor", &anchor)], &escaped(text))
}

/// The words that a pointer at rest brings up.
fn title(words: &str) -> String {
    element("title", &[], &escaped(words))
}

/// The room that the longest of some labels takes.
fn room<'a>(labels: impl IntoIterator<Item = &'a str>) -> f64 {
    let characters = labels.into_iter().map(|label| label.chars().count()).max();
    characters.unwrap_or(0) as f64 * CHARACTER
}

fn labels_room(ticks: &[Tick]) -> f64 {
    room(ticks.iter().filter_map(|tick| tick.label.as_deref()))
}

/// As many ticks as fit side by side in `width`.
fn fitting(width: f64, ticks: impl Fn(usize) -> Vec<Tick>) -> Vec<Tick> {
    let fits = |ticks: &Vec<Tick>| {
        let labels: Vec<f64> = ticks.iter().filter(|t| t.label.is_some()).map(|t| t.at).collect();
        let closest = labels.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
        closest * width >= labels_room(ticks) + GAP
    };
    (3..=7).rev().map(&ticks).find(fits).unwrap_or_else(|| ticks(2))
}
