//! Following edits of the grid, in the neighbourhood alone.
//!
//! What depends on a cell's neighbours is written anew in the 3 x 3 block round each edited cell. The subgoals whose
//! runs come into a block are its *watchers*: their runs are found anew. They are the same before the edit and
//! after it: an edited cell has its block all round it, so a run comes into the block by a cell that is free at both
//! times, over cells that are the same at both.
//!
//! Watchers, and subgoals at the ends of new runs, are from then on taken to be left in every direction that their corners
//! allow, which is right for any subgoal and only makes sets of ties larger. A subgoal that may now be left along a
//! diagonal hides others there and is hidden by others, which gives it edges to the next on either side.

use std::collections::{BTreeMap, BTreeSet};

use super::compass::{Departures, Diagonal, Straight};
use super::graph::{Edge, Facts, Onward, Subgoals, hidden_behind, runs_from};
use super::run::Spot;
use super::sight::Sight;
use crate::graph::NodeId;
use crate::grid::Grid;

impl Subgoals {
    /// The subgoals of a grid in which these cells were blocked or freed.
    pub(crate) fn edited(&self, grid: &Grid, cells: impl IntoIterator<Item = NodeId>) -> Self {
        let mut block = BTreeSet::new();
        for cell in cells {
            let spot = self.sight.spot(cell);
            for (x, y) in (spot.y - 1..=spot.y + 1)
                .flat_map(|y| (spot.x - 1..=spot.x + 1).map(move |x| (x, y)))
            {
                let inside = (1..=grid.width()).contains(&x) && (1..=grid.height()).contains(&y);
                block.extend(inside.then(|| self.sight.node(Spot { x, y })));
            }
        }
        let watchers = watchers(&self.sight, &block);
        let mut editing = Editing { old: self, new: self.clone(), watchers };
        let corners = editing.write(grid, &block);
        editing.connect(&corners);
        editing.new
    }
}

struct Editing<'a> {
    old: &'a Subgoals,
    new: Subgoals,
    watchers: BTreeSet<NodeId>,
}

impl Editing<'_> {
    /// Writes the block anew, and what is seen of it from elsewhere; returns the corners in it.
    fn write(&mut self, grid: &Grid, block: &BTreeSet<NodeId>) -> BTreeMap<NodeId, u8> {
        let sight = &mut self.new.sight;
        let mut corners = BTreeMap::new();
        for &node in block {
            let spot = sight.spot(node);
            corners.insert(node, sight.write_local(grid, spot));
            sight.write_corners(spot, corners[&node]);
            sight.forget(spot);
        }
        for &node in block {
            let spot = sight.spot(node);
            Straight::ALL.into_iter().for_each(|direction| sight.sweep_straight(spot, direction));
            Diagonal::ALL.into_iter().for_each(|direction| sight.sweep_diagonal(spot, direction));
        }
        corners
    }

    /// The facts of a subgoal after the edit; `None` for cells that are none.
    fn facts(&self, block: &BTreeMap<NodeId, u8>, node: NodeId) -> Option<Facts> {
        match block.get(&node) {
            Some(0) => None,
            Some(&corners) => Some(Facts { corners, onward: Onward::ANY }),
            None => self.old.facts(node),
        }
    }

    /// Finds the runs of all watchers anew and puts the edges right.
    fn connect(&mut self, block: &BTreeMap<NodeId, u8>) {
        let mut runs: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        let mut open: BTreeSet<NodeId> = BTreeSet::new();
        for &node in &self.watchers {
            let heads = runs.entry(node).or_default();
            let Some(facts) = self.facts(block, node) else { continue };
            open.insert(node);
            let sight = &self.new.sight;
            runs_from(sight, node, facts.corners, |_, seen| heads.push(sight.node(seen.spot)));
            let known = self.old.edges(node);
            let is_new = |head: &&NodeId| {
                let at = known.binary_search_by_key(*head, |edge| edge.head);
                at.map_or(true, |at| known[at].straight_first)
            };
            open.extend(heads.iter().filter(is_new));
        }
        let mut lists = Lists { old: self.old, lists: BTreeMap::new() };
        for &node in &self.watchers {
            lists.forget_runs(node, &self.watchers);
        }
        let mut opened = BTreeMap::new();
        for &node in &open {
            let Some(facts) = self.facts(block, node) else { continue };
            let facts = Facts { onward: Onward::ANY, ..facts };
            self.new.sight.leave(node, facts.corners, Departures::ANY);
            opened.insert(node, facts);
        }
        for (&node, heads) in &runs {
            heads.iter().for_each(|&head| lists.add(node, head));
        }
        let sight = &self.new.sight;
        for (&node, facts) in &opened {
            hidden_behind(sight, node, facts, |head| lists.add(node, head));
            let spot = sight.spot(node);
            for direction in Diagonal::ALL {
                // Whoever hides this one from others.
                let hides = facts.corners & direction.turning() != 0;
                if let Some(steps) = sight.hidden_by(spot, direction).filter(|_| hides) {
                    lists.add(sight.node(spot.step(direction.delta(), steps)), node);
                }
            }
        }
        let mut changes = BTreeMap::new();
        let touched = lists.lists.keys().copied().chain(self.watchers.iter().copied());
        for node in touched.chain(opened.keys().copied()).collect::<BTreeSet<_>>() {
            let facts = opened.get(&node).copied().or_else(|| self.facts(block, node));
            let edges = lists.lists.remove(&node);
            let edges = edges.unwrap_or_else(|| self.old.edges(node).to_vec());
            let was = self.old.facts(node).is_some();
            if facts.is_some() || was {
                changes.insert(node, facts.map(|facts| (facts, edges)));
            }
        }
        self.new.replace(&changes);
    }
}

/// The subgoals that see cells of the block, and the cells themselves.
fn watchers(sight: &Sight, block: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut watchers: Vec<NodeId> = block.iter().copied().collect();
    for &node in block {
        sight.watchers(sight.spot(node), |spot| watchers.push(sight.node(spot)));
    }
    BTreeSet::from_iter(watchers)
}

/// The edges of subgoals that have others than before.
struct Lists<'a> {
    old: &'a Subgoals,
    lists: BTreeMap<NodeId, Vec<Edge>>,
}

impl Lists<'_> {
    fn of(&mut self, node: NodeId) -> &mut Vec<Edge> {
        let old = self.old;
        self.lists.entry(node).or_insert_with(|| old.edges(node).to_vec())
    }

    /// Takes away the edges that runs from a watcher make, at both ends.
    fn forget_runs(&mut self, node: NodeId, watchers: &BTreeSet<NodeId>) {
        for &Edge { head, straight_first } in self.old.edges(node) {
            let comes_back = {
                let back = self.old.edges(head);
                let at = back.binary_search_by_key(&node, |edge| edge.head);
                at.is_ok_and(|at| !back[at].straight_first)
            };
            let other_stays = comes_back && !watchers.contains(&head);
            let list = self.of(node);
            list.retain(|edge| edge.head != head);
            if other_stays {
                list.push(Edge { head, straight_first: true });
            }
            if !straight_first && !other_stays {
                self.of(head).retain(|edge| edge.head != node);
            }
        }
    }

    /// Adds the edge that a run from one subgoal to another makes.
    fn add(&mut self, from: NodeId, to: NodeId) {
        let list = self.of(from);
        match list.iter_mut().find(|edge| edge.head == to) {
            Some(edge) => edge.straight_first = false,
            None => list.push(Edge { head: to, straight_first: false }),
        }
        let back = self.of(to);
        if !back.iter().any(|edge| edge.head == from) {
            back.push(Edge { head: from, straight_first: true });
        }
    }
}
