//! The subgraphs with their tables, and how to read them.
//!
//! The members of a leaf are all nodes of its region; the members of a higher subgraph are the
//! borders of its children. A *border* is a member with an edge, in either direction, that leaves
//! the region. Borders come first among the members.

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
    /// The start of each child's slots, and the end of the last.
    pub(super) first_slot: Vec<u32>,
    pub(super) table: Table,
    /// Whether a distance or edge is so large that a sum of two may overflow.
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

/// Everything precomputed. Versions share the subgraphs that an edit leaves unchanged.
#[derive(Debug, Clone)]
pub(super) struct PpaIndex {
    pub(super) map: Map,
    pub(super) layout: TableLayout,
    /// Whether every edge has a twin. Cached, since checking an edited graph is slow.
    pub(super) undirected: bool,
    /// Whether regions were grouped differently from how they were cut, so that a branching and a
    /// number of cuts do not describe the tree.
    pub(super) regrouped: bool,
    pub(super) tree: Arc<RegionTree>,
    pub(super) positions: Arc<LeafPositions>,
    /// By number; during a build only the levels that are complete.
    pub(super) subgraphs: Vec<Arc<Subgraph>>,
}

impl PpaIndex {
    pub(super) fn subgraph(&self, id: SubgraphId) -> &Subgraph {
        &self.subgraphs[id as usize]
    }

    /// The distance between two members within the region of their subgraph.
    #[inline(always)]
    pub(super) fn distance(&self, id: SubgraphId, from: usize, to: usize) -> Cost {
        self.subgraph(id).table.distance(from, to, |row| self.compute_row(id, row))
    }

    /// The distances from a member of a subgraph to all its borders.
    #[inline(always)]
    pub(super) fn to_borders(&self, id: SubgraphId, from: usize) -> &[Cost] {
        self.subgraph(id).table.to_borders(from, |row| self.compute_row(id, row))
    }

    /// The numbers of a child's borders among the members of its parent.
    pub(super) fn slots(&self, parent: SubgraphId, child: SubgraphId) -> &[u32] {
        let above = self.subgraph(parent);
        let ordinal = (child - self.tree.children(parent).start) as usize;
        &above.slots[above.first_slot[ordinal] as usize..above.first_slot[ordinal + 1] as usize]
    }

    /// The subgraph of a level that contains a node, and the node's number if it is a member.
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

    /// Bytes of all tables and of the lists that index them.
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

    /// Computes a row of a table on demand.
    #[cold]
    fn compute_row(&self, id: SubgraphId, from: usize) -> Box<[Cost]> {
        let subgraph = self.subgraph(id);
        let mut row = vec![0; subgraph.members.len()].into_boxed_slice();
        if self.tree.children(id).is_empty() {
            let rows = on_graph!(&self.map, graph => LeafRows::new(graph, &subgraph.members));
            rows.compute(from, &mut row, None, &mut Queue::default());
        } else {
            let rows = self.upper_rows(id, subgraph);
            rows.compute(self, from, &mut row, None);
        }
        row
    }

    /// Computes rows of a subgraph above the leaves.
    pub(super) fn upper_rows(&self, id: SubgraphId, subgraph: &Subgraph) -> UpperRows {
        on_graph!(&self.map, graph => UpperRows::new(self, graph, id, subgraph))
    }

    /// Whether an edge leads out of a region or into it.
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
