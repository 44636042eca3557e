//! Connected components of any [`Graph`].
//!
//! The smallest node names a component, so names do not depend on the algorithm.

use super::{Graph, NodeId};

/// The component of every node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    names: Vec<NodeId>,
    count: usize,
}

impl Components {
    /// The entry of ids that are not nodes.
    pub(crate) const NONE: NodeId = NodeId::MAX;

    /// The smallest node of this node's component; `None` for an id that is not a node.
    pub fn of(&self, node: NodeId) -> Option<NodeId> {
        self.names.get(node as usize).copied().filter(|&name| name != Self::NONE)
    }

    /// Whether both ids are nodes of the same component.
    #[inline]
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        let name = self.of(a);
        name.is_some() && name == self.of(b)
    }

    /// The number of components.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The name and size of each component, largest first, then by name.
    pub fn sizes(&self) -> Vec<(NodeId, usize)> {
        let mut members = vec![0u32; self.names.len()];
        for &name in self.names.iter().filter(|&&name| name != Self::NONE) {
            members[name as usize] += 1;
        }
        let mut sizes: Vec<_> = (0..)
            .zip(members)
            .filter(|&(_, size)| size > 0)
            .map(|(name, size)| (name, size as usize))
            .collect();
        sizes.sort_by_key(|&(name, size)| (std::cmp::Reverse(size), name));
        sizes
    }

    /// Heap memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.names.capacity() * size_of::<NodeId>()
    }

    /// The components after adding nodes up to this count, then edges.
    pub(super) fn joined(
        &self,
        nodes: usize,
        edges: impl Iterator<Item = (NodeId, NodeId)>,
    ) -> Self {
        let mut names = self.names.clone();
        names.extend(names.len() as NodeId..nodes as NodeId);
        for (a, b) in edges {
            let (a, b) = (root_of(&mut names, a), root_of(&mut names, b));
            names[a.max(b) as usize] = a.min(b);
        }
        Self::settled(names)
    }

    /// Names every node by its root, which must be the smallest node of its tree.
    fn settled(mut names: Vec<NodeId>) -> Self {
        // Parents are smaller than their children, so one pass in id order suffices.
        for node in 0..names.len() {
            if names[node] != Self::NONE {
                names[node] = names[names[node] as usize];
            }
        }
        Self::new(names)
    }

    fn new(names: Vec<NodeId>) -> Self {
        let count = (0..).zip(&names).filter(|&(node, &name): &(NodeId, _)| node == name).count();
        Self { names, count }
    }
}

/// The weakly connected components: those of the graph without edge directions.
///
/// Union by smallest id with path halving, in place.
pub fn weak_components<G: Graph>(graph: &G) -> Components {
    let mut names = vec![Components::NONE; graph.node_count()];
    for node in 0..names.len() as NodeId {
        if graph.contains(node) {
            names[node as usize] = node;
        }
    }
    for tail in 0..names.len() as NodeId {
        if names[tail as usize] == Components::NONE {
            continue;
        }
        let mut root = root_of(&mut names, tail);
        graph.out_edges(tail, |head, _| {
            let other = root_of(&mut names, head);
            let (low, high) = (root.min(other), root.max(other));
            names[high as usize] = low;
            root = low;
        });
    }
    Components::settled(names)
}

/// The strongly connected components, by Tarjan's algorithm without recursion.
pub fn strong_components<G: Graph>(graph: &G) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let n = graph.node_count();
    let mut names = vec![Components::NONE; n];
    let mut order = vec![UNSEEN; n];
    let mut low = vec![0u32; n];
    let mut next_order = 0;
    let mut open: Vec<NodeId> = Vec::new();
    // One frame per node on the current path: the node and the start of its unvisited heads.
    let mut frames: Vec<(NodeId, usize)> = Vec::new();
    let mut heads: Vec<NodeId> = Vec::new();

    for root in 0..n as NodeId {
        if order[root as usize] != UNSEEN || !graph.contains(root) {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                order[node as usize] = next_order;
                low[node as usize] = next_order;
                next_order += 1;
                open.push(node);
                frames.push((node, heads.len()));
                graph.out_edges(node, |head, _| heads.push(head));
            }
            let Some(&(node, first_head)) = frames.last() else { break };
            if heads.len() > first_head {
                let head = heads.pop().unwrap_or(node);
                if order[head as usize] == UNSEEN {
                    entering = Some(head);
                } else if names[head as usize] == Components::NONE {
                    low[node as usize] = low[node as usize].min(order[head as usize]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent as usize] = low[parent as usize].min(low[node as usize]);
            }
            if low[node as usize] == order[node as usize] {
                let first = open.iter().rposition(|&member| member == node).unwrap_or(0);
                let name = open[first..].iter().copied().min().unwrap_or(node);
                for member in open.drain(first..) {
                    names[member as usize] = name;
                }
            }
        }
    }
    Components::new(names)
}

/// The root of a node in a union-find forest. Halves the path to it.
pub(crate) fn root_of(names: &mut [NodeId], mut node: NodeId) -> NodeId {
    loop {
        let parent = names[node as usize];
        if parent == node {
            return node;
        }
        names[node as usize] = names[parent as usize];
        node = names[node as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn graph(nodes: usize, edges: &[(NodeId, NodeId)]) -> crate::CsrGraph {
        let mut builder = GraphBuilder::new(nodes).unwrap();
        for &(tail, head) in edges {
            builder.add_edge(tail, head, 1).unwrap();
        }
        builder.build()
    }

    fn names(components: &Components, nodes: usize) -> Vec<NodeId> {
        (0..nodes as NodeId).map(|node| components.of(node).unwrap()).collect()
    }

    #[test]
    fn weak_ignores_directions() {
        let found = weak_components(&graph(6, &[(1, 0), (2, 1), (4, 5), (5, 5)]));
        assert_eq!(names(&found, 6), [0, 0, 0, 3, 4, 4]);
        assert_eq!(found.count(), 3);
        assert_eq!(found.sizes(), [(0, 3), (4, 2), (3, 1)]);
        assert_eq!(found.of(6), None);
    }

    #[test]
    fn strong_needs_a_path_back() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 3), (5, 5)];
        let found = strong_components(&graph(6, &edges));
        assert_eq!(names(&found, 6), [0, 0, 0, 3, 3, 5]);
        assert_eq!(found.count(), 3);
    }

    #[test]
    fn strong_survives_a_very_long_cycle() {
        let edges: Vec<_> = (0..200_000).map(|node| (node, (node + 1) % 200_000)).collect();
        assert_eq!(strong_components(&graph(200_000, &edges)).count(), 1);
    }
}
