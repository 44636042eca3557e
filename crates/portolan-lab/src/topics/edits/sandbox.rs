//! The world that is edited, the agents on it and their paths.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use portolan::formats::movingai;
use portolan::generate::Random;
use portolan::world::{
    Budget, Edit, Follow, PathId, Recipe, Registry, Request, Requests, RequestsConfig, Snapshot,
    World, WorldError,
};
use portolan::{Engine, Grid, Map, NodeId};

use super::doors::Doors;
use super::history::History;
use super::status::Since;
use crate::error::{LabError, bad_request};
use crate::maps::{cell_values, check_count, random_free_cell};
use crate::shelf::EngineChoice;
use crate::task::Task;

/// Expansions in a step or edit, for all requests.
const EXPANSIONS: u64 = 100_000;

/// Cells that are tried as a goal.
const TRIES: u32 = 64;

/// How many cells an agent steps aside when a wall is painted over it.
const FARTHEST_ASIDE: i32 = 100;

/// The most doors of one request.
const MOST_DOORS: usize = 32;

/// How a sandbox begins.
pub(super) struct Start {
    pub(super) engine: EngineChoice,
    pub(super) follow: Follow,
    pub(super) seed: u64,
    /// The engine, if it is built already.
    pub(super) ready: Option<Arc<dyn Engine>>,
}

/// A map that is edited, and agents that walk on it.
pub(super) struct Sandbox {
    pub(super) world: World,
    pub(super) engine: EngineChoice,
    follow: Follow,
    /// A byte per cell: 0 for walls, else the terrain factor.
    pub(super) cells: Vec<u8>,
    /// The same at the start.
    original: Vec<u8>,
    pub(super) agents: Vec<Agent>,
    /// Tagged with the number of the agent.
    pub(super) paths: Registry<u32>,
    requests: Requests<u32>,
    random: Random,
    pub(super) history: History,
    doors: Doors,
    /// The newest version for which the engine was ready, to tell what has been rebuilt since.
    pub(super) ready: Option<Snapshot>,
    pub(super) steps: u64,
    pub(super) since: Since,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Agent {
    pub(super) node: NodeId,
    pub(super) path: Option<PathId>,
    /// Whether a path has been requested.
    waits: bool,
}

impl Sandbox {
    pub(super) fn new(map: &Map, start: Start, task: &Task<'_>) -> Result<Self, LabError> {
        let grid = grid_of(map)?;
        let cells = cell_values(grid);
        let Start { engine, follow, seed, ready } = start;
        let (world, requests) = populated(map, &engine, follow, ready, task)?;
        let snapshot = world.snapshot();
        Ok(Self {
            paths: Registry::new(&snapshot),
            ready: Some(snapshot),
            world,
            engine,
            follow,
            original: cells.clone(),
            cells,
            agents: Vec::new(),
            requests,
            random: Random::new(seed),
            history: History::default(),
            doors: Doors::default(),
            steps: 0,
            since: Since::default(),
        })
    }

    /// Puts this many agents on the map. Those that are there stay.
    pub(super) fn set_agents(&mut self, count: usize) {
        while self.agents.len() > count {
            if let Some(Agent { path: Some(path), .. }) = self.agents.pop() {
                self.paths.remove(path);
            }
        }
        let snapshot = self.world.snapshot();
        while self.agents.len() < count {
            let Some(node) = self.free_cell(snapshot.map(), |_| true) else { break };
            self.agents.push(Agent { node, path: None, waits: false });
            self.send(self.agents.len() - 1, &snapshot);
        }
        self.plan_now();
    }

    /// Another engine on the present map.
    pub(super) fn set_engine(
        &mut self,
        engine: EngineChoice,
        follow: Follow,
        task: &Task<'_>,
    ) -> Result<(), LabError> {
        self.restart(self.world.snapshot().map().clone(), engine, follow, task)
    }

    /// Gives all cells a terrain factor.
    pub(super) fn add_terrain(&mut self, task: &Task<'_>) -> Result<(), LabError> {
        let snapshot = self.world.snapshot();
        let grid = grid_of(snapshot.map())?;
        if grid.has_terrain() {
            return Ok(());
        }
        let factors = self.cells.iter().map(|&value| value.max(1)).collect();
        let grid = grid.clone().with_terrain(factors);
        let grid = grid.map_err(|error| LabError::Failed(error.to_string()))?;
        self.restart(grid.into(), self.engine.clone(), self.follow, task)
    }

    /// Sets cells to these values.
    pub(super) fn paint(&mut self, stroke: u64, cells: &[(NodeId, u8)]) -> Result<(), LabError> {
        self.check(cells)?;
        let before = self.set(cells)?;
        self.history.add(stroke, &before);
        Ok(())
    }

    /// Takes back the last stroke.
    pub(super) fn undo(&mut self) -> Result<(), LabError> {
        self.set(&self.history.last())?;
        self.history.drop_last();
        Ok(())
    }

    /// Makes the map as it was at the start.
    pub(super) fn clear(&mut self) -> Result<(), LabError> {
        let original: Vec<(NodeId, u8)> = (0..).zip(self.original.iter().copied()).collect();
        self.set(&original)?;
        self.history.clear();
        self.doors.clear();
        Ok(())
    }

    /// Shuts and opens doors.
    pub(super) fn toggle_doors(&mut self, count: usize) -> Result<(), LabError> {
        check_count("the request", count as u64, MOST_DOORS as u64, "doors")?;
        let snapshot = self.world.snapshot();
        let grid = grid_of(snapshot.map())?;
        let size = (grid.width(), grid.height());
        // Each door finds the map as those before it leave it.
        let (mut doors, mut cells) = (self.doors.clone(), self.cells.clone());
        let mut toggled = Vec::new();
        for _ in 0..count {
            let door = doors.toggle(size, &cells, &mut self.random);
            for &(cell, value) in &door {
                cells[cell as usize] = value;
            }
            toggled.extend(door);
        }
        self.set(&toggled)?;
        self.doors = doors;
        Ok(())
    }

    /// Every agent walks a step; those at their goals choose another.
    pub(super) fn step(&mut self) -> Result<(), LabError> {
        self.since.taken_over = !self.world.advance().engines.is_empty();
        self.steps += 1;
        let snapshot = self.world.snapshot();
        for at in 0..self.agents.len() {
            match self.agents[at] {
                Agent { path: Some(id), .. } => {
                    let Some(node) = self.paths.walk(id, 1) else { continue };
                    self.agents[at].node = node;
                    if self.paths.get(id).is_some_and(|path| path.is_finished()) {
                        self.paths.remove(id);
                        self.agents[at].path = None;
                        self.send(at, &snapshot);
                    }
                }
                // An agent that is walled in tries again from time to time.
                Agent { waits: false, .. } if self.random.chance(0.1) => self.send(at, &snapshot),
                Agent { .. } => {}
            }
        }
        self.plan()
    }

    /// The map as a MovingAI file.
    pub(super) fn file(&self) -> Result<Vec<u8>, LabError> {
        let snapshot = self.world.snapshot();
        let grid = grid_of(snapshot.map())?;
        if grid.has_terrain() {
            let text = "The format .map has no terrain, so this map stays here.";
            return Err(LabError::WrongMap(text.into()));
        }
        let mut file = Vec::new();
        movingai::write_map(grid, &mut file)
            .map_err(|error| LabError::Failed(error.to_string()))?;
        Ok(file)
    }

    /// A new world of this map. Agents stay where they are and ask for their paths again.
    fn restart(
        &mut self,
        map: Map,
        engine: EngineChoice,
        follow: Follow,
        task: &Task<'_>,
    ) -> Result<(), LabError> {
        let (world, requests) = populated(&map, &engine, follow, None, task)?;
        let snapshot = world.snapshot();
        (self.world, self.requests, self.engine, self.follow) = (world, requests, engine, follow);
        let goals: Vec<_> =
            self.paths.iter().map(|(_, path, &agent)| (agent, path.goal())).collect();
        self.paths = Registry::new(&snapshot);
        for agent in &mut self.agents {
            (agent.path, agent.waits) = (None, false);
        }
        for (agent, goal) in goals {
            self.request(agent as usize, goal, 0);
        }
        for at in 0..self.agents.len() {
            if !self.agents[at].waits {
                self.send(at, &snapshot);
            }
        }
        self.ready = Some(snapshot);
        self.plan_now();
        Ok(())
    }

    /// Fails if a painted cell is not on the map, or its value needs terrain.
    fn check(&self, cells: &[(NodeId, u8)]) -> Result<(), LabError> {
        let terrain = has_terrain(self.world.snapshot().map());
        for &(cell, value) in cells {
            if cell as usize >= self.cells.len() {
                return Err(bad_request(format!("there is no cell {cell}")));
            }
            if value > 1 && !terrain {
                return Err(bad_request("the map has no terrain yet"));
            }
        }
        Ok(())
    }

    /// Changes the map. Returns what was there before. On an error, nothing has changed.
    fn set(&mut self, cells: &[(NodeId, u8)]) -> Result<Vec<(NodeId, u8)>, LabError> {
        let mut before = Vec::new();
        for &(cell, value) in cells {
            let known = &mut self.cells[cell as usize];
            if *known != value {
                before.push((cell, std::mem::replace(known, value)));
            }
        }
        let terrain = has_terrain(self.world.snapshot().map());
        let start = Instant::now();
        let edit = self.world.edit(|editor| {
            for &(cell, _) in &before {
                let value = self.cells[cell as usize];
                editor.set_passable(cell, value > 0);
                if terrain && value > 0 {
                    editor.set_factor(cell, value);
                }
            }
        });
        let edit = match edit {
            Ok(edit) => edit,
            Err(error) => {
                for &(cell, value) in before.iter().rev() {
                    self.cells[cell as usize] = value;
                }
                return Err(failed(error));
            }
        };
        self.since.edit = Some(start.elapsed());
        self.since.cells.extend(before.iter().map(|&(cell, _)| (cell, self.cells[cell as usize])));
        self.replan(&edit);
        // The map has changed, so an error of the search is left to the next step.
        self.plan_now();
        Ok(before)
    }

    /// Asks for new paths where an edit has broken them or shut an agent in.
    fn replan(&mut self, edit: &Edit) {
        for broken in self.paths.broken_by(edit) {
            let agent = broken.tag;
            self.paths.remove(broken.id);
            self.since.broken.push(agent);
            let at = agent as usize;
            self.agents[at].path = None;
            self.request(at, broken.goal, 1);
        }
        let snapshot = edit.snapshot();
        for at in 0..self.agents.len() {
            let Agent { node, path, .. } = self.agents[at];
            if snapshot.map().contains(node) {
                continue;
            }
            // A wall was painted over the agent, which steps aside.
            let Some(aside) = nearest_free(snapshot.map(), node) else { continue };
            let goal = path.and_then(|id| self.paths.remove(id)).map(|(path, _)| path.goal());
            (self.agents[at].node, self.agents[at].path) = (aside, None);
            match goal {
                Some(goal) => self.request(at, goal, 1),
                None => self.send(at, snapshot),
            }
        }
    }

    /// Sends an agent to another goal, if it can reach any.
    fn send(&mut self, at: usize, snapshot: &Snapshot) {
        let (map, from) = (snapshot.map(), self.agents[at].node);
        let is_fit = |to: NodeId| to != from && map.contains(from) && map.may_reach(from, to);
        match self.free_cell(map, is_fit) {
            Some(goal) => self.request(at, goal, 0),
            None => self.agents[at].waits = false,
        }
    }

    fn request(&mut self, at: usize, goal: NodeId, urgency: i32) {
        let request = Request::new(self.agents[at].node, goal);
        self.requests.submit(request.with_tag(at as u32).with_urgency(urgency));
        self.agents[at].waits = true;
    }

    /// A random free cell that fits.
    fn free_cell(&mut self, map: &Map, fits: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        random_free_cell(map, &mut self.random, TRIES, fits)
    }

    /// Finds paths within the budget.
    fn plan(&mut self) -> Result<(), LabError> {
        let snapshot = self.world.snapshot();
        let start = Instant::now();
        let answers = self.requests.advance(&snapshot, Budget::Expansions(EXPANSIONS));
        self.since.planning += start.elapsed();
        for answer in answers.map_err(failed)? {
            self.since.answers += 1;
            self.since.expanded += answer.expanded;
            let at = answer.tag as usize;
            let Some(agent) = self.agents.get(at).copied().filter(|agent| agent.path.is_none())
            else {
                continue;
            };
            match answer.path {
                Ok(Some(path)) if path.position() == agent.node && snapshot.is_valid(&path) => {
                    let id = self.paths.insert(path, answer.tag);
                    self.agents[at] = Agent { path: Some(id), waits: false, ..agent };
                    self.since.planned.push(answer.tag);
                }
                // The map has changed during the search, or the agent has stepped aside.
                Ok(Some(path)) => self.request(at, path.goal(), 1),
                // The goal is blocked or walled in.
                Ok(None) | Err(_) => {
                    self.since.without_path += 1;
                    self.send(at, &snapshot);
                }
            }
        }
        Ok(())
    }

    /// Finds paths; what is left is found in the next steps.
    fn plan_now(&mut self) {
        // An error would come again in the next step, which reports it.
        _ = self.plan();
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Sandbox")
            .field("world", &self.world)
            .field("agents", &self.agents.len())
            .finish_non_exhaustive()
    }
}

/// A world of this map with the engine, and a queue of requests that it answers.
fn populated(
    map: &Map,
    engine: &EngineChoice,
    follow: Follow,
    ready: Option<Arc<dyn Engine>>,
    task: &Task<'_>,
) -> Result<(World, Requests<u32>), LabError> {
    let settings = engine.settings(task.shelf.limits())?;
    let method = engine.method()?;
    let ready = match ready {
        Some(ready) => ready,
        None => Arc::from(engine.build(map, task)?),
    };
    let world = World::new(map.clone()).map_err(failed)?;
    let recipe = Recipe::method(method, settings).with_engine(ready);
    world.add_with(recipe, follow).map_err(failed)?;
    let config = RequestsConfig { engine: Some(engine.name.clone()), ..RequestsConfig::default() };
    let requests = Requests::new(config).map_err(|error| LabError::Failed(error.to_string()))?;
    Ok((world, requests))
}

/// The free cell nearest to this one, unless it is far away.
fn nearest_free(map: &Map, node: NodeId) -> Option<NodeId> {
    let grid = map.as_grid()?;
    let (x, y) = grid.position(node)?;
    (1..=FARTHEST_ASIDE).find_map(|radius| {
        let ring = (-radius..=radius).flat_map(|dy| {
            let is_edge = dy.abs() == radius;
            let step = if is_edge { 1 } else { 2 * radius as usize };
            (-radius..=radius).step_by(step).map(move |dx| (dx, dy))
        });
        ring.filter_map(|(dx, dy)| grid.node(x.checked_add_signed(dx)?, y.checked_add_signed(dy)?))
            .find(|&node| map.contains(node))
    })
}

fn grid_of(map: &Map) -> Result<&Grid, LabError> {
    map.as_grid().ok_or_else(|| LabError::WrongMap("This view needs a grid.".into()))
}

pub(super) fn has_terrain(map: &Map) -> bool {
    map.as_grid().is_some_and(Grid::has_terrain)
}

fn failed(error: WorldError) -> LabError {
    LabError::Failed(error.to_string())
}
