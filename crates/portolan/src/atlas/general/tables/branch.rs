//! The tables of a branch: what its children know of their borders, put together.
//!
//! The border nodes of the children and the separator make a small dense graph: the children's
//! crossings and the edges at the separator are its edges. The separator's nodes are taken as
//! intermediate nodes one after the other (Floyd 1962, Warshall 1962); border nodes never are,
//! since ways within the region do not pass them.

use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::tables::dissected::{Dissected, Positions};
use crate::atlas::general::tables::region::{Branch, Region, RegionTables};
use std::sync::Arc;

use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, Graph, NodeId};
use crate::kernel::relax_row;
use crate::store::Words;

/// The branch of this separator and this border, and for each child the places of its border nodes
/// in F. The branch's own `lift` is left to its parent.
pub(crate) fn build<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
    children: &[&Arc<Region>],
) -> (Region, Vec<Words>) {
    let wide = members.len();
    let finder = Positions::new(&border);
    let position = |node: NodeId| {
        let home = dissected.homes.of(node);
        match home.region == id {
            true => Some(home.slot as usize),
            false => finder.find(node).map(|at| wide + at),
        }
    };
    let in_parent = |child: &&Arc<Region>| -> Words {
        // Every border node of a child is in F: it is in the separator or above the region.
        child.border.iter().map(|&node| position(node).unwrap_or(0) as u32).collect()
    };
    let in_parents: Vec<Words> = children.iter().map(in_parent).collect();

    let mut dense = BoundaryMatrix::new(wide + border.len());
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
    dense.close_over(wide);
    let via = PerDirection::make(dissected.undirected(), |direction| dense.via(wide, direction));
    let region = Region {
        crossings: dense.crossings(wide),
        members,
        border,
        in_parent: Words::default(),
        tables: RegionTables::Branch(Branch { via }),
    };
    (region, in_parents)
}

/// B of a branch: what its children border on above it, and what its separator does.
pub(crate) fn border<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: &[NodeId],
    children: &[&Arc<Region>],
) -> Vec<NodeId> {
    let mut border = Vec::new();
    dissected.above(id, members, &mut border);
    let of_children = children.iter().flat_map(|child| child.border.iter().copied());
    border.extend(of_children.filter(|&node| dissected.homes.of(node).region != id));
    dissected.arrange(&mut border);
    border
}

/// The costs between all nodes of F, row by row.
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

    /// Lets ways pass the first so many nodes.
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

    fn via(&self, wide: usize, direction: Direction) -> Words {
        let cost = |f: usize, c: usize| match direction {
            Direction::Forward => self.costs[f * self.nodes + c],
            Direction::Backward => self.costs[c * self.nodes + f],
        };
        (0..self.nodes).flat_map(|f| (0..wide).map(move |c| cost(f, c))).collect()
    }

    fn crossings(&self, wide: usize) -> Words {
        let rows = self.costs.chunks_exact(self.nodes.max(1)).skip(wide);
        rows.flat_map(|row| row[wide..].iter().copied()).collect()
    }
}
