//! Two nodes of the same leaf: the shortest way that never leaves it, by a search over its few
//! members.
//!
//! Tables hold what leads out of a leaf; this is the rest.

use super::region::Way;
use crate::atlas::general::index::{End, GeneralIndex, Group, on_core};
use crate::atlas::general::path_cache::walk::Walker;
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::search::queue::{Entry, Queue};

#[derive(Default)]
pub(crate) struct Inside {
    costs: Vec<Cost>,
    /// The member before each, its own number at a start.
    before: Vec<u32>,
    queue: Queue,
}

impl Inside {
    /// The least cost from ends of one group to ends of the other that are at home in the same
    /// leaf, and the two ends.
    pub(crate) fn search<'g>(
        &mut self,
        index: &GeneralIndex,
        from: &'g Group,
        to: &'g Group,
    ) -> Option<(Cost, &'g End, &'g End)> {
        let leaf = from.deepest().place.home;
        if leaf != to.deepest().place.home || index.region(leaf).leaf().is_none() {
            return None;
        }
        let here = |end: &&End| end.place.home == leaf;
        let known = self.spread(index, leaf, from.ends().filter(here));
        let reached = to.ends().filter(here).filter_map(|goal| {
            let cost = plus(known[goal.place.slot as usize], goal.cost)?;
            Some((cost, goal))
        });
        let (cost, goal) = reached.min_by_key(|&(cost, goal)| (cost, goal.tie))?;
        let first = self.first(goal.place.slot);
        let start = from
            .ends()
            .filter(here)
            .find(|end| end.place.slot == first && end.cost == self.costs[first as usize])?;
        Some((cost, start, goal))
    }

    fn spread<'g>(
        &mut self,
        index: &GeneralIndex,
        leaf: RegionId,
        starts: impl Iterator<Item = &'g End>,
    ) -> &[Cost] {
        let members = &index.region(leaf).members;
        self.costs.clear();
        self.costs.resize(members.len(), UNREACHABLE);
        self.before.clear();
        self.before.extend(0..members.len() as u32);
        self.queue.clear();
        for start in starts {
            let (slot, cost) = (start.place.slot as usize, start.cost);
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
                let place = index.places.of(head);
                let Some(cost) = plus(cost, weight).filter(|_| place.home == leaf) else { return };
                let slot = place.slot as usize;
                if cost < self.costs[slot] {
                    (self.costs[slot], self.before[slot]) = (cost, node);
                    self.queue.push(Entry { bound: cost, cost, node: place.slot });
                }
            }));
        }
        &self.costs
    }

    /// The start of the way to a member.
    fn first(&self, slot: u32) -> u32 {
        let mut slot = slot;
        while self.before[slot as usize] != slot {
            slot = self.before[slot as usize];
        }
        slot
    }

    /// Walks the way that the last search found, from the one end of the path to the core node of
    /// the other.
    pub(crate) fn walk(
        &self,
        index: &GeneralIndex,
        from: NodeId,
        (start, goal): (&End, &End),
        walker: &mut Walker,
    ) -> Option<()> {
        debug_assert_eq!(walker.way, Way::Out);
        let members = &index.region(goal.place.home).members;
        let mut slots = Vec::new();
        let mut slot = goal.place.slot;
        while self.before[slot as usize] != slot {
            slots.push(slot);
            slot = self.before[slot as usize];
        }
        walker.start(from);
        walker.enter_core(index, from, start);
        slots.into_iter().rev().try_for_each(|slot| walker.step(index, members[slot as usize]))
    }
}
