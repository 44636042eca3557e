//! The tables of a leaf: from every border node one Dijkstra search over the leaf's own nodes, each
//! way.
//!
//! A search that starts at a border node and runs against the edges finds the costs *to* it and
//! leaves a tree of next steps. All weights are positive, so steps come nearer and following them
//! ends.

use super::frame::Frame;
use super::region::{BORDER, Both, Leaf, Region, Tables, Way};
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::{Graph, NodeId};
use crate::search::queue::{Entry, Queue};
use crate::store::Words;

/// B of a leaf: what its members border on.
pub(crate) fn border<G: Graph>(
    frame: &Frame<'_, G>,
    id: RegionId,
    members: &[NodeId],
) -> Vec<NodeId> {
    let mut border = Vec::new();
    frame.above(id, members, &mut border);
    frame.arrange(&mut border);
    border
}

/// The leaf of these members and this border; its `lift` is left to the parent.
pub(crate) fn build<G: Graph>(
    frame: &Frame<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
) -> Region {
    let edges = Both::make(frame.undirected(), |way| Edges::new(frame, id, &members, &border, way));
    let searched = Both::make(frame.undirected(), |way| Searched::new(&edges, way, members.len()));
    let crossed =
        Both::make(frame.undirected(), |way| crossings(&edges, &searched, way, members.len()));
    let reach = Both {
        out: searched.out.by_member(members.len()),
        into: searched.into.as_ref().map(|into| into.by_member(members.len())),
    };
    Region {
        cross: crossed.out.0.into(),
        tables: Tables::Leaf(Leaf {
            reach,
            steps: Both {
                out: searched.out.steps.into(),
                into: searched.into.map(|into| into.steps.into()),
            },
            enter: Both {
                out: crossed.out.1.into(),
                into: crossed.into.map(|(_, enter)| enter.into()),
            },
        }),
        members,
        border,
        lift: Words::default(),
    }
}

/// The edges of a leaf that are followed against the way of a search's paths: for paths that lead
/// out, by head.
struct Edges {
    /// Where the edges of each member, and behind them of each border node, begin.
    first: Vec<u32>,
    /// The member at the other end and the weight.
    ends: Vec<(u16, Cost)>,
}

impl Edges {
    fn new<G: Graph>(
        frame: &Frame<'_, G>,
        id: RegionId,
        members: &[NodeId],
        border: &[NodeId],
        way: Way,
    ) -> Self {
        let mut edges = Self { first: vec![0], ends: Vec::new() };
        for &node in members.iter().chain(border) {
            let mut add = |other: NodeId, weight: Cost| {
                let place = frame.places.of(other);
                if place.home == id {
                    edges.ends.push((place.slot as u16, weight));
                }
            };
            match way {
                Way::Out => frame.graph.in_edges(node, &mut add),
                Way::Into => frame.graph.out_edges(node, &mut add),
            }
            edges.first.push(edges.ends.len() as u32);
        }
        edges
    }

    fn of(&self, node: usize) -> &[(u16, Cost)] {
        &self.ends[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// What the searches from all border nodes found, one after the other.
struct Searched {
    costs: Vec<Cost>,
    steps: Vec<u16>,
}

impl Searched {
    fn new(edges: &Both<Edges>, way: Way, members: usize) -> Self {
        let edges = edges.way(way);
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

    /// The costs with all border nodes of a member side by side.
    fn by_member(&self, members: usize) -> Words {
        let border = self.costs.len().checked_div(members).unwrap_or(0);
        let cost = |member: usize| (0..border).map(move |b| self.costs[b * members + member]);
        (0..members).flat_map(cost).collect()
    }
}

fn search(edges: &Edges, start: usize, costs: &mut [Cost], steps: &mut [u16], queue: &mut Queue) {
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

/// The costs from each border node to each other within the leaf and the members next to the first;
/// for the way into, the costs from the second to the first.
fn crossings(
    edges: &Both<Edges>,
    searched: &Both<Searched>,
    way: Way,
    members: usize,
) -> (Vec<Cost>, Vec<u16>) {
    // The edges that leave a border node are those by which paths come to it on the other way.
    let leaving = match way {
        Way::Out => edges.way(Way::Into),
        Way::Into => edges.way(Way::Out),
    };
    let costs = &searched.way(way).costs;
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
