//! Whether an index is what it should be; for tests, after builds and after edits.
//!
//! Everything is held against the map: the regions against what the build makes of the same
//! members, the rows of labels against plain searches. That takes much longer than building.

use rayon::prelude::*;

use super::index::{GeneralIndex, on_core};
use super::labels::hops::{Exit, Exits, NO_HOP};
use super::labels::{Labels, Layout, Rank};
use super::path_cache::Ready;
use super::path_cache::strips::Strips;
use super::tables;
use super::tables::frame::Frame;
use super::tables::region::{Both, Region, Tables, Way};
use crate::atlas::Atlas;
use crate::atlas::index::Index;
use crate::atlas::separator_tree::{NONE, RegionId};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::search::queue::{Entry, Queue};

/// Nodes that the searches for the rows may look at, in all; on larger maps rows are checked for
/// some of the separator nodes only.
const LOOKS: usize = 1 << 26;

/// What is wrong with an index, and where. Costs are those of the core, which scales weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// A node that can be stood on has no region, or one that does not have it.
    #[error("node {node} is not at home where it is said to be")]
    Home {
        /// The node.
        node: NodeId,
    },
    /// Two neighbours that are separated by nothing.
    #[error(
        "there is an edge from node {tail} to node {head}, and neither's home lies in the other's"
    )]
    Apart {
        /// Where the edge starts.
        tail: NodeId,
        /// Where it ends.
        head: NodeId,
    },
    /// A part of a region that the map does not bear out.
    #[error("the {what} of region {region} are not what the map makes of its members")]
    Region {
        /// The number of the region.
        region: u32,
        /// Its border, its lifts, or one of its tables.
        what: &'static str,
    },
    /// Labels that belong to other regions.
    #[error("the {what} of the labels do not follow from the regions")]
    Labels {
        /// The rows, the exits, or what lies ready to be copied.
        what: &'static str,
    },
    /// A cost in the row of a node that no way has, or that is not the least where it must be.
    #[error("the label from node {from} to node {to} is {found} and should be {least} to {most}")]
    Entry {
        /// Where the way starts.
        from: NodeId,
        /// Where it ends.
        to: NodeId,
        /// What the row says.
        found: Cost,
        /// The cost of a shortest path.
        least: Cost,
        /// The cost of one that meets no higher separator node on its way.
        most: Cost,
    },
    /// A hop that leads nowhere, or is missing where a path needs it.
    #[error("hop {found} on the way from node {from} to node {to} {reason}")]
    Hop {
        /// Where the way starts.
        from: NodeId,
        /// Where it ends.
        to: NodeId,
        /// The number of the exit.
        found: u16,
        /// Why it cannot be.
        reason: &'static str,
    },
}

impl Atlas {
    /// Checks all invariants of the index against the map.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::{Engine, Grid, Map};
    /// let map = Map::from(Grid::new(20, 10)?);
    /// Atlas::build(&map, &AtlasConfig::default())?.validate()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self) -> Result<(), Broken> {
        match &self.index {
            Index::General(index) => index.validate(),
            Index::Uniform(uniform) => uniform.validate(),
        }
    }
}

impl GeneralIndex {
    fn validate(&self) -> Result<(), Broken> {
        on_core!(&self.core, graph => Checking::new(self, graph).check())
    }
}

struct Checking<'a, G> {
    index: &'a GeneralIndex,
    frame: Frame<'a, G>,
}

impl<'a, G: Graph> Checking<'a, G> {
    fn new(index: &'a GeneralIndex, graph: &'a G) -> Self {
        Self { index, frame: Frame { graph, tree: &index.tree, places: &index.places } }
    }

    fn check(&self) -> Result<(), Broken> {
        self.check_homes()?;
        self.check_edges()?;
        let regions = 0..self.index.regions.len() as RegionId;
        first_of(regions.into_par_iter().map(|id| self.check_region(id)))?;
        match self.index.labels.as_deref() {
            Some(labels) => self.check_labels(labels),
            None => Ok(()),
        }
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let graph = self.frame.graph;
        (0..graph.node_count() as NodeId).filter(|&node| graph.contains(node))
    }

    fn check_homes(&self) -> Result<(), Broken> {
        let (places, regions) = (self.frame.places, &self.index.regions);
        for (id, region) in (0..).zip(regions) {
            for (slot, &node) in (0..).zip(region.members.iter()) {
                if (places.of(node).home, places.of(node).slot) != (id, slot) {
                    return Err(Broken::Home { node });
                }
            }
        }
        for node in 0..self.frame.graph.node_count() as NodeId {
            let place = places.of(node);
            let is_there = match regions.get(place.home as usize) {
                Some(home) => home.members.get(place.slot as usize) == Some(&node),
                None => place.home == NONE && !self.frame.graph.contains(node),
            };
            if !is_there {
                return Err(Broken::Home { node });
            }
        }
        Ok(())
    }

    fn check_edges(&self) -> Result<(), Broken> {
        let (tree, places) = (self.frame.tree, self.frame.places);
        let mut apart = None;
        for tail in self.nodes() {
            self.frame.graph.out_edges(tail, |head, _| {
                let homes = (places.of(tail).home, places.of(head).home);
                let common = tree.common(homes.0, homes.1);
                if common != homes.0 && common != homes.1 {
                    apart = Some(Broken::Apart { tail, head });
                }
            });
        }
        apart.map_or(Ok(()), Err)
    }

    fn check_region(&self, id: RegionId) -> Result<(), Broken> {
        let (tree, regions) = (self.frame.tree, &self.index.regions);
        let children: Vec<_> = tree.children(id).map(|id| &regions[id as usize]).collect();
        let region = self.index.region(id);
        let (expected, lifts) = tables::one(&self.frame, id, region.members.clone(), &children);
        if let Some(what) = difference(region, &expected) {
            return Err(Broken::Region { region: id, what });
        }
        let of_root = (id == 0 && !region.lift.is_empty()).then_some(0);
        let lifted = children.iter().zip(&lifts).map(|(child, lift)| child.lift == *lift);
        let of_child = tree.children(id).zip(lifted).find(|(_, same)| !same).map(|(id, _)| id);
        match of_root.or(of_child) {
            Some(region) => Err(Broken::Region { region, what: "lifts" }),
            None => Ok(()),
        }
    }

    fn check_labels(&self, labels: &Labels) -> Result<(), Broken> {
        let Frame { graph, tree, places } = self.frame;
        let regions = &self.index.regions;
        let layout = &labels.layout;
        let follows = [true, false].iter().any(|&i| Layout::new(tree, regions, i) == *layout);
        let entries = labels.costs.each().all(|costs| costs.len() == layout.entries())
            && labels.hops.hops.each().all(|hops| hops.len() == layout.separator_entries());
        if !follows || !entries {
            return Err(Broken::Labels { what: "rows" });
        }
        if Exits::build(&Frame { graph, tree, places }, regions, layout) != labels.hops.exits {
            return Err(Broken::Labels { what: "exits" });
        }
        let separators: Vec<NodeId> = labels.hops.exits.nodes.to_vec();
        let step = (separators.len() * graph.node_count()).div_ceil(LOOKS).max(1);
        for way in Both::make(graph.is_undirected(), |way| way).each() {
            let checked = separators.par_iter().step_by(step);
            first_of(checked.map(|&to| self.check_column(labels, *way, to)))?;
        }
        self.check_ready(labels)
    }

    /// Whether strips, and what else lies ready, is what the rows and hops make.
    fn check_ready(&self, labels: &Labels) -> Result<(), Broken> {
        let Labels { layout, costs, hops, strips, ready } = labels;
        let built = Strips::build(self.index, layout, hops, u64::MAX);
        if strips.is_some() && *strips != built {
            return Err(Broken::Labels { what: "strips" });
        }
        let built = built
            .and_then(|strips| Ready::build(self.index, layout, costs, hops, &strips, u64::MAX));
        if ready.is_some() && *ready != built {
            return Err(Broken::Labels { what: "legs or jumps" });
        }
        Ok(())
    }

    /// Checks the entries for one separator node in all rows that have one.
    fn check_column(&self, labels: &Labels, way: Way, to: NodeId) -> Result<(), Broken> {
        let (tree, places) = (self.frame.tree, self.frame.places);
        let (home, order) = (places.of(to).home, self.frame.order(to));
        let Some(entry) = self.rank(labels, to).map(|rank| labels.layout.range(rank).len() - 1)
        else {
            return Ok(());
        };
        let below = |node: NodeId| {
            let place = places.of(node);
            place.home != NONE
                && tree.common(place.home, home) == home
                && self.frame.order(node) >= order
        };
        let least = self.search(way, to, |_| true);
        let most = self.search(way, to, below);
        for node in self.nodes().filter(|&node| below(node)) {
            let Some(rank) = self.rank(labels, node) else { continue };
            let (least, most) = (least[node as usize], most[node as usize]);
            let found = labels.row(way, rank).get(entry).copied().unwrap_or(UNREACHABLE);
            let (from, to) = ends(way, node, to);
            if found < least || found > most {
                return Err(Broken::Entry { from, to, found, least, most });
            }
            // Where there is no way, a hop may be anything.
            let has_hop = found != UNREACHABLE && (rank as usize) < labels.layout.separators();
            if has_hop {
                let (hop, checked) = self.check_hop(labels, way, rank, entry, least == most);
                checked.map_err(|reason| Broken::Hop { from, to, found: hop, reason })?;
            }
        }
        Ok(())
    }

    /// The hop of an entry, and whether it leads along a real exit by which the costs add up.
    fn check_hop(
        &self,
        labels: &Labels,
        way: Way,
        rank: Rank,
        entry: usize,
        needed: bool,
    ) -> (u16, Result<(), &'static str>) {
        let range = labels.layout.range(rank);
        if range.len() == entry + 1 {
            return (NO_HOP, Ok(()));
        }
        let hop = labels.hops.hop(way, range.start + entry);
        let exits = &labels.hops.exits;
        let reached = match exits.exit(rank, hop) {
            _ if hop == NO_HOP => {
                return (hop, if needed { Err("is missing") } else { Ok(()) });
            }
            None => None,
            Some(Exit::Edge(to)) => {
                let nodes = (exits.nodes[rank as usize], exits.nodes[to as usize]);
                self.edge(way, nodes.0, nodes.1).map(|cost| (to, cost))
            }
            Some(Exit::Leaf { leaf, from, to }) => {
                exits.border(leaf).get(to as usize).map(|&rank| {
                    let (from, to) = ends(way, from as usize, to as usize);
                    (rank, self.index.region(leaf).crossing(from, to))
                })
            }
        };
        let Some((next, cost)) = reached else {
            return (hop, Err("leads along no exit"));
        };
        let rest = labels.row(way, next).get(entry).and_then(|&rest| plus(rest, cost));
        let adds_up = rest == labels.row(way, rank).get(entry).copied() && cost > 0;
        (hop, if adds_up { Ok(()) } else { Err("does not add up") })
    }

    fn rank(&self, labels: &Labels, node: NodeId) -> Option<Rank> {
        let place = self.frame.places.of(node);
        labels.layout.rank(place.home, place.slot)
    }

    /// The cheapest edge from one node to another, on the way of a walk.
    fn edge(&self, way: Way, from: NodeId, to: NodeId) -> Option<Cost> {
        let mut cheapest = None;
        let mut look = |other: NodeId, cost: Cost| {
            if other == to {
                cheapest = Some(cheapest.map_or(cost, |known: Cost| known.min(cost)));
            }
        };
        match way {
            Way::Out => self.frame.graph.out_edges(from, &mut look),
            Way::Into => self.frame.graph.in_edges(from, &mut look),
        }
        cheapest
    }

    /// The costs to a node, or for the way into from it, over nodes that are allowed.
    fn search(&self, way: Way, goal: NodeId, allowed: impl Fn(NodeId) -> bool) -> Vec<Cost> {
        let mut costs = vec![UNREACHABLE; self.frame.graph.node_count()];
        let mut queue = Queue::default();
        costs[goal as usize] = 0;
        queue.push(Entry { bound: 0, cost: 0, node: goal });
        while let Some(Entry { cost, node, .. }) = queue.pop() {
            if cost != costs[node as usize] {
                continue;
            }
            let visit = |other: NodeId, weight: Cost| {
                let sum = plus(cost, weight).filter(|&sum| sum < costs[other as usize]);
                if let Some(cost) = sum.filter(|_| allowed(other)) {
                    costs[other as usize] = cost;
                    queue.push(Entry { bound: cost, cost, node: other });
                }
            };
            match way {
                Way::Out => self.frame.graph.in_edges(node, visit),
                Way::Into => self.frame.graph.out_edges(node, visit),
            }
        }
        costs
    }
}

/// The start and the end of a way between two things of which the first walks.
fn ends<T>(way: Way, walker: T, other: T) -> (T, T) {
    match way {
        Way::Out => (walker, other),
        Way::Into => (other, walker),
    }
}

/// The first of the errors, whoever finds it.
fn first_of(checks: impl IndexedParallelIterator<Item = Result<(), Broken>>) -> Result<(), Broken> {
    checks.find_map_first(Result::err).map_or(Ok(()), Err)
}

/// What two regions of the same members differ in, lifts aside.
fn difference(a: &Region, b: &Region) -> Option<&'static str> {
    if a.border != b.border {
        return Some("border nodes");
    }
    if a.cross != b.cross {
        return Some("crossings");
    }
    match (&a.tables, &b.tables) {
        (Tables::Branch(a), Tables::Branch(b)) => (a.via != b.via).then_some("costs via C"),
        (Tables::Leaf(a), Tables::Leaf(b)) => {
            let costs = (a.reach != b.reach).then_some("costs to the border");
            let steps = (a.steps != b.steps).then_some("steps");
            costs.or(steps).or((a.enter != b.enter).then_some("entrances"))
        }
        _ => Some("tables"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{AtlasConfig, Form};
    use crate::engine::Engine;
    use crate::generate::Rooms;
    use crate::map::Map;

    fn index() -> GeneralIndex {
        let grid = Rooms { width: 24, height: 18, room: 5, ..Rooms::default() }.generate();
        let config =
            AtlasConfig { form: Form::General, leaf_size: Some(6), ..AtlasConfig::default() };
        let mut atlas = Atlas::build(&Map::from(grid.unwrap()), &config).unwrap();
        atlas.index.general().clone()
    }

    #[test]
    fn nodes_away_from_home_are_found() {
        let mut index = index();
        assert_eq!(index.validate(), Ok(()));
        let [a, b] = [0, 1].map(|id| index.regions[id].members[0]);
        let place = index.places.of(a);
        index.places.set(b, place);
        assert_eq!(index.validate(), Err(Broken::Home { node: b }));
    }

    #[test]
    fn neighbours_that_nothing_separates_are_found() {
        let mut index = index();
        // A node leaves its neighbour behind and changes places with a node of another leaf.
        let homely = |node: NodeId| {
            let home = index.places.of(node).home;
            let mut found = false;
            on_core!(&index.core, graph => graph.out_edges(node, |head, _| {
                found |= index.places.of(head).home == home;
            }));
            found
        };
        let mut leaves = index.regions.iter().filter(|region| region.leaf().is_some());
        let one = leaves.find_map(|leaf| leaf.members.iter().copied().find(|&node| homely(node)));
        let places = [one.unwrap(), leaves.next().unwrap().members[0]]
            .map(|node| (node, index.places.of(node)));
        for (node, place) in [(places[0].0, places[1].1), (places[1].0, places[0].1)] {
            let region = std::sync::Arc::make_mut(&mut index.regions[place.home as usize]);
            let mut members = region.members.to_vec();
            members[place.slot as usize] = node;
            region.members = members.into();
            index.places.set(node, place);
        }
        assert!(matches!(index.validate(), Err(Broken::Apart { .. })));
    }

    #[test]
    fn altered_lifts_are_found() {
        let mut index = index();
        let region = std::sync::Arc::make_mut(&mut index.regions[3]);
        region.lift = region.lift.iter().map(|&at| at + 1).collect();
        assert_eq!(index.validate(), Err(Broken::Region { region: 3, what: "lifts" }));
    }

    #[test]
    fn altered_legs_and_jumps_are_found() {
        let roads = crate::generate::Roads { nodes: 400, ..crate::generate::Roads::default() };
        let config = AtlasConfig { leaf_size: Some(12), ..AtlasConfig::default() };
        let map = Map::from(roads.generate().unwrap());
        let build = || Atlas::build(&map, &config).unwrap();
        assert_eq!(build().validate(), Ok(()));
        let altered = |alter: fn(&mut Ready)| {
            let mut atlas = build();
            let labels =
                std::sync::Arc::get_mut(atlas.index.general().labels.as_mut().unwrap()).unwrap();
            alter(labels.ready.as_mut().expect("there is room for everything"));
            atlas.validate()
        };
        fn less(words: &crate::store::Words) -> crate::store::Words {
            words.iter().map(|&word| word.max(1) - 1).collect()
        }
        let broken = Err(Broken::Labels { what: "legs or jumps" });
        assert_eq!(altered(|ready| ready.legs.nodes = less(&ready.legs.nodes)), broken);
        assert_eq!(altered(|ready| ready.jumps.nodes = less(&ready.jumps.nodes)), broken);
        assert_eq!(altered(|ready| ready.jumps.next.out = less(&ready.jumps.next.out)), broken);
        assert_eq!(altered(|ready| ready.homes.places = less(&ready.homes.places)), broken);
    }
}
