//! Putting paths together, node by node, from one of their ends toward the middle.
//!
//! A walker goes *out*, from the start of a path along the edges, or *into* it, from the goal
//! against them. What it reads may come from a damaged file: every number is held against the lists
//! it leads into, and the number of steps is limited, so that the worst that can happen is `None`.

use crate::atlas::general::index::{Core, End, GeneralIndex, on_core};
use crate::atlas::general::labels::hops::{Exit, NO_HOP};
use crate::atlas::general::labels::{Labels, Rank};
use crate::atlas::general::tables::region::{BORDER, Region, Way};
use crate::atlas::separator_tree::RegionId;
use crate::cost::Cost;
use crate::graph::{Graph, NodeId};

pub(crate) struct Walker {
    pub(crate) way: Way,
    pub(crate) path: Vec<NodeId>,
    /// What has to be turned round before it belongs to the path.
    spare: Vec<NodeId>,
}

impl Walker {
    pub(crate) fn new(way: Way) -> Self {
        Self { way, path: Vec::new(), spare: Vec::new() }
    }

    /// Starts at an end of the path.
    pub(crate) fn start(&mut self, node: NodeId) {
        self.path.clear();
        self.path.push(node);
    }

    /// Goes from the end of the path to the core.
    pub(crate) fn enter_core(&mut self, index: &GeneralIndex, node: NodeId, end: &End) {
        let Core::Reduced(reduced) = &index.core else { return };
        match self.way {
            Way::Out => reduced.path_to_tie(node, end.tie, &mut self.path),
            Way::Into if end.node != node => {
                self.spare.clear();
                reduced.path_from_tie(node, end.tie, &mut self.spare);
                self.spare.pop();
                self.path.extend(self.spare.iter().rev());
                self.path.push(end.node);
            }
            Way::Into => {}
        }
    }

    /// Goes from the core to the goal of the path.
    pub(crate) fn leave_core(&mut self, index: &GeneralIndex, node: NodeId, end: &End) {
        if let Core::Reduced(reduced) = &index.core {
            reduced.path_from_tie(node, end.tie, &mut self.path);
        }
    }

    /// Goes to a neighbour in the core.
    #[inline(always)]
    pub(crate) fn step(&mut self, index: &GeneralIndex, next: NodeId) -> Option<()> {
        if let Core::Reduced(reduced) = &index.core {
            let here = *self.path.last()?;
            match self.way {
                Way::Out => reduced.between(here, next, &mut self.path),
                Way::Into => {
                    self.spare.clear();
                    reduced.between(next, here, &mut self.spare);
                    self.path.extend(self.spare.iter().rev());
                }
            }
            // A shortest path has every node once; what is longer comes from a damaged file.
            if self.path.len() > reduced.node_count() {
                return None;
            }
        }
        self.path.push(next);
        Some(())
    }

    /// Goes from a member of a leaf to a border node of it.
    pub(crate) fn leave(
        &mut self,
        index: &GeneralIndex,
        region: &Region,
        slot: usize,
        border: usize,
    ) -> Option<()> {
        let members = region.members.len();
        let steps = region.leaf()?.steps.way(self.way);
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
        let enter = region.leaf()?.enter.way(self.way);
        let first = usize::from(*enter.get(from * region.border.len() + to)?);
        self.step(index, *region.members.get(first)?)?;
        self.leave(index, region, first, to)
    }

    /// Follows the hops of a separator node to the one that has this entry.
    pub(crate) fn follow(
        &mut self,
        index: &GeneralIndex,
        labels: &Labels,
        mut rank: Rank,
        entry: usize,
    ) -> Option<()> {
        let most = index.map.node_count();
        for _ in 0..=labels.layout.separators() {
            if self.path.len() > most {
                return None;
            }
            let range = labels.layout.range(rank);
            if range.len() == entry + 1 {
                return Some(());
            }
            let at = range.start + entry;
            let hop = if at < range.end { labels.hops.hop(self.way, at) } else { NO_HOP };
            rank = match labels.hops.exits.exit(rank, hop)? {
                Exit::Edge(to) => {
                    self.step(index, *labels.hops.exits.nodes.get(to as usize)?)?;
                    to
                }
                Exit::Leaf { leaf, from, to } => {
                    let next = *labels.hops.exits.border(leaf).get(to as usize)?;
                    if self.copy_strip(labels, (leaf, from, to), next).is_none() {
                        let region = index.regions.get(leaf as usize)?;
                        self.cross(index, region, from as usize, to as usize)?;
                    }
                    next
                }
            };
        }
        None
    }

    /// Goes from one border node of a leaf to another by copying; `None` where there is no strip.
    #[inline(always)]
    fn copy_strip(
        &mut self,
        labels: &Labels,
        (leaf, from, to): (RegionId, u32, u32),
        next: Rank,
    ) -> Option<()> {
        let strips = labels.strips.as_ref()?;
        let border = labels.hops.exits.border(leaf).len();
        let (from, to) = (from as usize, to as usize);
        match self.way {
            Way::Out => {
                let strip = strips.strip(leaf, from * border + to);
                self.path.extend_from_slice(strip);
                strip.last().map(|_| ())
            }
            Way::Into => {
                let (_, between) = strips.strip(leaf, to * border + from).split_last()?;
                self.path.extend(between.iter().rev());
                self.path.push(*labels.hops.exits.nodes.get(next as usize)?);
                Some(())
            }
        }
    }

    /// Goes along a core edge of this cost; `None` where there is none.
    pub(crate) fn along_edge(
        &mut self,
        index: &GeneralIndex,
        from: NodeId,
        to: NodeId,
        cost: Cost,
    ) -> Option<()> {
        let mut found = false;
        let mut look = |other: NodeId, weight: Cost| found |= other == to && weight == cost;
        on_core!(&index.core, graph => match self.way {
            Way::Out => graph.out_edges(from, &mut look),
            Way::Into => graph.in_edges(from, &mut look),
        });
        if found { self.step(index, to) } else { None }
    }
}
