//! `portolan reproduce landmarks`: the demonstrations of Red Blob Games' page on differential
//! heuristics, measured.
//!
//! The page shows, on maps of Dragon Age, a maze and maps of caves, how many tiles A* visits with
//! the distance alone and with landmarks, and wonders where landmarks should be and why the time
//! gains less than the tiles. It gives no figures of its own; so there is nothing to compare with
//! but A* on the same searches.

mod write_up;

use std::path::Path;

use portolan::generate::{Caves, Mazes};
use portolan::heuristic::HeuristicChoice;
use portolan::search_engine::{Algorithm, SearchConfig, SearchEngine};
use portolan::true_distance::differential::{Placement, Precision};
use portolan::true_distance::{DifferentialConfig, StoredConfig, StoredKind};
use portolan::{Build, Connectivity, Engine, Map, NodeId, Query};

use super::trial::{Draw, Measured, Trial};
use super::{Experiment, Options, Steps};
use crate::picture::{self, Searched, View};
use crate::workload::{Subject, maps};
use crate::{Bars, Error, engines};

/// The maps by the folder of maps.
const REAL: [&str; 6] = [
    "dao/brc202d.map",
    "dao/den520d.map",
    "dao/orz103d.map",
    "mazes/maze512-4-0.map",
    "mazes/maze512-32-0.map",
    "da2/ca_cavern1_haunted.map",
];

/// How many landmarks there are in turn.
const COUNTS: [usize; 5] = [1, 2, 4, 8, 16];

/// How many there are where something else is compared.
const USUAL: usize = 8;

/// How large the experiment is.
struct Plan<'a> {
    folder: Option<&'a Path>,
    quick: bool,
    seed: u64,
    searches: usize,
}

/// A form of landmarks, and what was measured of it.
struct FormRun {
    config: DifferentialConfig,
    measured: Measured,
    bytes: usize,
}

/// What was measured on a map with one rule of moves.
struct MapRun {
    name: String,
    moves: &'static str,
    cells: usize,
    searches: usize,
    astar: Measured,
    forms: Vec<FormRun>,
    picture: Option<Drawn>,
}

/// The picture of one search.
struct Drawn {
    png: Vec<u8>,
    /// Nodes that A* expanded alone, and with landmarks.
    expanded: [u64; 2],
}

pub(super) fn run(options: &Options, bars: &dyn Bars) -> Result<Experiment, Error> {
    let Options { quick, seed, .. } = *options;
    let usual = if quick { 12 } else { 200 };
    let searches = options.queries.map_or(usual, |queries| queries as usize);
    let plan = Plan { folder: options.maps, quick, seed, searches };
    let maps = plan.maps()?;
    let steps = Steps::new(2 * maps.len(), bars);
    let mut runs = Vec::new();
    for map in &maps {
        for moves in [Connectivity::Four, Connectivity::Eight] {
            steps.next(map.path.display().to_string());
            runs.push(run_on(map, moves, &plan)?);
        }
    }
    drop(steps);
    let measured = |run: &MapRun| 1 + run.forms.len();
    let faults = runs.iter().flat_map(|run| {
        let forms = run.forms.iter().map(|form| &form.measured);
        forms.chain([&run.astar]).flat_map(|measured| measured.faults.iter().cloned())
    });
    Ok(Experiment {
        report: write_up::report(&plan, &runs),
        outcome: write_up::headline(&runs),
        checked: runs.iter().map(|run| run.searches * measured(run)).sum(),
        held_against: "its cost is that of A*".into(),
        faults: faults.collect(),
    })
}

impl Plan<'_> {
    /// The real maps that are there; generated ones of the same kinds where none is, or in a quick
    /// run.
    fn maps(&self) -> Result<Vec<Subject>, Error> {
        let mut found = Vec::new();
        for name in REAL.iter().filter(|_| !self.quick) {
            found.extend(maps::grid_in(self.folder, name)?);
        }
        if found.is_empty() {
            let (size, seed) = (if self.quick { 48 } else { 400 }, self.seed);
            let maze =
                |corridor| Mazes { width: size, height: size, corridor, seed, ..Mazes::default() };
            let cave = Caves { width: size, height: size, seed, ..Caves::default() };
            found = vec![maps::maze(&maze(1))?, maps::maze(&maze(4))?, maps::cave(&cave)?];
        }
        Ok(found)
    }

    /// Every number by every placement, and compressed tables.
    fn forms(&self) -> Vec<DifferentialConfig> {
        let usual = DifferentialConfig {
            memory_limit: u64::MAX,
            seed: self.seed,
            ..DifferentialConfig::default()
        };
        let counts = if self.quick { &COUNTS[2..4] } else { &COUNTS[..] };
        let placed = |placement: Placement| {
            let usual = usual.clone();
            let form = move |&landmarks: &usize| DifferentialConfig {
                landmarks,
                placement: placement.clone(),
                ..usual.clone()
            };
            counts.iter().map(form)
        };
        let mut forms: Vec<_> = Placement::named().flat_map(placed).collect();
        for (landmarks, precision, kept) in [
            (USUAL, Precision::Bits16, None),
            (USUAL, Precision::Bits8, None),
            (4 * USUAL, Precision::Bits32, Some(USUAL)),
            (4 * USUAL, Precision::Bits8, None),
        ] {
            forms.push(DifferentialConfig { landmarks, precision, kept, ..usual.clone() });
        }
        forms
    }
}

fn run_on(map: &Subject, moves: Connectivity, plan: &Plan) -> Result<MapRun, Error> {
    let Map::Grid(grid) = &map.map else { return Err(Error::NoEngine) };
    let grid = grid.clone().with_connectivity(moves);
    let subject = Subject::new(map.path.clone(), grid);
    let (count, seed) = (plan.searches, plan.seed);
    let trial = Trial::draw(subject, &Draw { count, steps: 1..=usize::MAX, seed })?;
    let map = &trial.subject.map;
    let astar = SearchEngine::build(map, &SearchConfig::default())
        .map_err(engines::cannot_build("astar"))?;
    let forms = plan.forms();
    let built = forms.iter().map(|config| with_landmarks(map, config));
    let built = built.collect::<Result<Vec<_>, _>>()?;
    let mut all: Vec<&dyn Engine> = vec![&astar];
    all.extend(built.iter().map(|engine| engine as &dyn Engine));
    let mut measured = trial.compare(&all)?.into_iter();
    let alone = measured.next().expect("as many as were asked");
    let usual = forms.iter().position(is_usual).unwrap_or(0);
    let picture = draw(&trial, &astar, &built[usual]);
    let forms = forms.into_iter().zip(&built).zip(measured).map(|((config, engine), measured)| {
        FormRun { config, measured, bytes: engine.memory_bytes() }
    });
    Ok(MapRun {
        name: trial.subject.path.display().to_string(),
        moves: if moves == Connectivity::Four { "four" } else { "eight" },
        cells: map.usable_count(),
        searches: trial.count(),
        astar: alone,
        forms: forms.collect(),
        picture,
    })
}

fn is_usual(form: &DifferentialConfig) -> bool {
    let usual = DifferentialConfig::default();
    *form == DifferentialConfig { seed: form.seed, ..usual }
}

fn with_landmarks(map: &Map, config: &DifferentialConfig) -> Result<SearchEngine, Error> {
    let config = SearchConfig {
        stored: vec![StoredConfig::Differential(config.clone())],
        named: Some(StoredKind::Differential),
        ..SearchConfig::new(Algorithm::AStar, HeuristicChoice::Auto)
    };
    SearchEngine::build(map, &config).map_err(engines::cannot_build("differential"))
}

/// Draws the search for which A* alone expands as many nodes as for no more than half of them.
fn draw(trial: &Trial, astar: &SearchEngine, landmarks: &SearchEngine) -> Option<Drawn> {
    let map = &trial.subject.map;
    let search = |engine: &SearchEngine, ends: (NodeId, NodeId)| {
        let mut searched = Searched::new(map.node_count());
        let mut query = engine.query();
        let route = query.find_observed(ends.0, ends.1, &mut searched).ok()??;
        Some((route.nodes().collect::<Vec<_>>(), searched))
    };
    let mut all: Vec<(u64, (NodeId, NodeId))> = trial
        .workload
        .queries
        .iter()
        .filter_map(|query| {
            let ends = (query.from, query.to);
            Some((search(astar, ends)?.1.counter.expanded, ends))
        })
        .collect();
    all.sort_unstable();
    let &(_, ends) = all.get(all.len() / 2)?;
    let (path, alone) = search(astar, ends)?;
    let (_, with) = search(landmarks, ends)?;
    let table = landmarks.bounds().landmarks()?;
    let view =
        View { inner: Some(&with), landmarks: table.landmarks(), ..View::of(&alone, &path, ends) };
    let png = picture::draw(map, &view, picture::Format::Png).ok()?;
    Some(Drawn { png, expanded: [alone.counter.expanded, with.counter.expanded] })
}
