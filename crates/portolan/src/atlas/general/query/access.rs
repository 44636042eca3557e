//! Access: the core nodes through which an endpoint reaches the core, with their costs.
//!
//! On grids every node is a core node and its own access. On reduced graphs a node has up to two,
//! see `core/access.rs`.

use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::general::tables::homes::Home;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};

/// A core node through which an endpoint of a query reaches the core, or is reached from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AccessNode {
    /// Its position among the [accesses](crate::atlas::general::core::Access) of the endpoint.
    pub(crate) number: usize,
    pub(crate) node: NodeId,
    pub(crate) home: Home,
    /// The cost between endpoint and core node in the direction of the path.
    pub(crate) cost: Cost,
}

/// Access nodes that a query joins at once: one, or two where the home of the first is the home of
/// the second or below it in the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AccessGroup {
    One(AccessNode),
    Two(AccessNode, AccessNode),
}

impl AccessGroup {
    pub(crate) fn deepest(&self) -> &AccessNode {
        match self {
            Self::One(node) | Self::Two(node, _) => node,
        }
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &AccessNode> {
        match self {
            Self::One(node) => [Some(node), None],
            Self::Two(a, b) => [Some(a), Some(b)],
        }
        .into_iter()
        .flatten()
    }
}

impl GeneralIndex {
    /// The access nodes of an endpoint: of the start if `Forward`, of the goal if `Backward`.
    ///
    /// The two ends of a chain that can be passed are neighbours in the core, so one's home is at
    /// or below the other's, and they form one group. Others form two groups.
    pub(crate) fn access_groups(
        &self,
        node: NodeId,
        direction: Direction,
    ) -> [Option<AccessGroup>; 2] {
        let reduced = match &self.core {
            Core::Grid(_) => {
                let home = self.homes.of(node);
                return [
                    Some(AccessGroup::One(AccessNode { number: 0, node, home, cost: 0 })),
                    None,
                ];
            }
            Core::Reduced(reduced) => reduced,
        };
        let (accesses, cache) = (reduced.accesses(node), self.path_cache());
        let mut nodes = accesses.iter().enumerate().filter_map(|(number, access)| {
            let cost = match direction {
                Direction::Forward => access.to_core,
                Direction::Backward => access.from_core,
            };
            let home = match cache {
                Some(cache) => cache.access_homes.of_access(node, number),
                None => self.homes.of(access.core),
            };
            let node = AccessNode { number, node: access.core, home, cost };
            (cost != UNREACHABLE).then_some(node)
        });
        match (nodes.next(), nodes.next()) {
            (Some(a), Some(b)) => {
                let depth = |node: &AccessNode| self.tree.node(node.home.region).depth;
                let (a_depth, b_depth) = (depth(&a), depth(&b));
                let common = self.tree.common_depth(a.home.region, b.home.region);
                match common == a_depth.min(b_depth) {
                    true if a_depth >= b_depth => [Some(AccessGroup::Two(a, b)), None],
                    true => [Some(AccessGroup::Two(b, a)), None],
                    false => [Some(AccessGroup::One(a)), Some(AccessGroup::One(b))],
                }
            }
            (one, _) => [one.map(AccessGroup::One), None],
        }
    }

    /// Prefetches what [`access_groups`](Self::access_groups) reads for a node.
    #[inline(always)]
    pub(crate) fn prefetch_accesses(&self, node: NodeId) {
        if let Some(cache) = self.path_cache() {
            cache.access_homes.prefetch(node);
        }
    }

    fn path_cache(&self) -> Option<&PathCache> {
        self.labels.as_ref()?.cache.as_ref()
    }
}
