//! Markers, and the small samples of line and marker in a legend.

use std::fmt::Display;

use crate::report::{Draw, Source};
use crate::svg::element;

/// How many colours the style sheet has; series beyond that start over, with other markers.
const COLOURS: usize = 7;
/// How many shapes of markers there are.
const SHAPES: usize = 5;

/// The shape of a series' markers. It changes faster than the colour, since the first and the sixth
/// colour are both blue: the first 14 series differ in their shapes where they are of like colours,
/// and no two of 35 have both alike.
fn shape(colour: usize) -> usize {
    let (round, place) = (colour / COLOURS, colour % COLOURS);
    (place + place / SHAPES + 2 * round) % SHAPES
}

/// The class of a series' colour.
pub(super) fn colour_class(colour: usize) -> String {
    format!("c{}", colour % COLOURS)
}

/// The class of a source.
pub(super) fn source_class(source: Source) -> &'static str {
    match source {
        Source::Ours => "ours",
        Source::Paper => "paper",
    }
}

/// A marker with contents (its title). A paper's is larger, so that it shows around one of ours
/// in the same place.
pub(super) fn marker(x: f64, y: f64, colour: usize, source: Source, contents: &str) -> String {
    let radius = if source == Source::Paper { 6.0 } else { 4.0 };
    let class = source_class(source);
    let corners: &[(f64, f64)] = match shape(colour) {
        0 => {
            return circle(&format!("mark {class}"), (x, y), radius, contents);
        }
        1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        3 => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        _ => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
    };
    let corner = |(dx, dy): &(f64, f64)| format!("{:.1},{:.1}", x + dx * radius, y + dy * radius);
    let points: Vec<String> = corners.iter().map(corner).collect();
    let class = format!("mark {class}");
    element("polygon", &[("class", &class), ("points", &points.join(" "))], contents)
}

/// A circle with contents (its title).
pub(super) fn circle(class: &str, (x, y): (f64, f64), radius: f64, contents: &str) -> String {
    let (x, y) = (format_args!("{x:.1}"), format_args!("{y:.1}"));
    let attributes: [(&str, &dyn Display); 4] =
        [("class", &class), ("cx", &x), ("cy", &y), ("r", &radius)];
    element("circle", &attributes, contents)
}

/// The sample of a series in a legend.
pub(crate) fn key(colour: usize, source: Source, draw: Draw) -> String {
    let sample = sample(colour, source, draw);
    let class = format!("key {}", colour_class(colour));
    let attributes: [(&str, &dyn Display); 3] =
        [("class", &class), ("aria-hidden", &true), ("viewBox", &"0 0 36 18")];
    element("svg", &attributes, &sample)
}

/// What is drawn in a sample, 36 wide and 18 high.
pub(super) fn sample(colour: usize, source: Source, draw: Draw) -> String {
    let class = source_class(source);
    let line = element("path", &[("class", &format_args!("line {class}")), ("d", &"M1 9H35")], "");
    match draw {
        Draw::Line | Draw::Steps => line,
        Draw::Markers => marker(18.0, 9.0, colour, source, ""),
        Draw::Both => line + &marker(18.0, 9.0, colour, source, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_series_of_a_plot_look_alike() {
        // The sixth colour is a lighter tone of the first.
        let hue = |colour: usize| if colour % COLOURS == 5 { 0 } else { colour % COLOURS };
        let looks: BTreeSet<_> = (0..14).map(|colour| (hue(colour), shape(colour))).collect();
        assert_eq!(looks.len(), 14);
        let looks: BTreeSet<_> = (0..35).map(|at| (at % COLOURS, shape(at))).collect();
        assert_eq!(looks.len(), 35);
    }
}
