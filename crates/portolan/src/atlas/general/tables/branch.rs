//! The tables of a branch, computed from the tables of its children.
//!
//! The borders of the children and the separator form a small dense graph. Its edges are the
//! crossings of the children and the edges at the separator. The algorithm of Floyd (1962) and
//! Warshall (1962) closes it with the separator nodes as intermediate nodes. Border nodes are never
//! intermediate, since paths within the region do not pass them.

use std::sync::Arc;

use super::dissected::{Dissected, Positions};
use super::region::{Branch, Region, RegionTables};
use crate::atlas::general::direction::PerDirection;
use crate::atlas::separator_tree::RegionId;
use crate::build::CostMatrix;
use crate::graph::{Direction, Graph, NodeId};
use crate::store::Words;

/// A branch whose matrix is not closed yet.
pub(crate) struct BranchDraft {
    members: Words,
    border: Words,
    in_parents: Vec<Words>,
}

/// Starts the branch with this separator and border: the costs between its boundary nodes.
pub(crate) fn draft<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
    children: &[&Arc<Region>],
) -> (CostMatrix, BranchDraft) {
    let width = members.len();
    let finder = Positions::new(&border);
    let position = |node: NodeId| {
        let home = dissected.homes.of(node);
        match home.region == id {
            true => Some(home.slot as usize),
            false => finder.find(node).map(|at| width + at),
        }
    };
    let in_parent = |child: &&Arc<Region>| -> Words {
        // A border node of a child is in the separator or in the border of the region.
        child.border.iter().map(|&node| position(node).unwrap_or(0) as u32).collect()
    };
    let in_parents: Vec<Words> = children.iter().map(in_parent).collect();

    let mut dense = CostMatrix::new(width + border.len(), width);
    for (child, in_parent) in children.iter().zip(&in_parents) {
        let (in_parent, nodes) = (&**in_parent, dense.nodes);
        let rows = child.crossings.chunks_exact(in_parent.len().max(1));
        for (&tail, crossings) in in_parent.iter().zip(rows) {
            let row = &mut dense.costs[tail as usize * nodes..][..nodes];
            for (&head, &cost) in in_parent.iter().zip(crossings) {
                row[head as usize] = row[head as usize].min(cost);
            }
        }
    }
    for (slot, &node) in members.iter().enumerate() {
        dissected.graph.out_edges(node, |head, weight| {
            position(head).into_iter().for_each(|head| dense.add(slot, head, weight));
        });
        dissected.graph.in_edges(node, |tail, weight| {
            position(tail).into_iter().for_each(|tail| dense.add(tail, slot, weight));
        });
    }
    (dense, BranchDraft { members, border, in_parents })
}

impl BranchDraft {
    /// Takes the tables from the closed matrix. Also returns for each child the positions of its
    /// border in the boundary of the branch. The parent sets `in_parent` of the branch.
    pub(crate) fn finish(self, undirected: bool, closed: &CostMatrix) -> (Region, Vec<Words>) {
        let region = Region {
            crossings: crossings(closed),
            tables: RegionTables::Branch(Branch {
                via: PerDirection::make(undirected, |direction| via(closed, direction)),
            }),
            members: self.members,
            border: self.border,
            in_parent: Words::default(),
        };
        (region, self.in_parents)
    }
}

/// The border of a branch: the nodes above it among the borders of its children and the neighbours
/// of its separator.
pub(crate) fn border<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: &[NodeId],
    children: &[&Arc<Region>],
) -> Vec<NodeId> {
    let mut border = Vec::new();
    dissected.collect_higher_neighbours(id, members, &mut border);
    let of_children = children.iter().flat_map(|child| child.border.iter().copied());
    border.extend(of_children.filter(|&node| dissected.homes.of(node).region != id));
    dissected.sort_border(&mut border);
    border
}

/// The costs between all boundary nodes and the separator, which the matrix allows to pass.
fn via(closed: &CostMatrix, direction: Direction) -> Words {
    let mut via = Vec::with_capacity(closed.nodes * closed.through);
    for f in 0..closed.nodes {
        match direction {
            Direction::Forward => via.extend_from_slice(&closed.row(f)[..closed.through]),
            Direction::Backward => via.extend((0..closed.through).map(|c| closed.row(c)[f])),
        }
    }
    via.into()
}

fn crossings(closed: &CostMatrix) -> Words {
    let border = closed.through..closed.nodes;
    let mut crossings = Vec::with_capacity(border.len() * border.len());
    border.for_each(|f| crossings.extend_from_slice(&closed.row(f)[closed.through..]));
    crossings.into()
}
