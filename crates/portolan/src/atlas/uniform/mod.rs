//! The form for grids of one terrain: hub labels of subgoals.
//!
//! The grid is reduced to its corners ([`subgoals`]). They get a separator tree, hub labels and
//! hops ([`build`], [`labels`]). Read on in the order of a query:
//!
//! - `index`: the index. `outline`: its layout and size before labels are filled.
//! - `query`: the entry point. `lookup`: one query on the labels, in steps.
//! - `climb`: labels for the top of the tree only, where labels of all subgoals do not fit.
//! - `visibility`: connects both endpoints to subgoals, by bitmaps or by stored lists.
//! - `unpack`: the legs of the path, read from hops.
//! - `batch`: query order, interleaved queries, shared parts of paths.
//! - `stale`: queries after edits. The labels stay as they were and serve as lower bounds.
//! - `file`, `validate`: storage and the structural check. `explain`: what an index shows of itself.
//!
//! Invariants: the regions of two adjacent subgoals are ancestor and descendant; labels, hops and
//! subgoal numbers follow from the map and the tree; an edited index never changes the labels that
//! it shares with its predecessor.

#[cfg(test)]
mod all_pairs;
mod batch;
mod build;
mod climb;
mod explain;
mod file;
mod index;
mod labels;
mod lookup;
mod outline;
mod query;
mod stale;
mod subgoals;
mod unpack;
mod validate;
mod visibility;

pub(super) use build::reduce::reduce;
#[cfg(test)]
use index::grid_of;
pub(super) use index::{LEAF, UniformIndex};
#[cfg(test)]
use outline::LabelPlan;
pub(super) use outline::UniformOutline;
pub(super) use query::{UniformQuery, UniformScratch};
pub(super) use subgoals::Subgoals;
