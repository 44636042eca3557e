//! Bounds after edits.
//!
//! A column of the table need not hold true distances to bound soundly: it is enough that no edge
//! is steeper than it is long, that is, D(tail) <= weight + D(head) for distances to a landmark.
//! Summed along a path that gives D(n) - D(g) <= d(n, g). Edges that get dearer or go away leave
//! this as it is; bounds get weaker than they might be, and stay sound. Edges that get cheaper or
//! appear may break it. Lowering what is too high, and what then becomes too high in turn, from
//! those edges outward mends it: the same as Dijkstra's algorithm from these places, and most often
//! it ends soon. Where nothing but that has happened since the build, the result is true distances
//! again.
//!
//! Rounded tables and such with dropped entries cannot be mended; where costs fall, their landmarks
//! are asked again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::numbering::Numbering;
use super::table::{Blank, Entries, Table};
use crate::changes::{Changes, EdgeChange, NodeChange};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::store::Words;

/// What an edit does to costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) rises: bool,
    pub(super) falls: bool,
}

impl Effect {
    /// By the map before and after; where in doubt, both.
    pub(super) fn of(before: &Map, after: &Map, changes: &Changes) -> Self {
        let mut effect = Self { rises: false, falls: false };
        if let (Map::Grid(old), Map::Grid(new)) = (before, after) {
            let cells = changes.cells.iter().map(|change| change.node);
            let changed = cells.chain(changes.terrain.iter().map(|change| change.node));
            for (x, y) in changed.filter_map(|node| new.position(node)) {
                let was = old.is_passable(x, y).then(|| old.factor(x, y)).flatten();
                let is = new.is_passable(x, y).then(|| new.factor(x, y)).flatten();
                // Blocked is dearer than every factor.
                let dear = |factor: Option<u8>| factor.map_or(u16::MAX, u16::from);
                effect.rises |= dear(is) > dear(was);
                effect.falls |= dear(is) < dear(was);
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

/// The table, mended for the map after these changes. `None` where it cannot be.
pub(super) fn mended(table: &Table, map: &Map, changes: &Changes, effect: Effect) -> Option<Table> {
    let mut mended = table.clone();
    // Of an edited graph it takes long to find out whether it still is undirected; if it is not,
    // ways over a landmark prove nothing.
    let perhaps_directed =
        !table.directed && matches!(map, Map::Graph(_)) && !changes.edges.is_empty();
    mended.exact &= !effect.rises && !perhaps_directed;
    if !effect.falls && table.numbering.rows() >= map.node_count() {
        return Some(mended);
    }
    let (Entries::Bits32(entries), Numbering::ById { rows }, true) =
        (&table.entries, &table.numbering, table.is_whole())
    else {
        return (!effect.falls).then_some(mended);
    };
    let mut column = Columns {
        stride: table.stride(),
        entries: entries.clone(),
        changed: None,
        largest: table.largest,
    };
    if *rows < map.node_count() {
        let mut longer = entries.to_vec();
        longer.resize(map.node_count() * table.stride(), UNREACHABLE);
        column.entries = longer.into();
        mended.numbering = Numbering::ById { rows: map.node_count() };
    }
    let overflowed = on_graph!(map, graph => column.mend(graph, table, &touched(map, changes)));
    mended.largest = column.largest;
    mended.entries = Entries::Bits32(column.finish());
    if overflowed && mended.blank == Blank::NoPath {
        mended.blank = Blank::TooFar;
    }
    Some(mended)
}

/// The nodes at whose edges something may have changed.
fn touched(map: &Map, changes: &Changes) -> Vec<NodeId> {
    let mut touched: Vec<NodeId> = match map {
        Map::Grid(grid) => changes.touched_cells(grid).collect(),
        Map::Graph(_) => {
            let ends = changes.edges.iter().map(EdgeChange::ends);
            ends.flat_map(|(tail, head)| [tail, head]).collect()
        }
    };
    touched.sort_unstable();
    touched.dedup();
    touched
}

/// Entries that are copied when the first of them changes.
struct Columns {
    stride: usize,
    entries: Words,
    changed: Option<Vec<Cost>>,
    /// What was out of reach may now be farther than all else.
    largest: Cost,
}

impl Columns {
    /// Says whether a way was left out because its cost is no finite number.
    fn mend(&mut self, graph: &impl Graph, table: &Table, touched: &[NodeId]) -> bool {
        let mut overflowed = false;
        for at in 0..self.stride {
            let to = at < table.kept;
            overflowed |= self.mend_column(touched, at, |node, visit| match (table.directed, to) {
                // Whoever has an edge to the node is no farther from the landmark than over it.
                (true, true) => graph.in_edges(node, visit),
                (true, false) => graph.out_edges(node, visit),
                // It may have become directed: then edges count both ways.
                (false, _) => {
                    graph.out_edges(node, &mut *visit);
                    graph.in_edges(node, visit);
                }
            });
        }
        overflowed
    }

    fn mend_column(
        &mut self,
        touched: &[NodeId],
        at: usize,
        edges: impl Fn(NodeId, &mut dyn FnMut(NodeId, Cost)),
    ) -> bool {
        let mut overflowed = false;
        let known = touched.iter().map(|&node| (self.get(node, at), node));
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
