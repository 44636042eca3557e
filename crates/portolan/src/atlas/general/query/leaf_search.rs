//! Shortest paths between two members of a leaf that do not leave it: a Dijkstra search over the
//! members.
//!
//! Labels and tables cover all paths that leave the leaf.

use super::access::{AccessGroup, AccessNode};
use crate::atlas::general::index::{GeneralIndex, on_core};
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Direction, Graph, NodeId};
use crate::search::queue::{Entry, Queue};

#[derive(Default)]
pub(crate) struct LeafSearch {
    costs: Vec<Cost>,
    /// The previous member; the member itself at a start.
    before: Vec<u32>,
    queue: Queue,
}

impl LeafSearch {
    /// The least cost between access nodes of the two groups that are in the same leaf, and the two
    /// access nodes.
    pub(crate) fn search<'g>(
        &mut self,
        index: &GeneralIndex,
        from: &'g AccessGroup,
        to: &'g AccessGroup,
    ) -> Option<(Cost, &'g AccessNode, &'g AccessNode)> {
        let leaf = from.deepest().home.region;
        if leaf != to.deepest().home.region || index.region(leaf).leaf().is_none() {
            return None;
        }
        let here = |access: &&AccessNode| access.home.region == leaf;
        let known = self.costs_from(index, leaf, from.nodes().filter(here));
        let reached = to.nodes().filter(here).filter_map(|goal| {
            let cost = plus(known[goal.home.slot as usize], goal.cost)?;
            Some((cost, goal))
        });
        let (cost, goal) = reached.min_by_key(|&(cost, goal)| (cost, goal.number))?;
        let first = self.first(goal.home.slot);
        let start = from.nodes().filter(here).find(|access| {
            access.home.slot == first && access.cost == self.costs[first as usize]
        })?;
        Some((cost, start, goal))
    }

    fn costs_from<'g>(
        &mut self,
        index: &GeneralIndex,
        leaf: RegionId,
        starts: impl Iterator<Item = &'g AccessNode>,
    ) -> &[Cost] {
        let members = &index.region(leaf).members;
        self.costs.clear();
        self.costs.resize(members.len(), UNREACHABLE);
        self.before.clear();
        self.before.extend(0..members.len() as u32);
        self.queue.clear();
        for start in starts {
            let (slot, cost) = (start.home.slot as usize, start.cost);
            if cost < self.costs[slot] {
                self.costs[slot] = cost;
            }
        }
        for (slot, &cost) in (0..).zip(&self.costs) {
            if cost != UNREACHABLE {
                self.queue.push(Entry { bound: cost, cost, node: slot });
            }
        }
        while let Some(Entry { cost, node, .. }) = self.queue.pop() {
            if cost != self.costs[node as usize] {
                continue;
            }
            on_core!(&index.core, graph => graph.out_edges(members[node as usize], |head, weight| {
                let home = index.homes.of(head);
                let Some(cost) = plus(cost, weight).filter(|_| home.region == leaf) else { return };
                let slot = home.slot as usize;
                if cost < self.costs[slot] {
                    (self.costs[slot], self.before[slot]) = (cost, node);
                    self.queue.push(Entry { bound: cost, cost, node: home.slot });
                }
            }));
        }
        &self.costs
    }

    /// The start of the path to a member.
    fn first(&self, slot: u32) -> u32 {
        let mut slot = slot;
        while self.before[slot as usize] != slot {
            slot = self.before[slot as usize];
        }
        slot
    }

    /// Builds the path that the last search found, from the start of the query to the access node
    /// of the goal.
    pub(crate) fn walk(
        &self,
        index: &GeneralIndex,
        from: NodeId,
        (start, goal): (&AccessNode, &AccessNode),
        builder: &mut PathBuilder,
    ) -> Option<()> {
        debug_assert_eq!(builder.direction, Direction::Forward);
        let members = &index.region(goal.home.region).members;
        let mut slots = Vec::new();
        let mut slot = goal.home.slot;
        while self.before[slot as usize] != slot {
            slots.push(slot);
            slot = self.before[slot as usize];
        }
        builder.start(from);
        builder.enter_core(index, from, start);
        slots.into_iter().rev().try_for_each(|slot| builder.step(index, members[slot as usize]))
    }
}
