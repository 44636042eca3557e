//! Cutting the map into regions and filling the tables, leaves first.
//!
//! Regions are cut side by side, and a leaf is filled as soon as it is cut; METIS does one thing at a time, so
//! while one thread cuts with it the others fill. The levels above follow when all of their children are there,
//! the subgraphs of a level side by side. Nothing depends on which thread does what.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::PpaConfig;
use super::core::{Core, Subgraph, touching};
use super::frame::LeafFrame;
use super::table::{Shape, Table};
use super::tree::{Place, Places, SubgraphId, Tree};
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::BuildError;
use crate::graph::{Graph, NodeId};
use crate::map::{Map, on_graph};
use crate::partition::{Partition, Partitioner, SubsetScratch, Topology};
use crate::progress::Progress;
use crate::search::queue::Queue;

pub(super) fn build(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<Core, BuildError> {
    let shape = config.shape(undirected);
    let topology = Topology::of_map(map)?;
    let plan = Plan::new(config, &topology)?;
    check_leaves(&plan, topology.node_count(), shape, config)?;
    let watch = Watch::new(progress, plan.most_leaves());
    let cutting = Cutting {
        partitioner: &config.partitioner,
        branching: plan.branching,
        watch: &watch,
        leaf: |members| on_graph!(map, graph => leaf(graph, undirected, members, shape, config.steps())),
    };
    let cut = cutting.cut(&topology, plan.splits, plan.first)?;
    watch.check()?;
    let tree = Arc::new(Tree::new(&cut.children));
    let mut places = Places::new(map.node_count());
    for (number, leaf) in (0..).zip(&cut.leaves) {
        place_members(&mut places, number, &leaf.members);
    }
    let subgraphs = cut.leaves.into_iter().map(Arc::new).collect();
    let mut core =
        Core { map: map.clone(), shape, undirected, tree, places: Arc::new(places), subgraphs };
    fill_upper_levels(&mut core, config, progress)?;
    Ok(core)
}

/// A leaf of these nodes.
pub(super) fn leaf(
    graph: &impl Graph,
    undirected: bool,
    mut members: Vec<NodeId>,
    shape: Shape,
    with_steps: bool,
) -> Subgraph {
    members.sort_unstable();
    let is_border = |node: NodeId| {
        let mut found = false;
        touching(graph, undirected, node, |other, _| {
            found |= members.binary_search(&other).is_err();
        });
        found
    };
    let (mut ordered, inner): (Vec<NodeId>, Vec<NodeId>) =
        members.iter().partition(|&&node| is_border(node));
    let borders = ordered.len();
    ordered.extend(inner);
    let frame = LeafFrame::new(graph, &ordered);
    let mut queue = Queue::default();
    let table = Table::new(shape, ordered.len(), borders, with_steps, |member, costs, steps| {
        frame.run(member, costs, steps, &mut queue);
    });
    let heavy = frame.is_heavy() || is_heavy(&table);
    let (slots, first_slot) = (Vec::new(), vec![0]);
    Subgraph { members: ordered, borders, slots, first_slot, table, heavy }
}

/// A subgraph above the leaves; those below it must be in the core already.
pub(super) fn upper(core: &Core, level: usize, id: SubgraphId, with_steps: bool) -> Subgraph {
    let members = on_graph!(&core.map, graph => upper_members(core, graph, level, id));
    fill_upper(core, id, &members, with_steps)
}

/// The same members with a filled table.
fn fill_upper(core: &Core, id: SubgraphId, members: &Subgraph, with_steps: bool) -> Subgraph {
    let frame = core.upper_frame(id, members);
    let (count, borders) = (members.members.len(), members.borders);
    let table = Table::new(core.shape, count, borders, with_steps, |member, costs, steps| {
        frame.run(core, member, costs, steps);
    });
    let heavy = frame.is_heavy() || is_heavy(&table);
    members.with_table(table, heavy)
}

/// The borders of the children, those that are borders here too first; with an empty table.
pub(super) fn upper_members(
    core: &Core,
    graph: &impl Graph,
    level: usize,
    id: SubgraphId,
) -> Subgraph {
    let mut entries = Vec::new();
    let mut first_slot = vec![0];
    for child in core.tree.children(id) {
        let child = core.subgraph(child);
        entries.extend_from_slice(&child.members[..child.borders]);
        first_slot.push(entries.len() as u32);
    }
    let border: Vec<bool> =
        entries.iter().map(|&node| core.is_border(graph, node, level, id)).collect();
    let borders = border.iter().filter(|&&border| border).count();
    let mut members = vec![0; entries.len()];
    let mut slots = Vec::with_capacity(entries.len());
    let (mut next_border, mut next_inner) = (0, borders);
    for (&node, is_border) in entries.iter().zip(border) {
        let next = if is_border { &mut next_border } else { &mut next_inner };
        members[*next] = node;
        slots.push(*next as u32);
        *next += 1;
    }
    let table = Table::new(Shape::Full, 0, 0, false, |_, _, _| {});
    Subgraph { members, borders, slots, first_slot, table, heavy: false }
}

/// Writes down where the members of a leaf are.
pub(super) fn place_members(places: &mut Places, leaf: SubgraphId, members: &[NodeId]) {
    for (index, &node) in (0..).zip(members) {
        places.0[node as usize] = Place { leaf, index };
    }
}

/// Finds the members of all subgraphs above the leaves, which is quick and tells how much memory the tables
/// will take, and then fills the tables.
fn fill_upper_levels(
    core: &mut Core,
    config: &PpaConfig,
    progress: &dyn Progress,
) -> Result<(), BuildError> {
    let tree = core.tree.clone();
    for level in 1..tree.levels() {
        let ids = tree.level(level).into_par_iter();
        let found: Vec<Subgraph> = ids
            .map(|id| on_graph!(&core.map, graph => upper_members(core, graph, level, id)))
            .collect();
        core.subgraphs.extend(found.into_iter().map(Arc::new));
    }
    check_memory(core, config)?;
    let watch = Watch::new(progress, tree.subgraph_count() - tree.leaf_count());
    for level in 1..tree.levels() {
        let ids = tree.level(level).into_par_iter();
        let filled: Vec<Option<Subgraph>> = ids
            .map(|id| {
                (!watch.is_cancelled()).then(|| {
                    let filled = fill_upper(core, id, core.subgraph(id), config.steps());
                    watch.advance("tables above the leaves");
                    filled
                })
            })
            .collect();
        watch.check()?;
        for (id, filled) in tree.level(level).zip(filled.into_iter().flatten()) {
            core.subgraphs[id as usize] = Arc::new(filled);
        }
    }
    Ok(())
}

/// Refuses before any table is filled what cannot fit: the tables of leaves take least where all leaves are of
/// one size.
fn check_leaves(
    plan: &Plan,
    nodes: usize,
    shape: Shape,
    config: &PpaConfig,
) -> Result<(), BuildError> {
    let entries = nodes as u128 * nodes as u128 / plan.most_leaves().max(1) as u128;
    let entries = match shape {
        Shape::Full => entries,
        Shape::Half => entries / 2,
        Shape::OnDemand => 0,
    };
    let needed = u64::try_from(entries * size_of::<Cost>() as u128).unwrap_or(u64::MAX);
    within_limit(needed, config)
}

/// Refuses what would not fit before the tables above the leaves are filled.
fn check_memory(core: &Core, config: &PpaConfig) -> Result<(), BuildError> {
    let above = core.tree.level(0).end as usize;
    let tables = core.subgraphs[above..].iter().map(|subgraph| {
        let (members, borders) = (subgraph.members.len(), subgraph.borders);
        Table::planned_bytes(core.shape, members, borders, config.steps())
    });
    within_limit((core.memory_bytes() + tables.sum::<usize>()) as u64, config)
}

/// Whether so many bytes are allowed.
pub(super) fn within_limit(needed: u64, config: &PpaConfig) -> Result<(), BuildError> {
    match config.memory_limit {
        Some(limit) if needed > limit => Err(BuildError::MemoryLimit { needed, limit }),
        _ => Ok(()),
    }
}

/// Whether a distance is so large that sums of two may not fit; on demand nobody knows.
pub(super) fn is_heavy(table: &Table) -> bool {
    table.is_on_demand()
        || table.entries().any(|cost: Cost| cost > UNREACHABLE / 2 && cost != UNREACHABLE)
}

/// How the map is cut, and the first cut where it was made to find that out.
struct Plan {
    branching: usize,
    splits: usize,
    first: Option<Partition>,
}

impl Plan {
    fn new(config: &PpaConfig, topology: &Topology) -> Result<Self, BuildError> {
        if let Some(branching) = config.flat_branching(topology.node_count()) {
            let first = config.partitioner.split(topology, branching)?;
            if config.is_affordable(first.border_count(topology)) {
                return Ok(Self { branching, splits: 2, first: Some(first) });
            }
        }
        let splits = config.splits(topology.node_count());
        Ok(Self { branching: config.branching, splits, first: None })
    }

    /// How many leaves there are if no region is too small to be cut.
    fn most_leaves(&self) -> usize {
        self.branching.saturating_pow(self.splits as u32)
    }
}

/// The recursion that cuts regions into regions and fills the leaves that come out of it.
struct Cutting<'a, L> {
    partitioner: &'a Partitioner,
    branching: usize,
    watch: &'a Watch<'a>,
    /// Makes a leaf of its nodes.
    leaf: L,
}

/// What a region was cut into.
struct Cut {
    /// In the order of the tree.
    leaves: Vec<Subgraph>,
    /// The numbers of children, by level from the one above the leaves to the region itself.
    children: Vec<Vec<u32>>,
}

impl<L: Fn(Vec<NodeId>) -> Subgraph + Sync> Cutting<'_, L> {
    /// Cuts a region this many times; the first cut may be known already.
    fn cut(
        &self,
        region: &Topology,
        splits: usize,
        first: Option<Partition>,
    ) -> Result<Cut, BuildError> {
        self.watch.check()?;
        if splits == 0 {
            let leaf = (self.leaf)(region.originals().to_vec());
            self.watch.advance("tables of the leaves");
            return Ok(Cut { leaves: vec![leaf], children: Vec::new() });
        }
        let partition = match first {
            Some(first) => first,
            None => {
                let parts = self.branching.min(region.node_count()).max(1);
                self.partitioner.split(region, parts)?
            }
        };
        let mut parts = partition.members();
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() {
            // A region without nodes still has one child, so that every leaf has an ancestor on each level.
            parts.push(Vec::new());
        }
        let count = parts.len() as u32;
        let cuts = parts.into_par_iter().map_init(SubsetScratch::default, |scratch, part| {
            self.cut(&region.subset(&part, scratch), splits - 1, None)
        });
        let mut whole = Cut { leaves: Vec::new(), children: vec![Vec::new(); splits - 1] };
        for cut in cuts.collect::<Result<Vec<Cut>, BuildError>>()? {
            whole.leaves.extend(cut.leaves);
            for (all, counts) in whole.children.iter_mut().zip(cut.children) {
                all.extend(counts);
            }
        }
        whole.children.push(vec![count]);
        Ok(whole)
    }
}

/// Counts pieces of work and passes a cancellation on to all threads.
struct Watch<'a> {
    progress: &'a dyn Progress,
    total: usize,
    done: AtomicUsize,
    cancelled: AtomicBool,
}

impl<'a> Watch<'a> {
    fn new(progress: &'a dyn Progress, total: usize) -> Self {
        Self { progress, total, done: AtomicUsize::new(0), cancelled: AtomicBool::new(false) }
    }

    fn advance(&self, phase: &'static str) {
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        if let ControlFlow::Break(()) = self.progress.advance(phase, done, self.total) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn check(&self) -> Result<(), BuildError> {
        if self.is_cancelled() { Err(BuildError::Cancelled) } else { Ok(()) }
    }
}
