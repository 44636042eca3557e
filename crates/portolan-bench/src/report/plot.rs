//! Plots of points: what is in them. Drawing is in `svg`.

use crate::report::number::plain;
use crate::report::ticks::{Unplaced, place};
use crate::report::{Cell, Table, svg};

/// Series of points over two axes.
///
/// Series of one name share a colour, so a paper's curve appears beside ours as a dashed line with
/// hollow markers. See the [module](crate::report) for an example.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The heading of the plot.
    pub(crate) title: String,
    /// The line under the plot; none when empty.
    pub(crate) caption: String,
    /// The axis to the right.
    pub(crate) x: Axis,
    /// The axis upwards.
    pub(crate) y: Axis,
    /// The data.
    pub(crate) series: Vec<Series>,
    /// The path of a copy as SVG, relative to the Markdown file, which then shows it. Without it,
    /// the Markdown has a table of the points.
    pub(crate) link: Option<String>,
    /// Whether names stand beside the first point of their series instead of in a legend.
    pub(crate) names_at_points: bool,
}

impl Plot {
    /// A plot without data.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let (title, caption, series) = (title.into(), String::new(), Vec::new());
        Self { title, caption, x, y, series, link: None, names_at_points: false }
    }

    /// Names every series beside its first point instead of in a legend. A name for which there is
    /// no room is left out.
    pub fn names_at_points(mut self) -> Self {
        self.names_at_points = true;
        self
    }

    /// Adds a series.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The line under the plot.
    pub(crate) fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The path of a copy as SVG.
    pub(crate) fn link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into());
        self
    }

    /// The plot as an SVG file that needs no other, with titles and legend; without the caption.
    ///
    /// ```
    /// use portolan_bench::report::{Axis, Plot, Series};
    /// let plot = Plot::new("Build", Axis::log("Nodes"), Axis::log("Time").unit("s"))
    ///     .with(Series::ours("atlas", [(50_000.0, 0.4), (100_000.0, 0.9)]));
    /// assert!(plot.to_svg().starts_with("<svg xmlns="));
    /// ```
    pub fn to_svg(&self) -> String {
        svg::alone(self)
    }

    /// Name and source of every series, for labels and colours.
    pub(crate) fn names(&self) -> Vec<(&str, Source)> {
        self.series.iter().map(|series| (series.name.as_str(), series.source)).collect()
    }

    /// The finite points as a table: a row for each x, a column for each series. Where a series
    /// has an x several times, that x has as many rows.
    pub(crate) fn points_table(&self) -> Table {
        let mut points: Vec<(f64, usize, usize, f64)> = Vec::new();
        for (column, series) in self.series.iter().enumerate() {
            for &(x, y) in series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
                // Adding zero makes one number of both zeros.
                points.push((x + 0.0, 0, column, y));
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        number_repeats(&mut points);
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut table = values_under(self.x.label(), &self.names(), &self.y);
        for row in points.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let mut cells = vec![Cell::missing(); self.series.len() + 1];
            cells[0] = Cell::plain(row[0].0);
            for &(_, _, column, y) in row {
                cells[column + 1] = Cell::plain(y);
            }
            table.row(cells);
        }
        table
    }
}

/// Counts, in points sorted by x and series, how often the pair of both came before.
fn number_repeats(points: &mut [(f64, usize, usize, f64)]) {
    for at in 1..points.len() {
        let (before, here) = (points[at - 1], &mut points[at]);
        if (before.0, before.2) == (here.0, here.2) {
            here.1 = before.1 + 1;
        }
    }
}

/// One axis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Axis {
    /// What is measured.
    pub(crate) title: String,
    /// The unit; none when empty.
    pub(crate) unit: String,
    /// How numbers become lengths.
    pub(crate) scale: Scale,
}

impl Axis {
    /// A linear axis.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A logarithmic axis.
    pub fn log(title: impl Into<String>) -> Self {
        Self { scale: Scale::Logarithmic, ..Self::linear(title) }
    }

    /// The unit.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Title and unit: `Time [ms]`.
    pub(crate) fn label(&self) -> String {
        match (self.title.is_empty(), self.unit.is_empty()) {
            (_, true) => self.title.clone(),
            (true, false) => format!("[{}]", self.unit),
            (false, false) => format!("{} [{}]", self.title, self.unit),
        }
    }

    /// A value with its unit: `1.4 ms`.
    pub(crate) fn value(&self, value: f64) -> String {
        format!("{} {}", plain(value), self.unit).trim_end().into()
    }
}

/// How numbers become lengths on an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios; zero and negative numbers have no place.
    Logarithmic,
}

/// Points that belong together, joined in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What the legend says.
    pub(crate) name: String,
    /// Whose points they are.
    pub(crate) source: Source,
    /// Line, markers or both.
    pub(crate) draw: Draw,
    /// The points as `(x, y)`. One that cannot be drawn leaves a gap in the line.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Series {
    /// Points measured here.
    pub fn ours(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().collect();
        Self { name: name.into(), source: Source::Ours, draw: Draw::Both, points }
    }

    /// Points read from a paper.
    pub fn paper(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { source: Source::Paper, ..Self::ours(name, points) }
    }

    /// Line, markers or both.
    pub fn draw(mut self, draw: Draw) -> Self {
        self.draw = draw;
        self
    }

    /// Whether its points have markers.
    pub(crate) fn has_markers(&self) -> bool {
        matches!(self.draw, Draw::Markers | Draw::Both)
    }

    /// Runs of points without a gap, as they can be drawn, and what had to be left out.
    pub(crate) fn runs(&self, x: Scale, y: Scale) -> (Vec<Vec<(f64, f64)>>, LeftOut) {
        let (mut runs, mut left_out) = (vec![Vec::new()], LeftOut::default());
        for &(px, py) in &self.points {
            match place(px, x).and_then(|px| Ok((px, place(py, y)?))) {
                Ok(point) => runs.last_mut().expect("starts with one").push(point),
                Err(reason) => {
                    left_out.count(reason);
                    runs.push(Vec::new());
                }
            }
        }
        runs.retain(|run| !run.is_empty());
        (runs, left_out)
    }
}

/// Whose numbers are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// Measured here: solid.
    #[default]
    Ours,
    /// Read from a paper: dashed and hollow.
    Paper,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Draw {
    /// A line only; a point without neighbours has a marker all the same.
    Line,
    /// A line that goes sideways first and then up or down, without markers: a bound that holds
    /// until the next point.
    Steps,
    /// Markers only.
    Markers,
    /// Markers joined by a line.
    #[default]
    Both,
}

/// How many values could not be drawn, and why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    not_finite: usize,
    not_positive: usize,
}

impl LeftOut {
    pub(crate) fn count(&mut self, reason: Unplaced) {
        match reason {
            Unplaced::NotFinite => self.not_finite += 1,
            Unplaced::NotPositive => self.not_positive += 1,
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.not_finite += other.not_finite;
        self.not_positive += other.not_positive;
    }

    /// A sentence for each reason that occurred.
    pub(crate) fn notes(self) -> Vec<String> {
        let reasons = [
            (self.not_finite, "not a finite number"),
            (self.not_positive, "zero or negative on a logarithmic axis"),
        ];
        let sentence = |(count, reason)| match count {
            0 => None,
            1 => Some(format!("1 value is not drawn: {reason}.")),
            _ => Some(format!("{count} values are not drawn: {reason}.")),
        };
        reasons.into_iter().filter_map(sentence).collect()
    }
}

/// The legend of each series; the source is named only where it differs.
pub(crate) fn labels(names: &[(&str, Source)]) -> Vec<String> {
    let with_paper = names.iter().any(|&(_, source)| source == Source::Paper);
    let label = |&(name, source): &(&str, Source)| match (with_paper, source) {
        (false, _) => name.to_owned(),
        (true, Source::Ours) => format!("{name} (ours)").trim_start().to_owned(),
        (true, Source::Paper) => format!("{name} (paper)").trim_start().to_owned(),
    };
    names.iter().map(label).collect()
}

/// A table of values without rows: a first column, and one for each series on an axis. What the
/// axis measures is in the head of a single column, and in the caption for several.
pub(crate) fn values_under(first: String, names: &[(&str, Source)], axis: &Axis) -> Table {
    let mut heads = labels(names);
    let shared = heads.len() > 1;
    if let [name] = heads.as_mut_slice() {
        let words = [std::mem::take(name), axis.label()];
        *name = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(": ");
    }
    let table = Table::new([first].into_iter().chain(heads));
    if shared { table.caption(axis.label()) } else { table }
}

/// The colour of each series: the same for the same name, numbered as names first appear.
pub(crate) fn colours(names: &[(&str, Source)]) -> Vec<usize> {
    let mut seen: Vec<&str> = Vec::new();
    let mut colours = Vec::with_capacity(names.len());
    for &(name, _) in names {
        colours.push(seen.iter().position(|&other| other == name).unwrap_or(seen.len()));
        if colours.last() == Some(&seen.len()) {
            seen.push(name);
        }
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_part_lines_and_are_counted() {
        let points = [(1.0, 1.0), (2.0, 2.0), (3.0, 0.0), (f64::NAN, 1.0), (5.0, 5.0)];
        let (runs, left_out) = Series::ours("", points).runs(Scale::Linear, Scale::Logarithmic);
        assert_eq!(runs, [vec![(1.0, 1.0), (2.0, 2.0)], vec![(5.0, 5.0)]]);
        assert_eq!(left_out, LeftOut { not_finite: 1, not_positive: 1 });
        assert_eq!(left_out.notes()[0], "1 value is not drawn: not a finite number.");
    }

    #[test]
    fn one_row_for_each_x_and_more_for_repeats() {
        let plot = Plot::new("", Axis::linear("n"), Axis::linear("t").unit("s"))
            .with(Series::ours("a", [(2.0, 20.0), (1.0, 10.0), (2.0, 21.0)]))
            .with(Series::paper("a", [(2.0, 5.0), (f64::NAN, 1.0)]));
        let table = plot.points_table();
        let heads: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(heads, ["n", "a (ours)", "a (paper)"]);
        let words =
            |row: &Vec<Cell>| row.iter().map(|cell| cell.words().unwrap_or("-".into())).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(words).collect();
        assert_eq!(rows, [["1", "10", "-"], ["2", "20", "5"], ["2", "21", "-"]]);
    }

    #[test]
    fn same_name_same_colour() {
        let names = [("a", Source::Ours), ("b", Source::Ours), ("a", Source::Paper)];
        assert_eq!(colours(&names), [0, 1, 0]);
        assert_eq!(labels(&names), ["a (ours)", "b (ours)", "a (paper)"]);
        assert_eq!(labels(&names[..2]), ["a", "b"]);
    }
}
