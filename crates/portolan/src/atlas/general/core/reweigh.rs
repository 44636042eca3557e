//! The same core with other weights.
//!
//! Trees, chains and core nodes follow from the edges, whatever they weigh, so they stay. The
//! weights along them are summed up again, and each core edge takes the cheapest of its
//! alternatives. The result is what [`ReducedGraph::new`] builds, without its search for trees and
//! chains.

use super::access::Access;
use super::build::in_rows;
use super::reduced::{NONE, NodeRecord, OUT_EDGE, RECORD, ReducedGraph, STRAND, Strand};
use super::scale::Scale;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{CsrGraph, Graph, NodeId};
use crate::store::pack_arrays;

impl ReducedGraph {
    /// The core of a graph with the same nodes and edges. `scale` must be [`Scale::of`] it. `None`
    /// if the core has other edges now, since it leaves out those whose weights do not fit.
    pub(crate) fn reweighed(&self, graph: &CsrGraph, scale: Scale) -> Option<Self> {
        let undirected = graph.has_symmetric_rows();
        let old = &self.arrays;
        let (records, _) = old.records.as_chunks::<RECORD>();
        let mut new =
            Weigher { graph, scale, records: records.to_vec(), costs: StrandCosts::default() };
        let strands = old.strands.len() / STRAND;
        for strand in (0..strands as u32).filter_map(|strand| self.strand(strand)) {
            let slots = old.slots.get(strand.start..strand.end)?;
            new.follow(&strand, slots, undirected)?;
        }
        let edges = self.core_edges(&new)?;
        let Weigher { records, costs: StrandCosts { rise, fall }, .. } = new;
        let mut arrays = old.clone();
        (arrays.in_first, arrays.in_edges) = match undirected {
            true => Default::default(),
            false => {
                let (first, edges) = in_rows(&old.out_first, &edges);
                (first.into(), edges.into_flattened().into())
            }
        };
        arrays.records = records.into_flattened().into();
        arrays.rise = rise.into();
        arrays.fall = if undirected { Default::default() } else { fall.into() };
        arrays.out_edges = edges.into_flattened().into();
        pack_arrays(&mut [&mut arrays.records, &mut arrays.slots, &mut arrays.strands]);
        Some(Self { arrays })
    }

    /// The outgoing core edges with their new weights.
    fn core_edges(&self, new: &Weigher<'_>) -> Option<Vec<[u32; OUT_EDGE]>> {
        let mut edges = Vec::with_capacity(self.arrays.out_edges.len() / OUT_EDGE);
        for tail in 0..self.node_count() as NodeId {
            let start = edges.len();
            edges.extend(self.out_row(tail).iter().map(|&[head, ..]| [head, UNREACHABLE, NONE]));
            if !self.contains(tail) {
                continue;
            }
            // Both rows ascend.
            let (row, mut at, mut complete) = (&mut edges[start..], 0, true);
            new.graph.out_edges(tail, |head, weight| {
                let weight = new.scale.scaled(weight);
                if head == tail || weight == UNREACHABLE || !self.contains(head) {
                    return;
                }
                while row.get(at).is_some_and(|edge| edge[0] < head) {
                    at += 1;
                }
                match row.get_mut(at).filter(|edge| edge[0] == head) {
                    Some(edge) => edge[1] = edge[1].min(weight),
                    None => complete = false,
                }
            });
            if !complete {
                return None;
            }
        }
        // Chains have the first numbers. Among equal weights a direct edge wins, then the first.
        let strands = (0..).map_while(|number| Some((number, self.strand(number)?)));
        for (number, strand) in strands.take_while(|(_, strand)| strand.is_chain()) {
            for (tail, head, weight) in
                new.chain_edges(&strand, *self.arrays.slots.get(strand.start)?)
            {
                if weight == UNREACHABLE || tail == head {
                    continue;
                }
                let at = self.out_row(tail).binary_search_by_key(&head, |edge| edge[0]).ok()?;
                let edge = &mut edges[self.arrays.out_first[tail as usize] as usize + at];
                if weight < edge[1] {
                    (edge[1], edge[2]) = (weight, number);
                }
            }
        }
        edges.iter().all(|edge| edge[1] != UNREACHABLE).then_some(edges)
    }
}

/// The costs between a slot's node and the node before it, see `Arrays`.
#[derive(Default)]
struct StrandCosts {
    rise: Vec<Cost>,
    fall: Vec<Cost>,
}

struct Weigher<'a> {
    graph: &'a CsrGraph,
    scale: Scale,
    records: Vec<[u32; RECORD]>,
    costs: StrandCosts,
}

impl Weigher<'_> {
    /// The weight of the cheapest edge.
    fn weight(&self, tail: NodeId, head: NodeId) -> Cost {
        self.graph.cheapest_edge(tail, head).map_or(UNREACHABLE, |weight| self.scale.scaled(weight))
    }

    /// The weights of the cheapest edges from a node to another and back.
    fn steps(&self, node: NodeId, other: NodeId, undirected: bool) -> (Cost, Cost) {
        let there = self.weight(node, other);
        (there, if undirected { there } else { self.weight(other, node) })
    }

    /// Sums up the costs along the next strand.
    fn follow(&mut self, strand: &Strand, slots: &[NodeId], undirected: bool) -> Option<()> {
        if strand.start != self.costs.rise.len() {
            return None;
        }
        let mut before = strand.near;
        for &node in slots {
            let (rise, fall) = self.steps(node, before, undirected);
            let near = NodeRecord::from_words(*self.records.get(before as usize)?);
            let accesses = near.accesses.map(|access| access.extended(rise, fall));
            self.set_accesses(node, |record| record.accesses = accesses)?;
            self.costs.rise.push(rise);
            self.costs.fall.push(fall);
            before = node;
        }
        if !strand.is_chain() {
            return Some(());
        }
        let (to_core, from_core) = self.steps(before, strand.far, undirected);
        let mut access = Access { core: strand.far, to_core, from_core };
        for (&node, slot) in slots.iter().zip(strand.start..strand.end).rev() {
            self.set_accesses(node, |record| record.accesses[1] = access)?;
            access = access.extended(self.costs.fall[slot], self.costs.rise[slot]);
        }
        Some(())
    }

    fn set_accesses(&mut self, node: NodeId, set: impl FnOnce(&mut NodeRecord)) -> Option<()> {
        let words = self.records.get_mut(node as usize)?;
        let mut record = NodeRecord::from_words(*words);
        set(&mut record);
        *words = record.to_words();
        Some(())
    }

    /// The core edges along a chain with this first node: tail, head and weight.
    fn chain_edges(&self, chain: &Strand, first: NodeId) -> [(NodeId, NodeId, Cost); 2] {
        let record = self.records.get(first as usize).copied();
        let access = record.map_or(Access::NONE, |words| NodeRecord::from_words(words).accesses[1]);
        let ahead = access.to_core.saturating_add(self.costs.fall[chain.start]);
        let back = access.from_core.saturating_add(self.costs.rise[chain.start]);
        [(chain.near, chain.far, ahead), (chain.far, chain.near, back)]
    }
}
