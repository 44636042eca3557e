//! The regions of an [`Atlas`] on every level of its separator tree.

use super::engine::Atlas;
use super::explanation::Meeting;
use super::index::Index;
use super::separator_tree::{RegionId, SeparatorTree};
use crate::engine::inspect::{Inspect, NO_REGION, Region, RegionLevel};
use crate::engine::{Engine, Query};
use crate::graph::NodeId;
use crate::map::EndpointError;

/// What a form stores of the regions of the tree.
pub(super) trait TreeContents {
    fn tree(&self) -> &SeparatorTree;

    /// The separator of a branch, all nodes of a leaf.
    fn members(&self, id: RegionId) -> &[NodeId];

    /// The separator nodes adjacent to each of `count` regions, given the number of each region of
    /// the tree, as in `numbers` below.
    fn gates(&self, numbers: &[u32], count: usize) -> Vec<Vec<NodeId>>;

    /// Bytes of the tables or rows of the members.
    fn bytes(&self, id: RegionId) -> usize;
}

/// A level has the regions of one depth of the separator tree, and the leaves above. Separators are
/// the nodes of the regions above; gates are those adjacent to a region. In the forms for grids of
/// one terrain the nodes are the subgoals, and other cells are in no region. A search has one
/// region: the map.
impl Inspect for Atlas {
    fn levels(&self) -> usize {
        match &self.index {
            Index::General(index) => depth_of(&index.tree),
            Index::Uniform(index) => depth_of(index.contents().tree()),
            Index::Search(_) => 1,
        }
    }

    fn level(&self, level: usize) -> Option<RegionLevel> {
        let nodes = self.map().node_count();
        match &self.index {
            Index::General(index) => region_level(index, level, nodes),
            Index::Uniform(index) => region_level(index.contents(), level, nodes),
            Index::Search(search) => (level == 0).then(|| search.region_level()),
        }
    }

    /// Waypoints are the nodes between the hops of both halves of a path.
    fn waypoints(&self, from: NodeId, to: NodeId) -> Result<Option<Vec<NodeId>>, EndpointError> {
        let Some(explained) = self.explain(from, to)? else {
            let found = self.query().distance(from, to)?;
            return Ok(found.map(|_| vec![from, to]));
        };
        let mut waypoints = vec![from];
        waypoints.extend(explained.start.hops);
        if let Meeting::Bend(node) = explained.meeting {
            waypoints.push(node);
        }
        waypoints.extend(explained.goal.hops.iter().rev());
        waypoints.push(to);
        waypoints.dedup();
        Ok(Some(waypoints))
    }
}

fn depth_of(tree: &SeparatorTree) -> usize {
    tree.levels().len()
}

/// The number of each region of the tree on a level: its own, or that of the region around it;
/// [`NO_REGION`] for those above. And how many there are.
fn numbers(tree: &SeparatorTree, depth: u32) -> (Vec<u32>, u32) {
    let mut numbers: Vec<u32> = Vec::with_capacity(tree.len());
    let mut count = 0;
    for id in 0..tree.len() as RegionId {
        let node = tree.node(id);
        numbers.push(match node.depth > depth {
            true => numbers[node.parent as usize],
            false if node.depth < depth && !tree.is_leaf(id) => NO_REGION,
            false => {
                count += 1;
                count - 1
            }
        });
    }
    (numbers, count)
}

fn region_level(contents: &impl TreeContents, level: usize, nodes: usize) -> Option<RegionLevel> {
    let tree = contents.tree();
    let depth = depth_of(tree).checked_sub(level + 1)? as u32;
    let (numbers_here, count) = numbers(tree, depth);
    let above = depth.checked_sub(1).map(|depth| numbers(tree, depth).0);
    let mut found = RegionLevel {
        region_of: vec![NO_REGION; nodes],
        regions: vec![Region::default(); count as usize],
        separators: Vec::new(),
    };
    let gates = contents.gates(&numbers_here, count as usize);
    for id in 0..tree.len() as RegionId {
        let members = contents.members(id);
        let number = numbers_here[id as usize];
        if number == NO_REGION {
            found.separators.extend(members);
            continue;
        }
        members.iter().for_each(|&node| found.region_of[node as usize] = number);
        let node = tree.node(id);
        if node.depth > depth {
            continue;
        }
        let region = &mut found.regions[number as usize];
        region.bytes = contents.bytes(id);
        // A leaf above this level is the same region on the next one.
        let around = if node.depth == depth { node.parent } else { id };
        region.parent = above.as_ref().map(|above| above[around as usize]);
    }
    for (region, gates) in found.regions.iter_mut().zip(gates) {
        region.gates = gates;
    }
    Some(found.with_counts())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{AtlasConfig, Form};
    use crate::generate::Rooms;
    use crate::{Build, Graph, Map};

    fn levels(form: Form) -> (Atlas, Vec<RegionLevel>) {
        let rooms = Rooms { width: 60, height: 40, room: 8, ..Rooms::default() };
        let map = Map::from(rooms.generate().unwrap());
        let leaf_size = Some(16);
        let config = AtlasConfig { form, leaf_size, ..AtlasConfig::default() };
        let atlas = Atlas::build(&map, &config).unwrap();
        let levels: Vec<RegionLevel> = (0..).map_while(|level| atlas.level(level)).collect();
        assert_eq!(levels.len(), atlas.levels());
        let top = &levels[levels.len() - 1];
        assert_eq!((top.regions.len(), top.separators.len()), (1, 0));
        let nodes = top.regions[0].nodes;
        for (at, level) in levels.iter().enumerate() {
            let inside: usize = level.regions.iter().map(|region| region.nodes).sum();
            assert_eq!(inside + level.separators.len(), nodes);
            for (node, &id) in level.region_of.iter().enumerate() {
                let Some(region) = level.regions.get(id as usize) else { continue };
                let above = levels.get(at + 1).map(|above| above.region_of[node]);
                assert_eq!(region.parent, above, "{node} on level {at}");
            }
        }
        (atlas, levels)
    }

    #[test]
    fn separators_are_the_only_way_out_of_a_region() {
        let (atlas, levels) = levels(Form::General);
        let Map::Grid(grid) = atlas.map() else { unreachable!() };
        assert_eq!(levels[0].regions.iter().filter(|region| region.bytes == 0).count(), 0);
        for level in &levels {
            for node in (0..grid.node_count() as NodeId).filter(|&node| grid.contains(node)) {
                let id = level.region_of[node as usize];
                let Some(region) = level.regions.get(id as usize) else { continue };
                grid.out_edges(node, |head, _| {
                    let is_inside = level.region_of[head as usize] == id;
                    assert!(is_inside || region.gates.contains(&head), "{node} -> {head}");
                });
            }
        }
    }

    #[test]
    fn regions_of_subgoals_end_at_separators_too() {
        let (_, levels) = levels(Form::Uniform);
        assert!(levels.len() > 3);
        for level in &levels[..levels.len() - 1] {
            assert!(level.regions.iter().any(|region| !region.gates.is_empty()));
            let gates = level.regions.iter().flat_map(|region| &region.gates);
            assert!(gates.clone().all(|gate| level.separators.contains(gate)));
        }
    }

    #[test]
    fn waypoints_are_on_the_path() {
        for form in [Form::Uniform, Form::General, Form::Climb] {
            let (atlas, _) = levels(form);
            let (from, to) = (61, 58 + 38 * 60);
            let mut query = atlas.query();
            let path: Vec<NodeId> = query.find(from, to).unwrap().unwrap().nodes().collect();
            let waypoints = atlas.waypoints(from, to).unwrap().unwrap();
            assert_eq!((waypoints[0], waypoints[waypoints.len() - 1]), (from, to));
            let mut rest = path.iter();
            assert!(waypoints.iter().all(|node| rest.any(|other| other == node)), "{form:?}");
        }
    }
}
