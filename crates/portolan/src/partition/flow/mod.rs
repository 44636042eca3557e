//! Least cuts between two sets of nodes, by maximum flow (Ford and Fulkerson 1956).
//!
//! One search serves both kinds of cut. It walks over *states* of a [`Residual`]. For a cut of
//! edges a state is a node, and an edge carries as many units as its weight. For a cut of nodes
//! every node has an entry state and an exit state, and carries one unit. Units are pushed one at a
//! time along paths. An explicit stack holds the path, so long paths cannot overflow the call
//! stack.
//!
//! Paths are found in depth-first passes, nearer to the sinks first; a pass enters each state at
//! most once. Most of the flow is found in the first pass and the rest in a few more. Shortest
//! paths (Dinic 1970) need a pass for every path length, and behind doors there are many. The cut
//! does not depend on the paths: it is what the last pass, which pushes nothing, can still enter.
//!
//! Only nodes that are neither source nor sink, and those next to them, are visited: a path never
//! gains by passing a second source or sink.

use std::ops::Range;

use super::{CutSide, Topology};

/// What a cut consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutKind {
    Edges,
    Nodes,
}

/// Whether a node is a source, a sink or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    Source,
    Between,
    Sink,
}

/// A least cut: of all of them the one nearest to the sources.
pub(super) struct LeastCut {
    /// Sources are on side A; sinks are on side B or in the separator.
    pub(super) side_of: Vec<CutSide>,
    /// The weight of the cut edges, or the number of cut nodes.
    pub(super) size: usize,
}

/// Finds cuts of one kind in one topology, for any sources and sinks.
pub(super) struct LeastCutFinder<'a> {
    pub(super) topology: &'a Topology,
    pub(super) kind: CutKind,
    /// For cuts of edges, by entry of a row, the entry of the same edge at its other end.
    mates: Vec<u32>,
}

impl<'a> LeastCutFinder<'a> {
    pub(super) fn new(topology: &'a Topology, kind: CutKind) -> Self {
        let mates = if kind == CutKind::Edges { topology.mates() } else { Vec::new() };
        Self { topology, kind, mates }
    }

    /// The least cut between sources and sinks, unless it is larger than `limit`.
    pub(super) fn least(&self, zones: &[Zone], limit: usize) -> Option<LeastCut> {
        let topology = self.topology;
        match self.kind {
            CutKind::Edges => {
                let left = match topology.weights() {
                    Some(weights) => weights.to_vec(),
                    None => vec![1; topology.heads().len()],
                };
                let steps = steps_to_sinks(topology, zones);
                let mates = &self.mates;
                let mut flow = MaxFlow::new(EdgeResidual { topology, zones, mates, left, steps });
                let size = flow.maximise(limit)?;
                let side = |node: u32| if flow.reached(node) { CutSide::A } else { CutSide::B };
                Some(LeastCut { side_of: sides(zones, topology, side), size })
            }
            CutKind::Nodes => {
                let before = vec![IDLE; topology.node_count()];
                let steps = steps_to_sinks(topology, zones);
                let mut flow = MaxFlow::new(NodeResidual { topology, zones, before, steps });
                let size = flow.maximise(limit)?;
                let side = |node| match (
                    flow.reached(entry_state(node)),
                    flow.reached(exit_state(node)),
                ) {
                    (true, true) => CutSide::A,
                    (true, false) => CutSide::Separator,
                    (false, _) => CutSide::B,
                };
                Some(LeastCut { side_of: sides(zones, topology, side), size })
            }
        }
    }
}

/// The residual capacities. Arcs are numbered within their state.
trait Residual {
    fn states(&self) -> usize;
    /// Where paths start.
    fn starts(&self) -> Vec<u32>;
    /// Whether a path may end here.
    fn is_end(&self, state: u32) -> bool;
    fn arcs(&self, state: u32) -> Range<u32>;
    /// The head of an arc; `None` if the arc is saturated.
    fn head(&self, state: u32, arc: u32) -> Option<u32>;
    /// An estimate of the distance to a sink.
    fn distance(&self, state: u32) -> u32;
    /// Sends one unit along a path: all states but the last with their arcs, then the last.
    fn push(&mut self, path: &[(u32, u32)], end: u32);
}

/// Pushes units along paths until there are none left.
struct MaxFlow<R> {
    residual: R,
    starts: Vec<u32>,
    /// Whether this pass has entered each state.
    entered: Vec<bool>,
    /// The states that this pass has entered.
    entered_states: Vec<u32>,
    /// The next arc to try, valid for entered states. Each arc is tried twice: first only if it
    /// leads nearer to a sink.
    cursors: Vec<u32>,
    path: Vec<(u32, u32)>,
}

impl<R: Residual> MaxFlow<R> {
    fn new(residual: R) -> Self {
        let states = residual.states();
        Self {
            starts: residual.starts(),
            entered: vec![false; states],
            entered_states: Vec::new(),
            cursors: vec![0; states],
            path: Vec::new(),
            residual,
        }
    }

    /// Pushes the maximum flow and returns its size, unless it exceeds `limit`.
    fn maximise(&mut self, limit: usize) -> Option<usize> {
        let mut total = 0;
        loop {
            let pushed = self.pass(limit - total)?;
            if pushed == 0 {
                return Some(total);
            }
            total += pushed;
        }
    }

    /// Runs one pass from all starts; returns the units pushed, unless they exceed `limit`.
    fn pass(&mut self, limit: usize) -> Option<usize> {
        for state in self.entered_states.drain(..) {
            self.entered[state as usize] = false;
        }
        let mut pushed = 0;
        for at in 0..self.starts.len() {
            let start = self.starts[at];
            self.enter(start);
            while let Some(end) = self.find_path(start) {
                self.residual.push(&self.path, end);
                pushed += 1;
                if pushed > limit {
                    return None;
                }
            }
        }
        Some(pushed)
    }

    /// Whether the last pass, which found no path to a sink, entered this state.
    fn reached(&self, state: u32) -> bool {
        self.entered[state as usize]
    }

    /// Enters a state; returns false if this pass has entered it before.
    fn enter(&mut self, state: u32) -> bool {
        if self.entered[state as usize] {
            return false;
        }
        self.entered[state as usize] = true;
        self.cursors[state as usize] = 0;
        self.entered_states.push(state);
        true
    }

    /// Finds a path over states not yet entered, stored in `path`; returns its end.
    fn find_path(&mut self, start: u32) -> Option<u32> {
        self.path.clear();
        let mut state = start;
        loop {
            if self.residual.is_end(state) {
                return Some(state);
            }
            let arcs = self.residual.arcs(state);
            let (count, cursor) = (arcs.end - arcs.start, self.cursors[state as usize]);
            if cursor == 2 * count {
                (state, _) = self.path.pop()?;
                continue;
            }
            self.cursors[state as usize] += 1;
            let (arc, must_near) = match cursor < count {
                true => (arcs.start + cursor, true),
                false => (arcs.start + cursor - count, false),
            };
            let Some(head) = self.residual.head(state, arc) else { continue };
            let nears = || self.residual.distance(head) < self.residual.distance(state);
            if (!must_near || nears()) && self.enter(head) {
                self.path.push((state, arc));
                state = head;
            }
        }
    }
}

/// States are nodes, arcs are entries of their rows.
struct EdgeResidual<'a> {
    topology: &'a Topology,
    zones: &'a [Zone],
    mates: &'a [u32],
    /// By entry, how many more units may leave its node through it.
    left: Vec<u32>,
    /// By node, the number of edges to the nearest sink.
    steps: Vec<u32>,
}

impl Residual for EdgeResidual<'_> {
    fn states(&self) -> usize {
        self.topology.node_count()
    }

    fn starts(&self) -> Vec<u32> {
        border_sources(self.topology, self.zones).collect()
    }

    fn is_end(&self, node: u32) -> bool {
        self.zones[node as usize] == Zone::Sink
    }

    fn arcs(&self, node: u32) -> Range<u32> {
        self.topology.first()[node as usize]..self.topology.first()[node as usize + 1]
    }

    #[inline]
    fn head(&self, _: u32, entry: u32) -> Option<u32> {
        let head = self.topology.heads()[entry as usize];
        let open = self.left[entry as usize] > 0 && self.zones[head as usize] != Zone::Source;
        open.then_some(head)
    }

    #[inline]
    fn distance(&self, node: u32) -> u32 {
        self.steps[node as usize]
    }

    fn push(&mut self, path: &[(u32, u32)], _: u32) {
        for &(_, entry) in path {
            self.left[entry as usize] -= 1;
            self.left[self.mates[entry as usize] as usize] += 1;
        }
    }
}

/// Two states per node. A unit is a whole path from node to node, so storing where each unit comes
/// from is enough. From its entry state, an idle node may be passed, and a node with a unit may
/// only send that unit back. From its exit state, every neighbour may follow, or the node's own
/// unit is cancelled.
struct NodeResidual<'a> {
    topology: &'a Topology,
    zones: &'a [Zone],
    /// By node, where its unit comes from: `IDLE` without a unit, `ROOT` at the start of a path.
    before: Vec<u32>,
    /// By node, the number of edges to the nearest sink.
    steps: Vec<u32>,
}

const IDLE: u32 = u32::MAX;
const ROOT: u32 = u32::MAX - 1;

fn entry_state(node: u32) -> u32 {
    2 * node
}

fn exit_state(node: u32) -> u32 {
    2 * node + 1
}

impl Residual for NodeResidual<'_> {
    fn states(&self) -> usize {
        2 * self.topology.node_count()
    }

    fn starts(&self) -> Vec<u32> {
        border_sources(self.topology, self.zones).map(entry_state).collect()
    }

    fn is_end(&self, state: u32) -> bool {
        state % 2 == 1 && self.zones[state as usize / 2] == Zone::Sink
    }

    fn arcs(&self, state: u32) -> Range<u32> {
        let out_of = self.topology.neighbours(state / 2).len() as u32;
        if state.is_multiple_of(2) { 0..1 } else { 0..out_of + 1 }
    }

    #[inline]
    fn head(&self, state: u32, arc: u32) -> Option<u32> {
        let node = state / 2;
        let before = self.before[node as usize];
        if state.is_multiple_of(2) {
            return match before {
                IDLE => Some(exit_state(node)),
                ROOT => None,
                other => Some(exit_state(other)),
            };
        }
        match self.topology.neighbours(node).get(arc as usize) {
            Some(&other) => {
                (self.zones[other as usize] != Zone::Source).then(|| entry_state(other))
            }
            None => (before != IDLE).then(|| entry_state(node)),
        }
    }

    /// A node's exit state is nearer than its entry state.
    #[inline]
    fn distance(&self, state: u32) -> u32 {
        2 * self.steps[state as usize / 2] + u32::from(state.is_multiple_of(2))
    }

    fn push(&mut self, path: &[(u32, u32)], end: u32) {
        let mut states = path.iter().map(|&(state, _)| state).chain([end]);
        let mut last = states.next().unwrap_or(end);
        self.before[last as usize / 2] = ROOT;
        for state in states {
            if state.is_multiple_of(2) {
                let (from, node) = (last / 2, state / 2);
                self.before[node as usize] = if from == node { IDLE } else { from };
            }
            last = state;
        }
    }
}

/// The sources next to a node that is not a source; the others carry nothing.
fn border_sources<'a>(
    topology: &'a Topology,
    zones: &'a [Zone],
) -> impl Iterator<Item = u32> + use<'a> {
    let is_source = |node: u32| zones[node as usize] == Zone::Source;
    (0..zones.len() as u32).filter(move |&node| {
        is_source(node) && topology.neighbours(node).iter().any(|&other| !is_source(other))
    })
}

/// By node, the number of edges to the nearest sink without passing a source, as far as known;
/// twice the number fits.
fn steps_to_sinks(topology: &Topology, zones: &[Zone]) -> Vec<u32> {
    const FAR: u32 = u32::MAX / 4;
    let mut steps: Vec<u32> =
        zones.iter().map(|&zone| if zone == Zone::Sink { 0 } else { FAR }).collect();
    let is_sink = |node: u32| zones[node as usize] == Zone::Sink;
    let at_border = |&node: &u32| {
        is_sink(node) && topology.neighbours(node).iter().any(|&other| !is_sink(other))
    };
    let mut queue: Vec<u32> = (0..zones.len() as u32).filter(at_border).collect();
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &other in topology.neighbours(node) {
            if steps[other as usize] == FAR {
                steps[other as usize] = steps[node as usize] + 1;
                if zones[other as usize] == Zone::Between {
                    queue.push(other);
                }
            }
        }
    }
    steps
}

/// Sources away from the border are on side A, although no search enters them.
fn sides(zones: &[Zone], topology: &Topology, side: impl Fn(u32) -> CutSide) -> Vec<CutSide> {
    let mut side_of: Vec<CutSide> = (0..zones.len() as u32)
        .map(|node| if zones[node as usize] == Zone::Source { CutSide::A } else { side(node) })
        .collect();
    for node in border_sources(topology, zones) {
        side_of[node as usize] = side(node);
    }
    side_of
}

/// The size of a given cut; `None` if it is not of this kind.
#[cfg(any(feature = "metis", test))]
pub(super) fn cut_size(topology: &Topology, kind: CutKind, side_of: &[CutSide]) -> Option<usize> {
    let mut separator = 0;
    let mut crossing = 0;
    for (node, &side) in (0..).zip(side_of) {
        let across =
            |&(head, _): &(u32, u32)| (side, side_of[head as usize]) == (CutSide::A, CutSide::B);
        let edges = topology.edges(node).filter(across);
        crossing += edges.map(|(_, weight)| weight as usize).sum::<usize>();
        separator += usize::from(side == CutSide::Separator);
    }
    match kind {
        CutKind::Edges => (separator == 0).then_some(crossing),
        CutKind::Nodes => (crossing == 0).then_some(separator),
    }
}

#[cfg(test)]
mod tests;
