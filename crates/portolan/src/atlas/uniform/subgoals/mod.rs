//! Grids of one terrain reduced to the corners that shortest paths bend around.
//!
//! This module covers eight-connected grids without terrain where a diagonal step needs both
//! orthogonal neighbours free. `lattice/` covers other rules. `view.rs` is the interface for
//! queries under either.
//!
//! Reading order: `directions` and `canonical_run` have the basic types, `lines` the bitmaps along
//! lines, `bitmaps` what is written there by means of `cell_bits`, `rays` how visible subgoals are found, `seen_by` the
//! reverse, and `graph` the edges. `jump_points` finds the same subgoals from the cells alone, after edits.
//!
//! # Definitions
//! A *corner* of a free cell is a blocked diagonal neighbour between two free orthogonal ones. A
//! cell with a corner is a *subgoal*. A *canonical run* makes its diagonal steps first and its
//! straight steps second (`canonical_run.rs`). If two cells are in line of sight, one of the
//! shortest paths between them is a canonical run, because steps of both kinds can be exchanged
//! where there is no obstacle.
//!
//! A path made of canonical runs is *taut* if every run but the last ends straight, at a corner
//! behind it, and the path continues in a way that this corner justifies: straight on, sideways
//! around the corner, or diagonally forward to its side ([`Departures`](directions::Departures)).
//! **Between any two connected cells, some shortest path is taut.** This is the theorem of jump
//! points (Harabor, Grastien). Order the steps of each shortest path so that diagonal steps come as
//! early as possible. Where a diagonal step cannot move before a straight one, a blocked cell is in
//! the way, and the cell at which the straight steps end has it as a corner behind it.
//!
//! # The graph
//! Edges are the runs that leave a subgoal straight in any direction, or diagonally if one of its
//! corners is at the side of that direction, up to the first subgoals that force a turn
//! (`graph.rs`). So a taut path is a run from the start to a subgoal ahead of it, then edges, then
//! a run from a subgoal behind the goal.
//!
//! *Ahead* of the start are the subgoals that force its own canonical runs to turn. *Behind* the
//! goal are the subgoals that can be left toward it: from the goal, go straight first and
//! diagonally second, and take the nearest on each line. This is not the mirror image of what is
//! ahead of the goal. In a corridor two cells wide, the run from a subgoal to the goal ends
//! straight with no corner behind it, and scanning ahead from the goal would miss it (`tests.rs`
//! has the picture). Farther subgoals on a diagonal are *hidden* behind the nearest; an edge from
//! each to the next makes up for that. Farther subgoals on a straight line are behind a subgoal
//! that forces a turn, and have edges to it.
//!
//! # The plain graph
//! The other reduction takes all pairs of subgoals for which every path of octile length between
//! them is free: the parallelogram that their canonical runs span is free and contains no other
//! subgoal (simple subgoal graphs: Uras, Koenig, Hernandez). A shortest path between two cells
//! without such a parallelogram has a subgoal on it, and the argument repeats for both parts. Ahead
//! of the start and behind the goal then follow the same rule, every access is useful, and no
//! subgoal is hidden. `rays.rs` reads the pairs off the same bitmaps, on which every subgoal forces
//! a turn.
//!
//! # Fewer accesses
//! A subgoal ahead is useless if a path that arrives this way cannot continue along an edge. A
//! subgoal behind is useless if no edge arrives in such a way that the path may leave toward the
//! goal. Both follow from the edges ([`Continuations`]), and such accesses are left out. This loses
//! the paths with a single bend at a subgoal that no edge enters or leaves. A line-of-sight check
//! from each subgoal ahead to the goal finds these. The check is skipped in two cases: if *both*
//! conditions show that the labels cover the path, or if, in the taut reduction, the bend would not
//! be taut; then another shortest path is ([`Continuations::bend_departures`]).

mod bitmaps;
mod canonical_run;
mod cell_bits;
mod directions;
mod graph;
mod jump_points;
mod lattice;
mod lines;
mod rays;
mod seen_by;
mod view;

pub(crate) use bitmaps::{CornerBitmaps, Reduction};
pub(crate) use canonical_run::{CanonicalRun, PaddedCell, VisibleSubgoal};
pub(crate) use directions::{Departures, HeadingIndex};
pub(crate) use graph::{Continuations, MOST_NODES, Subgoals};
pub(crate) use jump_points::{ColumnCache, JumpPoints};
pub(crate) use lattice::Ray as LatticeRay;
pub(crate) use rays::{Occlusion, Ray};
pub(crate) use seen_by::CellLine;
pub(crate) use view::{Bitmaps, View};

#[cfg(test)]
mod tests;
