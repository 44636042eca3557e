//! What every engine goes through: edits one after the other, and searches with their answers after
//! each.
//!
//! Drawn from a seed before any clock runs, so that all engines meet the same edits and the same
//! searches. The answers are the `Reference`'s on the map as it is after the edit.

use std::collections::{BTreeMap, VecDeque};

use portolan::changes::EdgeChange;
use portolan::generate::Random;
use portolan::{Changes, Cost, CsrGraph, Engine, Graph, Map, NodeId, UNREACHABLE};

use super::{Expected, Query, Reference, Subject};
use crate::engines::{self, PLAIN};
use crate::{Bars, Error, parallel};

/// How many searches follow an edit. The first is the one right after it; the others give the mean
/// time of a search on an edited map.
pub const SEARCHES: usize = 5;

/// What is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// Any cell or edge; most edits change no path of the queries.
    Anywhere,
    /// The middle of a shortest path, which is queried again right after the edit. The last few
    /// edits stay, older ones are undone one by one.
    OnPaths,
}

/// An edit and the queries after it.
pub struct Step {
    /// The edit.
    pub changes: Changes,
    /// [`SEARCHES`] of them; none where the edit left nothing passable.
    pub searches: Vec<Query>,
}

/// Draws this many steps for the map.
pub fn draw(
    subject: &Subject,
    edits: usize,
    place: Where,
    bars: &dyn Bars,
) -> Result<Vec<Step>, Error> {
    let mut random = Random::new(subject.settings.seed);
    let mut edges = match &subject.map {
        Map::Grid(_) => None,
        Map::Graph(graph) if graph.edge_count() == 0 => {
            return Err(Error::NothingToEdit { path: subject.path.clone() });
        }
        Map::Graph(graph) => Some(Edges::of(graph)),
    };
    let mut paths = match place {
        Where::Anywhere => None,
        Where::OnPaths => Some(Paths::on(subject)?),
    };
    let mut map = subject.map.clone();
    let bar = bars.bar("reference answers", edits);
    let mut steps = Vec::with_capacity(edits);
    for _ in 0..edits {
        let in_the_way = paths.as_mut().and_then(|paths| paths.draw(&mut edges, &mut random));
        let (changes, ends) = in_the_way.map_or_else(
            || (anywhere(&map, &mut edges, &mut random), None),
            |(changes, ends)| (changes, Some(ends)),
        );
        map.apply(&changes)?;
        if let Some(paths) = &mut paths {
            paths.follow(&map, &changes)?;
        }
        let first_number = 1 + steps.len() * SEARCHES;
        let searches = searches(&map, first_number, ends, &mut random);
        steps.push(Step { changes, searches });
        bar.inc(1);
    }
    Ok(steps)
}

fn anywhere(map: &Map, edges: &mut Option<Edges>, random: &mut Random) -> Changes {
    match (map, edges) {
        (Map::Graph(graph), Some(edges)) => edges.draw(graph, random),
        _ => toggle(map, random),
    }
}

/// Any cell of a grid, the other way round.
fn toggle(map: &Map, random: &mut Random) -> Changes {
    let node = random.below(map.node_count() as u64) as NodeId;
    Changes::new().set_passable(node, !map.contains(node))
}

/// Random ends on the map, with the answers. Where ends are given, they come first, and the others
/// share the start.
pub(crate) fn searches(
    map: &Map,
    first_number: usize,
    ends: Option<(NodeId, NodeId)>,
    random: &mut Random,
) -> Vec<Query> {
    let mut pair = |index: usize| match ends {
        Some(ends) if index == 0 => Some(ends),
        Some((from, _)) => Some((from, usable(map, random)?)),
        None => Some((usable(map, random)?, usable(map, random)?)),
    };
    let pairs: Option<Vec<(NodeId, NodeId)>> = (0..SEARCHES).map(&mut pair).collect();
    let pairs = pairs.unwrap_or_default();
    let groups: Vec<&[(NodeId, NodeId)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
    let answers = parallel::map_in_order(
        &groups,
        || Reference::new(map),
        |reference, group| {
            let goals: Vec<NodeId> = group.iter().map(|&(_, to)| to).collect();
            reference.costs(group[0].0, &goals)
        },
    );
    let numbered = (first_number..).zip(&pairs).zip(answers.into_iter().flatten());
    let query = |((number, &(from, to)), cost)| Query {
        number,
        from,
        to,
        expected: Expected::from(cost),
        from_file: false,
    };
    numbered.map(query).collect()
}

/// Edits on shortest paths.
struct Paths {
    engine: Box<dyn Engine>,
    /// What was blocked or made longer, the oldest first.
    standing: VecDeque<(NodeId, NodeId)>,
}

impl Paths {
    fn on(subject: &Subject) -> Result<Self, Error> {
        let engine = engines::build_named(PLAIN, subject)?;
        Ok(Self { engine, standing: VecDeque::new() })
    }

    fn follow(&mut self, map: &Map, changes: &Changes) -> Result<(), Error> {
        let refreshed = self.engine.refresh(map, changes);
        self.engine = refreshed.map_err(engines::cannot_build(PLAIN))?;
        Ok(())
    }

    /// An edit in the middle of a path, and the ends of that path; `None` where no path is found
    /// soon.
    fn draw(
        &mut self,
        edges: &mut Option<Edges>,
        random: &mut Random,
    ) -> Option<(Changes, (NodeId, NodeId))> {
        const STANDING: usize = 8;
        let (ends, (tail, head)) = self.middle(random)?;
        let oldest = (self.standing.len() >= STANDING).then(|| self.standing.pop_front());
        let oldest = oldest.flatten().filter(|&old| old != (tail, head));
        let changes = match (self.engine.map(), edges) {
            (Map::Graph(graph), Some(edges)) => {
                let both = oldest.into_iter().chain([(tail, head)]);
                let edges = both.map(|(tail, head)| edges.turn(graph, tail, head)).collect();
                Changes { edges, ..Changes::default() }
            }
            _ => oldest
                .into_iter()
                .fold(Changes::new(), |changes, (_, node)| changes.free(node))
                .block(head),
        };
        self.standing.push_back((tail, head));
        Some((changes, ends))
    }

    /// The ends of a path and the step in its middle, which leads to no end.
    fn middle(&self, random: &mut Random) -> Option<((NodeId, NodeId), (NodeId, NodeId))> {
        const TRIES: usize = 20;
        let map = self.engine.map();
        let mut query = self.engine.query();
        let mut path = Vec::new();
        for _ in 0..TRIES {
            let ends = (usable(map, random)?, usable(map, random)?);
            if let Ok(Some(route)) = query.find(ends.0, ends.1) {
                route.nodes_into(&mut path);
                let middle = path.len() / 2;
                let step = (path[middle.saturating_sub(1)], path[middle]);
                if path.len() > 2 && !self.standing.contains(&step) {
                    return Some((ends, step));
                }
            }
        }
        None
    }
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

    /// An edge drawn evenly from all, or as often one of the doubled: those would hardly ever be
    /// met again.
    fn draw(&mut self, graph: &CsrGraph, random: &mut Random) -> Changes {
        let again = !self.doubled.is_empty() && random.chance(0.5);
        let index = if again { random.below(self.doubled.len() as u64) as usize } else { 0 };
        let doubled = self.doubled.keys().nth(index).copied().filter(|_| again);
        let (tail, head) = doubled.unwrap_or_else(|| self.any(graph, random));
        let change = self.turn(graph, tail, head);
        Changes::from(vec![change])
    }

    /// Doubles the weight of an edge, or gives it back its old one.
    fn turn(&mut self, graph: &CsrGraph, tail: NodeId, head: NodeId) -> EdgeChange {
        let weight = self.doubled.remove(&(tail, head)).unwrap_or_else(|| {
            let weight = least_weight(graph, tail, head);
            self.doubled.insert((tail, head), weight);
            weight.saturating_mul(2).min(UNREACHABLE - 1)
        });
        EdgeChange::SetWeight { tail, head, weight }
    }

    fn any(&self, graph: &CsrGraph, random: &mut Random) -> (NodeId, NodeId) {
        let total = self.counts.last().copied().unwrap_or(0);
        let edge = random.below(u64::from(total)) as u32;
        let tail = self.counts.partition_point(|&count| count <= edge);
        let before = tail.checked_sub(1).map_or(0, |before| self.counts[before]);
        // Parallel edges become one when their weight is edited, so a row may have fewer than at
        // first.
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
    use portolan::Grid;
    use portolan::formats::dimacs;

    fn steps(map: Map, edits: usize) -> Vec<Step> {
        drawn(map, edits, Where::Anywhere)
    }

    fn drawn(map: Map, edits: usize, place: Where) -> Vec<Step> {
        draw(&Subject::new("x", map), edits, place, &()).unwrap()
    }

    /// Each edit changes what the first search after it costs, or leaves it as it is where another
    /// path is as short.
    #[test]
    fn edits_on_paths_lie_between_the_ends_of_the_first_search() {
        let mut map = Map::from(Grid::from_fn(20, 20, |x, y| x != 10 || y % 5 == 0).unwrap());
        let mut longer = 0;
        for (number, step) in drawn(map.clone(), 60, Where::OnPaths).iter().enumerate() {
            let first = &step.searches[0];
            let before = Reference::new(&map).costs(first.from, &[first.to])[0];
            assert_eq!(step.changes.cells.len(), if number < 8 { 1 } else { 2 });
            map.apply(&step.changes).unwrap();
            let after = Reference::new(&map).costs(first.from, &[first.to])[0];
            longer += usize::from(number < 8 && after.unwrap_or(u64::MAX) > before.unwrap());
            let Expected::Cost(told) = first.expected else { panic!("{:?}", first.expected) };
            assert_eq!(told.map(u64::from), after);
            assert!(step.searches.iter().all(|search| search.from == first.from));
            let blocked = 400 - 16 - map.usable_count();
            assert_eq!(blocked, (number + 1).min(8));
        }
        assert!(longer > 0);
    }

    #[test]
    fn weights_on_paths_are_doubled_and_given_back() {
        let text = b"p sp 4 4\na 1 2 7\na 2 3 5\na 3 4 3\na 4 1 2\n";
        let mut map = Map::from(dimacs::read_gr(text).unwrap());
        for step in drawn(map.clone(), 50, Where::OnPaths) {
            map.apply(&step.changes).unwrap();
            let Map::Graph(graph) = &map else { panic!("{map:?}") };
            for (tail, weight) in [7, 5, 3, 2].into_iter().enumerate() {
                let found = graph.edges(tail as NodeId).next().unwrap().1;
                assert!(found == weight || found == 2 * weight, "{tail}: {found}");
            }
        }
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
