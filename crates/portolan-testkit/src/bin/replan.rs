//! Blocks the middle of paths and asks for them again: what an edit and the first path after it
//! take.
//!
//! ```text
//! cargo run --release -p portolan-testkit --features metis --bin replan -- ../shared/maps/rooms/8room_000.map
//! ```
//!
//! | option | |
//! |---|---|
//! | `--engines A,B` | engines of `portolan::METHODS`; default `atlas` |
//! | `--cases N` | paths to block, for each kind of edit; default 300 |
//! | `--seed N` | default 1 |
//! | `--kinds A,B` | kinds of edits; default all |
//!
//! Kinds: `cell` blocks the cell in the middle of the path; `square` the 3 x 3 cells there; `door`
//! the cell nearest to the middle that has blocked cells on both sides; `piled` the middle, on a
//! map where 50 middles of other paths are blocked already. Cases in which an end is blocked or the
//! ends are no longer joined are left out. Every case is timed once in each of three rounds over
//! all of them, and counts with its best time: the refresh, a new query, and the path written out.
//! Every length is compared with that found by A*, and every path is walked.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use portolan::changes::CellChange;
use portolan::formats::movingai;
use portolan::generate::Random;
use portolan::registry::{self, Settings};
use portolan::search::Counter;
use portolan::{Changes, Engine, Grid, Map, NodeId};

const ROUNDS: usize = 3;

/// How many cells are blocked before the cases of the kind `piled`.
const PILED: usize = 50;

const KINDS: [&str; 4] = ["cell", "square", "door", "piled"];

struct Options {
    maps: Vec<String>,
    engines: Vec<String>,
    kinds: Vec<String>,
    cases: usize,
    seed: u64,
}

/// One edit and what is asked after it.
struct Case {
    ends: [NodeId; 2],
    changes: Changes,
    map: Map,
    cost: u32,
}

fn main() -> ExitCode {
    let options = match read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    println!(
        "{:28} {:14} {:7} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9}  us",
        "map", "engine", "kind", "cases", "edit", "mean", "p99", "worst", "expanded"
    );
    let mut wrong = 0;
    for path in &options.maps {
        match measure(path, &options) {
            Ok(faults) => wrong += faults,
            Err(problem) => {
                eprintln!("{path}: {problem}");
                return ExitCode::from(2);
            }
        }
    }
    if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let list = |text: String| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let kinds = KINDS.map(str::to_owned).to_vec();
    let mut options =
        Options { maps: Vec::new(), engines: vec!["atlas".into()], kinds, cases: 300, seed: 1 };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--engines" => options.engines = list(value()?),
            "--kinds" => options.kinds = list(value()?),
            "--cases" => options.cases = value()?.parse().map_err(|_| "--cases needs a number")?,
            "--seed" => options.seed = value()?.parse().map_err(|_| "--seed needs a number")?,
            _ if word.starts_with("--") => return Err(format!("unknown option {word}")),
            _ => options.maps.push(word),
        }
    }
    if options.maps.is_empty() {
        return Err("name at least one map".into());
    }
    match options.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
        Some(kind) => Err(format!("unknown kind {kind}; one of {KINDS:?}")),
        None => Ok(options),
    }
}

fn measure(path: &str, options: &Options) -> Result<usize, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let grid: Grid = movingai::read_map(&bytes).map_err(|error| error.to_string())?;
    let fresh = Map::from(grid);
    let mut wrong = 0;
    let astar = |map: &Map| build("astar", map);
    for name in &options.engines {
        let engine = build(name, &fresh)?;
        for kind in &options.kinds {
            let mut random = Random::new(options.seed);
            let (mut map, mut base) = (fresh.clone(), None);
            if kind == "piled" {
                for _ in 0..PILED {
                    let changes = draw(&map, &*astar(&map)?, "cell", &mut random);
                    let Some((_, changes)) = changes else { continue };
                    map.apply(&changes).map_err(|error| error.to_string())?;
                    let before: &dyn Engine = base.as_deref().unwrap_or(&*engine);
                    base = Some(before.refresh(&map, &changes).map_err(|error| error.to_string())?);
                }
            }
            let base: &dyn Engine = base.as_deref().unwrap_or(&*engine);
            let cases = cases(&map, kind, options.cases, &mut random)?;
            let (edits, times, expanded, faults) = replay(base, &cases)?;
            wrong += faults;
            report(path, name, kind, &edits, &times, expanded, faults);
        }
    }
    Ok(wrong)
}

fn build(name: &str, map: &Map) -> Result<Box<dyn Engine>, String> {
    let method = registry::method(name).ok_or(format!("no engine is called {name}"))?;
    method.build(map, &Settings::default()).map_err(|error| error.to_string())
}

/// Cases of one kind, with the costs that A* finds.
fn cases(map: &Map, kind: &str, count: usize, random: &mut Random) -> Result<Vec<Case>, String> {
    let astar = build("astar", map)?;
    let mut cases = Vec::new();
    for _ in 0..4 * count {
        if cases.len() == count {
            break;
        }
        let Some((ends, changes)) = draw(map, &*astar, kind, random) else { continue };
        let mut edited = map.clone();
        edited.apply(&changes).map_err(|error| error.to_string())?;
        let [from, to] = ends;
        if !edited.contains(from) || !edited.contains(to) {
            continue;
        }
        let found = build("astar", &edited)?.query().distance(from, to);
        let Some(cost) = found.map_err(|error| error.to_string())? else { continue };
        cases.push(Case { ends, changes, map: edited, cost });
    }
    Ok(cases)
}

/// A random pair that is joined, and the edit that blocks its path.
fn draw(
    map: &Map,
    astar: &dyn Engine,
    kind: &str,
    random: &mut Random,
) -> Option<([NodeId; 2], Changes)> {
    let Map::Grid(grid) = map else { return None };
    let mut cell = || loop {
        let node = random.below(map.node_count() as u64) as NodeId;
        if map.contains(node) {
            return node;
        }
    };
    let (from, to) = (cell(), cell());
    let mut query = astar.query();
    let path: Vec<NodeId> = query.find(from, to).ok()??.nodes().collect();
    let middle = path.len() / 2;
    if path.len() < 5 {
        return None;
    }
    let free = |node: NodeId, dx: i32, dy: i32| {
        let (x, y) = grid.position(node)?;
        let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
        grid.is_passable(x, y).then(|| grid.node(x, y)).flatten()
    };
    let blocked = match kind {
        "square" => {
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
            around.filter_map(|(dx, dy)| free(path[middle], dx, dy)).collect()
        }
        "door" => {
            let is_door = |node: NodeId| {
                let shut = |dx, dy| free(node, dx, dy).is_none() && free(node, -dx, -dy).is_none();
                shut(1, 0) || shut(0, 1)
            };
            let inner = 1..path.len() - 1;
            let doors = inner.filter(|&at| is_door(path[at]));
            vec![path[doors.min_by_key(|at| at.abs_diff(middle))?]]
        }
        _ => vec![path[middle]],
    };
    let cells = blocked.into_iter().map(|node| CellChange { node, passable: false }).collect();
    Some(([from, to], Changes { cells, ..Changes::default() }))
}

type Replayed = (Vec<Duration>, Vec<Duration>, u64, usize);

fn replay(base: &dyn Engine, cases: &[Case]) -> Result<Replayed, String> {
    let mut edits = vec![Duration::MAX; cases.len()];
    let mut times = edits.clone();
    let (mut counter, mut wrong) = (Counter::default(), 0);
    let mut path = Vec::new();
    for round in 0..ROUNDS {
        for (at, case) in cases.iter().enumerate() {
            let [from, to] = case.ends;
            let start = Instant::now();
            let engine = base.refresh(&case.map, &case.changes);
            let engine = engine.map_err(|error| error.to_string())?;
            let edited = start.elapsed();
            let mut query = engine.query();
            path.clear();
            let route = query.find(from, to).map_err(|error| error.to_string())?;
            let cost = route.map(|route| {
                route.nodes_into(&mut path);
                route.cost()
            });
            let all = start.elapsed();
            edits[at] = edits[at].min(edited);
            times[at] = times[at].min(all);
            if cost != Some(case.cost) || case.map.walk(path.iter().copied()) != Ok(case.cost) {
                wrong += 1;
                eprintln!(
                    "wrong: {from} to {to}: {cost:?}, not {}, after {:?}",
                    case.cost, case.changes
                );
            }
            if round == 0 {
                let mut query = engine.query();
                query.find_observed(from, to, &mut counter).map_err(|error| error.to_string())?;
            }
        }
    }
    Ok((edits, times, counter.expanded, wrong))
}

fn report(
    path: &str,
    engine: &str,
    kind: &str,
    edits: &[Duration],
    times: &[Duration],
    expanded: u64,
    wrong: usize,
) {
    let micros = |time: &Duration| time.as_secs_f64() * 1e6;
    let mean = |times: &[Duration]| times.iter().map(micros).sum::<f64>() / times.len() as f64;
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = |share: f64| {
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).map_or(f64::NAN, micros)
    };
    let map = path.rsplit('/').next().unwrap_or(path);
    println!(
        "{map:28} {engine:14} {kind:7} {:6} {:9.1} {:9.1} {:9.1} {:9.1} {:9.1}{}",
        times.len(),
        mean(edits),
        mean(times),
        rank(0.99),
        rank(1.0),
        expanded as f64 / times.len() as f64,
        if wrong > 0 { format!("  {wrong} WRONG") } else { String::new() },
    );
}
