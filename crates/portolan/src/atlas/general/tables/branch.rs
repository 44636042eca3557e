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
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Graph, NodeId};
use crate::kernel::relax_row;
use crate::store::Words;

/// Builds the branch with this separator and border, and for each child the positions of its border
/// in the boundary of the branch. The parent sets `in_parent` of the branch.
pub(crate) fn build<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
    children: &[&Arc<Region>],
) -> (Region, Vec<Words>) {
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

    let mut dense = BoundaryMatrix::new(width + border.len());
    for (child, in_parent) in children.iter().zip(&in_parents) {
        dense.add_crossings(child, in_parent);
    }
    for (slot, &node) in members.iter().enumerate() {
        dissected.graph.out_edges(node, |head, weight| {
            position(head).into_iter().for_each(|head| dense.add(slot, head, weight));
        });
        dissected.graph.in_edges(node, |tail, weight| {
            position(tail).into_iter().for_each(|tail| dense.add(tail, slot, weight));
        });
    }
    dense.close_over(width);
    let via = PerDirection::make(dissected.undirected(), |direction| dense.via(width, direction));
    let region = Region {
        crossings: dense.crossings(width),
        members,
        border,
        in_parent: Words::default(),
        tables: RegionTables::Branch(Branch { via }),
    };
    (region, in_parents)
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

/// The costs between all boundary nodes, row by row.
struct BoundaryMatrix {
    nodes: usize,
    costs: Vec<Cost>,
}

impl BoundaryMatrix {
    fn new(nodes: usize) -> Self {
        let mut dense = Self { nodes, costs: vec![UNREACHABLE; nodes * nodes] };
        (0..nodes).for_each(|node| dense.add(node, node, 0));
        dense
    }

    fn add(&mut self, tail: usize, head: usize, weight: Cost) {
        let cost = &mut self.costs[tail * self.nodes + head];
        *cost = weight.min(*cost);
    }

    fn add_crossings(&mut self, child: &Region, in_parent: &[u32]) {
        for (from, &tail) in in_parent.iter().enumerate() {
            for (to, &head) in in_parent.iter().enumerate() {
                self.add(tail as usize, head as usize, child.crossing_cost(from, to));
            }
        }
    }

    /// Allows paths to pass the first nodes.
    fn close_over(&mut self, first: usize) {
        let mut through = vec![0; self.nodes];
        for middle in 0..first {
            through.copy_from_slice(&self.costs[middle * self.nodes..][..self.nodes]);
            for row in self.costs.chunks_exact_mut(self.nodes) {
                let cost = row[middle];
                if cost != UNREACHABLE && cost != 0 {
                    relax_row(row, &through, cost);
                }
            }
        }
    }

    fn via(&self, width: usize, direction: Direction) -> Words {
        let cost = |f: usize, c: usize| match direction {
            Direction::Forward => self.costs[f * self.nodes + c],
            Direction::Backward => self.costs[c * self.nodes + f],
        };
        (0..self.nodes).flat_map(|f| (0..width).map(move |c| cost(f, c))).collect()
    }

    fn crossings(&self, width: usize) -> Words {
        let rows = self.costs.chunks_exact(self.nodes.max(1)).skip(width);
        rows.flat_map(|row| row[width..].iter().copied()).collect()
    }
}
