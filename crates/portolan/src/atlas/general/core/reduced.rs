//! A core in flat arrays, as a graph.
//!
//! Nodes that are no core nodes lie in *strands*. A chain is one strand. A tree is cut into
//! strands, each of which goes on from a node to the heaviest of those that hang on it, so that the
//! way from any node to the root of its tree meets few strands (at most the logarithm of the size
//! of the tree), and the nodes along each lie side by side in memory.
//!
//! Invariants, checked by `check` where the arrays come from a file:
//! - every node has a [`Record`]; a core node is tied to itself and lies in no strand, what is not
//!   a node of the map has no ties, and every other node lies in one slot of one strand;
//! - a [`Strand`] hangs on its `near` node, before its first; the `near` and `far` nodes of a chain
//!   are core nodes, and no other strand has a `far` node;
//! - the level of a strand is above that of the strand of its `near` node; core nodes have level
//!   zero;
//! - rows ascend, name core nodes only and have no loops; a core edge is direct or goes along a
//!   chain.

use super::access::{Access, Accesses};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::store::Words;

/// In place of a node, a slot, or a strand: none.
pub(crate) const NONE: u32 = u32::MAX;

pub(crate) const RECORD: usize = 8;
pub(crate) const STRAND: usize = 4;
pub(crate) const OUT_EDGE: usize = 3;
pub(crate) const IN_EDGE: usize = 2;

/// What is left of a graph without its trees and chains, over the same node ids and with scaled
/// weights; and the trees and chains, to put back. Cheap to clone.
///
/// All costs here are scaled, and sums of them saturate at [`UNREACHABLE`]: a distance below it is
/// exact.
#[derive(Debug, Clone)]
pub(crate) struct ReducedGraph {
    pub(crate) arrays: Arrays,
}

/// What a core consists of, for files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arrays {
    /// A [`Record`] for every node.
    pub(crate) records: Words,
    /// The nodes of the strands, one strand behind the other: the slots.
    pub(crate) slots: Words,
    /// By slot, the cost from its node to the one before, which for the first is the `near` node.
    pub(crate) rise: Words,
    /// By slot, the cost from the node before; empty where the graph is undirected.
    pub(crate) fall: Words,
    /// The [`Strand`]s, chains first, and one more that begins where the last ends.
    pub(crate) strands: Words,
    /// By node, where its row of `out_edges` begins, and at last where all end.
    pub(crate) out_first: Words,
    /// Head, weight, and the chain that the edge stands for or [`NONE`].
    pub(crate) out_edges: Words,
    /// The same for `in_edges`; empty where the graph is undirected.
    pub(crate) in_first: Words,
    /// Tail and weight.
    pub(crate) in_edges: Words,
}

impl Arrays {
    /// The arrays, with names for the sections of a file.
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

    /// The arrays of these names.
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
    /// What to store.
    pub(crate) fn arrays(&self) -> &Arrays {
        &self.arrays
    }

    /// Bytes of all arrays, wherever they lie.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.arrays.named().iter().map(|(_, array)| array.memory_bytes()).sum()
    }

    #[inline(always)]
    pub(crate) fn record(&self, node: NodeId) -> Record {
        let (records, _) = self.arrays.records.as_chunks::<RECORD>();
        records.get(node as usize).map_or(Record::ABSENT, |&words| Record::from_words(words))
    }

    /// `None` for [`NONE`], the strand of core nodes.
    #[inline(always)]
    pub(crate) fn strand(&self, strand: u32) -> Option<Strand> {
        let (strands, _) = self.arrays.strands.as_chunks::<STRAND>();
        let &[[start, near, far, level], [end, ..]] =
            strands.get(strand as usize..)?.first_chunk()?;
        Some(Strand { start: start as usize, end: end as usize, near, far, level })
    }

    /// The core edges that leave a node: head, weight, chain.
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

    /// Always true: nothing is proved here.
    fn may_reach(&self, _from: NodeId, _to: NodeId) -> bool {
        true
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

/// Where a node is, and how it is tied to the core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    /// By the `near` and the `far` end of the chain that it is on or hangs on; else by its root or
    /// itself alone.
    pub(crate) accesses: [Access; 2],
    pub(crate) slot: u32,
    pub(crate) strand: u32,
}

impl Record {
    /// Of what is not a node.
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

/// A run of nodes in neighbouring slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strand {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The node before its first.
    pub(crate) near: NodeId,
    /// Of a chain, the core node after its last; else [`NONE`].
    pub(crate) far: NodeId,
    /// How many strands lie between its last node and the core, itself included.
    pub(crate) level: u32,
}

impl Strand {
    #[inline(always)]
    pub(crate) fn is_chain(&self) -> bool {
        self.far != NONE
    }
}
