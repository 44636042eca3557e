//! Nested dissection: separators cut the core until all regions are small.
//!
//! A path code distinguishes 64 levels, see [`SeparatorTree`]. If each side has at most the share
//! of nodes that [`MAX_IMBALANCE`] allows, 50 consecutive cuts reduce 2^32 nodes to one. A
//! partitioner with a larger imbalance is limited to this below the first few levels.

use rayon::join;

use super::SeparatorTree;
use crate::build::{BuildError, Watch};
use crate::graph::NodeId;
use crate::partition::{CutSide, Partitioner, SubsetScratch, Topology};

/// The tree, and the members of each region: the separator of a branch, all nodes of a leaf.
pub(crate) struct Dissection {
    pub(crate) tree: SeparatorTree,
    pub(crate) members: Vec<Vec<NodeId>>,
}

/// Dissects a topology into leaves of at most `leaf_size` nodes.
pub(crate) fn dissect(
    topology: Topology,
    partitioner: &Partitioner,
    leaf_size: usize,
    watch: &Watch<'_>,
) -> Result<Dissection, BuildError> {
    let dissector = Dissector { partitioner, leaf_size, watch };
    let mut level = vec![dissector.cut(topology, 0)?];
    let (mut children, mut members) = (Vec::new(), Vec::new());
    while !level.is_empty() {
        let mut next = Vec::new();
        for part in level {
            children.push(part.sides.len() as u32);
            members.push(part.members);
            next.extend(part.sides);
        }
        level = next;
    }
    let tree = SeparatorTree::new(children).expect("the parts form a tree of limited depth");
    Ok(Dissection { tree, members })
}

/// Below the first [`UNLIMITED_LEVELS`], a side may be larger than half by this many thousandths.
const MAX_IMBALANCE: u32 = 300;

/// Number of levels on which the imbalance of the partitioner is not limited.
const UNLIMITED_LEVELS: u32 = 8;

/// A region and its children.
struct Part {
    members: Vec<NodeId>,
    sides: Vec<Part>,
}

struct Dissector<'a> {
    partitioner: &'a Partitioner,
    leaf_size: usize,
    watch: &'a Watch<'a>,
}

impl Dissector<'_> {
    fn cut(&self, topology: Topology, depth: u32) -> Result<Part, BuildError> {
        self.watch.check()?;
        let nodes = topology.node_count();
        if nodes <= self.leaf_size {
            self.watch.advance(nodes);
            return Ok(Part { members: topology.originals().to_vec(), sides: Vec::new() });
        }
        let allowed = self.partitioner.imbalance;
        let imbalance = if depth < UNLIMITED_LEVELS { allowed } else { allowed.min(MAX_IMBALANCE) };
        let partitioner = Partitioner { imbalance, ..self.partitioner.clone() };
        let separator = partitioner.separate(&topology)?;
        let of_side =
            |side| topology.subset(&separator.members(side), &mut SubsetScratch::default());
        let (a, b) = join(|| of_side(CutSide::A), || of_side(CutSide::B));
        let members = separator.members(CutSide::Separator).into_iter();
        let members: Vec<NodeId> = members.map(|node| topology.original(node)).collect();
        self.watch.advance(members.len());
        drop((topology, separator));
        let cut =
            |side: Topology| (side.node_count() > 0).then(|| self.cut(side, depth + 1)).transpose();
        let (a, b) = join(|| cut(a), || cut(b));
        let sides: Vec<Part> = [a?, b?].into_iter().flatten().collect();
        if sides.is_empty() {
            // Both sides are empty. A branch needs a child, so it gets an empty leaf.
            return Ok(Part {
                members,
                sides: vec![Part { members: Vec::new(), sides: Vec::new() }],
            });
        }
        Ok(Part { members, sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, Map};

    #[test]
    fn very_uneven_sides_still_end_in_small_leaves() {
        let topology = Topology::of_map(&Map::from(Grid::new(70, 70).unwrap())).unwrap();
        let partitioner = Partitioner { imbalance: 1_000_000, tries: 1, ..Partitioner::default() };
        let watch = Watch::new(&(), "regions", topology.node_count());
        let Dissection { tree, members } = dissect(topology, &partitioner, 4, &watch).unwrap();
        let leaves = (0..).zip(&members).filter(|&(id, _)| tree.is_leaf(id));
        assert!(leaves.clone().count() > 0 && leaves.clone().all(|(_, nodes)| nodes.len() <= 4));
        assert_eq!(members.iter().map(Vec::len).sum::<usize>(), 4900);
    }
}
