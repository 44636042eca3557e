//! A map that is edited while agents walk on it.
//!
//! `sandbox.rs` has the world, the agents and their paths; `status.rs` what the page is told of
//! them; `history.rs` what can be undone; `doors.rs` shuts and opens doors by itself. The page owns
//! the clock: it asks for steps one after the other, so a closed page stops the agents. Work per
//! step is bounded in expansions, not in time; with [`Follow::AtOnce`] the same requests give the
//! same answers on every machine.

mod doors;
mod history;
mod sandbox;
mod status;

use portolan::world::Follow;
use portolan::{Map, NodeId};
use serde::Deserialize;

use super::Topic;
use crate::error::{LabError, bad_request};
use crate::maps::{MapChoice, check_count};
use crate::shelf::EngineChoice;
use crate::task::{Reply, Task};
use crate::wire::Part;
use sandbox::{Sandbox, Start};

/// The most cells of a map that is edited.
const MOST_CELLS: u64 = 1 << 20;

/// The most agents that walk on it.
const MOST_AGENTS: usize = 500;

#[derive(Debug, Default)]
pub(super) struct Edits {
    sandbox: Option<Sandbox>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// Takes a copy of a map and puts agents on it.
    Start {
        map: MapChoice,
        engine: EngineChoice,
        #[serde(default)]
        follow: Following,
        agents: usize,
        #[serde(default)]
        seed: u64,
    },
    /// Another engine for the edited map. The agents stay where they are.
    Engine { engine: EngineChoice, follow: Following },
    /// Another number of agents.
    Agents { agents: usize },
    /// Gives a map of one terrain factors, so that terrain can be painted.
    Terrain,
    /// Sets the cells of the part `cells` to those of the part `values`: 0 for a wall, else the
    /// terrain factor. Edits of the same stroke are undone together.
    Paint { stroke: u64 },
    /// Takes the last stroke back.
    Undo,
    /// Makes the map as it was at the start.
    Clear,
    /// Shuts and opens this many doors.
    Doors { count: usize },
    /// Every agent walks a step.
    Step,
    /// The edited map as a file.
    Export,
}

/// When the engine follows edits; see [`Follow`].
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Following {
    #[default]
    Auto,
    AtOnce,
    Behind,
}

impl From<Following> for Follow {
    fn from(following: Following) -> Self {
        match following {
            Following::Auto => Self::Auto,
            Following::AtOnce => Self::AtOnce,
            Following::Behind => Self::Behind,
        }
    }
}

impl Topic for Edits {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        if let Ask::Start { map: choice, engine, follow, agents, seed } = ask {
            check_agents(agents)?;
            let map = task.shelf.map(&choice, task)?;
            if let Map::Graph(_) = &*map {
                let text = "Walls and doors are painted on grids; this map is a graph.";
                return Err(LabError::WrongMap(text.into()));
            }
            check_count("the map to edit", map.node_count() as u64, MOST_CELLS, "cells")?;
            let built = task.shelf.engine((&choice, &map), &engine, task)?;
            let start = Start { engine, follow: follow.into(), seed, ready: Some(built.engine) };
            // The last world is dropped first, so that its background work ends.
            self.sandbox = None;
            let sandbox = self.sandbox.insert(Sandbox::new(&map, start, task)?);
            sandbox.set_agents(agents);
            return Ok(sandbox.reply());
        }
        let missing = || bad_request("there is no map yet");
        let sandbox = self.sandbox.as_mut().ok_or_else(missing)?;
        match ask {
            Ask::Start { .. } => {}
            Ask::Engine { engine, follow } => sandbox.set_engine(engine, follow.into(), task)?,
            Ask::Agents { agents } => {
                check_agents(agents)?;
                sandbox.set_agents(agents);
            }
            Ask::Terrain => sandbox.add_terrain(task)?,
            Ask::Paint { stroke } => sandbox.paint(stroke, &cells(task)?)?,
            Ask::Undo => sandbox.undo()?,
            Ask::Clear => sandbox.clear()?,
            Ask::Doors { count } => sandbox.toggle_doors(count)?,
            Ask::Step => sandbox.step()?,
            Ask::Export => return Ok(Reply::new(()).with("file", sandbox.file()?)),
        }
        Ok(sandbox.reply())
    }
}

fn check_agents(count: usize) -> Result<(), LabError> {
    check_count("the crowd", count as u64, MOST_AGENTS as u64, "agents")
}

/// The painted cells with their values.
fn cells(task: &Task<'_>) -> Result<Vec<(NodeId, u8)>, LabError> {
    match (task.part("cells")?, task.part("values")?) {
        (Part::U32(cells), Part::U8(values)) if cells.len() == values.len() => {
            Ok(cells.iter().copied().zip(values.iter().copied()).collect())
        }
        _ => Err(bad_request("`cells` are 32-bit numbers, `values` as many bytes")),
    }
}

#[cfg(test)]
mod tests;
