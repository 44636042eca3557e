//! A request that is being answered: by A* in slices, or by an engine at once.

use super::Pending;
use crate::engine::{AnyEngine, EndpointError};
use crate::graph::{CsrGraph, NodeId};
use crate::grid::Grid;
use crate::heuristic::GeometricBound;
use crate::map::Map;
use crate::search::{Counter, Progress, Resumable, Scratch};
use crate::world::{Path, Snapshot, Version};

/// A search that goes on from call to call. It holds its version of the map and none of the engines.
pub(super) struct Running {
    version: Version,
    map: Map,
    ends: (NodeId, NodeId),
    search: Search,
    found: Option<Result<Progress, EndpointError>>,
}

enum Search {
    Grid(Resumable<Grid, GeometricBound>),
    Graph(Resumable<CsrGraph, GeometricBound>),
}

/// Runs the same code on either.
macro_rules! on_search {
    ($search:expr, $inner:ident => $body:expr) => {
        match $search {
            Search::Grid($inner) => $body,
            Search::Graph($inner) => $body,
        }
    };
}

impl Running {
    /// A search that has not expanded anything yet, or what is wrong with its ends.
    pub(super) fn begin(snapshot: &Snapshot, ends: (NodeId, NodeId), scratch: Scratch) -> Pending {
        let bound = snapshot.bound_toward(ends.1);
        let search = match snapshot.map() {
            Map::Grid(grid) => {
                Resumable::with_scratch(grid.clone(), ends, bound, scratch).map(Search::Grid)
            }
            Map::Graph(graph) => {
                Resumable::with_scratch(graph.clone(), ends, bound, scratch).map(Search::Graph)
            }
        };
        match search {
            Err(error) => Pending::Done { path: Err(error), expanded: 0 },
            Ok(search) => {
                let (version, map) = (snapshot.version(), snapshot.map().clone());
                Pending::Running(Box::new(Self { version, map, ends, search, found: None }))
            }
        }
    }

    /// Gives the room back for another search.
    pub(super) fn into_scratch(self) -> Scratch {
        on_search!(self.search, search => search.into_scratch())
    }

    fn advance(&mut self, expansions: u64) -> u64 {
        let (progress, used) = on_search!(&mut self.search, search => {
            let before = search.expanded();
            (search.advance(expansions), search.expanded() - before)
        });
        if progress != Ok(Progress::Working) {
            self.found = Some(progress);
        }
        used
    }

    /// The path that was found, as one of the version.
    fn path(&self) -> Result<Option<Path>, EndpointError> {
        let Some(found) = self.found.clone() else { return Ok(None) };
        let Progress::Found { .. } = found? else { return Ok(None) };
        let mut nodes = Vec::new();
        on_search!(&self.search, search => search.path_into(&mut nodes));
        let (from, to) = self.ends;
        let path = Path::new(self.version, &self.map, nodes);
        path.map(Some).map_err(|fault| {
            let (from, to) = (self.map.location(from), self.map.location(to));
            EndpointError::InvalidPath { from, to, fault }
        })
    }
}

impl Pending {
    /// Goes on with a search; says how many nodes were expanded, one at least, so that every budget comes to an end.
    pub(super) fn advance(&mut self, expansions: u64) -> u64 {
        let used = match self {
            Self::Running(search) => search.advance(expansions),
            _ => 0,
        };
        used.max(1)
    }

    /// Turns a search that has come to its end into its answer; gives its room back.
    pub(super) fn finish(&mut self) -> Option<Scratch> {
        let Self::Running(search) = self else { return None };
        search.found.as_ref()?;
        let expanded = on_search!(&search.search, search => search.expanded());
        let done = Self::Done { path: search.path(), expanded };
        match std::mem::replace(self, done) {
            Self::Running(search) => Some(search.into_scratch()),
            _ => None,
        }
    }
}

/// Answers requests by an engine, one query for all; says how many nodes were expanded, one at least for each, and how
/// many by the dearest.
pub(super) fn answer_whole(
    engine: &dyn AnyEngine,
    snapshot: &Snapshot,
    requests: &mut [&mut Pending],
) -> [u64; 2] {
    let mut query = engine.query();
    let (mut used, mut dearest) = (0, 1);
    for request in requests {
        let Pending::Waiting { from, to } = **request else { continue };
        let mut counter = Counter::default();
        let found = query.find_observed(from, to, &mut counter);
        let found = found.map(|route| route.map(|route| route.nodes().collect::<Vec<_>>()));
        let path = found.and_then(|nodes| {
            let path = nodes.map(|nodes| snapshot.adopt(nodes)).transpose();
            path.map_err(|fault| {
                let (from, to) = (snapshot.map().location(from), snapshot.map().location(to));
                EndpointError::InvalidPath { from, to, fault }
            })
        });
        **request = Pending::Done { path, expanded: counter.expanded };
        used += counter.expanded.max(1);
        dearest = counter.expanded.max(dearest);
    }
    [used, dearest]
}
