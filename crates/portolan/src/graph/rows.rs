//! The compressed rows of a graph.

use std::ops::Range;

use super::NodeId;
use crate::cost::Cost;

/// The edges of all nodes; see the head of `csr.rs`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CompressedRows {
    pub(super) first: Vec<u32>,
    pub(super) heads: Vec<NodeId>,
    pub(super) weights: Vec<Cost>,
}

impl CompressedRows {
    pub(super) fn from_edges(nodes: usize, mut edges: Vec<(NodeId, NodeId, Cost)>) -> Self {
        edges.sort_unstable();
        let mut first = vec![0; nodes + 1];
        for &(tail, _, _) in &edges {
            first[tail as usize + 1] += 1;
        }
        accumulate(&mut first);
        let heads = edges.iter().map(|&(_, head, _)| head).collect();
        let weights = edges.iter().map(|&(_, _, weight)| weight).collect();
        Self { first, heads, weights }
    }

    pub(super) fn reversed(&self) -> Self {
        let mut first = vec![0u32; self.first.len()];
        for &head in &self.heads {
            first[head as usize + 1] += 1;
        }
        accumulate(&mut first);
        let mut next = first.clone();
        let mut heads = vec![0; self.heads.len()];
        let mut weights = vec![0; self.weights.len()];
        for tail in 0..self.first.len() as NodeId - 1 {
            self.visit(tail, |head, weight| {
                let at = next[head as usize] as usize;
                next[head as usize] += 1;
                heads[at] = tail;
                weights[at] = weight;
            });
        }
        Self { first, heads, weights }
    }

    #[inline(always)]
    pub(super) fn row(&self, node: NodeId) -> Range<usize> {
        let node = node as usize;
        match (self.first.get(node), self.first.get(node + 1)) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    #[inline(always)]
    pub(super) fn visit(&self, node: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let row = self.row(node);
        for (&head, &weight) in self.heads[row.clone()].iter().zip(&self.weights[row]) {
            visit(head, weight);
        }
    }

    /// The weights of the edges between two nodes, ascending.
    pub(super) fn between(&self, tail: NodeId, head: NodeId) -> &[Cost] {
        let row = self.row(tail);
        let heads = &self.heads[row.clone()];
        let start = heads.partition_point(|&other| other < head);
        let parallel = heads[start..].iter().take_while(|&&other| other == head).count();
        &self.weights[row][start..start + parallel]
    }

    /// Whether every edge has a reverse edge of the same weight.
    pub(super) fn are_symmetric(&self) -> bool {
        (0..self.first.len() as NodeId - 1).all(|tail| {
            let row = self.row(tail);
            let mut start = row.start;
            self.heads[row].chunk_by(|a, b| a == b).all(|parallel| {
                let weights = &self.weights[start..start + parallel.len()];
                start += parallel.len();
                weights == self.between(parallel[0], tail)
            })
        })
    }

    /// Appends the rows of a range of nodes from `from`, and empty rows for nodes beyond its last.
    pub(super) fn append(&mut self, from: &Self, tails: Range<usize>) {
        let known = from.first.len() - 1;
        let (start, end) = (tails.start.min(known), tails.end.min(known));
        let shift = (self.heads.len() as u32).wrapping_sub(from.first[start]);
        let first = from.first[start + 1..=end].iter().map(|first| first.wrapping_add(shift));
        self.first.extend(first);
        let edges = from.first[start] as usize..from.first[end] as usize;
        self.heads.extend_from_slice(&from.heads[edges.clone()]);
        self.weights.extend_from_slice(&from.weights[edges]);
        let unknown = tails.len() - (end - start);
        self.first.resize(self.first.len() + unknown, self.heads.len() as u32);
    }

    /// Whether the rows of a range of nodes equal those in `other`, and are empty for nodes beyond
    /// its last.
    pub(super) fn has_rows_of(&self, other: &Self, tails: Range<usize>) -> bool {
        let known = other.first.len() - 1;
        let (start, end) = (tails.start.min(known), tails.end.min(known));
        let (mine, others) = (&self.first[start..=end], &other.first[start..=end]);
        let shift = mine[0].wrapping_sub(others[0]);
        let edges = |first: &[u32]| first[0] as usize..first[end - start] as usize;
        mine.iter().zip(others).all(|(mine, other)| mine.wrapping_sub(*other) == shift)
            && self.heads[edges(mine)] == other.heads[edges(others)]
            && self.weights[edges(mine)] == other.weights[edges(others)]
            && (tails.end <= known || self.first[tails.start.max(known)] == self.first[tails.end])
    }

    pub(super) fn memory_bytes(&self) -> usize {
        (self.first.capacity() + self.heads.capacity() + self.weights.capacity()) * size_of::<u32>()
    }
}

/// Turns row lengths, shifted by one, into the starts of rows.
fn accumulate(first: &mut [u32]) {
    let mut sum = 0;
    for entry in first {
        sum += *entry;
        *entry = sum;
    }
}
