//! The report on landmarks.

use portolan::true_distance::DifferentialConfig;
use portolan::true_distance::differential::{Placement, Precision};

use super::{COUNTS, FormRun, MapRun, Plan, USUAL, is_usual};
use crate::report::{
    Axis, Better, Cell, Column, Mark, Picture, Plot, Report, Section, Series, Table,
};
use crate::text::grouped;

const INTRO: &str = "What landmarks save A*, on the kinds of map that Red Blob Games' page on differential heuristics \
    shows: Dragon Age, mazes and caves. The page has four moves and the Manhattan distance; eight moves with the octile \
    distance are here as well.\n\n\
    A ratio is that of A* with landmarks to A* without, over the same searches: nodes by nodes, and time by time. The page \
    wonders why time gains less than nodes; docs/landmarks.md answers it with a profile.";

pub(super) fn report(plan: &Plan, runs: &[MapRun]) -> Report {
    let mut report = Report::new("Landmarks");
    report.intro = INTRO.into();
    report.facts.push(("Searches".into(), format!("{} random pairs on each map", plan.searches)));
    report.sections.push(overview(plan, runs));
    report.sections.push(by_number(runs));
    report.sections.push(by_placement(runs));
    report.sections.push(compressed(plan, runs));
    report.sections.push(pictures(runs));
    report
}

/// The usual landmarks on all maps in a line.
pub(super) fn headline(runs: &[MapRun]) -> String {
    let ratios = |of: fn(&MapRun, &FormRun) -> f64| {
        let each = runs.iter().filter_map(|run| Some(of(run, run.usual()?)));
        let each: Vec<f64> = each.collect();
        (each.iter().map(|ratio| ratio.ln()).sum::<f64>() / each.len() as f64).exp()
    };
    let (nodes, time) = (ratios(MapRun::node_ratio), ratios(MapRun::time_ratio));
    format!(
        "{USUAL} landmarks: {nodes:.2} of the nodes and {time:.2} of the time of A*, geometric means"
    )
}

impl MapRun {
    fn title(&self) -> String {
        format!("{}, {} moves", self.name, self.moves)
    }

    fn usual(&self) -> Option<&FormRun> {
        self.forms.iter().find(|form| is_usual(&form.config))
    }

    fn form(&self, wanted: impl Fn(&DifferentialConfig) -> bool) -> Option<&FormRun> {
        self.forms.iter().find(|form| wanted(&form.config))
    }

    fn node_ratio(&self, form: &FormRun) -> f64 {
        form.measured.expanded / self.astar.expanded
    }

    fn time_ratio(&self, form: &FormRun) -> f64 {
        form.measured.time.mean / self.astar.time.mean
    }
}

fn overview(plan: &Plan, runs: &[MapRun]) -> Section {
    let mut table = Table::new([
        "Map",
        "Moves",
        "Cells",
        "A* nodes",
        "with landmarks",
        "Node ratio",
        "A* [µs]",
        "with landmarks [µs]",
        "Time ratio",
    ])
    .caption(format!(
        "{USUAL} landmarks, farthest; means per search, each with its best time of three."
    ));
    for run in runs {
        let Some(form) = run.usual() else { continue };
        let (nodes, time) = (run.node_ratio(form), run.time_ratio(form));
        let verdict = |ratio: f64| {
            let cell = Cell::number(ratio, 3);
            match ratio < 1.0 {
                _ if plan.quick => cell,
                true => cell.marked(Mark::Good),
                false => cell.marked(Mark::Bad),
            }
        };
        table.row([
            Cell::text(run.name.as_str()),
            Cell::text(run.moves),
            Cell::number(run.cells as f64, 0),
            Cell::number(run.astar.expanded, 0),
            Cell::number(form.measured.expanded, 0),
            verdict(nodes),
            Cell::number(run.astar.time.mean * 1e6, 1),
            Cell::number(form.measured.time.mean * 1e6, 1),
            verdict(time),
        ]);
    }
    let section = Section::new("With and without");
    match runs.iter().any(|run| run.usual().is_some()) {
        true => section.with(table),
        false => section.with(format!("No map was run with {USUAL} landmarks.")),
    }
}

fn by_number(runs: &[MapRun]) -> Section {
    let (x, y) = (Axis::log("Landmarks"), Axis::log("Nodes, of those of A*"));
    let mut plot = Plot::new("Nodes by the number of landmarks, farthest", x, y);
    let mut shown = false;
    for run in runs {
        let points = COUNTS.iter().filter_map(|&landmarks| {
            let wanted = |config: &DifferentialConfig| {
                let usual = DifferentialConfig { landmarks: USUAL, ..config.clone() };
                config.landmarks == landmarks && is_usual(&usual)
            };
            Some((landmarks as f64, run.node_ratio(run.form(wanted)?)))
        });
        let points: Vec<_> = points.collect();
        shown |= !points.is_empty();
        plot = plot.with(Series::ours(run.title(), points));
    }
    let section = Section::new("By number");
    match shown {
        true => section.with(plot),
        false => section.with("No map was run with several numbers of landmarks.".to_owned()),
    }
}

fn by_placement(runs: &[MapRun]) -> Section {
    let mut section = Section::new("By placement");
    for run in runs {
        let heads = Placement::named().map(|placement| placement.to_string());
        let mut table = Table::new(
            ["Landmarks".to_owned()].into_iter().chain(heads).map(Column::new),
        )
        .caption(format!(
            "{}, {} searches: nodes expanded, of those of A*, and in brackets time, of that of A*.",
            run.title(),
            grouped(run.searches)
        ));
        for landmarks in COUNTS {
            let cells = Placement::named().map(|placement| {
                let wanted = |config: &DifferentialConfig| {
                    let plain = config.precision == Precision::Bits32 && config.kept.is_none();
                    plain && config.landmarks == landmarks && config.placement == placement
                };
                run.form(wanted).map_or(Cell::missing(), |form| {
                    Cell::text(format!("{:.3} ({:.3})", run.node_ratio(form), run.time_ratio(form)))
                })
            });
            let cells: Vec<Cell> = cells.collect();
            table.row([Cell::number(landmarks as f64, 0)].into_iter().chain(cells));
        }
        section.push(table);
    }
    section
}

fn compressed(plan: &Plan, runs: &[MapRun]) -> Section {
    let mut section = Section::new("Compressed tables");
    for run in runs {
        let mut table = Table::new(["Table", "Memory [MB]", "Node ratio", "Time ratio"])
            .caption(format!("{}, landmarks farthest.", run.title()));
        let is_far = |form: &&FormRun| {
            let config = &form.config;
            let compressed = config.precision != Precision::Bits32 || config.kept.is_some();
            is_usual(config) || compressed
        };
        for form in run.forms.iter().filter(is_far) {
            let DifferentialConfig { landmarks, precision, kept, .. } = &form.config;
            let bits = match precision {
                Precision::Bits32 => 32,
                Precision::Bits16 => 16,
                Precision::Bits8 => 8,
            };
            let entries = kept.map_or("all".into(), |kept| kept.to_string());
            table.row([
                Cell::text(format!("{landmarks} landmarks, {entries} a node, {bits} bits")),
                Cell::number(form.bytes as f64 / 1e6, 2),
                Cell::number(run.node_ratio(form), 3),
                Cell::number(run.time_ratio(form), 3),
            ]);
        }
        if !plan.quick {
            table.mark_best(2, Better::Lower);
        }
        section.push(table);
    }
    section
}

fn pictures(runs: &[MapRun]) -> Section {
    let mut section = Section::new("The two searched areas");
    section.push(format!(
        "Light: visited by A* with the distance alone. Dark: visited with {USUAL} landmarks, farthest, which are yellow. Start, \
         goal and path are green, purple and orange. Of each map the search in the middle, by the nodes that A* visits."
    ));
    for run in runs {
        let Some(drawn) = &run.picture else { continue };
        let [alone, with] = drawn.expanded.map(grouped);
        let words =
            format!("{}: {alone} tiles by the distance alone, {with} with landmarks", run.title());
        section.push(Picture::new(drawn.png.clone(), words));
    }
    section
}
