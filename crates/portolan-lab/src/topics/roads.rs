//! Paths on road networks: what a search touches, and what it takes.

use std::collections::HashSet;

use portolan::atlas::Atlas;
use portolan::{Cost, EndpointError, Engine, Map, NodeId};
use portolan_bench::picture;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Topic;
use super::observed::{Trace, time_of};
use crate::error::LabError;
use crate::maps::MapChoice;
use crate::shelf::EngineChoice;
use crate::task::{Reply, Task};

#[derive(Debug, Default)]
pub(super) struct Roads;

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// How much a unit of x is drawn narrower than one of y.
    Proportions { map: MapChoice },
    /// A shortest path, and the nodes that the engine expanded in their order. For an engine that
    /// searches nothing, those whose stored distances it adds up.
    Path { map: MapChoice, engine: EngineChoice, from: NodeId, to: NodeId },
}

/// What a query found and took.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// Absent if there is no path.
    cost: Option<Cost>,
    steps: usize,
    expanded: u64,
    /// Nodes whose stored distances to both ends were added up.
    compared: usize,
    micros: f64,
    build_millis: f64,
    index_bytes: usize,
    form: Option<String>,
}

impl Topic for Roads {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        match ask {
            Ask::Proportions { map } => {
                let map = task.shelf.map(&map, task)?;
                let points = match &*map {
                    Map::Graph(graph) => graph.coordinates().unwrap_or_default(),
                    Map::Grid(_) => &[],
                };
                Ok(Reply::new(json!({ "x": picture::shrink_of_x(points) })))
            }
            Ask::Path { map: choice, engine, from, to } => {
                let map = task.shelf.map(&choice, task)?;
                let built = task.shelf.engine((&choice, &map), &engine, task)?;
                let mut query = built.engine.query();
                let mut trace = Trace::distinct(map.node_count());
                let mut path = Vec::new();
                let cost = query.find_observed(from, to, &mut trace)?.map(|route| {
                    route.nodes_into(&mut path);
                    route.cost()
                });
                let compared = match trace.expanded {
                    0 => compared_hubs(&*built.engine, (from, to))?,
                    _ => Vec::new(),
                };
                let time = time_of(&mut *query, (from, to), task)?;
                let answer = Answer {
                    cost,
                    steps: path.len().saturating_sub(1),
                    expanded: trace.expanded,
                    compared: compared.len(),
                    micros: 1e6 * time.as_secs_f64(),
                    build_millis: 1e3 * built.build.as_secs_f64(),
                    index_bytes: built.engine.memory_bytes(),
                    form: built.engine.form().map(|form| form.to_string()),
                };
                let touched = if trace.expanded == 0 { compared } else { trace.order };
                Ok(Reply::new(answer).with("order", touched).with("path", path))
            }
        }
    }
}

/// The nodes whose distances to both ends an atlas adds up, from the root of its separator tree
/// down. The least sum is the cost of the path.
fn compared_hubs(
    engine: &dyn Engine,
    (from, to): (NodeId, NodeId),
) -> Result<Vec<NodeId>, EndpointError> {
    let atlas: Option<&Atlas> = engine.downcast_ref();
    let explained = atlas.map(|atlas| atlas.explain(from, to)).transpose()?.flatten();
    let Some(explained) = explained else { return Ok(Vec::new()) };
    let of_goal: HashSet<NodeId> = explained.goal.row.iter().map(|&(hub, _)| hub).collect();
    let of_start = explained.start.row.iter().map(|&(hub, _)| hub);
    Ok(of_start.filter(|hub| of_goal.contains(hub)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::testing::{View, numbers};
    use crate::wire::Frame;

    fn network() -> Value {
        json!({ "source": { "from": "generated", "kind": "roads", "size": 1, "grain": 10, "seed": 4 } })
    }

    fn path(engine: &str, from: u32, to: u32) -> Value {
        let engine = json!({ "name": engine });
        json!({ "topic": "roads", "do": "path", "map": network(), "engine": engine, "from": from, "to": to })
    }

    #[test]
    fn paths_cost_what_a_plain_search_finds() {
        let roads = portolan::generate::Roads {
            nodes: 1000,
            one_way: 0.1,
            seed: 4,
            ..portolan::generate::Roads::default()
        };
        let map = Map::from(roads.generate().unwrap());
        let mut view = View::new();
        for engine in ["astar", "bidirectional", "differential", "ppa", "atlas"] {
            for (from, to) in [(0, 700), (999, 3), (5, 5)] {
                let answer = view.ask(path(engine, from, to));
                let right = portolan_testkit::reference::distances(&map, from)[to as usize];
                let data = &answer.header["data"];
                assert_eq!(data["cost"].as_u64(), right, "{engine}");
                let (nodes, order) = (numbers(&answer, "path"), numbers(&answer, "order"));
                let walked = map.walk(nodes.iter().copied()).ok().map(u64::from);
                assert_eq!(walked, right, "{engine}");
                assert_eq!((nodes.first(), nodes.last()), (Some(&from), Some(&to)));
                assert_eq!(data["steps"], nodes.len() - 1);
                let mut distinct = order.to_vec();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), order.len(), "{engine}");
                let searches = data["expanded"] != 0;
                assert!(!searches || data["compared"] == 0);
                assert!(!searches || data["expanded"].as_u64() >= Some(order.len() as u64));
                if engine == "atlas" && from != to {
                    assert!(!searches, "labels are looked up");
                    assert_eq!(data["compared"], order.len());
                    // Some hub lies on the path, and its distances add up to the cost.
                    let from_start = portolan_testkit::reference::distances(&map, from);
                    let on_path = order.iter().filter(|hub| nodes.contains(hub));
                    assert!(on_path.clone().count() > 0);
                    for &hub in on_path {
                        let rest = portolan_testkit::reference::distances(&map, hub)[to as usize];
                        let sum = from_start[hub as usize].unwrap() + rest.unwrap();
                        assert_eq!(Some(sum), right);
                    }
                }
                if engine == "astar" {
                    assert_eq!((order.first(), order.last()), (Some(&from), Some(&to)));
                }
            }
        }
    }

    #[test]
    fn a_degree_of_longitude_is_narrower_in_the_north() {
        let mut view = View::new();
        let network = b"p sp 2 1\na 1 2 5\n".to_vec();
        let places = b"p aux sp co 2\nv 1 6000000 60000000\nv 2 6100000 60000000\n".to_vec();
        let drop = json!({ "topic": "maps", "do": "drop", "name": "north.gr" });
        let drop = Frame::new(drop).with("file", network).with("coordinates", places);
        let map = json!({ "source": view.ask_with(drop).header["data"]["source"] });
        let answer = view.ask(json!({ "topic": "roads", "do": "proportions", "map": map }));
        let x = answer.header["data"]["x"].as_f64().unwrap();
        assert!((x - 0.5).abs() < 1e-9, "{x}");
    }

    #[test]
    fn bad_requests_are_refused() {
        let mut view = View::new();
        for (from, to) in [(0, 1000), (u32::MAX, 0)] {
            assert!(!view.refusal(path("astar", from, to)).is_empty());
        }
        let message = view.refusal(path("hpa", 0, 1));
        assert!(message.contains("hpa"), "{message}");
        assert!(view.refusal(path("astra", 0, 1)).contains("astra"));
    }
}
