//! Strategies of the library that place landmarks, by themselves and compared.

use std::time::Instant;

use portolan::generate::Pairs;
use portolan::heuristic::{Heuristic, LowerBound, Max};
use portolan::search::{Counter, astar};
use portolan::search_engine::{Algorithm, SearchConfig, SearchEngine};
use portolan::true_distance::differential::Placement;
use portolan::true_distance::{Differential, DifferentialConfig, StoredConfig};
use portolan::{Build, BuildError, Map, NodeId};
use serde::Serialize;

use super::ground::EditedMap;
use crate::error::{LabError, bad_request};
use crate::task::{Reply, Task};

/// What the page says about a strategy.
#[derive(Debug, Serialize)]
pub(super) struct Strategy {
    name: String,
    text: &'static str,
}

pub(super) fn strategies() -> Vec<Strategy> {
    let text = |placement: &Placement| match placement {
        Placement::Random => "Random cells. It costs nothing, and shows what the others gain.",
        Placement::Farthest => "Each as far as possible from all before it: the ends of the map.",
        Placement::Advanced => {
            "Of many candidates, those that raise the bounds of random pairs most."
        }
        Placement::Avoid => "Where the bounds of the landmarks so far are worst.",
        Placement::Border => "Around the rim of the map, in all directions.",
        _ => "",
    };
    Placement::named()
        .map(|placement| Strategy { name: placement.to_string(), text: text(&placement) })
        .collect()
}

/// Landmarks placed by a strategy: the part `landmarks`.
pub(super) fn place(
    ground: &EditedMap,
    strategy: &str,
    (count, seed): (usize, u64),
    task: &Task<'_>,
) -> Result<Reply, LabError> {
    let placement: Placement = strategy.parse().map_err(bad_request)?;
    let start = Instant::now();
    let engine = build(&ground.now_as_map(), (placement, count, seed), task)?;
    let millis = 1e3 * start.elapsed().as_secs_f64();
    let placed = engine.bounds().landmarks().map(Differential::landmarks).unwrap_or_default();
    Ok(Reply::new(serde_json::json!({ "millis": millis })).with("landmarks", placed.to_vec()))
}

/// A* with landmarks of this placement.
fn build(
    map: &Map,
    (placement, landmarks, seed): (Placement, usize, u64),
    task: &Task<'_>,
) -> Result<SearchEngine, LabError> {
    let config = DifferentialConfig { landmarks, placement, seed, ..DifferentialConfig::default() };
    let config = SearchConfig {
        algorithm: Algorithm::AStar,
        stored: vec![StoredConfig::Differential(config)],
        ..SearchConfig::default()
    };
    SearchEngine::build_watched(map, &config, task).map_err(|source| match source {
        BuildError::Cancelled => LabError::Cancelled,
        source => LabError::Build { engine: "differential".into(), source },
    })
}

/// How good a placement is for random pairs.
#[derive(Debug, Serialize)]
struct Row {
    /// `none` without landmarks, `yours` for the present ones, or the strategy.
    name: String,
    /// The sum of all bounds as a share of that of the true distances.
    share: f64,
    /// The mean number of expanded cells.
    expanded: f64,
    /// To place them and to compute their distances.
    millis: f64,
}

/// Pairs on which placements are compared.
const PAIRS: usize = 60;

/// All strategies, the present landmarks and none, on the same random pairs.
pub(super) fn compare(
    ground: &mut EditedMap,
    present: &[NodeId],
    (count, seed): (usize, u64),
    task: &Task<'_>,
) -> Result<Reply, LabError> {
    let map = ground.now_as_map();
    // Even lengths, because of goals that are spread evenly over the map few are near.
    let pairs = Pairs { count: PAIRS, even_lengths: true, seed }.generate(&map)?;
    let named = Placement::named().map(|placement| (placement.to_string(), placement, count));
    let yours = ("yours".to_owned(), Placement::At(present.to_vec()), present.len());
    let all: Vec<_> = named.chain((!present.is_empty()).then_some(yours)).collect();
    let mut rows = vec![Row {
        name: "none".into(),
        ..measured(ground, &pairs, &ground.geometric.clone(), task)?
    }];
    for (done, (name, placement, count)) in all.iter().enumerate() {
        task.report("comparing", done, all.len());
        task.check()?;
        let start = Instant::now();
        let engine = build(&map, (placement.clone(), *count, seed), task)?;
        let millis = 1e3 * start.elapsed().as_secs_f64();
        let Some(landmarks) = engine.bounds().landmarks() else { continue };
        let both = Max(ground.geometric.clone(), landmarks);
        rows.push(Row { name: name.clone(), millis, ..measured(ground, &pairs, &both, task)? });
    }
    Ok(Reply::new(serde_json::json!({ "rows": rows, "pairs": pairs.len() })))
}

/// Bounds and searches of these pairs.
fn measured(
    ground: &mut EditedMap,
    pairs: &[(NodeId, NodeId)],
    heuristic: &impl Heuristic,
    task: &Task<'_>,
) -> Result<Row, LabError> {
    let (mut bounds, mut truths, mut counter) = (0.0, 0.0, Counter::default());
    for &(from, to) in pairs {
        task.check()?;
        let mut bound = heuristic.forward(from, to);
        bounds += f64::from(bound.at(from).unwrap_or(0));
        let EditedMap { now, scratch, .. } = ground;
        let cost = astar::find(now, scratch, (from, to), &mut bound, &mut counter)?;
        truths += f64::from(cost.unwrap_or(0));
    }
    let share = if truths > 0.0 { bounds / truths } else { 1.0 };
    let expanded = counter.expanded as f64 / pairs.len().max(1) as f64;
    Ok(Row { name: String::new(), share, expanded, millis: 0.0 })
}
