//! Building an index: core, separator tree, tables, labels.

use std::sync::Arc;

use super::core::{ReducedGraph, Scale};
use super::index::{Core, GeneralIndex, on_core};
use super::labels::Labels;
use super::tables;
use super::tables::dissected::Dissected;
use super::tables::homes::NodeHomes;
use super::tables::region::BORDER;
use crate::atlas::AtlasConfig;
use crate::atlas::plan::{Choice, FormReason};
use crate::atlas::separator_tree::dissect::{Dissection, dissect};
use crate::build::{BuildError, Progress, Watch};
use crate::graph::NodeId;
use crate::map::{Map, on_graph};
use crate::partition::{CutMethod, Partitioner, Topology};

/// Default maximum of nodes in a leaf.
const LEAF: usize = 128;

/// A lower bound on the size of an index, without dissecting the map: the homes of all nodes and, on
/// grids, where every usable cell is a member of a region, the lists of members.
pub(crate) fn least_bytes(map: &Map) -> u64 {
    let members = match map {
        Map::Grid(grid) => size_of::<NodeId>() * grid.passable_count(),
        Map::Graph(_) => 0,
    };
    (NodeHomes::bytes(map.node_count()) + members) as u64
}

/// Dissects the map. The result knows the members and borders of all regions; tables are empty.
pub(crate) fn outline(
    map: &Map,
    config: &AtlasConfig,
    progress: &dyn Progress,
) -> Result<GeneralIndex, BuildError> {
    let scale = on_graph!(map, graph => Scale::of(graph));
    let core = match map {
        Map::Grid(grid) => Core::Grid(Box::new(grid.clone())),
        Map::Graph(graph) => Core::Reduced(Arc::new(ReducedGraph::new(graph, scale, |_| false))),
    };
    let topology = topology(map, &core)?;
    let watch = Watch::new(progress, "regions", topology.node_count());
    let partitioner = partitioner(map, config);
    let leaf = leaf_size(config, LEAF);
    let Dissection { tree, mut members } = dissect(topology, &partitioner, leaf, &watch)?;
    watch.check()?;
    let mut homes = NodeHomes::new(map.node_count());
    let set_homes = |homes: &mut NodeHomes, members: &[Vec<NodeId>]| {
        (0..).zip(members).for_each(|(id, members)| homes.set_members(id, members));
    };
    set_homes(&mut homes, &members);
    on_core!(&core, graph => {
        tables::sort_leaves(&Dissected { graph, tree: &tree, homes: &homes }, &mut members);
    });
    set_homes(&mut homes, &members);
    let regions = on_core!(&core, graph => {
        tables::outline(&Dissected { graph, tree: &tree, homes: &homes }, members)
    });
    Ok(GeneralIndex {
        map: map.clone(),
        core,
        scale,
        tree: Arc::new(tree),
        homes,
        regions,
        labels: None,
        lifted: 0,
    })
}

/// Computes the tables of all regions.
pub(crate) fn fill(index: &mut GeneralIndex, progress: &dyn Progress) -> Result<(), BuildError> {
    let GeneralIndex { core, tree, homes, regions, .. } = index;
    let watch = Watch::new(progress, "tables", tree.len());
    on_core!(&*core, graph => tables::fill(&Dissected { graph, tree, homes }, regions, &watch))?;
    watch.check()
}

/// Adds the chosen labels, with cached paths if they fit as well.
pub(crate) fn with_labels(
    mut index: GeneralIndex,
    choice: Choice,
    progress: &dyn Progress,
) -> Result<(GeneralIndex, FormReason), BuildError> {
    let mut why = choice.why;
    if let Some(scope) = choice.labels {
        let spare = choice.limit - choice.bytes;
        let labels = Labels::build(&index, scope, spare, progress)?;
        if !labels.has_cached_paths() && why == FormReason::Fastest {
            why = FormReason::NoCachedPaths { limit: choice.limit };
        }
        index.labels = Some(Arc::new(labels));
    }
    Ok((index, why))
}

/// The maximum of nodes in a leaf.
pub(crate) fn leaf_size(config: &AtlasConfig, usual: usize) -> usize {
    config.leaf_size.unwrap_or(usual).clamp(1, usize::from(BORDER) / 2)
}

/// The maximum of nodes in a leaf after edits.
pub(crate) fn largest_leaf(config: &AtlasConfig) -> usize {
    2 * leaf_size(config, LEAF)
}

/// The configured partitioner, adapted to the kind of map: road networks have smaller separators if
/// the sides may be uneven, and inertial flow needs several directions to choose from.
pub(crate) fn partitioner(map: &Map, config: &AtlasConfig) -> Partitioner {
    let mut partitioner = config.partitioner.clone();
    if let Map::Graph(_) = map {
        partitioner.imbalance = 300;
    }
    if partitioner.method == CutMethod::InertialFlow {
        partitioner.tries = partitioner.tries.max(4);
    }
    partitioner
}

fn topology(map: &Map, core: &Core) -> Result<Topology, BuildError> {
    Ok(match (map, core) {
        (Map::Graph(graph), Core::Reduced(reduced)) => {
            let topology = Topology::of_graph(&**reduced)?;
            match graph.coordinates() {
                Some(points) => topology.with_points(|node| points[node as usize]),
                None => topology,
            }
        }
        _ => Topology::of_map(map)?,
    })
}
