//! What the page is told: who stands where, what an edit has changed, and what that took.

use std::time::Duration;

use portolan::NodeId;
use portolan::engine::RebuiltPart;
use portolan::world::{Snapshot, Standing};
use serde::Serialize;

use super::sandbox::{Sandbox, has_terrain};
use crate::task::Reply;

/// Nodes of a path that the page gets, to be drawn.
const MOST_SHOWN: usize = 1000;

/// What happened since the last reply.
#[derive(Debug, Default)]
pub(super) struct Since {
    /// Cells that changed, and their values.
    pub(super) cells: Vec<(NodeId, u8)>,
    pub(super) edit: Option<Duration>,
    pub(super) broken: Vec<u32>,
    /// Agents with new paths, and what finding them took.
    pub(super) planned: Vec<u32>,
    pub(super) planning: Duration,
    pub(super) answers: usize,
    pub(super) expanded: u64,
    pub(super) without_path: usize,
    pub(super) taken_over: bool,
}

/// The reply to all requests. Times are in microseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    step: u64,
    version: u64,
    terrain: bool,
    undoable: usize,
    /// The time of the edit with what the engine does inside it; absent without one.
    edit_micros: Option<f64>,
    changed: usize,
    broken: usize,
    /// The time that it took to find `answers` paths.
    plan_micros: f64,
    answers: usize,
    expanded: u64,
    without_path: usize,
    waiting: usize,
    engine: EngineStatus,
    /// How many parts the engine has rebuilt; absent if it has none, or without
    /// an edit.
    rebuilt_parts: Option<usize>,
    /// Whether that is more than half of the map.
    rebuilt_all: bool,
    /// Whether background work of the engine has been taken over.
    taken_over: bool,
}

#[derive(Debug, Serialize)]
struct EngineStatus {
    name: String,
    /// `ready`, `behind` or `failed`.
    state: &'static str,
    reason: Option<String>,
    /// Whether it is worked on in the background.
    busy: bool,
}

impl Sandbox {
    /// The answer to a request: what has happened since the last one.
    pub(super) fn reply(&mut self) -> Reply {
        let since = std::mem::take(&mut self.since);
        let snapshot = self.world.snapshot();
        let rebuilt = self.rebuilt(&snapshot);
        let smallest = rebuilt.iter().flatten().filter(|part| part.level == 0);
        let rebuilt_nodes: usize = smallest.map(|part| part.nodes.len()).sum();
        let rebuilt_all = rebuilt_nodes > self.cells.len() / 2;
        let status = Status {
            step: self.steps,
            version: snapshot.version().number(),
            terrain: has_terrain(snapshot.map()),
            undoable: self.history.len(),
            edit_micros: since.edit.map(micros),
            changed: since.cells.len(),
            broken: since.broken.len(),
            plan_micros: micros(since.planning),
            answers: since.answers,
            expanded: since.expanded,
            without_path: since.without_path,
            waiting: self.agents.iter().filter(|agent| agent.path.is_none()).count(),
            engine: self.engine_status(&snapshot),
            rebuilt_parts: rebuilt.as_ref().map(Vec::len),
            rebuilt_all,
            taken_over: since.taken_over,
        };
        let (cells, values) = since.cells.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let (mut nodes, mut levels) = (Vec::new(), Vec::new());
        for part in rebuilt.iter().flatten().filter(|_| !rebuilt_all) {
            nodes.extend_from_slice(&part.nodes);
            levels.resize(nodes.len(), part.level.min(255) as u8);
        }
        let (mut ends, mut shown) = (Vec::new(), Vec::new());
        for &agent in &since.planned {
            let path = self.agents.get(agent as usize).and_then(|agent| agent.path);
            let path = path.and_then(|id| self.paths.get(id));
            shown.extend(path.into_iter().flat_map(|path| path.remaining().take(MOST_SHOWN)));
            ends.push(shown.len() as u32);
        }
        Reply::new(status)
            .with("positions", self.agents.iter().map(|agent| agent.node).collect::<Vec<_>>())
            .with(
                "waits",
                self.agents.iter().map(|agent| u8::from(agent.path.is_none())).collect::<Vec<_>>(),
            )
            .with("cells", cells)
            .with("values", values)
            .with("broken", since.broken)
            .with("rebuilt", nodes)
            .with("levels", levels)
            .with("planned", since.planned)
            .with("ends", ends)
            .with("nodes", shown)
    }

    /// What the engine has rebuilt since it was last ready; `None` if it does not tell.
    fn rebuilt(&mut self, snapshot: &Snapshot) -> Option<Vec<RebuiltPart>> {
        let engine = snapshot.engine(&self.engine.name)?;
        if self.ready.as_ref().is_some_and(|ready| ready.version() == snapshot.version()) {
            return None;
        }
        let before = self.ready.replace(snapshot.clone())?;
        engine.rebuilt_since(before.engine(&self.engine.name)?)
    }

    fn engine_status(&self, snapshot: &Snapshot) -> EngineStatus {
        let (state, reason) = match snapshot.standing(&self.engine.name) {
            Some(Standing::Current(_)) => ("ready", None),
            Some(Standing::Failed(error)) => ("failed", Some(error.to_string())),
            Some(Standing::Behind) | None => ("behind", None),
        };
        let busy = self.world.is_busy();
        EngineStatus { name: self.engine.name.clone(), state, reason, busy }
    }
}

fn micros(time: Duration) -> f64 {
    1e6 * time.as_secs_f64()
}
