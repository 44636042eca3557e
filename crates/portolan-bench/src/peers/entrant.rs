//! All contestants by name: the peers, and every engine in `portolan::METHODS`.

use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use hierarchical_pathfinding::PathCacheConfig;
use portolan::registry::{self, Method};
use portolan::{Engine, Grid, METHODS, Map, Settings};

use super::adjacency::{Adjacency, PetgraphAstar};
use super::clusters::{Clusters, Hierarchical};
use super::contraction::{self, FastPaths};
use super::jump_points::{JumpPoints, JumpSearch};
use super::{Pathfinding, Problem, memory};
use crate::names;
use crate::timing::{Contestant, Own};

/// The peer that speeds are relative to.
pub(crate) const BASELINE: &str = "pathfinding";

/// Another crate, with one of its settings.
pub(crate) struct Peer {
    /// The name in tables: the crate, and the setting if there are several.
    pub(crate) name: &'static str,
    /// The crate.
    pub(crate) package: &'static str,
    /// Its setup, and which of Portolan's rules it cannot follow.
    pub(crate) remark: &'static str,
    prepare: fn(&Task<'_>) -> Result<Box<dyn Prepared>, Problem>,
}

/// All peers.
pub(crate) static PEERS: [Peer; 8] = [
    Peer {
        name: BASELINE,
        package: "pathfinding",
        remark: "astar with Portolan's legal steps and integer costs, and the octile bound (roads: straight line). \
                 No preparation.",
        prepare: |_| Ok(Box::new(Nothing)),
    },
    Peer {
        name: "petgraph",
        package: "petgraph",
        remark: "algo::astar on the map as a directed Csr graph, with the same costs and bound.",
        prepare: |task| Ok(Box::new(Adjacency::new(task.map)?)),
    },
    Peer {
        name: "fast_paths",
        package: "fast_paths",
        remark: "Contraction hierarchies on the map as a directed graph. Its preparation cannot be cancelled, so it \
                 runs in a separate process with a time limit. Its work includes the numbering of free cells, which it needs.",
        prepare: |task| match task.file {
            None => Ok(Box::new(contraction::prepare(task.map))),
            Some(file) => match contraction::prepare_in_child(file, task.time_limit)? {
                Some(prepared) => Ok(Box::new(prepared)),
                None => Err(format!("not prepared in {} s", task.time_limit.as_secs()).into()),
            },
        },
    },
    Peer {
        name: "hierarchical_pathfinding",
        package: "hierarchical_pathfinding",
        remark: "HPA* with default options (chunks of 8) and one thread. A custom neighbourhood forbids cutting corners. \
                 A step costs what its cell costs, diagonal or not, so it minimises the number of steps, and it uses only some of \
                 the entrances between chunks.",
        prepare: |task| clusters(task, "hierarchical_pathfinding", PathCacheConfig::default()),
    },
    Peer {
        name: "hierarchical_pathfinding-10",
        package: "hierarchical_pathfinding",
        remark: "The same with chunks of 10, the default cluster size of hpa, dhpa and shpa.",
        prepare: |task| {
            let config = PathCacheConfig::with_chunk_size(10);
            clusters(task, "hierarchical_pathfinding-10", config)
        },
    },
    Peer {
        name: "hierarchical_pathfinding-16",
        package: "hierarchical_pathfinding",
        remark: "The same with its preset HIGH_PERFORMANCE: chunks of 16, and no plain A* for short paths.",
        prepare: |task| {
            let config = PathCacheConfig::HIGH_PERFORMANCE;
            clusters(task, "hierarchical_pathfinding-16", config)
        },
    },
    Peer {
        name: "grid_pathfinding",
        package: "grid_pathfinding",
        remark: "Jump point search with diagonals. It always cuts corners: a diagonal step needs only its target cell \
                 free.",
        prepare: |task| jump_points(task, "grid_pathfinding", true),
    },
    Peer {
        name: "grid_pathfinding-4",
        package: "grid_pathfinding",
        remark: "The same without diagonals, its only setting with legal paths.",
        prepare: |task| jump_points(task, "grid_pathfinding-4", false),
    },
];

/// A contestant by name, before it is prepared for a map.
#[derive(Clone, Copy)]
pub(crate) enum Entrant {
    /// Another crate.
    Peer(&'static Peer),
    /// An engine of Portolan.
    Own(&'static dyn Method),
}

impl Entrant {
    /// Finds an entrant by name; the error suggests known names.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let peer = PEERS.iter().find(|peer| peer.name == name).map(Self::Peer);
        peer.or_else(|| registry::method(name).map(Self::Own)).ok_or_else(|| {
            let known = PEERS.iter().map(|peer| peer.name);
            let known = known.chain(METHODS.iter().map(|method| method.name()));
            format!("there is no engine `{name}`; {}", names::suggestion(name, known))
        })
    }

    /// Its name in tables.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Peer(peer) => peer.name,
            Self::Own(method) => method.name(),
        }
    }

    /// Prepares a map, and measures time and memory.
    pub(crate) fn prepare(&self, task: &Task<'_>) -> Result<Ready, Problem> {
        // Computed once and shared by all clones of a map, so not part of the preparation.
        task.map.may_reach(0, 0);
        let (start, cpu) = (Instant::now(), ProcessTime::now());
        let (prepared, need) = memory::counted(|| match self {
            Self::Peer(peer) => (peer.prepare)(task),
            Self::Own(method) => build(*method, task),
        });
        let (time, cpu) = (start.elapsed(), cpu.elapsed());
        let prepared = prepared?;
        Ok(match prepared.elsewhere() {
            Some((cpu, bytes)) => Ready { prepared, time: None, cpu, bytes },
            None => {
                let bytes = prepared.own_bytes().max(need.kept.max(0) as usize);
                Ready { prepared, time: Some(time), cpu, bytes }
            }
        })
    }
}

/// A map to prepare.
pub(crate) struct Task<'a> {
    /// The map.
    pub(crate) map: &'a Map,
    /// The file of its queries, for peers that prepare in another process. Without it they prepare
    /// in this process, without a time limit.
    pub(crate) file: Option<&'a Path>,
    /// Time limit of a preparation in another process.
    pub(crate) time_limit: Duration,
    /// Memory limit of Portolan's indexes, in bytes.
    pub(crate) memory_limit: u64,
}

/// A prepared map, with the time and memory of the preparation.
pub(crate) struct Ready {
    /// Creates contestants.
    pub(crate) prepared: Box<dyn Prepared>,
    /// Wall time, if it was prepared in this process.
    pub(crate) time: Option<Duration>,
    /// Processor time.
    pub(crate) cpu: Duration,
    /// Memory of the index.
    pub(crate) bytes: usize,
}

/// A prepared map.
pub(crate) trait Prepared {
    /// Creates a contestant on the same map.
    fn contestant<'a>(&'a self, map: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem>;

    /// Processor time and bytes, if it was prepared in another process.
    fn elsewhere(&self) -> Option<(Duration, usize)> {
        None
    }

    /// The size that it reports. The allocator does not count mapped pages.
    fn own_bytes(&self) -> usize {
        0
    }
}

/// For peers that prepare nothing.
struct Nothing;

impl Prepared for Nothing {
    fn contestant<'a>(&'a self, map: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem> {
        Ok(Box::new(Pathfinding::new(map)?))
    }
}

impl Prepared for Adjacency {
    fn contestant<'a>(&'a self, _: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem> {
        Ok(Box::new(PetgraphAstar::new(self)))
    }
}

impl Prepared for contraction::Prepared {
    fn contestant<'a>(&'a self, map: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem> {
        Ok(Box::new(FastPaths::new(map, self)))
    }

    fn elsewhere(&self) -> Option<(Duration, usize)> {
        Some((self.cpu, self.memory_bytes()))
    }
}

/// A prepared map with the name of its contestant.
struct Named<T>(&'static str, T);

impl Prepared for Named<Clusters> {
    fn contestant<'a>(&'a self, _: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem> {
        Ok(Box::new(Hierarchical::new(self.0, &self.1)))
    }
}

impl Prepared for Named<JumpPoints> {
    fn contestant<'a>(&'a self, _: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem> {
        Ok(Box::new(JumpSearch::new(self.0, &self.1)))
    }
}

impl Prepared for Box<dyn Engine> {
    fn contestant<'a>(&'a self, _: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem> {
        Ok(Box::new(Own::new(&**self)))
    }

    fn own_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

fn clusters(
    task: &Task<'_>,
    name: &'static str,
    config: PathCacheConfig,
) -> Result<Box<dyn Prepared>, Problem> {
    Ok(Box::new(Named(name, Clusters::new(grid(task)?, config))))
}

fn jump_points(
    task: &Task<'_>,
    name: &'static str,
    diagonals: bool,
) -> Result<Box<dyn Prepared>, Problem> {
    Ok(Box::new(Named(name, JumpPoints::new(grid(task)?, diagonals))))
}

fn grid<'a>(task: &Task<'a>) -> Result<&'a Grid, Problem> {
    match task.map {
        Map::Grid(grid) => Ok(grid),
        Map::Graph(_) => Err("supports grids only".into()),
    }
}

/// Builds an engine of Portolan, on one thread like all others.
fn build(method: &dyn Method, task: &Task<'_>) -> Result<Box<dyn Prepared>, Problem> {
    let settings =
        Settings { memory_limit: task.memory_limit.into(), threads: 1, ..Settings::default() };
    Ok(Box::new(method.build(task.map, &settings)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::generate::Rooms;

    /// Its distances take megabytes, which have pages of their own.
    #[test]
    fn arrays_that_the_allocator_does_not_see_count() {
        let rooms = Rooms { width: 400, height: 400, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let time_limit = Duration::from_secs(1);
        let task = Task { map: &map, file: None, time_limit, memory_limit: 1 << 30 };
        let ready = Entrant::named("differential").unwrap().prepare(&task).unwrap();
        assert!(ready.bytes > 4_000_000, "{}", ready.bytes);
    }

    #[test]
    fn every_peer_and_every_engine_has_a_name_of_its_own() {
        let names = PEERS.iter().map(|peer| peer.name);
        let names: Vec<&str> = names.chain(METHODS.iter().map(|method| method.name())).collect();
        for (index, name) in names.iter().enumerate() {
            assert_eq!(Entrant::named(name).unwrap().name(), *name);
            assert!(!names[..index].contains(name), "{name}");
        }
        assert!(Entrant::named("teleport").is_err_and(|error| error.contains("petgraph")));
    }
}
