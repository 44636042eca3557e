//! The clusters of the hierarchies, and the abstract nodes on their paths.

use super::abstract_graph::{AbstractCluster, AbstractGraph};
use super::engine::Hpa;
use super::hierarchy::level::Level;
use super::query::{HierarchyEngine, HierarchyScratch, HierarchySearch};
use super::regions::engine::Shpa;
use crate::engine::inspect::{Inspect, NO_REGION, Region, RegionLevel};
use crate::engine::{ScratchPool, Searching};
use crate::graph::{Graph, NodeId};
use crate::map::EndpointError;

/// Gates are the abstract nodes of a cluster. A cluster may have no free cell.
impl Inspect for Hpa {
    fn levels(&self) -> usize {
        self.hierarchy.levels.len()
    }

    fn level(&self, level: usize) -> Option<RegionLevel> {
        let found = self.hierarchy.levels.get(level)?;
        let caches = Some(&self.hierarchy.caches).filter(|_| level == 0);
        let cached = |id: u32| caches.and_then(|caches| caches.get(id as usize));
        let above = self.hierarchy.levels.get(level + 1);
        let cluster_at = |level: &Level, cell| level.tiling.cluster_at(cell);
        let describe = |id: u32| {
            let (rect, cluster) = (found.tiling.rect(id), found.cluster(id));
            Region {
                parent: above.map(|above| cluster_at(above, (rect.left, rect.top))),
                nodes: 0,
                gates: gates(found, cluster),
                bytes: cluster.memory_bytes() + cached(id).map_or(0, |cache| cache.memory_bytes()),
            }
        };
        let region = |node| match self.grid.contains(node) {
            true => cluster_at(found, self.grid.split(node)),
            false => NO_REGION,
        };
        let level = RegionLevel {
            region_of: (0..self.grid.node_count() as NodeId).map(region).collect(),
            regions: (0..found.tiling.len() as u32).map(describe).collect(),
            separators: Vec::new(),
        };
        Some(level.with_counts())
    }

    /// Waypoints are the abstract nodes of the first level on the path before it is straightened.
    fn waypoints(&self, from: NodeId, to: NodeId) -> Result<Option<Vec<NodeId>>, EndpointError> {
        waypoints(self, &self.hierarchy.levels[0], &self.pool, [from, to])
    }
}

/// There is one level. Gates are the abstract nodes of a region.
impl Inspect for Shpa {
    fn levels(&self) -> usize {
        1
    }

    fn level(&self, level: usize) -> Option<RegionLevel> {
        if level > 0 {
            return None;
        }
        let (grid, regions) = (self.ground().grid, &self.regions);
        let describe = |id| {
            let region = regions.cluster(id);
            let (gates, bytes) = (gates(regions, region), region.memory_bytes());
            Region { parent: None, nodes: 0, gates, bytes }
        };
        let region = |node| if grid.contains(node) { regions.of(node) } else { NO_REGION };
        let level = RegionLevel {
            region_of: (0..grid.node_count() as NodeId).map(region).collect(),
            regions: (0..regions.len() as u32).map(describe).collect(),
            separators: Vec::new(),
        };
        Some(level.with_counts())
    }

    /// Waypoints are the abstract nodes of the path before it is straightened.
    fn waypoints(&self, from: NodeId, to: NodeId) -> Result<Option<Vec<NodeId>>, EndpointError> {
        waypoints(self, &self.regions, &self.pool, [from, to])
    }
}

/// The nodes of a cluster on the map.
fn gates<A: AbstractGraph>(graph: &A, cluster: &A::Cluster) -> Vec<NodeId> {
    (0..cluster.len()).map(|index| graph.node(cluster.slot(index))).collect()
}

fn waypoints<E: HierarchyEngine>(
    engine: &E,
    graph: &impl AbstractGraph,
    pool: &ScratchPool<HierarchyScratch>,
    [from, to]: [NodeId; 2],
) -> Result<Option<Vec<NodeId>>, EndpointError> {
    let mut scratch = pool.take();
    let found = HierarchySearch::new(engine, &mut scratch).search(from, to, &mut ())?;
    let nodes = scratch.entrances.iter().map(|&slot| graph.node(slot));
    let mut waypoints: Vec<NodeId> = [from].into_iter().chain(nodes).chain([to]).collect();
    // An end may be an abstract node itself, and levels repeat nodes.
    waypoints.dedup();
    pool.put_back(scratch);
    Ok(found.map(|_| waypoints))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::hpa::{HpaConfig, ShpaConfig};
    use crate::{Build, Map};

    fn rooms() -> Map {
        let rooms = Rooms { width: 60, height: 40, room: 8, ..Rooms::default() };
        rooms.generate().unwrap().into()
    }

    /// Checks the regions of every level and the waypoints of a path.
    fn check(engine: &impl Inspect) {
        let map = engine.map();
        let levels: Vec<RegionLevel> = (0..).map_while(|level| engine.level(level)).collect();
        assert_eq!(levels.len(), engine.levels());
        for (at, level) in levels.iter().enumerate() {
            let nodes: usize = level.regions.iter().map(|region| region.nodes).sum();
            assert_eq!(nodes, map.usable_count());
            for (id, region) in (0..).zip(&level.regions) {
                assert!(region.gates.iter().all(|&gate| level.region_of[gate as usize] == id));
                let above = levels.get(at + 1);
                let parent = region
                    .gates
                    .first()
                    .and_then(|&gate| above.map(|above| above.region_of[gate as usize]));
                assert!(region.gates.is_empty() || parent == region.parent);
            }
        }
        let Map::Grid(grid) = map else { unreachable!() };
        let (from, to) = (grid.node(1, 1).unwrap(), grid.node(58, 38).unwrap());
        let waypoints = engine.waypoints(from, to).unwrap().unwrap();
        let [first, nodes @ .., last] = &*waypoints else { panic!("{waypoints:?}") };
        assert_eq!((*first, *last), (from, to));
        let is_gate = |&node: &NodeId| {
            let region = levels[0].region_of[node as usize];
            levels[0].regions[region as usize].gates.contains(&node)
        };
        assert!(nodes.len() > 5 && nodes.iter().all(is_gate));
        let next = grid.node(2, 1).unwrap();
        assert!(engine.waypoints(from, next).unwrap().unwrap().len() <= waypoints.len());
        assert!(engine.waypoints(from, NodeId::MAX).is_err());
    }

    #[test]
    fn clusters_have_their_entrances() {
        let map = rooms();
        check(&Hpa::build(&map, &HpaConfig { levels: 3, ..HpaConfig::default() }).unwrap());
        let dhpa = Hpa::build(&map, &HpaConfig { cached: true, ..HpaConfig::default() }).unwrap();
        check(&dhpa);
        check(&Shpa::build(&map, &ShpaConfig::default()).unwrap());
        let cached = dhpa.level(0).unwrap().regions[0].bytes;
        let plain = Hpa::build(&map, &HpaConfig::default()).unwrap().level(0).unwrap();
        assert!(cached > 2 * plain.regions[0].bytes);
    }
}
