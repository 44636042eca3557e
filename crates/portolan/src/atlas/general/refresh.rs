//! Following edits of the map.
//!
//! The tree stays. The nodes at which a core edge changed determine the regions to rebuild. A
//! parent is rebuilt only if the border or the crossings of a child changed. All other regions are
//! shared with the index before the edit. The result has no labels: until they are built again
//! ([`Atlas::relabelled`](crate::atlas::Atlas::relabelled)), queries climb.
//!
//! A new edge may join two nodes such that neither's home is the other's or above it, which the
//! tree forbids. One of the two is then *lifted* into the separator of the lowest common ancestor
//! of both homes. The homes of its other neighbours are above or below that region, so no other
//! node moves. A new node becomes a member of a leaf together with its neighbours, or is lifted at
//! once. Lifting makes separators larger; an index with too many lifted nodes is built from
//! scratch. Changes of weights alone go to `reweigh.rs`.
//!
//! On graphs, the core is computed from scratch, in time linear in the size of the graph. Nodes
//! that were in the core stay there even if an edit put them on a chain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::core::{ReducedGraph, Scale};
use super::index::{Core, GeneralIndex, on_core};
use super::tables;
use super::tables::dissected::Dissected;
use super::tables::homes::Home;
use super::tables::region::Region;
use crate::atlas::AtlasConfig;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::changes::Changes;
use crate::cost::{Cost, DIAGONAL, TERRAIN_DIAGONAL};
use crate::graph::{Graph, NodeId, touching};
use crate::grid::Grid;
use crate::map::Map;
use crate::store::Words;

/// The index of the edited map, without labels; `None` if it must be built from scratch.
pub(crate) fn refresh(
    old: &GeneralIndex,
    map: &Map,
    changes: &Changes,
    config: &AtlasConfig,
) -> Option<GeneralIndex> {
    let (core, scale, touched) = match (&old.core, map) {
        (Core::Grid(before), Map::Grid(grid)) if before.same_rules(grid) => {
            let scale = old.scale.after_edit(grid.passable_count(), highest_step_cost(grid));
            (Core::Grid(Box::new(grid.clone())), scale, changes.touched_cells(grid).collect())
        }
        (Core::Reduced(before), Map::Graph(graph)) => {
            let scale = Scale::of(graph);
            if !scale.same_factor(old.scale) {
                return None;
            }
            let core =
                ReducedGraph::new(graph, scale, |node| old.homes.of(node).region != NO_REGION);
            let touched = touched_nodes(before, &core);
            (Core::Reduced(Arc::new(core)), scale, touched)
        }
        _ => return None,
    };
    let mut new = GeneralIndex { map: map.clone(), core, scale, labels: None, ..old.clone() };
    if new.undirected() != old.undirected() {
        return None;
    }
    new.homes.grow(map.node_count());
    let mut moves =
        HomeChanges { old, members: BTreeMap::new(), dirty: BTreeSet::new(), lifted: 0 };
    on_core!(&new.core.clone(), graph => moves.assign_homes(&mut new, graph, &touched));
    new.lifted += moves.lifted;
    let leaf = moves.members.iter().filter(|&(&id, _)| new.tree.is_leaf(id));
    let largest_leaf = leaf.map(|(_, members)| members.len()).max().unwrap_or(0);
    if new.lifted > MAX_LIFTED || largest_leaf > super::build::largest_leaf(config) {
        return None;
    }
    on_core!(&new.core.clone(), graph => rebuild(&mut new, graph, moves));
    Some(new)
}

/// With more lifted nodes, the tree is built from scratch.
const MAX_LIFTED: usize = 256;

/// No step of the grid costs more, whatever its terrain.
fn highest_step_cost(grid: &Grid) -> Cost {
    match grid.has_terrain() {
        true => 2 * Cost::from(u8::MAX) * TERRAIN_DIAGONAL,
        false => DIAGONAL,
    }
}

/// The nodes whose core edges changed.
fn touched_nodes(before: &ReducedGraph, after: &ReducedGraph) -> BTreeSet<NodeId> {
    let edges = |core: &ReducedGraph, node: NodeId| {
        let mut edges = Vec::new();
        core.out_edges(node, |head, weight| edges.push((head, weight)));
        core.in_edges(node, |tail, weight| edges.push((tail, weight)));
        edges
    };
    let nodes = 0..before.node_count().max(after.node_count()) as NodeId;
    let touched = nodes.filter(|&node| {
        (before.contains(node) || after.contains(node))
            && (before.contains(node) != after.contains(node)
                || edges(before, node) != edges(after, node))
    });
    touched.collect()
}

/// The changes of members and homes.
struct HomeChanges<'a> {
    old: &'a GeneralIndex,
    /// The new members of regions whose members changed.
    members: BTreeMap<RegionId, Vec<NodeId>>,
    /// The regions to rebuild.
    dirty: BTreeSet<RegionId>,
    lifted: usize,
}

impl HomeChanges<'_> {
    /// Gives every touched node a home that its edges allow, and marks the regions to rebuild.
    fn assign_homes<G: Graph>(
        &mut self,
        new: &mut GeneralIndex,
        graph: &G,
        touched: &BTreeSet<NodeId>,
    ) {
        for &node in touched {
            // Old neighbours may lose the node from their borders.
            on_core!(&self.old.core, graph => self.mark_dirty(new, graph, node));
            if !graph.contains(node) {
                self.remove(new, node);
            }
        }
        let mut lifted = BTreeSet::new();
        for &node in touched.iter().filter(|&&node| graph.contains(node)) {
            if new.homes.of(node).region == NO_REGION {
                let home = self.home_for(new, graph, node);
                self.insert(new, node, home);
            }
            touching(graph, graph.is_undirected(), node, |other, _| {
                let (home, other_home) = (new.homes.of(node).region, new.homes.of(other).region);
                if other_home == NO_REGION || on_one_branch(new, home, other_home) {
                    return;
                }
                self.lifted += 1;
                self.remove(new, node);
                self.insert(new, node, new.tree.common(home, other_home));
                lifted.insert(node);
            });
        }
        for &node in &lifted {
            self.mark_borders_with(new, graph, node);
        }
        for &node in touched {
            self.mark_dirty(new, graph, node);
        }
    }

    /// Marks the homes of a node and of its neighbours.
    fn mark_dirty<G: Graph>(&mut self, new: &GeneralIndex, graph: &G, node: NodeId) {
        let mut mark = |node: NodeId| {
            let home = new.homes.of(node).region;
            if home != NO_REGION {
                self.dirty.insert(home);
            }
        };
        mark(node);
        touching(graph, graph.is_undirected(), node, |other, _| mark(other));
    }

    /// Marks every region that has a lifted node in its border, since its position there changed.
    fn mark_borders_with<G: Graph>(&mut self, new: &GeneralIndex, graph: &G, node: NodeId) {
        let depth = new.tree.node(new.homes.of(node).region).depth;
        touching(graph, graph.is_undirected(), node, |other, _| {
            let home = new.homes.of(other).region;
            if home != NO_REGION {
                let below = new.tree.ancestors(home);
                self.dirty.extend(below.take_while(|&id| new.tree.node(id).depth > depth));
            }
        });
    }

    /// The home of a new node: the lowest home of its neighbours if all others are above it, else
    /// the lowest common ancestor of the homes that are not on one branch of the tree.
    fn home_for<G: Graph>(&mut self, new: &GeneralIndex, graph: &G, node: NodeId) -> RegionId {
        let mut home = 0;
        let mut apart = false;
        touching(graph, graph.is_undirected(), node, |other, _| {
            let other = new.homes.of(other).region;
            if other == NO_REGION {
                return;
            }
            let common = new.tree.common(home, other);
            if common == home && !apart {
                home = other;
            } else if common != home && common != other {
                (home, apart) = (common, true);
            }
        });
        self.lifted += usize::from(apart);
        while !apart && !new.tree.is_leaf(home) {
            home = new.tree.node(home).children[0];
        }
        home
    }

    fn members_of(&mut self, id: RegionId) -> &mut Vec<NodeId> {
        let old = self.old;
        self.members.entry(id).or_insert_with(|| old.region(id).members.to_vec())
    }

    fn insert(&mut self, new: &mut GeneralIndex, node: NodeId, region: RegionId) {
        let members = self.members_of(region);
        let slot = members.len() as u32;
        members.push(node);
        new.homes.set(node, Home { region, slot });
        self.dirty.insert(region);
    }

    fn remove(&mut self, new: &mut GeneralIndex, node: NodeId) {
        let Home { region, slot } = new.homes.of(node);
        if region == NO_REGION {
            return;
        }
        let members = self.members_of(region);
        members.remove(slot as usize);
        for (slot, &moved) in members.iter().enumerate().skip(slot as usize) {
            new.homes.set(moved, Home { region, slot: slot as u32 });
        }
        new.homes.set(node, Home::NONE);
        self.dirty.insert(region);
    }
}

/// Whether one region is the other or above it.
fn on_one_branch(index: &GeneralIndex, a: RegionId, b: RegionId) -> bool {
    let common = index.tree.common(a, b);
    common == a || common == b
}

/// Rebuilds the dirty regions from the leaves up, and each parent if its input changed.
fn rebuild<G: Graph>(new: &mut GeneralIndex, graph: &G, moves: HomeChanges<'_>) {
    let HomeChanges { mut members, mut dirty, .. } = moves;
    // Regions are numbered level by level, so the last one comes before its parent.
    while let Some(id) = dirty.pop_last() {
        let before = new.regions[id as usize].clone();
        let members = members.remove(&id).map_or_else(|| before.members.clone(), Words::from);
        let dissected = Dissected { graph, tree: &new.tree, homes: &new.homes };
        let children: Vec<&Arc<Region>> =
            new.tree.children(id).map(|child| &new.regions[child as usize]).collect();
        let (mut region, in_parents) = tables::build_region(&dissected, id, members, &children);
        let same = region.border == before.border && region.crossings == before.crossings;
        region.in_parent = before.in_parent.clone();
        new.regions[id as usize] = Arc::new(region);
        for (child, in_parent) in new.tree.children(id).zip(in_parents) {
            let child = &mut new.regions[child as usize];
            if child.in_parent != in_parent {
                Arc::make_mut(child).in_parent = in_parent;
            }
        }
        let parent = new.tree.node(id).parent;
        if !same && parent != NO_REGION {
            dirty.insert(parent);
        }
    }
}
