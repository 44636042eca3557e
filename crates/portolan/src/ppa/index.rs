//! The subgraphs with their tables, and how to read them.
//!
//! A leaf's members are all nodes of its region; a higher subgraph's members are the borders of its
//! children. A *border* is a member with an edge, in either direction, that leaves the region.
//! Borders are numbered first among the members.

use std::sync::Arc;

use super::region_tree::{LeafPositions, RegionTree, SubgraphId};
use super::tables::rows::{LeafRows, UpperRows};
use super::tables::{Table, TableLayout};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId, touching};
use crate::map::{Map, on_graph};
use crate::search::queue::Queue;

#[derive(Debug)]
pub(super) struct Subgraph {
    /// Borders first.
    pub(super) members: Vec<NodeId>,
    pub(super) borders: usize,
    /// For each child in turn, the numbers of its borders among the members here.
    pub(super) slots: Vec<u32>,
    /// Where the slots of each child start; one entry more than there are children.
    pub(super) first_slot: Vec<u32>,
    pub(super) table: Table,
    /// Whether a distance or edge is so large that sums of two may not fit.
    pub(super) heavy: bool,
}

impl Subgraph {
    /// The same members with another table.
    pub(super) fn with_table(&self, table: Table, heavy: bool) -> Self {
        Self {
            members: self.members.clone(),
            borders: self.borders,
            slots: self.slots.clone(),
            first_slot: self.first_slot.clone(),
            table,
            heavy,
        }
    }
}

/// Everything that is precomputed; subgraphs that an edit leaves alone are shared with the next
/// version.
#[derive(Debug, Clone)]
pub(super) struct PpaIndex {
    pub(super) map: Map,
    pub(super) shape: TableLayout,
    /// Whether every edge has a twin; asked of the map once, since on an edited graph the answer is
    /// slow.
    pub(super) undirected: bool,
    /// Whether regions were grouped otherwise than they were cut, so that no branching and number
    /// of cuts tells what the tree is.
    pub(super) regrouped: bool,
    pub(super) tree: Arc<RegionTree>,
    pub(super) positions: Arc<LeafPositions>,
    /// By number; while an index is being built, only the levels that are done.
    pub(super) subgraphs: Vec<Arc<Subgraph>>,
}

impl PpaIndex {
    pub(super) fn subgraph(&self, id: SubgraphId) -> &Subgraph {
        &self.subgraphs[id as usize]
    }

    /// The distance between two members of a subgraph within its region.
    #[inline(always)]
    pub(super) fn distance(&self, id: SubgraphId, from: usize, to: usize) -> Cost {
        self.subgraph(id).table.distance(from, to, |row| self.compute_row(id, row))
    }

    /// The distances from a member of a subgraph to all its borders.
    #[inline(always)]
    pub(super) fn to_borders(&self, id: SubgraphId, from: usize) -> &[Cost] {
        self.subgraph(id).table.to_borders(from, |row| self.compute_row(id, row))
    }

    /// The numbers that the borders of a child have among the members of its parent.
    pub(super) fn slots(&self, parent: SubgraphId, child: SubgraphId) -> &[u32] {
        let above = self.subgraph(parent);
        let ordinal = (child - self.tree.children(parent).start) as usize;
        &above.slots[above.first_slot[ordinal] as usize..above.first_slot[ordinal + 1] as usize]
    }

    /// The subgraph of a level that a node lies in, and the node's number among its members if it
    /// is one.
    #[inline(always)]
    pub(super) fn locate(&self, node: NodeId, level: usize) -> Option<(SubgraphId, Option<usize>)> {
        let position = self.positions.of(node)?;
        let ancestors = self.tree.ancestors(position.leaf);
        let mut index = Some(position.index as usize);
        for level in 0..level {
            index = self.index_above(ancestors[level], ancestors[level + 1], index);
        }
        Some((ancestors[level], index))
    }

    /// The number among the parent's members of a member of the child, if it is a border there.
    #[inline(always)]
    pub(super) fn index_above(
        &self,
        child: SubgraphId,
        parent: SubgraphId,
        index: Option<usize>,
    ) -> Option<usize> {
        let index = index.filter(|&index| index < self.subgraph(child).borders)?;
        Some(self.slots(parent, child)[index] as usize)
    }

    /// Bytes of all tables and of what is needed to read them.
    pub(super) fn memory_bytes(&self) -> usize {
        let lists = |subgraph: &Subgraph| {
            (subgraph.members.len() + subgraph.slots.len() + subgraph.first_slot.len())
                * size_of::<u32>()
        };
        self.table_bytes()
            + self.subgraphs.iter().map(|subgraph| lists(subgraph)).sum::<usize>()
            + self.tree.memory_bytes()
            + size_of_val(self.positions.0.as_slice())
    }

    /// Bytes of the tables alone.
    pub(super) fn table_bytes(&self) -> usize {
        self.subgraphs.iter().map(|subgraph| subgraph.table.memory_bytes()).sum()
    }

    /// A row of a table that is filled on demand.
    #[cold]
    fn compute_row(&self, id: SubgraphId, from: usize) -> Box<[Cost]> {
        let subgraph = self.subgraph(id);
        let mut row = vec![0; subgraph.members.len()].into_boxed_slice();
        if self.tree.children(id).is_empty() {
            let frame = on_graph!(&self.map, graph => LeafRows::new(graph, &subgraph.members));
            frame.run(from, &mut row, None, &mut Queue::default());
        } else {
            let frame = self.upper_frame(id, subgraph);
            frame.run(self, from, &mut row, None);
        }
        row
    }

    /// What rows of a subgraph above the leaves are computed from.
    pub(super) fn upper_frame(&self, id: SubgraphId, subgraph: &Subgraph) -> UpperRows {
        on_graph!(&self.map, graph => UpperRows::new(self, graph, id, subgraph))
    }

    /// Whether an edge leads out of a region or into it from outside.
    pub(super) fn is_border(
        &self,
        graph: &impl Graph,
        node: NodeId,
        level: usize,
        region: SubgraphId,
    ) -> bool {
        let mut found = false;
        let mut look = |other: NodeId, _| {
            let position = self.positions.of(other);
            found |=
                position.is_none_or(|position| self.tree.ancestors(position.leaf)[level] != region);
        };
        touching(graph, self.undirected, node, &mut look);
        found
    }
}
