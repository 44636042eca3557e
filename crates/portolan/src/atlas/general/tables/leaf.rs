//! The tables of a leaf: for each border node and direction the costs and steps of all members.
//!
//! Costs come from elimination (`elimination.rs`), in very large leaves from a Dijkstra search for
//! each border node. A step leads along any edge on a cheapest path. All weights are positive, so
//! the cost decreases with each step and following the steps ends.

use super::dissected::Dissected;
use super::elimination::{Elimination, MOST_MEMBERS, elimination_order};
use super::region::{BORDER, Leaf, Region, RegionTables};
use crate::atlas::general::direction::{PerDirection, opposite, visit_edges};
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Direction, Graph, NodeId};
use crate::kernel::{mark_sums, relax_row};
use crate::search::queue::{Entry, Queue};
use crate::store::{Array, Words};

/// The border of a leaf: the neighbours of its members in separators above.
pub(crate) fn border<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: &[NodeId],
) -> Vec<NodeId> {
    let mut border = Vec::new();
    dissected.collect_higher_neighbours(id, members, &mut border);
    dissected.sort_border(&mut border);
    border
}

/// Builds the leaf with these members and this border. The parent sets `in_parent`.
pub(crate) fn build<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
) -> Region {
    let undirected = dissected.undirected();
    let edges = PerDirection::make(undirected, |direction| {
        LeafEdges::new(dissected, id, &members, &border, direction)
    });
    let elimination =
        (members.len() <= MOST_MEMBERS).then(|| Elimination::new(&edges, members.len()));
    let found = PerDirection::make(undirected, |direction| {
        let costs = BorderCosts::new(
            &edges,
            elimination.as_ref(),
            direction,
            (members.len(), border.len()),
        );
        (costs.reach(), costs.steps(&edges, direction), costs.crossings(&edges, direction))
    });
    let (reach, steps, (crossings, enter)) = found.forward;
    let backward = found.backward.map(|(reach, steps, (_, enter))| (reach, steps, enter));
    let (backward_reach, (backward_steps, backward_enter)) = match backward {
        Some((reach, steps, enter)) => (Some(reach), (Some(steps), Some(enter))),
        None => (None, (None, None)),
    };
    Region {
        crossings,
        tables: RegionTables::Leaf(Leaf {
            reach: PerDirection { forward: reach, backward: backward_reach },
            steps: PerDirection { forward: steps, backward: backward_steps },
            enter: PerDirection { forward: enter, backward: backward_enter },
        }),
        members,
        border,
        in_parent: Words::default(),
    }
}

/// The slots of the members in an order that makes [`build`] fast.
pub(crate) fn slot_order<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: &[NodeId],
) -> Vec<usize> {
    let edges = LeafEdges::new(dissected, id, members, &[], Direction::Forward);
    elimination_order(&edges, members.len())
}

/// The edges of a leaf against the direction of the paths: by head for forward paths.
pub(super) struct LeafEdges {
    /// First edge of each member, followed by the first edge of each border node.
    first: Vec<u32>,
    /// The member at the other end, and the weight.
    ends: Vec<(u16, Cost)>,
}

impl LeafEdges {
    fn new<G: Graph>(
        dissected: &Dissected<'_, G>,
        id: RegionId,
        members: &[NodeId],
        border: &[NodeId],
        direction: Direction,
    ) -> Self {
        let mut edges = Self { first: vec![0], ends: Vec::new() };
        for &node in members.iter().chain(border) {
            let add = |other: NodeId, weight: Cost| {
                let home = dissected.homes.of(other);
                if home.region == id {
                    edges.ends.push((home.slot as u16, weight));
                }
            };
            visit_edges(dissected.graph, opposite(direction), node, add);
            edges.first.push(edges.ends.len() as u32);
        }
        edges
    }

    pub(super) fn of(&self, node: usize) -> &[(u16, Cost)] {
        &self.ends[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// The costs between the members and the border of a leaf, in one direction.
struct BorderCosts {
    members: usize,
    border: usize,
    /// The length of a row, a multiple of eight.
    stride: usize,
    /// Members x stride: the weight of the edge between a member and a border node.
    direct: Vec<Cost>,
    /// Members x stride: the cost of the cheapest path.
    costs: Vec<Cost>,
}

impl BorderCosts {
    fn new(
        edges: &PerDirection<LeafEdges>,
        elimination: Option<&Elimination>,
        direction: Direction,
        (members, border): (usize, usize),
    ) -> Self {
        let stride = border.next_multiple_of(8);
        let mut direct = vec![UNREACHABLE; members * stride];
        for to in 0..border {
            for &(member, weight) in edges.of(direction).of(members + to) {
                let cost = &mut direct[usize::from(member) * stride + to];
                *cost = weight.min(*cost);
            }
        }
        let mut found = Self { members, border, stride, costs: direct.clone(), direct };
        match elimination {
            Some(elimination) => elimination.close(&mut found.costs, stride, direction),
            None => found.search(edges.of(direction)),
        }
        found
    }

    /// Finds the costs by a search from each border node.
    fn search(&mut self, edges: &LeafEdges) {
        let mut queue = Queue::default();
        let mut costs = vec![UNREACHABLE; self.members];
        for start in 0..self.border {
            costs.fill(UNREACHABLE);
            search(edges, self.members + start, &mut costs, &mut queue);
            let rows = self.costs.chunks_exact_mut(self.stride);
            rows.zip(&costs).for_each(|(row, &cost)| row[start] = cost);
        }
    }

    fn row(&self, member: u16) -> &[Cost] {
        &self.costs[usize::from(member) * self.stride..][..self.stride]
    }

    /// The costs by member: one row of border nodes each.
    fn reach(&self) -> Words {
        let mut reach = Vec::with_capacity(self.members * self.border);
        (0..self.members).for_each(|at| reach.extend(&self.row(at as u16)[..self.border]));
        reach.into()
    }

    /// The next members by border node: the border node itself rather than a member, and the first
    /// of several members.
    fn steps(&self, edges: &PerDirection<LeafEdges>, direction: Direction) -> Array<u16> {
        let mut steps = vec![BORDER; self.border * self.members];
        let mut next = vec![BORDER; self.stride];
        for member in 0..self.members {
            let row = self.row(member as u16);
            for &(other, weight) in edges.against(direction).of(member).iter().rev() {
                mark_sums(&mut next, row, self.row(other), weight, other);
            }
            let direct = &self.direct[member * self.stride..][..self.border];
            for (to, (&cost, &weight)) in row.iter().zip(direct).enumerate() {
                // True without a path as well.
                if cost != weight {
                    steps[to * self.members + member] = next[to];
                }
            }
        }
        steps.into()
    }

    /// The cost from each border node to each other one through the leaf, and the member next to
    /// the first one; if `Backward`, the cost from the second to the first.
    fn crossings(
        &self,
        edges: &PerDirection<LeafEdges>,
        direction: Direction,
    ) -> (Words, Array<u16>) {
        let size = self.border * self.border;
        let (mut crossings, mut enter) = (Vec::with_capacity(size), Vec::with_capacity(size));
        let (mut costs, mut next) = (vec![0; self.stride], vec![0; self.stride]);
        for from in 0..self.border {
            costs.fill(UNREACHABLE);
            let leaving = edges.against(direction).of(self.members + from);
            for &(member, weight) in leaving {
                relax_row(&mut costs, self.row(member), weight);
            }
            for &(member, weight) in leaving.iter().rev() {
                mark_sums(&mut next, &costs, self.row(member), weight, member);
            }
            let next = next.iter().zip(&costs).take(self.border);
            enter
                .extend(next.map(|(&next, &cost)| if cost == UNREACHABLE { BORDER } else { next }));
            costs[from] = 0;
            crossings.extend_from_slice(&costs[..self.border]);
        }
        (crossings.into(), enter.into())
    }
}

/// Finds the costs of all members to a border node, or from it.
fn search(edges: &LeafEdges, start: usize, costs: &mut [Cost], queue: &mut Queue) {
    queue.clear();
    let relax = |from: usize, cost: Cost, queue: &mut Queue, costs: &mut [Cost]| {
        for &(member, weight) in edges.of(from) {
            let Some(cost) = plus(cost, weight) else { continue };
            if cost < costs[usize::from(member)] {
                costs[usize::from(member)] = cost;
                queue.push(Entry { bound: cost, cost, node: NodeId::from(member) });
            }
        }
    };
    relax(start, 0, queue, costs);
    while let Some(Entry { cost, node, .. }) = queue.pop() {
        if cost == costs[node as usize] {
            relax(node as usize, cost, queue, costs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A leaf with random one-way edges. The last nodes are the border.
    fn random_edges(random: &mut Random, members: usize, border: usize) -> PerDirection<LeafEdges> {
        let nodes = members + border;
        let (mut by_tail, mut by_head) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for _ in 0..random.below(4 * nodes as u64) {
            let [tail, head] = [(); 2].map(|()| random.below(nodes as u64) as usize);
            let weight =
                [1 + random.below(9) as Cost, UNREACHABLE - 1][(random.below(8) == 0) as usize];
            if tail != head && head < members {
                by_tail[tail].push((head as u16, weight));
            }
            if tail != head && tail < members {
                by_head[head].push((tail as u16, weight));
            }
        }
        let edges = |lists: Vec<Vec<(u16, Cost)>>| {
            let mut edges = LeafEdges { first: vec![0], ends: Vec::new() };
            for list in lists {
                edges.ends.extend(list);
                edges.first.push(edges.ends.len() as u32);
            }
            edges
        };
        PerDirection { forward: edges(by_head), backward: Some(edges(by_tail)) }
    }

    #[test]
    fn elimination_and_searches_find_the_same_costs() {
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let sizes = (1 + random.below(40) as usize, random.below(20) as usize);
            let edges = random_edges(&mut random, sizes.0, sizes.1);
            let elimination = Elimination::new(&edges, sizes.0);
            for direction in [Direction::Forward, Direction::Backward] {
                let eliminated = BorderCosts::new(&edges, Some(&elimination), direction, sizes);
                let searched = BorderCosts::new(&edges, None, direction, sizes);
                assert!(eliminated.reach() == searched.reach(), "seed {seed}");
            }
            let mut order = elimination_order(&edges.forward, sizes.0);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..sizes.0), "seed {seed}");
        }
    }
}
