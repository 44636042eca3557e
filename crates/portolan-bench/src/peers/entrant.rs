//! All contestants by name: the peers, and every engine of
//! `portolan::METHODS`.

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

/// The peer beside whom ratios are taken.
pub const BASELINE: &str = "pathfinding";

/// A crate of others, in one of its settings.
pub struct Peer {
    /// The name in tables: the crate's, and the setting where there are several.
    pub name: &'static str,
    /// The crate.
    pub package: &'static str,
    /// How it was set up, and which of our rules it cannot follow.
    pub remark: &'static str,
    prepare: fn(&Task<'_>) -> Result<Box<dyn Prepared>, Problem>,
}

/// All peers.
pub static PEERS: [Peer; 8] = [
    Peer {
        name: BASELINE,
        package: "pathfinding",
        remark: "astar with our legal steps, our integer costs and the octile bound (roads: the straight line). \
                 Prepares nothing.",
        prepare: |_| Ok(Box::new(Nothing)),
    },
    Peer {
        name: "petgraph",
        package: "petgraph",
        remark: "algo::astar on Csr, the map as a directed graph, with the same costs and bound.",
        prepare: |task| Ok(Box::new(Adjacency::new(task.map)?)),
    },
    Peer {
        name: "fast_paths",
        package: "fast_paths",
        remark: "Contraction hierarchies of the map as a directed graph. Preparing can be neither stopped nor bounded, so \
                 it runs in a process of its own under the limit. Its work counts the numbering of free cells, which it needs.",
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
        remark: "HPA* with its default options (chunks of 8) and one thread. A neighbourhood of our own forbids cutting \
                 corners. It cannot know that diagonals are longer: a step costs what its cell does, so it looks for few steps, \
                 and through some of the entrances between chunks only.",
        prepare: |task| clusters(task, "hierarchical_pathfinding", PathCacheConfig::default()),
    },
    Peer {
        name: "hierarchical_pathfinding-10",
        package: "hierarchical_pathfinding",
        remark: "The same with chunks of 10, which is what clusters of ours have.",
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
        remark: "Jump point search with diagonals. It cannot be kept from cutting corners: its diagonals need only the cell \
                 they lead to.",
        prepare: |task| jump_points(task, "grid_pathfinding", true),
    },
    Peer {
        name: "grid_pathfinding-4",
        package: "grid_pathfinding",
        remark: "The same without diagonals, the one way to have it find legal paths.",
        prepare: |task| jump_points(task, "grid_pathfinding-4", false),
    },
];

/// Someone to send into a race.
#[derive(Clone, Copy)]
pub enum Entrant {
    /// A crate of others.
    Peer(&'static Peer),
    /// An engine of ours.
    Own(&'static dyn Method),
}

impl Entrant {
    /// The one of this name; an error that lists all where there is none.
    pub fn named(name: &str) -> Result<Self, String> {
        let peer = PEERS.iter().find(|peer| peer.name == name).map(Self::Peer);
        peer.or_else(|| registry::method(name).map(Self::Own)).ok_or_else(|| {
            let known = PEERS.iter().map(|peer| peer.name);
            let known = known.chain(METHODS.iter().map(|method| method.name()));
            format!("there is no engine `{name}`; {}", names::suggestion(name, known))
        })
    }

    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Peer(peer) => peer.name,
            Self::Own(method) => method.name(),
        }
    }

    /// Prepares a map, and measures that.
    pub fn prepare(&self, task: &Task<'_>) -> Result<Ready, Problem> {
        // What is computed once for all clones of a map does not count as preparation.
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
pub struct Task<'a> {
    /// The map.
    pub map: &'a Map,
    /// Where its queries lie, for those who prepare in another process; without it they do so in
    /// this one and take what time they need.
    pub file: Option<&'a Path>,
    /// How long preparing may take in another process.
    pub time_limit: Duration,
    /// What an index of ours may take, in bytes.
    pub memory_limit: u64,
}

/// A map that was prepared, and what that took.
pub struct Ready {
    /// What answers.
    pub prepared: Box<dyn Prepared>,
    /// By the clock, where that was this process's work.
    pub time: Option<Duration>,
    /// Processor time.
    pub cpu: Duration,
    /// What is kept of it.
    pub bytes: usize,
}

/// What was made of a map.
pub trait Prepared {
    /// Creates a contestant on the same map.
    fn contestant<'a>(&'a self, map: &'a Map) -> Result<Box<dyn Contestant + 'a>, Problem>;

    /// Processor time and bytes, where it was made in another process and nothing could be counted
    /// in this one.
    fn elsewhere(&self) -> Option<(Duration, usize)> {
        None
    }

    /// The size that it reports. The allocator does not count our large arrays, which have pages of
    /// their own.
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

/// With the name that the contestant goes by.
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
        Map::Graph(_) => Err("knows grids only".into()),
    }
}

/// One of ours, on one thread as everyone.
fn build(method: &dyn Method, task: &Task<'_>) -> Result<Box<dyn Prepared>, Problem> {
    let settings = Settings { memory_limit: task.memory_limit, threads: 1, ..Settings::default() };
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
