//! Agents on a grid, each on its way to one of a few goals, and to the next one when it is there.

use std::time::Duration;

use portolan::generate::Random;
use portolan::{Map, NodeId};

use crate::error::{LabError, bad_request};
use crate::maps::random_free_cell;

/// Cells that are tried to find one that fits.
const TRIES: u32 = 200;

/// Cells of which the best connected becomes the first goal.
const SAMPLES: usize = 24;

/// Agents and their goals.
#[derive(Debug)]
pub(super) struct Crowd {
    map: Map,
    goals: Vec<NodeId>,
    positions: Vec<NodeId>,
    /// The number of the goal of each agent.
    targets: Vec<u8>,
    random: Random,
    steps: u64,
    arrivals: u64,
    last_step: Duration,
}

impl Crowd {
    /// Puts agents on free cells. Goals that are not given are chosen.
    pub(super) fn new(
        map: &Map,
        (given, goals): (&[NodeId], usize),
        agents: usize,
        seed: u64,
    ) -> Result<Self, LabError> {
        if map.usable_count() == 0 {
            return Err(LabError::WrongMap("This map has no free cell.".into()));
        }
        let mut crowd = Self {
            map: map.clone(),
            goals: Vec::new(),
            positions: Vec::new(),
            targets: Vec::new(),
            random: Random::new(seed),
            steps: 0,
            arrivals: 0,
            last_step: Duration::ZERO,
        };
        for &goal in given.iter().take(goals.max(1)) {
            crowd.check(goal)?;
            crowd.goals.push(goal);
        }
        if crowd.goals.is_empty() {
            let first = crowd.well_connected();
            crowd.goals.push(first);
        }
        while crowd.goals.len() < goals {
            let next = crowd.random_goal();
            crowd.goals.push(next);
        }
        for agent in 0..agents {
            let position = crowd.reachable_cell();
            crowd.positions.push(position);
            crowd.targets.push((agent % crowd.goals.len()) as u8);
        }
        Ok(crowd)
    }

    pub(super) fn map(&self) -> &Map {
        &self.map
    }

    pub(super) fn goals(&self) -> &[NodeId] {
        &self.goals
    }

    pub(super) fn positions(&self) -> &[NodeId] {
        &self.positions
    }

    /// The number of the goal of each agent.
    pub(super) fn targets(&self) -> &[u8] {
        &self.targets
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// How often agents have reached their goals.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// The time of the last step.
    pub(super) fn last_step(&self) -> Duration {
        self.last_step
    }

    pub(super) fn count_step(&mut self, time: Duration) {
        self.steps += 1;
        self.last_step = time;
    }

    /// The cell to which an agent is on its way.
    pub(super) fn goal_of(&self, agent: usize) -> NodeId {
        self.goals[usize::from(self.targets[agent])]
    }

    pub(super) fn is_there(&self, agent: usize) -> bool {
        self.positions[agent] == self.goal_of(agent)
    }

    /// Whether an agent has to walk and can.
    pub(super) fn can_walk(&self, agent: usize) -> bool {
        !self.is_there(agent) && self.map.may_reach(self.positions[agent], self.goal_of(agent))
    }

    /// Puts an agent on a cell. If that is its goal, it turns to the next one; returns whether it
    /// did.
    pub(super) fn walk_to(&mut self, agent: usize, node: NodeId) -> bool {
        if self.positions[agent] == node {
            return false;
        }
        self.positions[agent] = node;
        if !self.is_there(agent) {
            return false;
        }
        self.arrivals += 1;
        let next = (usize::from(self.targets[agent]) + 1) % self.goals.len();
        self.targets[agent] = next as u8;
        self.goals.len() > 1
    }

    /// Moves a goal; returns whether that changes anything.
    pub(super) fn move_goal(&mut self, at: usize, cell: NodeId) -> Result<bool, LabError> {
        self.check(cell)?;
        let missing = || bad_request(format!("there is no goal {at}"));
        let goal = self.goals.get_mut(at).ok_or_else(missing)?;
        Ok(std::mem::replace(goal, cell) != cell)
    }

    /// Moves all goals to random cells that agents can reach.
    pub(super) fn renew_goals(&mut self) {
        for at in 0..self.goals.len() {
            self.goals[at] = self.random_goal();
        }
    }

    fn check(&self, goal: NodeId) -> Result<(), LabError> {
        Ok(self.map.check(goal)?)
    }

    /// A free cell from which many others can be reached.
    fn well_connected(&mut self) -> NodeId {
        let samples: Vec<NodeId> = (0..SAMPLES).filter_map(|_| self.free_cell(|_| true)).collect();
        let reached = |&&node: &&NodeId| {
            samples.iter().filter(|&&other| self.map.may_reach(node, other)).count()
        };
        samples.iter().max_by_key(reached).copied().unwrap_or_else(|| self.any_free_cell())
    }

    /// A random cell in the same part of the map as the first goal.
    fn random_goal(&mut self) -> NodeId {
        self.reachable_cell()
    }

    fn reachable_cell(&mut self) -> NodeId {
        let goal = self.goals[0];
        let map = self.map.clone();
        self.free_cell(|node| map.may_reach(node, goal)).unwrap_or(goal)
    }

    /// A random free cell that fits.
    fn free_cell(&mut self, fits: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        random_free_cell(&self.map, &mut self.random, TRIES, fits)
    }

    /// The first free cell; there is one.
    fn any_free_cell(&self) -> NodeId {
        (0..self.map.node_count() as NodeId).find(|&node| self.map.contains(node)).unwrap_or(0)
    }
}
