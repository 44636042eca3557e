//! A* that works a stated number of expansions at a time.

use std::ops::ControlFlow;

use super::{EndpointError, Scratch, astar, check_ends, unless_overflow};
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::graph::{Endpoints, Graph, NodeId};
use crate::heuristic::LowerBound;

/// A search that can be interrupted and continued, for games with a little time per frame.
///
/// The answer does not depend on the sizes of the slices.
///
/// ```
/// use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice};
/// use portolan::search::{SearchState, Resumable};
/// use portolan::Grid;
/// let grid = Grid::new(50, 50)?;
/// let octile = Geometric::new(&(&grid).into(), HeuristicChoice::Octile)?;
/// let mut search = Resumable::new(&grid, (0, 2499), octile.toward(2499))?;
/// let mut frames = 1;
/// while search.advance(10)? == SearchState::Working {
///     frames += 1;
/// }
/// assert_eq!(frames, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A search in a struct can own its graph and bound: `Resumable<Grid, GeometricBound>` with
/// a clone of the grid, which shares its cells.
pub struct Resumable<G, B> {
    graph: G,
    from: NodeId,
    to: NodeId,
    bound: B,
    scratch: Scratch,
    expanded: u64,
    state: SearchState,
}

debug_by_name!("Resumable", [G, B] Resumable<G, B>, |search| "from" = search.from);

/// The state of a [`Resumable`] search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchState {
    /// The search is not finished.
    Working,
    /// There is a path.
    Found {
        /// Its cost.
        cost: Cost,
    },
    /// There is no path.
    NoPath,
}

impl<G: Graph, B: LowerBound> Resumable<G, B> {
    /// Begins a search on a graph or a reference to one. `bound` must be for the second node.
    pub fn new(graph: G, ends: Endpoints, bound: B) -> Result<Self, EndpointError> {
        Self::with_scratch(graph, ends, bound, Scratch::default())
    }

    /// Begins a search in the scratch space of an earlier one; see
    /// [`into_scratch`](Self::into_scratch).
    pub fn with_scratch(
        graph: G,
        (from, to): Endpoints,
        mut bound: B,
        mut scratch: Scratch,
    ) -> Result<Self, EndpointError> {
        scratch.forget();
        let mut state = SearchState::NoPath;
        if check_ends(&graph, (from, to))? {
            scratch.start(graph.node_count(), from, &mut bound, &mut ());
            state = SearchState::Working;
        }
        Ok(Self { graph, from, to, bound, scratch, expanded: 0, state })
    }

    /// Expands at most this many nodes.
    pub fn advance(&mut self, expansions: u64) -> Result<SearchState, EndpointError> {
        let mut found = None;
        let mut left = expansions;
        while self.state == SearchState::Working && left > 0 {
            left -= 1;
            let Self { graph, scratch, bound, to, .. } = self;
            match astar::step(&*graph, scratch, *to, bound, &mut (), &mut found) {
                ControlFlow::Continue(true) => self.expanded += 1,
                done => {
                    self.expanded += u64::from(done.is_break());
                    let ends = (self.from, self.to);
                    self.state = match unless_overflow(&self.graph, &self.scratch, ends, found)? {
                        Some(cost) => SearchState::Found { cost },
                        None => SearchState::NoPath,
                    };
                }
            }
        }
        Ok(self.state)
    }

    /// The number of nodes expanded so far.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Replaces the contents of `path` by the path; empty if there is none yet.
    pub fn path_into(&self, path: &mut Vec<NodeId>) {
        path.clear();
        if let SearchState::Found { .. } = self.state {
            self.scratch.path_into(self.to, path);
        }
    }

    /// The scratch space, for the next search.
    pub fn into_scratch(self) -> Scratch {
        self.scratch
    }
}
