//! Sizes: exponents, figures and plots.

use crate::experiments::growth::fit::Fit;
use crate::experiments::growth::runs::{Figures, Run};
use crate::experiments::growth::{ENGINE, Kind, Plan, Results};
use crate::report::{Axis, Cell, Mark, Note, Plot, Section, Series, Table};
use crate::text::grouped;

/// Something that grows with the map.
struct Quantity {
    /// What tables call it.
    name: &'static str,
    /// What the name of its drawing ends in.
    file: &'static str,
    title: &'static str,
    axis: &'static str,
    unit: &'static str,
    /// In that unit; not a number where the system does not tell.
    of: fn(&Figures) -> f64,
}

const QUANTITIES: [Quantity; 5] = [
    Quantity {
        name: "Build",
        file: "build",
        title: "Build, all cores together",
        axis: "Processor time",
        unit: "s",
        of: |figures| figures.cpu,
    },
    Quantity {
        name: "Peak memory",
        file: "peak",
        title: "Most memory during a build",
        axis: "Memory beyond the map",
        unit: "MB",
        of: |figures| figures.peak.map_or(f64::NAN, |bytes| bytes as f64 / 1e6),
    },
    Quantity {
        name: "Index",
        file: "index",
        title: "Size of the index",
        axis: "Index",
        unit: "MB",
        of: |figures| figures.bytes as f64 / 1e6,
    },
    Quantity {
        name: "Distance",
        file: "distance",
        title: "A distance, mean",
        axis: "Time",
        unit: "µs",
        of: |figures| figures.times.distance() * 1e6,
    },
    Quantity {
        name: "Full path",
        file: "path",
        title: "A full path, mean",
        axis: "Time",
        unit: "µs",
        of: |figures| figures.times.path() * 1e6,
    },
];

const EXPONENTS: &str = "An exponent e says that a quantity grows about as the number of cells (of nodes on roads) to the e: 1 is \
    proportional, 0 not at all. It is the slope of a straight line through the logarithms by least squares, with the standard error of that \
    slope.";

pub(super) fn section(plan: &Plan, runs: &[Run], stem: &str) -> Section {
    let mut section = Section::new("Sizes");
    if !plan.quick {
        section = section.with(EXPONENTS).with(exponents(plan, runs));
        for &kind in &plan.kinds {
            let forms = of_kind(kind, runs).map(|(_, figures)| without_numbers(figures));
            let forms: Vec<String> = forms.collect();
            if forms.windows(2).any(|pair| pair[0] != pair[1]) {
                let words = format!(
                    "{} change their form with the size; one power cannot describe both.",
                    kind.name()
                );
                section.push(Note::new(Mark::Neutral, words));
            }
        }
    }
    section.push(figures(plan, runs));
    QUANTITIES.iter().map(|quantity| plot(quantity, plan, runs, stem)).fold(section, Section::with)
}

/// The exponents of each kind in a line.
pub(in crate::experiments::growth) fn headline(results: &Results) -> String {
    let of_kind = |kind: Kind| {
        let exponent = |quantity: &Quantity| {
            let fit = fit(quantity, kind, &results.sizes)?;
            Some(format!("{} n^{:.2}", quantity.name.to_lowercase(), fit.exponent))
        };
        let exponents: Vec<String> = QUANTITIES.iter().filter_map(exponent).collect();
        (!exponents.is_empty()).then(|| format!("{}: {}", kind.name(), exponents.join(", ")))
    };
    let kinds: Vec<String> = Kind::ALL.into_iter().filter_map(of_kind).collect();
    let rest = results.limits.len() + results.real.len() + results.threads.len();
    match kinds.is_empty() {
        true => format!("{ENGINE} in {} cases", grouped(results.sizes.len() + rest)),
        false => format!("{ENGINE} on {}", kinds.join("; ")),
    }
}

/// The form, without the numbers that differ from map to map.
fn without_numbers(figures: &Figures) -> String {
    figures.form.replace(|letter: char| letter.is_ascii_digit(), "")
}

/// Cells and figures of the maps of a kind that were not refused.
fn of_kind(kind: Kind, runs: &[Run]) -> impl Iterator<Item = (f64, &Figures)> {
    let runs = runs.iter().filter(move |run| run.kind == Some(kind));
    runs.filter_map(|run| Some((run.cells as f64, run.outcome.as_ref().ok()?)))
}

fn points(quantity: &Quantity, kind: Kind, runs: &[Run]) -> Vec<(f64, f64)> {
    of_kind(kind, runs).map(|(cells, figures)| (cells, (quantity.of)(figures))).collect()
}

fn fit(quantity: &Quantity, kind: Kind, runs: &[Run]) -> Option<Fit> {
    Fit::of(&points(quantity, kind, runs))
}

fn exponents(plan: &Plan, runs: &[Run]) -> Table {
    let heads = QUANTITIES.iter().map(|quantity| quantity.name);
    let mut table = Table::new(["Maps"].into_iter().chain(heads)).caption(
        "Exponents with their standard errors. Builds by the processor's time of all cores together. Paths have the more steps the \
         larger the map is, and every step is written out.",
    );
    for &kind in &plan.kinds {
        let cell = |quantity| match fit(quantity, kind, runs) {
            Some(fit) => Cell::text(fit.to_string()),
            None => Cell::missing(),
        };
        table.row([Cell::text(kind.name())].into_iter().chain(QUANTITIES.iter().map(cell)));
    }
    table
}

fn figures(plan: &Plan, runs: &[Run]) -> Table {
    let mut table = Table::new([
        "Maps",
        "Size",
        "Limit",
        "Form",
        "Build, processor [s]",
        "Build, clock [s]",
        "Peak memory [MB]",
        "Index [MB]",
        "Bytes a cell or node",
        "Distance [µs]",
        "Full path [µs]",
        "Steps",
    ])
    .caption(format!(
        "Builds on all cores; the median of up to five where they are short. Peak memory is by how much the resident memory of the process \
         grew at most during a build, as the system tells it (VmHWM against VmRSS before). Distances and paths on one thread: the mean of up \
         to {} random pairs, each with its median of {} rounds.",
        grouped(plan.searches), plan.rounds
    ));
    for run in runs {
        let name = [run.map.as_str(), &run.size, &run.limit.name()].map(Cell::text);
        match &run.outcome {
            Err(refusal) => {
                table.row(name.into_iter().chain([Cell::text(refusal.as_str())]));
            }
            Ok(figures) => table.row(name.into_iter().chain([
                Cell::text(figures.form.as_str()),
                Cell::number(figures.cpu, 2),
                Cell::number(figures.wall, 2),
                Cell::number(figures.peak.map_or(f64::NAN, |bytes| bytes as f64 / 1e6), 0),
                Cell::number(figures.bytes as f64 / 1e6, 1),
                Cell::number(figures.bytes as f64 / run.cells as f64, 1),
                Cell::number(figures.times.distance() * 1e6, 2),
                Cell::number(figures.times.path() * 1e6, 2),
                Cell::number(figures.steps, 0),
            ])),
        }
    }
    table
}

fn plot(quantity: &Quantity, plan: &Plan, runs: &[Run], stem: &str) -> Plot {
    let (x, y) = (Axis::log("Cells or nodes"), Axis::log(quantity.axis).unit(quantity.unit));
    let link = format!("{stem}-{}.svg", quantity.file);
    let plot = Plot::new(quantity.title, x, y).link(link);
    plan.kinds.iter().fold(plot, |plot, &kind| {
        let name = match fit(quantity, kind, runs).filter(|_| !plan.quick) {
            Some(fit) => format!("{}: to the {:.2}", kind.name(), fit.exponent),
            None => kind.name().to_owned(),
        };
        plot.with(Series::ours(name, points(quantity, kind, runs)))
    })
}
