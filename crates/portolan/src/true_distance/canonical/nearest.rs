//! The canonical nodes nearest to each node.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::store::Array;
use crate::true_distance::packed_costs::PackedCosts;
use crate::true_distance::ranks::Ranks;

/// For each usable node, the same number of canonical nodes, nearest first, with the distances from
/// them. Missing entries are [`UNREACHABLE`].
pub(super) struct NearestCanonical {
    per_node: usize,
    names: Array<u16>,
    costs: PackedCosts,
}

impl NearestCanonical {
    pub(super) fn bytes(usable: usize, per_node: usize, unit: Option<Cost>) -> u64 {
        let entries = (usable as u64).saturating_mul(per_node as u64);
        entries.saturating_mul(2 + PackedCosts::width(unit))
    }

    /// One search from all canonical nodes. It settles a node once per entry.
    pub(super) fn find(
        graph: &impl Graph,
        ranks: &Ranks,
        nodes: &[NodeId],
        per_node: usize,
        unit: Option<Cost>,
    ) -> Self {
        let mut names = vec![0u16; ranks.count() * per_node];
        let mut costs = vec![UNREACHABLE; ranks.count() * per_node];
        let mut open: BinaryHeap<Reverse<(Cost, NodeId, u16)>> =
            nodes.iter().enumerate().map(|(name, &node)| Reverse((0, node, name as u16))).collect();
        while let Some(Reverse((cost, node, name))) = open.pop() {
            let Some(rank) = ranks.rank(node) else { continue };
            let entries = rank * per_node..(rank + 1) * per_node;
            let taken = costs[entries.clone()].iter().filter(|&&cost| cost != UNREACHABLE).count();
            if taken == per_node || names[entries.start..entries.start + taken].contains(&name) {
                continue;
            }
            names[entries.start + taken] = name;
            costs[entries.start + taken] = cost;
            graph.out_edges(node, |head, weight| {
                let full = ranks
                    .rank(head)
                    .is_none_or(|rank| costs[(rank + 1) * per_node - 1] != UNREACHABLE);
                if let Some(cost) = plus(cost, weight).filter(|_| !full) {
                    open.push(Reverse((cost, head, name)));
                }
            });
        }
        Self { per_node, names: names.into(), costs: PackedCosts::new(costs.iter().copied(), unit) }
    }

    /// From stored arrays. `None` if their lengths are not `usable * per_node`.
    pub(super) fn from_arrays(
        usable: usize,
        per_node: usize,
        names: Array<u16>,
        costs: PackedCosts,
    ) -> Option<Self> {
        let entries = usable.checked_mul(per_node)?;
        (names.len() == entries && costs.len() == entries).then_some(Self {
            per_node,
            names,
            costs,
        })
    }

    pub(super) fn per_node(&self) -> usize {
        self.per_node
    }

    pub(super) fn arrays(&self) -> (&[u16], &PackedCosts) {
        (&self.names, &self.costs)
    }

    /// The numbers of the canonical nodes nearest to a node, and their distances.
    #[inline(always)]
    pub(super) fn of(&self, rank: usize) -> impl Iterator<Item = (u16, Cost)> + '_ {
        let entries = rank * self.per_node..(rank + 1) * self.per_node;
        let costs = entries.clone().map(|at| self.costs.get(at));
        let names = self.names[entries].iter().copied();
        names.zip(costs).take_while(|&(_, cost)| cost != UNREACHABLE)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.names.memory_bytes() + self.costs.memory_bytes()
    }
}
