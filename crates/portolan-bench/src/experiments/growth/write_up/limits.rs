//! Limits: figures, and where a larger limit was slower.

use crate::experiments::growth::Plan;
use crate::experiments::growth::runs::{Figures, Run};
use crate::report::{Axis, Cell, Mark, Note, Plot, Section, Series, Table};
use crate::text::{count, grouped};

/// Times that differ by less are the same: what the machine does besides makes as much.
const NOISE: f64 = 1.05;
/// How many cases are named.
const NAMED: usize = 12;

pub(super) fn generated(plan: &Plan, runs: &[Run], stem: &str) -> Section {
    let section = notes(Section::new("Limits"), plan, runs).with(table(plan, runs));
    let plots = [
        ("A distance under a limit, mean", "limits-distance", Figures::distance_us as fn(&_) -> _),
        ("A full path under a limit, mean", "limits-path", Figures::path_us),
    ];
    let plots = plots.map(|(title, file, of)| {
        let (x, y) = (Axis::log("Bytes a cell or node"), Axis::log("Time").unit("µs"));
        let plot = Plot::new(title, x, y).link(format!("{stem}-{file}.svg"));
        plan.kinds.iter().fold(plot, |plot, &kind| {
            let runs = runs.iter().filter(|run| run.kind == Some(kind));
            let point = |run: &Run| {
                let each = run.limit.bytes as f64 / run.cells as f64;
                Some((each, of(run.outcome.as_ref().ok()?)))
            };
            plot.with(Series::ours(kind.name(), runs.filter_map(point)))
        })
    });
    plots.into_iter().fold(section, Section::with)
}

pub(super) fn real(plan: &Plan, runs: &[Run]) -> Section {
    notes(Section::new("Limits on real maps"), plan, runs).with(table(plan, runs))
}

impl Figures {
    fn distance_us(&self) -> f64 {
        self.times.distance() * 1e6
    }

    fn path_us(&self) -> f64 {
        self.times.path() * 1e6
    }

    /// Whether this is the index of another limit.
    fn is_index_of(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.form == other.form
    }
}

/// A row for each index: limits that give the same index share it.
fn table(plan: &Plan, runs: &[Run]) -> Table {
    let mut table = Table::new([
        "Map",
        "Size",
        "Limit",
        "Form",
        "Index [MB]",
        "Build, processor [s]",
        "Distance [µs]",
        "Full path [µs]",
    ])
    .caption(format!(
        "Builds on all cores; the median of up to five where they are short. Distances and paths on one thread: the mean of up to {} random \
         pairs, each with its median of {} rounds, in which all indexes of a map take turns. Limits that give the same index share a row.",
        grouped(plan.searches), plan.rounds
    ));
    let is_same = |a: &Run, b: &Run| {
        let same_index = match (&a.outcome, &b.outcome) {
            (Ok(a), Ok(b)) => a.is_index_of(b),
            _ => false,
        };
        (&a.map, &a.size) == (&b.map, &b.size) && same_index
    };
    for group in runs.chunk_by(is_same) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let limits = match group {
            [only] => only.limit.name(),
            _ => format!("{} to {}", first.limit.amount, last.limit.name()),
        };
        let name = [first.map.as_str(), &first.size, &limits].map(Cell::text);
        match &first.outcome {
            Err(refusal) => {
                table.row(name.into_iter().chain([Cell::text(refusal.as_str())]));
            }
            Ok(figures) => table.row(name.into_iter().chain([
                Cell::text(figures.form.as_str()),
                Cell::number(figures.bytes as f64 / 1e6, 2),
                Cell::number(figures.cpu, 2),
                Cell::number(figures.distance_us(), 2),
                Cell::number(figures.path_us(), 2),
            ])),
        }
    }
    table
}

/// What a quick run cannot conclude: whether limits are kept, and whether more memory is ever
/// slower.
fn notes(mut section: Section, plan: &Plan, runs: &[Run]) -> Section {
    if plan.quick {
        return section;
    }
    let refused = runs.iter().filter(|run| run.outcome.is_err()).map(label);
    section.push(list("was refused", "No map was refused under any limit.", refused.collect()));
    let is_over =
        |run: &&Run| run.outcome.as_ref().is_ok_and(|figures| figures.bytes > run.limit.bytes);
    let over = runs.iter().filter(is_over).map(label).collect();
    section.push(list("has an index over its limit", "No index is over its limit.", over));
    let slower = runs.windows(2).flat_map(|pair| slower(&pair[0], &pair[1])).collect();
    let none = "No larger limit is slower than the one before it by more than 5 %.";
    section.push(list("is slower than under the limit before it", none, slower));
    section
}

fn label(run: &Run) -> String {
    format!("{}, {}, {}", run.map, run.size, run.limit.name())
}

/// Where the second of two limits of a map is slower.
fn slower(smaller: &Run, larger: &Run) -> Vec<String> {
    let (Ok(before), Ok(after)) = (&smaller.outcome, &larger.outcome) else { return Vec::new() };
    if (&smaller.map, &smaller.size) != (&larger.map, &larger.size) || after.is_index_of(before) {
        return Vec::new();
    }
    let ratios = ["distances", "paths"].into_iter().zip(after.times.ratios(&before.times));
    let slower = ratios.filter(|&(_, ratio)| ratio > NOISE);
    slower.map(|(what, ratio)| format!("{} ({what}, {ratio:.2} times)", label(larger))).collect()
}

fn list(what: &str, none: &str, cases: Vec<String>) -> Note {
    if cases.is_empty() {
        return Note::new(Mark::Good, none);
    }
    let more = match cases.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {}", count(more, "other", "others")),
    };
    let named = cases.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    let number = count(cases.len(), "case", "cases");
    Note::new(Mark::Bad, format!("{number} in which a map {what}: {named}{more}."))
}
