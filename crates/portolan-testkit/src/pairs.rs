//! Every pair of cells of many small grids: the distance, and the path step by step.
//!
//! What is true comes from a Dijkstra of its own from every cell, over the steps of
//! [`mod@crate::reference`].

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use portolan::engine::{Engine, Query};
use portolan::generate::Random;
use portolan::registry::Method;
use portolan::{Map, NodeId, Settings};

use crate::reference::{Reference, is_usable};
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
    let reference = Reference::new(map);
    let nodes = 0..map.node_count() as NodeId;
    let nodes: Vec<NodeId> = nodes.filter(|&node| reference.is_usable(node)).collect();
    let (mut path, mut truth) = (Vec::new(), Vec::new());
    for &from in &nodes {
        reference.distances_into(from, &mut truth);
        for &to in &nodes {
            let expected = truth[to as usize];
            let checked = check_pair(query, &reference, (from, to), expected, &mut path);
            checked.map_err(|what| Mistake { ends: Some((from, to)), what })?;
        }
    }
    Ok((nodes.len() * nodes.len()) as u64)
}

fn check_pair(
    query: &mut dyn Query,
    reference: &Reference,
    (from, to): (NodeId, NodeId),
    expected: Option<u64>,
    path: &mut Vec<NodeId>,
) -> Result<(), String> {
    let distance = query.distance(from, to).map_err(|error| error.to_string())?.map(u64::from);
    if distance != expected {
        return Err(format!("distance {distance:?}, expected {expected:?}"));
    }
    let route = query.find(from, to).map_err(|error| error.to_string())?;
    let cost = route.map(|route| u64::from(route.cost()));
    if cost != expected {
        return Err(format!("a path of cost {cost:?}, expected {expected:?}"));
    }
    let (Some(route), Some(cost)) = (route, cost) else { return Ok(()) };
    route.nodes_into(path);
    match reference.walk(path, from, to)? {
        walked if walked == cost => Ok(()),
        walked => Err(format!("a path of cost {cost} whose steps cost {walked}: {path:?}")),
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
