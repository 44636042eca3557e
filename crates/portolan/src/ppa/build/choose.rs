//! Chooses the hierarchy to build: the fastest that fits into the memory limit.
//!
//! The number of nodes, the limit and, for flat hierarchies, a first cut determine how the map is
//! cut. The members and borders of all subgraphs tell how large the tables will be. If they are too
//! large and the configuration leaves the choice open, these are tried in turn:
//!
//! - the same cuts grouped into more levels, whose tables are smaller;
//! - the leaves cut once more, again and again, until a hierarchy fits or the leaves are small;
//! - if the first plan was flat, the usual cuts.
//!
//! Fewer levels are faster, so they are tried first.

use std::sync::Arc;

use rayon::prelude::*;

use super::cut::{CutHierarchy, RegionCutter, halvings};
use super::subgraphs::upper_members;
use crate::build::BuildError;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::map::{Map, on_graph};
use crate::partition::{Partition, Topology};
use crate::ppa::config::{MIN_LEAF, PpaConfig};
use crate::ppa::index::{PpaIndex, Subgraph};
use crate::ppa::region_tree::{LeafPositions, RegionTree};
use crate::ppa::tables::{Table, TableLayout};

/// A region is cut into at most two to the power of this.
const MAX_HALVINGS: usize = 6;

/// How the map is cut, and the first cut if the choice required it.
pub(super) struct CutPlan {
    pub(super) branching: usize,
    pub(super) splits: usize,
    pub(super) halvings: usize,
    pub(super) first: Option<Partition>,
}

impl CutPlan {
    /// The flat hierarchy if its top table is affordable, else the usual one.
    pub(super) fn new(config: &PpaConfig, topology: &Topology) -> Result<Self, BuildError> {
        if let Some(branching) = config.flat_branching(topology.node_count()) {
            let first = config.partitioner.split(topology, branching)?;
            if config.is_affordable(first.border_count(topology)) {
                let halvings = halvings(branching);
                return Ok(Self { branching, splits: 2, halvings, first: Some(first) });
            }
        }
        Ok(Self::usual(config, topology.node_count()))
    }

    /// The hierarchy of the configured or usual branching and number of cuts.
    pub(super) fn usual(config: &PpaConfig, nodes: usize) -> Self {
        let branching = config.branching;
        // A configured hierarchy is never regrouped.
        let halvings = if config.splits.is_some() { 1 } else { halvings(branching.min(nodes)) };
        Self { branching, splits: config.splits(nodes), halvings, first: None }
    }

    /// The number of leaves if no region is too small to be cut.
    pub(super) fn most_leaves(&self) -> usize {
        self.branching.saturating_pow(self.splits as u32)
    }

    /// The depths of the regions.
    pub(super) fn depths(&self) -> Vec<usize> {
        (0..=self.splits).map(|cut| cut * self.halvings).collect()
    }

    /// The number of regions cut if none is too small.
    pub(super) fn cuts(&self) -> usize {
        let regions = (0..self.splits).map(|level| self.branching.saturating_pow(level as u32));
        regions.fold(0, usize::saturating_add)
    }
}

/// Refuses, before anything is cut, what cannot fit: the tables of the leaves take least memory if
/// all leaves have the same size.
pub(super) fn check_leaves(
    plan: &CutPlan,
    nodes: usize,
    layout: TableLayout,
    config: &PpaConfig,
) -> Result<(), BuildError> {
    let entries = nodes as u128 * nodes as u128 / plan.most_leaves().max(1) as u128;
    let entries = match layout {
        TableLayout::Full => entries,
        TableLayout::Half => entries / 2,
        TableLayout::OnDemand => 0,
    };
    let needed = u64::try_from(entries * size_of::<Cost>() as u128).unwrap_or(u64::MAX);
    BuildError::check_limit(needed, config.memory_limit)
}

/// The input to the choice of a hierarchy.
#[derive(Clone, Copy)]
pub(super) struct HierarchyChooser<'a> {
    pub(super) map: &'a Map,
    pub(super) undirected: bool,
    pub(super) topology: &'a Topology,
    pub(super) config: &'a PpaConfig,
}

impl HierarchyChooser<'_> {
    /// Returns the hierarchy to fill, with the members of all subgraphs: the one of depths
    /// `preferred` if it fits. The leaves are as they were cut; the tables above them are empty.
    pub(super) fn choose<L: Fn(Vec<NodeId>) -> Subgraph + Sync>(
        &self,
        cutting: &RegionCutter<L>,
        mut cut: CutHierarchy,
        preferred: &[usize],
    ) -> Result<PpaIndex, BuildError> {
        let first = self.outline(&cut, self.positions(&cut), preferred);
        let limit = self.config.memory_limit;
        let mut least = self.need(&first);
        if least.total <= limit {
            return Ok(first);
        }
        if self.config.splits.is_some() {
            return Err(BuildError::MemoryLimit { needed: least.total, limit, smaller: None });
        }
        loop {
            let positions = self.positions(&cut);
            for depths in cut.depth_choices(MAX_HALVINGS) {
                cutting.watch.check()?;
                let index =
                    PpaIndex { regrouped: true, ..self.outline(&cut, positions.clone(), &depths) };
                let need = self.need(&index);
                if need.total <= limit {
                    return Ok(index);
                }
                least.total = least.total.min(need.total);
                least.above = least.above.min(need.above);
            }
            // Another cut of the leaves makes their tables smaller, but not those above.
            if least.above > limit || cut.mean_leaf() < MIN_LEAF {
                return Err(BuildError::MemoryLimit { needed: least.total, limit, smaller: None });
            }
            cut = cutting.cut_leaves(self.topology, &cut)?;
        }
    }

    /// The subgraphs of the hierarchy whose regions are those of these depths.
    fn outline(
        &self,
        cut: &CutHierarchy,
        positions: Arc<LeafPositions>,
        depths: &[usize],
    ) -> PpaIndex {
        let tree = Arc::new(RegionTree::new(&cut.children(depths)));
        let mut index = PpaIndex {
            map: self.map.clone(),
            layout: self.config.table_layout(self.undirected),
            undirected: self.undirected,
            regrouped: false,
            tree: tree.clone(),
            positions,
            subgraphs: cut.leaves.clone(),
        };
        for level in 1..tree.levels() {
            let ids = tree.level(level).into_par_iter();
            let found =
                ids.map(|id| on_graph!(self.map, graph => upper_members(&index, graph, level, id)));
            let found: Vec<Subgraph> = found.collect();
            index.subgraphs.extend(found.into_iter().map(Arc::new));
        }
        index
    }

    fn positions(&self, cut: &CutHierarchy) -> Arc<LeafPositions> {
        let mut positions = LeafPositions::new(self.map.node_count());
        for (number, leaf) in (0..).zip(&cut.leaves) {
            positions.set_members(number, &leaf.members);
        }
        Arc::new(positions)
    }

    /// The size of the index once its tables, still empty, are filled.
    fn need(&self, index: &PpaIndex) -> PlannedBytes {
        let table = |subgraph: &Arc<Subgraph>| {
            let (members, borders) = (subgraph.members.len(), subgraph.borders);
            Table::planned_bytes(index.layout, members, borders, self.config.steps()) as u64
        };
        let (leaves, above) = index.subgraphs.split_at(index.tree.leaf_count());
        let above = above.iter().map(table).sum();
        let total = index.memory_bytes() as u64 + leaves.iter().map(table).sum::<u64>() + above;
        PlannedBytes { total, above }
    }
}

/// The planned size of an index, in bytes.
struct PlannedBytes {
    total: u64,
    /// Tables above the leaves.
    above: u64,
}
