//! The canonical nodes that are nearest to each node.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::store::Array;
use crate::true_distance::costs::Costs;
use crate::true_distance::ranks::Ranks;

/// For each node as many canonical ones, with the distances from them; those that are missing are
/// [`UNREACHABLE`].
pub(super) struct Near {
    each: usize,
    names: Array<u16>,
    costs: Costs,
}

impl Near {
    pub(super) fn bytes(usable: usize, each: usize, unit: Option<Cost>) -> u64 {
        let entries = (usable as u64).saturating_mul(each as u64);
        entries.saturating_mul(2 + Costs::width(unit))
    }

    /// Searches from all canonical nodes at once, in which a node counts once for each of its
    /// nearest.
    pub(super) fn find(
        graph: &impl Graph,
        ranks: &Ranks,
        nodes: &[NodeId],
        each: usize,
        unit: Option<Cost>,
    ) -> Self {
        let mut names = vec![0u16; ranks.count() * each];
        let mut costs = vec![UNREACHABLE; ranks.count() * each];
        let mut open: BinaryHeap<Reverse<(Cost, NodeId, u16)>> =
            nodes.iter().enumerate().map(|(name, &node)| Reverse((0, node, name as u16))).collect();
        while let Some(Reverse((cost, node, name))) = open.pop() {
            let Some(rank) = ranks.rank(node) else { continue };
            let entries = rank * each..(rank + 1) * each;
            let taken = costs[entries.clone()].iter().filter(|&&cost| cost != UNREACHABLE).count();
            if taken == each || names[entries.start..entries.start + taken].contains(&name) {
                continue;
            }
            names[entries.start + taken] = name;
            costs[entries.start + taken] = cost;
            graph.out_edges(node, |head, weight| {
                let full =
                    ranks.rank(head).is_none_or(|rank| costs[(rank + 1) * each - 1] != UNREACHABLE);
                if let Some(cost) = plus(cost, weight).filter(|_| !full) {
                    open.push(Reverse((cost, head, name)));
                }
            });
        }
        Self { each, names: names.into(), costs: Costs::new(costs.iter().copied(), unit) }
    }

    /// From arrays as they are stored; `None` where they do not hold as many entries for each of so
    /// many nodes.
    pub(super) fn from_arrays(
        usable: usize,
        each: usize,
        names: Array<u16>,
        costs: Costs,
    ) -> Option<Self> {
        let entries = usable.checked_mul(each)?;
        (names.len() == entries && costs.len() == entries).then_some(Self { each, names, costs })
    }

    pub(super) fn each(&self) -> usize {
        self.each
    }

    pub(super) fn arrays(&self) -> (&[u16], &Costs) {
        (&self.names, &self.costs)
    }

    /// The names of the canonical nodes near a node, and how far they are.
    #[inline(always)]
    pub(super) fn of(&self, rank: usize) -> impl Iterator<Item = (u16, Cost)> + '_ {
        let entries = rank * self.each..(rank + 1) * self.each;
        let costs = entries.clone().map(|at| self.costs.get(at));
        let names = self.names[entries].iter().copied();
        names.zip(costs).take_while(|&(_, cost)| cost != UNREACHABLE)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.names.memory_bytes() + self.costs.memory_bytes()
    }
}
