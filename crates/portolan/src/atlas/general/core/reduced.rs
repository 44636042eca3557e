//! The core as a graph, in flat arrays.
//!
//! All other nodes are in *strands*, runs of nodes in consecutive slots. A chain is one strand. A
//! tree is divided into strands (heavy paths): a strand continues from a node to the attached node
//! with the largest subtree. So the path from a node to the root of its tree consists of few
//! strands, at most the logarithm of the size of the tree.
//!
//! Invariants, checked by `validate` for arrays from a file:
//! - Every node has a [`NodeRecord`]. A core node has access to itself and is in no strand. A node
//!   that the map does not have has no access. Every other node is in one slot of one strand.
//! - A [`Strand`] is attached to its `near` node. The `near` and `far` nodes of a chain are core
//!   nodes; other strands have no `far` node.
//! - The level of a strand is higher than the level of the strand of its `near` node. Core nodes
//!   have level 0.
//! - Rows of edges ascend, contain core nodes only, and have no loops. A core edge is direct or
//!   goes along a chain.

use super::access::{Access, Accesses};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::store::Words;

/// Instead of a node, a slot, or a strand: none.
pub(crate) const NONE: u32 = u32::MAX;

pub(crate) const RECORD: usize = 8;
pub(crate) const STRAND: usize = 4;
pub(crate) const OUT_EDGE: usize = 3;
pub(crate) const IN_EDGE: usize = 2;

/// A graph without its trees and chains, with the same node ids and scaled weights, and the trees
/// and chains themselves. Cheap to clone.
///
/// All costs are scaled. Sums saturate at [`UNREACHABLE`]; smaller sums are exact.
#[derive(Debug, Clone)]
pub(crate) struct ReducedGraph {
    pub(crate) arrays: Arrays,
}

/// The arrays of a reduced graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arrays {
    /// A [`NodeRecord`] for every node.
    pub(crate) records: Words,
    /// The slots: the nodes of all strands, strand by strand.
    pub(crate) slots: Words,
    /// By slot, the cost from its node to the previous node, which is `near` for the first.
    pub(crate) rise: Words,
    /// By slot, the cost from the previous node; empty if the graph is undirected.
    pub(crate) fall: Words,
    /// The [`Strand`]s, chains first, with one more at the end.
    pub(crate) strands: Words,
    /// First position in `out_edges` by node, with one more at the end.
    pub(crate) out_first: Words,
    /// Head, weight, and the chain along which the edge goes or [`NONE`].
    pub(crate) out_edges: Words,
    /// First position in `in_edges` by node; empty if the graph is undirected.
    pub(crate) in_first: Words,
    /// Tail and weight.
    pub(crate) in_edges: Words,
}

impl Arrays {
    /// The arrays with the names of their sections.
    pub(crate) fn named(&self) -> [(&'static str, &Words); 9] {
        [
            ("core-records", &self.records),
            ("core-slots", &self.slots),
            ("core-rise", &self.rise),
            ("core-fall", &self.fall),
            ("core-strands", &self.strands),
            ("core-out-first", &self.out_first),
            ("core-out-edges", &self.out_edges),
            ("core-in-first", &self.in_first),
            ("core-in-edges", &self.in_edges),
        ]
    }

    /// Builds the arrays from their names.
    pub(crate) fn from_named<E>(
        mut array: impl FnMut(&'static str) -> Result<Words, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            records: array("core-records")?,
            slots: array("core-slots")?,
            rise: array("core-rise")?,
            fall: array("core-fall")?,
            strands: array("core-strands")?,
            out_first: array("core-out-first")?,
            out_edges: array("core-out-edges")?,
            in_first: array("core-in-first")?,
            in_edges: array("core-in-edges")?,
        })
    }
}

impl ReducedGraph {
    pub(crate) fn arrays(&self) -> &Arrays {
        &self.arrays
    }

    /// Bytes of all arrays, in memory or mapped.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.arrays.named().iter().map(|(_, array)| array.memory_bytes()).sum()
    }

    #[inline(always)]
    pub(crate) fn record(&self, node: NodeId) -> NodeRecord {
        let (records, _) = self.arrays.records.as_chunks::<RECORD>();
        records
            .get(node as usize)
            .map_or(NodeRecord::ABSENT, |&words| NodeRecord::from_words(words))
    }

    /// `None` for [`NONE`], the strand of core nodes.
    #[inline(always)]
    pub(crate) fn strand(&self, strand: u32) -> Option<Strand> {
        let (strands, _) = self.arrays.strands.as_chunks::<STRAND>();
        let &[[start, near, far, level], [end, ..]] =
            strands.get(strand as usize..)?.first_chunk()?;
        Some(Strand { start: start as usize, end: end as usize, near, far, level })
    }

    /// The outgoing core edges of a node: head, weight, chain.
    #[inline(always)]
    pub(crate) fn out_row(&self, tail: NodeId) -> &[[u32; OUT_EDGE]] {
        row(&self.arrays.out_first, self.arrays.out_edges.as_chunks().0, tail)
    }

    fn in_row(&self, head: NodeId) -> &[[u32; IN_EDGE]] {
        row(&self.arrays.in_first, self.arrays.in_edges.as_chunks().0, head)
    }
}

impl Graph for ReducedGraph {
    fn node_count(&self) -> usize {
        self.arrays.records.len() / RECORD
    }

    fn contains(&self, node: NodeId) -> bool {
        self.record(node).is_core()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        for &[head, weight, _] in self.out_row(tail) {
            visit(head, weight);
        }
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        if self.is_undirected() {
            return self.out_edges(head, visit);
        }
        for &[tail, weight] in self.in_row(head) {
            visit(tail, weight);
        }
    }

    fn is_undirected(&self) -> bool {
        self.arrays.in_first.is_empty()
    }
}

#[inline(always)]
fn row<'a, const N: usize>(first: &[u32], edges: &'a [[u32; N]], node: NodeId) -> &'a [[u32; N]] {
    let node = node as usize;
    match (first.get(node), first.get(node + 1)) {
        (Some(&start), Some(&end)) => &edges[start as usize..end as usize],
        _ => &[],
    }
}

/// The position of a node and its accesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeRecord {
    /// Via the `near` and the `far` end of its chain, or of the chain to which its tree is
    /// attached. Otherwise only the root of its tree, or the node itself.
    pub(crate) accesses: [Access; 2],
    pub(crate) slot: u32,
    pub(crate) strand: u32,
}

impl NodeRecord {
    /// The record of a node that the map does not have.
    pub(crate) const ABSENT: Self = Self { accesses: [Access::NONE; 2], slot: NONE, strand: NONE };

    pub(crate) fn of_core(node: NodeId) -> Self {
        Self {
            accesses: [Access { core: node, to_core: 0, from_core: 0 }, Access::NONE],
            ..Self::ABSENT
        }
    }

    #[inline(always)]
    pub(crate) fn from_words([a, b, c, d, e, f, slot, strand]: [u32; RECORD]) -> Self {
        let accesses = [
            Access { core: a, to_core: b, from_core: c },
            Access { core: d, to_core: e, from_core: f },
        ];
        Self { accesses, slot, strand }
    }

    pub(crate) fn to_words(self) -> [u32; RECORD] {
        let [near, far] = self.accesses;
        [
            near.core,
            near.to_core,
            near.from_core,
            far.core,
            far.to_core,
            far.from_core,
            self.slot,
            self.strand,
        ]
    }

    pub(crate) fn is_core(&self) -> bool {
        self.strand == NONE && self.accesses[0].core != NONE
    }

    #[inline(always)]
    pub(crate) fn into_accesses(self) -> Accesses {
        let count = self.accesses.iter().take_while(|access| access.core != NONE).count();
        Accesses::new(self.accesses, count)
    }
}

impl Access {
    pub(crate) const NONE: Self = Self { core: NONE, to_core: UNREACHABLE, from_core: UNREACHABLE };
}

/// A run of nodes in consecutive slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strand {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The node before its first.
    pub(crate) near: NodeId,
    /// For a chain, the core node after its last; else [`NONE`].
    pub(crate) far: NodeId,
    /// Number of strands between its last node and the core, including itself.
    pub(crate) level: u32,
}

impl Strand {
    #[inline(always)]
    pub(crate) fn is_chain(&self) -> bool {
        self.far != NONE
    }
}
