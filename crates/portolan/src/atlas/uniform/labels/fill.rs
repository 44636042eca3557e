//! Fills labels with costs, as described in the parent module.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::numbers::CellNumbers;
use super::{HubLabels, LINE, LabelHead, SubgoalId};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{NO_REGION, RegionId, SeparatorTree};
use crate::atlas::uniform::climb::Arc;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::kernel::relax_row;
use crate::store::Words;

impl HubLabels {
    /// Computes the costs.
    pub(crate) fn fill(
        &mut self,
        subgoals: &Subgoals,
        Dissection { tree, members }: &Dissection,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let numbers = &self.numbers;
        let edges = |number: SubgoalId, visit: &mut dyn FnMut(SubgoalId, Cost)| {
            subgoals.out_edges(self.heads[number as usize].node, |other, cost| {
                visit(numbers.of(other), cost);
            });
        };
        let costs = self.costs_along(edges, (tree, members), progress)?;
        self.costs = costs;
        Ok(())
    }

    /// Computes the costs of upper subgoals from the arcs between them, each from its lower end.
    pub(crate) fn fill_upper(
        &mut self,
        Dissection { tree, members }: &Dissection,
        arcs: &[(SubgoalId, Arc)],
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let edges = |number: SubgoalId, visit: &mut dyn FnMut(SubgoalId, Cost)| {
            let start = arcs.partition_point(|&(tail, _)| tail < number);
            let own = arcs[start..].iter().take_while(|&&(tail, _)| tail == number);
            own.for_each(|&(_, arc)| visit(arc.head, arc.cost));
        };
        let none = Vec::new();
        let members = (0..).zip(members).map(|(id, members)| match self.is_upper(id) {
            true => members,
            false => &none,
        });
        let members: Vec<&Vec<NodeId>> = members.collect();
        let costs = self.costs_along(edges, (tree, &members), progress)?;
        self.costs = costs;
        Ok(())
    }

    /// The costs of all rows, where `edges` visits the neighbours of a subgoal.
    fn costs_along(
        &self,
        edges: impl Fn(SubgoalId, &mut dyn FnMut(SubgoalId, Cost)) + Sync,
        (tree, members): (&SeparatorTree, &[impl AsRef<[NodeId]> + Sync]),
        progress: &dyn Progress,
    ) -> Result<Words, BuildError> {
        let members: Vec<&[NodeId]> = members.iter().map(AsRef::as_ref).collect();
        let watch = Watch::new(progress, "labels", 2 * tree.len());
        let filling =
            LabelFill { tree, members: &members, numbers: &self.numbers, heads: &self.heads };
        let mut filled = Ok(());
        let costs = Words::filled(self.entries(), UNREACHABLE, |costs| {
            filling.write_edges(&edges, costs);
            filled = filling.gather_upward(costs, &watch);
            if filled.is_ok() {
                filled = filling.spread_downward(costs, &watch);
            }
        });
        filled.map(|()| costs)
    }
}

/// The input of filling labels.
struct LabelFill<'a> {
    tree: &'a SeparatorTree,
    /// The members of each region that have rows.
    members: &'a [&'a [NodeId]],
    numbers: &'a CellNumbers,
    heads: &'a [LabelHead],
}

impl LabelFill<'_> {
    /// Writes each edge into the label of its lower end.
    fn write_edges(
        &self,
        edges: impl Fn(SubgoalId, &mut dyn FnMut(SubgoalId, Cost)) + Sync,
        costs: &mut [Cost],
    ) {
        let (mut rest, mut at) = (costs, 0);
        let mut rows = Vec::with_capacity(self.heads.len());
        for (number, head) in (0..).zip(self.heads).filter(|(_, head)| head.has_row()) {
            let range = head.range();
            let (row, behind) = rest[range.start - at..].split_at_mut(range.len());
            rows.push((number, head, row));
            (rest, at) = (behind, range.end);
        }
        rows.into_par_iter().for_each(|(number, head, row)| {
            edges(number, &mut |other, cost| {
                let other = &self.heads[other as usize];
                if other.len < head.len {
                    let entry = &mut row[other.len as usize - 1];
                    *entry = cost.min(*entry);
                }
            });
        });
    }

    /// The hubs of the entries of a region's labels.
    fn chain(&self, id: RegionId) -> Vec<SubgoalId> {
        let mut regions: Vec<RegionId> = self.tree.ancestors(id).collect();
        regions.reverse();
        let members = regions.iter().flat_map(|&id| self.members[id as usize]);
        members.map(|&node| self.numbers.of(node)).collect()
    }

    /// Tells the higher neighbours of each subgoal what paths through it cost between them. The
    /// subtrees below a region are independent: each provides costs between hubs above it.
    fn gather_upward(&self, costs: &mut [Cost], watch: &Watch<'_>) -> Result<(), BuildError> {
        let (mut rest, mut at) = (costs, 0);
        let mut rows = Vec::with_capacity(self.tree.len());
        for id in 0..self.tree.len() as RegionId {
            let range = self.rows_of(id).unwrap_or(at..at);
            let (own, behind) = rest[range.start - at..].split_at_mut(range.len());
            rows.push(Mutex::new(own));
            (rest, at) = (behind, range.end);
        }
        self.gather(0, 0, &rows, watch);
        watch.check()
    }

    /// Gathers the costs of a region, which has `above` entries above it, and of all below.
    fn gather(
        &self,
        id: RegionId,
        above: usize,
        rows: &[Mutex<&mut [Cost]>],
        watch: &Watch<'_>,
    ) -> HubCosts {
        if watch.check().is_err() {
            return HubCosts::default();
        }
        let members = self.members[id as usize].len();
        let [a, b] = self.tree.node(id).children;
        let below = |child| match child {
            NO_REGION => HubCosts::default(),
            child => self.gather(child, above + members, rows, watch),
        };
        let below = rayon::join(|| below(a), || below(b));
        // Each region is gathered once.
        let mut rows = rows[id as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let start = self.rows_of(id).map_or(0, |range| range.start);
        let row = |member: usize| {
            let head = &self.heads[self.first(id) as usize + member];
            head.range().start - start..head.range().end - start - 1
        };
        let known = |costs: &[Cost]| -> Vec<usize> {
            let known = costs.iter().enumerate().filter(|&(_, &cost)| cost != UNREACHABLE);
            known.map(|(entry, _)| entry).collect()
        };
        let edges: Vec<Vec<usize>> = (0..members).map(|member| known(&rows[row(member)])).collect();
        let mut entries: Vec<usize> = [&below.0.entries, &below.1.entries]
            .into_iter()
            .chain(&edges)
            .flatten()
            .copied()
            .filter(|&entry| entry < above)
            .collect();
        entries.sort_unstable();
        entries.dedup();
        let border = entries.len();
        entries.extend(above..above + members);
        let mut costs = HubCosts::unknown(entries);
        costs.take_less(&below.0);
        costs.take_less(&below.1);
        for (member, edges) in edges.iter().enumerate() {
            let own = &rows[row(member)];
            costs.take_less_of(border + member, edges, |entry| own[entry]);
        }
        for member in (border..costs.entries.len()).rev() {
            let (higher, own) = costs.split_at(member);
            for (at, &cost) in own.iter().enumerate().skip(1) {
                if cost != UNREACHABLE {
                    relax_row(&mut higher[row_start(at)..][..at], &own[..at], cost);
                }
            }
        }
        for member in 0..members {
            let own = &mut rows[row(member)];
            for (&entry, &cost) in costs.entries.iter().zip(costs.row(border + member)) {
                own[entry] = cost;
            }
        }
        watch.advance(1);
        costs.truncated(border)
    }

    /// The entries of all rows of a region, including padding; `None` if it has no members.
    fn rows_of(&self, id: RegionId) -> Option<Range<usize>> {
        let last = self.members[id as usize].len().checked_sub(1)?;
        let first = self.first(id) as usize;
        let end = self.heads[first + last].range().end.next_multiple_of(LINE);
        Some(self.heads[first].range().start..end)
    }

    /// Completes labels from those above, level by level.
    fn spread_downward(&self, costs: &mut [Cost], watch: &Watch<'_>) -> Result<(), BuildError> {
        for level in self.tree.levels() {
            let with_members = || level.clone().filter_map(|id| Some((id, self.rows_of(id)?)));
            let Some((_, first)) = with_members().next() else { continue };
            let (above, mut below) = costs.split_at_mut(first.start);
            let mut work = Vec::new();
            for (id, rows) in with_members() {
                let (piece, rest) = below.split_at_mut(rows.len());
                work.push((id, piece));
                below = rest;
            }
            work.into_par_iter().for_each(|(id, piece)| {
                if watch.check().is_ok() {
                    self.spread(id, above, piece);
                    watch.advance(1);
                }
            });
            watch.check()?;
        }
        Ok(())
    }

    /// Completes the labels of a region from those above and from earlier members of the region.
    fn spread(&self, id: RegionId, above: &[Cost], piece: &mut [Cost]) {
        let chain = self.chain(id);
        let first = self.first(id);
        let start = self.heads[first as usize].range().start;
        let mut row = Vec::new();
        for number in first..first + self.members[id as usize].len() as SubgoalId {
            let range = self.heads[number as usize].range();
            let (earlier, own) = piece.split_at_mut(range.start - start);
            let own = &mut own[..range.len()];
            row.clear();
            row.extend_from_slice(own);
            for (at, &cost) in row.iter().enumerate().skip(1) {
                if cost != UNREACHABLE && at + 1 < range.len() {
                    let other = self.heads[chain[at] as usize].range();
                    let other = match chain[at] < first {
                        true => &above[other],
                        false => &earlier[other.start - start..other.end - start],
                    };
                    relax_row(&mut own[..at], &other[..at], cost);
                }
            }
            own[range.len() - 1] = 0;
        }
    }

    /// The first member of a region.
    fn first(&self, id: RegionId) -> SubgoalId {
        self.numbers.of(self.members[id as usize][0])
    }
}

/// Costs between hubs on one path from the root, by paths below them.
#[derive(Default)]
struct HubCosts {
    /// The entries of the hubs in the labels below them, in ascending order.
    entries: Vec<usize>,
    /// The costs from each hub to all before it, hub by hub.
    costs: Vec<Cost>,
}

/// Where the costs of a hub start.
fn row_start(hub: usize) -> usize {
    hub * hub.saturating_sub(1) / 2
}

impl HubCosts {
    fn unknown(entries: Vec<usize>) -> Self {
        let costs = vec![UNREACHABLE; row_start(entries.len())];
        Self { entries, costs }
    }

    /// The costs from a hub to all before it.
    fn row(&self, hub: usize) -> &[Cost] {
        &self.costs[row_start(hub)..][..hub]
    }

    /// The rows before that of a hub, and its own.
    fn split_at(&mut self, hub: usize) -> (&mut [Cost], &[Cost]) {
        let (higher, own) = self.costs.split_at_mut(row_start(hub));
        (higher, &own[..hub])
    }

    /// Lowers costs to those between the same hubs.
    fn take_less(&mut self, other: &Self) {
        let here: Vec<usize> = other.entries.iter().map(|&entry| self.hub(entry)).collect();
        for (at, &hub) in here.iter().enumerate() {
            let own = &mut self.costs[row_start(hub)..][..hub];
            for (&cost, &to) in other.row(at).iter().zip(&here) {
                own[to] = cost.min(own[to]);
            }
        }
    }

    /// Lowers the costs of a hub to these entries.
    fn take_less_of(&mut self, hub: usize, entries: &[usize], cost: impl Fn(usize) -> Cost) {
        for &entry in entries {
            let at = row_start(hub) + self.hub(entry);
            self.costs[at] = cost(entry).min(self.costs[at]);
        }
    }

    /// The index of an entry that is there.
    fn hub(&self, entry: usize) -> usize {
        self.entries.partition_point(|&other| other < entry)
    }

    /// The first hubs.
    fn truncated(mut self, hubs: usize) -> Self {
        self.entries.truncate(hubs);
        self.costs.truncate(row_start(hubs));
        // Most of it is free now, and parents wait for the other child.
        self.costs.shrink_to_fit();
        self
    }
}
