//! The engine `perfect-portal`, and asking it.

pub(crate) mod rows;

use self::rows::{INTO, MOST_NODES, OUT, Rows};
use super::bound::layout::Packing;
use super::bound::tables::Portals;
use super::bound::{
    PortalBound, PortalConfig, PortalSummary, build_portals, open_portals, store_portals,
};
use super::readoff::{Descent, Detour, WithinBound};
use super::refine::{Leg, refine};
use crate::build::{BuildError, Progress, Unsupported, in_threads};
use crate::changes::Changes;
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::engine::{
    Answer, Build, CostAnswer, Engine, EngineForm, ScratchPool, Searching, answer_by_searching,
    boxed_answers, debug_by_form,
};
use crate::graph::{Graph, NodeId};
use crate::heuristic::Geometric;
use crate::map::{EndpointError, Map, on_graph};
use crate::route::Route;
use crate::search::{Observer, Scratch, astar, check_ends};
use crate::store::{Fingerprint, IndexFile, IndexWriter, OpenError, Unstorable};

const NAME: &str = "perfect-portal";

/// The perfect portal heuristic: distances between portals, and from every node to the portals
/// beside its region. Paths between regions are read off without a search.
///
/// ```
/// use portolan::portal::bound::PortalConfig;
/// use portolan::portal::PerfectPortal;
/// use portolan::{Build, Engine, Map, Query, generate::Rooms};
/// let grid = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?;
/// let (from, to) = (grid.node(1, 1).unwrap(), grid.node(62, 62).unwrap());
/// let map = Map::from(grid);
/// let engine = PerfectPortal::build(&map, &PortalConfig::default())?;
/// let mut query = engine.query();
/// let route = query.find(from, to)?.expect("all rooms are connected");
/// assert_eq!(map.walk(route.nodes()), Ok(route.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PerfectPortal {
    map: Map,
    config: PortalConfig,
    base: Geometric,
    portals: Portals,
    rows: Rows,
    pool: ScratchPool<PerfectScratch>,
}

impl PerfectPortal {
    /// What portals there are.
    pub fn summary(&self) -> PortalSummary {
        self.portals.summary()
    }
}

/// Where no memory is enough it is the size of regions that is in the way.
fn too_large(error: BuildError, config: &PortalConfig) -> BuildError {
    match error {
        BuildError::MemoryLimit { needed: u64::MAX, .. } => {
            let most = config.most_portals;
            let reason = format!(
                "{most} portals leave a region of more than {MOST_NODES} nodes; raise most_portals"
            );
            Unsupported { method: NAME, reason }.into()
        }
        other => other,
    }
}

debug_by_form!(PerfectPortal);

impl Engine for PerfectPortal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        self.portals.memory_bytes() + self.rows.memory_bytes()
    }

    fn form(&self) -> Option<Box<dyn EngineForm>> {
        Some(Box::new(self.portals.summary()))
    }

    fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
        let mut writer = IndexWriter::new(NAME, Fingerprint::of(&self.map));
        store_portals(&self.portals, self.map.is_undirected(), &mut writer);
        let (out, into) = self.rows.tables();
        writer.section(OUT, out);
        if let Some(into) = into {
            writer.section(INTO, into);
        }
        Ok(writer)
    }

    fn map(&self) -> &Map {
        &self.map
    }

    boxed_answers!();
}

impl Build for PerfectPortal {
    type Config = PortalConfig;

    fn supports(map: &Map, config: &PortalConfig) -> Result<(), Unsupported> {
        Geometric::for_method(NAME, map, config.heuristic).map(|_| ())
    }

    fn build_watched(
        map: &Map,
        config: &PortalConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let base = Geometric::for_method(NAME, map, config.heuristic)?;
        let (usable, undirected) = (map.usable_count(), map.is_undirected());
        let build = || {
            let more = |tally: &_| Rows::bytes(tally, usable, undirected);
            let portals = build_portals(map, config, &base, Packing::Packed, progress, &more);
            let mut portals = portals.map_err(|error| too_large(error, config))?;
            let (rows, overflowed) = Rows::build(map, &portals.layout, progress)?;
            portals.overflowed |= overflowed;
            Ok::<_, BuildError>((portals, rows))
        };
        let (portals, rows) = in_threads(config.threads, build)??;
        Ok(Self {
            map: map.clone(),
            config: config.clone(),
            base,
            portals,
            rows,
            pool: ScratchPool::default(),
        })
    }

    /// Builds anew: a cell that opens may join regions anywhere.
    fn refreshed(&self, map: &Map, _: &Changes) -> Result<Self, BuildError> {
        Ok(Self { pool: self.pool.clone(), ..Self::build(map, &self.config)? })
    }

    fn storable(_: &PortalConfig) -> Result<(), Unstorable> {
        Ok(())
    }

    fn open(index: &IndexFile, map: &Map, config: &PortalConfig) -> Result<Self, OpenError> {
        index.check_engine(NAME)?;
        index.check_map(map)?;
        let base = Geometric::for_method(NAME, map, config.heuristic)?;
        let portals = open_portals(index, map)?;
        let into = if map.is_undirected() { None } else { Some(index.section(INTO)?) };
        let out = index.section(OUT)?;
        let rows = Rows::from_tables(map.node_count(), &portals.layout, out, into)?;
        Ok(Self {
            map: map.clone(),
            config: config.clone(),
            base,
            portals,
            rows,
            pool: ScratchPool::default(),
        })
    }
}

impl Answer for PerfectPortal {
    type Scratch = PerfectScratch;

    answer_by_searching!(PerfectScratch, Run);
}

/// What a query on a [`PerfectPortal`] works in.
#[derive(Default)]
pub(crate) struct PerfectScratch {
    search: Scratch,
    legs: Vec<Leg>,
    back: Vec<NodeId>,
    path: Vec<NodeId>,
}

debug_by_name!("PerfectScratch", [] PerfectScratch);

/// A question that is being answered.
struct Run<'q> {
    engine: &'q PerfectPortal,
    scratch: &'q mut PerfectScratch,
}

/// An end of a query: the portals that a path can have there, with how far they are.
struct End<'a> {
    /// `None` for a portal.
    region: Option<u32>,
    /// In place of a list where the end is a portal.
    portal: [u16; 1],
    list: &'a [u16],
    row: &'a [Cost],
}

impl<'a> End<'a> {
    fn new(engine: &'a PerfectPortal, node: NodeId, turned: bool) -> Self {
        let layout = &engine.portals.layout;
        let number = layout.number(node);
        match number.checked_sub(layout.regions()) {
            Some(portal) => Self { region: None, portal: [portal as u16], list: &[], row: &[0] },
            None => Self {
                region: Some(number),
                portal: [0],
                list: layout.beside.list(number as usize),
                row: engine.rows.row(layout, number, node, turned),
            },
        }
    }

    fn list(&self) -> &[u16] {
        if self.region.is_some() { self.list } else { &self.portal }
    }
}

/// The best way by portals: its cost, and the places of both in the lists of their ends.
#[derive(Clone, Copy)]
struct Way {
    cost: u64,
    first: usize,
    last: usize,
}

impl<'q> Run<'q> {
    fn new(engine: &'q PerfectPortal, scratch: &'q mut PerfectScratch) -> Self {
        Self { engine, scratch }
    }

    fn find_cost(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        with_path: bool,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let may_reach = check_ends(graph, (from, to))?;
        self.scratch.path.clear();
        let portals = &self.engine.portals;
        if portals.overflowed || !portals.layout.positive() {
            return self.find_on_map(graph, (from, to), observer);
        }
        if !may_reach {
            return Ok(None);
        }
        if from == to {
            self.scratch.path.push(from);
            return Ok(Some(0));
        }
        let (start, goal) = (End::new(self.engine, from, false), End::new(self.engine, to, true));
        let way = self.best_way(&start, &goal);
        let same = start.region.filter(|_| start.region == goal.region);
        if let Some(region) = same {
            return self.find_within(graph, (from, to), region, way, with_path, observer);
        }
        let Some(way) = way else { return Ok(None) };
        let Some(cost) = Cost::try_from(way.cost).ok().filter(|&cost| cost != UNREACHABLE) else {
            return Err(EndpointError::overflow(graph.extent(), from, to));
        };
        if with_path && !self.read_off(graph, (from, to), way, observer) {
            return self.find_on_map(graph, (from, to), observer);
        }
        Ok(Some(cost))
    }

    fn best_way(&self, start: &End<'_>, goal: &End<'_>) -> Option<Way> {
        let portals = &self.engine.portals;
        let mut best: Option<Way> = None;
        for (first, (&from, &out)) in start.list().iter().zip(start.row).enumerate() {
            let least = best.map_or(u64::MAX, |best| best.cost);
            if out == UNREACHABLE || u64::from(out) >= least {
                continue;
            }
            for (last, (&to, &into)) in goal.list().iter().zip(goal.row).enumerate() {
                let between = portals.between(from, to, false);
                if into == UNREACHABLE || between == UNREACHABLE {
                    continue;
                }
                let cost = u64::from(out) + u64::from(between) + u64::from(into);
                if best.is_none_or(|best| cost < best.cost) {
                    best = Some(Way { cost, first, last });
                }
            }
        }
        best
    }

    /// Both ends in one region: the best way by portals, or a search inside.
    fn find_within(
        &mut self,
        graph: &impl Graph,
        ends: (NodeId, NodeId),
        region: u32,
        way: Option<Way>,
        with_path: bool,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PerfectPortal { portals, rows, base, .. } = self.engine;
        let layout = &portals.layout;
        let around = way.map_or(UNREACHABLE, |way| way.cost.min(UNREACHABLE.into()) as Cost);
        let detour = Detour { graph, layout, region, ends, around };
        let mut bound = WithinBound::new(layout, rows, base, region, ends);
        let found = astar::find(&detour, &mut self.scratch.search, ends, &mut bound, observer);
        let overflows =
            self.scratch.search.overflowed() || way.is_some_and(|_| around == UNREACHABLE);
        match found {
            Ok(Some(cost)) if with_path => {
                self.scratch.search.path_into(ends.1, &mut self.scratch.path);
                if self.scratch.path.len() > 2 || !is_by_portals(graph, ends, cost) {
                    return Ok(Some(cost));
                }
                self.scratch.path.clear();
                match way {
                    Some(way) if self.read_off(graph, ends, way, observer) => Ok(Some(cost)),
                    _ => self.find_on_map(graph, ends, observer),
                }
            }
            Ok(None) if overflows => self.find_on_map(graph, ends, observer),
            Err(_) => self.find_on_map(graph, ends, observer),
            found => found,
        }
    }

    /// Reads the path of a way off; false where the tables contradict the map.
    fn read_off(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        way: Way,
        observer: &mut impl Observer,
    ) -> bool {
        let engine = self.engine;
        let PerfectPortal { portals, rows, .. } = engine;
        let layout = &portals.layout;
        let (start, goal) = (End::new(engine, from, false), End::new(engine, to, true));
        let (first, last) = (start.list()[way.first], goal.list()[way.last]);
        let descent =
            |region, place, goal, turned| Descent { layout, rows, region, place, goal, turned };
        self.scratch.path.clear();
        self.scratch.path.push(from);
        if let Some(region) = start.region {
            let descent = descent(region, way.first, layout.node(first), false);
            if !descent.follow(graph, from, start.row[way.first], &mut self.scratch.path, observer)
            {
                return false;
            }
        }
        self.scratch.legs.clear();
        if !refine(graph, portals, first, last, &mut self.scratch.legs) {
            return false;
        }
        for leg in &self.scratch.legs {
            let (here, there) = (layout.node(leg.from), layout.node(leg.to));
            let Some((region, _, place)) = leg.through else {
                self.scratch.path.push(there);
                continue;
            };
            let descent = descent(region, place.into(), there, false);
            let left = portals.between(leg.from, leg.to, false);
            if !descent.follow(graph, here, left, &mut self.scratch.path, observer) {
                return false;
            }
        }
        let Some(region) = goal.region else { return true };
        self.scratch.back.clear();
        let descent = descent(region, way.last, layout.node(last), true);
        let left = goal.row[way.last];
        if !descent.follow(&graph.reversed(), to, left, &mut self.scratch.back, observer) {
            return false;
        }
        // The portal is there already, and the goal is where the way back began.
        self.scratch.path.extend(self.scratch.back.iter().rev().skip(1));
        self.scratch.path.push(to);
        true
    }

    /// A* on the map itself, for what the tables have no answer to.
    fn find_on_map(
        &mut self,
        graph: &impl Graph,
        (from, to): (NodeId, NodeId),
        observer: &mut impl Observer,
    ) -> CostAnswer {
        let PerfectPortal { base, portals, .. } = self.engine;
        let mut bound = PortalBound::new(portals, base, to, false);
        let found = astar::find(graph, &mut self.scratch.search, (from, to), &mut bound, observer)?;
        self.scratch.search.path_into(to, &mut self.scratch.path);
        Ok(found)
    }
}

/// Whether no edge leads from one end to the other at this cost.
fn is_by_portals(graph: &impl Graph, (from, to): (NodeId, NodeId), cost: Cost) -> bool {
    let mut by_edge = false;
    graph.out_edges(from, |head, weight| by_edge |= head == to && weight == cost);
    !by_edge
}

impl<'q> Searching<'q> for Run<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.find_cost(graph, (from, to), false, observer))
    }

    fn search_path(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        on_graph!(&self.engine.map, graph => self.find_cost(graph, (from, to), true, observer))
    }

    fn route(self, _: NodeId, cost: Cost) -> Route<'q> {
        Route::complete(&self.engine.map, cost, &self.scratch.path)
    }
}
