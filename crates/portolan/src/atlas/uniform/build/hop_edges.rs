//! Which sequences of edges become the hops of a subgoal.
//!
//! Paths to distant hubs start with the same edges. So there is one candidate per first edge at the
//! start. Then the candidate that leads toward the most entries is split by the edges that come
//! next. This repeats while there is space.

use std::cmp::Reverse;
use std::ops::Range;

use super::first_edges::{FirstEdges, NONE};
use crate::atlas::uniform::labels::hops::{HOP, MAX_HOPS};
use crate::atlas::uniform::labels::packed_legs::PackedLegs;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};

/// The candidates of one subgoal, with buffers reused for the next.
pub(crate) struct HopBuilder<'a> {
    firsts: &'a [FirstEdges],
    labels: &'a HubLabels,
    candidates: Vec<HopCandidate>,
    /// The entries that candidates lead toward, candidate by candidate.
    entries: Vec<u16>,
    /// For each entry of the candidate that is being split, the part it belongs to.
    parts: Vec<u8>,
    /// By edge, the part that continues along it.
    part_of: [u8; 256],
    spare: Vec<u16>,
}

/// A path along one edge or more.
#[derive(Clone)]
struct HopCandidate {
    end: SubgoalId,
    legs: PackedLegs,
    /// The range of its entries.
    range: Range<usize>,
    /// Its first entry.
    first: u16,
    /// Whether it may be extended.
    open: bool,
}

impl<'a> HopBuilder<'a> {
    pub(crate) fn new(firsts: &'a [FirstEdges], labels: &'a HubLabels) -> Self {
        let (candidates, parts) = (Vec::new(), Vec::new());
        let (entries, spare) = (Vec::new(), Vec::new());
        Self { firsts, labels, candidates, entries, parts, part_of: [NONE; 256], spare }
    }

    /// Finds the hops of a subgoal, at most `capacity` unless there are more edges.
    pub(crate) fn find(&mut self, number: SubgoalId, capacity: usize) {
        let FirstEdges { edges, marks } = &self.firsts[number as usize];
        self.candidates.clear();
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
            self.candidates.push(HopCandidate { end, legs, range, first: part[0], open: true });
        }
        while let Some(at) = self.next_to_split() {
            self.split(at, capacity.min(MAX_HOPS));
        }
        self.candidates
            .sort_unstable_by_key(|candidate| (Reverse(candidate.range.len()), candidate.first));
    }

    /// The candidate with the most entries among those that may still be split.
    fn next_to_split(&self) -> Option<usize> {
        let open = (0..self.candidates.len()).filter(|&at| self.candidates[at].open);
        open.max_by_key(|&at| (self.candidates[at].range.len(), Reverse(self.candidates[at].first)))
    }

    /// Splits a candidate by the edges that follow it, if there is space for the parts. Entries at
    /// whose hub it ends, or for which no edge fits, stay in a part without an extension.
    fn split(&mut self, at: usize, capacity: usize) {
        self.candidates[at].open = false;
        let candidate = self.candidates[at].clone();
        let FirstEdges { edges, marks } = &self.firsts[candidate.end as usize];
        let here = self.labels.heads[candidate.end as usize].len as usize - 1;
        let mut found: Vec<HopCandidate> = Vec::with_capacity(8);
        let mut stay = NONE;
        self.parts.clear();
        for &entry in &self.entries[candidate.range.clone()] {
            let next =
                marks.get(usize::from(entry)).copied().filter(|_| usize::from(entry) != here);
            let next = next.unwrap_or(NONE);
            let mut part = if next == NONE { stay } else { self.part_of[usize::from(next)] };
            if part == NONE {
                let edge = edges.get(usize::from(next));
                let longer =
                    edge.and_then(|edge| Some((edge.head, candidate.legs.and(edge.legs)?)));
                part = if longer.is_none() { stay } else { NONE };
                if part == NONE {
                    if found.len() > capacity.min(MAX_HOPS) {
                        break;
                    }
                    part = found.len() as u8;
                    let (end, legs) = longer.unwrap_or((candidate.end, candidate.legs));
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
        if self.candidates.len() - 1 + found.len() > capacity {
            return;
        }
        let mut start = candidate.range.start;
        for part in &mut found {
            let count = part.range.end;
            part.range = start..start;
            start += count;
        }
        self.spare.clear();
        self.spare.extend_from_slice(&self.entries[candidate.range.clone()]);
        for (&entry, &part) in self.spare.iter().zip(&self.parts) {
            let range = &mut found[usize::from(part)].range;
            self.entries[range.end] = entry;
            range.end += 1;
        }
        self.candidates.swap_remove(at);
        self.candidates.append(&mut found);
    }

    /// Writes the hops, the first one last, and for each entry the number of its hop.
    pub(crate) fn write(&self, hops: &mut [u32], bytes: &mut [u32]) {
        bytes.fill(u32::MAX);
        for (at, candidate) in self.candidates.iter().enumerate() {
            let end = &self.labels.heads[candidate.end as usize];
            let legs = candidate.legs.0;
            let half = u32::from(u16::from_le_bytes([legs[0], legs[1]]));
            let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| legs[at + byte]));
            let start = hops.len() - HOP * (at + 1);
            let hop = [end.block, end.len | half << 16, word(2), word(6)];
            hops[start..][..HOP].copy_from_slice(&hop);
            for &entry in &self.entries[candidate.range.clone()] {
                let (word, shift) = (usize::from(entry) / 4, 8 * (entry % 4));
                bytes[word] ^= (255 ^ at as u32) << shift;
            }
        }
    }
}
