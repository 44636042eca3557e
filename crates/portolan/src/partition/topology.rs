//! The input of partitioners: which nodes are adjacent, and where they are.
//!
//! An undirected simple graph in compressed rows: `first[v]..first[v + 1]` is the row of v in
//! `heads`. Invariants: a row is sorted and names no node twice; u is in the row of v exactly if v
//! is in the row of u, with the same weight; no node is in its own row; fewer than 2^32 entries in
//! total.

use rayon::prelude::*;

use super::PartitionError;
use super::rows::RowsBuilder;
use crate::graph::{Graph, NodeId, Point};
use crate::map::{Map, on_graph};

/// An undirected simple graph, made from a map or from a part of another topology.
///
/// Its nodes are numbered from zero without gaps; [`original`](Self::original) returns the ids of
/// the map, through any number of subsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Topology {
    first: Vec<u32>,
    heads: Vec<u32>,
    /// The number of parallel edges of each entry; `None` if all are one.
    weights: Option<Vec<u32>>,
    points: Option<Vec<Point>>,
    original: Vec<NodeId>,
}

/// Scratch space of [`Topology::subset`], reused so that a small part of a large graph is cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct SubsetScratch {
    /// By node of the larger graph, the node of the subset; `NONE` between calls.
    new_ids: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Topology {
    /// The nodes that the graph [contains](Graph::contains) and the edges between them.
    ///
    /// Directions are dropped, and so are self-loops. Parallel edges become one edge whose weight
    /// is their number in the direction that has more of them, so a plain two-way edge has weight
    /// one.
    ///
    /// # Panics
    /// If the graph is inconsistent: edges lead out of it, or its incoming edges are not its
    /// outgoing edges reversed.
    pub(crate) fn of_graph<G: Graph>(graph: &G) -> Result<Self, PartitionError> {
        let nodes = (0..graph.node_count() as NodeId).into_par_iter();
        Self::of_nodes(graph, nodes.filter(|&node| graph.contains(node)).collect())
    }

    /// [`of_graph`](Self::of_graph), given the nodes that the graph contains in ascending order.
    pub(crate) fn of_nodes<G: Graph>(
        graph: &G,
        original: Vec<NodeId>,
    ) -> Result<Self, PartitionError> {
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
        let topology = Self::from_rows(rows, None, original);
        // C code relies on it.
        assert!(topology.is_symmetric(), "the edges in and out of the graph's nodes do not match");
        Ok(topology)
    }

    /// Like [`of_graph`](Self::of_graph) for either kind of map, with its coordinates if it has
    /// any.
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

    /// Adds coordinates, given by the ids of the map.
    pub(crate) fn with_points(self, at: impl Fn(NodeId) -> Point) -> Self {
        let points = self.original.iter().map(|&node| at(node)).collect();
        Self { points: Some(points), ..self }
    }

    /// The graph of these nodes, in this order, and the edges between them. Takes time in
    /// proportion to their rows, once the scratch space has grown to the size of this graph.
    ///
    /// # Panics
    /// If a node is named twice or does not exist.
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
        // Then new ids ascend with the old ones, and rows stay sorted.
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
        Self::from_rows(rows, self.points.as_ref().map(pick), original)
    }

    fn from_rows(rows: RowsBuilder, points: Option<Vec<Point>>, original: Vec<NodeId>) -> Self {
        let RowsBuilder { first, heads, weights } = rows;
        let weights = (!weights.is_empty()).then_some(weights);
        Self { first, heads, weights, points, original }
    }

    /// The number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.original.len()
    }

    /// The number of undirected edges, parallel ones counted once.
    #[cfg(test)]
    pub(crate) fn edge_count(&self) -> usize {
        self.heads.len() / 2
    }

    /// The neighbours of a node, ascending; none if the node does not exist.
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

    /// The neighbours of a node, ascending, each with the weight of its edge; none if the node does
    /// not exist.
    pub(crate) fn edges(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.row(node)
            .map(|entry| (self.heads[entry], self.weights.as_ref().map_or(1, |all| all[entry])))
    }

    /// The coordinates of the nodes, if the map has any.
    pub(crate) fn points(&self) -> Option<&[Point]> {
        self.points.as_deref()
    }

    /// The id of a node on the map; [`NodeId::MAX`], which is never a node, if the node does not
    /// exist.
    pub(crate) fn original(&self, node: u32) -> NodeId {
        self.original.get(node as usize).copied().unwrap_or(NodeId::MAX)
    }

    /// The ids of all nodes on the map, in order.
    pub(crate) fn originals(&self) -> &[NodeId] {
        &self.original
    }

    /// The start of each row, and the end of the last.
    pub(super) fn first(&self) -> &[u32] {
        &self.first
    }

    /// All rows, one after the other.
    pub(super) fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// The weights beside `heads`; `None` if all are one.
    pub(super) fn weights(&self) -> Option<&[u32]> {
        self.weights.as_deref()
    }

    /// By entry of a row, the entry of the same edge at its other end. As rows are sorted and tails
    /// ascend, the entries of each row are visited in order.
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

    /// The nodes of each connected component, ascending; components are ordered by their smallest
    /// node.
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

    /// A graph that claims to be undirected but has one-way edges.
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
