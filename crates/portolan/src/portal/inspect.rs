//! The regions of a portal engine, and the portals on its paths.

use super::engine::{PortalEngine, PortalMethod};
use crate::engine::Answer;
use crate::engine::inspect::{Inspect, NO_REGION, Region, RegionLevel};
use crate::graph::NodeId;
use crate::map::EndpointError;

/// There is one level. Separators are the portals, which are in no region; gates are the portals of
/// a region. The distances between all portals belong to no region.
#[allow(private_bounds)]
impl<M: PortalMethod> Inspect for PortalEngine<M> {
    fn levels(&self) -> usize {
        1
    }

    fn level(&self, level: usize) -> Option<RegionLevel> {
        if level > 0 {
            return None;
        }
        let layout = &self.portals.layout;
        let region = |node| {
            let number = layout.number(node);
            if number < layout.regions() { number } else { NO_REGION }
        };
        let describe = |(id, portals): (u32, &[u16])| Region {
            parent: None,
            nodes: 0,
            gates: portals.iter().map(|&portal| layout.node(portal)).collect(),
            // The list of portals, two bits for each pair of them, and what the method stores.
            bytes: size_of_val(portals)
                + portals.len().pow(2).div_ceil(4)
                + self.method.region_bytes(id),
        };
        let level = RegionLevel {
            region_of: (0..self.map.node_count() as NodeId).map(region).collect(),
            regions: (0..).zip(layout.portal_lists()).map(describe).collect(),
            separators: layout.nodes().to_vec(),
        };
        Some(level.with_counts())
    }

    /// Waypoints are the portals on the path. Between two of them it lies in one region.
    fn waypoints(&self, from: NodeId, to: NodeId) -> Result<Option<Vec<NodeId>>, EndpointError> {
        let mut scratch = self.pool.take();
        let found = self.find_with(&mut scratch, (from, to), &mut ())?;
        let is_portal = |&node: &NodeId| self.portals.layout.portal(node).is_some();
        let waypoints = found.map(|route| {
            let nodes =
                route.nodes().filter(|node| *node == from || *node == to || is_portal(node));
            nodes.collect()
        });
        self.pool.put_back(scratch);
        Ok(waypoints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::portal::bound::PortalConfig;
    use crate::portal::{PerfectPortal, PortalSearch};
    use crate::{Build, Graph, Map};

    fn check(engine: &impl Inspect, portals: usize) {
        let level = engine.level(0).unwrap();
        assert_eq!((level.separators.len(), engine.levels()), (portals, 1));
        assert!(engine.level(1).is_none());
        let Map::Grid(grid) = engine.map() else { unreachable!() };
        let mut inside = 0;
        for node in (0..grid.node_count() as NodeId).filter(|&node| grid.contains(node)) {
            let id = level.region_of[node as usize];
            assert_eq!(id == NO_REGION, level.separators.contains(&node));
            let Some(region) = level.regions.get(id as usize) else { continue };
            inside += 1;
            // Every step out of a region leads to one of its portals.
            grid.out_edges(node, |head, _| {
                let is_inside = level.region_of[head as usize] == id;
                assert!(is_inside || region.gates.contains(&head), "{node} -> {head}");
            });
        }
        assert_eq!(level.regions.iter().map(|region| region.nodes).sum::<usize>(), inside);
        let bytes: usize = level.regions.iter().map(|region| region.bytes).sum();
        assert!(bytes > 0 && bytes < engine.memory_bytes());
        let (from, to) = (grid.node(1, 1).unwrap(), grid.node(58, 38).unwrap());
        let waypoints = engine.waypoints(from, to).unwrap().unwrap();
        let [first, portals @ .., last] = &*waypoints else { panic!("{waypoints:?}") };
        assert_eq!((*first, *last), (from, to));
        assert!(!portals.is_empty());
        assert!(portals.iter().all(|portal| level.separators.contains(portal)));
    }

    #[test]
    fn regions_end_at_portals() {
        let rooms = Rooms { width: 60, height: 40, room: 8, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let config = PortalConfig::default();
        let search = PortalSearch::build(&map, &config).unwrap();
        check(&search, search.summary().portals);
        let perfect = PerfectPortal::build(&map, &config).unwrap();
        check(&perfect, perfect.summary().portals);
    }
}
