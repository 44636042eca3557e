//! The first edges of the ways from a subgoal that become its hops.
//!
//! HopBuilder to far entries start alike. So there is one way along each edge at first, and the one that
//! leads toward the most entries is parted by the edges that come next, again and again, as long as
//! there is room.

use std::cmp::Reverse;
use std::ops::Range;

use super::first_edges::{FirstEdges, NONE};
use crate::atlas::uniform::labels::hops::{HOP, MOST};
use crate::atlas::uniform::labels::packed_legs::PackedLegs;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};

/// The ways from one subgoal, and room to find those of the next.
pub(crate) struct HopBuilder<'a> {
    firsts: &'a [FirstEdges],
    labels: &'a HubLabels,
    ways: Vec<HopCandidate>,
    /// The entries that ways lead toward, way by way.
    entries: Vec<u16>,
    /// By entry of the way that is parted, which part it belongs to.
    parts: Vec<u8>,
    /// By edge which part goes along it.
    part_of: [u8; 256],
    spare: Vec<u16>,
}

/// A way along one edge or more.
#[derive(Clone)]
struct HopCandidate {
    end: SubgoalId,
    legs: PackedLegs,
    /// Where its entries are.
    range: Range<usize>,
    /// The first of them.
    first: u16,
    /// Whether it may lead further.
    open: bool,
}

impl<'a> HopBuilder<'a> {
    pub(crate) fn new(firsts: &'a [FirstEdges], labels: &'a HubLabels) -> Self {
        let (ways, parts) = (Vec::new(), Vec::new());
        let (entries, spare) = (Vec::new(), Vec::new());
        Self { firsts, labels, ways, entries, parts, part_of: [NONE; 256], spare }
    }

    /// Finds the ways from a subgoal: at most so many, unless there are more edges.
    pub(crate) fn find(&mut self, number: SubgoalId, room: usize) {
        let FirstEdges { edges, marks } = &self.firsts[number as usize];
        self.ways.clear();
        self.entries.clear();
        let leads_on = |&entry: &u16| marks[usize::from(entry)] != NONE;
        self.entries.extend((0..marks.len() as u16).filter(leads_on));
        self.entries.sort_by_key(|&entry| marks[usize::from(entry)]);
        let mark_of = |entry: &u16| marks[usize::from(*entry)];
        let mut start = 0;
        for part in self.entries.chunk_by(|a, b| mark_of(a) == mark_of(b)) {
            let edge = &edges[usize::from(mark_of(&part[0]))];
            let range = start..start + part.len();
            start = range.end;
            let (end, legs) = (edge.head, edge.legs);
            self.ways.push(HopCandidate { end, legs, range, first: part[0], open: true });
        }
        while let Some(at) = self.most_used() {
            self.part(at, room.min(MOST));
        }
        self.ways.sort_unstable_by_key(|way| (Reverse(way.range.len()), way.first));
    }

    /// Which of the ways that may still be parted leads toward the most entries.
    fn most_used(&self) -> Option<usize> {
        let open = (0..self.ways.len()).filter(|&at| self.ways[at].open);
        open.max_by_key(|&at| (self.ways[at].range.len(), Reverse(self.ways[at].first)))
    }

    /// Parts a way by the edges with which it goes on, if there is room for the parts. Where it
    /// ends, or no edge fits, it stays as it is.
    fn part(&mut self, at: usize, room: usize) {
        self.ways[at].open = false;
        let way = self.ways[at].clone();
        let FirstEdges { edges, marks } = &self.firsts[way.end as usize];
        let here = self.labels.heads[way.end as usize].len as usize - 1;
        let mut found: Vec<HopCandidate> = Vec::with_capacity(8);
        let mut stay = NONE;
        self.parts.clear();
        for &entry in &self.entries[way.range.clone()] {
            let next =
                marks.get(usize::from(entry)).copied().filter(|_| usize::from(entry) != here);
            let next = next.unwrap_or(NONE);
            let mut part = if next == NONE { stay } else { self.part_of[usize::from(next)] };
            if part == NONE {
                let edge = edges.get(usize::from(next));
                let longer = edge.and_then(|edge| Some((edge.head, way.legs.and(edge.legs)?)));
                part = if longer.is_none() { stay } else { NONE };
                if part == NONE {
                    if found.len() > room.min(MOST) {
                        break;
                    }
                    part = found.len() as u8;
                    let (end, legs) = longer.unwrap_or((way.end, way.legs));
                    let open = longer.is_some();
                    found.push(HopCandidate { end, legs, range: 0..0, first: entry, open });
                    stay = if open { stay } else { part };
                }
                if next != NONE {
                    self.part_of[usize::from(next)] = part;
                }
            }
            found[usize::from(part)].range.end += 1;
            self.parts.push(part);
        }
        self.part_of[..edges.len().min(255)].fill(NONE);
        if self.ways.len() - 1 + found.len() > room {
            return;
        }
        let mut start = way.range.start;
        for part in &mut found {
            let count = part.range.end;
            part.range = start..start;
            start += count;
        }
        self.spare.clear();
        self.spare.extend_from_slice(&self.entries[way.range.clone()]);
        for (&entry, &part) in self.spare.iter().zip(&self.parts) {
            let range = &mut found[usize::from(part)].range;
            self.entries[range.end] = entry;
            range.end += 1;
        }
        self.ways.swap_remove(at);
        self.ways.append(&mut found);
    }

    /// Writes the ways as hops, the first one last, and beside each entry which of them leads
    /// there.
    pub(crate) fn write(&self, hops: &mut [u32], bytes: &mut [u32]) {
        bytes.fill(u32::MAX);
        for (at, way) in self.ways.iter().enumerate() {
            let end = &self.labels.heads[way.end as usize];
            let legs = way.legs.0;
            let half = u32::from(u16::from_le_bytes([legs[0], legs[1]]));
            let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| legs[at + byte]));
            let start = hops.len() - HOP * (at + 1);
            let hop = [end.block, end.len | half << 16, word(2), word(6)];
            hops[start..][..HOP].copy_from_slice(&hop);
            for &entry in &self.entries[way.range.clone()] {
                let (word, shift) = (usize::from(entry) / 4, 8 * (entry % 4));
                bytes[word] ^= (255 ^ at as u32) << shift;
            }
        }
    }
}
