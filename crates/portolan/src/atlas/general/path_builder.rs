//! Builds one half of a path node by node, from an endpoint toward the node where both halves meet.
//!
//! A forward builder starts at the start and follows edges; a backward builder starts at the goal
//! and follows edges from head to tail. The tables may come from a damaged file: every index is
//! checked and the number of steps is limited, so the worst result is `None`.

use super::direction::visit_edges;
use super::index::{Core, GeneralIndex, on_core};
use super::labels::Labels;
use super::labels::exits::Exit;
use super::labels::layout::Rank;
use super::query::access::AccessNode;
use super::tables::region::{BORDER, Region};
use crate::atlas::separator_tree::RegionId;
use crate::cost::Cost;
use crate::graph::{Direction, Graph, NodeId};

pub(crate) struct PathBuilder {
    pub(crate) direction: Direction,
    pub(crate) nodes: Vec<NodeId>,
    /// Scratch for nodes that are found in reverse order.
    reversed: Vec<NodeId>,
}

impl PathBuilder {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, nodes: Vec::new(), reversed: Vec::new() }
    }

    /// Starts a path at an endpoint.
    pub(crate) fn start(&mut self, node: NodeId) {
        self.nodes.clear();
        self.nodes.push(node);
    }

    /// Goes from an endpoint to its access node.
    pub(crate) fn enter_core(&mut self, index: &GeneralIndex, node: NodeId, access: &AccessNode) {
        let Core::Reduced(reduced) = &index.core else { return };
        match self.direction {
            Direction::Forward => reduced.path_to_core(node, access.number, &mut self.nodes),
            Direction::Backward if access.node != node => {
                self.reversed.clear();
                reduced.path_from_core(node, access.number, &mut self.reversed);
                self.reversed.pop();
                self.nodes.extend(self.reversed.iter().rev());
                self.nodes.push(access.node);
            }
            Direction::Backward => {}
        }
    }

    /// Goes from an access node to the goal.
    pub(crate) fn leave_core(&mut self, index: &GeneralIndex, node: NodeId, access: &AccessNode) {
        if let Core::Reduced(reduced) = &index.core {
            reduced.path_from_core(node, access.number, &mut self.nodes);
        }
    }

    /// Goes to a neighbour in the core.
    #[inline(always)]
    pub(crate) fn step(&mut self, index: &GeneralIndex, next: NodeId) -> Option<()> {
        if let Core::Reduced(reduced) = &index.core {
            let here = *self.nodes.last()?;
            match self.direction {
                Direction::Forward => reduced.nodes_between(here, next, &mut self.nodes),
                Direction::Backward => {
                    self.reversed.clear();
                    reduced.nodes_between(next, here, &mut self.reversed);
                    self.nodes.extend(self.reversed.iter().rev());
                }
            }
            // A shortest path visits each node once. A longer one comes from a damaged file.
            if self.nodes.len() > reduced.node_count() {
                return None;
            }
        }
        self.nodes.push(next);
        Some(())
    }

    /// Goes from a member of a leaf to a border node.
    pub(crate) fn leave(
        &mut self,
        index: &GeneralIndex,
        region: &Region,
        slot: usize,
        border: usize,
    ) -> Option<()> {
        let members = region.members.len();
        let steps = region.leaf()?.steps.of(self.direction);
        let steps = steps.get(border * members..(border + 1) * members)?;
        let mut here = slot;
        for _ in 0..members {
            let next = *steps.get(here)?;
            if next == BORDER {
                return self.step(index, *region.border.get(border)?);
            }
            here = usize::from(next);
            self.step(index, *region.members.get(here)?)?;
        }
        None
    }

    /// Goes from one border node of a leaf to another.
    pub(crate) fn cross(
        &mut self,
        index: &GeneralIndex,
        region: &Region,
        from: usize,
        to: usize,
    ) -> Option<()> {
        let enter = region.leaf()?.enter.of(self.direction);
        let first = usize::from(*enter.get(from * region.border.len() + to)?);
        self.step(index, *region.members.get(first)?)?;
        self.leave(index, region, first, to)
    }

    /// Follows hops from a separator node to the hub of an entry.
    pub(crate) fn follow(
        &mut self,
        index: &GeneralIndex,
        labels: &Labels,
        mut rank: Rank,
        entry: usize,
    ) -> Option<()> {
        let most = index.map.node_count();
        for _ in 0..=labels.layout.separators() {
            if self.nodes.len() > most {
                return None;
            }
            if labels.layout.range(rank).len() == entry + 1 {
                return Some(());
            }
            let (exit, next) = labels.exit_toward(self.direction, rank, entry)?;
            match exit {
                Exit::Edge(to) => {
                    self.step(index, *labels.hops.exits.nodes.get(to as usize)?)?;
                }
                Exit::Leaf { leaf, from, to } => {
                    if self.copy_hop_path(labels, (leaf, from, to), next).is_none() {
                        let region = index.regions.get(leaf as usize)?;
                        self.cross(index, region, from as usize, to as usize)?;
                    }
                }
            }
            rank = next;
        }
        None
    }

    /// Goes from one border node of a leaf to another by copying; `None` if that path is not
    /// cached.
    #[inline(always)]
    fn copy_hop_path(
        &mut self,
        labels: &Labels,
        (leaf, from, to): (RegionId, u32, u32),
        next: Rank,
    ) -> Option<()> {
        let hop_paths = labels.hop_paths.as_ref()?;
        let border = labels.hops.exits.border(leaf).len();
        let (from, to) = (from as usize, to as usize);
        match self.direction {
            Direction::Forward => {
                let path = hop_paths.path(leaf, from * border + to);
                self.nodes.extend_from_slice(path);
                path.last().map(|_| ())
            }
            Direction::Backward => {
                let (_, between) = hop_paths.path(leaf, to * border + from).split_last()?;
                self.nodes.extend(between.iter().rev());
                self.nodes.push(*labels.hops.exits.nodes.get(next as usize)?);
                Some(())
            }
        }
    }

    /// Goes along a core edge of this cost; `None` if there is none.
    pub(crate) fn along_edge(
        &mut self,
        index: &GeneralIndex,
        from: NodeId,
        to: NodeId,
        cost: Cost,
    ) -> Option<()> {
        let mut found = false;
        on_core!(&index.core, graph => visit_edges(graph, self.direction, from, |other, weight| {
            found |= other == to && weight == cost;
        }));
        if found { self.step(index, to) } else { None }
    }
}
