//! Engines that cut a grid into regions: the regions of every level, and how one query uses them.
//!
//! `levels` prepares a level to be drawn, `query` follows one query through its steps. What a level
//! or a query consists of comes from the engines themselves
//! ([`Inspect`](portolan::engine::inspect::Inspect)).

mod levels;
mod query;

use std::sync::Arc;

use portolan::atlas::Atlas;
use portolan::engine::inspect::Inspect;
use portolan::hpa::{Hpa, Shpa};
use portolan::portal::{PerfectPortal, PortalSearch};
use portolan::ppa::Ppa;
use portolan::{Engine, Grid, Map, NodeId};
use serde::{Deserialize, Serialize};

use super::Topic;
use crate::error::{LabError, bad_request};
use crate::maps::MapChoice;
use crate::shelf::{Built, EngineChoice};
use crate::task::{Reply, Task};

#[derive(Debug, Default)]
pub(super) struct Hierarchies;

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// Builds the engine. How many levels it has, and how many regions each.
    Open { map: MapChoice, engine: EngineChoice },
    /// A level, to be drawn.
    Level { map: MapChoice, engine: EngineChoice, level: usize },
    /// What a query touches on its way, and the path.
    Query {
        map: MapChoice,
        engine: EngineChoice,
        from: NodeId,
        to: NodeId,
        /// Whether to compare it with plain A*.
        compare: bool,
    },
}

/// What the page knows about an engine.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    form: Option<String>,
    /// By level, the finest first.
    regions: Vec<usize>,
    /// Whether regions consist of subgoals, and cells have the region of a subgoal near them.
    of_subgoals: bool,
    index_bytes: usize,
    build_millis: f64,
    exact: bool,
}

impl Topic for Hierarchies {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        let (Ask::Open { map: choice, engine }
        | Ask::Level { map: choice, engine, .. }
        | Ask::Query { map: choice, engine, .. }) = &ask;
        let map = task.shelf.map(choice, task)?;
        let grid = grid_of(&map)?;
        let built = task.shelf.engine((choice, &map), engine, task)?;
        let inspected = inspected(&*built.engine).ok_or_else(|| {
            bad_request(format!("`{}` does not cut a map into regions", engine.name))
        })?;
        match &ask {
            Ask::Open { .. } => open(&built, inspected, task),
            &Ask::Level { level, .. } => {
                let missing = || bad_request(format!("`{}` has no level {level}", engine.name));
                let found = inspected.level(level).ok_or_else(missing)?;
                Ok(levels::reply(grid, found, of_subgoals(inspected)))
            }
            &Ask::Query { from, to, compare, .. } => {
                let plain = match compare {
                    false => None,
                    true => {
                        let choice_of_plain = EngineChoice::named("astar");
                        Some(task.shelf.engine((choice, &map), &choice_of_plain, task)?)
                    }
                };
                let plain = plain.as_ref().map(|built| &*built.engine);
                query::reply(inspected, plain, (from, to), task)
            }
        }
    }
}

fn open(built: &Built, engine: &dyn Inspect, task: &Task<'_>) -> Result<Reply, LabError> {
    let mut regions = Vec::with_capacity(engine.levels());
    for level in 0..engine.levels() {
        task.check()?;
        regions.extend(engine.level(level).map(|level| level.regions.len()));
    }
    Ok(Reply::new(Opened {
        form: engine.form().map(|form| form.to_string()),
        regions,
        of_subgoals: of_subgoals(engine),
        index_bytes: engine.memory_bytes(),
        build_millis: 1e3 * built.build.as_secs_f64(),
        exact: engine.exact(),
    }))
}

/// The grid, which this view can draw.
fn grid_of(map: &Arc<Map>) -> Result<&Grid, LabError> {
    match &**map {
        Map::Grid(grid) => Ok(grid),
        Map::Graph(_) => Err(LabError::WrongMap(
            "this view draws grids; the view Roads shows what a query touches on a network".into(),
        )),
    }
}

/// The engine, if it has regions.
fn inspected(engine: &dyn Engine) -> Option<&dyn Inspect> {
    fn cast<E: Inspect>(engine: &dyn Engine) -> Option<&dyn Inspect> {
        engine.downcast_ref::<E>().map(|engine| engine as &dyn Inspect)
    }
    let casts = [
        cast::<Ppa>,
        cast::<PortalSearch>,
        cast::<PerfectPortal>,
        cast::<Atlas>,
        cast::<Hpa>,
        cast::<Shpa>,
    ];
    casts.into_iter().find_map(|cast| cast(engine))
}

/// The engine as an [`Atlas`], if it is one.
fn atlas(engine: &dyn Inspect) -> Option<&Atlas> {
    let engine: &dyn Engine = engine;
    engine.downcast_ref()
}

/// Whether the regions of an engine consist of the corners of the map.
fn of_subgoals(engine: &dyn Inspect) -> bool {
    use portolan::atlas::AtlasLabels;
    let labels = atlas(engine).map(|atlas| atlas.form().labels);
    matches!(labels, Some(AtlasLabels::Subgoals { .. } | AtlasLabels::UpperSubgoals { .. }))
}

#[cfg(test)]
mod tests;
