//! `portolan reproduce ppa`: section V of the paper on Partially Precomputed A*.

mod deletions;
mod paper;
mod roads;
mod rooms;

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use portolan::Build;
use portolan::generate::Rooms;
use portolan::heuristic::HeuristicChoice;
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::search_engine::{Algorithm, SearchConfig, SearchEngine};

use self::deletions::DeletionRun;
use self::rooms::RoomRun;
use super::{Experiment, Options, Steps, busy, reached};
use crate::report::{Mark, Note, Report, Section};
use crate::workload::Subject;
use crate::{Bars, Error, engines};

/// How large the experiments are.
struct Plan<'a> {
    folder: Option<&'a Path>,
    quick: bool,
    seed: u64,
    /// Nodes of the generated road networks.
    road_nodes: Vec<u32>,
    road_searches: usize,
    /// The room map that takes the place of the real one.
    room_map: Rooms,
    room_searches: usize,
    room_steps: RangeInclusive<usize>,
    /// The paper's way to cut the room map, and the one of six that expanded the fewest nodes on
    /// two generated room maps of other seeds.
    cuts: [Cuts; 2],
    /// How often each index on the room map is built, of which the fastest counts.
    builds: usize,
    deletions: usize,
    /// Rows of the full matrix that are computed to estimate the rest.
    matrix_rows: usize,
}

/// How often a map is cut, and into how many regions each time.
#[derive(Debug, Clone, Copy)]
struct Cuts {
    branching: usize,
    splits: usize,
}

/// An index and what its build took.
struct Built {
    ppa: Ppa,
    seconds: f64,
    /// What it takes to cut the map without filling a table, on as many threads.
    cutting: f64,
    /// Seconds that all threads together were at work.
    cpu: f64,
}

pub(super) fn run(options: &Options, bars: &dyn Bars) -> Result<Experiment, Error> {
    let plan = Plan::new(options);
    let steps =
        Steps::new(rooms::STEPS + roads::steps(&plan) + deletions::STEPS * plan.cuts.len(), bars);
    let rooms = rooms::run(&plan, &steps)?;
    let roads = roads::run(&plan, &steps)?;
    let deletions = plan
        .cuts
        .iter()
        .map(|&cuts| deletions::run(&plan, cuts, &rooms.trial.subject, &steps))
        .collect::<Result<Vec<_>, _>>()?;
    drop(steps);

    let mut report = Report::new("Partially Precomputed A*");
    report.intro = INTRO.into();
    let maps = roads.iter().map(|run| run.name.as_str()).filter(|name| name.ends_with(".gr"));
    let maps: Vec<&str> = [rooms.name()].into_iter().chain(maps).collect();
    report.facts.push(("Maps".into(), format!("{}; generated roads", maps.join(", "))));
    report.sections.extend([
        aims(&plan, &rooms, &deletions),
        roads::section(&plan, &roads, &rooms),
        rooms::section(&plan, &rooms),
        rooms::builds_section(&plan, &rooms),
        deletions::section(&plan, &deletions),
        rooms::future_section(&rooms),
    ]);
    let mut faults: Vec<String> = roads.iter().flat_map(|run| run.faults().cloned()).collect();
    faults.extend(rooms.faults().cloned());
    faults.extend(deletions.iter().flat_map(|run| run.faults.iter().cloned()));
    let checked = rooms.checked()
        + roads.iter().map(|run| 2 * run.searches).sum::<usize>()
        + deletions.iter().map(|run| run.checked).sum::<usize>();
    let outcome = reached(&report);
    let held_against = "its cost is that of A*".into();
    Ok(Experiment { report, outcome, checked, held_against, faults })
}

const INTRO: &str = "The experiments of section V of the paper (Hewlett, Partially Precomputed A*), \
    on real maps where they are there and on generated ones of the same sizes.\n\n\
    The paper's times are from a 2.6 GHz Core i7, ours from the machine named here: node counts, memory and \
    ratios within one run can be compared, times only roughly. The values of the paper's plots are not in \
    its text; points of the paper are drawn where the text states them. One thread everywhere, unless a \
    number says otherwise; MB are millions of bytes, as in the paper.";

impl<'a> Plan<'a> {
    fn new(options: &Options<'a>) -> Self {
        let seed = options.seed;
        let most = options.queries.map_or(usize::MAX, |queries| queries as usize);
        let full = Self {
            folder: options.maps,
            quick: options.quick,
            seed,
            road_nodes: vec![
                paper::ROAD_NODES.0,
                25_000,
                50_000,
                100_000,
                150_000,
                paper::ROAD_NODES.1,
            ],
            road_searches: paper::ROAD_SEARCHES.min(most),
            room_map: Rooms { room: 8, seed, ..Rooms::default() },
            room_searches: paper::ROOM_SEARCHES.min(most),
            room_steps: paper::ROOM_STEPS.0..=paper::ROOM_STEPS.1,
            cuts: [
                Cuts { branching: paper::BRANCHING, splits: paper::SPLITS },
                Cuts { branching: 32, splits: 2 },
            ],
            builds: 3,
            deletions: paper::DELETIONS,
            matrix_rows: 200,
        };
        if !options.quick {
            return full;
        }
        let cuts = [Cuts { branching: 4, splits: 2 }, Cuts { branching: 6, splits: 1 }];
        Self {
            road_nodes: vec![300, 1200],
            road_searches: 20.min(most),
            room_map: Rooms { width: 64, height: 64, ..full.room_map },
            room_searches: 20.min(most),
            room_steps: 32..=64,
            cuts,
            builds: 1,
            deletions: 5,
            matrix_rows: 4,
            ..full
        }
    }

    /// A figure of the paper, where this run can be compared with it.
    fn published(&self, figure: f64) -> Option<f64> {
        (!self.quick).then_some(figure)
    }
}

impl Built {
    /// The faster build first.
    fn by_time(&self, other: &Self) -> Ordering {
        self.seconds.total_cmp(&other.seconds)
    }
}

impl Cuts {
    /// What the index is called in tables.
    fn name(self) -> String {
        let cuts = if self.splits == 1 { "cut" } else { "cuts" };
        format!("PPA*, {} {cuts} into {}", self.splits, self.branching)
    }

    /// A configuration that cuts so, with the straight line for a bound, built on one thread.
    fn config(self) -> PpaConfig {
        PpaConfig {
            branching: self.branching,
            splits: Some(self.splits),
            heuristic: HeuristicChoice::Euclidean,
            memory_limit: u64::MAX,
            threads: 1,
            ..PpaConfig::default()
        }
    }
}

fn build(subject: &Subject, config: &PpaConfig) -> Result<Built, Error> {
    let empty = PpaConfig { tables: Tables::OnDemand, ..config.clone() };
    let start = Instant::now();
    Ppa::build(&subject.map, &empty).map_err(engines::cannot_build("ppa"))?;
    let cutting = start.elapsed().as_secs_f64();
    let (start, cpu_start) = (Instant::now(), ProcessTime::now());
    let ppa = Ppa::build(&subject.map, config).map_err(engines::cannot_build("ppa"))?;
    let seconds = start.elapsed().as_secs_f64();
    let cpu = cpu_start.elapsed().as_secs_f64();
    Ok(Built { ppa, seconds, cutting, cpu })
}

fn astar(subject: &Subject, heuristic: HeuristicChoice) -> Result<SearchEngine, Error> {
    let config = SearchConfig::new(Algorithm::AStar, heuristic);
    SearchEngine::build(&subject.map, &config).map_err(engines::cannot_build("astar"))
}

/// How many times as fast two threads should build.
const SPEED_UP: f64 = 1.6;

/// What the index has to do beyond the paper's figures, or more sharply.
fn aims(plan: &Plan, rooms: &RoomRun, deletions: &[DeletionRun]) -> Section {
    use crate::report::{Cell, Table};
    let mut columns = vec!["On the room map".to_owned(), "Aim".into()];
    columns.extend(plan.cuts.iter().map(|cuts| cuts.name()));
    let mut table = Table::new(columns);
    let mut row = |what: &str, aim: &str, figures: [f64; 2], is_met: &dyn Fn(f64) -> bool| {
        let cell = |figure: f64| {
            let shown =
                if figure < 100.0 { format!("{figure:.2}") } else { format!("{figure:.0}") };
            match (plan.quick, is_met(figure)) {
                (true, _) => Cell::text(shown),
                (_, true) => Cell::text(format!("✓ {shown}")).marked(Mark::Good),
                (_, false) => Cell::text(format!("✗ {shown}")).marked(Mark::Bad),
            }
        };
        table.row([what.into(), aim.into(), cell(figures[0]), cell(figures[1])]);
    };
    let shapes = [&rooms.shapes[0], &rooms.shapes[1]];
    row(
        "Nodes expanded per search",
        "at most 53.25",
        shapes.map(|shape| shape.measured.expanded),
        &|figure| figure <= paper::ROOM_EXPANDED,
    );
    row("Tables [MB]", "at most 176", shapes.map(|shape| shape.table_mb()), &|figure| {
        figure <= paper::ROOM_MB
    });
    for (what, astar) in [
        ("A search, times as fast as A* with the same bound", &rooms.astar_line),
        ("A search, times as fast as A* with the octile bound", &rooms.astar_octile),
    ] {
        let figures = shapes.map(|shape| astar.time.mean / shape.measured.time.mean);
        row(what, "at least 20", figures, &|figure| figure >= 20.0);
    }
    row(
        "The build, times as fast as all pairs",
        "at least 50",
        shapes.map(|shape| rooms.all_pairs / shape.one_thread),
        &|figure| figure >= 50.0,
    );
    row(
        "The build on two threads, times as fast as on one",
        "at least 1.6",
        shapes.map(|shape| shape.one_thread / shape.two_threads),
        &|figure| figure >= SPEED_UP,
    );
    row(
        "An edge deletion, times as fast as the build",
        "at least 1,000",
        [0, 1].map(|index| deletions[index].build / deletions[index].refresh.mean),
        &|figure| figure >= 1000.0,
    );
    let mut section = Section::new("Aims").with(table);
    if let Some(note) = busy(rooms.core_share).filter(|_| !plan.quick) {
        section.push(note);
    }
    for shape in rooms.shapes.iter().filter(|_| !plan.quick) {
        if shape.one_thread / shape.two_threads < SPEED_UP {
            section.push(Note::new(Mark::Bad, shape.why_not_faster()));
        }
    }
    section
}
