//! What an edit had rebuilt, for programs that show it.

use crate::graph::NodeId;

/// A part of an engine that was rebuilt: the table of a region, or a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RebuiltPart {
    /// 0 for the smallest regions; larger ones are on higher levels.
    pub level: usize,
    /// The nodes that the part knows about. On level 0 all nodes of the region, above it the nodes
    /// that join or separate the smaller regions.
    pub nodes: Vec<NodeId>,
}

/// The numbers of the parts that two versions do not share.
pub(crate) fn replaced<'a, T: 'a>(
    before: impl ExactSizeIterator<Item = &'a T>,
    after: impl ExactSizeIterator<Item = &'a T>,
) -> Vec<usize> {
    // Another number of parts means that everything was built from scratch.
    let is_same = before.len() == after.len();
    let pairs = before.map(Some).chain(std::iter::repeat(None)).zip(after).enumerate();
    let differ = |(_, (old, new)): &(usize, (Option<&T>, &T))| {
        !is_same || !old.is_some_and(|old| std::ptr::eq(old, *new))
    };
    pairs.filter(differ).map(|(at, _)| at).collect()
}
