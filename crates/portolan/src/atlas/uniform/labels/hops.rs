//! Hops: for each entry of a hub label, the start of a path to the hub.
//!
//! Data read together is stored together. The block of a subgoal holds its hops, the first one
//! last, followed by one byte per entry that counts back from there. A hop follows several edges
//! where they fit, and stores the position of the block it leads to. So unpacking a path reads
//! nothing else.
//!
//! `build/hop_edges.rs` chooses the edges of each hop.

use rayon::prelude::*;

use super::packed_legs::PackedLegs;
use super::{HubLabels, SubgoalId};
use crate::atlas::uniform::build::first_edges;
use crate::atlas::uniform::build::first_edges::find_all;
use crate::atlas::uniform::build::hop_edges::HopBuilder;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::kernel::prefetch;
use crate::store::Words;

/// Words per hop.
pub(crate) const HOP: usize = 4;

/// Words per cache line.
const LINE: usize = 16;

/// The most hops of a subgoal. One byte value is reserved for entries without a hop.
pub(crate) const MAX_HOPS: usize = 255;

/// A section of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hop {
    /// The position of the block of the subgoal at the end, and the length of that subgoal's label.
    pub(crate) block: u32,
    pub(crate) len: u32,
    pub(crate) legs: PackedLegs,
}

#[derive(Debug, Default)]
pub(crate) struct Hops {
    pub(crate) words: Words,
}

impl Hops {
    /// Builds the blocks of all subgoals at the positions stored in the labels; `words` is their
    /// total size.
    pub(crate) fn build(subgoals: &Subgoals, labels: &HubLabels, words: usize) -> Self {
        let firsts = find_all(subgoals, labels);
        let words = Words::filled(words, 0, |words| {
            let mut rest = words;
            let mut pieces = Vec::with_capacity(labels.heads.len());
            let mut start = 0;
            for head in &labels.heads {
                let end = head.block as usize + (head.len as usize).div_ceil(4);
                let (piece, behind) = rest.split_at_mut(end - start);
                pieces.push((piece, head.block as usize - start));
                (rest, start) = (behind, end);
            }
            let pieces = pieces.into_par_iter().zip(0..labels.heads.len() as SubgoalId);
            let builder = || HopBuilder::new(&firsts, labels);
            pieces.for_each_init(builder, |builder, ((piece, block), number)| {
                let (hops, bytes) = piece.split_at_mut(block);
                builder.find(number, hops.len() / HOP);
                builder.write(hops, bytes);
            });
        });
        Self { words }
    }
}

/// Stores the positions of the blocks in the labels. Returns the total size in words; `None` if it
/// is too large.
pub(crate) fn lay_out(subgoals: &Subgoals, labels: &mut HubLabels) -> Option<usize> {
    let mut end = 0;
    for head in &mut labels.heads {
        let hops = hop_capacity(subgoals.edges(head.node).len()) * HOP;
        head.block = u32::try_from((end + hops).next_multiple_of(HOP)).ok()?;
        end = head.block as usize + (head.len as usize).div_ceil(4);
    }
    Some(end.next_multiple_of(LINE))
}

/// The number of hops reserved for a subgoal with so many edges.
fn hop_capacity(edges: usize) -> usize {
    (edges * 3).div_ceil(2).min(MAX_HOPS)
}

/// The hop from a block toward the hub of an entry; `None` if the entry has none.
#[inline(always)]
pub(crate) fn hop(words: &[u32], block: u32, entry: usize) -> Option<Hop> {
    let block = block as usize;
    let number = (words.get(block + entry / 4)? >> (8 * (entry % 4)) & 255) as usize;
    if number == usize::from(first_edges::NONE) {
        return None;
    }
    let start = block.checked_sub(HOP * (number + 1))?;
    let &[block, first, second, third] = words.get(start..start + HOP)?.first_chunk::<HOP>()?;
    let mut legs = [0; 10];
    legs[..2].copy_from_slice(&(first >> 16).to_le_bytes()[..2]);
    legs[2..6].copy_from_slice(&second.to_le_bytes());
    legs[6..].copy_from_slice(&third.to_le_bytes());
    Some(Hop { block, len: first & 0xffff, legs: PackedLegs(legs) })
}

/// Prefetches what [`hop`] reads.
#[inline(always)]
pub(crate) fn prefetch_hop(words: &[u32], block: u32, entry: usize) {
    let block = block as usize;
    prefetch(words.get(block + entry / 4..=block + entry / 4).unwrap_or(&[]));
    prefetch(words.get(block.saturating_sub(2 * LINE)..block).unwrap_or(&[]));
}
