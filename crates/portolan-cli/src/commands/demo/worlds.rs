//! The maps of the demonstration, and a small one for the terminal.

use std::path::Path;

use portolan::formats::{dimacs, movingai};
use portolan::generate::{Caves, GenerateError, Roads, Rooms};
use portolan::{Map, NodeId};
use portolan_bench::engines::{self, PLAIN};
use portolan_bench::picture::{Key, Searched};
use portolan_bench::text::grouped;
use portolan_bench::workload::{Expected, Query, Subject, Workload};

use crate::error::Error;
use crate::files;

/// A map of the demonstration.
pub(super) struct World {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    make: fn() -> Result<Map, GenerateError>,
}

const WIDTH: u32 = 192;
const HEIGHT: u32 = 128;

pub(super) const WORLDS: [World; 3] = [
    World {
        name: "rooms.map",
        title: "Rooms with doors",
        make: || {
            let rooms =
                Rooms { width: WIDTH, height: HEIGHT, room: 12, seed: 4, ..Rooms::default() };
            Ok(rooms.generate()?.into())
        },
    },
    World {
        name: "cave.map",
        title: "A cave",
        make: || {
            let (width, height) = (WIDTH, HEIGHT);
            let cave = Caves { width, height, grain: 3, fill: 0.45, seed: 8, ..Caves::default() };
            Ok(cave.generate()?.into())
        },
    },
    World {
        name: "roads.gr",
        title: "A road network",
        make: || Ok(Roads { nodes: 3000, seed: 3, ..Roads::default() }.generate()?.into()),
    },
];

/// What an index may take; with more, cutting regions for portals takes longer than a demonstration
/// should.
const MEMORY: u64 = 8 << 20;

/// Small enough for a terminal of 80 columns.
pub(super) const SMALL: Rooms =
    Rooms { width: 73, height: 37, room: 9, doors: 0.7, connected: true, seed: 5 };

impl World {
    /// Makes the map, as if it had been read from this folder.
    pub(super) fn load(&self, folder: &Path, threads: usize) -> Result<Subject, Error> {
        let map = (self.make)().map_err(portolan_bench::Error::Generate)?;
        let mut subject = Subject::new(folder.join(self.name), map);
        subject.settings.threads = threads;
        subject.settings.memory_limit = MEMORY.into();
        Ok(subject)
    }
}

/// `192 x 128 cells`, or nodes and edges.
pub(super) fn size(map: &Map) -> String {
    match map {
        Map::Grid(grid) => format!("{} x {} cells", grid.width(), grid.height()),
        Map::Graph(graph) => {
            let (nodes, edges) = (map.node_count(), graph.edge_count());
            format!("{} nodes, {} edges", grouped(nodes), grouped(edges))
        }
    }
}

/// The query with the longest path.
pub(super) fn longest(workload: &Workload) -> Option<&Query> {
    workload.queries.iter().max_by_key(|query| match query.expected {
        Expected::Cost(cost) => cost,
        Expected::Length(_) | Expected::Overflow => None,
    })
}

/// What A* expands, and the path it finds.
pub(super) fn search(
    subject: &Subject,
    (from, to): (NodeId, NodeId),
) -> Result<(Searched, Vec<NodeId>), Error> {
    let engine = engines::build_named(PLAIN, subject)?;
    let mut searched = Searched::new(subject.map.node_count());
    let mut path = Vec::new();
    let mut asked = engine.query();
    let route =
        asked.find_observed(from, to, &mut searched).map_err(|error| subject.refused(&error))?;
    if let Some(route) = route {
        route.nodes_into(&mut path);
    }
    Ok((searched, path))
}

/// The legend of a search.
pub(super) fn keys(map: &Map) -> &'static [Key] {
    match map {
        Map::Grid(_) => &[Key::Start, Key::Goal, Key::Path, Key::Searched, Key::Walls],
        Map::Graph(_) => &[Key::Start, Key::Goal, Key::Path, Key::Searched, Key::Roads],
    }
}

/// Writes the map, and the coordinates of a graph beside it.
pub(super) fn write(subject: &Subject) -> Result<(), Error> {
    match &subject.map {
        Map::Grid(grid) => {
            files::write(&subject.path, |mut out| movingai::write_map(grid, &mut out))
        }
        Map::Graph(graph) => {
            files::write(&subject.path, |mut out| dimacs::write_gr(graph, &mut out))?;
            let points = graph.coordinates().unwrap_or(&[]);
            let file = subject.path.with_extension("co");
            files::write(&file, |mut out| dimacs::write_co(points, &mut out))
        }
    }
}
