//! Answers requests: by A* in slices, or by an engine in one go.

use std::sync::Arc;
use std::time::Instant;

use super::{Pending, RequestId};
use crate::engine::{Engine, Query, ScratchPool};
use crate::graph::{CsrGraph, Endpoints};
use crate::grid::Grid;
use crate::heuristic::GeometricBound;
use crate::location::Location;
use crate::map::{EndpointError, Map, on_graph};
use crate::route::OwnedPath;
use crate::search::{Counter, Resumable, Scratch, SearchState, check_ends};
use crate::world::ground::Layer;
use crate::world::path::Path;
use crate::world::{Snapshot, Version, WorldError};

/// The number of expansions between two readings of the clock. A reading takes less time than one
/// expansion.
const CLOCK_SLICE: u64 = 32;

/// The ends of a requested path, and the size of the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestEnds {
    pub(super) from: Location,
    pub(super) to: Location,
    pub(super) size: u32,
}

/// The shared input of all requests in a call of `advance`.
pub(super) struct Call<'a> {
    /// The version for each size of units.
    sized: &'a [Snapshot],
    /// The engine for each size, if it is ready.
    engines: Vec<Option<&'a dyn Engine>>,
    /// No work begins after this.
    deadline: Option<Instant>,
    /// Scratch space for searches.
    spare: &'a ScratchPool<Scratch>,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        sized: &'a [Snapshot],
        engine: Option<&str>,
        deadline: Option<Instant>,
        spare: &'a ScratchPool<Scratch>,
    ) -> Self {
        let engines = sized.iter().map(|snapshot| snapshot.engine(engine?)).collect();
        Self { sized, engines, deadline, spare }
    }

    /// Whether an engine answers, instead of a search.
    pub(super) fn has_engine(&self, ends: &RequestEnds) -> bool {
        self.layer(ends).is_some_and(|layer| self.engines[layer].is_some())
    }

    /// Continues the search for a request. Returns the number of expansions, at least one, so that
    /// every budget ends.
    pub(super) fn search(&self, pending: &mut Pending, expansions: u64) -> u64 {
        if self.is_over() {
            return 0;
        }
        if let Pending::Waiting(ends) = pending {
            *pending = match self.begin(ends) {
                Ok(search) => Pending::Running(Box::new(search)),
                Err(error) => Pending::Done { path: Err(error), expanded: 0 },
            };
        }
        let Pending::Running(search) = pending else { return 1 };
        let (progress, used) = self.advance(search, expansions);
        if progress != Ok(SearchState::Working) {
            let (path, expanded) = (search.path(progress), search.expanded());
            let done = Pending::Done { path: path.map_err(WorldError::from), expanded };
            if let Pending::Running(search) = std::mem::replace(pending, done) {
                self.spare.put_back(search.into_scratch().into());
            }
        }
        used.max(1)
    }

    /// Expands at most `expansions` nodes of a search, and stops at the deadline. Returns the state
    /// of the search and the number of expansions.
    ///
    /// The clock is read before each slice, and the first time after scratch space was taken: new
    /// space may have to be cleared, and the first search in it waits for the system at every page.
    fn advance(
        &self,
        search: &mut Running,
        expansions: u64,
    ) -> (Result<SearchState, EndpointError>, u64) {
        let slice = if self.deadline.is_some() { CLOCK_SLICE } else { expansions };
        let mut used = 0;
        loop {
            let most = if self.is_over() { 0 } else { slice.min(expansions - used) };
            let (progress, more) = search.advance(most);
            used += more;
            if progress != Ok(SearchState::Working) || most == 0 || used >= expansions {
                return (progress, used);
            }
        }
    }

    /// Answers requests by engines. Returns the number of expansions, at least one per request, and
    /// the most for one request.
    pub(super) fn answer(&self, requests: &mut [(RequestId, &mut Pending)]) -> [u64; 2] {
        let mut queries: Vec<Option<Box<dyn Query + '_>>> = Vec::new();
        queries.resize_with(self.sized.len(), || None);
        let (mut used, mut most) = (0, 1);
        for (_, pending) in requests {
            if self.is_over() {
                break;
            }
            let Pending::Waiting(ends) = **pending else { continue };
            let mut counter = Counter::default();
            let path = self.answer_one(&ends, &mut queries, &mut counter);
            **pending = Pending::Done { path, expanded: counter.expanded };
            used += counter.expanded.max(1);
            most = counter.expanded.max(most);
        }
        [used, most]
    }

    fn answer_one<'q>(
        &'q self,
        ends: &RequestEnds,
        queries: &mut [Option<Box<dyn Query + 'q>>],
        counter: &mut Counter,
    ) -> Result<Option<Path>, WorldError> {
        let (layer, snapshot) = self.snapshot(ends)?;
        let (from, to) = snapshot.ends(ends.from, ends.to)?;
        let query = queries[layer].get_or_insert_with(|| match self.engines[layer] {
            Some(engine) => engine.query(),
            None => snapshot.query(),
        });
        let route = query.find_observed(from, to, counter)?;
        let path = route.map(|route| snapshot.path((from, to), &route)).transpose();
        Ok(path?)
    }

    /// Begins the search for a request.
    fn begin(&self, ends: &RequestEnds) -> Result<Running, WorldError> {
        let (_, snapshot) = self.snapshot(ends)?;
        let ends = snapshot.ends(ends.from, ends.to)?;
        // Checked before scratch space is taken, because an error would drop it.
        on_graph!(snapshot.map(), graph => check_ends(graph, ends))?;
        let bound = snapshot.bound_toward(ends.1);
        let scratch = *self.spare.take();
        let search = match snapshot.map() {
            Map::Grid(grid) => {
                Search::Grid(Resumable::with_scratch(grid.clone(), ends, bound, scratch)?)
            }
            Map::Graph(graph) => {
                Search::Graph(Resumable::with_scratch(graph.clone(), ends, bound, scratch)?)
            }
        };
        let layer = Arc::clone(snapshot.layer());
        Ok(Running { version: snapshot.version(), layer, ends, search })
    }

    fn snapshot(&self, ends: &RequestEnds) -> Result<(usize, &'a Snapshot), WorldError> {
        let layer = self.layer(ends).ok_or_else(|| self.sized[0].no_size(ends.size))?;
        Ok((layer, &self.sized[layer]))
    }

    fn layer(&self, ends: &RequestEnds) -> Option<usize> {
        self.sized.iter().position(|snapshot| snapshot.size() == ends.size)
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A search that continues from call to call. It keeps its version of the map alive, but no engine.
pub(super) struct Running {
    version: Version,
    layer: Arc<Layer>,
    ends: Endpoints,
    search: Search,
}

enum Search {
    Grid(Resumable<Grid, GeometricBound>),
    Graph(Resumable<CsrGraph, GeometricBound>),
}

/// Runs the same code on a grid or a graph.
macro_rules! on_search {
    ($search:expr, $inner:ident => $body:expr) => {
        match $search {
            Search::Grid($inner) => $body,
            Search::Graph($inner) => $body,
        }
    };
}

impl Running {
    fn advance(&mut self, expansions: u64) -> (Result<SearchState, EndpointError>, u64) {
        on_search!(&mut self.search, search => {
            let before = search.expanded();
            (search.advance(expansions), search.expanded() - before)
        })
    }

    fn expanded(&self) -> u64 {
        on_search!(&self.search, search => search.expanded())
    }

    /// The path that was found, of the version that the search began with.
    fn path(
        &self,
        found: Result<SearchState, EndpointError>,
    ) -> Result<Option<Path>, EndpointError> {
        let SearchState::Found { cost } = found? else { return Ok(None) };
        let mut nodes = Vec::new();
        on_search!(&self.search, search => search.path_into(&mut nodes));
        let nodes = OwnedPath::Nodes(nodes.into());
        let path = Path::found(self.version, &self.layer, self.ends, nodes, cost);
        let extent = self.layer.map().extent();
        path.map(Some).map_err(|fault| EndpointError::invalid(extent, self.ends, fault))
    }

    /// The scratch space, for another search.
    pub(super) fn into_scratch(self) -> Scratch {
        on_search!(self.search, search => search.into_scratch())
    }
}
