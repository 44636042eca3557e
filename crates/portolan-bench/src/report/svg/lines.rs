//! Plots of points.

use super::key::{circle, colour_class, marker, source_class};
use super::names::named_points;
use super::{Frame, GAP, LINE, WIDTH, drawing, fitting, labels_room, title, words};
use crate::report::plot::{LeftOut, colours, labels};
use crate::report::ticks::Span;
use crate::report::{Draw, Plot, Series, Source};
use crate::svg::element;

pub(super) const HEIGHT: f64 = 340.0;

/// The plot without its titles and legend, and what could not be drawn.
pub(crate) fn lines(plot: &Plot) -> (String, LeftOut) {
    let (contents, left_out) = contents(plot);
    (drawing(HEIGHT, &description(plot), &contents), left_out)
}

/// What is drawn, [`HEIGHT`] high and as wide as every drawing, and what could not be.
pub(super) fn contents(plot: &Plot) -> (String, LeftOut) {
    let mut left_out = LeftOut::default();
    let runs: Vec<Runs> = plot
        .series
        .iter()
        .map(|series| {
            let (runs, missing) = series.runs(plot.x.scale, plot.y.scale);
            left_out.add(missing);
            runs
        })
        .collect();
    let points = || runs.iter().flatten().flatten();
    let x = Span::around(points().map(|point| point.0), plot.x.scale);
    let y = Span::around(points().map(|point| point.1), plot.y.scale);

    let y_ticks = y.ticks(7);
    let left = labels_room(&y_ticks) + GAP;
    let x_ticks = fitting(WIDTH - left - 40.0, |most| x.ticks(most));
    let right = WIDTH - (labels_room(&x_ticks) / 2.0).max(GAP);
    let frame = Frame { left, right, top: GAP, bottom: HEIGHT - LINE - GAP };

    let mut contents = frame.x_axis(&x_ticks) + &frame.y_axis(&y_ticks);
    if points().next().is_none() {
        contents += &words(frame.x(0.5), frame.y(0.5), "middle", "no data");
    }
    let position = |(px, py)| (frame.x(x.fraction(px)), frame.y(y.fraction(py)));
    contents += &series_in_order(plot, &runs, position);
    if plot.names_at_points {
        let marked = plot.series.iter().zip(&runs).filter(|(series, _)| series.has_markers());
        let spots = marked.map(|(series, runs)| {
            let points = runs.iter().flatten().map(|&point| position(point));
            (series.name.as_str(), points.collect())
        });
        contents += &named_points(&frame, &spots.collect::<Vec<_>>());
    }
    (contents, left_out)
}

/// The points of a series, parted at its gaps.
type Runs = Vec<Vec<(f64, f64)>>;

/// All series, those of papers first so that ours are drawn on top.
fn series_in_order(
    plot: &Plot,
    runs: &[Runs],
    position: impl Fn((f64, f64)) -> (f64, f64),
) -> String {
    let names = plot.names();
    let (labels, colours) = (labels(&names), colours(&names));
    let mut order: Vec<usize> = (0..plot.series.len()).collect();
    order.sort_by_key(|&i| plot.series[i].source == Source::Ours);
    let draw = |i: usize| {
        let describe = |(x, y)| {
            let point = format!("{}, {}", plot.x.value(x), plot.y.value(y));
            title(&if labels[i].is_empty() { point } else { format!("{}: {point}", labels[i]) })
        };
        one_series(&plot.series[i], &runs[i], colours[i], &position, describe)
    };
    order.into_iter().map(draw).collect()
}

fn one_series(
    series: &Series,
    runs: &Runs,
    colour: usize,
    position: impl Fn((f64, f64)) -> (f64, f64),
    describe: impl Fn((f64, f64)) -> String,
) -> String {
    let class = source_class(series.source);
    let (mut paths, mut points) = (String::new(), String::new());
    for run in runs {
        if series.draw != Draw::Markers && run.len() > 1 {
            let mut line = String::new();
            for (index, &point) in run.iter().enumerate() {
                let (x, y) = position(point);
                line += &match (index, series.draw) {
                    (0, _) => format!("M{x:.1} {y:.1}"),
                    (_, Draw::Steps) => format!("H{x:.1}V{y:.1}"),
                    _ => format!("L{x:.1} {y:.1}"),
                };
            }
            paths +=
                &element("path", &[("class", &format_args!("line {class}")), ("d", &line)], "");
        }
        for &point in run.iter().filter(|_| series.draw != Draw::Steps) {
            let (x, y) = position(point);
            points += &match series.draw {
                Draw::Line if run.len() > 1 => {
                    let title = describe(point);
                    circle("hit", (x, y), 7.0, &title)
                }
                _ => marker(x, y, colour, series.source, &describe(point)),
            };
        }
    }
    element("g", &[("class", &colour_class(colour))], &(paths + &points))
}

/// The plot in a sentence, for readers who cannot see it.
pub(crate) fn description(plot: &Plot) -> String {
    let series = labels(&plot.names()).join(", ");
    format!("Plot: {}. {} against {}: {series}", plot.title, plot.y.label(), plot.x.label())
}
