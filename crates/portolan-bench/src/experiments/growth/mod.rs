//! `portolan reproduce growth`: what larger maps, smaller limits and more threads mean for `atlas`.
//!
//! | file | what is inside |
//! |---|---|
//! | `kinds` | the generated maps and their memory limits |
//! | `builds`, `memory` | a build, its times, and the most memory that was resident meanwhile |
//! | `runs` | one map under one or several limits: answers checked, queries timed |
//! | `threads` | batches and builds on several threads |
//! | `fit` | powers fitted to measurements |
//! | `write_up` | the report |
//!
//! A map is generated, measured and dropped before the next. Nothing is checked while a clock runs.

mod builds;
mod fit;
mod kinds;
mod memory;
mod runs;
mod threads;
mod write_up;

use std::path::Path;
use std::time::Duration;

pub use self::kinds::Kind;
use self::kinds::Limit;
use self::runs::Run;
use self::threads::OnThreads;
use super::{Experiment, Options};
use crate::workload::maps;
use crate::{Bars, Error};

/// The engine that grows.
const ENGINE: &str = "atlas";

/// The side of the grids, and the nodes of the road network, of which the limits differ.
const LIMITED: (u32, u32) = (2048, 1_000_000);
/// The largest maps that are measured on several threads.
const THREADED: (u32, u32) = (4096, 2_000_000);

/// A part of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Maps of growing size.
    Sizes,
    /// Memory limits on maps of one size, and on real maps.
    Limits,
    /// Batches and builds on several threads.
    Threads,
}

impl Part {
    /// All parts, in the order of the report.
    pub const ALL: [Self; 3] = [Self::Sizes, Self::Limits, Self::Threads];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sizes => "sizes",
            Self::Limits => "limits",
            Self::Threads => "threads",
        }
    }
}

/// What an experiment on growth covers.
#[derive(Debug, Clone, Default)]
pub struct Extent {
    /// The parts, in any order.
    pub parts: Vec<Part>,
    /// The kinds of generated maps, in any order.
    pub kinds: Vec<Kind>,
    /// The side of the largest grid.
    pub side: u32,
    /// Nodes of the largest road network.
    pub nodes: u32,
}

/// How large the experiment is.
struct Plan<'a> {
    folder: Option<&'a Path>,
    quick: bool,
    seed: u64,
    parts: Vec<Part>,
    kinds: Vec<Kind>,
    side: u32,
    nodes: u32,
    /// Searches on each map; fewer where they take long.
    searches: usize,
    /// How many of the searches on each map are compared with A* or Dijkstra's algorithm.
    compared: usize,
    /// How often queries and batches are timed.
    rounds: usize,
    /// How long the paths of an index may take in all rounds together.
    time_cap: Duration,
    /// The numbers of threads.
    threads: Vec<usize>,
}

/// All that was measured.
#[derive(Default)]
struct Results {
    sizes: Vec<Run>,
    limits: Vec<Run>,
    real: Vec<Run>,
    threads: Vec<OnThreads>,
}

/// Answers that were checked.
#[derive(Default)]
struct Checked {
    answers: usize,
    faults: Vec<String>,
}

pub(super) fn run(
    options: &Options,
    bars: &dyn Bars,
    tell: &mut dyn FnMut(String),
) -> Result<Experiment, Error> {
    let plan = Plan::new(options);
    if plan.folder.is_none() && options.maps.is_some() && plan.has(Part::Limits) {
        tell("a quick run uses small generated maps only, none of the folder".to_owned());
    }
    let (mut results, mut checked) = (Results::default(), Checked::default());
    if plan.has(Part::Sizes) {
        for (kind, size) in plan.sizes() {
            let limits = |map: &_| vec![Limit::usual(map)];
            let runs = plan.generated(kind, size, limits, bars)?;
            results.sizes.extend(checked.told(runs, tell, Run::line));
        }
    }
    if plan.has(Part::Limits) {
        for &kind in &plan.kinds {
            let limits = |map: &portolan::Map| kind.limits(map.node_count());
            let runs = plan.generated(kind, plan.at_most(kind, LIMITED), limits, bars)?;
            results.limits.extend(checked.told(runs, tell, Run::line));
        }
        for name in plan.folder.map_or(Ok(Vec::new()), maps::names_in)? {
            let Some(subject) = plan.folder.map(|folder| maps::map_in(folder, &name)) else {
                break;
            };
            let Some(mut subject) = subject? else { continue };
            subject.settings.seed = plan.seed;
            let runs = runs::on_map((None, &name), &subject, Limit::of_real_maps(), &plan, bars)?;
            results.real.extend(checked.told(runs, tell, Run::line));
        }
    }
    if plan.has(Part::Threads) {
        for &kind in &plan.kinds {
            let rows = threads::on_map(kind, plan.at_most(kind, THREADED), &plan, bars)?;
            results.threads.extend(checked.told(rows, tell, OnThreads::line));
        }
    }
    Ok(Experiment {
        report: write_up::report(&plan, &results, options.stem),
        outcome: write_up::headline(&results),
        checked: checked.answers,
        held_against: format!(
            "on each map {} costs were compared with Dijkstra's algorithm, or with A* where there are more \
             than two million cells, and the others with those of single queries",
            plan.compared
        ),
        faults: checked.faults,
    })
}

impl<'a> Plan<'a> {
    fn new(options: &Options<'a>) -> Self {
        let Options { maps: folder, quick, seed, ref growth, .. } = *options;
        let parts = Part::ALL.into_iter().filter(|part| growth.parts.contains(part)).collect();
        let kinds = Kind::ALL.into_iter().filter(|kind| growth.kinds.contains(kind)).collect();
        let threads = threads::counts(quick);
        let seconds = Duration::from_secs;
        match quick {
            true => Self {
                folder: None,
                quick,
                seed,
                parts,
                kinds,
                side: 128,
                nodes: 600,
                searches: 20,
                compared: 5,
                rounds: 2,
                time_cap: seconds(1),
                threads,
            },
            false => Self {
                folder,
                quick,
                seed,
                parts,
                kinds,
                side: growth.side,
                nodes: growth.nodes,
                searches: 1000,
                compared: 50,
                rounds: 5,
                time_cap: seconds(10),
                threads,
            },
        }
    }

    fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The generated maps that grow, as cells a side or nodes.
    fn sizes(&self) -> impl Iterator<Item = (Kind, u32)> {
        self.kinds.iter().flat_map(|&kind| {
            let sizes = match (self.quick, kind) {
                (false, _) => kind.sizes(self.side, self.nodes),
                (true, Kind::Roads) => vec![self.nodes / 2, self.nodes],
                (true, _) => vec![self.side / 2, self.side],
            };
            sizes.into_iter().map(move |size| (kind, size))
        })
    }

    /// This size, or the largest if that is smaller.
    fn at_most(&self, kind: Kind, (side, nodes): (u32, u32)) -> u32 {
        match kind {
            Kind::Roads => nodes.min(self.nodes),
            _ => side.min(self.side),
        }
    }

    fn generated(
        &self,
        kind: Kind,
        size: u32,
        limits: impl FnOnce(&portolan::Map) -> Vec<Limit>,
        bars: &dyn Bars,
    ) -> Result<(Vec<Run>, Checked), Error> {
        if bars.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let bar = bars.bar(&format!("generating {}", kind.name()), 1);
        let subject = kind.generate(size, self.seed)?;
        drop(bar);
        let limits = limits(&subject.map);
        runs::on_map((Some(kind), kind.name()), &subject, limits, self, bars)
    }
}

impl Checked {
    /// Adds what was checked for these rows, and shows them.
    fn told<R>(
        &mut self,
        (rows, checked): (Vec<R>, Self),
        tell: &mut dyn FnMut(String),
        line: impl Fn(&R) -> String,
    ) -> Vec<R> {
        self.answers += checked.answers;
        self.faults.extend(checked.faults);
        rows.iter().for_each(|row| tell(line(row)));
        rows
    }
}
