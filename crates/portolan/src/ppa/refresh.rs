//! Follows edits of the map.
//!
//! Only nodes at a changed cell or edge can change anything: they determine the leaves to check,
//! and the higher subgraphs of which they are members. Subgraphs are checked from the leaves
//! upwards:
//!
//! - If members or borders have changed, the subgraph is rebuilt.
//! - Otherwise the changed edges between its members are collected, virtual ones included. A row of
//!   the table stays as it is unless an edge that became longer was on a shortest path from its
//!   member, or an edge that became shorter now makes a shorter one. Exactly those rows are
//!   recomputed.
//!
//! A parent is checked for the sake of a child only if the child's borders or the distances between
//! them have changed: the early stop of the paper. All other subgraphs are shared with the index
//! before the edit.
//!
//! Tables on demand are shared before their rows exist, and whichever index first needs a row fills
//! it for both. So a table on demand is shared only if each of its rows, computed or not, is the
//! same in both: rows of a child that are not computed yet count as changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::build::subgraphs::{is_heavy, leaf, upper, upper_members};
use super::index::{PpaIndex, Subgraph};
use super::region_tree::{LeafPosition, NO_LEAF, SubgraphId};
use super::tables::Table;
use super::tables::rows::{ChangedEdge, LeafRows};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId, touching};
use crate::map::{Map, on_graph};
use crate::search::queue::Queue;

/// The index of the edited map; `None` if it has to be built from scratch.
pub(super) fn refresh(
    old: &PpaIndex,
    map: &Map,
    changes: &Changes,
    steps: bool,
) -> Option<PpaIndex> {
    if old.undirected && !stays_undirected(map, changes) {
        return None;
    }
    let touched = touched_nodes(&old.map, map, changes);
    let mut new = PpaIndex { map: map.clone(), ..old.clone() };
    let mut work = IndexRefresh { old, steps, changed: BTreeSet::new() };
    let leaves = work.assign_leaves(&mut new, &touched);
    for leaf_id in leaves {
        on_graph!(map, graph => work.refresh_leaf(&mut new, graph, leaf_id, &touched));
    }
    for level in 1..old.tree.levels() {
        for id in work.candidates(&new, &touched, level) {
            work.refresh_upper(&mut new, level, id);
        }
    }
    Some(new)
}

struct IndexRefresh<'a> {
    old: &'a PpaIndex,
    steps: bool,
    /// The subgraphs whose borders, or distances between borders, have changed.
    changed: BTreeSet<SubgraphId>,
}

impl IndexRefresh<'_> {
    /// Assigns a leaf to new nodes and removes it from deleted ones; returns all leaves to check.
    fn assign_leaves(
        &self,
        new: &mut PpaIndex,
        touched: &BTreeSet<NodeId>,
    ) -> BTreeSet<SubgraphId> {
        let nodes = new.map.node_count();
        if new.positions.0.len() != nodes {
            let none = LeafPosition { leaf: NO_LEAF, index: 0 };
            Arc::make_mut(&mut new.positions).0.resize(nodes, none);
        }
        let mut leaves = BTreeSet::new();
        for &node in touched {
            let before = new.positions.of(node).map(|position| position.leaf);
            let after = match (new.map.contains(node), before) {
                (true, Some(leaf_id)) => Some(leaf_id),
                (true, None) => Some(self.leaf_for(new, node)),
                (false, _) => None,
            };
            if before != after {
                let leaf = after.unwrap_or(NO_LEAF);
                Arc::make_mut(&mut new.positions).0[node as usize].leaf = leaf;
            }
            leaves.extend(before.into_iter().chain(after));
        }
        leaves
    }

    /// The leaf of a neighbour or, for an isolated node, the smallest leaf.
    fn leaf_for(&self, new: &PpaIndex, node: NodeId) -> SubgraphId {
        let mut leaf_id = None;
        let mut look = |other: NodeId, _| {
            leaf_id = leaf_id.or(new.positions.of(other).map(|position| position.leaf));
        };
        on_graph!(&new.map, graph => touching(graph, new.undirected, node, &mut look));
        let smallest = new.tree.level(0).min_by_key(|&leaf| new.subgraph(leaf).members.len());
        leaf_id.or(smallest).unwrap_or(0)
    }

    fn refresh_leaf(
        &mut self,
        new: &mut PpaIndex,
        graph: &impl Graph,
        id: SubgraphId,
        touched: &BTreeSet<NodeId>,
    ) {
        let before = self.old.subgraph(id);
        let is_in_leaf = |index: &PpaIndex, node: NodeId| {
            index.positions.of(node).is_some_and(|position| position.leaf == id)
        };
        let mut members = before.members.clone();
        members.retain(|&node| is_in_leaf(new, node));
        let newcomers = touched.iter().filter(|&&node| is_in_leaf(new, node));
        members.extend(newcomers.filter(|&&node| !is_in_leaf(self.old, node)));
        let rows = LeafRows::new(graph, &before.members);
        let same_borders = members == before.members
            && before.members.iter().enumerate().all(|(index, &node)| {
                new.is_border(graph, node, 0, id) == (index < before.borders)
            });
        if !same_borders {
            let built = leaf(graph, new.undirected, members, new.layout, self.steps);
            Arc::make_mut(&mut new.positions).set_members(id, &built.members);
            self.install(new, id, built);
            return;
        }
        let old_rows = on_graph!(&self.old.map, graph => LeafRows::new(graph, &before.members));
        let changed = old_rows.changed_edges(&rows);
        let mut queue = Queue::default();
        if let Some(table) = self.refreshed_table(id, &changed, |member, costs, steps| {
            rows.compute(member, costs, steps, &mut queue);
        }) {
            let heavy = before.heavy || rows.is_heavy() || is_heavy(&table);
            self.install(new, id, before.with_table(table, heavy));
        }
    }

    fn refresh_upper(&mut self, new: &mut PpaIndex, level: usize, id: SubgraphId) {
        let before = self.old.subgraph(id);
        let after = on_graph!(&new.map, graph => upper_members(new, graph, level, id));
        let same = after.members == before.members
            && after.borders == before.borders
            && after.slots == before.slots
            && after.first_slot == before.first_slot;
        if !same {
            let built = upper(new, level, id, self.steps);
            self.install(new, id, built);
            return;
        }
        let rows = new.upper_rows(id, before);
        let old_rows = self.old.upper_rows(id, before);
        let mut changed = old_rows.changed_edges(&rows);
        let children = new.tree.children(id).filter(|child| self.changed.contains(child));
        if before.table.is_on_demand() {
            if !changed.is_empty() || children.count() > 0 {
                self.install(new, id, before.with_table(before.table.emptied(), before.heavy));
            }
            return;
        }
        for child in children {
            self.changed_virtual_edges(new, id, child, &mut changed);
        }
        let index = &*new;
        if let Some(table) = self.refreshed_table(id, &changed, |member, costs, steps| {
            rows.compute(index, member, costs, steps);
        }) {
            let heavy = before.heavy || rows.is_heavy() || is_heavy(&table);
            self.install(new, id, before.with_table(table, heavy));
        }
    }

    /// The subgraphs of a level that the edit may have changed.
    fn candidates(
        &self,
        new: &PpaIndex,
        touched: &BTreeSet<NodeId>,
        level: usize,
    ) -> BTreeSet<SubgraphId> {
        let below = new.tree.level(level - 1);
        let parents = self.changed.range(below).map(|&child| new.tree.parent(child));
        let mut candidates: BTreeSet<SubgraphId> = parents.collect();
        // A touched node matters here only if it is, or was, a member.
        for index in [self.old, new] {
            let below = touched.iter().filter_map(|&node| index.locate(node, level - 1));
            let borders = below.filter(|&(child, member)| {
                member.is_some_and(|member| member < index.subgraph(child).borders)
            });
            candidates.extend(borders.map(|(child, _)| new.tree.parent(child)));
        }
        candidates
    }

    /// The table after these edge changes; `None` if it stays the same.
    fn refreshed_table(
        &self,
        id: SubgraphId,
        changed: &[ChangedEdge],
        row: impl FnMut(usize, &mut [Cost], Option<&mut [u16]>),
    ) -> Option<Table> {
        if changed.is_empty() {
            return None;
        }
        let before = self.old.subgraph(id);
        if before.table.is_on_demand() {
            return Some(before.table.emptied());
        }
        let members = before.members.len();
        // With very many edges, checking each row would take longer than computing it.
        let all = changed.len() > members;
        let affected: Vec<usize> =
            (0..members).filter(|&member| all || self.is_affected(id, member, changed)).collect();
        (!affected.is_empty()).then(|| before.table.with_rows(&affected, row))
    }

    /// Whether distances from a member may have changed.
    fn is_affected(&self, id: SubgraphId, member: usize, changed: &[ChangedEdge]) -> bool {
        let distance = |to: u32| self.old.distance(id, member, to as usize);
        changed.iter().any(|edge| {
            let (tail, head) = (distance(edge.tail), distance(edge.head));
            let through = |weight| plus(tail, weight).unwrap_or(UNREACHABLE);
            if edge.after < edge.before {
                through(edge.after) < head
            } else {
                tail < UNREACHABLE && through(edge.before) == head
            }
        })
    }

    fn changed_virtual_edges(
        &self,
        new: &PpaIndex,
        id: SubgraphId,
        child: SubgraphId,
        changed: &mut Vec<ChangedEdge>,
    ) {
        let slots = self.old.slots(id, child);
        for (border, &tail) in slots.iter().enumerate() {
            let rows = (self.old.to_borders(child, border), new.to_borders(child, border));
            for ((&head, &before), &after) in slots.iter().zip(rows.0).zip(rows.1) {
                if before != after {
                    changed.push(ChangedEdge { tail, head, before, after });
                }
            }
        }
    }

    /// Installs a subgraph and records whether its parent must be checked.
    fn install(&mut self, new: &mut PpaIndex, id: SubgraphId, built: Subgraph) {
        new.subgraphs[id as usize] = Arc::new(built);
        let (before, after) = (self.old.subgraph(id), new.subgraph(id));
        let same_borders = before.borders == after.borders
            && before.members[..before.borders] == after.members[..after.borders];
        let same_distances = || {
            (0..before.borders).all(|border| before.table.is_known(border))
                && (0..before.borders)
                    .all(|border| self.old.to_borders(id, border) == new.to_borders(id, border))
        };
        if !same_borders || !same_distances() {
            self.changed.insert(id);
        }
    }
}

/// Whether an undirected map stays undirected: every changed edge still has a twin.
fn stays_undirected(map: &Map, changes: &Changes) -> bool {
    let Map::Graph(graph) = map else { return true };
    let weights = |tail, head| {
        let edges = graph.edges(tail).filter(move |&(other, _)| other == head);
        edges.map(|(_, weight)| weight).collect::<Vec<_>>()
    };
    changes.edges.iter().map(EdgeChange::ends).all(|(a, b)| weights(a, b) == weights(b, a))
}

/// Every node whose edges may have changed.
fn touched_nodes(old: &Map, new: &Map, changes: &Changes) -> BTreeSet<NodeId> {
    let mut touched = BTreeSet::new();
    if let Map::Grid(grid) = new {
        touched.extend(changes.touched_cells(grid));
    }
    for change in &changes.edges {
        touched.extend(<[NodeId; 2]>::from(change.ends()));
    }
    let inserted = old.node_count()..new.node_count();
    touched.extend(inserted.map(|node| node as NodeId));
    for change in &changes.nodes {
        if let NodeChange::Delete { node } = *change {
            touched.insert(node);
            let mut add = |other: NodeId, _| {
                touched.insert(other);
            };
            on_graph!(old, graph => touching(graph, graph.is_undirected(), node, &mut add));
        }
    }
    touched
}
