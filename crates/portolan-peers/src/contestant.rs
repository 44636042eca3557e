//! Everybody who is asked, behind one face.
//!
//! What a search needs no more than once, and what only the check of its answer needs, is done
//! outside [`find`](Contestant::find), which the clock watches.

use portolan::heuristic::{Geometric, HeuristicChoice};
use portolan::{Cost, CsrGraph, EndpointError, Engine, Grid, Map, NodeId, Query};

use crate::Problem;
use crate::peer_astar::{pathfinding_astar, pathfinding_astar_on_graph};

/// The cost that was answered; `None` for no path.
pub type Found = Result<Option<Cost>, EndpointError>;

/// Someone who finds paths on one map.
pub trait Contestant {
    /// Who it is.
    fn name(&self) -> &str;

    /// Finds a full path, cell by cell, and keeps it.
    fn find(&mut self, from: NodeId, to: NodeId) -> Found;

    /// The path that was found last, as nodes of the map; empty where there was none.
    fn path(&self) -> Vec<NodeId>;

    /// Whether the cost that [`find`](Self::find) answers is one: some know other units than ours
    /// or none, and only their path counts.
    fn tells_costs(&self) -> bool {
        true
    }

    /// The cost alone; `None` for a contestant that finds no cost without its path.
    fn distance(&mut self, _from: NodeId, _to: NodeId) -> Option<Found> {
        None
    }
}

/// `pathfinding::astar`.
pub struct Pathfinding<'a> {
    map: World<'a>,
    found: Option<(Vec<NodeId>, Cost)>,
}

enum World<'a> {
    Grid(&'a Grid),
    Graph(&'a CsrGraph, Geometric),
}

impl<'a> Pathfinding<'a> {
    /// On this map; a grid has to be an eight-connected one of one terrain.
    pub fn new(map: &'a Map) -> Result<Self, Problem> {
        let map = match map {
            Map::Grid(grid) => World::Grid(grid),
            Map::Graph(graph) => World::Graph(graph, Geometric::new(map, HeuristicChoice::Auto)?),
        };
        Ok(Self { map, found: None })
    }
}

impl Contestant for Pathfinding<'_> {
    fn name(&self) -> &str {
        "pathfinding"
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Found {
        self.found = match &self.map {
            World::Grid(grid) => pathfinding_astar(grid, from, to),
            World::Graph(graph, bound) => pathfinding_astar_on_graph(graph, bound, from, to),
        };
        Ok(self.found.as_ref().map(|&(_, cost)| cost))
    }

    fn path(&self) -> Vec<NodeId> {
        self.found.as_ref().map_or(Vec::new(), |(path, _)| path.clone())
    }
}

/// An engine of Portolan.
pub struct Own<'a> {
    name: &'static str,
    query: Box<dyn Query + 'a>,
    path: Vec<NodeId>,
    with_distances: bool,
}

impl<'a> Own<'a> {
    /// This one.
    pub fn new(engine: &'a dyn Engine) -> Self {
        let (name, query) = (engine.name(), engine.query());
        Self { name, query, path: Vec::new(), with_distances: true }
    }

    /// The same, which is asked for paths alone.
    pub fn paths_only(engine: &'a dyn Engine) -> Self {
        Self { with_distances: false, ..Self::new(engine) }
    }
}

impl Contestant for Own<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Found {
        match self.query.find(from, to)? {
            Some(route) => {
                route.nodes_into(&mut self.path);
                Ok(Some(route.cost()))
            }
            None => {
                self.path.clear();
                Ok(None)
            }
        }
    }

    fn path(&self) -> Vec<NodeId> {
        self.path.clone()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Option<Found> {
        self.with_distances.then(|| self.query.distance(from, to))
    }
}
