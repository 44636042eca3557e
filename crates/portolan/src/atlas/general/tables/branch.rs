//! The tables of a branch: what its children know of their borders, put together.
//!
//! The border nodes of the children and the separator make a small dense graph: the children's
//! crossings and the edges at the separator are its edges. The separator's nodes are taken as
//! intermediate nodes one after the other (Floyd 1962, Warshall 1962); border nodes never are,
//! since ways within the region do not pass them.

use std::sync::Arc;

use super::frame::{Finder, Frame};
use super::region::{Both, Branch, Region, Tables, Way};
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::kernel::relax_row;
use crate::store::Words;

/// The branch of this separator and this border, and for each child the places of its border nodes
/// in F. The branch's own `lift` is left to its parent.
pub(crate) fn build<G: Graph>(
    frame: &Frame<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
    children: &[&Arc<Region>],
) -> (Region, Vec<Words>) {
    let wide = members.len();
    let finder = Finder::new(&border);
    let place_in_f = |node: NodeId| {
        let place = frame.places.of(node);
        match place.home == id {
            true => Some(place.slot as usize),
            false => finder.find(node).map(|at| wide + at),
        }
    };
    let lift = |child: &&Arc<Region>| -> Words {
        // Every border node of a child is in F: it is in the separator or above the region.
        child.border.iter().map(|&node| place_in_f(node).unwrap_or(0) as u32).collect()
    };
    let lifts: Vec<Words> = children.iter().map(lift).collect();

    let mut dense = Dense::new(wide + border.len());
    for (child, lift) in children.iter().zip(&lifts) {
        dense.add_crossings(child, lift);
    }
    for (slot, &node) in members.iter().enumerate() {
        frame.graph.out_edges(node, |head, weight| {
            place_in_f(head).into_iter().for_each(|head| dense.add(slot, head, weight));
        });
        frame.graph.in_edges(node, |tail, weight| {
            place_in_f(tail).into_iter().for_each(|tail| dense.add(tail, slot, weight));
        });
    }
    dense.close_over(wide);
    let via = Both::make(frame.undirected(), |way| dense.via(wide, way));
    let region = Region {
        cross: dense.crossings(wide),
        members,
        border,
        lift: Words::default(),
        tables: Tables::Branch(Branch { via }),
    };
    (region, lifts)
}

/// B of a branch: what its children border on above it, and what its separator does.
pub(crate) fn border<G: Graph>(
    frame: &Frame<'_, G>,
    id: RegionId,
    members: &[NodeId],
    children: &[&Arc<Region>],
) -> Vec<NodeId> {
    let mut border = Vec::new();
    frame.above(id, members, &mut border);
    let of_children = children.iter().flat_map(|child| child.border.iter().copied());
    border.extend(of_children.filter(|&node| frame.places.of(node).home != id));
    frame.arrange(&mut border);
    border
}

/// The costs between all nodes of F, row by row.
struct Dense {
    nodes: usize,
    costs: Vec<Cost>,
}

impl Dense {
    fn new(nodes: usize) -> Self {
        let mut dense = Self { nodes, costs: vec![UNREACHABLE; nodes * nodes] };
        (0..nodes).for_each(|node| dense.add(node, node, 0));
        dense
    }

    fn add(&mut self, tail: usize, head: usize, weight: Cost) {
        let cost = &mut self.costs[tail * self.nodes + head];
        *cost = weight.min(*cost);
    }

    fn add_crossings(&mut self, child: &Region, lift: &[u32]) {
        for (from, &tail) in lift.iter().enumerate() {
            for (to, &head) in lift.iter().enumerate() {
                self.add(tail as usize, head as usize, child.crossing(from, to));
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

    fn via(&self, wide: usize, way: Way) -> Words {
        let cost = |f: usize, c: usize| match way {
            Way::Out => self.costs[f * self.nodes + c],
            Way::Into => self.costs[c * self.nodes + f],
        };
        (0..self.nodes).flat_map(|f| (0..wide).map(move |c| cost(f, c))).collect()
    }

    fn crossings(&self, wide: usize) -> Words {
        let rows = self.costs.chunks_exact(self.nodes.max(1)).skip(wide);
        rows.flat_map(|row| row[wide..].iter().copied()).collect()
    }
}
