//! Paths from pieces that lie ready: each end notes which, and all are copied at once.
//!
//! Most of the time of a path is waiting for memory. Both ends therefore follow their hops in
//! turns, so that the one's waiting is the other's, and while pieces are noted, they are fetched.
//!
//! What is read may come from a damaged file: every number is held against the list it leads into,
//! and the number of pieces and of nodes is limited.

use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::Rank;
use crate::atlas::general::path_cache::leaf_paths::{LeafPaths, RunPart};
use crate::atlas::general::path_cache::shortcuts::Shortcuts;
use crate::atlas::general::path_cache::{NodeSpan, PathCache};
use crate::atlas::separator_tree::RegionId;
use crate::graph::{Direction, NodeId};
use crate::kernel::prefetch;

/// The pieces of one end's half of a path, from the end toward the middle; nodes lie in each as
/// they are walked from start to goal.
pub(crate) struct HalfPath {
    direction: Direction,
    leaf_paths: Vec<NodeSpan>,
    shortcuts: Vec<NodeSpan>,
}

/// Where an end begins: the leg out of its leaf, if it lies in one, and the separator node at the
/// leg's end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfPathStart {
    pub(crate) home: RegionId,
    pub(crate) leg: RunPart,
    pub(crate) rank: Rank,
}

impl HalfPath {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, leaf_paths: Vec::new(), shortcuts: Vec::new() }
    }

    /// Notes the pieces of the way out of a leaf.
    fn leave(&mut self, leaf_paths: &LeafPaths, begin: &HalfPathStart) -> Option<()> {
        self.leaf_paths.clear();
        let mut leg = begin.leg;
        while let Some(span) = leaf_paths.span(begin.home, leg) {
            if self.leaf_paths.len() > RUNS {
                return None;
            }
            self.leaf_paths.push(span);
            leg = leaf_paths.continuation(self.direction, span)?;
        }
        Some(())
    }
}

/// Notes all pieces of the way over an entry of both ends' rows, of `most` nodes at most on either
/// side.
pub(crate) fn collect_spans(
    labels: &Labels,
    cache: &PathCache,
    [out, into]: &mut [HalfPath; 2],
    begin: [HalfPathStart; 2],
    (entry, most): (usize, usize),
) -> Option<()> {
    let steps = labels.layout.separators();
    for begin in &begin {
        if let Some(span) = cache.leaf_paths.span(begin.home, begin.leg) {
            prefetch(span.of(&cache.leaf_paths.nodes)?);
        }
    }
    let [mut a, mut b] = [
        ShortcutFollower::new(labels, &cache.shortcuts, out, begin[0].rank, entry, most),
        ShortcutFollower::new(labels, &cache.shortcuts, into, begin[1].rank, entry, most),
    ];
    for _ in 0..=steps {
        let (goes, goes_too) = (a.step()?, b.step()?);
        if !goes && !goes_too {
            let met = a.rank == b.rank;
            out.leave(&cache.leaf_paths, &begin[0])?;
            into.leave(&cache.leaf_paths, &begin[1])?;
            return met.then_some(());
        }
    }
    None
}

/// More runs than the way out of any leaf meets.
const RUNS: usize = 32;

/// One end on its way to the node of an entry.
struct ShortcutFollower<'a> {
    labels: &'a Labels,
    shortcuts: &'a Shortcuts,
    direction: Direction,
    entry: usize,
    rank: Rank,
    next: &'a [Rank],
    numbers: &'a [u16],
    nodes: &'a [NodeId],
    spans: &'a mut Vec<NodeSpan>,
    /// How many more nodes a path may have.
    left: usize,
}

impl<'a> ShortcutFollower<'a> {
    fn new(
        labels: &'a Labels,
        shortcuts: &'a Shortcuts,
        trail: &'a mut HalfPath,
        rank: Rank,
        entry: usize,
        left: usize,
    ) -> Self {
        let (direction, spans) = (trail.direction, &mut trail.shortcuts);
        let (next, numbers) = (shortcuts.targets.of(direction), shortcuts.numbers.of(direction));
        spans.clear();
        Self {
            labels,
            shortcuts,
            direction,
            entry,
            rank,
            next,
            numbers,
            nodes: &shortcuts.nodes,
            spans,
            left,
        }
    }

    /// Jumps ahead; false at the node of the entry.
    #[inline(always)]
    fn step(&mut self) -> Option<bool> {
        let (is_there, at) = self.labels.layout.entry(self.rank, self.entry)?;
        if is_there {
            return Some(false);
        }
        let next = *self.next.get(at)?;
        let span = self.shortcuts.span(self.direction, self.rank, *self.numbers.get(at)?)?;
        let nodes = span.of(self.nodes)?;
        self.left = self.left.checked_sub(nodes.len())?;
        prefetch(nodes);
        self.spans.push(span);
        self.rank = next;
        Some(true)
    }
}

/// Copies what was noted, from the end of the one leg to the end of the other, `most` nodes at
/// most.
pub(crate) fn copy_spans(
    cache: &PathCache,
    [out, into]: &[HalfPath; 2],
    most: usize,
    path: &mut Vec<NodeId>,
) -> Option<()> {
    let leaf_paths = &*cache.leaf_paths.nodes;
    let shortcuts = &*cache.shortcuts.nodes;
    let mut add = |nodes: &[NodeId], span: &NodeSpan| {
        path.extend_from_slice(span.of(nodes)?);
        (path.len() <= most).then_some(())
    };
    out.leaf_paths.iter().try_for_each(|leg| add(leaf_paths, leg))?;
    out.shortcuts.iter().try_for_each(|jump| add(shortcuts, jump))?;
    into.shortcuts.iter().rev().try_for_each(|jump| add(shortcuts, jump))?;
    into.leaf_paths.iter().rev().try_for_each(|leg| add(leaf_paths, leg))
}
