//! Costs in one byte.
//!
//! The surplus of a path's cost over the octile distance of its ends is a sum of two kinds of
//! detours. Take a path of straight and diagonal steps between opposite corners of a box. It makes
//! at least as many steps as the longer side of the box; let i be the excess. Its steps cover at
//! least the sum of both sides, counting diagonal steps twice; by parity this excess is even, say 2
//! j. With S and D the costs of a straight and a diagonal step, the surplus in cost is then
//! `i (2 S - D) + j (2 D - 2 S)`, with i and j not negative. Where paths are nearly direct, few of
//! these sums occur. The codebook of a map has a code for each of the most frequent. It is computed
//! from the distances of a few subgoals, before any label is filled.

use rayon::prelude::*;
use std::collections::BTreeMap;

use super::positions::HubPositions;
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::Subgoals;
use crate::cost::{Cost, DIAGONAL, STRAIGHT, UNREACHABLE};
use crate::search::{Scratch, dijkstra};

/// An entry whose rare cost did not fit in the list. This and all larger codes have no surplus.
pub(super) const UNKNOWN: u8 = 253;

/// An entry whose cost is in the list of rare costs.
pub(super) const RARE: u8 = 254;

/// An entry without a path, or with one that no shortest path needs.
pub(super) const NONE: u8 = 255;

/// The cost of one step in excess of the longer side of the box (i).
const MORE_STEPS: Cost = 2 * STRAIGHT - DIAGONAL;

/// The cost of covering two cells in excess of the sides of the box (j).
const LESS_DIRECT: Cost = 2 * DIAGONAL - 2 * STRAIGHT;

/// The number of subgoals whose distances are sampled for the codebook.
const SAMPLES: usize = 24;

/// One sample in this many is held back to test a codebook made without it.
const HELD_BACK: usize = 3;

/// The surplus of each code, and the code of each surplus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Codebook {
    /// By code, ascending; [`UNREACHABLE`] for unused codes and those without a surplus.
    pub(super) surplus: [Cost; 256],
    /// A hash table of codes by surplus.
    slots: Vec<u8>,
}

/// The size of the hash table: a few times the number of codes, a power of two.
const SLOTS: usize = 1 << 10;

impl Codebook {
    /// Assigns codes to these surpluses, as many as there are codes for.
    pub(super) fn new(surpluses: &[Cost]) -> Self {
        let mut surplus = [UNREACHABLE; 256];
        let mut slots = vec![NONE; SLOTS];
        for (code, &cost) in (0..UNKNOWN).zip(surpluses) {
            surplus[usize::from(code)] = cost;
            let mut at = slot(cost);
            while slots[at] != NONE {
                at = (at + 1) % SLOTS;
            }
            slots[at] = code;
        }
        Self { surplus, slots }
    }

    /// The code of a surplus, if it has one.
    #[inline(always)]
    pub(super) fn code(&self, surplus: Cost) -> Option<u8> {
        let mut at = slot(surplus);
        loop {
            let code = self.slots[at];
            if code == NONE {
                return None;
            }
            if self.surplus[usize::from(code)] == surplus {
                return Some(code);
            }
            at = (at + 1) % SLOTS;
        }
    }

    /// The surpluses that have codes.
    pub(super) fn used(&self) -> &[Cost] {
        let codebook = &self.surplus[..usize::from(UNKNOWN)];
        &codebook[..codebook.iter().take_while(|&&surplus| surplus != UNREACHABLE).count()]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.slots.len()
    }
}

#[inline(always)]
fn slot(surplus: Cost) -> usize {
    (surplus.wrapping_mul(0x9e37_79b1) >> 22) as usize % SLOTS
}

/// A codebook, and a test of how well it generalises: entries held back, and how many of them have
/// no code in a codebook made without them.
pub(super) struct SurplusSample {
    pub(super) codebook: Codebook,
    entries: usize,
    rare: usize,
}

impl SurplusSample {
    /// Samples the entries of a few evenly spread labels.
    pub(super) fn new(subgoals: &Subgoals, labels: &HubLabels, positions: &HubPositions) -> Self {
        let count = labels.heads.len();
        let picked = SAMPLES.min(count);
        let picked = (0..picked).map(|at| (at * count + count / 2) / picked);
        let seen: Vec<Vec<Cost>> = picked
            .collect::<Vec<_>>()
            .into_par_iter()
            .map_init(Scratch::default, |scratch, number| {
                surpluses(subgoals, labels, positions, number as SubgoalId, scratch)
            })
            .collect();
        let held_back = |at: usize| at % HELD_BACK == 1;
        let others = seen.iter().enumerate().filter(|&(at, _)| !held_back(at));
        let others = most_frequent(others.flat_map(|(_, surpluses)| surpluses));
        let held_back = seen.iter().enumerate().filter(|&(at, _)| held_back(at));
        let held_back = || held_back.clone().flat_map(|(_, surpluses)| surpluses);
        let rare = held_back().filter(|&&surplus| others.code(surplus).is_none()).count();
        Self { codebook: most_frequent(seen.iter().flatten()), entries: held_back().count(), rare }
    }

    /// Whether nearly all entries have codes.
    pub(super) fn pays_off(&self) -> bool {
        self.rare * 8 <= self.entries
    }

    /// An estimate, with a margin, of how many of `entries` will have no code.
    pub(super) fn rare_among(&self, entries: usize) -> usize {
        let share = self.rare as f64 / self.entries.max(1) as f64;
        (entries as f64 * (share * 1.25 + 1.0 / 128.0).min(1.0)) as usize + 64
    }
}

/// Assigns codes to the most frequent of these surpluses.
fn most_frequent<'a>(surpluses: impl Iterator<Item = &'a Cost>) -> Codebook {
    let mut counts: BTreeMap<Cost, usize> = BTreeMap::new();
    surpluses.for_each(|&surplus| *counts.entry(surplus).or_default() += 1);
    let mut frequent: Vec<(Cost, usize)> = counts.into_iter().collect();
    frequent.sort_by_key(|&(surplus, count)| (std::cmp::Reverse(count), surplus));
    frequent.truncate(usize::from(UNKNOWN));
    let mut surpluses: Vec<Cost> = frequent.into_iter().map(|(surplus, _)| surplus).collect();
    add_least(&mut surpluses);
    surpluses.sort_unstable();
    Codebook::new(&surpluses)
}

/// Adds the least missing surpluses until every code has one.
fn add_least(surpluses: &mut Vec<Cost>) {
    let code = Cost::from(UNKNOWN);
    let sums = (0..code).flat_map(|i| (0..code).map(move |j| i * MORE_STEPS + j * LESS_DIRECT));
    let mut rest: Vec<Cost> = sums.filter(|sum| !surpluses.contains(sum)).collect();
    rest.sort_unstable();
    rest.dedup();
    rest.truncate(usize::from(UNKNOWN) - surpluses.len());
    surpluses.extend(rest);
}

/// The surpluses of the paths from a subgoal to all hubs of its label.
fn surpluses(
    subgoals: &Subgoals,
    labels: &HubLabels,
    positions: &HubPositions,
    number: SubgoalId,
    scratch: &mut Scratch,
) -> Vec<Cost> {
    let head = &labels.heads[number as usize];
    // Costs that overflow are not entries either.
    let _ = dijkstra::one_to_all(subgoals, scratch, head.node);
    let surplus = |hub: SubgoalId| {
        let cost = scratch.cost(labels.heads[hub as usize].node)?;
        cost.checked_sub(positions.octile(number, hub))
    };
    positions.chain(labels, head).filter_map(surplus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_surplus_in_the_codebook_has_its_code() {
        let surpluses: Vec<Cost> = (0..300).map(|at| at * 19601).collect();
        let codebook = Codebook::new(&surpluses);
        assert_eq!(codebook.used(), &surpluses[..253]);
        for (at, &surplus) in surpluses.iter().enumerate() {
            assert_eq!(
                codebook.code(surplus),
                u8::try_from(at).ok().filter(|&code| code < UNKNOWN)
            );
        }
        assert_eq!(codebook.code(1), None);
        assert_eq!(codebook.code(UNREACHABLE), None);
    }
}
