//! Jumps: several hops at once, with the nodes along them ready to be copied.
//!
//! A path spends its time waiting for memory, one list after the other. So for cores that leave
//! nodes out there is beside each entry of a separator node's row the rank that is a good many
//! nodes ahead on the way to the entry's node, and the *piece* that leads there: to go on is one
//! look, and pieces are looked up while the next is waited for.
//!
//! Pieces lie in *routes*, longer ways that are laid once; a piece between two ranks serves all
//! ways between them, both ways, and the pieces of a route overlap.

use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::labels::exits::Exit;
use crate::atlas::general::labels::hops::{Hops, NO_HOP};
use crate::atlas::general::labels::layout::{Layout, Rank};
use crate::atlas::general::path_cache::NodeSpan;
use crate::atlas::general::path_cache::hop_paths::HopPaths;
use std::collections::HashMap;

use crate::atlas::separator_tree::NONE;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::store::{Array, Words};

/// The most nodes of a piece of several hops.
const PIECE: usize = 40;

/// The most nodes of a route, about.
const ROUTE: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shortcuts {
    /// By entry of the separators' rows, the rank ahead; [`NONE`] where there is no hop. For each
    /// way on undirected maps too: of two ways across a leaf that cost the same, there and back may
    /// be different ones.
    pub(crate) targets: PerDirection<Words>,
    /// By entry, which of its node's pieces leads there; for each way.
    pub(crate) numbers: PerDirection<Array<u16>>,
    /// By rank where its pieces begin, and at last where all end; out and into.
    pub(crate) first: [Words; 2],
    /// A [`NodeSpan`] in two words each.
    pub(crate) spans: [Words; 2],
    /// The routes.
    pub(crate) nodes: Words,
}

impl Shortcuts {
    /// `None` where they would take more than so many bytes, or are too many to number.
    pub(crate) fn build(
        layout: &Layout,
        costs: &PerDirection<Words>,
        hops: &Hops,
        hop_paths: &HopPaths,
        limit: u64,
    ) -> Option<Self> {
        let fixed = 12 * layout.separator_entries() + 8 * (layout.separators() + 1);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).checked_sub(fixed)? / 4;
        let limit = limit.min(u32::MAX as usize);
        let mut routes = SharedPaths { known: HashMap::new(), nodes: Vec::new() };
        let [out, into] = [Direction::Forward, Direction::Backward].map(|direction| {
            let laying = ShortcutBuilder {
                layout,
                costs: costs.of(direction),
                hops,
                hop_paths,
                direction,
                limit,
            };
            laying.lay(&mut routes)
        });
        let (out, into) = (out?, into?);
        let words = 2 * (out.spans.len() + into.spans.len()) + routes.nodes.len();
        (words <= limit).then(|| Self {
            targets: PerDirection {
                forward: out.targets.into(),
                backward: Some(into.targets.into()),
            },
            numbers: PerDirection {
                forward: out.numbers.into(),
                backward: Some(into.numbers.into()),
            },
            first: [out.first.into(), into.first.into()],
            spans: [out.spans, into.spans]
                .map(|spans| spans.into_iter().flat_map(|span| [span.start, span.len]).collect()),
            nodes: routes.nodes.into(),
        })
    }

    /// One of a rank's pieces.
    #[inline(always)]
    pub(crate) fn span(&self, direction: Direction, rank: Rank, number: u16) -> Option<NodeSpan> {
        let first = *self.first[direction as usize].get(rank as usize)? as usize;
        let spans = self.spans[direction as usize].as_chunks::<2>().0;
        let &[start, len] = spans.get(first + usize::from(number))?;
        Some(NodeSpan { start, len })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.first.iter().chain(&self.spans).map(Words::memory_bytes);
        self.targets.memory_bytes()
            + self.numbers.memory_bytes()
            + lists.sum::<usize>()
            + self.nodes.memory_bytes()
    }
}

/// What has been laid.
struct SharedPaths {
    /// By the ranks at its ends, a piece and its cost.
    known: HashMap<(Rank, Rank), (Cost, NodeSpan)>,
    nodes: Vec<NodeId>,
}

/// The jumps of one way.
struct Laid {
    targets: Vec<Rank>,
    numbers: Vec<u16>,
    first: Vec<u32>,
    spans: Vec<NodeSpan>,
}

/// What the jumps of one way are found from.
struct ShortcutBuilder<'a> {
    layout: &'a Layout,
    costs: &'a [Cost],
    hops: &'a Hops,
    hop_paths: &'a HopPaths,
    direction: Direction,
    /// The most words.
    limit: usize,
}

/// A rank on the way to an entry's node.
#[derive(Clone, Copy)]
struct Waypoint {
    rank: Rank,
    /// What is left of the way.
    cost: Cost,
    /// The strip by which it was reached.
    strip: NodeSpan,
    /// How many nodes lie behind.
    nodes: usize,
}

impl ShortcutBuilder<'_> {
    fn lay(&self, routes: &mut SharedPaths) -> Option<Laid> {
        let (ranks, entries) = (self.layout.separators(), self.layout.separator_entries());
        let mut laid = Laid {
            targets: vec![NONE; entries],
            numbers: vec![NO_HOP; entries],
            first: vec![0; ranks + 1],
            spans: Vec::new(),
        };
        let mut stops = Vec::new();
        // By the rank ahead and the cost of the way there, the number of the piece.
        let mut numbers: HashMap<(Rank, Cost), u16> = HashMap::new();
        for rank in 0..ranks as Rank {
            laid.first[rank as usize] = laid.spans.len() as u32;
            numbers.clear();
            let range = self.layout.range(rank);
            for entry in 0..range.len() {
                self.stops(rank, entry, PIECE, &mut stops);
                let [from, .., to] = stops[..] else { continue };
                let cost = from.cost - to.cost;
                let count = u16::try_from(numbers.len()).ok().filter(|&count| count < NO_HOP)?;
                let number = *numbers.entry((to.rank, cost)).or_insert(count);
                if number == count {
                    let ends = ends(self.direction, rank, to.rank);
                    let known = routes.known.get(&ends).filter(|known| known.0 == cost);
                    let span = known.map(|known| known.1);
                    laid.spans.push(span.unwrap_or_else(|| {
                        self.stops(rank, entry, ROUTE, &mut stops);
                        let end = self.end_of_route(&stops, routes);
                        self.lay_route(&stops[..=end], routes);
                        routes.known[&ends].1
                    }));
                }
                laid.targets[range.start + entry] = to.rank;
                laid.numbers[range.start + entry] = number;
            }
            if routes.nodes.len() > self.limit {
                return None;
            }
        }
        laid.first[ranks] = laid.spans.len() as u32;
        Some(laid)
    }

    /// Follows hops for so many nodes, or one if it has more.
    fn stops(&self, rank: Rank, entry: usize, most: usize, stops: &mut Vec<Waypoint>) {
        stops.clear();
        let mut here = Waypoint { rank, cost: 0, strip: NodeSpan::default(), nodes: 0 };
        loop {
            let range = self.layout.range(here.rank);
            here.cost = self.costs[range.start + entry];
            let is_too_far = stops.len() > 1 && here.nodes > most;
            let comes_nearer = stops.last().is_none_or(|last: &Waypoint| here.cost < last.cost);
            if here.cost == UNREACHABLE || is_too_far || !comes_nearer {
                return;
            }
            stops.push(here);
            let hop = self.hops.hops.of(self.direction)[range.start + entry];
            let Some(exit) = self.hops.exits.exit(here.rank, hop) else { return };
            let (exits, direction) = (&self.hops.exits, self.direction);
            let (to, strip) = match exit {
                Exit::Edge(to) => {
                    (to, self.hop_paths.along_edge(exits, ends(direction, here.rank, to)))
                }
                Exit::Leaf { leaf, from, to } => (
                    exits.border(leaf)[to as usize],
                    self.hop_paths.across(exits, leaf, ends(direction, from, to)),
                ),
            };
            let strip = self.hop_paths.span(strip);
            here = Waypoint { rank: to, cost: 0, strip, nodes: here.nodes + strip.len as usize };
        }
    }

    /// The stop where a route should end: from the next on, pieces are known.
    fn end_of_route(&self, stops: &[Waypoint], routes: &SharedPaths) -> usize {
        let mut end = 1;
        for (number, from) in stops.iter().enumerate() {
            let near = |to: &Waypoint| to.nodes - from.nodes <= PIECE;
            let ahead = number + stops[number..].partition_point(near).max(2) - 1;
            let Some(to) = stops.get(ahead) else { break };
            let known = routes.known.get(&ends(self.direction, from.rank, to.rank));
            if number > 0 && known.is_some_and(|known| known.0 == from.cost - to.cost) {
                break;
            }
            end = ahead;
        }
        end
    }

    /// Lays the way along these stops, and makes its pieces known.
    fn lay_route(&self, stops: &[Waypoint], routes: &mut SharedPaths) {
        let start = routes.nodes.len();
        let hop_paths = stops[1..].iter().map(|stop| stop.strip);
        let mut add = |strip: NodeSpan| {
            routes.nodes.extend_from_slice(strip.of(&self.hop_paths.nodes).unwrap_or_default());
        };
        match self.direction {
            Direction::Forward => hop_paths.for_each(&mut add),
            Direction::Backward => hop_paths.rev().for_each(&mut add),
        }
        let total = routes.nodes.len() - start;
        for (number, from) in stops.iter().enumerate() {
            for to in &stops[number + 1..] {
                let len = to.nodes - from.nodes;
                let begins = match self.direction {
                    Direction::Forward => from.nodes,
                    Direction::Backward => total - to.nodes,
                };
                let span = NodeSpan { start: (start + begins) as u32, len: len as u32 };
                let cost = from.cost - to.cost;
                let known = routes.known.entry(ends(self.direction, from.rank, to.rank));
                let known = known.or_insert((cost, span));
                // Where entries are no shortest ways, there may be others.
                if cost != known.0 && number == 0 {
                    *known = (cost, span);
                }
            }
        }
    }
}

/// The start and the end of the way between two things of which the first walks.
fn ends<T>(direction: Direction, builder: T, other: T) -> (T, T) {
    match direction {
        Direction::Forward => (builder, other),
        Direction::Backward => (other, builder),
    }
}
