//! What a form for grids of one terrain stores and reads, for programs that show how it works.

use super::index::{LabelledGrid, UniformIndex};
use super::labels::SubgoalId;
use super::labels::join::Access;
use super::lookup::{PathKind, QueryScratch};
use super::subgoals::VisibleSubgoal;
use super::unpack::PathHalf;
use crate::atlas::explanation::{AtlasExplanation, ExplainedEnd, Meeting};
use crate::atlas::inspect::TreeContents;
use crate::atlas::separator_tree::{NO_REGION, RegionId, SeparatorTree};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;

impl UniformIndex {
    /// What is stored of the regions.
    pub(crate) fn contents(&self) -> &LabelledGrid {
        &self.labelled
    }

    /// See [`Atlas::explain`](crate::atlas::Atlas::explain). The ends are free cells.
    pub(crate) fn explain(&self, from: NodeId, to: NodeId) -> Option<AtlasExplanation> {
        if !self.is_labelled() {
            return None;
        }
        let labelled = &*self.labelled;
        let view = &labelled.subgoals.view;
        let mut scratch = QueryScratch::default();
        let cost = labelled.find(&mut scratch, from, to)?;
        let (_, kind) = scratch.found?;
        let [mut start, mut goal] = [0, 1].map(|side| {
            let accesses = &scratch.sets[side].accesses;
            ExplainedEnd {
                joined: accesses
                    .iter()
                    .map(|access| labelled.labels.head(access.number).node)
                    .collect(),
                row: labelled.row(accesses),
                ..ExplainedEnd::default()
            }
        });
        let entry = |seen: VisibleSubgoal| (view.node(seen.cell), seen.cost);
        view.ahead(view.cell(from), |seen| start.seen.push(entry(seen)));
        view.behind(view.cell(to), |seen| goal.seen.push(entry(seen)));
        let meeting = match kind {
            PathKind::Direct => Meeting::Sight,
            PathKind::Bend(cell) => Meeting::Bend(view.node(cell)),
            PathKind::Hub(_) => {
                [start.hops, goal.hops] = labelled.hops(&mut scratch, [from, to]);
                Meeting::Hub(*start.hops.last()?)
            }
        };
        Some(AtlasExplanation { cost, meeting, start, goal })
    }
}

impl LabelledGrid {
    /// The hubs of the rows of all accesses, root first, with the least cost to each.
    fn row(&self, accesses: &[Access]) -> Vec<(NodeId, Cost)> {
        let mut row: Vec<(SubgoalId, Cost)> = Vec::new();
        for access in accesses {
            for (entry, hub) in self.hubs(access.number).enumerate() {
                let number = self.labels.numbers.of(hub);
                let rest = match &self.compact {
                    None => {
                        let row = self.labels.row(access.number);
                        row.map_or(UNREACHABLE, |row| row[entry])
                    }
                    // A code without a cost belongs to no entry.
                    Some(compact) => {
                        let cost = compact.cost(access.number, number, entry);
                        cost.unwrap_or(UNREACHABLE)
                    }
                };
                row.push((number, access.cost.saturating_add(rest)));
            }
        }
        // Subgoals are numbered from the root down.
        row.sort_unstable();
        row.dedup_by_key(|(number, _)| *number);
        row.retain(|&(_, cost)| cost != UNREACHABLE);
        row.into_iter().map(|(number, cost)| (self.labels.head(number).node, cost)).collect()
    }

    /// The hubs of the entries of a label.
    fn hubs(&self, number: SubgoalId) -> impl Iterator<Item = NodeId> {
        let head = self.labels.head(number);
        let tree = &self.dissection.tree;
        let turns = (0..u32::from(head.depth)).map(|depth| (head.code << depth >> 63) as usize);
        let regions = turns.scan(0, |id, turn| {
            *id = tree.node(*id).children[turn];
            Some(*id)
        });
        let regions = [0].into_iter().chain(regions).filter(|&id| id != NO_REGION);
        let members = regions.flat_map(|id| self.dissection.members[id as usize].iter().copied());
        members.take(head.len as usize)
    }

    /// The subgoals at which the hops of both halves of the found path end.
    fn hops(&self, scratch: &mut QueryScratch, ends: [NodeId; 2]) -> [Vec<NodeId>; 2] {
        scratch.begin_to_unpack(self);
        let unpacker = &mut scratch.unpacker;
        if !self.has_all_rows() {
            // There are no hops of runs: both halves have been followed edge by edge.
            return [(&unpacker.near, ends[0]), (&unpacker.far, ends[1])].map(ends_of_runs);
        }
        let mut hops = [&unpacker.near, &unpacker.far].map(|half| vec![half.displacement.cell]);
        while unpacker.advance(self) {
            for (hops, half) in hops.iter_mut().zip([&unpacker.near, &unpacker.far]) {
                hops.push(half.displacement.cell);
            }
        }
        hops.iter_mut().for_each(Vec::dedup);
        hops
    }
}

/// The cells at which the runs of a half end. A run has two legs.
fn ends_of_runs((half, from): (&PathHalf, NodeId)) -> Vec<NodeId> {
    let mut cell = from;
    let end = |run: &[crate::route::Leg]| {
        for leg in run {
            cell = cell.wrapping_add(leg.delta.wrapping_mul(leg.steps));
        }
        cell
    };
    half.legs.chunks(2).map(end).collect()
}

impl TreeContents for LabelledGrid {
    fn tree(&self) -> &SeparatorTree {
        &self.dissection.tree
    }

    fn members(&self, id: RegionId) -> &[NodeId] {
        &self.dissection.members[id as usize]
    }

    /// Follows the edges of all separators.
    fn gates(&self, numbers: &[u32], count: usize) -> Vec<Vec<NodeId>> {
        let mut number_of = vec![NO_REGION; self.labels.heads.len()];
        for (members, &number) in self.dissection.members.iter().zip(numbers) {
            for &node in members {
                number_of[self.labels.numbers.of(node) as usize] = number;
            }
        }
        let mut gates = vec![Vec::new(); count];
        for (head, &number) in self.labels.heads.iter().zip(&number_of) {
            if (number as usize) < count {
                continue;
            }
            for edge in self.subgoals.edges(head.node) {
                let number = number_of[self.labels.numbers.of(edge.head()) as usize];
                if let Some(gates) = gates.get_mut(number as usize)
                    && gates.last() != Some(&head.node)
                {
                    gates.push(head.node);
                }
            }
        }
        gates
    }

    /// The rows of the members, with their hops.
    fn bytes(&self, id: RegionId) -> usize {
        let numbers = self.members(id).iter().map(|&node| self.labels.numbers.of(node));
        let row = |number: SubgoalId| {
            let head = self.labels.head(number);
            if self.compact.is_some() {
                return head.padded();
            }
            if self.climb.is_some() {
                let row = if head.has_row() { head.padded() } else { 0 };
                return (size_of::<Cost>() + 1) * row;
            }
            let end = |number: SubgoalId| {
                let head = self.labels.head(number);
                head.block as usize + (head.len as usize).div_ceil(4)
            };
            let before = number.checked_sub(1).map_or(0, end);
            size_of::<Cost>() * head.padded() + size_of::<u32>() * (end(number) - before)
        };
        numbers.map(row).sum()
    }
}
