//! A directed graph in compressed rows.
//!
//! Two arrays, heads and weights, hold the rows of all nodes one after another; the row of v is
//! `first[v]..first[v + 1]`. A row is sorted by head, then weight, so the order of insertion does
//! not matter. Parallel edges and self-loops are kept.
//!
//! A graph is cheap to clone (clones share its arrays) and copies on write, so a clone never sees
//! an edit. The reversed rows and the components are computed on first use, once for all clones.

use std::sync::{Arc, OnceLock};

use super::builder::check_coordinates;
use super::rows::CompressedRows;
use super::{Components, Graph, GraphBuilder, GraphError, NodeId, weak_components};
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;

/// The position of a node in the map's own unit (metres, millionths of a degree, cells).
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// East.
    pub x: i32,
    /// North on road maps, south on screens; searches do not depend on it.
    pub y: i32,
}

/// A directed graph with `u32` weights and optional coordinates; see the module head.
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::serialized::SerializedGraph",
        into = "super::serialized::SerializedGraph"
    )
)]
#[derive(Clone)]
pub struct CsrGraph {
    pub(super) forward: Arc<CompressedRows>,
    pub(super) backward: Arc<OnceLock<Arc<CompressedRows>>>,
    pub(super) components: Arc<OnceLock<Components>>,
    pub(super) coordinates: Option<Arc<Vec<Point>>>,
    /// Sorted ids of deleted nodes. Ids are not reused.
    pub(super) removed: Arc<Vec<NodeId>>,
    /// The units of weight in a length of one.
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

    /// A graph of edges with lengths: tail, head, length. Costs are integers, so a length of one
    /// becomes `scale` units of weight, and lengths are rounded to the nearest unit. Paths are
    /// exact for the rounded lengths. [`Map::length`](crate::Map::length) and
    /// [`Route::length`](crate::Route::length) return lengths in the original unit.
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

    /// The units of weight in a length of one: 1, or the scale of
    /// [`from_lengths`](Self::from_lengths).
    pub fn unit(&self) -> Cost {
        self.unit
    }

    /// The number of directed edges.
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

    /// The same nodes and edges with other weights, such as travel times in traffic: each edge gets
    /// `weight(tail, head, old weight)`. An [`Atlas`](crate::atlas::Atlas) of this graph
    /// [takes them](crate::atlas::Atlas::reweighed) in a fraction of the time of a build.
    ///
    /// ```
    /// use portolan::CsrGraph;
    /// let graph = CsrGraph::from_edges(3, [(0, 1, 70), (1, 2, 30), (2, 0, 5)])?;
    /// let jammed = graph.with_weights(|tail, _, weight| if tail == 1 { 4 * weight } else { weight })?;
    /// assert_eq!(jammed.edges(1).collect::<Vec<_>>(), [(2, 120)]);
    /// # Ok::<(), portolan::GraphError>(())
    /// ```
    pub fn with_weights(
        &self,
        mut weight: impl FnMut(NodeId, NodeId, Cost) -> Cost,
    ) -> Result<Self, GraphError> {
        let rows = &*self.forward;
        let mut weights = Vec::with_capacity(rows.weights.len());
        for tail in 0..self.node_count() as NodeId {
            let start = weights.len();
            rows.visit(tail, |head, old| weights.push(weight(tail, head, old)));
            let heads = rows.heads[start..weights.len()].chunk_by(|a, b| a == b);
            // Parallel edges are sorted by weight.
            heads.fold(start, |from, parallel| {
                weights[from..from + parallel.len()].sort_unstable();
                from + parallel.len()
            });
            let bad = weights[start..].iter().position(|&weight| weight == UNREACHABLE);
            if let Some(edge) = bad.map(|at| start + at) {
                return Err(GraphError::WeightTooLarge { edge, tail, head: rows.heads[edge] });
            }
        }
        let rows = CompressedRows { first: rows.first.clone(), heads: rows.heads.clone(), weights };
        Ok(Self { forward: Arc::new(rows), backward: Arc::default(), ..self.clone() })
    }

    /// Whether the other graph has the same nodes and edges, whatever they weigh.
    pub(crate) fn same_edges(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.forward, &other.forward)
            || (self.forward.first == other.forward.first
                && self.forward.heads == other.forward.heads
                && self.removed == other.removed)
    }

    /// The weight of the cheapest edge from `tail` to `head`.
    pub(crate) fn cheapest_edge(&self, tail: NodeId, head: NodeId) -> Option<Cost> {
        self.forward.between(tail, head).first().copied()
    }

    /// What [`is_undirected`](Graph::is_undirected) tells, but without reversing the rows, which
    /// takes longer on most directed graphs.
    pub(crate) fn has_symmetric_rows(&self) -> bool {
        match self.backward.get() {
            Some(rows) => Arc::ptr_eq(rows, &self.forward),
            None => self.forward.are_symmetric(),
        }
    }

    /// The coordinates of the nodes by id, if the graph has any.
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

    /// The weakly connected components. Computed on first use, once for all clones, and kept across
    /// edits that disconnect nothing.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| weak_components(self))
    }

    /// Heap memory in bytes, including shared arrays.
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
        rows: CompressedRows,
        coordinates: Option<Arc<Vec<Point>>>,
        removed: Arc<Vec<NodeId>>,
        components: Arc<OnceLock<Components>>,
    ) -> Self {
        let (forward, backward) = (Arc::new(rows), Arc::default());
        Self { forward, backward, components, coordinates, removed, unit: 1 }
    }

    /// The reversed rows; the forward rows themselves if the graph is undirected.
    fn backward(&self) -> &Arc<CompressedRows> {
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::graph) fn triangle() -> CsrGraph {
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
}
