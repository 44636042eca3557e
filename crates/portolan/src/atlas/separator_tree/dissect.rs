//! Cutting the core into regions by separators, again and again, until regions are small enough for
//! a table.
//!
//! A path code tells 64 levels ([`Tree`]). With sides that are no more uneven than [`UNEVEN`], 50
//! cuts on end leave one of 2^32 nodes; a partitioner that allows more is held to that below the
//! first few levels.

use rayon::join;

use super::Tree;
use crate::build::{BuildError, Watch};
use crate::graph::NodeId;
use crate::partition::{CutSide, Partitioner, SubsetScratch, Topology};

/// The tree, and by region the nodes that are its own: a branch's separator, all nodes of a leaf.
pub(crate) struct Dissection {
    pub(crate) tree: Tree,
    pub(crate) members: Vec<Vec<NodeId>>,
}

/// Cuts a topology into leaves of at most `leaf_size` nodes.
pub(crate) fn dissect(
    topology: Topology,
    partitioner: &Partitioner,
    leaf_size: usize,
    watch: &Watch<'_>,
) -> Result<Dissection, BuildError> {
    let cutting = Cutting { partitioner, leaf_size, watch };
    let mut level = vec![cutting.cut(topology, 0)?];
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
    let tree =
        Tree::new(children).expect("parts of parts make a tree, and cutting knows its depth");
    Ok(Dissection { tree, members })
}

/// How many thousandths a side may be larger than half, below the first [`FREE`] levels.
const UNEVEN: u32 = 300;

/// On how many levels sides may be as uneven as the partitioner allows.
const FREE: u32 = 8;

/// A region with what it was cut into.
struct Part {
    members: Vec<NodeId>,
    sides: Vec<Part>,
}

struct Cutting<'a> {
    partitioner: &'a Partitioner,
    leaf_size: usize,
    watch: &'a Watch<'a>,
}

impl Cutting<'_> {
    fn cut(&self, topology: Topology, depth: u32) -> Result<Part, BuildError> {
        self.watch.check()?;
        let nodes = topology.node_count();
        if nodes <= self.leaf_size {
            self.watch.advance(nodes);
            return Ok(Part { members: topology.originals().to_vec(), sides: Vec::new() });
        }
        let allowed = self.partitioner.imbalance;
        let imbalance = if depth < FREE { allowed } else { allowed.min(UNEVEN) };
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
            // Nothing is left on either side: a leaf whose nodes are all in the separator.
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
    fn sides_as_uneven_as_may_be_still_end_in_small_leaves() {
        let topology = Topology::of_map(&Map::from(Grid::new(70, 70).unwrap())).unwrap();
        let partitioner = Partitioner { imbalance: 1_000_000, tries: 1, ..Partitioner::default() };
        let watch = Watch::new(&(), "regions", topology.node_count());
        let Dissection { tree, members } = dissect(topology, &partitioner, 4, &watch).unwrap();
        let leaves = (0..).zip(&members).filter(|&(id, _)| tree.is_leaf(id));
        assert!(leaves.clone().count() > 0 && leaves.clone().all(|(_, nodes)| nodes.len() <= 4));
        assert_eq!(members.iter().map(Vec::len).sum::<usize>(), 4900);
    }
}
