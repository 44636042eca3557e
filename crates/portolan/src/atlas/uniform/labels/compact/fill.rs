//! Fills labels of one byte per entry without memory for labels of four.
//!
//! As in `labels/fill.rs`, costs are gathered from the leaves upward and spread from the root
//! downward. Here each region has a *front*: the costs between its border and its members over
//! paths below them. The border is the set of higher subgoals with edges into the region or below
//! it. A region tells its parent which costs its members provide between its border, and keeps the
//! labels of its members. On the way down, only the labels above a region exist as plain costs.
//! Each label is encoded as soon as it is complete.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::codebook::{Codebook, NONE, RARE, UNKNOWN};
use super::positions::HubPositions;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{self, RegionId};
use crate::atlas::uniform::labels::{HubLabels, SubgoalId};
use crate::atlas::uniform::subgoals::Subgoals;
use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Graph;
use crate::kernel::{least_sum, relax_row};
use crate::store::{Bytes, Words};

/// The input of filling compact labels.
pub(super) struct CompactFill<'a> {
    pub(super) subgoals: &'a Subgoals,
    pub(super) dissection: &'a Dissection,
    pub(super) labels: &'a HubLabels,
    pub(super) positions: &'a HubPositions,
    pub(super) codebook: &'a Codebook,
}

/// Encoded labels.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EncodedLabels {
    /// One byte per entry, in the layout of the labels.
    pub(super) bytes: Bytes,
    /// By label the index of its first rare cost, then their total number.
    pub(super) first_rare: Words,
    pub(super) rare: Words,
}

/// The labels of a region while they are written.
struct RegionLabels<'a> {
    bytes: &'a mut [u8],
    rare: Vec<Cost>,
}

impl CompactFill<'_> {
    /// Fills all labels, with space for `rare_capacity` rare costs.
    pub(super) fn fill(
        &self,
        rare_capacity: usize,
        progress: &dyn Progress,
    ) -> Result<EncodedLabels, BuildError> {
        let regions = self.dissection.tree.len();
        let watch = Watch::new(progress, "labels", 2 * regions);
        let fronts = Fronts::new(self);
        fronts.gather(0, &watch);
        watch.check()?;
        let (mut first_rare, mut rare) =
            (Vec::with_capacity(self.labels.heads.len() + 1), Vec::new());
        let bytes = Bytes::filled(self.labels.entries(), NONE, |mut bytes| {
            let mut pieces = Vec::with_capacity(regions);
            for id in 0..regions as RegionId {
                let (piece, rest) = bytes.split_at_mut(self.bytes_of(id));
                pieces.push(Mutex::new(RegionLabels { bytes: piece, rare: Vec::new() }));
                bytes = rest;
            }
            fronts.spread(0, &[], &pieces, &watch);
            let pieces = pieces.into_iter().map(|piece| piece.into_inner());
            for (id, piece) in (0..).zip(pieces) {
                let piece = piece.unwrap_or_else(PoisonError::into_inner);
                self.keep_rare(id, piece, rare_capacity, &mut first_rare, &mut rare);
            }
        });
        watch.check()?;
        first_rare.push(rare.len() as u32);
        rare.resize(rare_capacity, 0);
        Ok(EncodedLabels { bytes, first_rare: first_rare.into(), rare: rare.into() })
    }

    /// The first member of a region.
    fn first(&self, id: RegionId) -> SubgoalId {
        self.positions.first(id)
    }

    fn members(&self, id: RegionId) -> usize {
        self.dissection.members[id as usize].len()
    }

    /// The size of the labels of a region, including padding.
    fn bytes_of(&self, id: RegionId) -> usize {
        let numbers = self.first(id) as usize..self.first(id) as usize + self.members(id);
        self.labels.heads[numbers].iter().map(|head| head.padded()).sum()
    }

    /// Appends the rare costs of a region. If those of a label do not fit, its rare entries become
    /// unknown.
    fn keep_rare(
        &self,
        id: RegionId,
        piece: RegionLabels<'_>,
        capacity: usize,
        first_rare: &mut Vec<u32>,
        rare: &mut Vec<Cost>,
    ) {
        let (mut bytes, mut costs) = (piece.bytes, &piece.rare[..]);
        let first = self.first(id) as usize;
        for head in &self.labels.heads[first..first + self.members(id)] {
            let (row, rest) = bytes.split_at_mut(head.padded());
            bytes = rest;
            first_rare.push(rare.len() as u32);
            let count = row.iter().filter(|&&code| code == RARE).count();
            let (own, behind) = costs.split_at(count);
            costs = behind;
            match rare.len() + count <= capacity {
                true => rare.extend_from_slice(own),
                false => {
                    row.iter_mut().filter(|code| **code == RARE).for_each(|code| *code = UNKNOWN)
                }
            }
        }
    }
}

/// The fronts of all regions.
struct Fronts<'a> {
    filling: &'a CompactFill<'a>,
    /// By region, the subgoals above it with edges to it or below, sorted.
    borders: Vec<Vec<SubgoalId>>,
    /// By region, the costs of its members to its border and to each other. Empty until gathered.
    costs: Vec<OnceLock<Vec<Cost>>>,
}

impl<'a> Fronts<'a> {
    fn new(filling: &'a CompactFill<'a>) -> Self {
        let CompactFill { subgoals, dissection: Dissection { tree, .. }, labels, .. } = filling;
        let mut borders: Vec<Vec<SubgoalId>> = vec![Vec::new(); tree.len()];
        for id in (0..tree.len() as RegionId).rev() {
            let first = filling.first(id);
            let mut border = Vec::new();
            for child in tree.children(id) {
                border.extend(borders[child as usize].iter().filter(|&&number| number < first));
            }
            for number in first..first + filling.members(id) as SubgoalId {
                subgoals.out_edges(labels.heads[number as usize].node, |node, _| {
                    border.extend(Some(labels.numbers.of(node)).filter(|&other| other < first));
                });
            }
            border.sort_unstable();
            border.dedup();
            borders[id as usize] = border;
        }
        let costs = std::iter::repeat_with(OnceLock::new).take(tree.len()).collect();
        Self { filling, borders, costs }
    }

    fn border(&self, id: RegionId) -> &[SubgoalId] {
        &self.borders[id as usize]
    }

    /// The index of a subgoal in the front: the border, followed by the members.
    fn front_index(&self, id: RegionId, number: SubgoalId) -> usize {
        let (border, first) = (self.border(id), self.filling.first(id));
        match number.checked_sub(first) {
            Some(member) => border.len() + member as usize,
            None => border.partition_point(|&other| other < number),
        }
    }

    /// Gathers the costs of a region and everything below. Returns the costs between its border
    /// over paths through the region, as a square of which the part below the diagonal is used.
    fn gather(&self, id: RegionId, watch: &Watch<'_>) -> Vec<Cost> {
        if watch.check().is_err() {
            return Vec::new();
        }
        let CompactFill { subgoals, dissection: Dissection { tree, .. }, labels, .. } =
            self.filling;
        let [a, b] = tree.node(id).children;
        let below = |child: RegionId| match child {
            separator_tree::NO_REGION => Vec::new(),
            child => self.gather(child, watch),
        };
        let (of_a, of_b) = rayon::join(|| below(a), || below(b));
        let (border, members) = (self.border(id).len(), self.filling.members(id));
        let size = border + members;
        let mut square = vec![UNREACHABLE; size * size];
        for (child, costs) in [(a, of_a), (b, of_b)] {
            if costs.is_empty() {
                continue;
            }
            let theirs = self.border(child);
            let here: Vec<usize> =
                theirs.iter().map(|&number| self.front_index(id, number)).collect();
            for (row, &to) in costs.chunks_exact(theirs.len()).zip(&here) {
                let own = &mut square[to * size..][..to];
                for (&cost, &at) in row.iter().zip(here.iter().take_while(|&&at| at < to)) {
                    own[at] = own[at].min(cost);
                }
            }
        }
        let first = self.filling.first(id);
        for (to, number) in (border..size).zip(first..) {
            subgoals.out_edges(labels.heads[number as usize].node, |node, cost| {
                let other = labels.numbers.of(node);
                if other < number {
                    let entry = &mut square[to * size + self.front_index(id, other)];
                    *entry = cost.min(*entry);
                }
            });
        }
        for member in (border..size).rev() {
            let (above, own) = square.split_at_mut(member * size);
            for at in 1..member {
                if own[at] != UNREACHABLE {
                    relax_row(&mut above[at * size..][..at], &own[..at], own[at]);
                }
            }
        }
        // Each region is gathered once.
        let _ = self.costs[id as usize].set(square[border * size..].to_vec());
        let labels = square.chunks_exact(size.max(1)).take(border);
        let square = labels.flat_map(|row| &row[..border]).copied().collect();
        watch.advance(1);
        square
    }

    /// Completes the labels of a region and everything below, given the labels above by entry.
    fn spread(
        &self,
        id: RegionId,
        above: &[&[Cost]],
        pieces: &[Mutex<RegionLabels<'_>>],
        watch: &Watch<'_>,
    ) {
        if watch.check().is_err() {
            return;
        }
        let members = self.filling.members(id);
        let mut own: Vec<Vec<Cost>> = Vec::with_capacity(members);
        let border = self.border(id);
        let size = border.len() + members;
        let front = self.costs[id as usize].get().map_or(&[][..], |costs| costs);
        for (member, costs) in front.chunks_exact(size.max(1)).enumerate() {
            let mut row = vec![UNREACHABLE; above.len() + member + 1];
            let entries = border
                .iter()
                .map(|&number| self.filling.labels.heads[number as usize].len as usize - 1);
            for (entry, &cost) in entries.chain(above.len()..).zip(&costs[..border.len() + member])
            {
                if cost != UNREACHABLE {
                    let other = match entry.checked_sub(above.len()) {
                        None => above[entry],
                        Some(earlier) => &own[earlier],
                    };
                    relax_row(&mut row[..entry], &other[..entry], cost);
                    row[entry] = row[entry].min(cost);
                }
            }
            row[above.len() + member] = 0;
            own.push(row);
        }
        let chain: Vec<&[Cost]> =
            above.iter().copied().chain(own.iter().map(|row| &row[..])).collect();
        self.encode(
            id,
            &chain,
            &mut pieces[id as usize].lock().unwrap_or_else(PoisonError::into_inner),
        );
        watch.advance(1);
        let [a, b] = self.filling.dissection.tree.node(id).children;
        let below = |child: RegionId| {
            if child != separator_tree::NO_REGION {
                self.spread(child, &chain, pieces, watch);
            }
        };
        rayon::join(|| below(a), || below(b));
    }

    /// Encodes the labels of a region, which are the last ones of `chain`.
    fn encode(&self, id: RegionId, chain: &[&[Cost]], piece: &mut RegionLabels<'_>) {
        let CompactFill { labels, positions, codebook, .. } = self.filling;
        let first = self.filling.first(id);
        let members = self.filling.members(id);
        let Some(head) = labels.heads.get(first as usize).filter(|_| members > 0) else { return };
        let hubs: Vec<SubgoalId> =
            positions.chain(labels, &labels.heads[first as usize + members - 1]).collect();
        let start = head.range().start;
        for (number, row) in (first..).zip(&chain[chain.len() - members..]) {
            let range = labels.heads[number as usize].range();
            let bytes = &mut piece.bytes[range.start - start..range.end - start];
            for (entry, (&cost, code)) in row.iter().zip(bytes).enumerate() {
                if cost == UNREACHABLE {
                    continue;
                }
                let surplus = cost.saturating_sub(positions.octile(number, hubs[entry]));
                *code = match codebook.code(surplus) {
                    Some(code) => code,
                    // An equally short path goes over a higher hub, so no query needs this entry.
                    None if least_sum(&row[..entry], chain[entry]) <= cost => NONE,
                    None => {
                        piece.rare.push(cost);
                        RARE
                    }
                };
            }
        }
    }
}
