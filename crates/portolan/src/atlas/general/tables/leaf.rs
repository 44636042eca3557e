//! The tables of a leaf: for each border node and direction a Dijkstra search over the members.
//!
//! A search from a border node against the edges finds the costs *to* it and a tree of next
//! members. All weights are positive, so the cost decreases with each step and following the steps
//! ends.

use super::dissected::Dissected;
use super::region::{BORDER, Leaf, Region, RegionTables};
use crate::atlas::general::direction::{PerDirection, opposite, visit_edges};
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Direction, Graph, NodeId};
use crate::search::queue::{Entry, Queue};
use crate::store::Words;

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
    let edges = PerDirection::make(dissected.undirected(), |direction| {
        LeafEdges::new(dissected, id, &members, &border, direction)
    });
    let searched = PerDirection::make(dissected.undirected(), |direction| {
        BorderSearches::new(&edges, direction, members.len())
    });
    let crossed = PerDirection::make(dissected.undirected(), |direction| {
        crossings(&edges, &searched, direction, members.len())
    });
    let reach = PerDirection {
        forward: searched.forward.by_member(members.len()),
        backward: searched.backward.as_ref().map(|backward| backward.by_member(members.len())),
    };
    Region {
        crossings: crossed.forward.0.into(),
        tables: RegionTables::Leaf(Leaf {
            reach,
            steps: PerDirection {
                forward: searched.forward.steps.into(),
                backward: searched.backward.map(|backward| backward.steps.into()),
            },
            enter: PerDirection {
                forward: crossed.forward.1.into(),
                backward: crossed.backward.map(|(_, enter)| enter.into()),
            },
        }),
        members,
        border,
        in_parent: Words::default(),
    }
}

/// The edges of a leaf against the direction of the paths: by head for forward paths.
struct LeafEdges {
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

    fn of(&self, node: usize) -> &[(u16, Cost)] {
        &self.ends[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// The results of the searches from all border nodes, one after the other.
struct BorderSearches {
    costs: Vec<Cost>,
    steps: Vec<u16>,
}

impl BorderSearches {
    fn new(edges: &PerDirection<LeafEdges>, direction: Direction, members: usize) -> Self {
        let edges = edges.of(direction);
        let border = edges.first.len() - 1 - members;
        let mut found = Self {
            costs: vec![UNREACHABLE; border * members],
            steps: vec![BORDER; border * members],
        };
        let mut queue = Queue::default();
        for start in 0..border {
            let range = start * members..(start + 1) * members;
            let (costs, steps) = (&mut found.costs[range.clone()], &mut found.steps[range]);
            search(edges, members + start, costs, steps, &mut queue);
        }
        found
    }

    /// The costs by member: one row of border nodes each.
    fn by_member(&self, members: usize) -> Words {
        let border = self.costs.len().checked_div(members).unwrap_or(0);
        let cost = |member: usize| (0..border).map(move |b| self.costs[b * members + member]);
        (0..members).flat_map(cost).collect()
    }
}

fn search(
    edges: &LeafEdges,
    start: usize,
    costs: &mut [Cost],
    steps: &mut [u16],
    queue: &mut Queue,
) {
    queue.clear();
    let mut relax = |from: usize, cost: Cost, queue: &mut Queue, costs: &mut [Cost]| {
        for &(member, weight) in edges.of(from) {
            let Some(cost) = plus(cost, weight) else { continue };
            if cost < costs[usize::from(member)] {
                costs[usize::from(member)] = cost;
                steps[usize::from(member)] = if from == start { BORDER } else { from as u16 };
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

/// The cost from each border node to each other one through the leaf, and the member next to the
/// first one; if `Backward`, the cost from the second to the first.
fn crossings(
    edges: &PerDirection<LeafEdges>,
    searched: &PerDirection<BorderSearches>,
    direction: Direction,
    members: usize,
) -> (Vec<Cost>, Vec<u16>) {
    // Edges are stored against the direction of the paths, so the edges that leave a border node
    // are stored under the opposite direction.
    let leaving = edges.against(direction);
    let costs = &searched.of(direction).costs;
    let border = leaving.first.len() - 1 - members;
    let mut cross = vec![UNREACHABLE; border * border];
    let mut enter = vec![BORDER; border * border];
    for from in 0..border {
        for &(member, weight) in leaving.of(members + from) {
            for to in 0..border {
                let rest = costs[to * members + usize::from(member)];
                let at = from * border + to;
                if let Some(cost) = plus(rest, weight).filter(|&cost| cost < cross[at]) {
                    (cross[at], enter[at]) = (cost, member);
                }
            }
        }
        cross[from * border + from] = 0;
    }
    (cross, enter)
}
