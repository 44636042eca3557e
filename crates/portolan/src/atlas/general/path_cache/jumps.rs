//! Jumps: several hops at once, with the nodes along them ready to be copied.
//!
//! A path spends its time waiting for memory, one list after the other. So for cores that leave
//! nodes out there is beside each entry of a separator node's row the rank that is a good many
//! nodes ahead on the way to the entry's node, and the *piece* that leads there: to go on is one
//! look, and pieces are looked up while the next is waited for.
//!
//! Pieces lie in *routes*, longer ways that are laid once; a piece between two ranks serves all
//! ways between them, both ways, and the pieces of a route overlap.

use std::collections::HashMap;

use super::legs::Piece;
use super::strips::Strips;
use crate::atlas::general::labels::hops::{Exit, Hops, NO_HOP};
use crate::atlas::general::labels::{Layout, Rank};
use crate::atlas::general::tables::region::{Both, Way};
use crate::atlas::separator_tree::NONE;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::store::{Array, Words};

/// The most nodes of a piece of several hops.
const PIECE: usize = 40;

/// The most nodes of a route, about.
const ROUTE: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Jumps {
    /// By entry of the separators' rows, the rank ahead; [`NONE`] where there is no hop. For each
    /// way on undirected maps too: of two ways across a leaf that cost the same, there and back may
    /// be different ones.
    pub(crate) next: Both<Words>,
    /// By entry, which of its node's pieces leads there; for each way.
    pub(crate) numbers: Both<Array<u16>>,
    /// By rank where its pieces begin, and at last where all end; out and into.
    pub(crate) first: [Words; 2],
    /// A [`Piece`] in two words each.
    pub(crate) pieces: [Words; 2],
    /// The routes.
    pub(crate) nodes: Words,
}

impl Jumps {
    /// `None` where they would take more than so many bytes, or are too many to number.
    pub(crate) fn build(
        layout: &Layout,
        costs: &Both<Words>,
        hops: &Hops,
        strips: &Strips,
        limit: u64,
    ) -> Option<Self> {
        let fixed = 12 * layout.separator_entries() + 8 * (layout.separators() + 1);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).checked_sub(fixed)? / 4;
        let limit = limit.min(u32::MAX as usize);
        let mut routes = Routes { known: HashMap::new(), nodes: Vec::new() };
        let [out, into] = [Way::Out, Way::Into].map(|way| {
            let laying = Laying { layout, costs: costs.way(way), hops, strips, way, limit };
            laying.lay(&mut routes)
        });
        let (out, into) = (out?, into?);
        let words = 2 * (out.pieces.len() + into.pieces.len()) + routes.nodes.len();
        (words <= limit).then(|| Self {
            next: Both { out: out.next.into(), into: Some(into.next.into()) },
            numbers: Both { out: out.numbers.into(), into: Some(into.numbers.into()) },
            first: [out.first.into(), into.first.into()],
            pieces: [out.pieces, into.pieces].map(|pieces| {
                pieces.into_iter().flat_map(|piece| [piece.start, piece.len]).collect()
            }),
            nodes: routes.nodes.into(),
        })
    }

    /// One of a rank's pieces.
    #[inline(always)]
    pub(crate) fn piece(&self, way: Way, rank: Rank, number: u16) -> Option<Piece> {
        let first = *self.first[way as usize].get(rank as usize)? as usize;
        let pieces = self.pieces[way as usize].as_chunks::<2>().0;
        let &[start, len] = pieces.get(first + usize::from(number))?;
        Some(Piece { start, len })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.first.iter().chain(&self.pieces).map(Words::memory_bytes);
        self.next.memory_bytes()
            + self.numbers.memory_bytes()
            + lists.sum::<usize>()
            + self.nodes.memory_bytes()
    }
}

/// What has been laid.
struct Routes {
    /// By the ranks at its ends, a piece and its cost.
    known: HashMap<(Rank, Rank), (Cost, Piece)>,
    nodes: Vec<NodeId>,
}

/// The jumps of one way.
struct Laid {
    next: Vec<Rank>,
    numbers: Vec<u16>,
    first: Vec<u32>,
    pieces: Vec<Piece>,
}

/// What the jumps of one way are found from.
struct Laying<'a> {
    layout: &'a Layout,
    costs: &'a [Cost],
    hops: &'a Hops,
    strips: &'a Strips,
    way: Way,
    /// The most words.
    limit: usize,
}

/// A rank on the way to an entry's node.
#[derive(Clone, Copy)]
struct Stop {
    rank: Rank,
    /// What is left of the way.
    cost: Cost,
    /// The strip by which it was reached.
    strip: Piece,
    /// How many nodes lie behind.
    nodes: usize,
}

impl Laying<'_> {
    fn lay(&self, routes: &mut Routes) -> Option<Laid> {
        let (ranks, entries) = (self.layout.separators(), self.layout.separator_entries());
        let mut laid = Laid {
            next: vec![NONE; entries],
            numbers: vec![NO_HOP; entries],
            first: vec![0; ranks + 1],
            pieces: Vec::new(),
        };
        let mut stops = Vec::new();
        // By the rank ahead and the cost of the way there, the number of the piece.
        let mut numbers: HashMap<(Rank, Cost), u16> = HashMap::new();
        for rank in 0..ranks as Rank {
            laid.first[rank as usize] = laid.pieces.len() as u32;
            numbers.clear();
            let range = self.layout.range(rank);
            for entry in 0..range.len() {
                self.stops(rank, entry, PIECE, &mut stops);
                let [from, .., to] = stops[..] else { continue };
                let cost = from.cost - to.cost;
                let count = u16::try_from(numbers.len()).ok().filter(|&count| count < NO_HOP)?;
                let number = *numbers.entry((to.rank, cost)).or_insert(count);
                if number == count {
                    let ends = ends(self.way, rank, to.rank);
                    let known = routes.known.get(&ends).filter(|known| known.0 == cost);
                    let piece = known.map(|known| known.1);
                    laid.pieces.push(piece.unwrap_or_else(|| {
                        self.stops(rank, entry, ROUTE, &mut stops);
                        let end = self.end_of_route(&stops, routes);
                        self.lay_route(&stops[..=end], routes);
                        routes.known[&ends].1
                    }));
                }
                laid.next[range.start + entry] = to.rank;
                laid.numbers[range.start + entry] = number;
            }
            if routes.nodes.len() > self.limit {
                return None;
            }
        }
        laid.first[ranks] = laid.pieces.len() as u32;
        Some(laid)
    }

    /// Follows hops for so many nodes, or one if it has more.
    fn stops(&self, rank: Rank, entry: usize, most: usize, stops: &mut Vec<Stop>) {
        stops.clear();
        let mut here = Stop { rank, cost: 0, strip: Piece::default(), nodes: 0 };
        loop {
            let range = self.layout.range(here.rank);
            here.cost = self.costs[range.start + entry];
            let is_too_far = stops.len() > 1 && here.nodes > most;
            let comes_nearer = stops.last().is_none_or(|last: &Stop| here.cost < last.cost);
            if here.cost == UNREACHABLE || is_too_far || !comes_nearer {
                return;
            }
            stops.push(here);
            let hop = self.hops.hops.way(self.way)[range.start + entry];
            let Some(exit) = self.hops.exits.exit(here.rank, hop) else { return };
            let (exits, way) = (&self.hops.exits, self.way);
            let (to, strip) = match exit {
                Exit::Edge(to) => (to, self.strips.along_edge(exits, ends(way, here.rank, to))),
                Exit::Leaf { leaf, from, to } => (
                    exits.border(leaf)[to as usize],
                    self.strips.across(exits, leaf, ends(way, from, to)),
                ),
            };
            let strip = self.strips.place(strip);
            here = Stop { rank: to, cost: 0, strip, nodes: here.nodes + strip.len as usize };
        }
    }

    /// The stop where a route should end: from the next on, pieces are known.
    fn end_of_route(&self, stops: &[Stop], routes: &Routes) -> usize {
        let mut end = 1;
        for (number, from) in stops.iter().enumerate() {
            let near = |to: &Stop| to.nodes - from.nodes <= PIECE;
            let ahead = number + stops[number..].partition_point(near).max(2) - 1;
            let Some(to) = stops.get(ahead) else { break };
            let known = routes.known.get(&ends(self.way, from.rank, to.rank));
            if number > 0 && known.is_some_and(|known| known.0 == from.cost - to.cost) {
                break;
            }
            end = ahead;
        }
        end
    }

    /// Lays the way along these stops, and makes its pieces known.
    fn lay_route(&self, stops: &[Stop], routes: &mut Routes) {
        let start = routes.nodes.len();
        let strips = stops[1..].iter().map(|stop| stop.strip);
        let mut add = |strip: Piece| {
            routes.nodes.extend_from_slice(strip.of(&self.strips.nodes).unwrap_or_default());
        };
        match self.way {
            Way::Out => strips.for_each(&mut add),
            Way::Into => strips.rev().for_each(&mut add),
        }
        let total = routes.nodes.len() - start;
        for (number, from) in stops.iter().enumerate() {
            for to in &stops[number + 1..] {
                let len = to.nodes - from.nodes;
                let begins = match self.way {
                    Way::Out => from.nodes,
                    Way::Into => total - to.nodes,
                };
                let piece = Piece { start: (start + begins) as u32, len: len as u32 };
                let cost = from.cost - to.cost;
                let known = routes.known.entry(ends(self.way, from.rank, to.rank));
                let known = known.or_insert((cost, piece));
                // Where entries are no shortest ways, there may be others.
                if cost != known.0 && number == 0 {
                    *known = (cost, piece);
                }
            }
        }
    }
}

/// The start and the end of the way between two things of which the first walks.
fn ends<T>(way: Way, walker: T, other: T) -> (T, T) {
    match way {
        Way::Out => (walker, other),
        Way::Into => (other, walker),
    }
}
