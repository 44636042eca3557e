//! Grids of one terrain reduced to the corners that shortest paths bend round.
//!
//! This is about eight-connected grids without terrain where a diagonal step needs both orthogonal
//! neighbours free. What differs under other rules is told in `lattice/`; `view.rs` is what queries
//! see of either.
//!
//! # Definitions
//! A *corner* of a free cell is a blocked diagonal neighbour between two free orthogonal ones. A
//! cell with a corner is a *subgoal*. A *canonical run* makes its diagonal steps first and then its
//! straight ones (`run.rs`); of all shortest paths between two cells in sight of each other one is
//! such a run, since steps of either kind can be exchanged where nothing is in the way.
//!
//! A path made of canonical runs is *taut* where every run but the last ends straight, at a corner
//! that lies behind it, and goes on from there as that corner makes sensible: straight on, sideways
//! round the corner, or diagonally forward to its side ([`Departures`](directions::Departures)).
//! **Between any two cells some shortest path is a taut path.** That is the theorem of jump points
//! (Harabor, Grastien): order the steps of each shortest path so that diagonal ones come as early
//! as they can; where a diagonal step cannot be moved before a straight one, a blocked cell is in
//! the way, and the cell at which the straight steps end has it as a corner behind it.
//!
//! # The graph
//! Edges are the runs that leave a subgoal straight in any direction, or diagonally where one of
//! its corners lies at the side of that direction, up to the first subgoals that force a turn
//! (`graph.rs`). So a taut path is a run from the start to a subgoal ahead of it, edges, and a run
//! from a subgoal behind the goal.
//!
//! *Ahead* of the start are the subgoals at which its own canonical runs have to turn. *Behind* the
//! goal are those that can be left toward it: from the goal straight first, then diagonally, the
//! nearest on each line. That is not the mirror image of what is ahead of the goal: in a corridor
//! two cells wide the run from a subgoal to the goal ends straight with no corner behind it, and
//! looking ahead from the goal would miss it (`tests.rs` has the picture). Farther ones on a
//! diagonal are *hidden* behind the nearest; an edge from each to the next makes up for that.
//! Farther ones on a straight line lie behind a subgoal that forces a turn, to which they have
//! edges.
//!
//! # The plain graph
//! The other reduction takes all pairs of subgoals between which the octile distance is free in
//! every way: the parallelogram that their canonical runs span is free and holds no other subgoal
//! (simple subgoal graphs: Uras, Koenig, Hernandez). A shortest path between two cells without such
//! a parallelogram has a subgoal on it, and so on from there. What is ahead of the start and what
//! is behind the goal are then the same rule, every tie is of use, and nothing is hidden. `scan.rs`
//! reads the pairs off the same bitmaps, on which every subgoal forces a turn.
//!
//! # Fewer ties
//! A subgoal ahead is of no use where a path that arrives so cannot go on along an edge, and one
//! behind where no edge arrives so that the path may be left toward the goal. Both are known from
//! the edges ([`Continuations`]) and left out. What is lost are paths with a single bend, at a subgoal
//! that no edge enters or leaves; they are found by looking from each subgoal ahead straight at the
//! goal, unless *both* say that the rows know of the way, or, in the taut reduction, the bend would
//! not be taut: then another shortest path is ([`Continuations::bend_departures`]).

mod bitmaps;
mod canonical_run;
mod directions;
mod graph;
mod jump_points;
mod lattice;
mod lines;
mod rays;
mod view;

pub(crate) use bitmaps::Reduction;
pub(crate) use canonical_run::{CanonicalRun, PaddedCell, VisibleSubgoal};
pub(crate) use directions::{Departures, HeadingIndex};
pub(crate) use graph::{Continuations, MOST_NODES, Subgoals};
pub(crate) use jump_points::{ColumnCache, JumpPoints};
pub(crate) use lattice::Ray as LatticeRay;
pub(crate) use rays::{Occlusion, Ray};
pub(crate) use view::{Bitmaps, View};

#[cfg(test)]
mod tests;
