//! What partitioners see of a map: which nodes are joined, and where they lie.
//!
//! An undirected simple graph in compressed rows: `first[v]..first[v + 1]` is the row of v in
//! `heads`. Invariants: a row is sorted and names no node twice; u is in the row of v just where v
//! is in the row of u, with the same weight; no node is in its own row; fewer than 2^32 entries in
//! all.

use rayon::prelude::*;

use super::PartitionError;
use crate::graph::{Graph, NodeId, Point};
use crate::map::{Map, on_graph};

/// An undirected simple graph, made from a map or from a part of another topology.
///
/// Its nodes are numbered from zero without gaps; [`original`](Self::original) leads back to the
/// map's own ids, through however many subsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topology {
    first: Vec<u32>,
    heads: Vec<u32>,
    /// How many parallel edges each entry stands for; absent where it is one everywhere.
    weights: Option<Vec<u32>>,
    points: Option<Vec<Point>>,
    original: Vec<NodeId>,
}

/// Room that [`Topology::subset`] uses again from call to call, so that a small part of a large
/// graph costs little.
#[derive(Debug, Clone, Default)]
pub(crate) struct SubsetScratch {
    /// By node of the larger graph, the node of the subset; `NONE` between calls.
    new_ids: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Topology {
    /// The nodes that the graph [contains](Graph::contains) and the edges among them.
    ///
    /// Directions are forgotten and self-loops dropped. Parallel edges become one that weighs as
    /// many as there are in the direction that has more of them, so a plain two-way edge weighs
    /// one.
    ///
    /// # Panics
    /// Where the graph breaks its word: edges lead out of it, or those that enter a node are not
    /// those that leave others for it.
    pub(crate) fn of_graph<G: Graph>(graph: &G) -> Result<Self, PartitionError> {
        let original: Vec<NodeId> =
            (0..graph.node_count() as NodeId).filter(|&node| graph.contains(node)).collect();
        let mut new_ids = vec![NONE; graph.node_count()];
        for (new, &old) in (0..).zip(&original) {
            new_ids[old as usize] = new;
        }
        let rows = RowsBuilder::build(&original, |nodes, rows| {
            let mut row: Vec<(u32, bool)> = Vec::new();
            for &node in nodes {
                row.clear();
                let mut add = |other: NodeId, outward| {
                    let new = new_ids[other as usize];
                    if other != node && new != NONE {
                        row.push((new, outward));
                    }
                };
                graph.out_edges(node, |head, _| add(head, true));
                if !graph.is_undirected() {
                    graph.in_edges(node, |tail, _| add(tail, false));
                }
                row.sort_unstable();
                for same in row.chunk_by(|a, b| a.0 == b.0) {
                    let outward = same.iter().filter(|entry| entry.1).count();
                    rows.push(same[0].0, outward.max(same.len() - outward) as u32);
                }
                rows.end_row()?;
            }
            Ok(())
        })?;
        let topology = rows.into_topology(None, original);
        // C code relies on it.
        assert!(topology.is_symmetric(), "the edges in and out of the graph's nodes do not match");
        Ok(topology)
    }

    /// The same for either kind of map, with the coordinates that it has.
    pub(crate) fn of_map(map: &Map) -> Result<Self, PartitionError> {
        let topology = on_graph!(map, graph => Self::of_graph(graph))?;
        Ok(match map {
            Map::Grid(grid) => topology.with_points(|node| {
                let (x, y) = grid.position(node).unwrap_or_default();
                Point { x: x as i32, y: y as i32 }
            }),
            Map::Graph(graph) => match graph.coordinates() {
                Some(points) => topology.with_points(|node| points[node as usize]),
                None => topology,
            },
        })
    }

    /// The same with coordinates, asked for by the map's own ids.
    pub(crate) fn with_points(self, at: impl Fn(NodeId) -> Point) -> Self {
        let points = self.original.iter().map(|&node| at(node)).collect();
        Self { points: Some(points), ..self }
    }

    /// The graph of these nodes, in this order, and the edges among them. Takes time in proportion
    /// to their rows, once the scratch has grown to the size of this graph.
    ///
    /// # Panics
    /// Where a node is named twice or there is no such node.
    pub(crate) fn subset(&self, nodes: &[u32], scratch: &mut SubsetScratch) -> Self {
        let new_ids = &mut scratch.new_ids;
        if new_ids.len() < self.node_count() {
            new_ids.resize(self.node_count(), NONE);
        }
        for (new, &node) in (0..).zip(nodes) {
            assert_eq!(new_ids[node as usize], NONE, "node {node} is in the subset twice");
            new_ids[node as usize] = new;
        }
        let mut rows = RowsBuilder::with_capacity(nodes.len());
        let mut row: Vec<(u32, u32)> = Vec::new();
        // New ids then ascend as the old ones do, and so do rows.
        let in_order = nodes.is_sorted();
        for &node in nodes {
            row.clear();
            let kept = self.edges(node).map(|(head, weight)| (new_ids[head as usize], weight));
            row.extend(kept.filter(|&(head, _)| head != NONE));
            if !in_order {
                row.sort_unstable();
            }
            row.iter().for_each(|&(head, weight)| rows.push(head, weight));
            rows.end_row().expect("a part has no more edges than the whole");
        }
        for &node in nodes {
            new_ids[node as usize] = NONE;
        }
        let pick = |points: &Vec<Point>| nodes.iter().map(|&node| points[node as usize]).collect();
        let original = nodes.iter().map(|&node| self.original[node as usize]).collect();
        rows.into_topology(self.points.as_ref().map(pick), original)
    }

    /// How many nodes there are.
    pub(crate) fn node_count(&self) -> usize {
        self.original.len()
    }

    /// How many undirected edges there are, parallel ones counted once.
    #[cfg(test)]
    pub(crate) fn edge_count(&self) -> usize {
        self.heads.len() / 2
    }

    /// The nodes next to a node, ascending; none where there is no such node.
    #[inline]
    pub(crate) fn neighbours(&self, node: u32) -> &[u32] {
        &self.heads[self.row(node)]
    }

    #[inline]
    fn row(&self, node: u32) -> std::ops::Range<usize> {
        match self.first.get(node as usize..).unwrap_or_default() {
            &[start, end, ..] => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// The nodes next to a node, ascending, each with the weight of the edge to it; none where
    /// there is no such node.
    pub(crate) fn edges(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.row(node)
            .map(|entry| (self.heads[entry], self.weights.as_ref().map_or(1, |all| all[entry])))
    }

    /// Where the nodes lie, if the map says so.
    pub(crate) fn points(&self) -> Option<&[Point]> {
        self.points.as_deref()
    }

    /// The id that a node has on the map; [`NodeId::MAX`], which is no node's, where there is no
    /// such node.
    pub(crate) fn original(&self, node: u32) -> NodeId {
        self.original.get(node as usize).copied().unwrap_or(NodeId::MAX)
    }

    /// The ids that the nodes have on the map, in the order of the nodes.
    pub(crate) fn originals(&self) -> &[NodeId] {
        &self.original
    }

    /// Where the rows begin, and at last where they end.
    pub(super) fn first(&self) -> &[u32] {
        &self.first
    }

    /// All rows, one behind the other.
    pub(super) fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// The weights beside `heads`; absent where all are one.
    pub(super) fn weights(&self) -> Option<&[u32]> {
        self.weights.as_deref()
    }

    /// By entry of a row, the entry of the same edge at its other end. The rows are sorted, so as
    /// tails ascend, each row is met from its first entry to its last.
    pub(super) fn mates(&self) -> Vec<u32> {
        let mut next = self.first.clone();
        let mate = |&head: &u32| {
            next[head as usize] += 1;
            next[head as usize] - 1
        };
        self.heads.iter().map(mate).collect()
    }

    fn is_symmetric(&self) -> bool {
        (0..self.node_count() as u32).into_par_iter().all(|tail| {
            self.edges(tail).all(|(head, weight)| {
                let at = self.neighbours(head).binary_search(&tail);
                at.is_ok_and(|at| self.edges(head).nth(at) == Some((tail, weight)))
            })
        })
    }

    /// The nodes of each connected component, ascending; the components by their smallest node.
    pub(super) fn components(&self) -> Vec<Vec<u32>> {
        let mut component_of = vec![NONE; self.node_count()];
        let mut sizes = Vec::new();
        let mut stack = Vec::new();
        for start in 0..self.node_count() as u32 {
            if component_of[start as usize] != NONE {
                continue;
            }
            let component = sizes.len() as u32;
            component_of[start as usize] = component;
            stack.push(start);
            let mut size = 0;
            while let Some(node) = stack.pop() {
                size += 1;
                for &other in self.neighbours(node) {
                    if component_of[other as usize] == NONE {
                        component_of[other as usize] = component;
                        stack.push(other);
                    }
                }
            }
            sizes.push(size);
        }
        let mut components: Vec<Vec<u32>> = sizes.into_iter().map(Vec::with_capacity).collect();
        for (node, component) in (0..).zip(component_of) {
            components[component as usize].push(node);
        }
        components
    }
}

/// Rows as they grow; an entry belongs to the row that ends next.
#[derive(Debug, Clone)]
pub(super) struct RowsBuilder {
    pub(super) first: Vec<u32>,
    pub(super) heads: Vec<u32>,
    /// Beside `heads`; empty as long as all are one, which is mostly to the end.
    weights: Vec<u32>,
}

impl RowsBuilder {
    /// From this many rows on they are made in pieces, side by side.
    const PIECE: usize = 1 << 14;

    fn with_capacity(nodes: usize) -> Self {
        let mut first = Vec::with_capacity(nodes + 1);
        first.push(0);
        Self { first, heads: Vec::new(), weights: Vec::new() }
    }

    /// One row for each item, in their order; `add` appends those of some items that follow one
    /// another.
    pub(super) fn build<T: Sync>(
        items: &[T],
        add: impl Fn(&[T], &mut Self) -> Result<(), PartitionError> + Sync,
    ) -> Result<Self, PartitionError> {
        let made = |items: &[T]| {
            let mut rows = Self::with_capacity(items.len());
            add(items, &mut rows).map(|()| rows)
        };
        if items.len() <= Self::PIECE {
            return made(items);
        }
        let pieces: Vec<Self> =
            items.par_chunks(Self::PIECE).map(made).collect::<Result<_, PartitionError>>()?;
        let entries = pieces.iter().map(|piece| piece.heads.len()).sum();
        let mut rows = Self::with_capacity(items.len());
        if u32::try_from(entries).is_err() {
            return Err(PartitionError::TooManyEdges { entries });
        }
        rows.heads.reserve_exact(entries);
        let weighted = pieces.iter().any(|piece| !piece.weights.is_empty());
        rows.weights.reserve_exact(if weighted { entries } else { 0 });
        for piece in pieces {
            let before = rows.heads.len();
            rows.first.extend(piece.first[1..].iter().map(|&end| before as u32 + end));
            rows.heads.extend_from_slice(&piece.heads);
            rows.weights.extend_from_slice(&piece.weights);
            rows.weights.resize(if weighted { rows.heads.len() } else { 0 }, 1);
        }
        Ok(rows)
    }

    pub(super) fn push(&mut self, head: u32, weight: u32) {
        if weight != 1 && self.weights.is_empty() {
            self.weights.resize(self.heads.len(), 1);
        }
        if weight != 1 || !self.weights.is_empty() {
            self.weights.push(weight);
        }
        self.heads.push(head);
    }

    /// The weights beside `heads`; absent where all are one.
    #[cfg(feature = "metis")]
    pub(super) fn weights(&self) -> Option<&[u32]> {
        (!self.weights.is_empty()).then_some(&self.weights)
    }

    pub(super) fn end_row(&mut self) -> Result<(), PartitionError> {
        let entries = self.heads.len();
        let end = u32::try_from(entries).map_err(|_| PartitionError::TooManyEdges { entries })?;
        self.first.push(end);
        Ok(())
    }

    fn into_topology(self, points: Option<Vec<Point>>, original: Vec<NodeId>) -> Topology {
        let weights = (!self.weights.is_empty()).then_some(self.weights);
        Topology { first: self.first, heads: self.heads, weights, points, original }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn rows(topology: &Topology) -> Vec<Vec<(u32, u32)>> {
        (0..topology.node_count() as u32).map(|node| topology.edges(node).collect()).collect()
    }

    #[test]
    fn directions_loops_and_parallel_edges_are_forgotten() {
        let mut builder = GraphBuilder::new(4).unwrap();
        for (tail, head) in [(0, 1), (0, 1), (1, 0), (2, 2), (3, 1), (1, 2), (2, 1)] {
            builder.add_edge(tail, head, 9).unwrap();
        }
        let topology = Topology::of_graph(&builder.build()).unwrap();
        let expected = [vec![(1, 2)], vec![(0, 2), (2, 1), (3, 1)], vec![(1, 1)], vec![(1, 1)]];
        assert_eq!(rows(&topology), expected);
        assert_eq!(topology.components(), [[0, 1, 2, 3]]);
        let part = topology.subset(&[3, 1, 0], &mut SubsetScratch::default());
        assert_eq!(rows(&part), [vec![(1, 1)], vec![(0, 1), (2, 2)], vec![(1, 2)]]);
        assert_eq!(part.originals(), [3, 1, 0]);
    }

    /// A graph that calls itself undirected, with one-way edges.
    struct Liar(crate::CsrGraph);

    impl Graph for Liar {
        fn node_count(&self) -> usize {
            self.0.node_count()
        }
        fn contains(&self, node: NodeId) -> bool {
            self.0.contains(node)
        }
        fn out_edges(&self, tail: NodeId, visit: impl FnMut(NodeId, crate::Cost)) {
            self.0.out_edges(tail, visit);
        }
        fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, crate::Cost)) {
            self.0.in_edges(head, visit);
        }
        fn is_undirected(&self) -> bool {
            true
        }
        fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
            self.0.may_reach(from, to)
        }
    }

    #[test]
    #[should_panic(expected = "do not match")]
    fn a_graph_that_lies_never_reaches_c_code() {
        let mut builder = GraphBuilder::new(4).unwrap();
        builder.add_edge(0, 1, 1).unwrap();
        builder.add_edge(2, 3, 1).unwrap();
        let _ = Topology::of_graph(&Liar(builder.build()));
    }

    #[test]
    fn components_come_by_their_smallest_node() {
        let mut builder = GraphBuilder::new(5).unwrap();
        builder.add_edge(4, 0, 1).unwrap();
        builder.add_edge(1, 3, 1).unwrap();
        let topology = Topology::of_graph(&builder.build()).unwrap();
        assert_eq!(topology.components(), [vec![0, 4], vec![1, 3], vec![2]]);
    }
}
