//! The graph of subgoals: between two of them lies an edge where a run of the chosen reduction
//! leads from one to the other.

use super::bitmaps::{CornerBitmaps, Reduction};
use super::canonical_run::VisibleSubgoal;
use super::directions::{Departures, Diagonal, Straight, UNKNOWN_CORNERS};
use super::lattice;
use super::lattice::Rules;
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
    /// The subgoals, ascending.
    nodes: Vec<NodeId>,
    continuations: Vec<Continuations>,
    /// By subgoal where its edges begin, and at last where all end.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

/// Where taut paths through a subgoal come from and go on to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Continuations {
    /// By direction, straight ones first, whether a path that arrives in it can go on along an
    /// edge.
    pub(crate) arrivals: u8,
    /// How a path that has come along an edge may go on.
    pub(crate) departures: Departures,
    /// Its corners, round which paths bend, or [`UNKNOWN_CORNERS`].
    pub(crate) corners: u8,
}

impl Continuations {
    /// What is right for any subgoal.
    const ANY: Self = Self { arrivals: 0xf, departures: Departures::ANY, corners: UNKNOWN_CORNERS };

    /// How a path that arrives so, by one bit of eight, may go on to its end with one run of which
    /// no edge tells.
    #[inline(always)]
    pub(crate) fn bend_departures(self, arrival: u8) -> Departures {
        let after = Departures::after_any(arrival, self.corners);
        match self.arrivals & arrival {
            0 => after,
            _ => after.without(self.departures),
        }
    }
}

/// The other end of an edge, and in the highest bit whether, seen from here, straight steps (or
/// those of a lattice's second kind) come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge(u32);

/// The most nodes of a grid that can be reduced: an edge has a bit less than a node id.
pub(crate) const MOST_NODES: usize = 1 << 31;

impl Edge {
    pub(crate) fn new(head: NodeId, straight_first: bool) -> Self {
        Self(head | u32::from(straight_first) << 31)
    }

    pub(crate) fn head(self) -> NodeId {
        self.0 & !(1 << 31)
    }

    /// Whether only a run from there to here makes it, not one from here to there.
    pub(crate) fn straight_first(self) -> bool {
        self.0 >> 31 != 0
    }
}

impl Subgoals {
    pub(crate) fn new(grid: &Grid, reduction: Reduction) -> Self {
        let cells = grid.width() as usize * grid.height() as usize;
        let (view, nodes, continuations, edges) = match Rules::of(grid, reduction) {
            Some(rules) => {
                let lattice::LatticeGraph { lattice, nodes, continuations, edges } =
                    lattice::graph(grid, rules);
                (View::new(grid, Bitmaps::Lattice(lattice)), nodes, continuations, edges)
            }
            None => {
                let (mut sight, corners) = CornerBitmaps::new(grid, reduction);
                let (continuations, edges) = match reduction {
                    Reduction::Taut => taut(&mut sight, &corners),
                    Reduction::Plain => plain(&mut sight, &corners),
                };
                let nodes = corners.iter().map(|&(node, _)| node).collect();
                (View::new(grid, Bitmaps::Corner(sight)), nodes, continuations, edges)
            }
        };
        let (mut all, mut first) = (Vec::new(), vec![0]);
        for mut edges in edges {
            edges.sort_unstable_by_key(|edge| (edge.head(), edge.straight_first()));
            edges.dedup_by_key(|edge| edge.head());
            all.append(&mut edges);
            first.push(all.len() as u32);
        }
        all.shrink_to_fit();
        Self { view, reduction, cells, nodes, continuations, first, edges: all }
    }

    pub(crate) fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// Whether rows in codes are for them, which stand for runs with diagonal steps first.
    pub(crate) fn supports_compact_labels(&self) -> bool {
        self.has_jump_points()
    }

    /// Whether runs can be found from the cells alone, by [`JumpPoints`](super::JumpPoints).
    pub(crate) fn has_jump_points(&self) -> bool {
        matches!(self.view.bitmaps, Bitmaps::Corner(_))
    }

    /// How many edges there are, each counted from both ends.
    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All subgoals, ascending.
    pub(crate) fn all(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().copied()
    }

    /// How paths go on from a subgoal; `None` for other cells.
    pub(crate) fn continuations(&self, node: NodeId) -> Option<Continuations> {
        Some(self.continuations[self.find(node)?])
    }

    /// The edges of a subgoal, by their other ends; none for other cells.
    pub(crate) fn edges(&self, node: NodeId) -> &[Edge] {
        let Some(at) = self.find(node) else { return &[] };
        &self.edges[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// What a run between two cells costs.
    pub(crate) fn cost(&self, from: NodeId, to: NodeId) -> Cost {
        self.view.distance(self.view.spot(from), self.view.spot(to))
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

/// The edges of the taut reduction, and what is known of each subgoal.
fn taut(
    sight: &mut CornerBitmaps,
    corners: &[(NodeId, u8)],
) -> (Vec<Continuations>, Vec<Vec<Edge>>) {
    let number = |node: NodeId| corners.binary_search_by_key(&node, |&(node, _)| node);
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); corners.len()];
    let mut arrivals = vec![0_u8; corners.len()];
    let mut leavings = vec![Departures::default(); corners.len()];
    for (at, &(node, corners)) in corners.iter().enumerate() {
        runs_from(sight, node, corners, |departure, seen| {
            leavings[at].insert_all(departure);
            let head = sight.node(seen.spot);
            let Ok(other) = number(head) else { return };
            arrivals[other] |= seen.arrival;
            edges[at].push(Edge::new(head, false));
            edges[other].push(Edge::new(node, true));
        });
    }
    let continuations: Vec<Continuations> = corners
        .iter()
        .zip(arrivals.iter().zip(&leavings))
        .map(|(&(_, corners), (&arrivals, &leavings))| continuations(corners, arrivals, leavings))
        .collect();
    for (&(node, corners), continuations) in corners.iter().zip(&continuations) {
        sight.set_departures(node, corners, continuations.departures);
    }
    for (at, (&(node, _), continuations)) in corners.iter().zip(&continuations).enumerate() {
        hidden_behind(sight, node, continuations, |head| {
            let Ok(other) = number(head) else { return };
            edges[at].push(Edge::new(head, false));
            edges[other].push(Edge::new(node, true));
        });
    }
    (continuations, edges)
}

/// Those of the plain reduction.
fn plain(
    sight: &mut CornerBitmaps,
    corners: &[(NodeId, u8)],
) -> (Vec<Continuations>, Vec<Vec<Edge>>) {
    for &(node, corners) in corners {
        sight.set_departures(node, corners, Departures::ANY);
    }
    let seen_from = |&(node, _): &(NodeId, u8)| {
        let mut edges = Vec::new();
        sight.ahead(sight.spot(node), |seen| {
            edges.push(Edge::new(sight.node(seen.spot), false));
        });
        edges
    };
    (vec![Continuations::ANY; corners.len()], corners.iter().map(seen_from).collect())
}

/// The taut runs that leave a subgoal, each with the direction it leaves in.
pub(crate) fn runs_from(
    sight: &CornerBitmaps,
    node: NodeId,
    corners: u8,
    mut visit: impl FnMut(Departures, VisibleSubgoal),
) {
    let spot = sight.spot(node);
    sight.ahead_straight(spot, |seen| {
        visit(Departures::of(seen.arrival), seen);
    });
    for direction in Diagonal::ALL {
        if corners & direction.turning() != 0 {
            let mut departure = Departures::default();
            departure.insert_diagonal(direction);
            sight.ahead_diagonally(spot, direction, |seen| visit(departure, seen));
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

/// The subgoals that this one hides from the cells behind it on a diagonal.
pub(crate) fn hidden_behind(
    sight: &CornerBitmaps,
    node: NodeId,
    continuations: &Continuations,
    mut visit: impl FnMut(NodeId),
) {
    let spot = sight.spot(node);
    for direction in Diagonal::ALL {
        let turning = continuations.corners & direction.turning() != 0
            && continuations.departures.diagonal(direction.opposite());
        if let Some(steps) = sight.turning_ahead(spot, direction).filter(|_| turning) {
            visit(sight.node(spot.step(direction.delta(), steps)));
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

    /// Nothing is proved: whether cells are joined is the grid's to say.
    fn may_reach(&self, _: NodeId, _: NodeId) -> bool {
        true
    }
}
