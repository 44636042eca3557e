//! A crowd that one flow field leads to its exits while the map changes.

use std::time::{Duration, Instant};

use portolan::crowd::FlowField;
use portolan::generate::Random;
use portolan::{Changes, Graph, Grid, Map, NodeId};

use super::Times;
use crate::Error;
use crate::workload::{Reference, Subject};

/// How many agents walk.
pub const AGENTS: usize = 500;
/// How many steps each takes at most.
pub const FRAMES: usize = 60;
/// Frames from one edit to the next.
pub const EDIT_EVERY: usize = 5;

/// What the walk of a crowd took, and whether it was right.
pub struct Walk {
    /// The field at the end.
    pub field: FlowField,
    /// The build of the field.
    pub build: Duration,
    /// All steps of a frame.
    pub steps: Times,
    /// The repairs after edits.
    pub repairs: Times,
    /// Where each agent is.
    pub agents: Vec<NodeId>,
    /// Where each agent has walked.
    pub tracks: Vec<Vec<NodeId>>,
    /// The cells that were blocked.
    pub edited: Vec<NodeId>,
    /// How many agents are at an exit.
    pub arrived: usize,
    /// Steps that are not legal, and costs that are not the least.
    pub wrong: usize,
}

/// Lets agents walk to the nearest of these exits, blocks cells on their way, and repairs the field.
pub fn walk(subject: &Subject, grid: &Grid, exits: &[NodeId]) -> Result<Walk, Error> {
    let mut random = Random::new(subject.settings.seed);
    let start = Instant::now();
    let refused = |error| subject.refused(&error);
    let field = FlowField::new(&subject.map, exits).map_err(refused)?;
    let build = start.elapsed();
    let floor: Vec<NodeId> = (0..grid.node_count() as NodeId)
        .filter(|&node| grid.contains(node) && field.next(node).is_some())
        .collect();
    let agents: Vec<NodeId> = (0..AGENTS)
        .filter_map(|_| floor.get(random.below(floor.len().max(1) as u64) as usize))
        .copied()
        .collect();
    let wrong = wrong_costs(&subject.map, &field, &agents);
    let tracks = agents.iter().map(|&agent| vec![agent]).collect();
    let (steps, repairs, edited) = (Times::default(), Times::default(), Vec::new());
    let mut walk = Walk { field, build, steps, repairs, agents, tracks, edited, arrived: 0, wrong };
    let mut map = subject.map.clone();
    for frame in 1..=FRAMES {
        if frame % EDIT_EVERY == 0 {
            walk.block_somewhere(&mut map, exits, &mut random)?;
        }
        walk.step(&map);
    }
    let new = FlowField::new(&map, exits).map_err(refused)?;
    walk.wrong += usize::from(new != walk.field);
    walk.arrived = walk.agents.iter().filter(|agent| exits.contains(agent)).count();
    Ok(walk)
}

/// How many agents get another cost than that of a plain search from the exits. On grids of one
/// terrain paths cost the same in both directions.
fn wrong_costs(map: &Map, field: &FlowField, agents: &[NodeId]) -> usize {
    let mut reference = Reference::new(map);
    let mut nearest = vec![None; agents.len()];
    for &exit in field.goals() {
        for (nearest, cost) in nearest.iter_mut().zip(reference.costs(exit, agents)) {
            *nearest = (*nearest).into_iter().chain(cost).min();
        }
    }
    let told = agents.iter().map(|&agent| field.cost(agent).ok().flatten().map(u64::from));
    told.zip(nearest).filter(|(told, nearest)| told != nearest).count()
}

impl Walk {
    /// Blocks a cell that an agent would walk on soon and that is free, and repairs the field.
    fn block_somewhere(
        &mut self,
        map: &mut Map,
        exits: &[NodeId],
        random: &mut Random,
    ) -> Result<(), Error> {
        const AHEAD: usize = 8;
        const TRIES: usize = 50;
        for _ in 0..TRIES {
            let agent = self.agents[random.below(self.agents.len().max(1) as u64) as usize];
            let cell = (0..AHEAD).try_fold(agent, |node, _| self.field.next(node));
            let is_free = |cell: &NodeId| !exits.contains(cell) && !self.agents.contains(cell);
            let Some(cell) = cell.filter(is_free) else { continue };
            let changes = Changes::new().block(cell);
            map.apply(&changes)?;
            let start = Instant::now();
            self.field.repair(map, &changes);
            self.repairs.add(start.elapsed());
            self.edited.push(cell);
            return Ok(());
        }
        Ok(())
    }

    fn step(&mut self, map: &Map) {
        let before = self.agents.clone();
        let start = Instant::now();
        for agent in &mut self.agents {
            *agent = self.field.next(*agent).unwrap_or(*agent);
        }
        self.steps.add(start.elapsed());
        for ((from, &to), track) in before.into_iter().zip(&self.agents).zip(&mut self.tracks) {
            if from != to {
                self.wrong += usize::from(map.step_cost(from, to).is_none());
                track.push(to);
            }
        }
    }
}
