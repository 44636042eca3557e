//! Fills labels with costs, as described in the parent module.

use rayon::prelude::*;

use super::numbers::CellNumbers;
use super::{HubLabels, LINE, LabelHead, SubgoalId};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{RegionId, SeparatorTree};
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
        edges: impl Fn(SubgoalId, &mut dyn FnMut(SubgoalId, Cost)),
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
        edges: impl Fn(SubgoalId, &mut dyn FnMut(SubgoalId, Cost)),
        costs: &mut [Cost],
    ) {
        for (number, head) in (0..).zip(self.heads).filter(|(_, head)| head.has_row()) {
            let row = &mut costs[head.range()];
            edges(number, &mut |other, cost| {
                let other = &self.heads[other as usize];
                if other.len < head.len {
                    let entry = &mut row[other.len as usize - 1];
                    *entry = cost.min(*entry);
                }
            });
        }
    }

    /// The hubs of the entries of a region's labels.
    fn chain(&self, id: RegionId) -> Vec<SubgoalId> {
        let mut regions: Vec<RegionId> = self.tree.ancestors(id).collect();
        regions.reverse();
        let members = regions.iter().flat_map(|&id| self.members[id as usize]);
        members.map(|&node| self.numbers.of(node)).collect()
    }

    /// Tells the higher neighbours of each subgoal what paths through it cost between them.
    fn gather_upward(&self, costs: &mut [Cost], watch: &Watch<'_>) -> Result<(), BuildError> {
        let mut row = Vec::new();
        for id in (0..self.tree.len() as RegionId).rev() {
            watch.check()?;
            let chain = self.chain(id);
            for &node in self.members[id as usize].iter().rev() {
                let head = &self.heads[self.numbers.of(node) as usize];
                row.clear();
                row.extend_from_slice(&costs[head.range()]);
                for (at, &cost) in row.iter().enumerate().skip(1) {
                    if cost != UNREACHABLE {
                        let above = self.heads[chain[at] as usize].range().start;
                        relax_row(&mut costs[above..above + at], &row[..at], cost);
                    }
                }
            }
            watch.advance(1);
        }
        Ok(())
    }

    /// Completes labels from those above, level by level.
    fn spread_downward(&self, costs: &mut [Cost], watch: &Watch<'_>) -> Result<(), BuildError> {
        for level in self.tree.levels() {
            let with_members = || level.clone().filter(|&id| !self.members[id as usize].is_empty());
            let start = |id: RegionId| self.heads[self.first(id) as usize].range().start;
            let Some(first) = with_members().next() else { continue };
            let (above, mut below) = costs.split_at_mut(start(first));
            let mut work = Vec::new();
            for id in with_members() {
                let last = self.first(id) as usize + self.members[id as usize].len() - 1;
                let end = self.heads[last].range().end.next_multiple_of(LINE);
                let (piece, rest) = below.split_at_mut(end - start(id));
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
