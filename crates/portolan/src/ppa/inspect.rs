//! The regions of a [`Ppa`], and the hops of its paths.

use super::engine::Ppa;
use super::query::{PpaScratch, PpaSearch};
use crate::engine::Searching;
use crate::engine::inspect::{Inspect, NO_REGION, Region, RegionLevel};
use crate::graph::NodeId;
use crate::map::EndpointError;

/// Level 0 has the leaves; the top is one region. Gates are the borders of a region.
impl Inspect for Ppa {
    fn levels(&self) -> usize {
        self.index.tree.levels()
    }

    fn level(&self, level: usize) -> Option<RegionLevel> {
        let (index, tree) = (&self.index, &self.index.tree);
        if level >= tree.levels() {
            return None;
        }
        let first = tree.level(level).start;
        let region = |node: NodeId| {
            let position = index.positions.of(node);
            position.map_or(NO_REGION, |position| tree.ancestors(position.leaf)[level] - first)
        };
        let first_above = (level + 1 < tree.levels()).then(|| tree.level(level + 1).start);
        let describe = |id| {
            let subgraph = index.subgraph(id);
            Region {
                parent: first_above.map(|first| tree.parent(id) - first),
                nodes: 0,
                gates: subgraph.members[..subgraph.borders].to_vec(),
                bytes: subgraph.table.memory_bytes(),
            }
        };
        let level = RegionLevel {
            region_of: (0..index.map.node_count() as NodeId).map(region).collect(),
            regions: tree.level(level).map(describe).collect(),
            separators: Vec::new(),
        };
        Some(level.with_counts())
    }

    /// Between two waypoints, the path lies in one table.
    fn waypoints(&self, from: NodeId, to: NodeId) -> Result<Option<Vec<NodeId>>, EndpointError> {
        let mut scratch = PpaScratch::default();
        let mut search = PpaSearch::new(self, &mut scratch);
        let found = search.search(from, to, &mut ())?;
        Ok(found.map(|_| search.find_hops(to).to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rooms;
    use crate::ppa::PpaConfig;
    use crate::{Build, Engine, Graph, Map, Query};

    #[test]
    fn regions_nest_and_gates_lead_out() {
        let rooms = Rooms { width: 60, height: 40, room: 8, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let config = PpaConfig { branching: 4, splits: Some(2), ..PpaConfig::default() };
        let ppa = Ppa::build(&map, &config).unwrap();
        let levels: Vec<RegionLevel> = (0..).map_while(|level| ppa.level(level)).collect();
        assert_eq!((levels.len(), levels[2].regions.len()), (ppa.levels(), 1));
        let Map::Grid(grid) = &map else { unreachable!() };
        for (at, level) in levels.iter().enumerate() {
            for node in (0..map.node_count() as NodeId).filter(|&node| map.contains(node)) {
                let id = level.region_of[node as usize];
                let region = &level.regions[id as usize];
                let mut leads_out = false;
                grid.out_edges(node, |head, _| leads_out |= level.region_of[head as usize] != id);
                assert_eq!(region.gates.contains(&node), leads_out, "{node} on level {at}");
                let above = levels.get(at + 1).map(|level| level.region_of[node as usize]);
                assert_eq!(region.parent, above);
            }
            let nodes: usize = level.regions.iter().map(|region| region.nodes).sum();
            assert_eq!(nodes, map.usable_count());
        }
        let bytes = levels.iter().flat_map(|level| &level.regions).map(|region| region.bytes);
        assert_eq!(bytes.sum::<usize>(), ppa.summary().table_bytes);
    }

    #[test]
    fn waypoints_are_on_the_path() {
        let rooms = Rooms { width: 60, height: 40, room: 8, ..Rooms::default() };
        let grid = rooms.generate().unwrap();
        let (from, to) = (grid.node(1, 1).unwrap(), grid.node(58, 38).unwrap());
        for bidirectional in [false, true] {
            let config = PpaConfig { bidirectional, ..PpaConfig::default() };
            let ppa = Ppa::build(&Map::from(grid.clone()), &config).unwrap();
            let mut query = ppa.query();
            let path: Vec<NodeId> = query.find(from, to).unwrap().unwrap().nodes().collect();
            let waypoints = ppa.waypoints(from, to).unwrap().unwrap();
            assert_eq!((waypoints[0], waypoints[waypoints.len() - 1]), (from, to));
            let mut rest = path.iter();
            assert!(waypoints.iter().all(|node| rest.any(|other| other == node)));
            assert!(ppa.waypoints(from, NodeId::MAX).is_err());
        }
    }
}
