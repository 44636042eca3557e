//! The climb: joins two nodes without labels, from the tables of the regions.
//!
//! Each endpoint has its costs to the boundary of a region, first of its home. At a branch, the
//! costs to the border of the child give the costs to the separator, and these give the costs to
//! the border of the branch. From the lowest common ancestor on, both endpoints may meet at every
//! separator node. The climb stops as soon as no path over a border node can be shorter than the
//! best path found.

use super::access::{AccessGroup, AccessNode};
use crate::atlas::general::direction::along_path;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::tables::region::{Branch, Region, boundary_node};
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::kernel::{least_sum, relax_row};

/// The climb of one endpoint.
pub(crate) struct Climber {
    direction: Direction,
    /// For each depth the costs to the boundary of the region at that depth.
    costs: Vec<Vec<Cost>>,
}

/// The separator node where both climbs meet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeetingNode {
    pub(crate) cost: Cost,
    pub(crate) region: RegionId,
    pub(crate) position: usize,
}

/// The tables from boundary to separator and from separator to boundary, along the direction of a
/// climb.
fn tables(branch: &Branch, direction: Direction) -> (&[Cost], &[Cost]) {
    (branch.via.of(direction), branch.via.against(direction))
}

impl Climber {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, costs: Vec::new() }
    }

    /// Sets the costs to the boundary of the deepest home.
    fn start(&mut self, index: &GeneralIndex, group: &AccessGroup) {
        let home = group.deepest().home.region;
        self.costs
            .resize_with(self.costs.len().max(index.tree.node(home).depth as usize + 1), Vec::new);
        let region = index.region(home);
        let width = region.branch().map_or(0, |_| region.members.len());
        let costs = &mut self.costs[index.tree.node(home).depth as usize];
        costs.clear();
        costs.resize(width + region.border.len(), UNREACHABLE);
        self.merge(index, group, home);
    }

    /// Adds the access nodes whose home is this region.
    fn merge(&mut self, index: &GeneralIndex, group: &AccessGroup, id: RegionId) {
        for access in group.nodes().filter(|access| access.home.region == id) {
            let costs = &mut self.costs[index.tree.node(id).depth as usize];
            for (at, cost) in costs.iter_mut().enumerate() {
                *cost = (*cost).min(from_home(index.region(id), self.direction, access, at));
            }
        }
    }

    /// Climbs from a region to its parent.
    fn rise(&mut self, index: &GeneralIndex, group: &AccessGroup, child: RegionId) -> RegionId {
        let link = index.tree.node(child);
        let (below, above) = (index.region(child), index.region(link.parent));
        let Some(branch) = above.branch() else { return link.parent };
        let (to_separator, from_separator) = tables(branch, self.direction);
        let width = above.members.len();
        let (upper, lower) = self.costs.split_at_mut(link.depth as usize);
        let (costs, lower) = (&mut upper[link.depth as usize - 1], &lower[0]);
        costs.clear();
        costs.resize(width + above.border.len(), UNREACHABLE);
        let (separator, border) = costs.split_at_mut(width);
        let child_border = lower.len() - below.border.len();
        for (&cost, &position) in lower[child_border..].iter().zip(below.in_parent.iter()) {
            let position = position as usize;
            if position >= width {
                border[position - width] = cost;
            } else if cost != UNREACHABLE {
                relax_row(separator, &to_separator[position * width..][..width], cost);
            }
        }
        for (at, cost) in border.iter_mut().enumerate() {
            let row = &from_separator[(width + at) * width..][..width];
            *cost = (*cost).min(least_sum(separator, row));
        }
        self.merge(index, group, link.parent);
        link.parent
    }

    /// The least cost to the border of a region.
    fn least_to_border(&self, index: &GeneralIndex, id: RegionId) -> Cost {
        let costs = &self.costs[index.tree.node(id).depth as usize];
        let border = costs.len() - index.region(id).border.len();
        costs[border..].iter().copied().min().unwrap_or(UNREACHABLE)
    }

    fn separator_costs(&self, index: &GeneralIndex, id: RegionId) -> &[Cost] {
        let costs = &self.costs[index.tree.node(id).depth as usize];
        &costs[..costs.len() - index.region(id).border.len()]
    }
}

/// The cost from an access node to a position in the boundary of its home.
fn from_home(region: &Region, direction: Direction, access: &AccessNode, at: usize) -> Cost {
    let slot = access.home.slot as usize;
    let cost = match (region.leaf(), region.branch()) {
        (Some(leaf), _) => leaf.reach.of(direction)[slot * region.border.len() + at],
        (_, Some(branch)) => {
            let width = region.members.len();
            let (to_separator, from_separator) = tables(branch, direction);
            match at < width {
                true => to_separator[slot * width + at],
                false => from_separator[at * width + slot],
            }
        }
        (None, None) => UNREACHABLE,
    };
    cost.saturating_add(access.cost)
}

/// Climbs from both endpoints and finds the best separator node to meet at, unless its path is not
/// shorter than `known`.
pub(crate) fn meet(
    index: &GeneralIndex,
    from: &mut Climber,
    to: &mut Climber,
    (from_group, to_group): (&AccessGroup, &AccessGroup),
    known: Cost,
) -> Option<MeetingNode> {
    let common =
        index.tree.common(from_group.deepest().home.region, to_group.deepest().home.region);
    for (climber, group) in [(&mut *from, from_group), (&mut *to, to_group)] {
        climber.start(index, group);
        let mut id = group.deepest().home.region;
        while id != common {
            id = climber.rise(index, group, id);
        }
    }
    let mut best: Option<MeetingNode> = None;
    let mut id = common;
    loop {
        let known = best.map_or(known, |best| best.cost);
        let (a, b) = (from.separator_costs(index, id), to.separator_costs(index, id));
        let cost = least_sum(a, b);
        if cost < known {
            let mut sums = a.iter().zip(b).map(|(&a, &b)| a.saturating_add(b));
            let position = sums.position(|sum| sum == cost)?;
            best = Some(MeetingNode { cost, region: id, position });
        }
        let known = known.min(cost);
        let beyond = from.least_to_border(index, id).saturating_add(to.least_to_border(index, id));
        // The other access nodes of a group may join at a higher region.
        let all_in = |group: &AccessGroup| {
            let depth = index.tree.node(id).depth;
            group.nodes().all(|access| index.tree.node(access.home.region).depth >= depth)
        };
        let settled = beyond >= known && all_in(from_group) && all_in(to_group);
        if settled || index.tree.node(id).parent == NO_REGION {
            return best;
        }
        from.rise(index, from_group, id);
        id = to.rise(index, to_group, id);
    }
}

/// A part of a path within a region, between two positions of its boundary.
#[derive(Debug, Clone, Copy)]
struct Segment {
    region: RegionId,
    from: usize,
    to: usize,
    cost: Cost,
}

impl Climber {
    /// Builds the half path from the endpoint to the meeting node.
    pub(crate) fn walk(
        &self,
        index: &GeneralIndex,
        (node, group): (NodeId, &AccessGroup),
        meeting: &MeetingNode,
        builder: &mut PathBuilder,
    ) -> Option<()> {
        let mut segments = Vec::new();
        let (access, first) = self.trace(index, group, meeting, &mut segments)?;
        builder.start(node);
        builder.enter_core(index, node, access);
        let home = index.regions.get(access.home.region as usize)?;
        let slot = access.home.slot as usize;
        match home.leaf() {
            Some(_) => builder.leave(index, home, slot, first)?,
            None => {
                let cost =
                    from_home(home, self.direction, access, first).checked_sub(access.cost)?;
                let segment = Segment { region: access.home.region, from: slot, to: first, cost };
                segments.push(segment);
            }
        }
        unpack(index, segments, builder)
    }

    /// Finds how the cost at the meeting was computed: the access node, the position in the
    /// boundary of its home to which the path goes first, and the segments from there on, the last
    /// one first.
    fn trace<'g>(
        &self,
        index: &GeneralIndex,
        group: &'g AccessGroup,
        meeting: &MeetingNode,
        segments: &mut Vec<Segment>,
    ) -> Option<(&'g AccessNode, usize)> {
        let home = group.deepest().home.region;
        let path: Vec<RegionId> =
            index.tree.ancestors(home).take_while(|&id| id != meeting.region).collect();
        let mut below = path.len();
        let (mut id, mut at) = (meeting.region, meeting.position);
        loop {
            let region = index.region(id);
            let costs = &self.costs[index.tree.node(id).depth as usize];
            let cost = *costs.get(at)?;
            let at_home = group.nodes().find(|access| {
                access.home.region == id && from_home(region, self.direction, access, at) == cost
            });
            if let Some(access) = at_home {
                return Some((access, at));
            }
            below = below.checked_sub(1)?;
            let child = path[below];
            let (child_region, child_costs) =
                (index.region(child), &self.costs[index.tree.node(child).depth as usize]);
            let child_border = child_costs.len() - child_region.border.len();
            let width = region.members.len();
            let (to_separator, from_separator) = tables(region.branch()?, self.direction);
            let homes =
                || (child_border..).zip(child_region.in_parent.iter().map(|&at| at as usize));
            if let Some((same, _)) =
                homes().find(|&(y, position)| position == at && child_costs[y] == cost)
            {
                (id, at) = (child, same);
                continue;
            }
            if at >= width {
                let row = &from_separator[at * width..][..width];
                let mut sums = costs[..width].iter().zip(row);
                let middle = sums.position(|(&a, &b)| a.saturating_add(b) == cost)?;
                segments.push(Segment { region: id, from: middle, to: at, cost: row[middle] });
                at = middle;
                below += 1;
                continue;
            }
            let through = |position: usize| to_separator[position * width + at];
            let leads = |&(y, position): &(usize, usize)| {
                position < width && child_costs[y].saturating_add(through(position)) == cost
            };
            let (y, position) = homes().find(leads)?;
            let segment = Segment { region: id, from: position, to: at, cost: through(position) };
            segments.push(segment);
            (id, at) = (child, y);
        }
    }
}

/// Unpacks segments, the last of the list first, into smaller and smaller ones.
fn unpack(
    index: &GeneralIndex,
    mut segments: Vec<Segment>,
    builder: &mut PathBuilder,
) -> Option<()> {
    // A path has at most as many segments as nodes, except empty ones from the climb. Each is split
    // at most once per level.
    let nodes = index.map.node_count();
    let most = nodes + segments.len();
    let mut left = 64 * (nodes + 1);
    while let Some(segment) = segments.pop() {
        left = left.checked_sub(1)?;
        if segments.len() > most || builder.nodes.len() > nodes {
            return None;
        }
        let Segment { region: id, from, to, cost } = segment;
        if from == to {
            continue;
        }
        let region = index.regions.get(id as usize)?;
        let (tail, head) = (boundary_node(region, from)?, boundary_node(region, to)?);
        if builder.along_edge(index, tail, head, cost).is_some() {
            continue;
        }
        if let Some((child, a, b)) = child_containing(index, &segment, builder.direction) {
            let below = index.region(child);
            match below.branch() {
                None => builder.cross(index, below, a, b)?,
                Some(_) => {
                    let width = below.members.len();
                    segments.push(Segment { region: child, from: width + a, to: width + b, cost });
                }
            }
            continue;
        }
        let (to_separator, from_separator) = tables(region.branch()?, builder.direction);
        let width = region.members.len();
        let (first, second) =
            (to_separator.get(from * width..)?, from_separator.get(to * width..)?);
        let splits = |&middle: &usize| {
            middle != from
                && middle != to
                && first[middle].saturating_add(second[middle]) == cost
                && first[middle] > 0
                && second[middle] > 0
        };
        let middle = (0..width).find(splits)?;
        segments.push(Segment { region: id, from: middle, to, cost: second[middle] });
        segments.push(Segment { region: id, from, to: middle, cost: first[middle] });
    }
    Some(())
}

/// The child within which a segment runs, and its positions in the border of the child.
fn child_containing(
    index: &GeneralIndex,
    segment: &Segment,
    direction: Direction,
) -> Option<(RegionId, usize, usize)> {
    index.tree.children(segment.region).find_map(|child| {
        let region = index.region(child);
        let position =
            |at: usize| region.in_parent.iter().position(|&in_parent| in_parent as usize == at);
        let (a, b) = (position(segment.from)?, position(segment.to)?);
        let (tail, head) = along_path(direction, a, b);
        (region.crossing_cost(tail, head) == segment.cost).then_some((child, a, b))
    })
}
