//! Cutting the map into regions, choosing a hierarchy that fits, and filling the tables, leaves
//! first.
//!
//! Where memory has no limit, a leaf is filled as soon as it is cut: METIS does one thing at a
//! time, so while one thread cuts with it the others fill. Else the members of all subgraphs are
//! found first, which is quick and tells what the tables will take (`plan.rs`), and no table is
//! filled that would not be kept. The levels above follow when all of their children are there, the
//! subgraphs of a level side by side. Nothing depends on which thread does what.

use std::sync::Arc;

use rayon::prelude::*;

use super::PpaConfig;
use super::core::{Core, Subgraph};
use super::dissect::Cutting;
use super::frame::LeafFrame;
use super::plan::{Choice, Plan, check_leaves};
use super::table::{Shape, Table};
use super::tree::{Place, Places, SubgraphId};
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::BuildError;
use crate::graph::{Graph, NodeId, touching};
use crate::map::{Map, on_graph};
use crate::partition::Topology;
use crate::progress::Progress;
use crate::progress::Watch;
use crate::search::queue::Queue;

pub(super) fn build(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<Core, BuildError> {
    let mut core = outline(map, config, undirected, progress)?;
    if !fills_at_once(config) {
        let watch = Watch::new(progress, "tables of the leaves", core.tree.leaf_count());
        fill_level(&mut core, 0, config, &watch)?;
    }
    let above = core.tree.subgraph_count() - core.tree.leaf_count();
    let watch = Watch::new(progress, "tables above the leaves", above);
    for level in 1..core.tree.levels() {
        fill_level(&mut core, level, config, &watch)?;
    }
    Ok(core)
}

/// Whether there is a hierarchy that fits; fills no table.
pub(super) fn check(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<(), BuildError> {
    let config = PpaConfig { memory_limit: config.memory_limit.min(MOST_LIMIT), ..config.clone() };
    outline(map, &config, undirected, progress).map(|_| ())
}

/// The largest limit there is; more is none.
const MOST_LIMIT: u64 = u64::MAX - 1;

/// The hierarchy that is chosen. Only leaves may have tables yet.
///
/// How a map is cut depends on the limit, so what one way to cut it takes may not be enough for the
/// next: a refusal names a limit that has been tried.
fn outline(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<Core, BuildError> {
    Watch::new(progress, "cuts", 1).check()?;
    let topology = Topology::of_map(map)?;
    let within = |config: &PpaConfig| {
        let choice = Choice { map, undirected, topology: &topology, config };
        outline_within(&choice, progress)
    };
    let mut refused = within(config);
    let mut enough = config.memory_limit;
    for round in 0.. {
        let Err(BuildError::MemoryLimit { needed, .. }) = refused else { break };
        // Each try takes as long as a cut, so steps grow.
        let step = if round < STEPS { 1 } else { enough / 2 };
        enough = needed.max(enough.saturating_add(step)).min(MOST_LIMIT);
        refused = within(&PpaConfig { memory_limit: enough, ..config.clone() });
        if refused.is_ok() || enough == MOST_LIMIT {
            let limit = config.memory_limit;
            return Err(BuildError::MemoryLimit { needed: enough, limit, smaller: None });
        }
    }
    refused
}

/// So many limits are tried as they are named before larger ones are.
const STEPS: usize = 4;

fn outline_within(choice: &Choice, progress: &dyn Progress) -> Result<Core, BuildError> {
    let Choice { topology, config, .. } = *choice;
    let plan = Plan::new(config, topology)?;
    let is_flat = plan.first.is_some();
    match cut(choice, plan, progress) {
        // Cuts that follow one another by four are somewhat better than the same number at once.
        Err(BuildError::MemoryLimit { needed, limit, smaller }) if is_flat => {
            let usual = Plan::usual(config, topology.node_count());
            cut(choice, usual, progress).map_err(|error| match error {
                BuildError::MemoryLimit { needed: other, .. } => {
                    BuildError::MemoryLimit { needed: needed.min(other), limit, smaller }
                }
                error => error,
            })
        }
        done => done,
    }
}

/// Whether leaves are filled while others are being cut.
fn fills_at_once(config: &PpaConfig) -> bool {
    config.memory_limit == u64::MAX
}

/// Cuts the map as planned and chooses a hierarchy that fits. Only leaves may have tables yet.
fn cut(choice: &Choice, plan: Plan, progress: &dyn Progress) -> Result<Core, BuildError> {
    let Choice { map, undirected, topology, config } = *choice;
    let shape = config.shape(undirected);
    check_leaves(&plan, topology.node_count(), shape, config)?;
    let watch = if fills_at_once(config) {
        let pieces = plan.cuts().saturating_add(plan.most_leaves());
        Watch::new(progress, "cuts and tables of the leaves", pieces)
    } else {
        Watch::new(progress, "cuts", plan.cuts())
    };
    let cutting = Cutting {
        partitioner: &config.partitioner,
        branching: plan.branching,
        halvings: plan.halvings,
        watch: &watch,
        leaf: |members| {
            on_graph!(map, graph => if fills_at_once(config) {
                let leaf = leaf(graph, undirected, members, shape, config.steps());
                watch.advance(1);
                leaf
            } else {
                leaf_members(graph, undirected, members)
            })
        },
    };
    let depths = plan.depths();
    let cut = cutting.cut(topology, plan.splits, plan.first)?;
    let core = choice.choose(&cutting, cut, &depths)?;
    watch.check()?;
    Ok(core)
}

/// Fills the tables of a level, those below being filled already.
fn fill_level(
    core: &mut Core,
    level: usize,
    config: &PpaConfig,
    watch: &Watch,
) -> Result<(), BuildError> {
    let ids = core.tree.level(level);
    let filled = ids.clone().into_par_iter().map(|id| {
        watch.check()?;
        let (members, steps) = (core.subgraph(id), config.steps());
        let filled = match level {
            0 => on_graph!(&core.map, graph => fill_leaf(graph, members, core.shape, steps)),
            _ => fill_upper(core, id, members, steps),
        };
        watch.advance(1);
        Ok(filled)
    });
    let filled = filled.collect::<Result<Vec<Subgraph>, BuildError>>()?;
    watch.check()?;
    for (id, filled) in ids.zip(filled) {
        core.subgraphs[id as usize] = Arc::new(filled);
    }
    Ok(())
}

/// A leaf of these nodes.
pub(super) fn leaf(
    graph: &impl Graph,
    undirected: bool,
    members: Vec<NodeId>,
    shape: Shape,
    with_steps: bool,
) -> Subgraph {
    fill_leaf(graph, &leaf_members(graph, undirected, members), shape, with_steps)
}

/// The same members with a filled table.
fn fill_leaf(graph: &impl Graph, members: &Subgraph, shape: Shape, with_steps: bool) -> Subgraph {
    let frame = LeafFrame::new(graph, &members.members);
    let mut queue = Queue::default();
    let (count, borders) = (members.members.len(), members.borders);
    let table = Table::new(shape, count, borders, with_steps, |member, costs, steps| {
        frame.run(member, costs, steps, &mut queue);
    });
    let heavy = frame.is_heavy() || is_heavy(&table);
    members.with_table(table, heavy)
}

/// These nodes as a leaf, the borders first; with an empty table.
fn leaf_members(graph: &impl Graph, undirected: bool, mut members: Vec<NodeId>) -> Subgraph {
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
    let (slots, first_slot) = (Vec::new(), vec![0]);
    let table = Table::empty();
    Subgraph { members: ordered, borders, slots, first_slot, table, heavy: false }
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
    let table = Table::empty();
    Subgraph { members, borders, slots, first_slot, table, heavy: false }
}

/// Writes down where the members of a leaf are.
pub(super) fn place_members(places: &mut Places, leaf: SubgraphId, members: &[NodeId]) {
    for (index, &node) in (0..).zip(members) {
        places.0[node as usize] = Place { leaf, index };
    }
}

/// Whether a distance is so large that sums of two may not fit; on demand nobody knows.
pub(super) fn is_heavy(table: &Table) -> bool {
    table.is_on_demand()
        || table.entries().any(|cost: Cost| cost > UNREACHABLE / 2 && cost != UNREACHABLE)
}
