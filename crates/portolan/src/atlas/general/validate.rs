//! Checks of all invariants of an index; for tests, after builds and after edits.
//!
//! Regions are compared with those that the build computes from the same members, labels with those
//! that it computes from the same regions. That takes longer than building.

use rayon::prelude::*;

use super::index::{GeneralIndex, on_core};
use super::labels::Labels;
use super::labels::hops::Hops;
use super::labels::layout::{LabelScope, Layout};
use super::labels::leaf_links::LeafLinks;
use super::path_cache::PathCache;
use super::path_cache::hop_paths::HopPaths;
use super::tables;
use super::tables::dissected::Dissected;
use super::tables::region::{Region, RegionTables};
use crate::atlas::Atlas;
use crate::atlas::index::Index;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::graph::{Graph, NodeId};

/// Why an index is invalid, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIndex {
    /// A passable node has no home, or its home does not have it as a member.
    #[error("node {node} is not a member of its home")]
    Home {
        /// The node.
        node: NodeId,
    },
    /// Two neighbours that no separator separates.
    #[error(
        "the edge from node {tail} to node {head} joins two regions that are not above each other"
    )]
    Apart {
        /// The tail of the edge.
        tail: NodeId,
        /// The head of the edge.
        head: NodeId,
    },
    /// A part of a region differs from what the map determines.
    #[error("the {what} of region {region} do not match the map")]
    Region {
        /// The number of the region.
        region: u32,
        /// The border, the positions in the parent, or one of the tables.
        what: &'static str,
    },
    /// Labels that differ from what the regions determine.
    #[error("the {what} of the labels do not match the regions")]
    Labels {
        /// The rows, the costs, the exits, the hops, the links, or the cached paths.
        what: &'static str,
    },
}

impl Atlas {
    /// Checks all invariants of the index against the map.
    ///
    /// ```
    /// use portolan::atlas::{Atlas, AtlasConfig};
    /// use portolan::{Build, Engine, Grid, Map};
    /// let map = Map::from(Grid::new(20, 10)?);
    /// Atlas::build(&map, &AtlasConfig::default())?.validate()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self) -> Result<(), InvalidIndex> {
        match &self.index {
            Index::General(index) => index.validate(),
            Index::Uniform(uniform) => uniform.validate(),
            // Bounds have no structure.
            Index::Search(_) => Ok(()),
        }
    }
}

impl GeneralIndex {
    pub(crate) fn validate(&self) -> Result<(), InvalidIndex> {
        on_core!(&self.core, graph => Validator::new(self, graph).check())
    }
}

struct Validator<'a, G> {
    index: &'a GeneralIndex,
    dissected: Dissected<'a, G>,
}

impl<'a, G: Graph> Validator<'a, G> {
    fn new(index: &'a GeneralIndex, graph: &'a G) -> Self {
        Self { index, dissected: Dissected { graph, tree: &index.tree, homes: &index.homes } }
    }

    fn check(&self) -> Result<(), InvalidIndex> {
        self.check_homes()?;
        self.check_edges()?;
        let regions = 0..self.index.regions.len() as RegionId;
        let checks = regions.into_par_iter().map(|id| self.check_region(id));
        // The first error in order, independent of the threads.
        checks.find_map_first(Result::err).map_or(Ok(()), Err)?;
        match self.index.labels.as_deref() {
            Some(labels) => self.check_labels(labels),
            None => Ok(()),
        }
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let graph = self.dissected.graph;
        (0..graph.node_count() as NodeId).filter(|&node| graph.contains(node))
    }

    fn check_homes(&self) -> Result<(), InvalidIndex> {
        let (homes, regions) = (self.dissected.homes, &self.index.regions);
        for (id, region) in (0..).zip(regions) {
            for (slot, &node) in (0..).zip(region.members.iter()) {
                if (homes.of(node).region, homes.of(node).slot) != (id, slot) {
                    return Err(InvalidIndex::Home { node });
                }
            }
        }
        for node in 0..self.dissected.graph.node_count() as NodeId {
            let home = homes.of(node);
            let is_there = match regions.get(home.region as usize) {
                Some(region) => region.members.get(home.slot as usize) == Some(&node),
                None => home.region == NO_REGION && !self.dissected.graph.contains(node),
            };
            if !is_there {
                return Err(InvalidIndex::Home { node });
            }
        }
        Ok(())
    }

    fn check_edges(&self) -> Result<(), InvalidIndex> {
        let (tree, homes) = (self.dissected.tree, self.dissected.homes);
        let mut apart = None;
        for tail in self.nodes() {
            self.dissected.graph.out_edges(tail, |head, _| {
                let access_homes = (homes.of(tail).region, homes.of(head).region);
                let common = tree.common(access_homes.0, access_homes.1);
                if common != access_homes.0 && common != access_homes.1 {
                    apart = Some(InvalidIndex::Apart { tail, head });
                }
            });
        }
        apart.map_or(Ok(()), Err)
    }

    fn check_region(&self, id: RegionId) -> Result<(), InvalidIndex> {
        let (tree, regions) = (self.dissected.tree, &self.index.regions);
        let children: Vec<_> = tree.children(id).map(|id| &regions[id as usize]).collect();
        let region = self.index.region(id);
        let (expected, in_parents) =
            tables::build_region(&self.dissected, id, region.members.clone(), &children);
        if let Some(what) = difference(region, &expected) {
            return Err(InvalidIndex::Region { region: id, what });
        }
        let of_root = (id == 0 && !region.in_parent.is_empty()).then_some(0);
        let lifted = children
            .iter()
            .zip(&in_parents)
            .map(|(child, in_parent)| child.in_parent == *in_parent);
        let of_child = tree.children(id).zip(lifted).find(|(_, same)| !same).map(|(id, _)| id);
        match of_root.or(of_child) {
            Some(region) => Err(InvalidIndex::Region { region, what: "positions in the parent" }),
            None => Ok(()),
        }
    }

    /// Compares labels with those that the regions determine.
    fn check_labels(&self, labels: &Labels) -> Result<(), InvalidIndex> {
        let follows = |&scope: &LabelScope| {
            Layout::new(&self.index.tree, &self.index.regions, scope) == labels.layout
        };
        let differ = |what| Err(InvalidIndex::Labels { what });
        // Not the scope of the layout: an empty map has both, and the layout cannot tell which.
        let scopes = [LabelScope::AllNodes, LabelScope::SeparatorNodes];
        let Some(scope) = scopes.into_iter().find(follows) else { return differ("rows") };
        let built = Labels::build(self.index, scope, 0, &());
        let built = built.expect("only a cancelled build fails");
        if built.costs != labels.costs {
            return differ("costs");
        }
        if built.hops.exits != labels.hops.exits {
            return differ("exits");
        }
        if labels.cache.is_none() && built.hops.hops != labels.hops.hops {
            return differ("hops");
        }
        let Labels { layout, costs, links, .. } = labels;
        let expected = LeafLinks::build(self.index, layout, &built.hops.exits, costs, u64::MAX);
        if links.is_some() && *links != expected {
            return differ("links");
        }
        self.check_cached_paths(labels, &built.hops)
    }

    /// Compares cached paths with those that rows and hops determine.
    fn check_cached_paths(&self, labels: &Labels, hops: &Hops) -> Result<(), InvalidIndex> {
        let Labels { layout, costs, hop_paths, cache, .. } = labels;
        let built = HopPaths::build(self.index, layout, hops, u64::MAX);
        if hop_paths.is_some() && *hop_paths != built {
            return Err(InvalidIndex::Labels { what: "hop paths" });
        }
        let built = built.and_then(|hop_paths| {
            PathCache::build(self.index, layout, costs, hops, &hop_paths, u64::MAX)
        });
        if cache.is_some() && *cache != built {
            return Err(InvalidIndex::Labels { what: "cached paths" });
        }
        Ok(())
    }
}

/// The part in which two regions with the same members differ, except positions in the parent.
fn difference(a: &Region, b: &Region) -> Option<&'static str> {
    if a.border != b.border {
        return Some("border nodes");
    }
    if a.crossings != b.crossings {
        return Some("crossings");
    }
    match (&a.tables, &b.tables) {
        (RegionTables::Branch(a), RegionTables::Branch(b)) => {
            (a.via != b.via).then_some("costs to the separator")
        }
        (RegionTables::Leaf(a), RegionTables::Leaf(b)) => {
            let costs = (a.reach != b.reach).then_some("costs to the border");
            let steps = (a.steps != b.steps).then_some("steps");
            costs.or(steps).or((a.enter != b.enter).then_some("entrances"))
        }
        _ => Some("tables"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{AtlasConfig, Form};
    use crate::engine::Build;
    use crate::generate::Rooms;
    use crate::map::Map;

    fn index() -> GeneralIndex {
        let grid = Rooms { width: 24, height: 18, room: 5, ..Rooms::default() }.generate();
        let config =
            AtlasConfig { form: Form::General, leaf_size: Some(6), ..AtlasConfig::default() };
        let mut atlas = Atlas::build(&Map::from(grid.unwrap()), &config).unwrap();
        atlas.index.general().clone()
    }

    #[test]
    fn a_node_with_a_wrong_home_is_reported() {
        let mut index = index();
        assert_eq!(index.validate(), Ok(()));
        let [a, b] = [0, 1].map(|id| index.regions[id].members[0]);
        let home = index.homes.of(a);
        index.homes.set(b, home);
        assert_eq!(index.validate(), Err(InvalidIndex::Home { node: b }));
    }

    #[test]
    fn neighbours_without_a_separator_are_reported() {
        let mut index = index();
        // Two nodes of different leaves swap homes, so that one is separated from its neighbours.
        let has_neighbour_at_home = |node: NodeId| {
            let home = index.homes.of(node).region;
            let mut found = false;
            on_core!(&index.core, graph => graph.out_edges(node, |head, _| {
                found |= index.homes.of(head).region == home;
            }));
            found
        };
        let mut leaves = index.regions.iter().filter(|region| region.leaf().is_some());
        let one = leaves.find_map(|leaf| {
            leaf.members.iter().copied().find(|&node| has_neighbour_at_home(node))
        });
        let homes = [one.unwrap(), leaves.next().unwrap().members[0]]
            .map(|node| (node, index.homes.of(node)));
        for (node, home) in [(homes[0].0, homes[1].1), (homes[1].0, homes[0].1)] {
            let region = std::sync::Arc::make_mut(&mut index.regions[home.region as usize]);
            let mut members = region.members.to_vec();
            members[home.slot as usize] = node;
            region.members = members.into();
            index.homes.set(node, home);
        }
        assert!(matches!(index.validate(), Err(InvalidIndex::Apart { .. })));
    }

    #[test]
    fn changed_positions_in_the_parent_are_reported() {
        let mut index = index();
        let region = std::sync::Arc::make_mut(&mut index.regions[3]);
        region.in_parent = region.in_parent.iter().map(|&at| at + 1).collect();
        assert_eq!(
            index.validate(),
            Err(InvalidIndex::Region { region: 3, what: "positions in the parent" })
        );
    }

    #[test]
    fn changed_cached_paths_are_reported() {
        let roads = crate::generate::Roads { nodes: 400, ..crate::generate::Roads::default() };
        let config = AtlasConfig { leaf_size: Some(12), ..AtlasConfig::default() };
        let map = Map::from(roads.generate().unwrap());
        let build = || Atlas::build(&map, &config).unwrap();
        assert_eq!(build().validate(), Ok(()));
        let altered = |alter: fn(&mut PathCache)| {
            let mut atlas = build();
            let labels =
                std::sync::Arc::get_mut(atlas.index.general().labels.as_mut().unwrap()).unwrap();
            alter(labels.cache.as_mut().expect("the memory limit allows everything"));
            atlas.validate()
        };
        fn less(words: &crate::store::Words) -> crate::store::Words {
            words.iter().map(|&word| word.max(1) - 1).collect()
        }
        let broken = Err(InvalidIndex::Labels { what: "cached paths" });
        assert_eq!(altered(|cache| cache.leaf_paths.nodes = less(&cache.leaf_paths.nodes)), broken);
        assert_eq!(altered(|cache| cache.shortcuts.nodes = less(&cache.shortcuts.nodes)), broken);
        assert_eq!(
            altered(|cache| cache.shortcuts.shortcuts[0] = less(&cache.shortcuts.shortcuts[0])),
            broken
        );
        assert_eq!(
            altered(|cache| cache.access_homes.homes = less(&cache.access_homes.homes)),
            broken
        );
    }
}
