//! The climb: the same join without labels, from the tables of the regions alone.
//!
//! Each end of the path carries its costs to the border of a region, from its home upwards. At a
//! branch the costs to its separator follow from those to the child's border, and the costs to the
//! branch's own border from those. From the region that holds both ends on, every separator is a
//! place to meet. The climb stops as soon as no way over a border node can be shorter than what was
//! found.

use super::node_of_f;
use super::region::{Branch, Region, Way};
use crate::atlas::general::index::{End, GeneralIndex, Group};
use crate::atlas::general::path_cache::walk::Walker;
use crate::atlas::separator_tree::{NONE, RegionId};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::NodeId;
use crate::kernel::{least_sum, relax_row};

/// One end of the path on its way up.
pub(crate) struct Climber {
    way: Way,
    /// By depth: the costs to F of the region at that depth.
    costs: Vec<Vec<Cost>>,
}

/// Where the two ends met: a region and a place in its separator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting {
    pub(crate) cost: Cost,
    pub(crate) region: RegionId,
    pub(crate) place: usize,
}

/// The tables from a node of F to the separator, and from the separator to a node of F, on the way
/// of a climb.
fn tables(branch: &Branch, way: Way) -> (&[Cost], &[Cost]) {
    match way {
        Way::Out => (branch.via.way(Way::Out), branch.via.way(Way::Into)),
        Way::Into => (branch.via.way(Way::Into), branch.via.way(Way::Out)),
    }
}

impl Climber {
    pub(crate) fn new(way: Way) -> Self {
        Self { way, costs: Vec::new() }
    }

    /// The costs to F of the ends' home that lies deepest.
    fn start(&mut self, index: &GeneralIndex, group: &Group) {
        let home = group.deepest().place.home;
        self.costs
            .resize_with(self.costs.len().max(index.tree.link(home).depth as usize + 1), Vec::new);
        let region = index.region(home);
        let wide = region.branch().map_or(0, |_| region.members.len());
        let costs = &mut self.costs[index.tree.link(home).depth as usize];
        costs.clear();
        costs.resize(wide + region.border.len(), UNREACHABLE);
        self.merge(index, group, home);
    }

    /// Lets in the ends that are at home in this region.
    fn merge(&mut self, index: &GeneralIndex, group: &Group, id: RegionId) {
        for end in group.ends().filter(|end| end.place.home == id) {
            let costs = &mut self.costs[index.tree.link(id).depth as usize];
            for (at, cost) in costs.iter_mut().enumerate() {
                *cost = (*cost).min(from_home(index.region(id), self.way, end, at));
            }
        }
    }

    /// One level up, from a region to its parent.
    fn rise(&mut self, index: &GeneralIndex, group: &Group, child: RegionId) -> RegionId {
        let link = index.tree.link(child);
        let (below, above) = (index.region(child), index.region(link.parent));
        let Some(branch) = above.branch() else { return link.parent };
        let (to_separator, from_separator) = tables(branch, self.way);
        let wide = above.members.len();
        let (upper, lower) = self.costs.split_at_mut(link.depth as usize);
        let (costs, lower) = (&mut upper[link.depth as usize - 1], &lower[0]);
        costs.clear();
        costs.resize(wide + above.border.len(), UNREACHABLE);
        let (separator, border) = costs.split_at_mut(wide);
        let child_border = lower.len() - below.border.len();
        for (&cost, &place) in lower[child_border..].iter().zip(below.lift.iter()) {
            let place = place as usize;
            if place >= wide {
                border[place - wide] = cost;
            } else if cost != UNREACHABLE {
                relax_row(separator, &to_separator[place * wide..][..wide], cost);
            }
        }
        for (at, cost) in border.iter_mut().enumerate() {
            let row = &from_separator[(wide + at) * wide..][..wide];
            *cost = (*cost).min(least_sum(separator, row));
        }
        self.merge(index, group, link.parent);
        link.parent
    }

    /// The least cost to the border of a region.
    fn least_to_border(&self, index: &GeneralIndex, id: RegionId) -> Cost {
        let costs = &self.costs[index.tree.link(id).depth as usize];
        let border = costs.len() - index.region(id).border.len();
        costs[border..].iter().copied().min().unwrap_or(UNREACHABLE)
    }

    fn separator_costs(&self, index: &GeneralIndex, id: RegionId) -> &[Cost] {
        let costs = &self.costs[index.tree.link(id).depth as usize];
        &costs[..costs.len() - index.region(id).border.len()]
    }
}

/// The cost from an end to a place in F of its home.
fn from_home(region: &Region, way: Way, end: &End, at: usize) -> Cost {
    let slot = end.place.slot as usize;
    let cost = match (region.leaf(), region.branch()) {
        (Some(leaf), _) => leaf.reach.way(way)[slot * region.border.len() + at],
        (_, Some(branch)) => {
            let wide = region.members.len();
            let (to_separator, from_separator) = tables(branch, way);
            match at < wide {
                true => to_separator[slot * wide + at],
                false => from_separator[at * wide + slot],
            }
        }
        (None, None) => UNREACHABLE,
    };
    cost.saturating_add(end.cost)
}

/// Climbs from both sides and finds the best separator node to meet at, unless a way of cost
/// `known` is as good.
pub(crate) fn meet(
    index: &GeneralIndex,
    from: &mut Climber,
    to: &mut Climber,
    (from_group, to_group): (&Group, &Group),
    known: Cost,
) -> Option<Meeting> {
    let common = index.tree.common(from_group.deepest().place.home, to_group.deepest().place.home);
    for (climber, group) in [(&mut *from, from_group), (&mut *to, to_group)] {
        climber.start(index, group);
        let mut id = group.deepest().place.home;
        while id != common {
            id = climber.rise(index, group, id);
        }
    }
    let mut best: Option<Meeting> = None;
    let mut id = common;
    loop {
        let known = best.map_or(known, |best| best.cost);
        let (a, b) = (from.separator_costs(index, id), to.separator_costs(index, id));
        let cost = least_sum(a, b);
        if cost < known {
            let mut sums = a.iter().zip(b).map(|(&a, &b)| a.saturating_add(b));
            let place = sums.position(|sum| sum == cost)?;
            best = Some(Meeting { cost, region: id, place });
        }
        let known = known.min(cost);
        let beyond = from.least_to_border(index, id).saturating_add(to.least_to_border(index, id));
        // Ends of the same group may still come in above.
        let all_in = |group: &Group| {
            let depth = index.tree.link(id).depth;
            group.ends().all(|end| index.tree.link(end.place.home).depth >= depth)
        };
        let settled = beyond >= known && all_in(from_group) && all_in(to_group);
        if settled || index.tree.link(id).parent == NONE {
            return best;
        }
        from.rise(index, from_group, id);
        id = to.rise(index, to_group, id);
    }
}

/// A stretch of a path within a region, between two places in its F.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    region: RegionId,
    from: usize,
    to: usize,
    cost: Cost,
}

impl Climber {
    /// Walks from the end of the path to the place where it met the other one.
    pub(crate) fn walk(
        &self,
        index: &GeneralIndex,
        (node, group): (NodeId, &Group),
        meeting: &Meeting,
        walker: &mut Walker,
    ) -> Option<()> {
        let mut stretches = Vec::new();
        let (end, first) = self.trace(index, group, meeting, &mut stretches)?;
        walker.start(node);
        walker.enter_core(index, node, end);
        let home = index.regions.get(end.place.home as usize)?;
        let slot = end.place.slot as usize;
        match home.leaf() {
            Some(_) => walker.leave(index, home, slot, first)?,
            None => {
                let cost = from_home(home, self.way, end, first).checked_sub(end.cost)?;
                let stretch = Stretch { region: end.place.home, from: slot, to: first, cost };
                stretches.push(stretch);
            }
        }
        unpack(index, stretches, walker)
    }

    /// How the cost at the meeting came about: the end it started from, the place in F of the end's
    /// home that it went to first, and the stretches from there on, the last first.
    fn trace<'g>(
        &self,
        index: &GeneralIndex,
        group: &'g Group,
        meeting: &Meeting,
        stretches: &mut Vec<Stretch>,
    ) -> Option<(&'g End, usize)> {
        let home = group.deepest().place.home;
        let path: Vec<RegionId> =
            index.tree.up_from(home).take_while(|&id| id != meeting.region).collect();
        let mut below = path.len();
        let (mut id, mut at) = (meeting.region, meeting.place);
        loop {
            let region = index.region(id);
            let costs = &self.costs[index.tree.link(id).depth as usize];
            let cost = *costs.get(at)?;
            let at_home = group
                .ends()
                .find(|end| end.place.home == id && from_home(region, self.way, end, at) == cost);
            if let Some(end) = at_home {
                return Some((end, at));
            }
            below = below.checked_sub(1)?;
            let child = path[below];
            let (child_region, child_costs) =
                (index.region(child), &self.costs[index.tree.link(child).depth as usize]);
            let child_border = child_costs.len() - child_region.border.len();
            let wide = region.members.len();
            let (to_separator, from_separator) = tables(region.branch()?, self.way);
            let places = || (child_border..).zip(child_region.lift.iter().map(|&at| at as usize));
            if let Some((same, _)) =
                places().find(|&(y, place)| place == at && child_costs[y] == cost)
            {
                (id, at) = (child, same);
                continue;
            }
            if at >= wide {
                let row = &from_separator[at * wide..][..wide];
                let mut sums = costs[..wide].iter().zip(row);
                let middle = sums.position(|(&a, &b)| a.saturating_add(b) == cost)?;
                stretches.push(Stretch { region: id, from: middle, to: at, cost: row[middle] });
                at = middle;
                below += 1;
                continue;
            }
            let through = |place: usize| to_separator[place * wide + at];
            let leads = |&(y, place): &(usize, usize)| {
                place < wide && child_costs[y].saturating_add(through(place)) == cost
            };
            let (y, place) = places().find(leads)?;
            let stretch = Stretch { region: id, from: place, to: at, cost: through(place) };
            stretches.push(stretch);
            (id, at) = (child, y);
        }
    }
}

/// Walks stretches, the last of the list first, each by smaller and smaller ones.
fn unpack(index: &GeneralIndex, mut stretches: Vec<Stretch>, walker: &mut Walker) -> Option<()> {
    // A path has no more stretches than nodes, save empty ones that the climb left, and each is
    // looked at once per level at most.
    let nodes = index.map.node_count();
    let most = nodes + stretches.len();
    let mut left = 64 * (nodes + 1);
    while let Some(stretch) = stretches.pop() {
        left = left.checked_sub(1)?;
        if stretches.len() > most || walker.path.len() > nodes {
            return None;
        }
        let Stretch { region: id, from, to, cost } = stretch;
        if from == to {
            continue;
        }
        let region = index.regions.get(id as usize)?;
        let (tail, head) = (node_of_f(region, from)?, node_of_f(region, to)?);
        if walker.along_edge(index, tail, head, cost).is_some() {
            continue;
        }
        if let Some((child, a, b)) = child_with(index, &stretch, walker.way) {
            let below = index.region(child);
            match below.branch() {
                None => walker.cross(index, below, a, b)?,
                Some(_) => {
                    let wide = below.members.len();
                    stretches.push(Stretch { region: child, from: wide + a, to: wide + b, cost });
                }
            }
            continue;
        }
        let (to_separator, from_separator) = tables(region.branch()?, walker.way);
        let wide = region.members.len();
        let (first, second) = (to_separator.get(from * wide..)?, from_separator.get(to * wide..)?);
        let splits = |&middle: &usize| {
            middle != from
                && middle != to
                && first[middle].saturating_add(second[middle]) == cost
                && first[middle] > 0
                && second[middle] > 0
        };
        let middle = (0..wide).find(splits)?;
        stretches.push(Stretch { region: id, from: middle, to, cost: second[middle] });
        stretches.push(Stretch { region: id, from, to: middle, cost: first[middle] });
    }
    Some(())
}

/// The child within which a stretch runs, with its places in the child's border.
fn child_with(
    index: &GeneralIndex,
    stretch: &Stretch,
    way: Way,
) -> Option<(RegionId, usize, usize)> {
    index.tree.children(stretch.region).find_map(|child| {
        let region = index.region(child);
        let place = |at: usize| region.lift.iter().position(|&lift| lift as usize == at);
        let (a, b) = (place(stretch.from)?, place(stretch.to)?);
        let cost = match way {
            Way::Out => region.crossing(a, b),
            Way::Into => region.crossing(b, a),
        };
        (cost == stretch.cost).then_some((child, a, b))
    })
}
