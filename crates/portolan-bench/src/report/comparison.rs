//! Published figures beside ours, with a verdict for each.

use crate::report::number::{Digits, plain, with_digits};
use crate::report::{Align, Cell, Column, Mark, Table};

/// Which direction is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    /// Times, memory, expanded nodes.
    Lower,
    /// Rates, shares of optimal paths.
    Higher,
}

/// One figure of a paper and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was measured.
    pub(crate) what: String,
    /// The published figure, where there is one.
    pub(crate) paper: Option<f64>,
    /// The figure measured here.
    pub(crate) ours: f64,
    /// The unit of both; none when empty.
    pub(crate) unit: String,
    /// Which direction is the good one.
    pub(crate) better: Better,
    /// Why the figure is not reached, or how it was measured.
    pub(crate) note: String,
}

impl Comparison {
    /// A figure of ours, without one to compare it with yet.
    pub(crate) fn new(what: impl Into<String>, better: Better, ours: f64) -> Self {
        let (unit, note) = (String::new(), String::new());
        Self { what: what.into(), paper: None, ours, unit, better, note }
    }

    /// The published figure.
    pub(crate) fn paper(mut self, figure: f64) -> Self {
        self.paper = Some(figure);
        self
    }

    /// The unit of both figures.
    pub(crate) fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Why the figure is not reached, or how it was measured.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// [`Mark::Good`] if ours is as good as the paper's or better, [`Mark::Bad`] if not;
    /// [`Mark::Neutral`] where there is nothing to compare.
    pub(crate) fn verdict(&self) -> Mark {
        match (self.both(), self.better) {
            (None, _) => Mark::Neutral,
            (Some((paper, ours)), Better::Lower) if ours <= paper => Mark::Good,
            (Some((paper, ours)), Better::Higher) if ours >= paper => Mark::Good,
            _ => Mark::Bad,
        }
    }

    /// Ours divided by the paper's, where both are positive.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let (paper, ours) = self.both()?;
        (paper > 0.0 && ours > 0.0).then(|| ours / paper).filter(|ratio| ratio.is_normal())
    }

    fn both(&self) -> Option<(f64, f64)> {
        let paper = self.paper.filter(|paper| paper.is_finite())?;
        self.ours.is_finite().then_some((paper, self.ours))
    }

    /// The verdict in words: "reached, 1.3× better".
    fn words(&self) -> String {
        let (mark, word, side) = match self.verdict() {
            Mark::Neutral => return "• nothing to compare".into(),
            Mark::Good => (Mark::Good, "reached", "better"),
            Mark::Bad => (Mark::Bad, "not reached", "worse"),
        };
        let factor = self.ratio().map(|ratio| ratio.max(ratio.recip()));
        match factor.map(|factor| with_digits(factor, Digits::Significant(3))) {
            Some(factor) if factor != "1" => {
                format!("{} {word}, {factor}× {side}", mark.glyph())
            }
            _ => format!("{} {word}", mark.glyph()),
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let figure = |value: f64| match (value.is_finite(), self.unit.is_empty()) {
            (false, _) => Cell::missing(),
            (true, true) => Cell::text(plain(value)),
            (true, false) => Cell::text(format!("{} {}", plain(value), self.unit)),
        };
        let ratio = self.ratio().map(|ratio| with_digits(ratio, Digits::Significant(3)));
        let mark = self.verdict();
        let note = match (self.note.is_empty(), mark) {
            (true, Mark::Bad) => "No reason given.",
            _ => self.note.as_str(),
        };
        vec![
            Cell::text(&self.what),
            self.paper.map_or(Cell::missing(), figure),
            figure(self.ours),
            ratio.map_or(Cell::missing(), Cell::text),
            Cell::text(self.words()).marked(mark),
            Cell::text(note),
        ]
    }
}

/// The comparisons as a table, the same in both renderers.
pub(crate) fn table(rows: &[Comparison]) -> Table {
    let column = |name: &str, align| Column { align: Some(align), ..Column::new(name) };
    let mut table = Table::new([
        column("Figure", Align::Left),
        column("Paper", Align::Right),
        column("Ours", Align::Right),
        column("Ours / paper", Align::Right),
        column("Verdict", Align::Left),
        column("Note", Align::Left),
    ]);
    table.rows = rows.iter().map(Comparison::cells).collect();
    table
}

/// How many published figures were reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Ours is as good or better.
    pub(crate) reached: usize,
    /// Ours is worse.
    pub(crate) missed: usize,
    /// There was nothing to compare.
    pub(crate) open: usize,
}

impl Tally {
    /// Counts verdicts.
    pub(crate) fn of<'a>(rows: impl IntoIterator<Item = &'a Comparison>) -> Self {
        let mut tally = Self::default();
        for row in rows {
            match row.verdict() {
                Mark::Good => tally.reached += 1,
                Mark::Bad => tally.missed += 1,
                Mark::Neutral => tally.open += 1,
            }
        }
        tally
    }

    /// The line at the head of a report; none without published figures.
    pub(crate) fn line(self) -> Option<(Mark, String)> {
        let all = self.reached + self.missed;
        let mark = if self.missed == 0 { Mark::Good } else { Mark::Bad };
        let figures = if all == 1 { "published figure is" } else { "published figures are" };
        (all > 0).then(|| (mark, format!("{} of {all} {figures} reached.", self.reached)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(better: Better, paper: Option<f64>, ours: f64, verdict: Mark, words: &str) {
        let row = Comparison { paper, ..Comparison::new("x", better, ours) };
        assert_eq!(row.verdict(), verdict);
        assert_eq!(row.words(), words);
    }

    #[test]
    fn verdicts() {
        use Better::{Higher, Lower};
        check(Lower, Some(53.0), 41.0, Mark::Good, "✓ reached, 1.29× better");
        check(Lower, Some(41.0), 53.0, Mark::Bad, "✗ not reached, 1.29× worse");
        check(Higher, Some(10.0), 25.0, Mark::Good, "✓ reached, 2.5× better");
        check(Higher, Some(10.0), 9.0, Mark::Bad, "✗ not reached, 1.11× worse");
        check(Lower, Some(53.0), 53.0, Mark::Good, "✓ reached");
        check(Lower, Some(0.0), 1.0, Mark::Bad, "✗ not reached");
        check(Lower, Some(f64::NAN), 1.0, Mark::Neutral, "• nothing to compare");
        check(Lower, Some(1.0), f64::INFINITY, Mark::Neutral, "• nothing to compare");
        check(Lower, None, 1.0, Mark::Neutral, "• nothing to compare");
    }

    #[test]
    fn a_missed_figure_asks_for_a_reason() {
        let missed = Comparison::new("x", Better::Lower, 2.0).paper(1.0);
        assert_eq!(missed.cells()[5], Cell::text("No reason given."));
        assert_eq!(missed.note("Old disk.").cells()[5], Cell::text("Old disk."));
    }

    #[test]
    fn tallies() {
        let row = |paper| Comparison { paper, ..Comparison::new("x", Better::Lower, 2.0) };
        let tally = Tally::of(&[row(Some(1.0)), row(Some(2.0)), row(Some(3.0)), row(None)]);
        assert_eq!(tally, Tally { reached: 2, missed: 1, open: 1 });
        assert_eq!(tally.line().unwrap().1, "2 of 3 published figures are reached.");
        assert_eq!(Tally::default().line(), None);
    }
}
