//! The results of partitioning, parts and separators, and checks of their guarantees.

use super::Topology;

/// The part of every node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partition {
    /// By node of the topology, its part: 0 to below `parts`.
    pub(crate) part_of: Vec<u32>,
    /// The number of parts. None is empty if there are at least as many nodes.
    pub(crate) parts: usize,
}

/// The side of a cut, or the separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CutSide {
    /// One side.
    A,
    /// The other side.
    B,
    /// Between the sides: no edge bypasses the separator.
    Separator,
}

/// A set of nodes whose removal leaves no edge between two sides.
///
/// One or both sides may be empty: a clique cannot be separated. But each side has fewer nodes than
/// a non-empty topology, so a recursion over the sides ends. It may stop earlier, if a side is
/// empty or the separator is too large to be useful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Separator {
    /// The side of each node of the topology.
    pub(crate) side_of: Vec<CutSide>,
}

impl Partition {
    /// The nodes of each part, ascending, without nodes of invalid parts.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.parts];
        for (node, &part) in (0..).zip(&self.part_of) {
            if let Some(members) = members.get_mut(part as usize) {
                members.push(node);
            }
        }
        members
    }

    /// The total weight of all edges between different parts.
    #[cfg(test)]
    pub(crate) fn cut(&self, topology: &Topology) -> u64 {
        let twice: u64 = self.outward(topology).map(|(_, weight)| u64::from(weight)).sum();
        twice / 2
    }

    /// The number of nodes with an edge to another part.
    pub(crate) fn border_count(&self, topology: &Topology) -> usize {
        let mut last = None;
        self.outward(topology).filter(|&(node, _)| last.replace(node) != Some(node)).count()
    }

    /// Checks that every node is in a valid part and that no part is empty if there are enough
    /// nodes.
    pub(crate) fn check(&self, topology: &Topology) -> Result<(), String> {
        let nodes = topology.node_count();
        check_count(nodes, self.part_of.len())?;
        let mut sizes = vec![0usize; self.parts];
        for (node, &part) in (0..).zip(&self.part_of) {
            let size = sizes.get_mut(part as usize);
            *size.ok_or_else(|| format!("node {node} is in part {part} of {}", self.parts))? += 1;
        }
        match sizes.iter().position(|&size| size == 0) {
            Some(part) if nodes >= self.parts => {
                Err(format!("part {part} is empty, though there are {nodes} nodes"))
            }
            _ => Ok(()),
        }
    }

    /// Every edge that leaves its part, once from each end: the node inside and the weight.
    fn outward<'a>(&'a self, topology: &'a Topology) -> impl Iterator<Item = (u32, u32)> + 'a {
        let part = |node: u32| self.part_of.get(node as usize);
        (0..topology.node_count() as u32).flat_map(move |node| {
            let leaves = topology.edges(node).filter(move |&(head, _)| part(head) != part(node));
            leaves.map(move |(_, weight)| (node, weight))
        })
    }
}

impl Separator {
    /// The nodes of one side, or of the separator, ascending.
    pub(crate) fn members(&self, side: CutSide) -> Vec<u32> {
        (0..).zip(&self.side_of).filter(|&(_, &at)| at == side).map(|(node, _)| node).collect()
    }

    /// The number of nodes on one side, or in the separator.
    pub(crate) fn count(&self, side: CutSide) -> usize {
        self.side_of.iter().filter(|&&at| at == side).count()
    }

    /// Checks that no edge joins the sides and that neither side is the whole graph.
    pub(crate) fn check(&self, topology: &Topology) -> Result<(), String> {
        let nodes = topology.node_count();
        check_count(nodes, self.side_of.len())?;
        let a_nodes = (0..nodes as u32).filter(|&node| self.side_of[node as usize] == CutSide::A);
        for a in a_nodes {
            let across = |&&b: &&u32| self.side_of[b as usize] == CutSide::B;
            if let Some(&b) = topology.neighbours(a).iter().find(across) {
                return Err(format!("the edge {a} - {b} joins the two sides"));
            }
        }
        if nodes > 0 && (self.count(CutSide::A) == nodes || self.count(CutSide::B) == nodes) {
            return Err(format!("all {nodes} nodes are on one side"));
        }
        Ok(())
    }
}

fn check_count(expected: usize, found: usize) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{found} nodes instead of {expected}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn path_of(nodes: u32) -> Topology {
        let mut builder = GraphBuilder::new(nodes as usize).unwrap();
        (1..nodes).for_each(|head| builder.add_two_way(head - 1, head, 1).unwrap());
        Topology::of_graph(&builder.build()).unwrap()
    }

    #[test]
    fn every_broken_promise_is_found() {
        let check = |parts, part_of: &[u32]| {
            Partition { part_of: part_of.to_vec(), parts }.check(&path_of(3))
        };
        assert_eq!(check(2, &[0, 1, 1]), Ok(()));
        assert_eq!(check(4, &[3, 1, 1]), Ok(()));
        let refused = |checked: Result<(), String>, expected: &str| {
            assert_eq!(checked, Err(expected.to_owned()));
        };
        refused(check(2, &[0, 1]), "2 nodes instead of 3");
        refused(check(2, &[0, 2, 1]), "node 1 is in part 2 of 2");
        refused(check(3, &[0, 2, 2]), "part 1 is empty, though there are 3 nodes");

        use CutSide::{A, B, Separator as S};
        let check =
            |side_of: &[CutSide]| Separator { side_of: side_of.to_vec() }.check(&path_of(3));
        assert_eq!(check(&[A, S, B]), Ok(()));
        assert_eq!(check(&[A, A, S]), Ok(()));
        refused(check(&[B, A, S]), "the edge 1 - 0 joins the two sides");
        refused(check(&[B, B, B]), "all 3 nodes are on one side");
        refused(check(&[S]), "1 nodes instead of 3");
    }

    #[test]
    fn nodes_and_parts_that_do_not_exist_have_nothing() {
        let path = path_of(3);
        assert!(path.neighbours(99).is_empty() && path.neighbours(u32::MAX).is_empty());
        assert_eq!((path.edges(3).count(), path.original(99)), (0, u32::MAX));
        let partition = Partition { part_of: vec![0, 7, 1], parts: 2 };
        assert_eq!(partition.members(), [vec![0], vec![2]]);
        assert_eq!(Partition { part_of: vec![0], parts: 1 }.border_count(&path), 2);
    }

    #[test]
    fn cuts_and_borders_are_counted() {
        let partition = Partition { part_of: vec![0, 1, 0, 0, 1], parts: 2 };
        assert_eq!(partition.cut(&path_of(5)), 3);
        assert_eq!(partition.border_count(&path_of(5)), 5);
        assert_eq!(partition.members(), [vec![0, 2, 3], vec![1, 4]]);
    }
}
