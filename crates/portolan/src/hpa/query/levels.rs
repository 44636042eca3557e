//! Queries through square clusters, on any number of levels: `hpa` and `dhpa`.

use std::ops::Range;

use super::{Ground, HierarchyEngine, HierarchyScratch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::Endpoints;
use crate::grid::Heading;
use crate::hpa::abstract_graph::search::{NO_GOAL, SearchGoal, SearchStart, search};
use crate::hpa::abstract_graph::{AbstractCluster, AbstractGraph};
use crate::hpa::clusters::cell_cache::is_direction;
use crate::hpa::clusters::tiling::Slot;
use crate::hpa::engine::Hpa;
use crate::hpa::hierarchy::level::Level;
use crate::search::Observer;

impl HierarchyEngine for Hpa {
    fn ground(&self) -> Ground<'_> {
        let Self { map, grid, base, config, .. } = self;
        Ground { map, grid, bound: base, smooth: config.smooth }
    }

    /// DHPA* only: `hpa` searches the clusters of start and goal anyway.
    fn cells_of_shared_cluster(&self, (from, to): Endpoints) -> Option<usize> {
        let tiling = &self.hierarchy.levels[0].tiling;
        let cluster = |node| tiling.cluster_at(self.grid.split(node));
        let is_shared = self.config.cached && cluster(from) == cluster(to);
        is_shared.then(|| tiling.rect(cluster(from)).len())
    }

    fn find_through_nodes(
        &self,
        scratch: &mut HierarchyScratch,
        ends: Endpoints,
        observer: &mut impl Observer,
    ) -> Option<Cost> {
        scratch.set_levels(self.hierarchy.levels.len());
        LevelSearch { engine: self, scratch, ends, observer }.find()
    }
}

/// An endpoint of a piece of an abstract path.
#[derive(Clone, Copy)]
enum PieceEnd {
    /// The start or the goal of the query.
    Query,
    /// An abstract node.
    Node(Slot),
}

/// A query in progress.
struct LevelSearch<'a, O> {
    engine: &'a Hpa,
    scratch: &'a mut HierarchyScratch,
    ends: Endpoints,
    observer: &'a mut O,
}

impl<O: Observer> LevelSearch<'_, O> {
    /// Searches through abstract nodes and writes the path; returns its cost.
    fn find(&mut self) -> Option<Cost> {
        let Hpa { grid, base, config, hierarchy, .. } = self.engine;
        let (from, to) = self.ends;
        let first = &hierarchy.levels[0];
        let direct = self.connect_endpoints();
        let cluster = |level: &Level, node| level.tiling.cluster_at(grid.split(node));
        let parted = |level: &&Level| cluster(level, from) != cluster(level, to);
        let top = hierarchy.levels.iter().skip(1).take_while(parted).count();
        for below in 0..top {
            self.connect_next_level(below);
        }
        let level = &hierarchy.levels[top];
        let start = SearchStart::Cluster(cluster(level, from), &self.scratch.starts[top]);
        let target = SearchGoal {
            cluster: cluster(level, to),
            costs: &self.scratch.goals[top],
            // Within one cluster any node would be the first, and a path may leave the cluster and
            // come back.
            first: config.cached && cluster(first, from) != cluster(first, to),
            direct,
        };
        let goal = base.position(to);
        let bound = |position| base.between(position, goal);
        let scratch = &mut self.scratch.search;
        let found = search(level, scratch, start, target, bound, |_| true, self.observer)?;
        self.scratch.path.push(from);
        match found.last {
            None => self.append_inside(cluster(first, from), self.ends)?,
            Some(last) => {
                self.scratch.slots.clear();
                let slots = self.scratch.trace(last);
                self.fill_in(top, slots, (PieceEnd::Query, PieceEnd::Query))?;
            }
        }
        Some(found.cost)
    }

    /// Finds the costs of the nodes of both clusters: looked up, or by a search within each.
    /// Returns the cost of the direct path if both endpoints are in the same cluster.
    fn connect_endpoints(&mut self) -> Cost {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let level = &hierarchy.levels[0];
        let (from, to) = self.ends;
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
            self.scratch.cluster_search.enter(grid, rect);
            self.scratch.cluster_search.run(cell);
            self.scratch.cluster_search.report(grid, self.observer);
            let cost = |&slot: &Slot| self.scratch.cluster_search.cost(level.tiling.cell(slot));
            costs.extend(cluster.slots().iter().map(cost));
            if rect.contains(grid.split(other)) {
                direct = self.scratch.cluster_search.cost(grid.split(other));
            }
        }
        direct
    }

    /// Derives the costs of the nodes of both clusters on the next level from those on this one.
    fn connect_next_level(&mut self, below: usize) {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let (level, above) = (&hierarchy.levels[below], &hierarchy.levels[below + 1]);
        let scratch = &mut self.scratch.search;
        for (node, costs) in
            [(self.ends.0, &mut self.scratch.starts), (self.ends.1, &mut self.scratch.goals)]
        {
            let cell = grid.split(node);
            let id = above.tiling.cluster_at(cell);
            let start = SearchStart::Cluster(level.tiling.cluster_at(cell), &costs[below]);
            let within = |slot| above.cluster_of(slot) == id;
            search(level, scratch, start, NO_GOAL, |_| 0, within, self.observer);
            let cost = |&slot: &Slot| scratch.cost(slot).unwrap_or(UNREACHABLE);
            costs[below + 1] = above.cluster(id).slots().iter().map(cost).collect();
        }
    }

    /// Fills in the cells of an abstract path of a level, of the path to its first node and of the
    /// path from its last one.
    fn fill_in(
        &mut self,
        level: usize,
        slots: Range<usize>,
        (before, after): (PieceEnd, PieceEnd),
    ) -> Option<()> {
        let graph = &self.engine.hierarchy.levels[level];
        if level == 0 {
            let HierarchyScratch { entrances, slots: all, .. } = &mut *self.scratch;
            entrances.extend_from_slice(&all[slots.clone()]);
        }
        if matches!(before, PieceEnd::Query) {
            let first = self.scratch.slots[slots.start];
            self.fill_piece(level, (PieceEnd::Query, PieceEnd::Node(first)))?;
        }
        for at in slots.start + 1..slots.end {
            let (tail, head) = (self.scratch.slots[at - 1], self.scratch.slots[at]);
            match graph.cluster_of(tail) == graph.cluster_of(head) {
                true => self.fill_piece(level, (PieceEnd::Node(tail), PieceEnd::Node(head)))?,
                false => {
                    if level > 0 {
                        self.scratch.entrances.extend([tail, head]);
                    }
                    self.scratch.path.push(graph.node(head));
                }
            }
        }
        if matches!(after, PieceEnd::Query) {
            let last = self.scratch.slots[slots.end - 1];
            self.fill_piece(level, (PieceEnd::Node(last), PieceEnd::Query))?;
        }
        Some(())
    }

    /// Fills in a path within one cluster of a level.
    fn fill_piece(&mut self, level: usize, piece: (PieceEnd, PieceEnd)) -> Option<()> {
        if level > 0 {
            return self.fill_piece_below(level, piece);
        }
        let Hpa { grid, hierarchy, .. } = self.engine;
        let graph = &hierarchy.levels[0];
        let node = |end, query| match end {
            PieceEnd::Query => query,
            PieceEnd::Node(slot) => graph.node(slot),
        };
        let (from, to) = (node(piece.0, self.ends.0), node(piece.1, self.ends.1));
        if from == to {
            return Some(());
        }
        let id = graph.tiling.cluster_at(grid.split(from));
        match hierarchy.caches.len() > 0 {
            true => self.read_cached_path(id, piece, (from, to)),
            false => self.append_inside(id, (from, to)),
        }
    }

    /// Searches a path within a cluster of the first level.
    fn append_inside(&mut self, cluster: u32, ends: Endpoints) -> Option<()> {
        let Hpa { grid, base, hierarchy, .. } = self.engine;
        let rect = hierarchy.levels[0].tiling.rect(cluster);
        let HierarchyScratch { local, path, .. } = &mut *self.scratch;
        local.append_inside((grid, rect), base, ends, self.observer, path).map(|_| ())
    }

    /// Finds a path within a cluster on the level below.
    fn fill_piece_below(
        &mut self,
        level: usize,
        (before, after): (PieceEnd, PieceEnd),
    ) -> Option<()> {
        let Hpa { grid, base, hierarchy, .. } = self.engine;
        let (graph, below) = (&hierarchy.levels[level], &hierarchy.levels[level - 1]);
        let outer = match (before, after) {
            (PieceEnd::Node(slot), _) | (_, PieceEnd::Node(slot)) => graph.cluster_of(slot),
            (PieceEnd::Query, PieceEnd::Query) => return None,
        };
        let cluster = |node| below.tiling.cluster_at(grid.split(node));
        let start = match before {
            PieceEnd::Query => {
                SearchStart::Cluster(cluster(self.ends.0), &self.scratch.starts[level - 1])
            }
            PieceEnd::Node(slot) => SearchStart::Slot(slot),
        };
        let mut single = Vec::new();
        let (to, cluster, costs) = match after {
            PieceEnd::Query => (self.ends.1, cluster(self.ends.1), &self.scratch.goals[level - 1]),
            PieceEnd::Node(slot) => {
                let id = below.cluster_of(slot);
                let members = below.cluster(id);
                single.resize(members.len(), UNREACHABLE);
                single[below.index(members, slot)?] = 0;
                (below.node(slot), id, &single)
            }
        };
        let target = SearchGoal { cluster, costs, ..NO_GOAL };
        let goal = base.position(to);
        let bound = |position| base.between(position, goal);
        let within = |slot| graph.cluster_of(slot) == outer;
        let scratch = &mut self.scratch.search;
        let found = search(below, scratch, start, target, bound, within, self.observer)?;
        let slots = self.scratch.trace(found.last?);
        let first = slots.start;
        self.fill_in(level - 1, slots, (before, after))?;
        self.scratch.slots.truncate(first);
        Some(())
    }

    /// Reads a path within a cluster from the cache. One end is a node; directions lead to it from
    /// the other.
    fn read_cached_path(
        &mut self,
        id: u32,
        piece: (PieceEnd, PieceEnd),
        (from, to): Endpoints,
    ) -> Option<()> {
        let Hpa { grid, hierarchy, .. } = self.engine;
        let level = &hierarchy.levels[0];
        let (cluster, cache) = (level.cluster(id), &hierarchy.caches[id as usize]);
        let rect = level.tiling.rect(id);
        let (root, leaf, reversed) = match piece {
            (_, PieceEnd::Node(root)) => (root, from, false),
            (PieceEnd::Node(root), PieceEnd::Query) => (root, to, true),
            (PieceEnd::Query, PieceEnd::Query) => return None,
        };
        let root = level.index(cluster, root)?;
        let begin = self.scratch.path.len();
        let (mut x, mut y) = grid.split(leaf);
        let mut node = leaf;
        // A path has fewer steps than the cluster has cells.
        for _ in 0..rect.len() {
            let direction = cache.toward(root, rect.local((x, y)));
            if !is_direction(direction) {
                break;
            }
            let (dx, dy) = Heading::ALL[usize::from(direction)].delta();
            (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if reversed {
                self.scratch.path.push(node);
            }
            node = grid.node(x, y)?;
            if !reversed {
                self.scratch.path.push(node);
            }
        }
        if reversed {
            self.scratch.path[begin..].reverse();
        }
        (node == if reversed { from } else { to }).then_some(())
    }
}
