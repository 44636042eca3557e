//! Tables after edits.
//!
//! A column of the table gives admissible bounds even if its entries are not true distances. It is
//! enough that D(tail) <= weight + D(head) for each edge, for distances to a landmark. Summed along
//! a path, this gives D(n) - D(g) <= d(n, g). Edges that become more expensive or disappear keep
//! this condition: bounds stay admissible, but may be weaker than possible. Edges that become
//! cheaper or appear may violate it. The repair lowers entries that are too high, starting at these
//! edges: this is Dijkstra's algorithm from these nodes, and mostly ends soon. If costs have only
//! fallen since the build, the result is true distances again.
//!
//! Rounded tables and tables with dropped entries cannot be repaired. If costs fall, they are built
//! from scratch with the same landmarks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::table::{Blank, Entries, Numbering, Table};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::store::Words;

/// Whether an edit raises or lowers costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CostEffect {
    pub(super) rises: bool,
    pub(super) falls: bool,
}

impl CostEffect {
    /// Compares the map before and after the edit. Reports both if unsure.
    pub(super) fn of(before: &Map, after: &Map, changes: &Changes) -> Self {
        let mut effect = Self { rises: false, falls: false };
        if let (Map::Grid(old), Map::Grid(new)) = (before, after) {
            let cells = changes.cells.iter().map(|change| change.node);
            let changed = cells.chain(changes.terrain.iter().map(|change| change.node));
            for (x, y) in changed.filter_map(|node| new.position(node)) {
                let was = old.is_passable(x, y).then(|| old.factor(x, y)).flatten();
                let is = new.is_passable(x, y).then(|| new.factor(x, y)).flatten();
                // Blocked is more expensive than every factor.
                let cost = |factor: Option<u8>| factor.map_or(u16::MAX, u16::from);
                effect.rises |= cost(is) > cost(was);
                effect.falls |= cost(is) < cost(was);
            }
            return effect;
        }
        effect.rises |= changes.nodes.iter().any(|node| matches!(node, NodeChange::Delete { .. }));
        for change in &changes.edges {
            match change {
                EdgeChange::Insert { .. } => effect.falls = true,
                EdgeChange::Delete { .. } => effect.rises = true,
                EdgeChange::SetWeight { .. } => effect = Self { rises: true, falls: true },
            }
        }
        effect
    }
}

/// The table, repaired for `map`, to which `changes` have already been applied. `None` if it cannot
/// be repaired.
pub(super) fn repaired(
    table: &Table,
    map: &Map,
    changes: &Changes,
    effect: CostEffect,
) -> Option<Table> {
    let mut repaired = table.clone();
    // Checking whether an edited graph is still undirected takes long. If it is not, paths over a
    // landmark do not give upper bounds.
    let perhaps_directed =
        !table.directed && matches!(map, Map::Graph(_)) && !changes.edges.is_empty();
    repaired.exact &= !effect.rises && !perhaps_directed;
    if !effect.falls && table.numbering.rows() >= map.node_count() {
        return Some(repaired);
    }
    let (Entries::Bits32(entries), Numbering::ById { rows }, true) =
        (&table.entries, &table.numbering, table.is_lossless())
    else {
        return (!effect.falls).then_some(repaired);
    };
    let mut columns = Columns {
        stride: table.stride(),
        entries: entries.clone(),
        changed: None,
        largest: table.largest,
    };
    if *rows < map.node_count() {
        let mut longer = entries.to_vec();
        longer.resize(map.node_count() * table.stride(), UNREACHABLE);
        columns.entries = longer.into();
        repaired.numbering = Numbering::ById { rows: map.node_count() };
    }
    let changed = changed_nodes(map, changes);
    let overflowed = on_graph!(map, graph => columns.repair(graph, table, &changed));
    repaired.largest = columns.largest;
    repaired.entries = Entries::Bits32(columns.finish());
    if overflowed && repaired.blank == Blank::NoPath {
        repaired.blank = Blank::TooFar;
    }
    Some(repaired)
}

/// The ends of all edges that may have changed.
fn changed_nodes(map: &Map, changes: &Changes) -> Vec<NodeId> {
    let mut changed: Vec<NodeId> = match map {
        Map::Grid(grid) => changes.touched_cells(grid).collect(),
        Map::Graph(_) => {
            let ends = changes.edges.iter().map(EdgeChange::ends);
            ends.flat_map(|(tail, head)| [tail, head]).collect()
        }
    };
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// The entries of a table. Copied on the first write.
struct Columns {
    stride: usize,
    entries: Words,
    changed: Option<Vec<Cost>>,
    /// The largest entry. Nodes that were unreachable may now have a larger one.
    largest: Cost,
}

impl Columns {
    /// Repairs all columns. Returns whether some cost overflowed.
    fn repair(&mut self, graph: &impl Graph, table: &Table, changed: &[NodeId]) -> bool {
        let mut overflowed = false;
        for at in 0..self.stride {
            let to = at < table.kept;
            overflowed |=
                self.repair_column(changed, at, |node, visit| match (table.directed, to) {
                    // A tail is at most as far from the landmark as over this head.
                    (true, true) => graph.in_edges(node, visit),
                    (true, false) => graph.out_edges(node, visit),
                    // The graph may have become directed. Edges then count in both directions.
                    (false, _) => {
                        graph.out_edges(node, &mut *visit);
                        graph.in_edges(node, visit);
                    }
                });
        }
        overflowed
    }

    fn repair_column(
        &mut self,
        changed: &[NodeId],
        at: usize,
        edges: impl Fn(NodeId, &mut dyn FnMut(NodeId, Cost)),
    ) -> bool {
        let mut overflowed = false;
        let known = changed.iter().map(|&node| (self.get(node, at), node));
        let mut open: BinaryHeap<Reverse<(Cost, NodeId)>> =
            known.filter(|&(cost, _)| cost != UNREACHABLE).map(Reverse).collect();
        while let Some(Reverse((cost, node))) = open.pop() {
            if cost > self.get(node, at) {
                continue;
            }
            edges(node, &mut |other, weight| match plus(cost, weight) {
                Some(less) if less < self.get(other, at) => {
                    self.set(other, at, less);
                    open.push(Reverse((less, other)));
                }
                Some(_) => {}
                None => overflowed = true,
            });
        }
        overflowed
    }

    fn get(&self, node: NodeId, at: usize) -> Cost {
        let entries = self.changed.as_deref().unwrap_or(&self.entries);
        entries.get(node as usize * self.stride + at).copied().unwrap_or(UNREACHABLE)
    }

    fn set(&mut self, node: NodeId, at: usize, cost: Cost) {
        let changed = self.changed.get_or_insert_with(|| self.entries.to_vec());
        if let Some(entry) = changed.get_mut(node as usize * self.stride + at) {
            *entry = cost;
            self.largest = self.largest.max(cost);
        }
    }

    fn finish(self) -> Words {
        self.changed.map_or(self.entries, Words::from)
    }
}
