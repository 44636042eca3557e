//! The engine `portal-search`.

mod two_regions;

use self::two_regions::TwoRegions;
use super::bound::crossings::RegionSearches;
use super::bound::layout::{Packing, PortalLayout};
use super::bound::{PortalBound, PortalConfig};
use super::descend::descend;
use super::engine::{PortalEngine, PortalMethod, PortalScratch};
use super::portal_hops::{PortalHop, find_hops};
use crate::build::{BuildError, Progress};
use crate::cost::Cost;
use crate::engine::CostAnswer;
use crate::graph::{Direction, Endpoints, Graph, NodeId};
use crate::map::Map;
use crate::partition::RegionCounts;
use crate::search::{Observer, astar};
use crate::store::{IndexFile, IndexWriter, OpenError};

/// Portal-Based Search: A* over two regions and the stored distances between their portals. The
/// path between the portals is refined afterwards.
///
/// ```
/// use portolan::portal::bound::PortalConfig;
/// use portolan::portal::PortalSearch;
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let engine = PortalSearch::build(&map, &PortalConfig::default())?;
/// let mut query = engine.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PortalSearch = PortalEngine<TwoRegionSearch>;

/// The method of [`PortalSearch`]. It stores nothing beside the portals.
#[derive(Debug)]
pub struct TwoRegionSearch;

impl PortalMethod for TwoRegionSearch {
    const NAME: &'static str = "portal-search";

    fn packing(config: &PortalConfig, map: &Map) -> Packing {
        Packing::within(config.memory_limit, map.node_count())
    }

    fn bytes(_: &RegionCounts, _: usize, _: bool) -> u64 {
        0
    }

    fn memory_bytes(&self) -> usize {
        0
    }

    fn region_bytes(&self, _: u32) -> usize {
        0
    }

    fn build(_: &Map, _: &PortalLayout, _: &dyn Progress) -> Result<(Self, bool), BuildError> {
        Ok((Self, false))
    }

    fn store<'a>(&'a self, _: &mut IndexWriter<'a>) {}

    fn open(_: &IndexFile, _: &Map, _: &PortalLayout) -> Result<Self, OpenError> {
        Ok(Self)
    }

    fn answer(
        engine: &PortalSearch,
        graph: &impl Graph,
        ends: Endpoints,
        with_path: bool,
        scratch: &mut PortalScratch,
        observer: &mut impl Observer,
    ) -> Option<CostAnswer> {
        let PortalSearch { base, portals, .. } = engine;
        let two_regions = TwoRegions::new(graph, portals, ends);
        let mut bound = PortalBound::new(portals, base, ends.1, Direction::Forward);
        let found = astar::find(&two_regions, &mut scratch.search, ends, &mut bound, observer);
        match found {
            Ok(Some(cost)) if with_path => {
                let is_filled = fill_path(engine, graph, ends.1, scratch, observer);
                is_filled.then_some(Ok(Some(cost)))
            }
            // In this graph, "no path" may also be an overflow.
            Ok(None) if scratch.search.overflowed() => None,
            found => Some(found),
        }
    }
}

/// Steps 2 and 3. Returns `false` if the tables contradict the map.
fn fill_path(
    engine: &PortalSearch,
    graph: &impl Graph,
    to: NodeId,
    scratch: &mut PortalScratch,
    observer: &mut impl Observer,
) -> bool {
    let portals = &engine.portals;
    let layout = &portals.layout;
    scratch.search.path_into(to, &mut scratch.outline);
    scratch.path.clear();
    scratch.path.extend(scratch.outline.first());
    for pair in 1..scratch.outline.len() {
        let (from, to) = (scratch.outline[pair - 1], scratch.outline[pair]);
        let (Some(first), Some(last)) = (layout.portal(from), layout.portal(to)) else {
            scratch.path.push(to);
            continue;
        };
        scratch.hops.clear();
        if !find_hops(graph, portals, first, last, &mut scratch.hops) {
            return false;
        }
        for at in 0..scratch.hops.len() {
            if !fill_hop(engine, graph, scratch.hops[at], scratch, observer) {
                return false;
            }
        }
    }
    true
}

/// Step 3 for one hop.
fn fill_hop(
    engine: &PortalSearch,
    graph: &impl Graph,
    hop: PortalHop,
    scratch: &mut PortalScratch,
    observer: &mut impl Observer,
) -> bool {
    let PortalSearch { base, portals, .. } = engine;
    let PortalScratch { search, part, path, .. } = scratch;
    let layout = &portals.layout;
    let ends = (layout.node(hop.from), layout.node(hop.to));
    let Some(crossing) = hop.crossing else {
        path.push(ends.1);
        return true;
    };
    let region = crossing.region;
    // If the distance is equal to the geometric bound, the path may need no search.
    let distance = portals.between(hop.from, hop.to, Direction::Forward);
    let goal = base.position(ends.1);
    let is_at = |node: NodeId, left: Cost| base.between(base.position(node), goal) == left;
    let is_on_path = |head: NodeId, left: Cost| {
        is_at(head, left) && (head == ends.1 || layout.number(head) == region)
    };
    if is_at(ends.0, distance) && descend(graph, ends, distance, path, observer, is_on_path) {
        return true;
    }
    let use_direction = engine.config.directions;
    let direction = if use_direction { crossing.direction } else { Direction::Forward };
    let searches = RegionSearches { graph, layout, base, region };
    if searches.search(ends, direction, search, observer).is_none() {
        return false;
    }
    match direction {
        Direction::Forward => {
            search.path_into(ends.1, part);
            path.extend(part.iter().skip(1));
        }
        Direction::Backward => {
            search.path_into(ends.0, part);
            path.extend(part.iter().rev().skip(1));
        }
    }
    true
}
