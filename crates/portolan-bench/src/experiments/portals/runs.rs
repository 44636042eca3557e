//! Measuring: every method at every amount of memory on every map of a kind.

use portolan::portal::PortalSearch;
use portolan::portal::bound::{PortalConfig, PortalSummary};
use portolan::{Build, BuildError, Engine};

use super::contenders::{Contender, RIVALS, VERSIONS};
use super::kinds::Kind;
use super::{Plan, paper};
use crate::experiments::Steps;
use crate::experiments::trial::{Draw, Measured, Trial};
use crate::workload::Expected;
use crate::{Error, engines};

/// What came out on the maps of a kind.
pub(super) struct KindRun {
    pub(super) kind: Kind,
    /// What A* needs, on average over maps: cells of a map, nodes, seconds, and steps of a path.
    pub(super) cells: f64,
    pub(super) nodes: f64,
    pub(super) seconds: f64,
    pub(super) steps: f64,
    pub(super) cuts: Vec<(f64, Vec<PortalSummary>)>,
    pub(super) results: Vec<Ratios>,
    /// Answers that were checked, and those that were wrong.
    pub(super) checked: usize,
    pub(super) faults: Vec<String>,
}

/// What a method needs at some amount of memory, compared with A*, on each map where it fits.
pub(super) struct Ratios {
    pub(super) contender: Contender,
    pub(super) memory: Memory,
    pub(super) nodes: Vec<f64>,
    pub(super) times: Vec<f64>,
    /// Bytes that it takes, in entries per state.
    pub(super) entries: Vec<f64>,
    /// What it is made of, on the first map.
    pub(super) form: String,
}

/// An amount of memory in entries of four bytes for every passable cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Memory {
    /// All that there is.
    Whole(f64),
    /// The ids of regions do not count, as in the paper's Tables 1 and 2.
    Beside(f64),
    /// As much as it takes.
    Any,
}

impl Memory {
    fn bytes(self, cells: usize, ids: usize) -> u64 {
        let entries = |entries: f64| (4.0 * entries * cells as f64) as u64;
        match self {
            Self::Whole(count) => entries(count),
            // Two bytes for every passable cell, and where those are: a bit for each cell, and a
            // count for 64 of them.
            Self::Beside(count) => entries(count) + (2 * cells + 12 * ids.div_ceil(64)) as u64,
            Self::Any => u64::MAX / 2,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Whole(count) => format!("{count} |V|"),
            Self::Beside(count) => format!("{count} |V| beside regions"),
            Self::Any => "gateways".into(),
        }
    }
}

/// How many steps the maps of a kind take.
pub(super) fn steps(plan: &Plan, kind: Kind) -> usize {
    let maps = if kind == Kind::Gate { 1 } else { plan.maps as usize };
    maps * (contests(plan, kind).len() + paper::TABLE1.len() + 1)
}

/// What is measured on a kind of map: some methods with as much memory each.
fn contests(plan: &Plan, kind: Kind) -> Vec<(Memory, Vec<Contender>)> {
    let whole: &[f64] = match kind {
        _ if plan.quick => &[8.0],
        Kind::Gate => &[2.0, 3.0, 8.0],
        _ => &[1.0, 2.0, 4.0, 8.0],
    };
    let rivals = whole.iter().map(|&memory| (Memory::Whole(memory), RIVALS.to_vec()));
    let mut contests: Vec<_> = rivals.collect();
    let mut beside: Vec<f64> = Vec::new();
    if kind == Kind::Rooms {
        beside.extend(
            paper::TABLE2.map(|row| row.0).iter().filter(|&&row| !plan.quick || row >= 4.0),
        );
        contests.extend(beside.iter().map(|&memory| (Memory::Beside(memory), VERSIONS.to_vec())));
    }
    if kind != Kind::Gate && !plan.quick {
        let more = paper::FIGURE4.iter().filter(|memory| !whole.contains(memory));
        contests.extend(more.map(|&memory| (Memory::Whole(memory), RIVALS.to_vec())));
        let more = paper::TABLE1.iter().filter(|memory| !beside.contains(memory));
        let portals = vec![Contender::Enhanced, Contender::Perfect];
        contests.extend(more.map(|&memory| (Memory::Beside(memory), portals.clone())));
    }
    contests.push((Memory::Any, vec![Contender::Gateway]));
    contests
}

pub(super) fn run(plan: &Plan, kind: Kind, steps: &Steps<'_>) -> Result<KindRun, Error> {
    let contests = contests(plan, kind);
    let pairs = contests.iter().flat_map(|(memory, contenders)| {
        contenders.iter().map(|&contender| Ratios::new(contender, *memory))
    });
    let mut run = KindRun {
        kind,
        cells: 0.0,
        nodes: 0.0,
        seconds: 0.0,
        steps: 0.0,
        cuts: paper::TABLE1.map(|memory| (memory, Vec::new())).into(),
        results: pairs.collect(),
        checked: 0,
        faults: Vec::new(),
    };
    let maps = kind.maps(plan)?;
    let share = 1.0 / maps.len() as f64;
    for subject in maps {
        steps.next(format!("searches, {}", subject.path.display()));
        let draw = Draw { count: plan.searches, steps: 1..=usize::MAX, seed: plan.seed };
        let trial = Trial::draw(subject, &draw)?;
        run.cells += share * trial.subject.map.usable_count() as f64;
        run.cut(&trial, steps)?;
        let mut plain = None;
        for (memory, contenders) in &contests {
            steps.next(format!("{}, {}", memory.words(), trial.subject.path.display()));
            plain = Some(run.contest(&trial, *memory, contenders)?);
        }
        if let Some(plain) = plain {
            run.nodes += share * plain.expanded;
            run.seconds += share * plain.time.mean;
        }
        run.steps += share * path_length(&trial);
    }
    Ok(run)
}

impl KindRun {
    /// Table 1: builds portals within each amount of memory and counts them.
    fn cut(&mut self, trial: &Trial, steps: &Steps<'_>) -> Result<(), Error> {
        let map = &trial.subject.map;
        for (memory, summaries) in &mut self.cuts {
            steps.next(format!("portals, {}", trial.subject.path.display()));
            let limit = Memory::Beside(*memory).bytes(map.usable_count(), map.node_count());
            let config = PortalConfig::from_settings(&trial.subject.settings, limit);
            match PortalSearch::build(map, &config) {
                Ok(engine) => summaries.push(engine.summary()),
                Err(BuildError::MemoryLimit { .. }) => {}
                Err(error) => return Err(engines::cannot_build("portal-search")(error)),
            }
        }
        Ok(())
    }

    /// Has methods take turns with A*, which is returned.
    fn contest(
        &mut self,
        trial: &Trial,
        memory: Memory,
        contenders: &[Contender],
    ) -> Result<Measured, Error> {
        let map = &trial.subject.map;
        let limit = memory.bytes(map.usable_count(), map.node_count());
        let astar = engines::build_named("astar", &trial.subject)?;
        let mut built = Vec::new();
        for &contender in contenders {
            built.extend(contender.build(&trial.subject, limit)?.map(|engine| (contender, engine)));
        }
        let mut asked: Vec<&dyn Engine> = vec![&*astar];
        asked.extend(built.iter().map(|(_, engine)| &**engine));
        let mut measured = trial.compare(&asked)?;
        self.checked += measured.len() * trial.count();
        self.faults.extend(measured.iter().flat_map(|measured| measured.faults.iter().cloned()));
        let plain = measured.remove(0);
        for ((contender, engine), ours) in built.iter().zip(&measured) {
            let result = self.results.iter_mut();
            let mut result =
                result.filter(|result| (result.contender, result.memory) == (*contender, memory));
            if let Some(result) = result.next() {
                let entries = engine.memory_bytes() as f64 / (4 * map.usable_count()) as f64;
                result.add(&plain, ours, entries, engine.form().map(|form| form.to_string()));
            }
        }
        Ok(plain)
    }

    /// What a method needs at some amount of memory.
    pub(super) fn ratios(&self, contender: Contender, memory: Memory) -> Option<&Ratios> {
        self.results.iter().find(|result| result.contender == contender && result.memory == memory)
    }
}

impl Ratios {
    fn new(contender: Contender, memory: Memory) -> Self {
        let (nodes, times, entries) = (Vec::new(), Vec::new(), Vec::new());
        Self { contender, memory, nodes, times, entries, form: String::new() }
    }

    fn add(&mut self, astar: &Measured, ours: &Measured, entries: f64, form: Option<String>) {
        self.nodes.push(ours.expanded / astar.expanded);
        self.times.push(ours.time.mean / astar.time.mean);
        self.entries.push(entries);
        if self.form.is_empty() {
            self.form = form.unwrap_or_default();
        }
    }
}

/// The mean; not a number where there is nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// How long the answers of a trial are on average.
fn path_length(trial: &Trial) -> f64 {
    let lengths = trial.workload.queries.iter().filter_map(|query| match query.expected {
        Expected::Cost(Some(cost)) => Some(trial.subject.map.length(cost)),
        _ => None,
    });
    mean(&lengths.collect::<Vec<_>>())
}
