//! Every pair of cells of many small grids: the distance, and the path step by step.
//!
//! What is true comes from a Dijkstra of its own from every cell, over the steps of
//! [`mod@crate::reference`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use portolan::engine::{Engine, Query};
use portolan::generate::Random;
use portolan::registry::Method;
use portolan::{Map, NodeId, Settings};

use crate::reference::{is_usable, steps};
use crate::small_grids::{Rule, small_edit, small_grid};

/// What was wrong, with all that is needed to see it again.
#[derive(Debug)]
pub struct Failure {
    /// The seed of the grid.
    pub seed: u64,
    /// Edits that were made before.
    pub edits: usize,
    /// The kind of the grid.
    pub kind: &'static str,
    /// The name of its rule.
    pub rule: &'static str,
    /// Start and goal, where it is about a pair.
    pub ends: Option<(NodeId, NodeId)>,
    /// What was found and what was expected.
    pub what: String,
    /// The grid as it was when the question was asked.
    pub map: Map,
}

/// The report, and the grid as a drawing with its start and goal.
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, edits, kind, rule, ends, what, map } = self;
        writeln!(out, "seed {seed}, {kind}, rule {rule}, after {edits} edits: {what}")?;
        let Map::Grid(grid) = map else { return Ok(()) };
        let mark = |node: NodeId| match *ends {
            Some((from, _)) if node == from => 'S',
            Some((_, to)) if node == to => 'T',
            _ if is_usable(map, node) => '.',
            _ => '#',
        };
        for y in 0..grid.height() {
            let row: String = (0..grid.width()).map(|x| mark(y * grid.width() + x)).collect();
            writeln!(out, "{row}")?;
        }
        Ok(())
    }
}

/// Builds an engine on the grid of a seed under a rule and asks it all pairs, then again after each
/// of so many edits. Returns how many pairs were right.
pub fn check_seed(
    method: &dyn Method,
    rule: &Rule,
    seed: u64,
    edits: usize,
) -> Result<u64, Box<Failure>> {
    let (grid, kind) = small_grid(seed);
    let mut map = Map::from(rule.apply(grid));
    let mut random = Random::new(!seed);
    let mut engine: Option<Box<dyn Engine>> = None;
    let mut pairs = 0;
    for edit in 0..=edits {
        let before = engine.take();
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let next = match &before {
                None => method.build(&map, &Settings::default()),
                Some(before) => {
                    let Map::Grid(grid) = &map else { return Err(Mistake::new("not a grid")) };
                    let changes = small_edit(grid, &mut random);
                    map.apply(&changes).map_err(Mistake::new)?;
                    before.refresh(&map, &changes)
                }
            };
            let next = next.map_err(Mistake::new)?;
            let found = check_pairs(&map, &mut *next.query())?;
            Ok((next, found))
        }));
        match asked.unwrap_or_else(|_| Err(Mistake::new("a panic"))) {
            Ok((next, found)) => {
                engine = Some(next);
                pairs += found;
            }
            Err(Mistake { ends, what }) => {
                let (edits, rule) = (edit, rule.name);
                return Err(Box::new(Failure { seed, edits, kind, rule, ends, what, map }));
            }
        }
    }
    Ok(pairs)
}

/// A wrong answer.
#[derive(Debug)]
pub struct Mistake {
    /// Start and goal, where it is about a pair.
    pub ends: Option<(NodeId, NodeId)>,
    /// What was found and what was expected.
    pub what: String,
}

impl Mistake {
    fn new(what: impl fmt::Display) -> Self {
        Self { ends: None, what: what.to_string() }
    }
}

/// Asks the distance and the path between all cells, both ways, and walks every path. Returns how
/// many pairs there are.
pub fn check_pairs(map: &Map, query: &mut dyn Query) -> Result<u64, Mistake> {
    let mut truth = Truth::new(map);
    let nodes: Vec<NodeId> =
        (0..map.node_count() as NodeId).filter(|&n| is_usable(map, n)).collect();
    let mut path = Vec::new();
    for &from in &nodes {
        truth.search(from);
        for &to in &nodes {
            let asked = check_pair(query, &truth, (from, to), &mut path);
            asked.map_err(|what| Mistake { ends: Some((from, to)), what })?;
        }
    }
    Ok((nodes.len() * nodes.len()) as u64)
}

fn check_pair(
    query: &mut dyn Query,
    truth: &Truth,
    (from, to): (NodeId, NodeId),
    path: &mut Vec<NodeId>,
) -> Result<(), String> {
    let expected = truth.cost(to);
    let distance = query.distance(from, to).map_err(|error| error.to_string())?;
    if distance != expected {
        return Err(format!("distance {distance:?}, expected {expected:?}"));
    }
    let route = query.find(from, to).map_err(|error| error.to_string())?;
    if route.map(|route| route.cost()) != expected {
        return Err(format!("{route:?}, expected {expected:?}"));
    }
    let Some(route) = route else { return Ok(()) };
    route.nodes_into(path);
    if (path.first(), path.last()) != (Some(&from), Some(&to)) {
        return Err(format!("a path with other ends: {path:?}"));
    }
    if truth.walk(path) != expected {
        return Err(format!("a path that walks as {:?}: {path:?}", truth.walk(path)));
    }
    Ok(())
}

/// All steps of a map, and the costs from one node to all.
struct Truth {
    steps: Vec<Vec<(NodeId, u32)>>,
    costs: Vec<u32>,
    open: BinaryHeap<Reverse<(u32, NodeId)>>,
}

impl Truth {
    fn new(map: &Map) -> Self {
        let narrow = |(head, cost): (NodeId, u64)| (head, u32::try_from(cost).unwrap_or(u32::MAX));
        let nodes = 0..map.node_count() as NodeId;
        let steps = nodes.map(|node| steps(map, node).into_iter().map(narrow).collect()).collect();
        Self { steps, costs: Vec::new(), open: BinaryHeap::new() }
    }

    fn search(&mut self, from: NodeId) {
        self.costs.clear();
        self.costs.resize(self.steps.len(), u32::MAX);
        self.costs[from as usize] = 0;
        self.open.push(Reverse((0, from)));
        while let Some(Reverse((cost, tail))) = self.open.pop() {
            if cost > self.costs[tail as usize] {
                continue;
            }
            for &(head, weight) in &self.steps[tail as usize] {
                let least = &mut self.costs[head as usize];
                if cost + weight < *least {
                    *least = cost + weight;
                    self.open.push(Reverse((cost + weight, head)));
                }
            }
        }
    }

    fn cost(&self, to: NodeId) -> Option<u32> {
        Some(self.costs[to as usize]).filter(|&cost| cost != u32::MAX)
    }

    /// What a path costs; `None` where a step is not legal.
    fn walk(&self, path: &[NodeId]) -> Option<u32> {
        let step = |pair: &[NodeId]| {
            let from_here = self.steps.get(pair[0] as usize)?.iter();
            from_here.copied().find_map(|(head, cost)| (head == pair[1]).then_some(cost))
        };
        path.windows(2).map(step).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small_grids::RULES;
    use portolan::registry;

    #[test]
    fn searches_pass_with_and_without_edits() {
        let astar = registry::method("astar").unwrap();
        let pairs = |edits| {
            (0..6).map(|seed| check_seed(astar, &RULES[1], seed, edits).unwrap()).sum::<u64>()
        };
        assert!(pairs(0) > 0 && pairs(2) > 2 * pairs(0));
    }

    #[test]
    fn a_wrong_answer_is_found_and_drawn() {
        let (grid, kind) = small_grid(1);
        let map = Map::from(&grid);
        let four = Map::from(grid.with_connectivity(portolan::Connectivity::Four));
        let engine = registry::method("astar").unwrap().build(&four, &Settings::default()).unwrap();
        let Mistake { ends, what } = check_pairs(&map, &mut *engine.query()).unwrap_err();
        let failure = Failure { seed: 1, edits: 0, kind, rule: "never", ends, what, map };
        let text = failure.to_string();
        assert!(text.contains('S') && text.contains('T') && text.contains("expected"), "{text}");
    }
}
