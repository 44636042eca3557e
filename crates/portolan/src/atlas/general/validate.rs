//! Checks of all invariants of an index; for tests, after builds and after edits.
//!
//! Regions are compared with those that the build computes from the same members, label rows with
//! Dijkstra searches. That takes much longer than building.

use rayon::prelude::*;

use super::direction::{PerDirection, along_path, opposite, visit_edges};
use super::index::{GeneralIndex, on_core};
use super::labels::Labels;
use super::labels::exits::{Exit, Exits};
use super::labels::hops::NO_HOP;
use super::labels::layout::{LabelScope, Layout, Rank};
use super::path_cache::PathCache;
use super::path_cache::hop_paths::HopPaths;
use super::tables;
use super::tables::dissected::Dissected;
use super::tables::region::{Region, RegionTables};
use crate::atlas::Atlas;
use crate::atlas::index::Index;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Direction, Graph, NodeId};
use crate::search::queue::{Entry, Queue};

/// Limit for the nodes visited by all searches. On larger maps only some of the separator nodes are
/// checked.
const MAX_VISITED: usize = 1 << 26;

/// Why an index is invalid, and where. Costs are costs in the core, which scales weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIndex {
    /// A passable node has no home, or its home does not have it as a member.
    #[error("node {node} is not a member of its home")]
    Home {
        /// The node.
        node: NodeId,
    },
    /// Two neighbours that no separator separates.
    #[error(
        "the edge from node {tail} to node {head} joins two regions that are not above each other"
    )]
    Apart {
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
    },
    /// A part of a region differs from what the map determines.
    #[error("the {what} of region {region} do not match the map")]
    Region {
        /// The number of the region.
        region: u32,
        /// The border, the positions in the parent, or one of the tables.
        what: &'static str,
    },
    /// Labels that differ from what the regions determine.
    #[error("the {what} of the labels do not match the regions")]
    Labels {
        /// The rows, the exits, or the cached paths.
        what: &'static str,
    },
    /// A label entry that no path has, or that is not the least where it must be.
    #[error(
        "the label from node {from} to node {to} is {found} and must be between {least} and {most}"
    )]
    Entry {
        /// The start of the path.
        from: NodeId,
        /// The end of the path.
        to: NodeId,
        /// The label entry.
        found: Cost,
        /// The cost of a shortest path.
        least: Cost,
        /// The cost of a shortest path over no higher separator node.
        most: Cost,
    },
    /// A hop without a target, or a missing hop that a path needs.
    #[error("hop {found} on the path from node {from} to node {to} {reason}")]
    Hop {
        /// The start of the path.
        from: NodeId,
        /// The end of the path.
        to: NodeId,
        /// The number of the exit.
        found: u16,
        /// The reason.
        reason: &'static str,
    },
}

impl Atlas {
    /// Checks all invariants of the index against the map.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::{Build, Engine, Grid, Map};
    /// let map = Map::from(Grid::new(20, 10)?);
    /// Atlas::build(&map, &AtlasConfig::default())?.validate()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self) -> Result<(), InvalidIndex> {
        match &self.index {
            Index::General(index) => index.validate(),
            Index::Uniform(uniform) => uniform.validate(),
        }
    }
}

impl GeneralIndex {
    fn validate(&self) -> Result<(), InvalidIndex> {
        on_core!(&self.core, graph => Validator::new(self, graph).check())
    }
}

struct Validator<'a, G> {
    index: &'a GeneralIndex,
    dissected: Dissected<'a, G>,
}

impl<'a, G: Graph> Validator<'a, G> {
    fn new(index: &'a GeneralIndex, graph: &'a G) -> Self {
        Self { index, dissected: Dissected { graph, tree: &index.tree, homes: &index.homes } }
    }

    fn check(&self) -> Result<(), InvalidIndex> {
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
        let graph = self.dissected.graph;
        (0..graph.node_count() as NodeId).filter(|&node| graph.contains(node))
    }

    fn check_homes(&self) -> Result<(), InvalidIndex> {
        let (homes, regions) = (self.dissected.homes, &self.index.regions);
        for (id, region) in (0..).zip(regions) {
            for (slot, &node) in (0..).zip(region.members.iter()) {
                if (homes.of(node).region, homes.of(node).slot) != (id, slot) {
                    return Err(InvalidIndex::Home { node });
                }
            }
        }
        for node in 0..self.dissected.graph.node_count() as NodeId {
            let home = homes.of(node);
            let is_there = match regions.get(home.region as usize) {
                Some(region) => region.members.get(home.slot as usize) == Some(&node),
                None => home.region == NO_REGION && !self.dissected.graph.contains(node),
            };
            if !is_there {
                return Err(InvalidIndex::Home { node });
            }
        }
        Ok(())
    }

    fn check_edges(&self) -> Result<(), InvalidIndex> {
        let (tree, homes) = (self.dissected.tree, self.dissected.homes);
        let mut apart = None;
        for tail in self.nodes() {
            self.dissected.graph.out_edges(tail, |head, _| {
                let access_homes = (homes.of(tail).region, homes.of(head).region);
                let common = tree.common(access_homes.0, access_homes.1);
                if common != access_homes.0 && common != access_homes.1 {
                    apart = Some(InvalidIndex::Apart { tail, head });
                }
            });
        }
        apart.map_or(Ok(()), Err)
    }

    fn check_region(&self, id: RegionId) -> Result<(), InvalidIndex> {
        let (tree, regions) = (self.dissected.tree, &self.index.regions);
        let children: Vec<_> = tree.children(id).map(|id| &regions[id as usize]).collect();
        let region = self.index.region(id);
        let (expected, in_parents) =
            tables::build_region(&self.dissected, id, region.members.clone(), &children);
        if let Some(what) = difference(region, &expected) {
            return Err(InvalidIndex::Region { region: id, what });
        }
        let of_root = (id == 0 && !region.in_parent.is_empty()).then_some(0);
        let lifted = children
            .iter()
            .zip(&in_parents)
            .map(|(child, in_parent)| child.in_parent == *in_parent);
        let of_child = tree.children(id).zip(lifted).find(|(_, same)| !same).map(|(id, _)| id);
        match of_root.or(of_child) {
            Some(region) => Err(InvalidIndex::Region { region, what: "positions in the parent" }),
            None => Ok(()),
        }
    }

    fn check_labels(&self, labels: &Labels) -> Result<(), InvalidIndex> {
        let Dissected { graph, tree, homes } = self.dissected;
        let regions = &self.index.regions;
        let layout = &labels.layout;
        // Not the scope of the layout: an empty map has both, and the layout cannot tell which.
        let scopes = [LabelScope::AllNodes, LabelScope::SeparatorNodes];
        let follows = scopes.iter().any(|&scope| Layout::new(tree, regions, scope) == *layout);
        let entries = labels.costs.each().all(|costs| costs.len() == layout.entries())
            && labels.hops.hops.each().all(|hops| hops.len() == layout.separator_entries());
        if !follows || !entries {
            return Err(InvalidIndex::Labels { what: "rows" });
        }
        if Exits::build(&Dissected { graph, tree, homes }, regions, layout) != labels.hops.exits {
            return Err(InvalidIndex::Labels { what: "exits" });
        }
        let separators: Vec<NodeId> = labels.hops.exits.nodes.to_vec();
        let step = (separators.len() * graph.node_count()).div_ceil(MAX_VISITED).max(1);
        for direction in PerDirection::make(graph.is_undirected(), |direction| direction).each() {
            let checked = separators.par_iter().step_by(step);
            first_of(checked.map(|&to| self.check_column(labels, *direction, to)))?;
        }
        self.check_cached_paths(labels)
    }

    /// Compares cached paths with those that rows and hops determine.
    fn check_cached_paths(&self, labels: &Labels) -> Result<(), InvalidIndex> {
        let Labels { layout, costs, hops, hop_paths, cache } = labels;
        let built = HopPaths::build(self.index, layout, hops, u64::MAX);
        if hop_paths.is_some() && *hop_paths != built {
            return Err(InvalidIndex::Labels { what: "hop paths" });
        }
        let built = built.and_then(|hop_paths| {
            PathCache::build(self.index, layout, costs, hops, &hop_paths, u64::MAX)
        });
        if cache.is_some() && *cache != built {
            return Err(InvalidIndex::Labels { what: "cached paths" });
        }
        Ok(())
    }

    /// Checks the entries for one hub in all rows.
    fn check_column(
        &self,
        labels: &Labels,
        direction: Direction,
        to: NodeId,
    ) -> Result<(), InvalidIndex> {
        let (tree, homes) = (self.dissected.tree, self.dissected.homes);
        let (to_region, order) = (homes.of(to).region, self.dissected.order(to));
        let Some(entry) = self.rank(labels, to).map(|rank| labels.layout.range(rank).len() - 1)
        else {
            return Ok(());
        };
        let below = |node: NodeId| {
            let home = homes.of(node);
            home.region != NO_REGION
                && tree.common(home.region, to_region) == to_region
                && self.dissected.order(node) >= order
        };
        let least = self.search(direction, to, |_| true);
        let most = self.search(direction, to, below);
        for node in self.nodes().filter(|&node| below(node)) {
            let Some(rank) = self.rank(labels, node) else { continue };
            let (least, most) = (least[node as usize], most[node as usize]);
            let found = labels.row(direction, rank).get(entry).copied().unwrap_or(UNREACHABLE);
            let (from, to) = along_path(direction, node, to);
            if found < least || found > most {
                return Err(InvalidIndex::Entry { from, to, found, least, most });
            }
            // Without a path, a hop may have any value.
            let has_hop = found != UNREACHABLE && (rank as usize) < labels.layout.separators();
            if has_hop {
                let (hop, checked) = self.check_hop(labels, direction, rank, entry, least == most);
                checked.map_err(|reason| InvalidIndex::Hop { from, to, found: hop, reason })?;
            }
        }
        Ok(())
    }

    /// The hop of an entry, and whether its target exists and the costs add up.
    fn check_hop(
        &self,
        labels: &Labels,
        direction: Direction,
        rank: Rank,
        entry: usize,
        needed: bool,
    ) -> (u16, Result<(), &'static str>) {
        let range = labels.layout.range(rank);
        if range.len() == entry + 1 {
            return (NO_HOP, Ok(()));
        }
        let hop = labels.hops.hop(direction, range.start + entry);
        let exits = &labels.hops.exits;
        let reached = match exits.exit(rank, hop) {
            _ if hop == NO_HOP => {
                return (hop, if needed { Err("is missing") } else { Ok(()) });
            }
            None => None,
            Some(Exit::Edge(to)) => {
                let nodes = (exits.nodes[rank as usize], exits.nodes[to as usize]);
                self.edge(direction, nodes.0, nodes.1).map(|cost| (to, cost))
            }
            Some(Exit::Leaf { leaf, from, to }) => {
                exits.border(leaf).get(to as usize).map(|&rank| {
                    let (from, to) = along_path(direction, from as usize, to as usize);
                    (rank, self.index.region(leaf).crossing_cost(from, to))
                })
            }
        };
        let Some((next, cost)) = reached else {
            return (hop, Err("has no target"));
        };
        let rest = labels.row(direction, next).get(entry).and_then(|&rest| plus(rest, cost));
        let adds_up = rest == labels.row(direction, rank).get(entry).copied() && cost > 0;
        (hop, if adds_up { Ok(()) } else { Err("does not add up") })
    }

    fn rank(&self, labels: &Labels, node: NodeId) -> Option<Rank> {
        let home = self.dissected.homes.of(node);
        labels.layout.rank(home.region, home.slot)
    }

    /// The cheapest edge from one node to another in this direction.
    fn edge(&self, direction: Direction, from: NodeId, to: NodeId) -> Option<Cost> {
        let mut cheapest = None;
        visit_edges(self.dissected.graph, direction, from, |other, cost| {
            if other == to {
                cheapest = Some(cheapest.map_or(cost, |known: Cost| known.min(cost)));
            }
        });
        cheapest
    }

    /// If `Forward`, the costs from allowed nodes to `goal`; if `Backward`, from `goal`.
    fn search(
        &self,
        direction: Direction,
        goal: NodeId,
        allowed: impl Fn(NodeId) -> bool,
    ) -> Vec<Cost> {
        let mut costs = vec![UNREACHABLE; self.dissected.graph.node_count()];
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
            visit_edges(self.dissected.graph, opposite(direction), node, visit);
        }
        costs
    }
}

/// The first error in order, independent of the threads.
fn first_of(
    checks: impl IndexedParallelIterator<Item = Result<(), InvalidIndex>>,
) -> Result<(), InvalidIndex> {
    checks.find_map_first(Result::err).map_or(Ok(()), Err)
}

/// The part in which two regions with the same members differ, except positions in the parent.
fn difference(a: &Region, b: &Region) -> Option<&'static str> {
    if a.border != b.border {
        return Some("border nodes");
    }
    if a.crossings != b.crossings {
        return Some("crossings");
    }
    match (&a.tables, &b.tables) {
        (RegionTables::Branch(a), RegionTables::Branch(b)) => {
            (a.via != b.via).then_some("costs to the separator")
        }
        (RegionTables::Leaf(a), RegionTables::Leaf(b)) => {
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
    use crate::engine::Build;
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
    fn a_node_with_a_wrong_home_is_reported() {
        let mut index = index();
        assert_eq!(index.validate(), Ok(()));
        let [a, b] = [0, 1].map(|id| index.regions[id].members[0]);
        let home = index.homes.of(a);
        index.homes.set(b, home);
        assert_eq!(index.validate(), Err(InvalidIndex::Home { node: b }));
    }

    #[test]
    fn neighbours_without_a_separator_are_reported() {
        let mut index = index();
        // Two nodes of different leaves swap homes, so that one is separated from its neighbours.
        let has_neighbour_at_home = |node: NodeId| {
            let home = index.homes.of(node).region;
            let mut found = false;
            on_core!(&index.core, graph => graph.out_edges(node, |head, _| {
                found |= index.homes.of(head).region == home;
            }));
            found
        };
        let mut leaves = index.regions.iter().filter(|region| region.leaf().is_some());
        let one = leaves.find_map(|leaf| {
            leaf.members.iter().copied().find(|&node| has_neighbour_at_home(node))
        });
        let homes = [one.unwrap(), leaves.next().unwrap().members[0]]
            .map(|node| (node, index.homes.of(node)));
        for (node, home) in [(homes[0].0, homes[1].1), (homes[1].0, homes[0].1)] {
            let region = std::sync::Arc::make_mut(&mut index.regions[home.region as usize]);
            let mut members = region.members.to_vec();
            members[home.slot as usize] = node;
            region.members = members.into();
            index.homes.set(node, home);
        }
        assert!(matches!(index.validate(), Err(InvalidIndex::Apart { .. })));
    }

    #[test]
    fn changed_positions_in_the_parent_are_reported() {
        let mut index = index();
        let region = std::sync::Arc::make_mut(&mut index.regions[3]);
        region.in_parent = region.in_parent.iter().map(|&at| at + 1).collect();
        assert_eq!(
            index.validate(),
            Err(InvalidIndex::Region { region: 3, what: "positions in the parent" })
        );
    }

    #[test]
    fn changed_cached_paths_are_reported() {
        let roads = crate::generate::Roads { nodes: 400, ..crate::generate::Roads::default() };
        let config = AtlasConfig { leaf_size: Some(12), ..AtlasConfig::default() };
        let map = Map::from(roads.generate().unwrap());
        let build = || Atlas::build(&map, &config).unwrap();
        assert_eq!(build().validate(), Ok(()));
        let altered = |alter: fn(&mut PathCache)| {
            let mut atlas = build();
            let labels =
                std::sync::Arc::get_mut(atlas.index.general().labels.as_mut().unwrap()).unwrap();
            alter(labels.cache.as_mut().expect("the memory limit allows everything"));
            atlas.validate()
        };
        fn less(words: &crate::store::Words) -> crate::store::Words {
            words.iter().map(|&word| word.max(1) - 1).collect()
        }
        let broken = Err(InvalidIndex::Labels { what: "cached paths" });
        assert_eq!(altered(|cache| cache.leaf_paths.nodes = less(&cache.leaf_paths.nodes)), broken);
        assert_eq!(altered(|cache| cache.shortcuts.nodes = less(&cache.shortcuts.nodes)), broken);
        assert_eq!(
            altered(
                |cache| cache.shortcuts.targets.forward = less(&cache.shortcuts.targets.forward)
            ),
            broken
        );
        assert_eq!(
            altered(|cache| cache.access_homes.homes = less(&cache.access_homes.homes)),
            broken
        );
    }
}
