//! Cores of drawn and random graphs, compared with Dijkstra's algorithm on the whole graph.

use std::collections::BTreeSet;

use super::access::Access;
use super::random_graphs::random_graph;
use super::reduced::Arrays;
use super::*;
use crate::cost::{Cost, UNREACHABLE};
use crate::generate::{Caves, Mazes};
use crate::graph::{CsrGraph, Graph, GraphBuilder, NodeId};
use crate::grid::{Connectivity, Grid};
use crate::random::Random;
use crate::store::Words;

const FAR: u64 = u64::MAX;

/// Shortest costs from a node and the previous node on each path, for any weights.
fn dijkstra<G: Graph>(
    graph: &G,
    from: NodeId,
    weigh: impl Fn(Cost) -> u64,
) -> (Vec<u64>, Vec<NodeId>) {
    let mut least = vec![FAR; graph.node_count()];
    let mut before = vec![NodeId::MAX; graph.node_count()];
    let mut open = BTreeSet::from([(0, from)]);
    least[from as usize] = 0;
    while let Some((cost, tail)) = open.pop_first() {
        graph.out_edges(tail, |head, weight| {
            let (new, old) = (cost + weigh(weight), least[head as usize]);
            if new < old {
                open.remove(&(old, head));
                open.insert((new, head));
                least[head as usize] = new;
                before[head as usize] = tail;
            }
        });
    }
    (least, before)
}

/// A graph, its core, and all shortest paths in the core.
struct Comparison<'a, G> {
    graph: &'a G,
    scale: Scale,
    core: ReducedGraph,
    /// By source; empty for nodes outside the core.
    between: Vec<(Vec<u64>, Vec<NodeId>)>,
}

impl<'a, G: Graph> Comparison<'a, G> {
    fn new(graph: &'a G, keep: impl Fn(NodeId) -> bool) -> Self {
        let scale = Scale::of(graph);
        let core = ReducedGraph::new(graph, scale, keep);
        let nodes = 0..graph.node_count() as NodeId;
        let from = |node| match core.contains(node) {
            true => dijkstra(&core, node, u64::from),
            false => Default::default(),
        };
        let between = nodes.map(from).collect();
        Self { graph, scale, core, between }
    }

    /// The least scaled cost and its path.
    fn answer(&self, from: NodeId, to: NodeId) -> Option<(u64, Vec<NodeId>)> {
        let mut best = (FAR, None);
        for (left, out) in self.core.accesses(from).iter().enumerate() {
            for (right, into) in self.core.accesses(to).iter().enumerate() {
                let middle = self.between[out.core as usize].0[into.core as usize];
                if [out.to_core, into.from_core].contains(&UNREACHABLE) || middle == FAR {
                    continue;
                }
                let cost = u64::from(out.to_core) + middle + u64::from(into.from_core);
                if cost < best.0 {
                    best = (cost, Some((left, right)));
                }
            }
        }
        let mut path = vec![from];
        match (self.core.local_cost(from, to), best) {
            (Some(cost), (least, _)) if u64::from(cost) <= least => {
                self.core.local_path(from, to, &mut path);
                Some((cost.into(), path))
            }
            (_, (_, None)) => None,
            (_, (cost, Some((left, right)))) => {
                self.core.path_to_core(from, left, &mut path);
                let end = self.core.accesses(to)[right].core;
                self.core_path(*path.last().unwrap(), end, &mut path);
                self.core.path_from_core(to, right, &mut path);
                Some((cost, path))
            }
        }
    }

    fn core_path(&self, from: NodeId, to: NodeId, path: &mut Vec<NodeId>) {
        let before = &self.between[from as usize].1;
        let mut hops = vec![to];
        while *hops.last().unwrap() != from {
            hops.push(before[*hops.last().unwrap() as usize]);
        }
        for hop in hops.iter().rev().collect::<Vec<_>>().windows(2) {
            self.core.nodes_between(*hop[0], *hop[1], path);
            path.push(*hop[1]);
        }
    }

    /// The cost of a path by the cheapest edge of each step.
    fn walk(&self, path: &[NodeId]) -> Option<u64> {
        path.windows(2).try_fold(0, |sum, step| {
            let mut least = None;
            self.graph.out_edges(step[0], |head, weight| {
                if head == step[1] && least.is_none_or(|least| weight < least) {
                    least = Some(weight);
                }
            });
            Some(sum + u64::from(least?))
        })
    }

    fn check_pair(&self, from: NodeId, to: NodeId, cost: u64, scaled: u64) {
        let answer = self.answer(from, to).filter(|answer| answer.0 < u64::from(UNREACHABLE));
        let Some((found, path)) = answer else {
            assert!(scaled >= u64::from(UNREACHABLE), "{from} -> {to} costs {cost}, not nothing");
            return;
        };
        assert_eq!(found, scaled, "{from} -> {to}, scaled");
        assert_eq!(u64::from(self.scale.cost(found as Cost)), cost, "{from} -> {to}");
        assert_eq!((path[0], *path.last().unwrap()), (from, to), "{path:?}");
        assert_eq!(self.walk(&path), Some(cost), "{from} -> {to}: {path:?}");
    }

    fn check_rows(&self) {
        let (mut out, mut into) = (Vec::new(), Vec::new());
        for node in 0..self.graph.node_count() as NodeId {
            let mut row = Vec::new();
            self.core.out_edges(node, |head, weight| row.push((head, weight)));
            assert!(row.is_sorted_by(|a, b| a.0 < b.0), "{node}: {row:?}");
            out.extend(row.iter().map(|&(head, weight)| (node, head, weight)));
            row.clear();
            self.core.in_edges(node, |tail, weight| row.push((tail, weight)));
            assert!(row.is_sorted_by(|a, b| a.0 < b.0), "{node}: {row:?}");
            into.extend(row.iter().map(|&(tail, weight)| (tail, node, weight)));
        }
        into.sort_unstable();
        assert_eq!(out, into);
        let is_core = |node| self.core.contains(node);
        assert!(out.iter().all(|&(tail, head, _)| tail != head && is_core(tail) && is_core(head)));
        assert!(out.iter().all(|&(_, _, weight)| weight > 0));
    }
}

/// Checks all pairs with at most this number of sources and returns the core.
fn check_some<G: Graph>(graph: &G, keep: impl Fn(NodeId) -> bool, sources: usize) -> ReducedGraph {
    let comparison = Comparison::new(graph, &keep);
    let nodes = graph.node_count() as NodeId;
    comparison.check_rows();
    for node in 0..nodes {
        let usable = graph.contains(node);
        assert!(!keep(node) || comparison.core.contains(node) == usable, "{node} is to be kept");
        assert_eq!(comparison.core.accesses(node).is_empty(), !usable, "{node}");
        assert_eq!(comparison.core.local_cost(node, node), usable.then_some(0), "{node}");
    }
    for from in (0..nodes).step_by((nodes as usize).div_ceil(sources).max(1)) {
        if !graph.contains(from) {
            continue;
        }
        let (costs, _) = dijkstra(graph, from, u64::from);
        let zero = |weight: Cost| u64::from(weight == 0);
        let factor = u64::from(comparison.scale.scaled(1));
        let (scaled, _) = dijkstra(graph, from, |weight| u64::from(weight) * factor + zero(weight));
        for to in (0..nodes).filter(|&to| graph.contains(to)) {
            comparison.check_pair(from, to, costs[to as usize], scaled[to as usize]);
        }
    }
    let arrays = comparison.core.arrays().clone();
    let again = ReducedGraph::from_arrays(nodes as usize, arrays).expect("the arrays are valid");
    assert_eq!(again.arrays(), ReducedGraph::new(graph, comparison.scale, keep).arrays());
    comparison.core
}

fn check<G: Graph>(graph: &G) -> ReducedGraph {
    check_some(graph, |_| false, usize::MAX)
}

fn two_way(nodes: usize, edges: &[(NodeId, NodeId, Cost)]) -> CsrGraph {
    let mut builder = GraphBuilder::new(nodes).unwrap();
    for &(tail, head, weight) in edges {
        builder.add_two_way(tail, head, weight).unwrap();
    }
    builder.build()
}

fn core_nodes(core: &ReducedGraph) -> Vec<NodeId> {
    (0..core.node_count() as NodeId).filter(|&node| core.contains(node)).collect()
}

#[test]
fn graphs_without_edges_are_all_core() {
    assert_eq!(core_nodes(&check(&two_way(0, &[]))), Vec::<NodeId>::new());
    assert_eq!(core_nodes(&check(&two_way(3, &[]))), [0, 1, 2]);
}

#[test]
fn two_nodes_leave_one() {
    let core = check(&two_way(2, &[(0, 1, 5)]));
    assert_eq!(core_nodes(&core), [1]);
    assert_eq!(*core.accesses(0), [Access { core: 1, to_core: 5, from_core: 5 }]);
}

#[test]
fn paths_and_stars_leave_one_node() {
    let path = two_way(6, &[(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 4, 4), (4, 5, 5)]);
    assert_eq!(core_nodes(&check(&path)), [5]);
    let star = two_way(5, &[(2, 0, 1), (2, 1, 2), (2, 3, 3), (2, 4, 4)]);
    assert_eq!(core_nodes(&check(&star)).len(), 1);
}

#[test]
fn a_cycle_keeps_its_smallest_node() {
    let cycle = two_way(6, &[(3, 1, 1), (1, 5, 10), (5, 2, 2), (2, 4, 2), (4, 3, 1)]);
    let core = check(&cycle);
    assert_eq!(core_nodes(&core), [0, 1]);
    assert_eq!(
        core.accesses(2).iter().map(|access| (access.core, access.to_core)).collect::<Vec<_>>(),
        [(1, 4), (1, 12)]
    );
    assert_eq!(core.local_cost(3, 5), Some(5));
    assert_eq!(core.local_cost(1, 5), None);
}

#[test]
fn one_way_round_a_cycle() {
    let mut builder = GraphBuilder::new(4).unwrap();
    for (tail, head) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        builder.add_edge(tail, head, 7).unwrap();
    }
    let core = check(&builder.build());
    assert_eq!(core.local_cost(1, 3), Some(14));
    assert_eq!(core.local_cost(3, 1), None);
}

#[test]
fn a_lollipop_is_tied_to_where_its_stick_begins() {
    let mut edges = vec![(0, 1, 1), (1, 2, 1), (2, 0, 1), (2, 3, 4), (3, 4, 4)];
    let core = check(&two_way(5, &edges));
    assert_eq!(core_nodes(&core), [0]);
    edges.extend([(4, 5, 1), (4, 6, 1), (5, 6, 1)]);
    let barbell = check(&two_way(7, &edges));
    assert_eq!(core_nodes(&barbell), [2, 4]);
    let mut nodes = Vec::new();
    barbell.nodes_between(4, 2, &mut nodes);
    assert_eq!(nodes, [3]);
}

#[test]
fn parallel_chains_and_edges_become_the_cheapest() {
    let graph = two_way(
        6,
        &[(0, 1, 9), (0, 2, 2), (2, 1, 2), (0, 3, 1), (3, 4, 1), (4, 1, 1), (0, 5, 4), (5, 1, 4)],
    );
    let core = check(&graph);
    let mut nodes = Vec::new();
    core.nodes_between(0, 1, &mut nodes);
    core.nodes_between(1, 0, &mut nodes);
    assert_eq!(nodes, [3, 4, 4, 3]);
}

/// In the middle of such a chain the cost to either end is unknown.
#[test]
fn a_chain_that_is_blocked_at_both_ends_is_open_between() {
    let mut builder = GraphBuilder::new(8).unwrap();
    for (tail, head) in [(1, 2), (2, 3), (3, 4), (0, 6), (0, 7), (6, 7), (5, 6), (5, 7)] {
        builder.add_two_way(tail, head, 3).unwrap();
    }
    builder.add_edge(0, 1, 1).unwrap();
    builder.add_edge(5, 4, 1).unwrap();
    let core = check_some(&builder.build(), |node| node == 0 || node == 5, usize::MAX);
    assert_eq!(core_nodes(&core), [0, 5, 6, 7]);
    assert_eq!(core.local_cost(4, 1), Some(9));
    assert_eq!(core.accesses(2)[0].to_core, UNREACHABLE);
}

#[test]
fn weights_of_zero_count_one_and_cost_nothing() {
    let graph = two_way(5, &[(0, 1, 0), (1, 2, 0), (2, 0, 3), (2, 3, 4), (3, 4, 4)]);
    let scale = Scale::of(&graph);
    assert_eq!([0, 1, 5].map(|weight| scale.scaled(weight)), [1, 4, 20]);
    assert_eq!([1, 3, 4, 23].map(|scaled| scale.cost(scaled)), [0, 0, 1, 5]);
    assert_eq!(scale.cost(UNREACHABLE), UNREACHABLE);
    assert_eq!(Scale::from_words(scale.to_words()), Ok(scale));
    assert!(Scale::from_words([33, 0]).is_err() && Scale::from_words([0, 2]).is_err());
    assert!(!scale.overflows());
    assert_eq!(Scale::of(&two_way(2, &[(0, 1, 6)])).scaled(6), 6);
    check(&graph);
}

#[test]
fn distances_that_fit_are_exact_where_others_do_not() {
    let most = UNREACHABLE - 1;
    let edges =
        [(0, 1, most), (1, 2, 5), (2, 3, most / 2), (3, 4, most / 2), (4, 5, 9), (5, 2, most / 2)];
    let graph = two_way(9, &[&edges[..], &[(5, 6, 2), (6, 7, most), (7, 8, 3)]].concat());
    assert!(Scale::of(&graph).overflows());
    check(&graph);
    assert!(!Scale::of(&two_way(2, &[(0, 1, UNREACHABLE / 2)])).overflows());
    assert!(Scale::of(&two_way(2, &[(0, 1, UNREACHABLE / 2 + 1)])).overflows());
}

#[test]
fn long_dead_ends_have_few_strands() {
    let grid = Mazes { width: 65, height: 65, corridor: 1, ..Mazes::default() }.generate().unwrap();
    let core = check_some(&grid, |_| false, 20);
    let levels = core.arrays().strands.chunks(4).map(|strand| strand[3]).max();
    assert!(levels <= Some(10), "{levels:?}");
    assert_eq!(core_nodes(&core).len(), 1);
}

#[test]
fn grids() {
    for seed in 0..3 {
        let maze =
            Mazes { width: 31, height: 25, corridor: 1, loops: 0.1, seed, ..Mazes::default() };
        check_some(&maze.generate().unwrap(), |_| false, 30);
        let caves = Caves { width: 24, height: 24, seed, ..Caves::default() }.generate().unwrap();
        for connectivity in [Connectivity::Four, Connectivity::Hex] {
            let grid: Grid = caves.clone().with_connectivity(connectivity);
            check_some(&grid, |node| node % 7 == seed as NodeId, 20);
        }
    }
}

#[test]
fn random_graphs() {
    for seed in 0..4000 {
        println!("seed {seed}");
        let graph = random_graph(seed);
        check_some(&graph, |node| seed % 3 == 0 && node % 5 == 1, usize::MAX);
    }
}

/// With any number changed, the arrays are rejected or every query returns.
#[test]
fn damaged_arrays_lead_nowhere_they_should_not() {
    let (mut refused, mut out) = (0, Vec::new());
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let graph = random_graph(seed % 100);
        let nodes = graph.node_count() as NodeId;
        let core = ReducedGraph::new(&graph, Scale::of(&graph), |_| false);
        let damaged = core.arrays().named()[random.below(9) as usize].0;
        let arrays = Arrays::from_named(|name| {
            let (_, array) = *core.arrays().named().iter().find(|named| named.0 == name).unwrap();
            if name != damaged {
                return Ok::<_, String>(array.clone());
            }
            let mut words = array.to_vec();
            for _ in 0..1 + random.below(3) {
                let at = random.below(words.len() as u64 + 1) as usize;
                match words.get_mut(at) {
                    Some(word) if random.chance(0.9) => {
                        let near = word.wrapping_add([1, u32::MAX][random.below(2) as usize]);
                        *word = [near, random.below(40) as u32, u32::MAX][random.below(3) as usize];
                    }
                    _ => words.truncate(at),
                }
            }
            Ok(Words::from(words))
        });
        let Ok(core) = ReducedGraph::from_arrays(nodes as usize, arrays.unwrap()) else {
            refused += 1;
            continue;
        };
        for (from, to) in (0..=nodes).flat_map(|from| (0..=nodes).map(move |to| (from, to))) {
            core.local_cost(from, to);
            out.clear();
            core.local_path(from, to, &mut out);
            core.nodes_between(from, to, &mut out);
            core.path_to_core(from, (to % 2) as usize, &mut out);
            core.path_from_core(from, (to % 2) as usize, &mut out);
        }
    }
    assert!((1000..3000).contains(&refused), "{refused} were refused");
}
