//! The report on how `atlas` grows.

use super::fit::Fit;
use super::{ENGINES, Plan, Run};
use crate::experiments::busy;
use crate::report::{Axis, Cell, Mark, Note, Plot, Report, Section, Series, Table};
use crate::text::grouped;

/// Something that grows with the network.
struct Quantity {
    /// What tables call it.
    name: &'static str,
    /// What the name of its drawing ends in.
    file: &'static str,
    title: &'static str,
    axis: &'static str,
    unit: &'static str,
    /// In that unit.
    of: fn(&Run) -> f64,
}

const QUANTITIES: [Quantity; 4] = [
    Quantity {
        name: "Build",
        file: "build",
        title: "Build, on one thread",
        axis: "Processor time",
        unit: "s",
        of: |run| run.build_cpu,
    },
    Quantity {
        name: "Memory",
        file: "memory",
        title: "Memory of the index",
        axis: "Index",
        unit: "MB",
        of: |run| run.bytes / 1e6,
    },
    Quantity {
        name: "Distance",
        file: "distance",
        title: "A distance, mean",
        axis: "Time",
        unit: "µs",
        of: |run| run.distance * 1e6,
    },
    Quantity {
        name: "Full path",
        file: "path",
        title: "A full path, mean",
        axis: "Time",
        unit: "µs",
        of: |run| run.path * 1e6,
    },
];

const INTRO: &str = "How build time, memory and query time of atlas grow with the number of nodes, on generated road \
    networks. One network of each size was built once; MB are millions of bytes.";

/// What exponents are, where there are some.
const EXPONENTS: &str = "An exponent e says that a quantity grows about as nodes to the e: 1 is proportional, 0 not at all. It is the \
    slope of a straight line through the logarithms by least squares, with the standard error of that slope.";

/// The whole report; the names of its drawings begin with `stem`.
pub(super) fn report(plan: &Plan, runs: &[Run], stem: &str) -> Report {
    let mut report = Report::new("How atlas grows");
    report.intro = INTRO.into();
    let maps = format!("generated roads by metres, seed {}", plan.seed);
    report.facts.push(("Maps".into(), maps));
    report.facts.push(("Memory limit".into(), "8 GiB".into()));
    if !plan.quick {
        report.sections.push(exponents(runs));
    }
    report.sections.push(figures(plan, runs));
    let plots = QUANTITIES.iter().map(|quantity| plot(quantity, plan, runs, stem));
    report.sections.push(plots.fold(Section::new("Plots"), Section::with));
    report
}

/// The exponents of the first engine in a line.
pub(super) fn headline(runs: &[Run]) -> String {
    let grows = |quantity: &Quantity| {
        let fit = fit(quantity, ENGINES[0], runs);
        let exponent = fit.map_or("?".into(), |fit| format!("{:.2}", fit.exponent));
        format!("{} n^{exponent}", quantity.name.to_lowercase())
    };
    format!("{}: {}", ENGINES[0], QUANTITIES.each_ref().map(grows).join(", "))
}

fn of_engine<'a>(engine: &'a str, runs: &'a [Run]) -> impl Iterator<Item = &'a Run> {
    runs.iter().filter(move |run| run.engine == engine)
}

fn points(quantity: &Quantity, engine: &str, runs: &[Run]) -> Vec<(f64, f64)> {
    of_engine(engine, runs).map(|run| (run.nodes, (quantity.of)(run))).collect()
}

fn fit(quantity: &Quantity, engine: &str, runs: &[Run]) -> Option<Fit> {
    Fit::of(&points(quantity, engine, runs))
}

fn exponents(runs: &[Run]) -> Section {
    let heads = QUANTITIES.iter().map(|quantity| quantity.name);
    let mut table = Table::new(["Engine"].into_iter().chain(heads)).caption(
        "Exponents with their standard errors. Builds by the processor's time. Paths have the more steps the larger \
         the network is, and every step is written out.",
    );
    for engine in ENGINES {
        let cell = |quantity| match fit(quantity, engine, runs) {
            Some(fit) => Cell::text(fit.to_string()),
            None => Cell::missing(),
        };
        table.row([Cell::text(engine)].into_iter().chain(QUANTITIES.iter().map(cell)));
    }
    let mut section = Section::new("Exponents").with(EXPONENTS).with(table);
    for engine in ENGINES {
        let forms: Vec<&str> = of_engine(engine, runs).map(|run| run.form.as_str()).collect();
        if forms.windows(2).any(|pair| pair[0] != pair[1]) {
            section.push(Note::new(
                Mark::Neutral,
                format!("{engine} changes its form with the size; one power cannot describe both."),
            ));
        }
    }
    let sum = |of: fn(&Run) -> f64| runs.iter().map(of).sum::<f64>();
    let core_share = sum(|run| run.build_cpu) / sum(|run| run.build);
    if let Some(note) = busy(core_share) {
        section.push(note);
    }
    section
}

fn figures(plan: &Plan, runs: &[Run]) -> Section {
    let mut table = Table::new([
        "Nodes",
        "Engine",
        "Form",
        "Build, processor [s]",
        "Build, clock [s]",
        "Index [MB]",
        "Bytes per node",
        "Distance [µs]",
        "Full path [µs]",
        "Steps",
    ])
    .caption(format!(
        "Distances and paths are means of {} random pairs, each with its best time of three rounds, on one thread.",
        grouped(plan.searches)
    ));
    for engine in ENGINES {
        for run in of_engine(engine, runs) {
            table.row([
                Cell::number(run.nodes, 0),
                Cell::text(run.engine),
                Cell::text(run.form.as_str()),
                Cell::number(run.build_cpu, 2),
                Cell::number(run.build, 2),
                Cell::number(run.bytes / 1e6, 1),
                Cell::number(run.bytes / run.nodes, 0),
                Cell::number(run.distance * 1e6, 2),
                Cell::number(run.path * 1e6, 2),
                Cell::number(run.steps, 0),
            ]);
        }
    }
    Section::new("Figures").with(table)
}

fn plot(quantity: &Quantity, plan: &Plan, runs: &[Run], stem: &str) -> Plot {
    let (x, y) = (Axis::log("Nodes"), Axis::log(quantity.axis).unit(quantity.unit));
    let link = format!("{stem}-{}.svg", quantity.file);
    let plot = Plot::new(quantity.title, x, y).link(link);
    ENGINES.into_iter().fold(plot, |plot, engine| {
        let name = match fit(quantity, engine, runs).filter(|_| !plan.quick) {
            Some(fit) => format!("{engine}: nodes to the {:.2}", fit.exponent),
            None => engine.to_owned(),
        };
        plot.with(Series::ours(name, points(quantity, engine, runs)))
    })
}
