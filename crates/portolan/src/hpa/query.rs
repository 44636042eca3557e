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
use crate::debug::debug_by_name;
use crate::engine::{CostAnswer, EndpointError};
use crate::graph::NodeId;
use crate::grid::Heading;
use crate::route::Route;
use crate::search::{Observer, Scratch, Searching, check_ends};

/// What a query on an [`Hpa`] works in.
#[derive(Default)]
pub struct HpaScratch {
    search: Scratch,
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

debug_by_name!("HpaScratch", [] HpaScratch);

/// A question that is being answered.
pub(super) struct Run<'q> {
    engine: &'q Hpa,
    scratch: &'q mut HpaScratch,
}

type Ends = (NodeId, NodeId);

/// Where a piece of an abstract path begins or ends.
#[derive(Clone, Copy)]
enum End {
    /// The start or the goal of the query.
    Query,
    Slot(Slot),
}

impl<'q> Run<'q> {
    pub(super) fn new(engine: &'q Hpa, scratch: &'q mut HpaScratch) -> Self {
        let levels = engine.hierarchy.levels.len();
        scratch.starts.resize(levels, Vec::new());
        scratch.goals.resize(levels, Vec::new());
        scratch.slots.clear();
        Self { engine, scratch }
    }

    fn find_cost(
        &mut self,
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Result<Option<Cost>, EndpointError> {
        let Hpa { grid, base, config, .. } = self.engine;
        self.scratch.path.clear();
        if !check_ends(grid, ends)? {
            return Ok(None);
        }
        if ends.0 == ends.1 {
            self.scratch.path.push(ends.0);
            return Ok(Some(0));
        }
        if let Some(cost) = self.near(ends, observer) {
            return Ok(Some(cost));
        }
        match self.find_through_nodes(ends, observer) {
            Some(cost) if config.smooth => {
                Ok(Some(self.scratch.smoother.smooth(grid, base, &mut self.scratch.path, cost)))
            }
            Some(cost) => Ok(Some(cost)),
            // There is a way, and the sums of this one outgrew their numbers.
            None => self.scratch.local.on_map(grid, base, ends, observer, &mut self.scratch.path),
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
        self.scratch.local.near(grid, base, ends, cells, observer, &mut self.scratch.path)
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
            costs: &self.scratch.goals[top],
            // Inside one cluster any node would be the first, and the way out may be the way back
            // in.
            first: config.cached && cluster(first, from) != cluster(first, to),
            direct,
        };
        let source = Source::Cluster(cluster(level, from), &self.scratch.starts[top]);
        let base = &self.engine.base;
        let goal = base.spot(to);
        let bound = |spot| base.between(spot, goal);
        let found =
            search(level, &mut self.scratch.search, source, target, bound, |_| true, observer)?;
        self.scratch.path.push(from);
        let done = match found.last {
            None => {
                let place = (grid, first.tiling.rect(cluster(first, from)));
                self.scratch
                    .local
                    .append_inside(place, base, (from, to), observer, &mut self.scratch.path)
                    .is_some()
            }
            Some(last) => {
                self.scratch.slots.clear();
                let slots = self.trace(last);
                self.fill_in(top, slots, (End::Query, End::Query), (from, to), observer).is_some()
            }
        };
        done.then_some(found.cost)
    }

    /// What the nodes of both clusters cost: looked up, or found by a search inside each. Tells
    /// what the way between the ends inside their cluster costs, where they have the same.
    fn connect_ends(&mut self, (from, to): Ends, observer: &mut impl Observer) -> Cost {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let level = &hierarchy.levels[0];
        let mut direct = UNREACHABLE;
        for (node, other, costs) in
            [(from, to, &mut self.scratch.starts[0]), (to, from, &mut self.scratch.goals[0])]
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
            self.scratch.flood.enter(grid, rect);
            self.scratch.flood.run(cell);
            self.scratch.flood.tell(grid, observer);
            let slots = cluster.slots().iter();
            costs.extend(slots.map(|&slot| self.scratch.flood.cost(level.tiling.cell(slot))));
            if rect.contains(grid.split(other)) {
                direct = self.scratch.flood.cost(grid.split(other));
            }
        }
        direct
    }

    /// What the nodes of both clusters of the next level cost, from those of this one.
    fn climb(&mut self, below: usize, (from, to): Ends, observer: &mut impl Observer) {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let (level, above) = (&hierarchy.levels[below], &hierarchy.levels[below + 1]);
        for (node, costs) in [(from, &mut self.scratch.starts), (to, &mut self.scratch.goals)] {
            let cell = grid.split(node);
            let id = above.tiling.cluster_at(cell);
            let source = Source::Cluster(level.tiling.cluster_at(cell), &costs[below]);
            let within = |slot| above.cluster_of(slot) == id;
            search(level, &mut self.scratch.search, source, NONE, |_| 0, within, observer);
            let cost = |&slot: &Slot| self.scratch.search.cost(slot).unwrap_or(UNREACHABLE);
            let found: Vec<Cost> = above.cluster(id).slots().iter().map(cost).collect();
            costs[below + 1] = found;
        }
    }

    /// Notes the nodes of the path that the last search found, and where they are noted.
    fn trace(&mut self, last: Slot) -> Range<usize> {
        let first = self.scratch.slots.len();
        let mut slot = last;
        loop {
            self.scratch.slots.push(slot);
            let before = self.scratch.search.parent(slot);
            if before == slot {
                break;
            }
            slot = before;
        }
        self.scratch.slots[first..].reverse();
        first..self.scratch.slots.len()
    }

    /// Fills in the cells of an abstract path of a level, and of the way to its first node and from
    /// its last one.
    fn fill_in(
        &mut self,
        level: usize,
        slots: Range<usize>,
        (before, behind): (End, End),
        ends: Ends,
        observer: &mut impl Observer,
    ) -> Option<()> {
        let graph = &self.engine.hierarchy.levels[level];
        let first = self.scratch.slots[slots.start];
        if matches!(before, End::Query) {
            self.fill_leg(level, (End::Query, End::Slot(first)), ends, observer)?;
        }
        for at in slots.start + 1..slots.end {
            let (tail, head) = (self.scratch.slots[at - 1], self.scratch.slots[at]);
            match graph.cluster_of(tail) == graph.cluster_of(head) {
                true => self.fill_leg(level, (End::Slot(tail), End::Slot(head)), ends, observer)?,
                false => self.scratch.path.push(graph.node(head)),
            }
        }
        if matches!(behind, End::Query) {
            let last = self.scratch.slots[slots.end - 1];
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
        self.scratch
            .local
            .append_inside(place, base, (from, to), observer, &mut self.scratch.path)
            .map(|_| ())
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
            End::Query => Source::Cluster(cluster(ends.0), &self.scratch.starts[level - 1]),
            End::Slot(slot) => Source::Slot(slot),
        };
        let mut single = Vec::new();
        let (to, target) = match behind {
            End::Query => (ends.1, (cluster(ends.1), &self.scratch.goals[level - 1])),
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
        let found =
            search(below, &mut self.scratch.search, source, target, bound, within, observer)?;
        let Found { last, .. } = found;
        let slots = self.trace(last?);
        let first = slots.start;
        self.fill_in(level - 1, slots, (before, behind), ends, observer)?;
        self.scratch.slots.truncate(first);
        Some(())
    }

    /// Reads a way inside a cluster off the cache. One end is a node; from the other, directions
    /// lead to it.
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
        let begin = self.scratch.path.len();
        let (mut x, mut y) = grid.split(leaf);
        let mut node = leaf;
        // A way has fewer steps than the cluster has cells.
        for _ in 0..rect.len() {
            let direction = cache.toward(root, rect.local((x, y)));
            if !leads(direction) {
                break;
            }
            let (dx, dy) = Heading::ALL[usize::from(direction)].delta();
            (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if turned {
                self.scratch.path.push(node);
            }
            node = grid.node(x, y)?;
            if !turned {
                self.scratch.path.push(node);
            }
        }
        if turned {
            self.scratch.path[begin..].reverse();
        }
        (node == if turned { from } else { to }).then_some(())
    }
}

impl<'q> Searching<'q> for Run<'q> {
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer {
        self.find_cost((from, to), observer)
    }

    fn route(self, _: NodeId, cost: Cost) -> Route<'q> {
        Route::complete(&self.engine.map, cost, &self.scratch.path)
    }
}
