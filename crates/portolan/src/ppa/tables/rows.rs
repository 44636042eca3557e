//! Computes the rows of all-pairs tables by repeated Dijkstra (Johnson's algorithm without negative
//! edges).
//!
//! `LeafRows` and `UpperRows` hold what all rows of one subgraph share. In a leaf these are its
//! edges. Above the leaves they are the borders of the children, grouped by child, and the edges
//! between children. The *virtual* edges, from each border of a child to all its borders, are the
//! rows of the child's table and are relaxed as a whole. The least open distance of each child is
//! kept up to date, so that finding the next node to settle takes one number per child and then the
//! entries of one child.

use std::collections::{BTreeMap, BTreeSet};

use crate::build::CostMatrix;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::kernel::{least_unmarked, relax_row};
use crate::ppa::index::{PpaIndex, Subgraph};
use crate::ppa::region_tree::SubgraphId;
use crate::search::queue::{Entry, Queue};

/// An edge between two members, by number, whose length has changed; `UNREACHABLE` means that there
/// is no edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangedEdge {
    pub(crate) tail: u32,
    pub(crate) head: u32,
    pub(crate) before: Cost,
    pub(crate) after: Cost,
}

/// Edges between numbered members, in compressed rows.
#[derive(Debug, Default)]
struct LocalEdges {
    first: Vec<u32>,
    edges: Vec<(u32, Cost)>,
}

impl LocalEdges {
    fn new() -> Self {
        Self { first: vec![0], edges: Vec::new() }
    }

    fn finish_row(&mut self) {
        self.first.push(self.edges.len() as u32);
    }

    /// The edges that differ from those of `others`, which has the same members.
    fn changed(&self, others: &Self) -> Vec<ChangedEdge> {
        let mut changed = Vec::new();
        for tail in 0..self.first.len() - 1 {
            if self.of(tail) == others.of(tail) {
                continue;
            }
            let (before, after) = (self.cheapest(tail), others.cheapest(tail));
            let heads: BTreeSet<u32> = before.keys().chain(after.keys()).copied().collect();
            for head in heads {
                let length =
                    |edges: &BTreeMap<u32, Cost>| edges.get(&head).copied().unwrap_or(UNREACHABLE);
                let (before, after) = (length(&before), length(&after));
                if before != after {
                    changed.push(ChangedEdge { tail: tail as u32, head, before, after });
                }
            }
        }
        changed
    }

    /// The cheapest edge to each head.
    fn cheapest(&self, tail: usize) -> BTreeMap<u32, Cost> {
        let mut cheapest = BTreeMap::new();
        for &(head, weight) in self.of(tail) {
            let least = cheapest.entry(head).or_insert(weight);
            *least = weight.min(*least);
        }
        cheapest
    }

    fn is_heavy(&self) -> bool {
        self.edges.iter().any(|&(_, weight)| weight > UNREACHABLE / 2)
    }

    fn of(&self, index: usize) -> &[(u32, Cost)] {
        &self.edges[self.first[index] as usize..self.first[index + 1] as usize]
    }
}

pub(crate) struct LeafRows {
    edges: LocalEdges,
}

impl LeafRows {
    pub(crate) fn new(graph: &impl Graph, members: &[NodeId]) -> Self {
        let mut numbers: Vec<(NodeId, u32)> = members.iter().copied().zip(0..).collect();
        numbers.sort_unstable();
        let mut edges = LocalEdges::new();
        for &member in members {
            graph.out_edges(member, |head, weight| {
                if let Ok(at) = numbers.binary_search_by_key(&head, |&(node, _)| node) {
                    edges.edges.push((numbers[at].1, weight));
                }
            });
            edges.finish_row();
        }
        Self { edges }
    }

    /// The edges as a matrix, whose closing gives all rows.
    pub(crate) fn matrix(&self) -> CostMatrix {
        let members = self.edges.first.len() - 1;
        let mut matrix = CostMatrix::new(members, members);
        for tail in 0..members {
            self.edges.of(tail).iter().for_each(|&(head, weight)| {
                matrix.add(tail, head as usize, weight);
            });
        }
        matrix
    }

    /// Computes the distances from one member to all and, if wanted, the member before each.
    pub(crate) fn compute(
        &self,
        from: usize,
        costs: &mut [Cost],
        mut steps: Option<&mut [u16]>,
        queue: &mut Queue,
    ) {
        costs.fill(UNREACHABLE);
        queue.clear();
        costs[from] = 0;
        queue.push(Entry { bound: 0, cost: 0, node: from as NodeId });
        while let Some(Entry { cost, node, .. }) = queue.pop() {
            if cost > costs[node as usize] {
                continue;
            }
            for &(head, weight) in self.edges.of(node as usize) {
                let Some(cost) = plus(cost, weight) else { continue };
                if cost < costs[head as usize] {
                    costs[head as usize] = cost;
                    if let Some(steps) = &mut steps {
                        steps[head as usize] = node as u16;
                    }
                    queue.push(Entry { bound: cost, cost, node: head });
                }
            }
        }
    }

    /// The edges that differ from those of the same members after an edit.
    pub(crate) fn changed_edges(&self, after: &Self) -> Vec<ChangedEdge> {
        self.edges.changed(&after.edges)
    }

    /// Whether an edge is so large that sums may overflow.
    pub(crate) fn is_heavy(&self) -> bool {
        self.edges.is_heavy()
    }
}

pub(crate) struct UpperRows {
    children: std::ops::Range<SubgraphId>,
    /// The start of each child's borders in the working order, and the end of the last.
    first: Vec<usize>,
    /// By entry of the working order, the number of its child, counted from the first child.
    child_of: Vec<u32>,
    /// By entry of the working order, its number among the subgraph's members; `entry_of` is the
    /// inverse.
    member_of: Vec<u32>,
    entry_of: Vec<u32>,
    crossing: LocalEdges,
}

impl UpperRows {
    pub(crate) fn new(
        index: &PpaIndex,
        graph: &impl Graph,
        id: SubgraphId,
        subgraph: &Subgraph,
    ) -> Self {
        let children = index.tree.children(id);
        let first: Vec<usize> = subgraph.first_slot.iter().map(|&first| first as usize).collect();
        let member_of = subgraph.slots.clone();
        let mut entry_of = vec![0; member_of.len()];
        for (entry, &member) in (0..).zip(&member_of) {
            entry_of[member as usize] = entry;
        }
        let mut child_of = Vec::with_capacity(member_of.len());
        for (child, pair) in (0..).zip(first.windows(2)) {
            child_of.extend(std::iter::repeat_n(child, pair[1] - pair[0]));
        }
        let mut rows =
            Self { children, first, child_of, member_of, entry_of, crossing: LocalEdges::new() };
        rows.add_crossing(index, graph, id, subgraph);
        rows
    }

    /// Adds the edges between children: both ends are borders of different children.
    fn add_crossing(
        &mut self,
        index: &PpaIndex,
        graph: &impl Graph,
        id: SubgraphId,
        here: &Subgraph,
    ) {
        let level = (0..index.tree.levels()).find(|&level| index.tree.level(level).contains(&id));
        let level = level.unwrap_or(0);
        for entry in 0..self.member_of.len() {
            let tail = here.members[self.member_of[entry] as usize];
            let home = self.children.start + self.child_of[entry];
            graph.out_edges(tail, |head, weight| {
                let Some(position) = index.positions.of(head) else { return };
                let ancestors = index.tree.ancestors(position.leaf);
                if ancestors[level] != id || ancestors[level - 1] == home {
                    return;
                }
                let Some((child, Some(border))) = index.locate(head, level - 1) else { return };
                // Only a forged file has an edge to another child that ends inside it.
                if border >= index.subgraph(child).borders {
                    return;
                }
                let first = self.first[(child - self.children.start) as usize];
                self.crossing.edges.push(((first + border) as u32, weight));
            });
            self.crossing.finish_row();
        }
    }

    /// The edges between members and within children as a matrix, whose closing gives all rows.
    pub(crate) fn matrix(&self, index: &PpaIndex) -> CostMatrix {
        let members = self.member_of.len();
        let mut matrix = CostMatrix::new(members, members);
        for entry in 0..members {
            let first = self.first[self.child_of[entry] as usize];
            let within = (first..).zip(self.virtual_edges(index, entry).iter().copied());
            let crossing = self.crossing.of(entry).iter();
            let crossing = crossing.map(|&(head, weight)| (head as usize, weight));
            for (head, weight) in within.chain(crossing) {
                let ends = [entry, head].map(|entry| self.member_of[entry] as usize);
                matrix.add(ends[0], ends[1], weight);
            }
        }
        matrix
    }

    /// Computes the distances from one member to all and, if wanted, the member before each.
    pub(crate) fn compute(
        &self,
        index: &PpaIndex,
        from: usize,
        row: &mut [Cost],
        steps: Option<&mut [u16]>,
    ) {
        let entries = self.member_of.len();
        let mut costs = vec![UNREACHABLE; entries];
        let mut settled = vec![0u32; entries];
        let mut order = Vec::with_capacity(entries);
        let mut least = vec![UNREACHABLE; self.children.len()];
        let source = self.entry_of[from] as usize;
        costs[source] = 0;
        least[self.child_of[source] as usize] = 0;
        while let Some((child, cost)) = nearest(&least) {
            let range = self.first[child]..self.first[child + 1];
            let open = range.clone().find(|&entry| costs[entry] == cost && settled[entry] == 0);
            let Some(entry) = open else { break };
            settled[entry] = u32::MAX;
            order.push(entry as u32);
            relax_row(&mut costs[range.clone()], self.virtual_edges(index, entry), cost);
            for &(head, weight) in self.crossing.of(entry) {
                let Some(cost) = plus(cost, weight) else { continue };
                let head = head as usize;
                if cost < costs[head] {
                    costs[head] = cost;
                    let least = &mut least[self.child_of[head] as usize];
                    *least = (*least).min(cost);
                }
            }
            least[child] = least_unmarked(&costs[range.clone()], &settled[range]);
        }
        if let Some(steps) = steps {
            self.find_steps(index, &costs, &order, steps);
        }
        for (entry, cost) in costs.into_iter().enumerate() {
            row[self.member_of[entry] as usize] = cost;
        }
    }

    /// The edges between children that differ from those of the same members after an edit.
    pub(crate) fn changed_edges(&self, after: &Self) -> Vec<ChangedEdge> {
        let mut changed = self.crossing.changed(&after.crossing);
        for edge in &mut changed {
            edge.tail = self.member_of[edge.tail as usize];
            edge.head = self.member_of[edge.head as usize];
        }
        changed
    }

    /// Whether an edge between children is so large that sums may overflow.
    pub(crate) fn is_heavy(&self) -> bool {
        self.crossing.is_heavy()
    }

    /// The edges from a border of a child to all its borders.
    fn virtual_edges<'a>(&self, index: &'a PpaIndex, entry: usize) -> &'a [Cost] {
        let child = self.child_of[entry];
        index.to_borders(self.children.start + child, entry - self.first[child as usize])
    }

    /// The member before each on a shortest path: of those settled before it, the last whose
    /// distance and edge add up. Following steps back therefore never cycles.
    fn find_steps(&self, index: &PpaIndex, costs: &[Cost], order: &[u32], steps: &mut [u16]) {
        let mut done = vec![false; costs.len()];
        for &tail in order {
            let tail = tail as usize;
            done[tail] = true;
            let first = self.first[self.child_of[tail] as usize];
            let virtual_edges = (first..).zip(self.virtual_edges(index, tail).iter().copied());
            let crossing = self.crossing.of(tail).iter();
            let crossing = crossing.map(|&(head, weight)| (head as usize, weight));
            for (head, weight) in virtual_edges.chain(crossing) {
                if !done[head] && plus(costs[tail], weight) == Some(costs[head]) {
                    steps[self.member_of[head] as usize] = self.member_of[tail] as u16;
                }
            }
        }
    }
}

/// The child with the least open distance, the first of equals.
fn nearest(least: &[Cost]) -> Option<(usize, Cost)> {
    let (child, &cost) = least.iter().enumerate().min_by_key(|&(_, &cost)| cost)?;
    (cost != UNREACHABLE).then_some((child, cost))
}
