//! Hops: beside each entry of a row, along which edge the way to the entry's subgoal starts.
//!
//! What is read together lies together: the block of a subgoal holds its edges, the last one first, and behind them
//! one byte per entry that counts back from there. An edge names the block it leads to, so that a path is unpacked
//! without a look at anything else. Of several edges that are as good, the longest is kept: fewer of them make a path.

use rayon::prelude::*;

use super::rows::{Number, Rows};
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::mark_sums;
use crate::store::Words;
use crate::subgoals::{Run, Subgoals};

/// No edge has a number for this entry: it has to be looked for, if there is any.
const LOOK: u16 = 255;

/// Words of an edge.
const EDGE: usize = 4;

/// Words of a cache line.
const LINE: usize = 16;

/// An edge as a path goes along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop {
    /// The block of the subgoal at its end, its number and the length of its row.
    pub(super) block: u32,
    pub(super) number: Number,
    pub(super) len: u32,
    /// Two directions with the number of steps in each.
    pub(super) legs: [(usize, usize); 2],
}

#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) words: Words,
}

impl Blocks {
    /// The blocks of all subgoals, of so many words, whose places are written in the rows.
    pub(super) fn build(subgoals: &Subgoals, rows: &Rows, words: usize) -> Self {
        let words = Words::filled(words, 0, |words| {
            let mut rest = words;
            let mut pieces = Vec::with_capacity(rows.heads.len());
            let mut start = 0;
            for head in &rows.heads {
                let end = head.block as usize + (head.len as usize).div_ceil(4);
                let (piece, behind) = rest.split_at_mut(end - start);
                pieces.push((piece, head.block as usize - start));
                (rest, start) = (behind, end);
            }
            pieces.into_par_iter().zip(0..rows.heads.len() as Number).for_each(
                |((piece, block), number)| {
                    let (edges, hops) = piece.split_at_mut(block);
                    fill(subgoals, rows, number, edges, hops);
                },
            );
        });
        Self { words }
    }
}

/// Writes into the rows where their blocks lie; returns how many words all blocks have, unless they are too many.
pub(super) fn lay_out(subgoals: &Subgoals, rows: &mut Rows) -> Option<usize> {
    let mut end = 0;
    for head in &mut rows.heads {
        let edges = subgoals.edges(head.node).len() * EDGE;
        head.block = u32::try_from((end + edges).next_multiple_of(LINE)).ok()?;
        end = head.block as usize + (head.len as usize).div_ceil(4);
    }
    Some(end.next_multiple_of(LINE))
}

/// The hop from a block toward an entry's subgoal; `None` where no edge is named.
#[inline(always)]
pub(super) fn hop(words: &[u32], block: u32, entry: usize) -> Option<Hop> {
    let block = block as usize;
    let number = words.get(block + entry / 4)? >> (8 * (entry % 4)) & 255;
    if number == u32::from(LOOK) {
        return None;
    }
    edge(words, block, number as usize)
}

/// The edge of a subgoal, which has so many, that leads toward an entry's subgoal, found by its cost: for subgoals with
/// more edges than a byte can number.
#[cold]
pub(super) fn look(
    words: &[u32],
    rows: &Rows,
    (from, edges): (Number, usize),
    entry: usize,
) -> Option<Hop> {
    let block = rows.heads.get(from as usize)?.block as usize;
    let rest = *rows.row(from).get(entry)?;
    (0..edges).filter_map(|number| edge(words, block, number)).find(|hop| {
        let known = rows.heads.get(hop.number as usize);
        let beyond = known.and_then(|head| rows.costs[head.range()].get(entry));
        beyond.is_some_and(|&beyond| beyond < rest && beyond.saturating_add(hop.cost()) == rest)
    })
}

impl Hop {
    fn cost(&self) -> Cost {
        let leg = |&(direction, steps): &(usize, usize)| {
            (if direction < 4 { STRAIGHT } else { DIAGONAL }).saturating_mul(steps as Cost)
        };
        self.legs.iter().map(leg).fold(0, Cost::saturating_add)
    }
}

#[inline(always)]
fn edge(words: &[u32], block: usize, number: usize) -> Option<Hop> {
    let start = block.checked_sub(EDGE * (number + 1))?;
    let &[block, number, first, second] = words.get(start..start + EDGE)?.first_chunk::<EDGE>()?;
    let leg = |word: u32| ((word >> 16 & 7) as usize, (word & 0xffff) as usize);
    // The length of the row is spread over the upper parts of both words.
    let len = first >> 24 << 8 | second >> 24;
    Some(Hop { block, number, len, legs: [leg(first), leg(second)] })
}

/// Writes the edges of a subgoal, the last one first, and the hops beside its entries.
fn fill(subgoals: &Subgoals, rows: &Rows, number: Number, edges: &mut [u32], hops: &mut [u32]) {
    let head = &rows.heads[number as usize];
    let from = subgoals.sight.spot(head.node);
    let mut ways: Vec<(Cost, NodeId, bool)> = subgoals
        .edges(head.node)
        .iter()
        .map(|edge| (subgoals.cost(head.node, edge.head), edge.head, edge.straight_first))
        .collect();
    ways.sort_unstable();
    let sums = &rows.row(number)[..head.len as usize - 1];
    let mut marks = vec![LOOK; sums.len()];
    for (at, &(cost, node, straight_first)) in ways.iter().enumerate() {
        let other = rows.numbers[node as usize];
        let end = &rows.heads[other as usize];
        if at < usize::from(LOOK) {
            mark_sums(&mut marks, sums, rows.row(other), cost, at as u16);
        }
        let run = Run::between(from, subgoals.sight.spot(node));
        let straight = run.straights | (run.straight.number() as u32) << 16;
        let diagonal = run.diagonals | (4 + run.diagonal.number() as u32) << 16;
        let [first, second] =
            if straight_first { [straight, diagonal] } else { [diagonal, straight] };
        let start = edges.len() - EDGE * (at + 1);
        edges[start..][..EDGE].copy_from_slice(&[
            end.block,
            other,
            first | end.len >> 8 << 24,
            second | (end.len & 255) << 24,
        ]);
    }
    for (entry, &mark) in marks.iter().enumerate() {
        // Ways that do not exist have sums that match by chance.
        let mark = if sums[entry] == UNREACHABLE { LOOK } else { mark };
        hops[entry / 4] |= u32::from(mark) << (8 * (entry % 4));
    }
}
