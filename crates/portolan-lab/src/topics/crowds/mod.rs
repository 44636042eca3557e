//! Thousands of agents with few goals, moved by several methods.
//!
//! `crowd.rs` has the agents and their goals. A [`Movement`] moves them: `by_paths.rs` along a path
//! for each, found on all cores or on the GPU; `by_fields.rs` along a flow field for each goal;
//! `gpu.rs` has what is done on the device. The page owns the clock: it asks for steps one after the
//! other, so a closed page stops the crowd.
//!
//! A step works about [`TIME_LIMIT`] on paths. Agents without a path wait; the rest is found in the
//! next steps. Everything else follows from the seed.

mod by_fields;
mod by_paths;
mod crowd;
#[cfg(feature = "gpu")]
mod gpu;

use std::sync::Arc;
use std::time::{Duration, Instant};

use portolan::{Map, NodeId};
use serde::{Deserialize, Serialize};

use super::Topic;
use crate::error::{LabError, bad_request};
use crate::maps::{MapChoice, check_count};
use crate::shelf::EngineChoice;
use crate::task::{Reply, Task};
use crate::wire::Part;
use by_fields::ByFields;
use by_paths::{ByPaths, OnCores};
use crowd::Crowd;

/// The most agents.
const MOST_AGENTS: usize = 10_000;

/// The most goals.
const MOST_GOALS: usize = 8;

/// How long a step works on paths.
const TIME_LIMIT: Duration = Duration::from_millis(40);

#[derive(Debug, Default)]
pub(super) struct Crowds {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    choice: MapChoice,
    map: Arc<Map>,
    crowd: Crowd,
    movement: Box<dyn Movement>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// What there is to compute with.
    Devices,
    /// Puts agents on a map. The part `goals` has the cells of the goals; without it, `goals` many
    /// are chosen.
    Start {
        map: MapChoice,
        method: MethodChoice,
        agents: usize,
        goals: usize,
        #[serde(default)]
        seed: u64,
    },
    /// Moves the agents by another method.
    Method { method: MethodChoice },
    /// Other goals: the part `goals`, as many as before.
    Goals,
    /// Every agent walks a step. With `renew`, all goals move to random cells first.
    Step {
        #[serde(default)]
        renew: bool,
    },
}

/// How the agents find their ways.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub(super) enum MethodChoice {
    /// A path for each agent, by this engine, on all cores.
    Paths { engine: EngineChoice },
    /// A flow field for each goal.
    Fields,
    /// A path for each agent, found on the GPU.
    GpuPaths,
    /// A flow field for each goal, on the GPU, with the agents.
    GpuFields,
}

/// Moves a crowd.
trait Movement: std::fmt::Debug + Send {
    /// A goal has moved; `None` means all.
    fn goals_moved(&mut self, goal: Option<usize>);

    /// Moves every agent that knows its way by a step. Finds what is missing before, until the
    /// deadline.
    fn step(&mut self, crowd: &mut Crowd, work: &Work<'_>) -> Result<(), LabError>;

    /// How many agents do not know their way yet.
    fn waiting(&self, crowd: &Crowd) -> usize;

    /// What the movement has computed since it was last asked.
    fn take_computed(&mut self) -> Computed;
}

/// When a step stops to compute.
struct Work<'a> {
    task: &'a Task<'a>,
    deadline: Instant,
}

impl Work<'_> {
    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || self.task.is_cancelled()
    }
}

/// What a step has computed.
#[derive(Debug, Default, Clone, Copy)]
struct Computed {
    paths: usize,
    fields: usize,
    time: Duration,
}

/// The reply to all requests about a crowd. Times are in microseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    step: u64,
    paths: usize,
    fields: usize,
    /// The time of these paths and fields.
    compute_micros: f64,
    /// The time of the rest of the step.
    move_micros: f64,
    waiting: usize,
    arrivals: u64,
}

impl Topic for Crowds {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        match ask {
            Ask::Devices => return Ok(Reply::new(devices(task))),
            Ask::Start { map: choice, method, agents, goals, seed } => {
                check_count("the crowd", agents as u64, MOST_AGENTS as u64, "agents")?;
                check_count("the crowd", goals as u64, MOST_GOALS as u64, "goals")?;
                let map = task.shelf.map(&choice, task)?;
                check_grid(&map)?;
                self.running = None;
                let movement = movement(&choice, &map, &method, task)?;
                let cells = if task.part("goals").is_ok() { goal_cells(task)? } else { Vec::new() };
                let crowd = Crowd::new(&map, (&cells, goals), agents, seed)?;
                self.running = Some(Running { choice, map, crowd, movement });
            }
            Ask::Method { method } => {
                let running = running(&mut self.running)?;
                running.movement = movement(&running.choice, &running.map, &method, task)?;
            }
            Ask::Goals => {
                let Running { crowd, movement, .. } = running(&mut self.running)?;
                for (at, cell) in goal_cells(task)?.into_iter().enumerate() {
                    if crowd.move_goal(at, cell)? {
                        movement.goals_moved(Some(at));
                    }
                }
            }
            Ask::Step { renew } => {
                let start = Instant::now();
                let Running { crowd, movement, .. } = running(&mut self.running)?;
                if renew {
                    crowd.renew_goals();
                    movement.goals_moved(None);
                }
                let work = Work { task, deadline: start + TIME_LIMIT };
                movement.step(crowd, &work)?;
                crowd.count_step(start.elapsed());
            }
        }
        Ok(running(&mut self.running)?.reply())
    }
}

fn running(running: &mut Option<Running>) -> Result<&mut Running, LabError> {
    running.as_mut().ok_or_else(|| bad_request("there is no crowd yet"))
}

impl Running {
    fn reply(&mut self) -> Reply {
        let Self { crowd, movement, .. } = self;
        let Computed { paths, fields, time } = movement.take_computed();
        let micros = |time: Duration| 1e6 * time.as_secs_f64();
        let status = Status {
            step: crowd.steps(),
            paths,
            fields,
            compute_micros: micros(time),
            move_micros: micros(crowd.last_step().saturating_sub(time)),
            waiting: movement.waiting(crowd),
            arrivals: crowd.arrivals(),
        };
        Reply::new(status)
            .with("positions", crowd.positions().to_vec())
            .with("targets", crowd.targets().to_vec())
            .with("goals", crowd.goals().to_vec())
    }
}

/// What there is to compute with, as the page shows it.
fn devices(task: &Task<'_>) -> serde_json::Value {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let gpu = match gpu_name(task) {
        Ok(name) => serde_json::json!({ "name": name }),
        Err(reason) => serde_json::json!({ "reason": reason }),
    };
    serde_json::json!({ "cores": cores, "gpu": gpu })
}

#[cfg(feature = "gpu")]
fn gpu_name(task: &Task<'_>) -> Result<String, String> {
    task.shelf.gpu().map(|gpu| gpu.name().to_owned())
}

#[cfg(not(feature = "gpu"))]
fn gpu_name(_: &Task<'_>) -> Result<String, String> {
    Err(WITHOUT_GPU.into())
}

#[cfg(not(feature = "gpu"))]
const WITHOUT_GPU: &str = "this program was built without the GPU";

fn movement(
    choice: &MapChoice,
    map: &Map,
    method: &MethodChoice,
    task: &Task<'_>,
) -> Result<Box<dyn Movement>, LabError> {
    Ok(match method {
        MethodChoice::Paths { engine } => {
            let built = task.shelf.engine((choice, map), engine, task)?;
            Box::new(ByPaths::new(OnCores::new(built.engine)))
        }
        MethodChoice::Fields => Box::new(ByFields::default()),
        #[cfg(feature = "gpu")]
        MethodChoice::GpuPaths => Box::new(ByPaths::new(gpu::OnGpu::build(map, task)?)),
        #[cfg(feature = "gpu")]
        MethodChoice::GpuFields => Box::new(gpu::ByGpuFields::build(map, task)?),
        #[cfg(not(feature = "gpu"))]
        MethodChoice::GpuPaths | MethodChoice::GpuFields => {
            return Err(LabError::Failed(WITHOUT_GPU.into()));
        }
    })
}

fn check_grid(map: &Map) -> Result<(), LabError> {
    match map {
        Map::Grid(_) => Ok(()),
        Map::Graph(_) => {
            Err(LabError::WrongMap("Crowds walk on grids; this map is a graph.".into()))
        }
    }
}

fn goal_cells(task: &Task<'_>) -> Result<Vec<NodeId>, LabError> {
    match task.part("goals")? {
        Part::U32(cells) if cells.len() <= MOST_GOALS => Ok(cells.clone()),
        _ => Err(bad_request(format!("`goals` are at most {MOST_GOALS} numbers of 32 bits"))),
    }
}

#[cfg(test)]
mod tests;
