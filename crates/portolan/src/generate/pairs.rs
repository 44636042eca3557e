//! Random queries on any map.

use super::{GenerateError, Random};
use crate::graph::{Endpoints, Graph, NodeId, strong_components};
use crate::map::Map;

/// Random queries with a path in both directions.
///
/// The start is drawn from all usable nodes, the goal from its strongly connected component. The
/// two differ, unless the component has one node.
///
/// ```
/// use portolan::Map;
/// use portolan::generate::{Pairs, Rooms};
/// let map = Map::from(Rooms::default().generate()?);
/// let pairs = Pairs { count: 50, ..Pairs::default() }.generate(&map)?;
/// assert_eq!(pairs.len(), 50);
/// assert!(pairs.iter().all(|&(from, to)| map.may_reach(from, to)));
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// The number of queries.
    pub count: usize,
    /// Whether near and far goals should be about equally frequent, by straight-line distance.
    /// Otherwise goals are drawn evenly over the map, and few are near. Has no effect without
    /// coordinates.
    pub even_lengths: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { count: 1000, even_lengths: true, seed: 0 }
    }
}

const MAX_PAIRS: u64 = 1 << 30;

/// The number of goals from which the one closest to the wanted distance is chosen.
const CANDIDATES: usize = 24;

impl Pairs {
    /// Generates the queries, as starts and goals.
    pub fn generate(&self, map: &Map) -> Result<Vec<Endpoints>, GenerateError> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        super::check_number("count", self.count as u64, 0u64, MAX_PAIRS)?;
        let nodes = UsableNodes::of(map);
        if nodes.members.is_empty() {
            return Err(GenerateError::NoUsableNode);
        }
        let mut random = Random::new(self.seed);
        Ok((0..self.count).map(|_| self.pair(map, &nodes, &mut random)).collect())
    }

    fn pair(&self, map: &Map, nodes: &UsableNodes, random: &mut Random) -> Endpoints {
        let start = random.below(nodes.members.len() as u64) as usize;
        let from = nodes.members[start].1;
        let mut goals: [NodeId; CANDIDATES] = [from; CANDIDATES];
        let candidates = if self.even_lengths { CANDIDATES } else { 1 };
        for goal in &mut goals[..candidates] {
            *goal = nodes.draw_goal(start, random);
        }
        let goals = &goals[..candidates];
        let distances: Option<Vec<f64>> = goals.iter().map(|&to| distance(map, from, to)).collect();
        let Some(distances) = distances else { return (from, goals[0]) };
        let farthest = distances.iter().copied().fold(0.0, f64::max);
        let wanted = random.unit() * farthest;
        let off = |index: &usize| (distances[*index] - wanted).abs();
        let best = (0..goals.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        (from, goals[best])
    }
}

/// The usable nodes, sorted by strongly connected component.
struct UsableNodes {
    /// The name of the component, and the node.
    members: Vec<Endpoints>,
}

impl UsableNodes {
    fn of(map: &Map) -> Self {
        let nodes = 0..map.node_count() as NodeId;
        let mut members: Vec<Endpoints> = match map {
            Map::Grid(grid) => nodes
                .filter_map(|node| {
                    let (x, y) = grid.position(node)?;
                    Some((grid.component(x, y)?, node))
                })
                .collect(),
            Map::Graph(graph) => {
                let strong = strong_components(graph);
                nodes
                    .filter(|&node| graph.contains(node))
                    .filter_map(|node| Some((strong.of(node)?, node)))
                    .collect()
            }
        };
        members.sort_unstable();
        Self { members }
    }

    /// Another node of the same component, or the node itself if there is no other.
    fn draw_goal(&self, start: usize, random: &mut Random) -> NodeId {
        let component = self.members[start].0;
        let first = self.members.partition_point(|&(name, _)| name < component);
        let end = self.members.partition_point(|&(name, _)| name <= component);
        let drawn = first + random.below((end - first).saturating_sub(1) as u64) as usize;
        let index = if drawn >= start && end - first > 1 { drawn + 1 } else { drawn };
        self.members[index].1
    }
}

/// The straight-line distance of two nodes in the map's own unit; `None` without coordinates.
fn distance(map: &Map, a: NodeId, b: NodeId) -> Option<f64> {
    let position = |node: NodeId| match map {
        Map::Grid(grid) => grid.position(node).map(|(x, y)| (f64::from(x), f64::from(y))),
        Map::Graph(graph) => {
            let point = graph.coordinates()?.get(node as usize)?;
            Some((f64::from(point.x), f64::from(point.y)))
        }
    };
    let (a, b) = (position(a)?, position(b)?);
    let (dx, dy) = (a.0 - b.0, a.1 - b.1);
    Some((dx * dx + dy * dy).sqrt())
}
