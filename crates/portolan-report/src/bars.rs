//! Bar charts: what is in them. Drawing is in `svg`.

use crate::plot::{LeftOut, values_under};
use crate::ticks::place;
use crate::{Axis, Cell, Source, Table};

/// Groups of bars, one group for each category and one bar in it for each series.
///
/// Bars lie, so that long names have room. On a logarithmic axis their lengths have no meaning
/// beyond their order; the number beside each bar is what counts.
///
/// ```
/// use portolan_report::{Axis, BarChart, BarSeries};
///
/// let chart = BarChart::new("Precomputed memory", Axis::log("Memory").unit("MB"))
///     .categories(["11,383 nodes", "200,284 nodes"])
///     .with(BarSeries::ours("PPA*", [Some(4.1), Some(160.0)]))
///     .with(BarSeries::paper("PPA*", [None, Some(176.0)]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// The heading of the chart.
    pub title: String,
    /// The line under the chart; none when empty.
    pub caption: String,
    /// What is measured.
    pub axis: Axis,
    /// The names of the groups.
    pub categories: Vec<String>,
    /// The data.
    pub series: Vec<BarSeries>,
}

impl BarChart {
    /// A chart without data.
    pub fn new(title: impl Into<String>, axis: Axis) -> Self {
        let (caption, categories, series) = (String::new(), Vec::new(), Vec::new());
        Self { title: title.into(), caption, axis, categories, series }
    }

    /// The names of the groups.
    pub fn categories<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a series.
    pub fn with(mut self, series: BarSeries) -> Self {
        self.series.push(series);
        self
    }

    /// The line under the chart.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Name and source of every series, for labels and colours.
    pub(crate) fn names(&self) -> Vec<(&str, Source)> {
        self.series.iter().map(|series| (series.name.as_str(), series.source)).collect()
    }

    /// The number of groups, counting those without a name.
    pub(crate) fn groups(&self) -> usize {
        let longest = self.series.iter().map(|series| series.values.len()).max();
        longest.unwrap_or(0).max(self.categories.len())
    }

    /// The name of a group; empty where it has none.
    pub(crate) fn category(&self, group: usize) -> &str {
        self.categories.get(group).map_or("", String::as_str)
    }

    /// The value of a bar as it can be drawn.
    pub(crate) fn bar(&self, group: usize, series: usize) -> Option<f64> {
        place(self.series[series].value(group)?, self.axis.scale).ok()
    }

    pub(crate) fn left_out(&self) -> LeftOut {
        let mut left_out = LeftOut::default();
        for value in self.series.iter().flat_map(|series| series.values.iter().flatten()) {
            if let Err(reason) = place(*value, self.axis.scale) {
                left_out.count(reason);
            }
        }
        left_out
    }

    /// The finite values as a table: a row for each group, a column for each series.
    pub(crate) fn values_table(&self) -> Table {
        let mut table = values_under(String::new(), &self.names(), &self.axis);
        for group in 0..self.groups() {
            let value =
                |series: &BarSeries| series.value(group).map_or(Cell::missing(), Cell::plain);
            let name = Cell::text(self.category(group));
            table.row([name].into_iter().chain(self.series.iter().map(value)));
        }
        table
    }
}

/// One bar in each group.
#[derive(Debug, Clone, PartialEq)]
pub struct BarSeries {
    /// What the legend says.
    pub name: String,
    /// Whose values they are.
    pub source: Source,
    /// A value for each category, in order; `None` where there is none.
    pub values: Vec<Option<f64>>,
}

impl BarSeries {
    /// Values measured here.
    pub fn ours(name: impl Into<String>, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values = values.into_iter().collect();
        Self { name: name.into(), source: Source::Ours, values }
    }

    /// Values read from a paper.
    pub fn paper(name: impl Into<String>, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self { source: Source::Paper, ..Self::ours(name, values) }
    }

    fn value(&self, group: usize) -> Option<f64> {
        self.values.get(group).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_a_category_are_not_lost() {
        let chart = BarChart::new("", Axis::log("t").unit("s"))
            .categories(["a"])
            .with(BarSeries::ours("x", [Some(1.0), Some(0.0), None, Some(2.0)]));
        assert_eq!(chart.groups(), 4);
        assert_eq!((chart.category(0), chart.category(3)), ("a", ""));
        assert_eq!(
            [0, 1, 2, 3].map(|group| chart.bar(group, 0)),
            [Some(1.0), None, None, Some(2.0)]
        );
        assert_eq!(chart.left_out().notes().len(), 1);
        assert_eq!(chart.values_table().rows.len(), 4);
    }
}
