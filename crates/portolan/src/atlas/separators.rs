//! The separators of a map, for programs that make tables or labels of their own.

use super::config::AtlasConfig;
use super::general::build;
use super::separator_tree::SeparatorTree;
use super::separator_tree::dissect::{Dissection, dissect};
use crate::build::{BuildError, Progress, Watch, in_threads};
use crate::graph::NodeId;
use crate::map::Map;
use crate::partition::Topology;

/// The separator tree of a map, in the order of nested dissection.
///
/// Regions are numbered from the root down, level by level. The nodes of a region separate the
/// nodes below its children from each other; those of a leaf are what is left. Every node of the
/// map, except blocked cells and removed nodes, is in exactly one region. An edge joins two nodes
/// of one region, or a node and one of a region above.
///
/// ```
/// use portolan::atlas::{AtlasConfig, Separators};
/// let map = portolan::Grid::new(40, 40)?.into();
/// let separators = Separators::of_map(&map, &AtlasConfig::default(), &())?;
/// let nodes: usize = separators.regions().map(|region| region.nodes.len()).sum();
/// assert_eq!(nodes, 1600);
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Separators {
    tree: SeparatorTree,
    nodes: Vec<Vec<NodeId>>,
}

/// A region of [`Separators`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeparatorRegion<'a> {
    /// The region above; `None` for the root.
    pub parent: Option<u32>,
    /// The number of regions above.
    pub depth: u32,
    /// The turns from the root to this region, the first in the highest bit. Two regions have as
    /// many common ancestors as their codes have equal leading bits, at most `depth`.
    pub code: u64,
    /// The separator, or all nodes of a leaf.
    pub nodes: &'a [NodeId],
}

impl Separators {
    pub(super) fn new(tree: SeparatorTree, nodes: Vec<Vec<NodeId>>) -> Self {
        Self { tree, nodes }
    }

    /// Dissects a map. Uses the leaf size (8 by default), the partitioner and the threads of the
    /// configuration.
    pub fn of_map(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let leaf_size = config.leaf_size.unwrap_or(8).max(1);
        let partitioner = build::partitioner(map, config);
        let dissect = || {
            let topology = Topology::of_map(map)?;
            let watch = Watch::new(progress, "regions", topology.node_count());
            dissect(topology, &partitioner, leaf_size, &watch)
        };
        let Dissection { tree, members } = in_threads(config.threads, dissect)??;
        Ok(Self::new(tree, members))
    }

    /// All regions, in the order of their numbers.
    pub fn regions(&self) -> impl ExactSizeIterator<Item = SeparatorRegion<'_>> {
        self.nodes.iter().enumerate().map(|(id, nodes)| {
            let node = self.tree.node(id as u32);
            let parent = (id > 0).then_some(node.parent);
            SeparatorRegion { parent, depth: node.depth, code: self.tree.code(id as u32), nodes }
        })
    }
}

impl std::fmt::Debug for Separators {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Separators").field("regions", &self.nodes.len()).finish_non_exhaustive()
    }
}
