//! What a general form stores and reads, for programs that show how it works.

use super::index::GeneralIndex;
use super::labels::Labels;
use super::query::access::AccessGroup;
use super::query::join::{EndpointLabels, PathStart, costs_from, meet, shared};
use super::query::{GeneralQuery, GeneralScratch, PathSource};
use super::tables::region::boundary_node;
use crate::atlas::explanation::{AtlasExplanation, ExplainedEnd, Meeting};
use crate::atlas::inspect::TreeContents;
use crate::atlas::separator_tree::{RegionId, SeparatorTree};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};

impl GeneralIndex {
    /// See [`Atlas::explain`](crate::atlas::Atlas::explain). The ends are nodes of the map.
    pub(crate) fn explain(&self, from: NodeId, to: NodeId) -> Option<AtlasExplanation> {
        let mut scratch = GeneralScratch::default();
        let mut query = GeneralQuery::new(self, &mut scratch);
        let found = query.look_up(from, to, true).filter(|&(cost, _)| cost != UNREACHABLE);
        let (core_cost, source) = found?;
        let cost = self.cost(core_cost);
        let local = AtlasExplanation {
            cost,
            meeting: Meeting::Local,
            start: ExplainedEnd::default(),
            goal: ExplainedEnd::default(),
        };
        let (near, far) = match source {
            PathSource::SameNode | PathSource::Local => return Some(local),
            PathSource::Leaf(near, far)
            | PathSource::Label(near, far, _)
            | PathSource::Climb(near, far, _) => (near, far),
        };
        let start = self.explain_end(&near, Direction::Forward);
        let goal = self.explain_end(&far, Direction::Backward);
        let mut explained = AtlasExplanation { start, goal, ..local };
        match source {
            PathSource::Label(..) => {
                let hops = self.hops(self.labels.as_ref()?, (from, &near), (to, &far))?;
                explained.meeting = Meeting::Hub(*hops[0].last()?);
                [explained.start.hops, explained.goal.hops] = hops;
            }
            PathSource::Climb(_, _, meeting) => {
                let hub = boundary_node(self.region(meeting.region), meeting.position)?;
                explained.meeting = Meeting::Hub(hub);
                explained.start.hops.push(hub);
                explained.goal.hops.push(hub);
            }
            _ => {}
        }
        Some(explained)
    }

    fn explain_end(&self, group: &AccessGroup, direction: Direction) -> ExplainedEnd {
        let seen: Vec<(NodeId, Cost)> =
            group.nodes().map(|access| (access.node, access.cost)).collect();
        let Some(labels) = &self.labels else {
            return ExplainedEnd { seen, ..ExplainedEnd::default() };
        };
        let mut rows = EndpointLabels::new(direction);
        let costs = costs_from(self, labels, &mut rows, group).to_vec();
        let hubs = self.hubs(group.deepest().home.region);
        let known = hubs.zip(costs).filter(|&(_, cost)| cost != UNREACHABLE);
        let joined = rows.nodes(labels, group).collect();
        ExplainedEnd { seen, joined, row: known.collect(), hops: Vec::new() }
    }

    /// The separator nodes above a region and in it, root first.
    fn hubs(&self, id: RegionId) -> impl Iterator<Item = NodeId> {
        let mut regions: Vec<RegionId> = self.tree.ancestors(id).collect();
        regions.retain(|&id| !self.tree.is_leaf(id));
        regions.into_iter().rev().flat_map(|id| self.region(id).members.iter().copied())
    }

    /// The nodes at which the hops of both halves of a path over labels end.
    fn hops(
        &self,
        labels: &Labels,
        (from, near): (NodeId, &AccessGroup),
        (to, far): (NodeId, &AccessGroup),
    ) -> Option<[Vec<NodeId>; 2]> {
        let [mut a, mut b] = [Direction::Forward, Direction::Backward].map(EndpointLabels::new);
        a.gather(self, labels, near);
        b.gather(self, labels, far);
        let (_, entry) = meet(labels, &a, &b, shared(self, labels, near, far))?;
        let half = |rows: &EndpointLabels, node, group| {
            self.half(
                labels,
                rows.direction,
                rows.start(self, labels, group, entry)?,
                (node, entry),
            )
        };
        Some([half(&a, from, near)?, half(&b, to, far)?])
    }

    /// The nodes at which the hops from an end to the hub of an entry end.
    fn half(
        &self,
        labels: &Labels,
        direction: Direction,
        start: PathStart<'_>,
        (node, entry): (NodeId, usize),
    ) -> Option<Vec<NodeId>> {
        let mut hops = vec![node, start.access.node];
        let mut rank = start.rank;
        // As many steps as there are separator nodes, unless the index comes from a damaged file.
        for _ in 0..=labels.layout.separators() {
            hops.push(*labels.hops.exits.nodes.get(rank as usize)?);
            if labels.layout.range(rank).len() == entry + 1 {
                hops.dedup();
                // The end itself is no hop, unless it is the hub.
                if hops.len() > 1 {
                    hops.remove(0);
                }
                return Some(hops);
            }
            rank = labels.next_toward(direction, rank, entry)?;
        }
        None
    }
}

impl TreeContents for GeneralIndex {
    fn tree(&self) -> &SeparatorTree {
        &self.tree
    }

    fn members(&self, id: RegionId) -> &[NodeId] {
        &self.region(id).members
    }

    fn gates(&self, numbers: &[u32], count: usize) -> Vec<Vec<NodeId>> {
        let mut gates = vec![Vec::new(); count];
        // From the leaves up, so that the border of the outermost region remains.
        for (region, &number) in self.regions.iter().zip(numbers).rev() {
            if let Some(gates) = gates.get_mut(number as usize) {
                *gates = region.border.to_vec();
            }
        }
        gates
    }

    /// The tables of a region. Rows of labels are not included.
    fn bytes(&self, id: RegionId) -> usize {
        self.region(id).memory_bytes(self.undirected())
    }
}
