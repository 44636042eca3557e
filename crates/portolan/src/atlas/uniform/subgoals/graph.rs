//! The graph of subgoals. Its edges are the runs of the chosen reduction.

use rayon::prelude::*;

use super::bitmaps::{CornerBitmaps, Reduction};
use super::canonical_run::VisibleSubgoal;
use super::directions::{Departures, Diagonal, Straight, UNKNOWN_CORNERS};
use super::lattice::{self, LatticeGraph, Rules};
use super::view::{Bitmaps, View};
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;

/// A grid of one terrain reduced to its subgoals.
#[derive(Debug, Clone)]
pub(crate) struct Subgoals {
    pub(crate) view: View,
    reduction: Reduction,
    cells: usize,
    /// Sorted.
    nodes: Vec<NodeId>,
    continuations: Vec<Continuations>,
    /// By subgoal, the position of its first edge, and a final entry for the end.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

/// Which turns keep a path taut at a subgoal, given the edges there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Continuations {
    /// By heading, straight ones first, whether a path that arrives in it can continue along an
    /// edge.
    pub(crate) arrivals: u8,
    /// How a path that arrived along an edge may continue.
    pub(crate) departures: Departures,
    /// The corners around which paths bend, or [`UNKNOWN_CORNERS`].
    pub(crate) corners: u8,
}

impl Continuations {
    /// Valid for any subgoal.
    const ANY: Self = Self { arrivals: 0xf, departures: Departures::ANY, corners: UNKNOWN_CORNERS };

    /// How a path that arrives with this heading (one bit of eight) may end with a single run that
    /// edges do not cover.
    #[inline(always)]
    pub(crate) fn bend_departures(self, arrival: u8) -> Departures {
        let after = Departures::after_any(arrival, self.corners);
        match self.arrivals & arrival {
            0 => after,
            _ => after.without(self.departures),
        }
    }
}

/// The head of an edge. The highest bit is set if, seen from the tail, straight steps (or those of
/// a lattice's second kind) come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge(u32);

/// The largest number of nodes of a grid that can be reduced: an edge has one bit less than a node
/// id.
pub(crate) const MOST_NODES: usize = 1 << 31;

impl Edge {
    pub(crate) fn new(head: NodeId, straight_first: bool) -> Self {
        Self(head | u32::from(straight_first) << 31)
    }

    pub(crate) fn head(self) -> NodeId {
        self.0 & !(1 << 31)
    }

    /// Whether the edge is a canonical run only from head to tail.
    pub(crate) fn straight_first(self) -> bool {
        self.0 >> 31 != 0
    }
}

impl Subgoals {
    pub(crate) fn new(grid: &Grid, reduction: Reduction) -> Self {
        let cells = grid.width() as usize * grid.height() as usize;
        let (view, nodes, continuations, edges) = match Rules::of(grid, reduction) {
            Some(rules) => {
                let LatticeGraph { lattice, nodes, continuations, edges } =
                    lattice::graph(grid, rules);
                let edges = (0..).zip(edges);
                let edges = edges.flat_map(|(tail, edges)| {
                    edges.into_iter().map(move |edge| (tail, edge.head(), edge.straight_first()))
                });
                let edges = edges.collect();
                (View::new(grid, Bitmaps::Lattice(lattice)), nodes, continuations, edges)
            }
            None => {
                let (mut bitmaps, corners) = CornerBitmaps::new(grid, reduction);
                let (continuations, edges) = match reduction {
                    Reduction::Taut => taut(&mut bitmaps, &corners),
                    Reduction::Plain => plain(&mut bitmaps, &corners),
                };
                let nodes = corners.iter().map(|&(node, _)| node).collect();
                (View::new(grid, Bitmaps::Corner(bitmaps)), nodes, continuations, edges)
            }
        };
        let (first, edges) = rows(nodes.len(), edges);
        Self { view, reduction, cells, nodes, continuations, first, edges }
    }

    pub(crate) fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// Whether compact labels support this graph. They need canonical runs with diagonal steps
    /// first.
    pub(crate) fn supports_compact_labels(&self) -> bool {
        self.has_jump_points()
    }

    /// Whether [`JumpPoints`](super::JumpPoints) can find the runs from the cells alone.
    pub(crate) fn has_jump_points(&self) -> bool {
        matches!(self.view.bitmaps, Bitmaps::Corner(_))
    }

    /// The number of edges, counted from both ends.
    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All subgoals in ascending order.
    pub(crate) fn all(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().copied()
    }

    /// How paths continue at a subgoal; `None` for other cells.
    pub(crate) fn continuations(&self, node: NodeId) -> Option<Continuations> {
        Some(self.continuations[self.find(node)?])
    }

    /// The edges of a subgoal, sorted by head; none for other cells.
    pub(crate) fn edges(&self, node: NodeId) -> &[Edge] {
        let Some(at) = self.find(node) else { return &[] };
        &self.edges[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// The cost of a run between two cells.
    pub(crate) fn cost(&self, from: NodeId, to: NodeId) -> Cost {
        self.view.distance(self.view.cell(from), self.view.cell(to))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.view.memory_bytes()
            + 4 * (self.nodes.len() + self.first.len())
            + size_of_val(&self.continuations[..])
            + size_of_val(&self.edges[..])
    }

    fn find(&self, node: NodeId) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }
}

/// An edge from the subgoal with this index to a node, and whether straight steps come first.
type IndexedEdge = (u32, NodeId, bool);

/// The edges by tail, sorted by head: the position of the first edge of each subgoal with the number
/// of edges as a final entry, and the edges. Of two to one head, one with diagonal steps first stays.
fn rows(subgoals: usize, mut edges: Vec<IndexedEdge>) -> (Vec<u32>, Vec<Edge>) {
    edges.par_sort_unstable();
    edges.dedup_by_key(|&mut (tail, head, _)| (tail, head));
    let mut first = vec![0; subgoals + 1];
    edges.iter().for_each(|&(tail, ..)| first[tail as usize + 1] += 1);
    for at in 0..subgoals {
        first[at + 1] += first[at];
    }
    let edge = |&(_, head, straight_first): &IndexedEdge| Edge::new(head, straight_first);
    (first, edges.par_iter().map(edge).collect())
}

/// The continuations and edges of the taut reduction.
fn taut(
    bitmaps: &mut CornerBitmaps,
    corners: &[(NodeId, u8)],
) -> (Vec<Continuations>, Vec<IndexedEdge>) {
    let number = |node: NodeId| corners.binary_search_by_key(&node, |&(node, _)| node).ok();
    let both = |(tail, head): (usize, usize)| {
        let node = |at: usize| corners[at].0;
        [(tail as u32, node(head), false), (head as u32, node(tail), true)]
    };
    let from_each = corners.par_iter().enumerate().map(|(at, &(node, corners))| {
        let (mut leaving, mut runs) = (Departures::default(), Vec::new());
        runs_from(bitmaps, node, corners, |departure, seen| {
            leaving.insert_all(departure);
            let head = number(bitmaps.node(seen.cell));
            runs.extend(head.map(|head| (at, head, seen.arrival)));
        });
        (leaving, runs)
    });
    let (leavings, runs): (Vec<Departures>, Vec<_>) = from_each.unzip();
    let mut arrivals = vec![0_u8; corners.len()];
    for &(_, head, arrival) in runs.iter().flatten() {
        arrivals[head] |= arrival;
    }
    let continuations: Vec<Continuations> = corners
        .iter()
        .zip(arrivals.iter().zip(&leavings))
        .map(|(&(_, corners), (&arrivals, &leavings))| continuations(corners, arrivals, leavings))
        .collect();
    let subgoals = corners.iter().zip(&continuations);
    bitmaps.set_departures(
        subgoals.map(|(&(node, corners), continuations)| (node, corners, continuations.departures)),
    );
    let bitmaps = &*bitmaps;
    let hidden = corners.par_iter().zip(&continuations).enumerate();
    let hidden = hidden.flat_map_iter(|(at, (&(node, _), continuations))| {
        let mut heads = Vec::new();
        hidden_behind(bitmaps, node, continuations, |head| heads.extend(number(head)));
        heads.into_iter().map(move |head| (at, head))
    });
    let runs = runs.par_iter().flatten_iter().map(|&(at, head, _)| (at, head));
    let edges = runs.chain(hidden).flat_map_iter(both).collect();
    (continuations, edges)
}

/// The continuations and edges of the plain reduction.
fn plain(
    bitmaps: &mut CornerBitmaps,
    corners: &[(NodeId, u8)],
) -> (Vec<Continuations>, Vec<IndexedEdge>) {
    bitmaps.set_departures(corners.iter().map(|&(node, corners)| (node, corners, Departures::ANY)));
    let bitmaps = &*bitmaps;
    let edges = (0_u32..corners.len() as u32).into_par_iter().flat_map_iter(|at| {
        let mut edges = Vec::new();
        bitmaps.ahead(bitmaps.cell(corners[at as usize].0), |seen| {
            edges.push((at, bitmaps.node(seen.cell), false));
        });
        edges
    });
    (vec![Continuations::ANY; corners.len()], edges.collect())
}

/// Visits the taut runs that leave a subgoal, each with its departure.
fn runs_from(
    bitmaps: &CornerBitmaps,
    node: NodeId,
    corners: u8,
    mut visit: impl FnMut(Departures, VisibleSubgoal),
) {
    let cell = bitmaps.cell(node);
    bitmaps.ahead_straight(cell, |seen| {
        visit(Departures::of(seen.arrival), seen);
    });
    for direction in Diagonal::ALL {
        if corners & direction.turning() != 0 {
            let mut departure = Departures::default();
            departure.insert_diagonal(direction);
            bitmaps.ahead_diagonally(cell, direction, |seen| visit(departure, seen));
        }
    }
}

fn continuations(corners: u8, arrivals: u8, leavings: Departures) -> Continuations {
    let mut continuations =
        Continuations { arrivals: 0, departures: Departures::default(), corners };
    for direction in Straight::ALL {
        let allowed = Departures::after(direction, corners);
        if arrivals >> direction.number() & 1 != 0 {
            continuations.departures.insert_all(allowed);
        }
        if leavings.intersects(allowed) {
            continuations.arrivals |= 1 << direction.number();
        }
    }
    continuations
}

/// Visits the subgoals on diagonals that this one hides from the cells behind it.
fn hidden_behind(
    bitmaps: &CornerBitmaps,
    node: NodeId,
    continuations: &Continuations,
    mut visit: impl FnMut(NodeId),
) {
    let cell = bitmaps.cell(node);
    for direction in Diagonal::ALL {
        let turning = continuations.corners & direction.turning() != 0
            && continuations.departures.diagonal(direction.opposite());
        if let Some(steps) = bitmaps.steps_to_turning(cell, direction).filter(|_| turning) {
            visit(bitmaps.node(cell.step(direction.delta(), steps)));
        }
    }
}

impl Graph for Subgoals {
    fn node_count(&self) -> usize {
        self.cells
    }

    fn contains(&self, node: NodeId) -> bool {
        self.find(node).is_some()
    }

    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        for edge in self.edges(tail) {
            visit(edge.head(), self.cost(tail, edge.head()));
        }
    }

    fn in_edges(&self, head: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.out_edges(head, visit);
    }

    fn is_undirected(&self) -> bool {
        true
    }
}
