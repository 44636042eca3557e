//! `petgraph`: its A* on compressed rows, the most compact of its graphs.

use std::cell::RefCell;

use petgraph::Directed;
use petgraph::algo::astar;
use petgraph::csr::Csr;
use portolan::heuristic::{Geometric, HeuristicChoice, LowerBound};
use portolan::{Cost, Graph, Map, NodeId};

use super::Problem;
use crate::judge::Answered;
use crate::timing::Contestant;

type Rows = Csr<(), Cost, Directed, u32>;

/// A map as a graph of `petgraph`, and the bound that its A* is given.
pub(crate) struct Adjacency {
    rows: Rows,
    bound: Geometric,
}

impl Adjacency {
    /// Of parallel edges the cheapest; its compressed rows take no others.
    pub(crate) fn new(map: &Map) -> Result<Self, Problem> {
        let edges = match map {
            Map::Grid(grid) => edges(grid),
            Map::Graph(graph) => edges(graph),
        };
        let mut rows = Rows::from_sorted_edges(&edges).map_err(|_| "edges that are not sorted")?;
        // Nodes behind the last edge are nodes all the same.
        for _ in rows.node_count()..map.node_count() {
            rows.add_node(());
        }
        Ok(Self { rows, bound: Geometric::new(map, HeuristicChoice::Auto)? })
    }
}

fn edges(graph: &impl Graph) -> Vec<(NodeId, NodeId, Cost)> {
    let mut edges = Vec::new();
    for tail in 0..graph.node_count() as NodeId {
        graph.out_edges(tail, |head, weight| edges.push((tail, head, weight)));
    }
    edges.sort_unstable();
    edges.dedup_by_key(|&mut (tail, head, _)| (tail, head));
    edges
}

/// `petgraph::algo::astar`.
pub(crate) struct PetgraphAstar<'a> {
    graph: &'a Adjacency,
    found: Option<(Cost, Vec<NodeId>)>,
}

impl<'a> PetgraphAstar<'a> {
    /// On this graph.
    pub(crate) fn new(graph: &'a Adjacency) -> Self {
        Self { graph, found: None }
    }
}

impl Contestant for PetgraphAstar<'_> {
    fn name(&self) -> &str {
        "petgraph"
    }

    fn exact(&self) -> bool {
        true
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        let bound = RefCell::new(self.graph.bound.with_end(to));
        let estimate = |node| bound.borrow_mut().at(node).unwrap_or(0);
        let (rows, is_goal) = (&self.graph.rows, |node| node == to);
        self.found = astar(rows, from, is_goal, |edge| *edge.weight(), estimate);
        Ok(self.found.as_ref().map(|&(cost, _)| cost))
    }

    fn path(&self) -> Vec<NodeId> {
        self.found.as_ref().map_or(Vec::new(), |(_, path)| path.clone())
    }
}
