//! Asking `hpa` and `dhpa`.

use std::ops::Range;

use super::cache::leads;
use super::engine::Hpa;
use super::flood::Flood;
use super::hierarchy::Level;
use super::local::Local;
use super::search::{Abstract, Doors, Found, NONE, Source, Target, search};
use super::smooth::Smoother;
use super::tiling::Slot;
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::EndpointError;
use crate::graph::NodeId;
use crate::grid::Direction;
use crate::map::Map;
use crate::route::Route;
use crate::search::{Observer, Scratch, Searching, check_ends};

/// A query on an [`Hpa`].
pub struct HpaQuery<'a> {
    engine: &'a Hpa,
    scratch: Scratch,
    flood: Flood,
    local: Local,
    smoother: Smoother,
    /// By level, what the nodes of the start's cluster cost from the start.
    starts: Vec<Vec<Cost>>,
    /// By level, what it costs from the nodes of the goal's cluster to the goal.
    goals: Vec<Vec<Cost>>,
    /// Abstract paths; those of several levels lie behind each other.
    slots: Vec<Slot>,
    path: Vec<NodeId>,
}

type Ends = (NodeId, NodeId);

/// Where a piece of an abstract path begins or ends.
#[derive(Clone, Copy)]
enum End {
    /// The start or the goal of the query.
    Query,
    Slot(Slot),
}

impl<'a> HpaQuery<'a> {
    pub(super) fn new(engine: &'a Hpa) -> Self {
        let levels = engine.hierarchy.levels.len();
        Self {
            engine,
            scratch: Scratch::default(),
            flood: Flood::default(),
            local: Local::default(),
            smoother: Smoother::default(),
            starts: vec![Vec::new(); levels],
            goals: vec![Vec::new(); levels],
            slots: Vec::new(),
            path: Vec::new(),
        }
    }

    fn find(
        &mut self,
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        let Hpa { grid, base, config, .. } = self.engine;
        self.path.clear();
        if !check_ends(grid, ends)? {
            return Ok(None);
        }
        if ends.0 == ends.1 {
            self.path.push(ends.0);
            return Ok(Some(0));
        }
        if let Some(cost) = self.near(ends, observer) {
            return Ok(Some(cost));
        }
        match self.find_through_nodes(ends, observer) {
            Some(cost) if config.smooth => {
                Ok(Some(self.smoother.smooth(grid, base, &mut self.path, cost)))
            }
            Some(cost) => Ok(Some(cost)),
            // There is a way, and the sums of this one outgrew their numbers.
            None => self.local.on_map(grid, base, ends, observer, &mut self.path),
        }
    }

    /// DHPA* between two cells of one cluster, if they are near each other.
    fn near(&mut self, ends: Ends, observer: &mut impl Observer) -> Option<Cost> {
        let Hpa { grid, base, config, hierarchy, .. } = self.engine;
        let tiling = &hierarchy.levels[0].tiling;
        let cluster = |node| tiling.cluster_at(grid.split(node));
        if !config.cached || cluster(ends.0) != cluster(ends.1) {
            return None;
        }
        let cells = tiling.rect(cluster(ends.0)).len();
        self.local.near(grid, base, ends, cells, observer, &mut self.path)
    }

    /// The cost of the way through abstract nodes, with the path.
    fn find_through_nodes(
        &mut self,
        (from, to): Ends,
        observer: &mut impl Observer,
    ) -> Option<Cost> {
        let Hpa { grid, config, hierarchy, .. } = self.engine;
        let first = &hierarchy.levels[0];
        let direct = self.connect_ends((from, to), observer);
        let cluster = |level: &Level, node| level.tiling.cluster_at(grid.split(node));
        let parted = |level: &&Level| cluster(level, from) != cluster(level, to);
        let top = hierarchy.levels.iter().skip(1).take_while(parted).count();
        for below in 0..top {
            self.climb(below, (from, to), observer);
        }
        let level = &hierarchy.levels[top];
        let target = Target {
            cluster: cluster(level, to),
            costs: &self.goals[top],
            // Inside one cluster any node would be the first, and the way out may be the way back in.
            first: config.cached && cluster(first, from) != cluster(first, to),
            direct,
        };
        let source = Source::Cluster(cluster(level, from), &self.starts[top]);
        let base = &self.engine.base;
        let goal = base.spot(to);
        let bound = |spot| base.between(spot, goal);
        let found = search(level, &mut self.scratch, source, target, bound, |_| true, observer)?;
        self.path.push(from);
        let done = match found.last {
            None => {
                let place = (grid, first.tiling.rect(cluster(first, from)));
                self.local
                    .append_inside(place, base, (from, to), observer, &mut self.path)
                    .is_some()
            }
            Some(last) => {
                self.slots.clear();
                let slots = self.trace(last);
                self.fill_in(top, slots, (End::Query, End::Query), (from, to), observer).is_some()
            }
        };
        done.then_some(found.cost)
    }

    /// What the nodes of both clusters cost: looked up, or found by a search inside each. Tells what the way between the ends inside their cluster costs, where
    /// they have the same.
    fn connect_ends(&mut self, (from, to): Ends, observer: &mut impl Observer) -> Cost {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let level = &hierarchy.levels[0];
        let mut direct = UNREACHABLE;
        for (node, other, costs) in
            [(from, to, &mut self.starts[0]), (to, from, &mut self.goals[0])]
        {
            let cell = grid.split(node);
            let id = level.tiling.cluster_at(cell);
            let (cluster, rect) = (level.cluster(id), level.tiling.rect(id));
            costs.clear();
            if let Some(cache) = hierarchy.caches.get(id as usize) {
                let cell = rect.local(cell);
                costs.extend((0..cluster.len()).map(|index| cache.cost(index, cell)));
                continue;
            }
            self.flood.enter(grid, rect);
            self.flood.run(cell);
            self.flood.tell(grid, observer);
            let slots = cluster.slots().iter();
            costs.extend(slots.map(|&slot| self.flood.cost(level.tiling.cell(slot))));
            if rect.contains(grid.split(other)) {
                direct = self.flood.cost(grid.split(other));
            }
        }
        direct
    }

    /// What the nodes of both clusters of the next level cost, from those of this one.
    fn climb(&mut self, below: usize, (from, to): Ends, observer: &mut impl Observer) {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let (level, above) = (&hierarchy.levels[below], &hierarchy.levels[below + 1]);
        for (node, costs) in [(from, &mut self.starts), (to, &mut self.goals)] {
            let cell = grid.split(node);
            let id = above.tiling.cluster_at(cell);
            let source = Source::Cluster(level.tiling.cluster_at(cell), &costs[below]);
            let within = |slot| above.cluster_of(slot) == id;
            search(level, &mut self.scratch, source, NONE, |_| 0, within, observer);
            let cost = |&slot: &Slot| self.scratch.cost(slot).unwrap_or(UNREACHABLE);
            let found: Vec<Cost> = above.cluster(id).slots().iter().map(cost).collect();
            costs[below + 1] = found;
        }
    }

    /// Notes the nodes of the path that the last search found, and where they are noted.
    fn trace(&mut self, last: Slot) -> Range<usize> {
        let first = self.slots.len();
        let mut slot = last;
        loop {
            self.slots.push(slot);
            let before = self.scratch.parent(slot);
            if before == slot {
                break;
            }
            slot = before;
        }
        self.slots[first..].reverse();
        first..self.slots.len()
    }

    /// Fills in the cells of an abstract path of a level, and of the way to its first node and from its last one.
    fn fill_in(
        &mut self,
        level: usize,
        slots: Range<usize>,
        (before, behind): (End, End),
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Option<()> {
        let graph = &self.engine.hierarchy.levels[level];
        let first = self.slots[slots.start];
        if matches!(before, End::Query) {
            self.fill_leg(level, (End::Query, End::Slot(first)), ends, observer)?;
        }
        for at in slots.start + 1..slots.end {
            let (tail, head) = (self.slots[at - 1], self.slots[at]);
            match graph.cluster_of(tail) == graph.cluster_of(head) {
                true => self.fill_leg(level, (End::Slot(tail), End::Slot(head)), ends, observer)?,
                false => self.path.push(graph.node(head)),
            }
        }
        if matches!(behind, End::Query) {
            let last = self.slots[slots.end - 1];
            self.fill_leg(level, (End::Slot(last), End::Query), ends, observer)?;
        }
        Some(())
    }

    /// Fills in a way inside one cluster of a level.
    fn fill_leg(
        &mut self,
        level: usize,
        legs: (End, End),
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Option<()> {
        let Hpa { grid, base, hierarchy, .. } = self.engine;
        let graph = &hierarchy.levels[level];
        let node = |end, query| match end {
            End::Query => query,
            End::Slot(slot) => graph.node(slot),
        };
        let (from, to) = (node(legs.0, ends.0), node(legs.1, ends.1));
        if level > 0 {
            return self.fill_leg_below(level, legs, ends, observer);
        }
        if from == to {
            return Some(());
        }
        let id = graph.tiling.cluster_at(grid.split(from));
        if hierarchy.caches.len() > 0 {
            return self.look_up(id, legs, (from, to));
        }
        let place = (grid, graph.tiling.rect(id));
        self.local.append_inside(place, base, (from, to), observer, &mut self.path).map(|_| ())
    }

    /// Finds a way inside a cluster on the level below.
    fn fill_leg_below(
        &mut self,
        level: usize,
        (before, behind): (End, End),
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Option<()> {
        let Hpa { grid, base, hierarchy, .. } = self.engine;
        let (graph, below) = (&hierarchy.levels[level], &hierarchy.levels[level - 1]);
        let outer = match (before, behind) {
            (End::Slot(slot), _) | (_, End::Slot(slot)) => graph.cluster_of(slot),
            (End::Query, End::Query) => return None,
        };
        let cluster = |node| below.tiling.cluster_at(grid.split(node));
        let source = match before {
            End::Query => Source::Cluster(cluster(ends.0), &self.starts[level - 1]),
            End::Slot(slot) => Source::Slot(slot),
        };
        let mut single = Vec::new();
        let (to, target) = match behind {
            End::Query => (ends.1, (cluster(ends.1), &self.goals[level - 1])),
            End::Slot(slot) => {
                let id = below.cluster_of(slot);
                let members = below.cluster(id);
                single.resize(members.len(), UNREACHABLE);
                single[below.index(members, slot)?] = 0;
                (below.node(slot), (id, &single))
            }
        };
        let (cluster, costs) = target;
        let target = Target { cluster, costs, ..NONE };
        let goal = base.spot(to);
        let bound = |spot| base.between(spot, goal);
        let within = |slot| graph.cluster_of(slot) == outer;
        let found = search(below, &mut self.scratch, source, target, bound, within, observer)?;
        let Found { last, .. } = found;
        let slots = self.trace(last?);
        let first = slots.start;
        self.fill_in(level - 1, slots, (before, behind), ends, observer)?;
        self.slots.truncate(first);
        Some(())
    }

    /// Reads a way inside a cluster off the cache. One end is a node; from the other, directions lead to it.
    fn look_up(&mut self, id: u32, legs: (End, End), (from, to): Ends) -> Option<()> {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let level = &hierarchy.levels[0];
        let (cluster, cache) = (level.cluster(id), &hierarchy.caches[id as usize]);
        let rect = level.tiling.rect(id);
        let (root, leaf, turned) = match legs {
            (_, End::Slot(root)) => (root, from, false),
            (End::Slot(root), End::Query) => (root, to, true),
            (End::Query, End::Query) => return None,
        };
        let root = level.index(cluster, root)?;
        let begin = self.path.len();
        let (mut x, mut y) = grid.split(leaf);
        let mut node = leaf;
        // A way has fewer steps than the cluster has cells.
        for _ in 0..rect.len() {
            let direction = cache.toward(root, rect.local((x, y)));
            if !leads(direction) {
                break;
            }
            let (dx, dy) = Direction::ALL[usize::from(direction)].delta();
            (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if turned {
                self.path.push(node);
            }
            node = grid.node(x, y)?;
            if !turned {
                self.path.push(node);
            }
        }
        if turned {
            self.path[begin..].reverse();
        }
        (node == if turned { from } else { to }).then_some(())
    }
}

impl Searching for HpaQuery<'_> {
    fn map(&self) -> &Map {
        &self.engine.map
    }

    fn search(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        self.find((from, to), observer)
    }

    fn route(&mut self, _: NodeId, cost: Cost) -> Route<'_> {
        Route::complete(&self.engine.map, cost, &self.path)
    }
}
