//! Access: from any node to the core and back, and paths that do not use the core.
//!
//! The costs to the core are stored. The cost along a tree or chain is their difference. If one-way
//! edges or a sum that does not fit leave no difference, the steps are added one by one.

use std::ops::Deref;

use super::reduced::{NONE, NodeRecord, ReducedGraph, STRAND, Strand};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::prefetch;

/// A connection between a node and a core node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) core: NodeId,
    /// From the node to the core node; [`UNREACHABLE`] if one-way edges forbid it.
    pub(crate) to_core: Cost,
    /// From the core node to the node.
    pub(crate) from_core: Cost,
}

/// The accesses of a node: two on chains and in trees attached to chains, one elsewhere, none for
/// nodes that the map does not have. Both may lead to the same core node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accesses {
    accesses: [Access; 2],
    count: usize,
}

impl Accesses {
    #[inline(always)]
    pub(crate) fn new(accesses: [Access; 2], count: usize) -> Self {
        Self { accesses, count }
    }
}

impl Deref for Accesses {
    type Target = [Access];

    #[inline(always)]
    fn deref(&self) -> &[Access] {
        &self.accesses[..self.count]
    }
}

impl ReducedGraph {
    /// The accesses of a node. A core node has itself, at cost 0.
    #[inline(always)]
    pub(crate) fn accesses(&self, node: NodeId) -> Accesses {
        self.record(node).into_accesses()
    }

    /// Prefetches the start of the path from a node to the core.
    #[inline(always)]
    pub(crate) fn prefetch_path(&self, node: NodeId) {
        let NodeRecord { strand, slot, .. } = self.record(node);
        let (strands, _) = self.arrays.strands.as_chunks::<STRAND>();
        let (strand, slot) = (strand as usize, slot as usize);
        prefetch(strands.get(strand..=strand).unwrap_or_default());
        prefetch(self.arrays.slots.get(slot..=slot).unwrap_or_default());
    }

    /// The cost of the path without core edges between two nodes of one tree, or of trees on one
    /// chain; `None` if there is none.
    #[inline]
    pub(crate) fn local_cost(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        let (from, to) = (self.record(from), self.record(to));
        let (left, right) = self.common_strand(from, to)?;
        let cost = self
            .rise(from, left)
            .saturating_add(self.along(left, right))
            .saturating_add(self.fall(right, to));
        (cost != UNREACHABLE).then_some(cost)
    }

    /// Appends the nodes of the path whose cost is [`local_cost`](Self::local_cost), without
    /// `from`. The path must exist: one-way edges are not checked again.
    pub(crate) fn local_path(&self, from: NodeId, to: NodeId, out: &mut Vec<NodeId>) {
        let (first, last) = (self.record(from), self.record(to));
        let Some((left, right)) = self.common_strand(first, last) else { return };
        self.climb(first, left, out);
        if left.slot < right.slot {
            out.extend_from_slice(&self.arrays.slots[left.slot as usize + 1..=right.slot as usize]);
        } else {
            self.climb(left, right, out);
        }
        if last.slot != right.slot {
            let start = out.len();
            out.push(to);
            self.climb(last, right, out);
            out.pop();
            out[start..].reverse();
        }
    }

    /// Appends the nodes after `node` up to and including the core node of this access.
    #[inline]
    pub(crate) fn path_to_core(&self, node: NodeId, access: usize, out: &mut Vec<NodeId>) {
        let mut at = self.record(node);
        let slots = &*self.arrays.slots;
        while let Some(strand) = self.strand(at.strand) {
            let slot = at.slot as usize;
            if strand.is_chain() && access == 1 {
                out.extend_from_slice(&slots[slot + 1..strand.end]);
                out.push(strand.far);
                return;
            }
            out.extend(slots[strand.start..slot].iter().rev());
            out.push(strand.near);
            at = self.record(strand.near);
        }
    }

    /// Appends the nodes after the core node of this access up to and including `node`; none if
    /// `node` is a core node.
    #[inline]
    pub(crate) fn path_from_core(&self, node: NodeId, access: usize, out: &mut Vec<NodeId>) {
        if self.record(node).strand == NONE {
            return;
        }
        let start = out.len();
        out.push(node);
        self.path_to_core(node, access, out);
        out.pop();
        out[start..].reverse();
    }

    /// Appends the nodes between tail and head of a core edge; none if the edge is direct.
    #[inline]
    pub(crate) fn nodes_between(&self, tail: NodeId, head: NodeId, out: &mut Vec<NodeId>) {
        let row = self.out_row(tail);
        let Ok(at) = row.binary_search_by_key(&head, |edge| edge[0]) else { return };
        let Some(strand) = self.strand(row[at][2]) else { return };
        let nodes = &self.arrays.slots[strand.start..strand.end];
        if strand.near == tail {
            out.extend_from_slice(nodes);
        } else {
            out.extend(nodes.iter().rev());
        }
    }

    /// The first nodes on the paths from two nodes to the core that are in the same strand, or are
    /// the same core node. For most pairs, comparing the core nodes already shows that there are
    /// none.
    #[inline]
    fn common_strand(
        &self,
        mut from: NodeRecord,
        mut to: NodeRecord,
    ) -> Option<(NodeRecord, NodeRecord)> {
        if from.accesses[0].core != to.accesses[0].core
            || from.accesses[1].core != to.accesses[1].core
        {
            return None;
        }
        while from.strand != to.strand {
            let (left, right) = (self.strand(from.strand), self.strand(to.strand));
            let level = |strand: Option<Strand>| strand.map_or(0, |strand| strand.level);
            let (deeper, strand) = match level(left) < level(right) {
                true => (&mut to, right?),
                false => (&mut from, left?),
            };
            if strand.is_chain() {
                return None;
            }
            *deeper = self.record(strand.near);
        }
        (from.accesses[0].core != NONE).then_some((from, to))
    }

    /// The cost from a node to one above it, nearer to the core.
    fn rise(&self, low: NodeRecord, high: NodeRecord) -> Cost {
        let by =
            |access: usize| difference(low.accesses[access].to_core, high.accesses[access].to_core);
        by(0).or_else(|| by(1)).unwrap_or_else(|| self.add_up(low, high, &self.arrays.rise))
    }

    /// The cost to a node from one above it.
    fn fall(&self, high: NodeRecord, low: NodeRecord) -> Cost {
        let by = |access: usize| {
            difference(low.accesses[access].from_core, high.accesses[access].from_core)
        };
        by(0).or_else(|| by(1)).unwrap_or_else(|| self.add_up(low, high, self.falls()))
    }

    /// The cost between two nodes of one strand.
    fn along(&self, from: NodeRecord, to: NodeRecord) -> Cost {
        let is_chain = || self.strand(from.strand).is_some_and(|strand| strand.is_chain());
        match from.slot < to.slot {
            _ if from.slot == to.slot => 0,
            // On a chain, the costs via the far end decrease in this direction.
            true if is_chain() => difference(to.accesses[0].from_core, from.accesses[0].from_core)
                .or_else(|| difference(from.accesses[1].to_core, to.accesses[1].to_core))
                .unwrap_or_else(|| self.add_up(to, from, self.falls())),
            false if is_chain() => difference(from.accesses[0].to_core, to.accesses[0].to_core)
                .or_else(|| difference(to.accesses[1].from_core, from.accesses[1].from_core))
                .unwrap_or_else(|| self.add_up(from, to, &self.arrays.rise)),
            true => self.fall(from, to),
            false => self.rise(from, to),
        }
    }

    /// The sum of the steps, all up or all down, between a node and one above it.
    #[cold]
    fn add_up(&self, mut low: NodeRecord, high: NodeRecord, steps: &[Cost]) -> Cost {
        let sum =
            |steps: &[Cost]| steps.iter().fold(0, |sum: Cost, &step| sum.saturating_add(step));
        let mut cost: Cost = 0;
        while low.strand != high.strand {
            let Some(strand) = self.strand(low.strand) else { return UNREACHABLE };
            cost = cost.saturating_add(sum(&steps[strand.start..=low.slot as usize]));
            low = self.record(strand.near);
        }
        match low.slot == high.slot {
            true => cost,
            false => cost.saturating_add(sum(&steps[high.slot as usize + 1..=low.slot as usize])),
        }
    }

    /// Appends the nodes after a node up to and including one above it.
    fn climb(&self, mut low: NodeRecord, high: NodeRecord, out: &mut Vec<NodeId>) {
        let slots = &*self.arrays.slots;
        while low.strand != high.strand {
            let Some(strand) = self.strand(low.strand) else { return };
            out.extend(slots[strand.start..low.slot as usize].iter().rev());
            out.push(strand.near);
            low = self.record(strand.near);
        }
        if low.slot != high.slot {
            out.extend(slots[high.slot as usize..low.slot as usize].iter().rev());
        }
    }

    fn falls(&self) -> &[Cost] {
        match self.arrays.in_first.is_empty() {
            true => &self.arrays.rise,
            false => &self.arrays.fall,
        }
    }
}

/// The rest of a cost after a part of it; `None` if either is unknown.
#[inline(always)]
fn difference(whole: Cost, part: Cost) -> Option<Cost> {
    (whole != UNREACHABLE && part != UNREACHABLE).then(|| whole.saturating_sub(part))
}
