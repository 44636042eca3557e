//! The small graph that a query searches: pseudo-code 1 of the paper, as a [`Graph`].
//!
//! Its nodes are the start, the goal, and the borders of all subgraphs that contain the start or
//! the goal. From a member of a subgraph on the start's side, edges lead up to the borders of that
//! subgraph. From a member of a subgraph on the goal's side, they lead down to the borders of its
//! child on the goal's side or, in the goal's leaf, to the goal. Lengths come from the tables, so
//! every search on graphs works here, in either direction.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::location::Extent;
use crate::map::Map;
use crate::ppa::index::PpaIndex;
use crate::ppa::region_tree::SubgraphId;

pub(super) struct LayeredGraph<'a> {
    index: &'a PpaIndex,
    /// The subgraphs that contain the start and those that contain the goal, by level.
    above_start: &'a [SubgraphId],
    above_goal: &'a [SubgraphId],
    start: (NodeId, usize),
    goal: (NodeId, usize),
}

impl<'a> LayeredGraph<'a> {
    /// The small graph for two endpoints; `None` if one of them is not a node.
    pub(super) fn new(index: &'a PpaIndex, from: NodeId, to: NodeId) -> Option<Self> {
        let (start, goal) = (index.positions.of(from)?, index.positions.of(to)?);
        Some(Self {
            index,
            above_start: index.tree.ancestors(start.leaf),
            above_goal: index.tree.ancestors(goal.leaf),
            start: (from, start.index as usize),
            goal: (to, goal.index as usize),
        })
    }

    /// Calls `visit(level, subgraph, number)` for every subgraph that has this node as a member.
    #[inline(always)]
    fn memberships(&self, node: NodeId, mut visit: impl FnMut(usize, SubgraphId, usize)) {
        let Some(position) = self.index.positions.of(node) else { return };
        let mut index = Some(position.index as usize);
        let above = self.index.tree.ancestors(position.leaf);
        for (level, &id) in above.iter().enumerate() {
            let Some(number) = index else { return };
            visit(level, id, number);
            if let Some(&parent) = above.get(level + 1) {
                index = self.index.index_above(id, parent, index);
            }
        }
    }

    /// Calls `visit(number)` for every member of a subgraph that is in this small graph, for some
    /// of them twice.
    fn members_here(&self, level: usize, id: SubgraphId, mut visit: impl FnMut(usize)) {
        (0..self.index.subgraph(id).borders).for_each(&mut visit);
        for (above, (_, index)) in [(self.above_start, self.start), (self.above_goal, self.goal)] {
            if above[level] != id {
                continue;
            }
            match level.checked_sub(1) {
                None => visit(index),
                Some(below) => {
                    let slots = self.index.slots(id, above[below]);
                    slots.iter().for_each(|&slot| visit(slot as usize));
                }
            }
        }
    }
}

impl Graph for LayeredGraph<'_> {
    fn node_count(&self) -> usize {
        self.index.map.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.index.map.contains(node)
    }

    fn extent(&self) -> Extent {
        self.index.map.extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.memberships(tail, |level, id, number| {
            let members = &self.index.subgraph(id).members;
            let mut edge = |head: NodeId, cost: Cost| {
                if cost != UNREACHABLE {
                    visit(head, cost);
                }
            };
            if self.above_start[level] == id {
                for (&head, &cost) in members.iter().zip(self.index.to_borders(id, number)) {
                    edge(head, cost);
                }
            }
            if self.above_goal[level] != id {
                return;
            }
            match level.checked_sub(1) {
                None => edge(self.goal.0, self.index.distance(id, number, self.goal.1)),
                Some(below) => {
                    for &slot in self.index.slots(id, self.above_goal[below]) {
                        let slot = slot as usize;
                        edge(members[slot], self.index.distance(id, number, slot));
                    }
                }
            }
        });
    }

    fn in_edges(&self, head: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.memberships(head, |level, id, number| {
            let subgraph = self.index.subgraph(id);
            let is_upward = self.above_start[level] == id && number < subgraph.borders;
            let is_downward = self.above_goal[level] == id
                && match level.checked_sub(1) {
                    None => head == self.goal.0,
                    Some(below) => {
                        let slots = self.index.slots(id, self.above_goal[below]);
                        slots.contains(&(number as u32))
                    }
                };
            if !is_upward && !is_downward {
                return;
            }
            self.members_here(level, id, |tail| {
                let cost = self.index.distance(id, tail, number);
                if cost != UNREACHABLE {
                    visit(subgraph.members[tail], cost);
                }
            });
        });
    }

    fn is_undirected(&self) -> bool {
        false
    }

    /// Grids answer at once. A graph may first have to find its components, which takes longer than
    /// the search here.
    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        match &self.index.map {
            Map::Grid(grid) => grid.may_reach(from, to),
            Map::Graph(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::generate::Rooms;
    use crate::heuristic::HeuristicChoice;
    use crate::ppa::{Ppa, PpaConfig, Tables};
    use crate::search_engine::{Algorithm, SearchConfig, SearchEngine};
    use crate::{Build, Engine, Map, UNREACHABLE};

    /// Figure 11 of the paper: start and goal share a leaf, and the shortest path leaves it.
    #[test]
    fn the_way_out_of_the_leaf_and_back_is_found() {
        let rooms = Rooms { width: 40, height: 40, room: 5, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let dijkstra = SearchConfig::new(Algorithm::Dijkstra, HeuristicChoice::Auto);
        let dijkstra = SearchEngine::build(&map, &dijkstra).unwrap();
        let mut truth = dijkstra.query();
        for tables in [Tables::Distances, Tables::Steps, Tables::OnDemand] {
            for bidirectional in [false, true] {
                let splits = Some(3);
                let config = PpaConfig { tables, bidirectional, splits, ..PpaConfig::default() };
                let ppa = Ppa::build(&map, &config).unwrap();
                let mut query = ppa.query();
                let (mut detours, mut only_outside) = (0, 0);
                for leaf in ppa.index.tree.level(0) {
                    let members = &ppa.index.subgraph(leaf).members;
                    let pairs = (0..members.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
                    for (a, b) in pairs {
                        let (from, to) = (members[a], members[b]);
                        let shortest = truth.distance(from, to).unwrap().unwrap();
                        let inside = ppa.index.distance(leaf, a, b);
                        if inside == shortest {
                            continue;
                        }
                        assert!(inside > shortest);
                        detours += 1;
                        only_outside += usize::from(inside == UNREACHABLE);
                        let route = query.find(from, to).unwrap().unwrap();
                        assert_eq!(route.cost(), shortest, "{from} to {to}");
                        assert_eq!(map.walk(route.nodes()), Ok(shortest), "{from} to {to}");
                    }
                }
                assert!(detours > 100 && only_outside > 0, "{detours} {only_outside}");
            }
        }
    }
}
