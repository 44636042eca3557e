//! Builds a reduced graph: strands and records from a decomposition, then the rows of core edges.
//!
//! Chains come first, then the trees from their roots down, so the record of the node to which a
//! strand is attached exists already. All loops go by ascending ids, so the same graph gives the
//! same arrays.

use super::access::Access;
use super::decomposition::{Chain, Decomposition, Role};
use super::reduced::{Arrays, IN_EDGE, NONE, NodeRecord, OUT_EDGE, RECORD, ReducedGraph, STRAND};
use super::scale::Scale;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::store::pack_arrays;

impl ReducedGraph {
    /// The core of a graph. Nodes for which `keep` is true are core nodes in any case. `scale` must
    /// be [`Scale::of`] this graph, which must have fewer than 2^32 edges.
    pub(crate) fn new<G: Graph>(graph: &G, scale: Scale, keep: impl Fn(NodeId) -> bool) -> Self {
        let decomposition = Decomposition::of(graph, keep);
        let mut strands = StrandBuilder::new(Weights { graph, scale }, &decomposition);
        let mut from = 0;
        for chain in &decomposition.chains {
            strands.lay_chain(chain, &decomposition.chain_nodes[from..chain.end]);
            from = chain.end;
        }
        let chains = strands.core_edges();
        strands.lay_trees(&decomposition);
        let (out_first, out_edges) = out_rows(&strands.weights, &decomposition.roles, chains);
        let undirected = graph.is_undirected();
        let (in_first, in_edges) = match undirected {
            true => Default::default(),
            false => in_rows(&out_first, &out_edges),
        };
        let StrandBuilder { records, slots, rise, mut fall, mut strands, .. } = strands;
        strands.push([slots.len() as u32, NONE, NONE, 0]);
        if undirected {
            fall.clear();
        }
        let mut core = Self {
            arrays: Arrays {
                records: records.into_flattened().into(),
                slots: slots.into(),
                rise: rise.into(),
                fall: fall.into(),
                strands: strands.into_flattened().into(),
                out_first: out_first.into(),
                out_edges: out_edges.into_flattened().into(),
                in_first: in_first.into(),
                in_edges: in_edges.into_flattened().into(),
            },
        };
        let Arrays { records, slots, strands, .. } = &mut core.arrays;
        pack_arrays(&mut [records, slots, strands]);
        core
    }
}

/// The scaled weights of a graph.
struct Weights<'a, G> {
    graph: &'a G,
    scale: Scale,
}

impl<G: Graph> Weights<'_, G> {
    /// The weights of the cheapest edge from a node to another and of the cheapest edge back.
    /// Visits only the edges of `node`, since the other may have very many.
    fn steps(&self, node: NodeId, other: NodeId) -> (Cost, Cost) {
        let (mut there, mut back) = (UNREACHABLE, UNREACHABLE);
        let cheaper = |old: &mut Cost, end: NodeId, weight| {
            if end == other {
                *old = (*old).min(self.scale.scaled(weight));
            }
        };
        self.graph.out_edges(node, |head, weight| cheaper(&mut there, head, weight));
        if self.graph.is_undirected() {
            return (there, there);
        }
        self.graph.in_edges(node, |tail, weight| cheaper(&mut back, tail, weight));
        (there, back)
    }
}

/// A core edge along a chain. The derived order is the order of rows.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ChainEdge {
    tail: NodeId,
    head: NodeId,
    weight: Cost,
    strand: u32,
}

/// The strands built so far.
struct StrandBuilder<'a, G> {
    weights: Weights<'a, G>,
    records: Vec<[u32; RECORD]>,
    slots: Vec<NodeId>,
    rise: Vec<Cost>,
    fall: Vec<Cost>,
    strands: Vec<[u32; STRAND]>,
}

impl<'a, G: Graph> StrandBuilder<'a, G> {
    /// Starts without strands, with the records of core nodes.
    fn new(weights: Weights<'a, G>, decomposition: &Decomposition) -> Self {
        let record = |(node, role): (NodeId, &Role)| match role {
            Role::Core => NodeRecord::of_core(node).to_words(),
            _ => NodeRecord::ABSENT.to_words(),
        };
        let records = (0..).zip(&decomposition.roles).map(record).collect();
        let room = decomposition.peeled.len() + decomposition.chain_nodes.len();
        Self {
            weights,
            records,
            slots: Vec::with_capacity(room),
            rise: Vec::with_capacity(room),
            fall: Vec::with_capacity(room),
            strands: Vec::new(),
        }
    }

    fn begin(&mut self, near: NodeId, far: NodeId) {
        let level = match self.record(near).strand {
            NONE => 1,
            strand => self.strands[strand as usize][3] + 1,
        };
        self.strands.push([self.slots.len() as u32, near, far, level]);
    }

    /// Puts a node into the next slot, after `before`, and derives its record from that of
    /// `before`.
    fn push(&mut self, node: NodeId, before: NodeId) {
        let (rise, fall) = self.weights.steps(node, before);
        let accesses = self.record(before).accesses.map(|access| access.extended(rise, fall));
        let (slot, strand) = (self.slots.len() as u32, self.strands.len() as u32 - 1);
        self.set_record(node, NodeRecord { accesses, slot, strand });
        self.slots.push(node);
        self.rise.push(rise);
        self.fall.push(fall);
    }

    fn lay_chain(&mut self, chain: &Chain, nodes: &[NodeId]) {
        self.begin(chain.near, chain.far);
        let mut before = chain.near;
        for &node in nodes {
            self.push(node, before);
            before = node;
        }
        let (to_core, from_core) = self.weights.steps(before, chain.far);
        let mut access = Access { core: chain.far, to_core, from_core };
        for &node in nodes.iter().rev() {
            let mut record = self.record(node);
            record.accesses[1] = access;
            self.set_record(node, record);
            let slot = record.slot as usize;
            access = access.extended(self.fall[slot], self.rise[slot]);
        }
    }

    /// The core edges along the chains built so far, in both directions, without loops.
    fn core_edges(&self) -> Vec<ChainEdge> {
        let mut edges = Vec::new();
        for (strand, &[start, near, far, _]) in (0..).zip(&self.strands) {
            let first = start as usize;
            let access = self.record(self.slots[first]).accesses[1];
            let ahead = access.to_core.saturating_add(self.fall[first]);
            let back = access.from_core.saturating_add(self.rise[first]);
            for (tail, head, weight) in [(near, far, ahead), (far, near, back)] {
                if weight != UNREACHABLE && tail != head {
                    edges.push(ChainEdge { tail, head, weight, strand });
                }
            }
        }
        edges.sort_unstable();
        edges
    }

    fn lay_trees(&mut self, decomposition: &Decomposition) {
        let heaviest = heaviest_children(decomposition);
        for &top in decomposition.peeled.iter().rev() {
            let parent = decomposition.parent(top);
            let parent_is_tree = decomposition.roles[parent as usize] == Role::Tree;
            if parent_is_tree && heaviest[parent as usize] == top {
                continue;
            }
            self.begin(parent, NONE);
            let (mut before, mut node) = (parent, top);
            while node != NONE {
                self.push(node, before);
                (before, node) = (node, heaviest[node as usize]);
            }
        }
    }

    fn record(&self, node: NodeId) -> NodeRecord {
        NodeRecord::from_words(self.records[node as usize])
    }

    fn set_record(&mut self, node: NodeId, record: NodeRecord) {
        self.records[node as usize] = record.to_words();
    }
}

impl Access {
    /// The access of a node one step further from the core. `toward` and `away` are the costs of
    /// the step.
    pub(super) fn extended(self, toward: Cost, away: Cost) -> Self {
        let (out, into) =
            (self.to_core.saturating_add(toward), self.from_core.saturating_add(away));
        Self { core: self.core, to_core: out, from_core: into }
    }
}

/// For each node the attached tree node with the largest subtree, or [`NONE`].
fn heaviest_children(decomposition: &Decomposition) -> Vec<NodeId> {
    let mut heaviest = vec![NONE; decomposition.roles.len()];
    let mut sizes = vec![1u32; decomposition.roles.len()];
    for &node in &decomposition.peeled {
        let parent = decomposition.parent(node) as usize;
        let size = sizes[node as usize];
        sizes[parent] += size;
        if heaviest[parent] == NONE || sizes[heaviest[parent] as usize] < size {
            heaviest[parent] = node;
        }
    }
    heaviest
}

/// The outgoing core edges of each node: the cheapest to each head; among equal ones the direct
/// edge, else the first chain.
fn out_rows<G: Graph>(
    weights: &Weights<'_, G>,
    roles: &[Role],
    chains: Vec<ChainEdge>,
) -> (Vec<u32>, Vec<[u32; OUT_EDGE]>) {
    let is_core = |node: NodeId| roles.get(node as usize) == Some(&Role::Core);
    let mut chains = chains.into_iter().peekable();
    let (mut first, mut edges) = (vec![0], Vec::new());
    let mut row: Vec<[u32; OUT_EDGE]> = Vec::new();
    for tail in 0..roles.len() as NodeId {
        row.clear();
        if is_core(tail) {
            weights.graph.out_edges(tail, |head, weight| {
                let weight = weights.scale.scaled(weight);
                if head != tail && is_core(head) && weight != UNREACHABLE {
                    row.push([head, weight, NONE]);
                }
            });
        }
        while let Some(edge) = chains.next_if(|edge| edge.tail == tail) {
            row.push([edge.head, edge.weight, edge.strand]);
        }
        row.sort_unstable_by_key(|&[head, weight, chain]| (head, weight, chain.wrapping_add(1)));
        row.dedup_by_key(|edge| edge[0]);
        edges.extend_from_slice(&row);
        first.push(u32::try_from(edges.len()).expect("fewer than 2^32 edges"));
    }
    (first, edges)
}

/// The same edges by head.
pub(super) fn in_rows(
    out_first: &[u32],
    out_edges: &[[u32; OUT_EDGE]],
) -> (Vec<u32>, Vec<[u32; IN_EDGE]>) {
    let mut first = vec![0u32; out_first.len()];
    for &[head, ..] in out_edges {
        first[head as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut next = first.clone();
    let mut edges = vec![[0; IN_EDGE]; out_edges.len()];
    for (tail, ends) in (0..).zip(out_first.windows(2)) {
        for &[head, weight, _] in &out_edges[ends[0] as usize..ends[1] as usize] {
            let at = &mut next[head as usize];
            edges[*at as usize] = [tail, weight];
            *at += 1;
        }
    }
    (first, edges)
}
