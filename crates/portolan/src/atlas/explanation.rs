//! One query of an [`Atlas`] in detail, for programs that show how it works.

use super::engine::Atlas;
use super::index::Index;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::{EndpointError, on_graph};
use crate::search::check_node;

/// How an [`Atlas`] finds one path.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig, Meeting};
/// use portolan::{Build, Grid, Map};
/// // A wall with a gap at its end.
/// let grid = Grid::from_fn(9, 9, |x, y| x != 4 || y == 8)?;
/// let (from, to) = (grid.node(0, 0).unwrap(), grid.node(8, 0).unwrap());
/// let atlas = Atlas::build(&Map::from(grid), &AtlasConfig::default())?;
/// let explained = atlas.explain(from, to)?.expect("the wall has a gap");
/// let Meeting::Hub(hub) = explained.meeting else { panic!("the path has two bends") };
/// let cost = |row: &[(u32, u32)]| row.iter().find(|(node, _)| *node == hub).unwrap().1;
/// assert_eq!(cost(&explained.start.row) + cost(&explained.goal.row), explained.cost);
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtlasExplanation {
    /// The cost of the path.
    pub cost: Cost,
    /// How both halves of the path meet.
    pub meeting: Meeting,
    /// What the start is joined by.
    pub start: ExplainedEnd,
    /// What the goal is joined by.
    pub goal: ExplainedEnd,
}

/// How both halves of a path meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Meeting {
    /// The goal is in line of sight: one run.
    Sight,
    /// Both ends see this subgoal: two runs.
    Bend(NodeId),
    /// At the node with the least sum of both rows or, without labels, of both climbs.
    Hub(NodeId),
    /// Nowhere: a search of one leaf, one tree or one chain found the path.
    Local,
}

/// What the query reads for one end of a path. Costs are those of the index: on graphs with edges
/// of zero weight they are scaled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExplainedEnd {
    /// The subgoals that the end sees, in the forms for grids of one terrain; otherwise the nodes
    /// through which it reaches the core. With the cost of the way there.
    pub seen: Vec<(NodeId, Cost)>,
    /// The nodes whose rows are joined. Bounds may rule out some of those seen.
    pub joined: Vec<NodeId>,
    /// The hubs of these rows with the least cost to each over all rows, from the root of the
    /// separator tree down. Empty without labels.
    pub row: Vec<(NodeId, Cost)>,
    /// The nodes at which the hops toward the meeting end, the meeting included.
    pub hops: Vec<NodeId>,
}

impl Atlas {
    /// Explains a query. `None` if there is no path, and if a search would answer: where the memory
    /// limit holds no more, after edits of an index for grids of one terrain, or where a cost does
    /// not fit into it.
    pub fn explain(
        &self,
        from: NodeId,
        to: NodeId,
    ) -> Result<Option<AtlasExplanation>, EndpointError> {
        on_graph!(self.index.map(), graph => check_node(graph, from).and(check_node(graph, to)))?;
        Ok(match &self.index {
            Index::General(index) => index.explain(from, to),
            Index::Uniform(index) => index.explain(from, to),
            Index::Search(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{AtlasConfig, Form};
    use crate::cost::UNREACHABLE;
    use crate::generate::{Obstacles, Roads, Rooms};
    use crate::random::Random;
    use crate::{Build, Connectivity, Engine, Map, Query};
    use std::collections::HashMap;

    /// Compares explanations with answers, and what they say with each other.
    fn check(map: impl Into<Map>, config: &AtlasConfig) -> usize {
        let map = map.into();
        let atlas = Atlas::build(&map, config).unwrap();
        let mut query = atlas.query();
        let mut random = Random::new(7);
        let mut hubs = 0;
        for _ in 0..60 {
            let [from, to] = [0; 2].map(|_| random.below(map.node_count() as u64) as NodeId);
            if !map.contains(from) || !map.contains(to) {
                continue;
            }
            let answer = query
                .find(from, to)
                .unwrap()
                .map(|route| (route.cost(), route.nodes().collect::<Vec<_>>()));
            let explained = atlas.explain(from, to).unwrap();
            assert_eq!(explained.as_ref().map(|it| it.cost), answer.as_ref().map(|it| it.0));
            let (Some(explained), Some((cost, path))) = (explained, answer) else { continue };
            let AtlasExplanation { meeting, start, goal, .. } = explained;
            let Meeting::Hub(hub) = meeting else { continue };
            assert!(path.contains(&hub));
            assert_eq!((start.hops.last(), goal.hops.last()), (Some(&hub), Some(&hub)));
            assert!(start.hops.iter().chain(&goal.hops).all(|node| path.contains(node)));
            assert!(start.seen.len() >= start.joined.len().min(1));
            if start.row.is_empty() {
                continue;
            }
            hubs += 1;
            let goals: HashMap<NodeId, Cost> = goal.row.iter().copied().collect();
            assert_eq!(goals.len(), goal.row.len(), "every hub once");
            let sum = |&(node, cost): &(NodeId, Cost)| {
                goals.get(&node).map_or(UNREACHABLE, |&rest| cost.saturating_add(rest))
            };
            assert_eq!(start.row.iter().map(sum).min(), Some(cost));
            let met = start.row.iter().find(|(node, _)| *node == hub).unwrap();
            assert_eq!(sum(met), cost);
        }
        hubs
    }

    #[test]
    fn explanations_agree_with_answers_in_all_forms() {
        let rooms = Rooms { width: 60, height: 40, room: 8, ..Rooms::default() };
        let rooms = rooms.generate().unwrap();
        for form in [Form::Fastest, Form::General, Form::Climb] {
            let hubs = check(rooms.clone(), &AtlasConfig { form, ..AtlasConfig::default() });
            assert!(hubs > 10 || form == Form::Climb, "{form:?}: {hubs}");
        }
        let four = rooms.clone().with_connectivity(Connectivity::Four);
        assert!(check(four, &AtlasConfig::default()) > 10);
        let noise = Obstacles { width: 60, height: 40, blocked: 0.2, ..Obstacles::default() };
        assert!(check(noise.generate().unwrap(), &AtlasConfig::default()) > 0);
        let roads = Roads { nodes: 600, ..Roads::default() }.generate().unwrap();
        assert!(check(roads, &AtlasConfig::default()) > 10);
    }

    #[test]
    fn labels_in_codes_are_explained_too() {
        let noise = Obstacles { width: 128, height: 128, blocked: 0.1, ..Obstacles::default() };
        let map = Map::from(noise.generate().unwrap());
        let form = Form::Uniform;
        let plain = Atlas::build(&map, &AtlasConfig { form, ..AtlasConfig::default() }).unwrap();
        let memory_limit = (plain.memory_bytes() as u64 / 2).into();
        let config = AtlasConfig { form, memory_limit, ..AtlasConfig::default() };
        let atlas = Atlas::build(&map, &config).unwrap();
        assert!(atlas.form().to_string().contains("one byte"), "{}", atlas.form());
        assert!(check(map, &config) > 10);
    }

    #[test]
    fn near_ends_need_no_hub_and_bad_ones_are_refused() {
        let map = Map::from(crate::Grid::from_fn(9, 9, |x, y| (x, y) != (4, 4)).unwrap());
        let atlas = Atlas::build(&map, &AtlasConfig::default()).unwrap();
        assert_eq!(atlas.explain(0, 8).unwrap().unwrap().meeting, Meeting::Sight);
        assert!(atlas.explain(0, 81).is_err() && atlas.explain(0, 40).is_err());
        let walled = Map::from(crate::Grid::from_fn(9, 9, |x, _| x != 4).unwrap());
        let walled = Atlas::build(&walled, &AtlasConfig::default()).unwrap();
        assert_eq!(walled.explain(0, 8).unwrap(), None);
        let changes = crate::Changes::new().block(20);
        let mut edited = map.clone();
        edited.apply(&changes).unwrap();
        assert_eq!(atlas.refreshed(&edited, &changes).unwrap().explain(0, 8).unwrap(), None);
    }
}
