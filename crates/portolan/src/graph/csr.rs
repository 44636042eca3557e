//! A directed graph in compressed rows.
//!
//! The rows of all nodes lie behind each other in two arrays, heads and weights; `first[v]..first[v + 1]`
//! is the row of v. A row is sorted by head, then weight, so the same edges give the same graph in
//! whatever order they came. Parallel edges and self-loops are kept as they are.
//!
//! A graph is cheap to clone (its arrays are shared) and copies on write: whoever holds a clone
//! never sees an edit. The reversed rows and the components are found when first asked for, once
//! for all clones.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Components, Graph, NodeId, weak_components};
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;

/// Where a node lies; the units are the map's own (metres, millionths of a degree, cells).
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// To the east.
    pub x: i32,
    /// To the north on road maps, to the south on screens: searches do not care.
    pub y: i32,
}

/// Why a graph cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// More nodes than ids.
    #[error("{nodes} nodes are more than the {} that node ids can count", MAX_NODES)]
    TooManyNodes {
        /// How many were asked for.
        nodes: usize,
    },
    /// More edges than the row index can count.
    #[error(
        "edge {edge} ({tail} -> {head}) is beyond the {} edges that a graph can hold",
        MAX_EDGES
    )]
    TooManyEdges {
        /// Its place in the order of insertion, from zero.
        edge: usize,
        /// Where it would have started.
        tail: NodeId,
        /// Where it would have led.
        head: NodeId,
    },
    /// An edge that names a node beyond the last.
    #[error("edge {edge} ({tail} -> {head}) names a node beyond the last one, {}; make the graph with at least {} nodes", nodes.saturating_sub(1), u64::from(*tail.max(head)) + 1)]
    DanglingEdge {
        /// Its place in the order of insertion, from zero.
        edge: usize,
        /// Where it starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A weight that is no finite cost.
    #[error("edge {edge} ({tail} -> {head}) weighs {UNREACHABLE}, which stands for \"unreachable\"; the largest weight is {}", UNREACHABLE - 1)]
    WeightTooLarge {
        /// Its place in the order of insertion, from zero.
        edge: usize,
        /// Where it starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
    },
    /// A length that is no finite number of at least zero, or too large for this scale.
    #[error(
        "edge {edge} ({tail} -> {head}) is {length} long; with {scale} units per length, lengths run from 0 to {:.1}",
        f64::from(UNREACHABLE - 1) / f64::from(*scale)
    )]
    BadLength {
        /// Its place in the order of insertion, from zero.
        edge: usize,
        /// Where it starts.
        tail: NodeId,
        /// Where it leads.
        head: NodeId,
        /// The length that was given, as text.
        length: String,
        /// How many units of weight a length of one is.
        scale: u32,
    },
    /// A length of one has to be at least one unit of weight.
    #[error("the scale is 0; give the units of weight that a length of 1 is, for example 1000")]
    NoScale,
    /// Coordinates for more or fewer nodes than there are.
    #[error("{found} coordinates were given for {expected} nodes")]
    CoordinateCount {
        /// How many nodes there are.
        expected: usize,
        /// How many coordinates came.
        found: usize,
    },
}

/// The last id is spare: tables use it for "none".
pub(super) const MAX_NODES: usize = u32::MAX as usize - 1;
pub(super) const MAX_EDGES: usize = u32::MAX as usize - 1;

/// Collects edges, checks each, and makes a [`CsrGraph`] of them.
///
/// ```
/// use portolan::GraphBuilder;
/// let mut builder = GraphBuilder::new(3)?;
/// builder.add_edge(0, 1, 70)?;
/// builder.add_two_way(1, 2, 30)?;
/// assert_eq!(builder.build().edge_count(), 3);
/// # Ok::<(), portolan::GraphError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GraphBuilder {
    nodes: usize,
    edges: Vec<(NodeId, NodeId, Cost)>,
    coordinates: Option<Vec<Point>>,
    unit: Cost,
}

impl GraphBuilder {
    /// A graph of this many nodes and no edges yet.
    pub fn new(nodes: usize) -> Result<Self, GraphError> {
        if nodes > MAX_NODES {
            return Err(GraphError::TooManyNodes { nodes });
        }
        Ok(Self { nodes, edges: Vec::new(), coordinates: None, unit: 1 })
    }

    /// Weights are lengths in this unit: [`Map::length`](crate::Map::length) divides costs by it.
    /// One unless told otherwise.
    pub fn with_unit(self, unit: Cost) -> Result<Self, GraphError> {
        if unit == 0 {
            return Err(GraphError::NoScale);
        }
        Ok(Self { unit, ..self })
    }

    /// Adds a one-way edge. Zero weights, self-loops and parallel edges are legal.
    pub fn add_edge(&mut self, tail: NodeId, head: NodeId, weight: Cost) -> Result<(), GraphError> {
        let edge = self.edges.len();
        check_edge(edge, tail, head, weight, self.nodes)?;
        self.edges.push((tail, head, weight));
        Ok(())
    }

    /// Adds the same edge in both directions.
    pub fn add_two_way(&mut self, a: NodeId, b: NodeId, weight: Cost) -> Result<(), GraphError> {
        self.add_edge(a, b, weight)?;
        self.add_edge(b, a, weight)
    }

    /// Says where every node lies, in the order of their ids.
    pub fn set_coordinates(&mut self, coordinates: Vec<Point>) -> Result<(), GraphError> {
        check_coordinates(self.nodes, &coordinates)?;
        self.coordinates = Some(coordinates);
        Ok(())
    }

    /// Sorts the edges into rows.
    pub fn build(self) -> CsrGraph {
        let rows = Rows::from_edges(self.nodes, self.edges);
        let coordinates = self.coordinates.map(Arc::new);
        let graph = CsrGraph::from_rows(rows, coordinates, Arc::default(), Arc::default());
        CsrGraph { unit: self.unit, ..graph }
    }
}

/// A directed graph with `u32` weights and optional coordinates; see the module head.
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::record::Record", into = "super::record::Record")
)]
#[derive(Clone)]
pub struct CsrGraph {
    pub(super) forward: Arc<Rows>,
    pub(super) backward: Arc<OnceLock<Arc<Rows>>>,
    pub(super) components: Arc<OnceLock<Components>>,
    pub(super) coordinates: Option<Arc<Vec<Point>>>,
    /// Sorted ids of nodes that were deleted; their ids are not given out again.
    pub(super) removed: Arc<Vec<NodeId>>,
    /// What weights are divided by to give lengths.
    pub(super) unit: Cost,
}

debug_by_name!(
    "CsrGraph", [] CsrGraph,
    |graph| "nodes" = graph.node_count(), "edges" = graph.edge_count(), "unit" = graph.unit
);

impl CsrGraph {
    /// A graph of `nodes` nodes and these one-way edges: tail, head, weight.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let graph = CsrGraph::from_edges(3, [(0, 1, 70), (1, 2, 30), (2, 0, 5)])?;
    /// let mut finder = PathFinder::new(&graph)?;
    /// assert_eq!(finder.distance(0, 2)?, Some(100));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn from_edges(
        nodes: usize,
        edges: impl IntoIterator<Item = (NodeId, NodeId, Cost)>,
    ) -> Result<Self, GraphError> {
        let mut builder = GraphBuilder::new(nodes)?;
        for (tail, head, weight) in edges {
            builder.add_edge(tail, head, weight)?;
        }
        Ok(builder.build())
    }

    /// A graph whose edges have lengths: tail, head, length. Costs are integers here, so a length
    /// of one becomes `scale` units of weight, and lengths are rounded to the nearest unit; paths
    /// are exact for the rounded lengths. [`Map::length`](crate::Map::length) and
    /// [`Route::length`](crate::Route::length) give lengths in the scale of these.
    ///
    /// ```
    /// use portolan::prelude::*;
    /// let metres = CsrGraph::from_lengths(3, [(0, 1, 70.25), (1, 2, 30.5)], 1000)?; // in millimetres
    /// let mut finder = PathFinder::new(&metres)?;
    /// let path = finder.find(0, 2)?.expect("a road");
    /// assert_eq!((path.cost(), path.length()), (100_750, 100.75));
    /// # Ok::<(), portolan::Error>(())
    /// ```
    pub fn from_lengths(
        nodes: usize,
        edges: impl IntoIterator<Item = (NodeId, NodeId, f64)>,
        scale: u32,
    ) -> Result<Self, GraphError> {
        let mut builder = GraphBuilder::new(nodes)?.with_unit(scale)?;
        for (edge, (tail, head, length)) in edges.into_iter().enumerate() {
            let weight = (length * f64::from(scale)).round();
            let fits = length >= 0.0 && weight < f64::from(UNREACHABLE);
            if !fits {
                let length = length.to_string();
                return Err(GraphError::BadLength { edge, tail, head, length, scale });
            }
            builder.add_edge(tail, head, weight as Cost)?;
        }
        Ok(builder.build())
    }

    /// What a weight is divided by to give a length: 1, or the scale of
    /// [`from_lengths`](Self::from_lengths).
    pub fn unit(&self) -> Cost {
        self.unit
    }

    /// How many directed edges there are.
    pub fn edge_count(&self) -> usize {
        self.forward.heads.len()
    }

    /// The edges that leave `tail`, as `(head, weight)`, sorted.
    pub fn edges(&self, tail: NodeId) -> impl Iterator<Item = (NodeId, Cost)> + '_ {
        let row = self.forward.row(tail);
        self.forward.heads[row.clone()]
            .iter()
            .copied()
            .zip(self.forward.weights[row].iter().copied())
    }

    /// Where the nodes lie, by id, if the map says so.
    pub fn coordinates(&self) -> Option<&[Point]> {
        self.coordinates.as_ref().map(|points| points.as_slice())
    }

    pub(crate) fn shared_coordinates(&self) -> Option<&Arc<Vec<Point>>> {
        self.coordinates.as_ref()
    }

    /// The same graph with these coordinates.
    pub fn with_coordinates(self, coordinates: Vec<Point>) -> Result<Self, GraphError> {
        check_coordinates(self.node_count(), &coordinates)?;
        Ok(Self { coordinates: Some(Arc::new(coordinates)), ..self })
    }

    /// The weakly connected components: found when first asked for, once for all clones, and kept
    /// through edits that part nothing.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| weak_components(self))
    }

    /// Bytes held on the heap, shared arrays included.
    pub fn memory_bytes(&self) -> usize {
        self.forward.memory_bytes()
            + match self.backward.get() {
                Some(rows) if !Arc::ptr_eq(rows, &self.forward) => rows.memory_bytes(),
                _ => 0,
            }
            + self.components.get().map_or(0, |components| components.memory_bytes())
            + self.coordinates.as_ref().map_or(0, |points| points.capacity() * size_of::<Point>())
            + self.removed.capacity() * size_of::<NodeId>()
    }

    pub(super) fn from_rows(
        rows: Rows,
        coordinates: Option<Arc<Vec<Point>>>,
        removed: Arc<Vec<NodeId>>,
        components: Arc<OnceLock<Components>>,
    ) -> Self {
        let (forward, backward) = (Arc::new(rows), Arc::default());
        Self { forward, backward, components, coordinates, removed, unit: 1 }
    }

    /// The reversed rows; the forward rows themselves where the graph is undirected.
    fn backward(&self) -> &Arc<Rows> {
        self.backward.get_or_init(|| {
            let reversed = self.forward.reversed();
            if reversed == *self.forward { self.forward.clone() } else { Arc::new(reversed) }
        })
    }
}

impl Graph for CsrGraph {
    fn node_count(&self) -> usize {
        self.forward.first.len() - 1
    }

    fn contains(&self, node: NodeId) -> bool {
        (node as usize) < self.node_count() && self.removed.binary_search(&node).is_err()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.forward.visit(tail, visit);
    }

    #[inline(always)]
    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.backward().visit(head, visit);
    }

    fn is_undirected(&self) -> bool {
        Arc::ptr_eq(self.backward(), &self.forward)
    }

    fn may_reach(&self, from: NodeId, to: NodeId) -> bool {
        self.components().same(from, to)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) first: Vec<u32>,
    pub(super) heads: Vec<NodeId>,
    pub(super) weights: Vec<Cost>,
}

impl Rows {
    fn from_edges(nodes: usize, mut edges: Vec<(NodeId, NodeId, Cost)>) -> Self {
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

    fn reversed(&self) -> Self {
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
    fn visit(&self, node: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let row = self.row(node);
        for (&head, &weight) in self.heads[row.clone()].iter().zip(&self.weights[row]) {
            visit(head, weight);
        }
    }

    fn memory_bytes(&self) -> usize {
        (self.first.capacity() + self.heads.capacity() + self.weights.capacity()) * size_of::<u32>()
    }
}

/// Turns counts, shifted by one, into the starts of rows.
fn accumulate(first: &mut [u32]) {
    let mut sum = 0;
    for entry in first {
        sum += *entry;
        *entry = sum;
    }
}

fn check_edge(
    edge: usize,
    tail: NodeId,
    head: NodeId,
    weight: Cost,
    nodes: usize,
) -> Result<(), GraphError> {
    if edge >= MAX_EDGES {
        return Err(GraphError::TooManyEdges { edge, tail, head });
    }
    if tail.max(head) as usize >= nodes {
        return Err(GraphError::DanglingEdge { edge, tail, head, nodes });
    }
    if weight == UNREACHABLE {
        return Err(GraphError::WeightTooLarge { edge, tail, head });
    }
    Ok(())
}

fn check_coordinates(nodes: usize, coordinates: &[Point]) -> Result<(), GraphError> {
    if coordinates.len() == nodes {
        Ok(())
    } else {
        Err(GraphError::CoordinateCount { expected: nodes, found: coordinates.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> CsrGraph {
        let mut builder = GraphBuilder::new(3).unwrap();
        for (tail, head, weight) in [(2, 0, 0), (0, 1, 5), (0, 1, 3), (1, 1, 7)] {
            builder.add_edge(tail, head, weight).unwrap();
        }
        builder.build()
    }

    fn seen(visit: impl FnOnce(&mut dyn FnMut(NodeId, Cost))) -> Vec<(NodeId, Cost)> {
        let mut edges = Vec::new();
        visit(&mut |node, weight| edges.push((node, weight)));
        edges
    }

    #[test]
    fn keeps_parallel_edges_self_loops_and_zero_weights() {
        let graph = triangle();
        assert_eq!(seen(|v| graph.out_edges(0, v)), [(1, 3), (1, 5)]);
        assert_eq!(seen(|v| graph.out_edges(1, v)), [(1, 7)]);
        assert_eq!(seen(|v| graph.out_edges(2, v)), [(0, 0)]);
        assert_eq!(seen(|v| graph.in_edges(1, v)), [(0, 3), (0, 5), (1, 7)]);
        assert_eq!(seen(|v| graph.reversed().out_edges(0, v)), [(2, 0)]);
        assert!(!graph.is_undirected());
    }

    #[test]
    fn ids_beyond_the_last_have_no_edges() {
        let graph = triangle();
        for node in [3, NodeId::MAX] {
            assert!(!graph.contains(node));
            assert_eq!(seen(|v| graph.out_edges(node, v)), []);
            assert_eq!(seen(|v| graph.in_edges(node, v)), []);
        }
    }

    #[test]
    fn the_order_of_insertion_does_not_matter() {
        let mut edges = [(0, 1, 4), (1, 0, 4), (0, 2, 9), (2, 0, 9), (0, 1, 2), (1, 0, 2)];
        let build = |edges: &[(NodeId, NodeId, Cost)]| {
            let mut builder = GraphBuilder::new(3).unwrap();
            for &(tail, head, weight) in edges {
                builder.add_edge(tail, head, weight).unwrap();
            }
            builder.build()
        };
        let first = build(&edges);
        edges.reverse();
        assert_eq!(first.forward, build(&edges).forward);
        assert!(first.is_undirected());
    }

    #[test]
    fn refusals_name_the_edge() {
        let mut builder = GraphBuilder::new(2).unwrap();
        builder.add_edge(0, 1, 1).unwrap();
        let dangling = builder.add_edge(0, 2, 1).unwrap_err();
        assert_eq!(dangling, GraphError::DanglingEdge { edge: 1, tail: 0, head: 2, nodes: 2 });
        assert_eq!(
            dangling.to_string(),
            "edge 1 (0 -> 2) names a node beyond the last one, 1; make the graph with at least 3 nodes"
        );
        let heavy = builder.add_edge(1, 0, UNREACHABLE).unwrap_err();
        assert_eq!(heavy, GraphError::WeightTooLarge { edge: 1, tail: 1, head: 0 });
        let many = check_edge(MAX_EDGES, 0, 1, 1, 2).unwrap_err();
        assert!(matches!(many, GraphError::TooManyEdges { tail: 0, head: 1, .. }));
        let nodes = usize::try_from(u32::MAX).unwrap();
        assert_eq!(GraphBuilder::new(nodes).unwrap_err(), GraphError::TooManyNodes { nodes });
        let points = vec![Point { x: 0, y: 0 }];
        let count = builder.set_coordinates(points).unwrap_err();
        assert_eq!(count, GraphError::CoordinateCount { expected: 2, found: 1 });
    }
}
