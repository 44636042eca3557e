//! Maps for the page: the gallery, generated maps, dropped files.

use portolan::{CsrGraph, Graph, Map, NodeId, Point};
use serde::{Deserialize, Serialize};

use super::Topic;
use crate::error::{LabError, bad_request};
use crate::maps::{GALLERY, Kind, MapChoice, cell_values};
use crate::task::{Reply, Task};
use crate::wire::Part;

/// Nodes after which a request looks whether it is cancelled.
const NODES_PER_CHECK: NodeId = 1 << 12;

#[derive(Debug, Default)]
pub(super) struct Maps;

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// What there is to choose from.
    List,
    /// The map, to be drawn.
    Open { map: MapChoice },
    /// Keeps a dropped file, whose bytes are the part `file`. Coordinates of a road network may
    /// come with it, as the part `coordinates`.
    Drop { name: String },
}

/// What the page knows about a map.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Described {
    Grid { width: u32, height: u32, passable: usize, terrain: bool, memory: usize },
    Graph { nodes: usize, edges: usize, unit: u32, has_coordinates: bool, memory: usize },
}

impl Topic for Maps {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        match ask {
            Ask::List => Ok(Reply::new(serde_json::json!({
                "gallery": GALLERY,
                "kinds": Kind::ALL.map(Kind::described),
                "limits": task.shelf.limits(),
            }))),
            Ask::Open { map } => open(&*task.shelf.map(&map, task)?, task),
            Ask::Drop { name } => {
                let Part::U8(bytes) = task.part("file")? else {
                    return Err(bad_request("the part `file` holds bytes"));
                };
                let coordinates = match task.part("coordinates") {
                    Ok(Part::U8(bytes)) => Some(&bytes[..]),
                    _ => None,
                };
                let source = task.shelf.keep_file(&name, bytes, coordinates)?;
                Ok(Reply::new(serde_json::json!({ "source": source })))
            }
        }
    }
}

/// The map with its picture: a byte per cell (0 for blocked ones, else the terrain), or the
/// coordinates and edges of a graph.
fn open(map: &Map, task: &Task<'_>) -> Result<Reply, LabError> {
    let memory = map.memory_bytes();
    match map {
        Map::Grid(grid) => {
            let (width, height) = (grid.width(), grid.height());
            let (passable, terrain) = (grid.passable_count(), grid.has_terrain());
            let described = Described::Grid { width, height, passable, terrain, memory };
            Ok(Reply::new(described).with("cells", cell_values(grid)))
        }
        Map::Graph(graph) => {
            let nodes = graph.node_count();
            let points = graph.coordinates();
            let described = Described::Graph {
                nodes,
                edges: graph.edge_count(),
                unit: graph.unit(),
                has_coordinates: points.is_some(),
                memory,
            };
            let reply = Reply::new(described).with("edges", roads(graph, task)?);
            Ok(match points {
                None => reply,
                Some(points) => reply.with("points", from_corner(points)),
            })
        }
    }
}

/// The two ends of each road, one after the other. A road that leads both ways comes once.
fn roads(graph: &CsrGraph, task: &Task<'_>) -> Result<Vec<NodeId>, LabError> {
    let mut ends = Vec::with_capacity(graph.edge_count());
    for tail in 0..graph.node_count() as NodeId {
        if tail % NODES_PER_CHECK == 0 {
            task.check()?;
        }
        ends.extend(graph.edges(tail).map(|(head, _)| [tail.min(head), tail.max(head)]));
    }
    task.check()?;
    ends.sort_unstable();
    ends.dedup();
    Ok(ends.into_flattened())
}

/// Coordinates relative to the least ones, which leaves fractions of 32 bits enough digits.
fn from_corner(points: &[Point]) -> Vec<f32> {
    let x = points.iter().map(|point| point.x).min().unwrap_or(0);
    let y = points.iter().map(|point| point.y).min().unwrap_or(0);
    points
        .iter()
        .flat_map(|point| [point.x.abs_diff(x) as f32, point.y.abs_diff(y) as f32])
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use serde_json::json;

    use crate::testing::{View, numbers};
    use crate::wire::Frame;

    #[test]
    fn a_star_is_opened_with_each_road_once() {
        const LEAVES: u32 = 200_000;
        let mut file = format!("p sp {} {}\n", LEAVES + 1, 2 * LEAVES);
        for leaf in 2..LEAVES + 2 {
            writeln!(file, "a 1 {leaf} 1\na {leaf} 1 1").unwrap();
        }
        let mut view = View::new();
        let drop = json!({ "topic": "maps", "do": "drop", "name": "star.gr" });
        let answer = view.ask_with(Frame::new(drop).with("file", file.into_bytes()));
        let map = json!({ "source": answer.header["data"]["source"] });
        let open = view.ask(json!({ "topic": "maps", "do": "open", "map": map }));
        let edges = numbers(&open, "edges");
        assert_eq!(edges.len(), 2 * LEAVES as usize);
        let roads = edges.chunks(2).zip(1..);
        assert!(roads.into_iter().all(|(road, leaf)| road == [0, leaf]));
    }
}
