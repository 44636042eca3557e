//! Table I, what a build takes, and the paper's future work: a room map of 512 x 512 cells.

use portolan::Engine;
use portolan::heuristic::HeuristicChoice;
use portolan::ppa::{Ppa, PpaConfig, PpaSummary, Tables};

use super::{Built, Cuts, Plan, astar, build, paper};
use crate::Error;
use crate::experiments::trial::{Draw, Measured, Spread, Trial, all_pairs_seconds};
use crate::experiments::{Steps, because};
use crate::report::{Better, Cell, Comparison, Section, Table};
use crate::text::grouped;
use crate::workload::maps;

/// The map that the paper and its rival use, by the folder of maps.
const REAL: &str = "rooms/8room_000.map";

/// How many steps [`run`] takes.
pub(super) const STEPS: usize = 5;

/// What was measured on the room map.
pub(super) struct RoomRun {
    pub(super) trial: Trial,
    is_real: bool,
    pub(super) astar_line: Measured,
    pub(super) astar_octile: Measured,
    /// One for each of the plan's ways to cut.
    pub(super) shapes: Vec<ShapeRun>,
    variants: Vec<VariantRun>,
    /// Seconds that the matrix of all pairs would take.
    pub(super) all_pairs: f64,
    /// The share of the time in which builds on one thread were at work, and not waiting for a
    /// core.
    pub(super) core_share: f64,
}

/// One way to cut, with tables of distances.
pub(super) struct ShapeRun {
    cuts: Cuts,
    pub(super) measured: Measured,
    summary: PpaSummary,
    /// Seconds of a build on one thread, and until its first table.
    pub(super) one_thread: f64,
    cutting: f64,
    /// Seconds of a build on two threads.
    pub(super) two_threads: f64,
}

/// Other tables, or another search, on the same cuts.
struct VariantRun {
    name: String,
    measured: Measured,
    /// The first pass over the searches.
    first: Spread,
    table_bytes: usize,
    build: f64,
}

pub(super) fn run(plan: &Plan, steps: &Steps<'_>) -> Result<RoomRun, Error> {
    steps.next("searches on rooms");
    let real = if plan.quick { None } else { maps::grid_in(plan.folder, REAL)? };
    let is_real = real.is_some();
    let subject = real.map_or_else(|| maps::rooms(&plan.room_map), Ok)?;
    let (count, seed) = (plan.room_searches, plan.seed);
    let trial = Trial::draw(subject, &Draw { count, steps: plan.room_steps.clone(), seed })?;
    let subject = &trial.subject;

    steps.next("builds on rooms");
    let mut shapes = Vec::new();
    let (mut worked, mut lasted) = (0.0, 0.0);
    for cuts in plan.cuts {
        let (mut one, mut two_threads) = (None, f64::INFINITY);
        for _ in 0..plan.builds {
            let built = build(subject, &cuts.config())?;
            worked += built.cpu;
            lasted += built.seconds;
            one = [one, Some(built)].into_iter().flatten().min_by(Built::by_time);
            let two = build(subject, &PpaConfig { threads: 2, ..cuts.config() })?;
            two_threads = two.seconds.min(two_threads);
        }
        shapes.push((cuts, one.expect("built at least once"), two_threads));
    }
    let core_share = worked / lasted;
    steps.next("other tables on rooms");
    let mut variants = Vec::new();
    for (name, config) in variants_of(plan) {
        let built = build(subject, &config)?;
        let first = trial.first_pass(&built.ppa);
        variants.push((name, built, first));
    }
    steps.next("searches on rooms");
    let astars =
        [HeuristicChoice::Euclidean, HeuristicChoice::Octile].map(|bound| astar(subject, bound));
    let [line, octile] = astars;
    let (line, octile) = (line?, octile?);
    let mut engines: Vec<&dyn Engine> = vec![&line, &octile];
    engines.extend(shapes.iter().map(|(_, built, _)| &built.ppa as &dyn Engine));
    engines.extend(variants.iter().map(|(_, built, _)| &built.ppa as &dyn Engine));
    let mut measured = trial.compare(&engines)?.into_iter();
    let mut next = || measured.next().expect("as many as were asked");
    let (astar_line, astar_octile) = (next(), next());
    let shapes = shapes
        .into_iter()
        .map(|(cuts, Built { ppa, seconds: one_thread, cutting, .. }, two_threads)| {
            let (measured, summary) = (next(), ppa.summary());
            ShapeRun { cuts, measured, summary, one_thread, cutting, two_threads }
        })
        .collect();
    let table_bytes = |ppa: &Ppa| ppa.summary().table_bytes;
    let variants = variants
        .into_iter()
        .map(|(name, Built { ppa, seconds: build, .. }, first)| {
            let (measured, table_bytes) = (next(), table_bytes(&ppa));
            VariantRun { name, measured, first, table_bytes, build }
        })
        .collect();
    steps.next("rows of all pairs");
    let all_pairs = all_pairs_seconds(subject, plan.matrix_rows, plan.seed)?;
    Ok(RoomRun {
        trial,
        is_real,
        astar_line,
        astar_octile,
        shapes,
        variants,
        all_pairs,
        core_share,
    })
}

/// What the paper leaves to later, on its own cuts and on the better ones.
fn variants_of(plan: &Plan) -> Vec<(String, PpaConfig)> {
    let mut variants = Vec::new();
    for cuts in plan.cuts {
        let config = cuts.config();
        let tables = |tables| PpaConfig { tables, ..config.clone() };
        for (name, config) in [
            ("with stored steps", tables(Tables::Steps)),
            ("from both ends", PpaConfig { bidirectional: true, ..config.clone() }),
            ("filled on demand", tables(Tables::OnDemand)),
        ] {
            variants.push((format!("{}, {name}", cuts.name()), config));
        }
    }
    variants
}

impl RoomRun {
    /// What the map is called.
    pub(super) fn name(&self) -> &str {
        self.trial.subject.path.to_str().unwrap_or_default()
    }

    pub(super) fn nodes(&self) -> usize {
        self.trial.subject.map.usable_count()
    }

    fn measured(&self) -> impl Iterator<Item = &Measured> {
        let shapes = self.shapes.iter().map(|shape| &shape.measured);
        let variants = self.variants.iter().map(|variant| &variant.measured);
        [&self.astar_line, &self.astar_octile].into_iter().chain(shapes).chain(variants)
    }

    pub(super) fn faults(&self) -> impl Iterator<Item = &String> {
        self.measured().flat_map(|measured| &measured.faults)
    }

    /// How many answers were checked.
    pub(super) fn checked(&self) -> usize {
        self.measured().count() * self.trial.count()
    }

    fn share(&self, megabytes: f64) -> f64 {
        100.0 * megabytes / paper::matrix_mb(self.nodes() as f64)
    }
}

impl ShapeRun {
    pub(super) fn table_mb(&self) -> f64 {
        self.summary.table_bytes as f64 / 1e6
    }

    /// Why two threads gain less than they should.
    pub(super) fn why_not_faster(&self) -> String {
        let (found, most) = (
            self.one_thread / self.two_threads,
            self.one_thread / self.cutting.max(self.one_thread / 2.0),
        );
        let lost = match found < 0.9 * most {
            true => " The rest is lost: threads waited, or other work had a core.",
            false => "",
        };
        format!(
            "{} on two threads: {:.2} times as fast as on one. METIS cuts one region at a time, whichever \
             thread asks; cutting takes {:.0} % of the build on one thread, so about {most:.2} would be the \
             most.{lost}",
            self.cuts.name(),
            found,
            100.0 * self.cutting / self.one_thread,
        )
    }
}

pub(super) fn section(plan: &Plan, run: &RoomRun) -> Section {
    let origin = match (plan.quick, run.is_real) {
        (true, _) => "generated",
        (_, true) => "of the set that the paper took its map from, which had 205,373",
        (_, false) => "generated, since 8room_000.map was not there; the paper's map had 205,373",
    };
    let words = format!(
        "{}: {} nodes, {origin}. {} random searches with solutions of {} to {} steps; the straight line as \
         bound, as in the paper, unless a line says otherwise. {CHOICE}",
        run.name(),
        grouped(run.nodes()),
        grouped(run.trial.count()),
        plan.room_steps.start(),
        plan.room_steps.end(),
    );
    let section = Section::new("The room map: Table I").with(words).with(table_one(plan, run));
    run.shapes.iter().fold(section, |section, shape| {
        section.with(format!("{}:", shape.cuts.name())).with(comparisons(plan, run, shape))
    })
}

/// How the second way to cut came about.
const CHOICE: &str = "The map is cut as in the paper, and as it was best among about a dozen ways that were tried on \
    this very map and six on two generated room maps: the second is a choice made with these figures in sight.";

fn table_one(plan: &Plan, run: &RoomRun) -> Table {
    let mut table = Table::new([
        "Method",
        "Search [ms]",
        "Expanded",
        "Generated",
        "Tables [MB]",
        "Of all pairs [%]",
        "Build [s]",
    ])
    .caption(
        "Means per search, with the full path. The build on one thread. The first two lines are the paper's.",
    );
    if !plan.quick {
        let missing = Cell::missing;
        table.row([
            "Sturtevant and others 2009 (paper)".into(),
            Cell::number(paper::RIVAL.0, 3),
            Cell::number(paper::RIVAL.1, 2),
            missing(),
            missing(),
            Cell::number(0.1, 3),
            missing(),
        ]);
        table.row([
            "PPA* (paper)".into(),
            Cell::number(paper::ROOM_MS, 3),
            Cell::number(paper::ROOM_EXPANDED, 2),
            missing(),
            Cell::number(paper::ROOM_MB, 1),
            Cell::number(0.1, 3),
            Cell::number(paper::ROOM_BUILD_S, 2),
        ]);
    }
    let searched = |name: String, measured: &Measured| {
        vec![
            Cell::text(name),
            Cell::number(measured.time.mean * 1e3, 3),
            Cell::number(measured.expanded, 2),
            Cell::number(measured.generated, 2),
        ]
    };
    table.row(searched("A*, straight line".into(), &run.astar_line));
    table.row(searched("A*, octile".into(), &run.astar_octile));
    for shape in &run.shapes {
        let mut row = searched(shape.cuts.name(), &shape.measured);
        row.push(Cell::number(shape.table_mb(), 1));
        row.push(Cell::number(run.share(shape.table_mb()), 3));
        row.push(Cell::number(shape.one_thread, 2));
        table.row(row);
    }
    table
}

fn comparisons(plan: &Plan, run: &RoomRun, shape: &ShapeRun) -> Vec<Comparison> {
    let ShapeRun { measured, summary, .. } = shape;
    let row = |what: &str, ours: f64, paper: f64, unit: &str| Comparison {
        paper: plan.published(paper),
        ..Comparison::new(what, Better::Lower, ours).unit(unit)
    };
    let leaves = summary.subgraphs.first().copied().unwrap_or(1);
    let leaf_nodes = run.nodes() as f64 / leaves as f64;
    let large_leaves = || {
        format!(
            "A leaf keeps a distance for every pair of its nodes: {} leaves of {leaf_nodes:.0} nodes on \
             average; smaller leaves would take less and make searches longer.",
            grouped(leaves)
        )
    };
    vec![
        because(
            row("Nodes expanded per search", measured.expanded, paper::ROOM_EXPANDED, ""),
            || {
                format!(
                    "A search goes through the borders that the cuts leave, {} on the leaves and {} members of \
                 the top subgraph here; the paper does not say how many its cuts left, and its map was \
                 another. The start, the goal and nodes that are reopened count here.",
                    grouped(summary.leaf_borders),
                    grouped(summary.top_members)
                )
            },
        ),
        because(row("Average search time", measured.time.mean * 1e3, paper::ROOM_MS, "ms"), || {
            format!(
                "A search expands {:.1} nodes; the rest of the time fills in the path from the tables.",
                measured.expanded
            )
        }),
        because(row("Precomputed memory", shape.table_mb(), paper::ROOM_MB, "MB"), large_leaves),
        because(
            row(
                "Share of the memory of all pairs",
                run.share(shape.table_mb()),
                // The table rounds it to 0.1.
                100.0 * paper::ROOM_MB / paper::matrix_mb(paper::ROOM_NODES),
                "%",
            ),
            large_leaves,
        ),
        because(row("Precomputation", shape.one_thread, paper::ROOM_BUILD_S, "s"), || {
            format!("One thread, of which cutting takes {:.1} s.", shape.cutting)
        }),
    ]
}

pub(super) fn builds_section(plan: &Plan, run: &RoomRun) -> Section {
    let mut parts =
        Table::new(["Index", "Subgraphs, leaves first", "Borders of leaves", "Members at the top"]);
    let mut times = Table::new([
        "Index",
        "One thread [s]",
        "Cutting [s]",
        "Two threads [s]",
        "Speed-up",
        "All pairs : build",
    ])
    .caption(format!("The best of {}. Cutting is part of the build on one thread.", plan.builds));
    if !plan.quick {
        parts.row(["PPA* (paper)", "1,365 in all, 1,024 leaves"]);
        times.row([
            "PPA* (paper)".into(),
            Cell::number(paper::ROOM_BUILD_S, 2),
            Cell::number(paper::ROOM_CUTTING_S, 2),
        ]);
    }
    for shape in &run.shapes {
        let summary = &shape.summary;
        let levels: Vec<String> = summary.subgraphs.iter().map(|&count| grouped(count)).collect();
        parts.row([
            Cell::text(shape.cuts.name()),
            Cell::text(levels.join(" + ")),
            Cell::number(summary.leaf_borders as f64, 0),
            Cell::number(summary.top_members as f64, 0),
        ]);
        times.row([
            Cell::text(shape.cuts.name()),
            Cell::number(shape.one_thread, 2),
            Cell::number(shape.cutting, 2),
            Cell::number(shape.two_threads, 2),
            Cell::number(shape.one_thread / shape.two_threads, 2),
            Cell::number(run.all_pairs / shape.one_thread, 0),
        ]);
    }
    let words = format!(
        "The matrix of all pairs would take {:.0} s on one thread, by {} of its rows, which Dijkstra's \
         algorithm computed. METIS works on one region at a time, however many threads there are. The paper used one processor \
         and expects nearly k times the speed from k.",
        run.all_pairs,
        grouped(plan.matrix_rows)
    );
    Section::new("The room map: what a build takes").with(parts).with(words).with(times)
}

pub(super) fn future_section(run: &RoomRun) -> Section {
    let mut table = Table::new([
        "Index",
        "Search [ms]",
        "First time [ms]",
        "Expanded",
        "Generated",
        "Tables [MB]",
        "Build [s]",
    ])
    .caption("First time: the mean when every search is asked once of a new index.");
    for shape in &run.shapes {
        let measured = &shape.measured;
        table.row([
            Cell::text(shape.cuts.name()),
            Cell::number(measured.time.mean * 1e3, 4),
            Cell::missing(),
            Cell::number(measured.expanded, 2),
            Cell::number(measured.generated, 2),
            Cell::number(shape.table_mb(), 1),
            Cell::number(shape.one_thread, 2),
        ]);
        let prefix = shape.cuts.name();
        for variant in run.variants.iter().filter(|variant| variant.name.starts_with(&prefix)) {
            table.row([
                Cell::text(&variant.name),
                Cell::number(variant.measured.time.mean * 1e3, 4),
                Cell::number(variant.first.mean * 1e3, 4),
                Cell::number(variant.measured.expanded, 2),
                Cell::number(variant.measured.generated, 2),
                Cell::number(variant.table_bytes as f64 / 1e6, 1),
                Cell::number(variant.build, 2),
            ]);
        }
    }
    Section::new("Its future work, and stored steps")
        .with(
            "The paper stores steps beside distances as a way to make paths simpler, and leaves the search \
             from both ends and tables that fill up as searches need them to the future. The same searches \
             as in Table I.",
        )
        .with(table)
}
