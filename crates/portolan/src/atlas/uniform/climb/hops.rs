//! The hop beside each entry of a row: the number of the arc with which a shortest path to the hub
//! begins. Among several, the longest arc, which has the lowest number.

use rayon::prelude::*;

use super::arcs::{Arc, ArcLists};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::cost::UNREACHABLE;
use crate::kernel::mark_sums;
use crate::store::Bytes;

/// No hop is stored: the arc has a higher number, or there is none.
pub(super) const SEARCH: u8 = u8::MAX;

pub(super) fn find_all(labels: &HubLabels, arcs: &ArcLists) -> Bytes {
    Bytes::filled(labels.entries(), SEARCH, |mut hops| {
        let mut pieces = Vec::with_capacity(labels.row_count());
        for (number, head) in (0..).zip(&labels.heads) {
            if head.has_row() {
                let (piece, rest) = hops.split_at_mut(head.padded());
                pieces.push((number, piece));
                hops = rest;
            }
        }
        let pieces = pieces.into_par_iter();
        pieces.for_each_init(Vec::new, |marks, (number, piece)| {
            find(labels, arcs, number, marks, piece);
        });
    })
}

fn find(
    labels: &HubLabels,
    arcs: &ArcLists,
    number: SubgoalId,
    marks: &mut Vec<u16>,
    hops: &mut [u8],
) {
    let Some((_, sums)) = labels.label(number).split_last() else { return };
    marks.clear();
    marks.resize(sums.len(), u16::from(SEARCH));
    let list: Vec<Arc> = arcs.of(number).take(usize::from(SEARCH)).collect();
    for (hop, arc) in list.iter().enumerate().rev() {
        mark_sums(marks, sums, labels.label(arc.head), arc.cost, hop as u16);
    }
    for ((hop, &mark), &sum) in hops.iter_mut().zip(&*marks).zip(sums) {
        // The sums of unreachable entries match by chance.
        *hop = if sum == UNREACHABLE { SEARCH } else { mark as u8 };
    }
}

/// Finds the arc toward the hub of an entry by its cost.
#[cold]
pub(super) fn search(
    labels: &HubLabels,
    arcs: &ArcLists,
    number: SubgoalId,
    entry: usize,
) -> Option<Arc> {
    let rest = *labels.row(number)?.get(entry)?;
    arcs.of(number).find(|arc| {
        let beyond = labels.row(arc.head).and_then(|row| row.get(entry));
        beyond.is_some_and(|&beyond| {
            beyond < rest && beyond.checked_add(arc.cost) == Some(rest) && rest != UNREACHABLE
        })
    })
}
