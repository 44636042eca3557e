//! Shortcuts: several hops at once, with the nodes along them.
//!
//! Unpacking a path waits for memory at every hop. So beside each entry of a separator node's row
//! there is the number of a shortcut: its *target*, a separator node several hops ahead on the path
//! to the hub, and the span of nodes up to the target. Following a path needs one lookup per
//! shortcut, and spans are fetched while the next lookup is waiting. Most entries of a row share
//! their shortcut with others, so two bytes per entry suffice.
//!
//! Spans are ranges of *shared paths*, longer paths that are stored once. A span between two ranks
//! serves all entries and both directions, and the spans of a shared path overlap.

use std::collections::HashMap;

use super::NodeSpan;
use super::hop_paths::HopPaths;
use crate::atlas::general::direction::{PerDirection, along_path};
use crate::atlas::general::labels::exits::Exit;
use crate::atlas::general::labels::hops::{Hops, NO_HOP};
use crate::atlas::general::labels::layout::{Layout, Rank};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::store::{Array, Words};

/// Maximum number of nodes of a shortcut of several hops.
const MAX_SPAN: usize = 40;

/// Approximate maximum number of nodes of a shared path.
const MAX_SHARED_PATH: usize = 1024;

/// Words of a shortcut.
const SHORTCUT: usize = 3;

/// Several hops at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortcut {
    pub(crate) target: Rank,
    /// The nodes up to the target, in the order from start to goal.
    pub(crate) span: NodeSpan,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shortcuts {
    /// Beside each entry of a separator node's row, the number of the shortcut among those of its
    /// node; [`NO_HOP`] if there is no hop. Undirected maps have both directions too, since two
    /// paths across a leaf may cost the same and differ by direction.
    pub(crate) numbers: PerDirection<Array<u16>>,
    /// By direction: first position in `shortcuts` by rank, with one more at the end.
    pub(crate) first: [Words; 2],
    /// By direction: the [`Shortcut`]s, three words each.
    pub(crate) shortcuts: [Words; 2],
    /// The shared paths.
    pub(crate) nodes: Words,
}

impl Shortcuts {
    /// Builds all shortcuts; `None` if they take more than `limit` bytes or cannot be numbered.
    pub(crate) fn build(
        layout: &Layout,
        costs: &PerDirection<Words>,
        hops: &Hops,
        hop_paths: &HopPaths,
        limit: u64,
    ) -> Option<Self> {
        let fixed = 4 * layout.separator_entries() + 8 * (layout.separators() + 1);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).checked_sub(fixed)? / 4;
        let limit = limit.min(u32::MAX as usize);
        let mut shared = SharedPaths { known: HashMap::new(), nodes: Vec::new() };
        let [forward, backward] = [Direction::Forward, Direction::Backward].map(|direction| {
            let builder = ShortcutBuilder {
                layout,
                costs: costs.of(direction),
                hops,
                hop_paths,
                direction,
                limit,
            };
            builder.build_direction(&mut shared)
        });
        let (forward, backward) = (forward?, backward?);
        let words = SHORTCUT * (forward.shortcuts.len() + backward.shortcuts.len());
        let words = words + shared.nodes.len();
        (words <= limit).then(|| Self {
            numbers: PerDirection {
                forward: forward.numbers.into(),
                backward: Some(backward.numbers.into()),
            },
            first: [forward.first.into(), backward.first.into()],
            shortcuts: [forward.shortcuts, backward.shortcuts].map(|shortcuts| {
                let words = |Shortcut { target, span }| [target, span.start, span.len];
                shortcuts.into_iter().flat_map(words).collect()
            }),
            nodes: shared.nodes.into(),
        })
    }

    /// The shortcut beside an entry of the row of `rank`, by the position of the entry.
    #[inline(always)]
    pub(crate) fn shortcut(&self, direction: Direction, rank: Rank, at: usize) -> Option<Shortcut> {
        let first = *self.first[direction as usize].get(rank as usize)? as usize;
        let number = *self.numbers.of(direction).get(at).filter(|&&number| number != NO_HOP)?;
        let shortcuts = self.shortcuts[direction as usize].as_chunks::<SHORTCUT>().0;
        let &[target, start, len] = shortcuts.get(first + usize::from(number))?;
        Some(Shortcut { target, span: NodeSpan { start, len } })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.first.iter().chain(&self.shortcuts).map(Words::memory_bytes);
        self.numbers.memory_bytes() + lists.sum::<usize>() + self.nodes.memory_bytes()
    }
}

/// The shared paths found so far.
struct SharedPaths {
    /// The cost and the span between two ranks.
    known: HashMap<(Rank, Rank), (Cost, NodeSpan)>,
    nodes: Vec<NodeId>,
}

/// The shortcuts of one direction.
struct DirectedShortcuts {
    numbers: Vec<u16>,
    first: Vec<u32>,
    shortcuts: Vec<Shortcut>,
}

/// The input for the shortcuts of one direction.
struct ShortcutBuilder<'a> {
    layout: &'a Layout,
    costs: &'a [Cost],
    hops: &'a Hops,
    hop_paths: &'a HopPaths,
    direction: Direction,
    /// Maximum number of words.
    limit: usize,
}

/// A separator node on the path to a hub.
#[derive(Clone, Copy)]
struct Waypoint {
    rank: Rank,
    /// The cost from here to the hub.
    cost: Cost,
    /// The hop path by which it was reached.
    hop_path: NodeSpan,
    /// Number of nodes before it.
    nodes: usize,
}

impl ShortcutBuilder<'_> {
    fn build_direction(&self, shared: &mut SharedPaths) -> Option<DirectedShortcuts> {
        let (ranks, entries) = (self.layout.separators(), self.layout.separator_entries());
        let mut shortcuts = DirectedShortcuts {
            numbers: vec![NO_HOP; entries],
            first: vec![0; ranks + 1],
            shortcuts: Vec::new(),
        };
        let mut waypoints = Vec::new();
        // The number of the shortcut by target and cost.
        let mut numbers: HashMap<(Rank, Cost), u16> = HashMap::new();
        for rank in 0..ranks as Rank {
            shortcuts.first[rank as usize] = shortcuts.shortcuts.len() as u32;
            numbers.clear();
            let range = self.layout.range(rank);
            for entry in 0..range.len() {
                self.waypoints(rank, entry, MAX_SPAN, &mut waypoints);
                let [from, .., to] = waypoints[..] else { continue };
                let cost = from.cost - to.cost;
                let count = u16::try_from(numbers.len()).ok().filter(|&count| count < NO_HOP)?;
                let number = *numbers.entry((to.rank, cost)).or_insert(count);
                if number == count {
                    let ends = along_path(self.direction, rank, to.rank);
                    let known = shared.known.get(&ends).filter(|known| known.0 == cost);
                    let span = known.map(|known| known.1);
                    let span = span.unwrap_or_else(|| {
                        self.waypoints(rank, entry, MAX_SHARED_PATH, &mut waypoints);
                        let end = self.end_of_shared_path(&waypoints, shared);
                        self.store_shared_path(&waypoints[..=end], shared);
                        shared.known[&ends].1
                    });
                    shortcuts.shortcuts.push(Shortcut { target: to.rank, span });
                }
                shortcuts.numbers[range.start + entry] = number;
            }
            if shared.nodes.len() > self.limit {
                return None;
            }
        }
        shortcuts.first[ranks] = shortcuts.shortcuts.len() as u32;
        Some(shortcuts)
    }

    /// Follows hops for at most `most` nodes, but at least one hop.
    fn waypoints(&self, rank: Rank, entry: usize, most: usize, waypoints: &mut Vec<Waypoint>) {
        waypoints.clear();
        let mut here = Waypoint { rank, cost: 0, hop_path: NodeSpan::default(), nodes: 0 };
        loop {
            let range = self.layout.range(here.rank);
            here.cost = self.costs[range.start + entry];
            let is_too_far = waypoints.len() > 1 && here.nodes > most;
            let comes_nearer = waypoints.last().is_none_or(|last: &Waypoint| here.cost < last.cost);
            if here.cost == UNREACHABLE || is_too_far || !comes_nearer {
                return;
            }
            waypoints.push(here);
            let hop = self.hops.hops.of(self.direction)[range.start + entry];
            let Some(exit) = self.hops.exits.exit(here.rank, hop) else { return };
            let (exits, direction) = (&self.hops.exits, self.direction);
            let (to, hop_path) = match exit {
                Exit::Edge(to) => {
                    (to, self.hop_paths.along_edge(exits, along_path(direction, here.rank, to)))
                }
                Exit::Leaf { leaf, from, to } => {
                    // A damaged hop may name a border node that the leaf does not have.
                    let Some(&border) = exits.border(leaf).get(to as usize) else { return };
                    let across = along_path(direction, from, to);
                    (border, self.hop_paths.across(exits, leaf, across))
                }
            };
            let hop_path = self.hop_paths.span(hop_path);
            here =
                Waypoint { rank: to, cost: 0, hop_path, nodes: here.nodes + hop_path.len as usize };
        }
    }

    /// The waypoint at which a shared path should end, because the spans from there on exist.
    fn end_of_shared_path(&self, waypoints: &[Waypoint], shared: &SharedPaths) -> usize {
        let mut end = 1;
        for (number, from) in waypoints.iter().enumerate() {
            let near = |to: &Waypoint| to.nodes - from.nodes <= MAX_SPAN;
            let ahead = number + waypoints[number..].partition_point(near).max(2) - 1;
            let Some(to) = waypoints.get(ahead) else { break };
            let known = shared.known.get(&along_path(self.direction, from.rank, to.rank));
            if number > 0 && known.is_some_and(|known| known.0 == from.cost - to.cost) {
                break;
            }
            end = ahead;
        }
        end
    }

    /// Stores the path along these waypoints and all its spans.
    fn store_shared_path(&self, waypoints: &[Waypoint], shared: &mut SharedPaths) {
        let start = shared.nodes.len();
        let hop_paths = waypoints[1..].iter().map(|waypoint| waypoint.hop_path);
        let mut add = |hop_path: NodeSpan| {
            shared.nodes.extend_from_slice(hop_path.of(&self.hop_paths.nodes).unwrap_or_default());
        };
        match self.direction {
            Direction::Forward => hop_paths.for_each(&mut add),
            Direction::Backward => hop_paths.rev().for_each(&mut add),
        }
        let total = shared.nodes.len() - start;
        for (number, from) in waypoints.iter().enumerate() {
            for to in &waypoints[number + 1..] {
                let len = to.nodes - from.nodes;
                let begins = match self.direction {
                    Direction::Forward => from.nodes,
                    Direction::Backward => total - to.nodes,
                };
                let span = NodeSpan { start: (start + begins) as u32, len: len as u32 };
                let cost = from.cost - to.cost;
                let known = shared.known.entry(along_path(self.direction, from.rank, to.rank));
                let known = known.or_insert((cost, span));
                // Entries that are not shortest paths may have paths of another cost.
                if cost != known.0 && number == 0 {
                    *known = (cost, span);
                }
            }
        }
    }
}
