//! Copies paths from cached node sequences: collects the spans of both halves, then copies all
//! nodes.
//!
//! Most of the time is spent waiting for memory. So both halves follow their shortcuts in turns,
//! and spans are prefetched as soon as they are known.
//!
//! The cache may come from a damaged file: every index is checked, and the numbers of spans and
//! nodes are limited.

use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::Rank;
use crate::atlas::general::path_cache::leaf_paths::{LeafPaths, RunPart};
use crate::atlas::general::path_cache::shortcuts::{Shortcut, Shortcuts};
use crate::atlas::general::path_cache::{NodeSpan, PathCache};
use crate::atlas::separator_tree::RegionId;
use crate::graph::{Direction, NodeId};
use crate::kernel::prefetch;

/// The spans of one half of a path, from the endpoint toward the middle. The nodes of each span are
/// in the order from start to goal.
pub(crate) struct HalfPath {
    direction: Direction,
    leaf_paths: Vec<NodeSpan>,
    shortcuts: Vec<NodeSpan>,
}

/// The start of a half path: the first run part on the path out of the leaf, and the separator node
/// at which that path ends. Outside of leaves the run part is empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfPathStart {
    pub(crate) home: RegionId,
    pub(crate) part: RunPart,
    pub(crate) rank: Rank,
}

impl HalfPath {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, leaf_paths: Vec::new(), shortcuts: Vec::new() }
    }

    /// Collects the spans of the path out of a leaf.
    fn leave(&mut self, leaf_paths: &LeafPaths, start: &HalfPathStart) -> Option<()> {
        self.leaf_paths.clear();
        let mut part = start.part;
        while let Some(span) = leaf_paths.span(start.home, part) {
            if self.leaf_paths.len() > MAX_RUNS {
                return None;
            }
            self.leaf_paths.push(span);
            part = leaf_paths.continuation(self.direction, span)?;
        }
        Some(())
    }
}

/// Collects all spans of the path over the hub of an entry, with at most `most` nodes in each half.
pub(crate) fn collect_spans(
    labels: &Labels,
    cache: &PathCache,
    [forward, backward]: &mut [HalfPath; 2],
    start: [HalfPathStart; 2],
    (entry, most): (usize, usize),
) -> Option<()> {
    let steps = labels.layout.separators();
    for start in &start {
        if let Some(span) = cache.leaf_paths.span(start.home, start.part) {
            prefetch(span.of(&cache.leaf_paths.nodes)?);
        }
    }
    let [mut a, mut b] = [
        ShortcutFollower::new(labels, &cache.shortcuts, forward, start[0].rank, entry, most),
        ShortcutFollower::new(labels, &cache.shortcuts, backward, start[1].rank, entry, most),
    ];
    for _ in 0..=steps {
        let (goes, goes_too) = (a.step()?, b.step()?);
        if !goes && !goes_too {
            let met = a.rank == b.rank;
            forward.leave(&cache.leaf_paths, &start[0])?;
            backward.leave(&cache.leaf_paths, &start[1])?;
            return met.then_some(());
        }
    }
    None
}

/// More runs than any path out of a leaf has.
const MAX_RUNS: usize = 32;

/// The half path on its way to the hub.
struct ShortcutFollower<'a> {
    labels: &'a Labels,
    shortcuts: &'a Shortcuts,
    direction: Direction,
    entry: usize,
    rank: Rank,
    nodes: &'a [NodeId],
    spans: &'a mut Vec<NodeSpan>,
    /// How many more nodes the half path may have.
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
        spans.clear();
        Self { labels, shortcuts, direction, entry, rank, nodes: &shortcuts.nodes, spans, left }
    }

    /// Follows one shortcut; false at the hub.
    #[inline(always)]
    fn step(&mut self) -> Option<bool> {
        let (is_there, at) = self.labels.layout.entry(self.rank, self.entry)?;
        if is_there {
            return Some(false);
        }
        let Shortcut { target, span } = self.shortcuts.shortcut(self.direction, self.rank, at)?;
        let nodes = span.of(self.nodes)?;
        self.left = self.left.checked_sub(nodes.len())?;
        prefetch(nodes);
        self.spans.push(span);
        self.rank = target;
        Some(true)
    }
}

/// Appends all collected nodes, `most` at most.
pub(crate) fn copy_spans(
    cache: &PathCache,
    [forward, backward]: &[HalfPath; 2],
    most: usize,
    path: &mut Vec<NodeId>,
) -> Option<()> {
    let leaf_paths = &*cache.leaf_paths.nodes;
    let shortcuts = &*cache.shortcuts.nodes;
    let mut add = |nodes: &[NodeId], span: &NodeSpan| {
        path.extend_from_slice(span.of(nodes)?);
        (path.len() <= most).then_some(())
    };
    forward.leaf_paths.iter().try_for_each(|part| add(leaf_paths, part))?;
    forward.shortcuts.iter().try_for_each(|span| add(shortcuts, span))?;
    backward.shortcuts.iter().rev().try_for_each(|span| add(shortcuts, span))?;
    backward.leaf_paths.iter().rev().try_for_each(|part| add(leaf_paths, part))
}
