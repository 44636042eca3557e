//! Hops: beside each entry of a row, how the way to the entry's subgoal starts.
//!
//! What is read together lies together: the block of a subgoal holds its hops, the first one last,
//! and behind them one byte per entry that counts back from there. A hop leads along several edges
//! where they fit, and names the block that it leads to, so that a path is unpacked without a look
//! at anything else.
//!
//! Which edges a hop takes is found in `ways.rs`.

use rayon::prelude::*;

use super::packed_legs::PackedLegs;
use super::{HubLabels, SubgoalId};
use crate::atlas::uniform::build::first_edges;
use crate::atlas::uniform::build::first_edges::find_all;
use crate::atlas::uniform::build::hop_edges::HopBuilder;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::kernel::prefetch;
use crate::store::Words;

/// Words of a hop.
pub(crate) const HOP: usize = 4;

/// Words of a cache line.
const LINE: usize = 16;

/// The most hops of a subgoal: one byte less has to say that there is none.
pub(crate) const MOST: usize = 255;

/// A piece of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hop {
    /// The block of the subgoal at its end, and the length of its row.
    pub(crate) block: u32,
    pub(crate) len: u32,
    pub(crate) legs: PackedLegs,
}

#[derive(Debug, Default)]
pub(crate) struct Hops {
    pub(crate) words: Words,
}

impl Hops {
    /// The blocks of all subgoals, of so many words, whose places are written in the labels.
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
            let ways = || HopBuilder::new(&firsts, labels);
            pieces.for_each_init(ways, |ways, ((piece, block), number)| {
                let (hops, bytes) = piece.split_at_mut(block);
                ways.find(number, hops.len() / HOP);
                ways.write(hops, bytes);
            });
        });
        Self { words }
    }
}

/// Writes into the labels where their blocks lie; returns how many words all blocks have, unless they
/// are too many.
pub(crate) fn lay_out(subgoals: &Subgoals, labels: &mut HubLabels) -> Option<usize> {
    let mut end = 0;
    for head in &mut labels.heads {
        let hops = room(subgoals.edges(head.node).len()) * HOP;
        head.block = u32::try_from((end + hops).next_multiple_of(HOP)).ok()?;
        end = head.block as usize + (head.len as usize).div_ceil(4);
    }
    Some(end.next_multiple_of(LINE))
}

/// How many hops a subgoal with so many edges has room for.
fn room(edges: usize) -> usize {
    (edges * 3).div_ceil(2).min(MOST)
}

/// The hop from a block toward an entry's subgoal; `None` where none is named.
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

/// Asks for what [`hop`] will read.
#[inline(always)]
pub(crate) fn prefetch_hop(words: &[u32], block: u32, entry: usize) {
    let block = block as usize;
    prefetch(words.get(block + entry / 4..=block + entry / 4).unwrap_or(&[]));
    prefetch(words.get(block.saturating_sub(2 * LINE)..block).unwrap_or(&[]));
}
