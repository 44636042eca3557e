//! What every engine goes through: edits one after the other, and searches with their answers after each.
//!
//! Drawn from a seed before any clock runs, so that all engines meet the same edits and the same searches. The
//! answers are the [`Reference`]'s on the map as it is after the edit.

use std::collections::BTreeMap;

use portolan::changes::{CellChange, EdgeChange};
use portolan::generate::Random;
use portolan::{Changes, Cost, CsrGraph, Graph, Map, NodeId, UNREACHABLE};

use crate::error::Error;
use crate::load::Loaded;
use crate::output::Output;
use crate::reference::Reference;
use crate::threads;
use crate::workload::{Expected, Query};

/// How many searches follow an edit. The first is the one right after it; the others give the mean time of
/// a search on an edited map.
pub(super) const SEARCHES: usize = 5;

/// An edit and what is asked after it.
pub(super) struct Step {
    pub(super) changes: Changes,
    /// [`SEARCHES`] of them; none where the edit left nothing passable.
    pub(super) searches: Vec<Query>,
}

/// Draws so many steps for the map.
pub(super) fn draw(loaded: &Loaded, edits: usize, output: &Output) -> Result<Vec<Step>, Error> {
    let mut random = Random::new(loaded.settings.seed);
    let mut edges = match &loaded.map {
        Map::Grid(_) => None,
        Map::Graph(graph) if graph.edge_count() == 0 => {
            return Err(Error::NothingToEdit { path: loaded.path.clone() });
        }
        Map::Graph(graph) => Some(Edges::of(graph)),
    };
    let mut map = loaded.map.clone();
    let bar = output.progress("reference answers", edits);
    let mut steps = Vec::with_capacity(edits);
    for _ in 0..edits {
        let changes = match (&map, &mut edges) {
            (Map::Graph(graph), Some(edges)) => edges.draw(graph, &mut random),
            _ => toggle(&map, &mut random),
        };
        map.apply(&changes)?;
        let first_number = 1 + steps.len() * SEARCHES;
        let searches = searches(&map, first_number, &mut random);
        steps.push(Step { changes, searches });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(steps)
}

/// Any cell of a grid, the other way round.
fn toggle(map: &Map, random: &mut Random) -> Changes {
    let node = random.below(map.node_count() as u64) as NodeId;
    let change = CellChange { node, passable: !map.contains(node) };
    Changes { cells: vec![change], ..Changes::default() }
}

/// Random ends on the map, with the answers.
fn searches(map: &Map, first_number: usize, random: &mut Random) -> Vec<Query> {
    let pairs: Option<Vec<(NodeId, NodeId)>> =
        (0..SEARCHES).map(|_| Some((usable(map, random)?, usable(map, random)?))).collect();
    let pairs = pairs.unwrap_or_default();
    let answers = threads::map_in_order(
        &pairs,
        || Reference::new(map),
        |reference, &(from, to)| reference.costs(from, &[to])[0],
    );
    let numbered = (first_number..).zip(pairs).zip(answers);
    let query = |((number, (from, to)), cost)| Query {
        number,
        from,
        to,
        expected: Expected::from(cost),
        from_file: false,
    };
    numbered.map(query).collect()
}

/// A node that a path may use; `None` where there is none.
fn usable(map: &Map, random: &mut Random) -> Option<NodeId> {
    const TRIES: usize = 100;
    let nodes = map.node_count() as NodeId;
    let mut node = 0;
    for _ in 0..TRIES {
        node = random.below(u64::from(nodes)) as NodeId;
        if map.contains(node) {
            return Some(node);
        }
    }
    // Few are: the next one behind the last try, which is near enough to even.
    (node..nodes).chain(0..node).find(|&node| map.contains(node))
}

/// The edges of a graph, and which of them weigh twice as much as before.
struct Edges {
    /// How many edges leave the nodes up to and with each.
    counts: Vec<u32>,
    /// The old weights of the doubled ones, by tail and head.
    doubled: BTreeMap<(NodeId, NodeId), Cost>,
}

impl Edges {
    fn of(graph: &CsrGraph) -> Self {
        let mut count = 0;
        let counts = (0..graph.node_count() as NodeId).map(|tail| {
            count += graph.edges(tail).count() as u32;
            count
        });
        Self { counts: counts.collect(), doubled: BTreeMap::new() }
    }

    /// An edge drawn evenly from all, or as often one of the doubled: those would hardly ever be met again.
    fn draw(&mut self, graph: &CsrGraph, random: &mut Random) -> Changes {
        let again = !self.doubled.is_empty() && random.chance(0.5);
        let index = if again { random.below(self.doubled.len() as u64) as usize } else { 0 };
        let doubled = self.doubled.keys().nth(index).copied().filter(|_| again);
        let (tail, head) = doubled.unwrap_or_else(|| self.any(graph, random));
        let weight = self.doubled.remove(&(tail, head)).unwrap_or_else(|| {
            let weight = least_weight(graph, tail, head);
            self.doubled.insert((tail, head), weight);
            weight.saturating_mul(2).min(UNREACHABLE - 1)
        });
        let change = EdgeChange::SetWeight { tail, head, weight };
        Changes { edges: vec![change], ..Changes::default() }
    }

    fn any(&self, graph: &CsrGraph, random: &mut Random) -> (NodeId, NodeId) {
        let total = self.counts.last().copied().unwrap_or(0);
        let edge = random.below(u64::from(total)) as u32;
        let tail = self.counts.partition_point(|&count| count <= edge);
        let before = tail.checked_sub(1).map_or(0, |before| self.counts[before]);
        // Parallel edges become one when their weight is edited, so a row may have fewer than at first.
        let row: Vec<NodeId> = graph.edges(tail as NodeId).map(|(head, _)| head).collect();
        (tail as NodeId, row[(edge - before) as usize % row.len()])
    }
}

/// What it costs to take the edge, of parallel ones the cheapest.
fn least_weight(graph: &CsrGraph, tail: NodeId, head: NodeId) -> Cost {
    let weights = graph.edges(tail).filter(|&(other, _)| other == head).map(|(_, weight)| weight);
    weights.min().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Surroundings;
    use portolan::Grid;
    use portolan::formats::dimacs;

    fn steps(map: Map, edits: usize) -> Vec<Step> {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let output = Output::new(&mut out, &mut err, Surroundings::default());
        draw(&Loaded::made("x".into(), map), edits, &output).unwrap()
    }

    #[test]
    fn cells_are_toggled_and_ends_are_passable_afterwards() {
        let mut map = Map::from(Grid::from_fn(4, 3, |x, _| x != 1).unwrap());
        for step in steps(map.clone(), 200) {
            let [change] = step.changes.cells[..] else { panic!("{:?}", step.changes) };
            assert_eq!(change.passable, !map.contains(change.node));
            map.apply(&step.changes).unwrap();
            assert!(step.searches.len() == SEARCHES || map.usable_count() == 0);
            for search in &step.searches {
                assert!(map.contains(search.from) && map.contains(search.to));
            }
        }
    }

    #[test]
    fn a_map_of_one_cell_leaves_nothing_to_ask_every_other_time() {
        let steps = steps(Grid::new(1, 1).unwrap().into(), 4);
        let asked: Vec<usize> = steps.iter().map(|step| step.searches.len()).collect();
        assert_eq!(asked, [0, SEARCHES, 0, SEARCHES]);
    }

    #[test]
    fn weights_are_doubled_and_given_back() {
        let text = b"p sp 3 5\na 1 2 7\na 1 2 5\na 2 3 4294967294\na 3 3 0\na 2 1 3\n";
        let old = BTreeMap::from([
            ((0, 1), 5 as Cost),
            ((1, 2), 4_294_967_294),
            ((2, 2), 0),
            ((1, 0), 3),
        ]);
        let mut doubled: BTreeMap<(NodeId, NodeId), bool> = BTreeMap::new();
        let mut restored = 0;
        for step in steps(dimacs::read_gr(text).unwrap().into(), 300) {
            let [EdgeChange::SetWeight { tail, head, weight }] = step.changes.edges[..] else {
                panic!("{:?}", step.changes)
            };
            let (old, is_doubled) = (old[&(tail, head)], doubled.entry((tail, head)).or_default());
            *is_doubled ^= true;
            restored += usize::from(!*is_doubled);
            let expected =
                if *is_doubled { old.saturating_mul(2).min(UNREACHABLE - 1) } else { old };
            assert_eq!(weight, expected, "{tail} -> {head}");
        }
        assert!(doubled.len() == 4 && restored > 50, "{doubled:?}, {restored}");
    }
}
