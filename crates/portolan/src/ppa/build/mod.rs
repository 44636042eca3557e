//! Cutting the map into regions, choosing a hierarchy that fits, and filling the tables, leaves
//! first.
//!
//! Where memory has no limit, a leaf is filled as soon as it is cut: METIS does one thing at a
//! time, so while one thread cuts with it the others fill. Else the members of all subgraphs are
//! found first, which is quick and tells what the tables will take (`plan.rs`), and no table is
//! filled that would not be kept. The levels above follow when all of their children are there, the
//! subgraphs of a level side by side. Nothing depends on which thread does what.

mod choose;
mod cut;
pub(super) mod subgraphs;

use std::sync::Arc;

use rayon::prelude::*;

use choose::{CutPlan, HierarchyChooser, check_leaves};
use cut::RegionCutter;
use subgraphs::{fill_leaf, fill_upper, leaf, leaf_members};

use super::config::PpaConfig;
use super::index::{PpaIndex, Subgraph};
use crate::build::{BuildError, Progress, Watch};
use crate::map::{Map, on_graph};
use crate::partition::Topology;

pub(super) fn build(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    let mut index = outline(map, config, undirected, progress)?;
    if !fills_at_once(config) {
        let watch = Watch::new(progress, "tables of the leaves", index.tree.leaf_count());
        fill_level(&mut index, 0, config, &watch)?;
    }
    let above = index.tree.subgraph_count() - index.tree.leaf_count();
    let watch = Watch::new(progress, "tables above the leaves", above);
    for level in 1..index.tree.levels() {
        fill_level(&mut index, level, config, &watch)?;
    }
    Ok(index)
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
) -> Result<PpaIndex, BuildError> {
    Watch::new(progress, "cuts", 1).check()?;
    let topology = Topology::of_map(map)?;
    let within = |config: &PpaConfig| {
        let choice = HierarchyChooser { map, undirected, topology: &topology, config };
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

fn outline_within(
    choice: &HierarchyChooser,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    let HierarchyChooser { topology, config, .. } = *choice;
    let plan = CutPlan::new(config, topology)?;
    let is_flat = plan.first.is_some();
    match cut(choice, plan, progress) {
        // Cuts that follow one another by four are somewhat better than the same number at once.
        Err(BuildError::MemoryLimit { needed, limit, smaller }) if is_flat => {
            let usual = CutPlan::usual(config, topology.node_count());
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
fn cut(
    choice: &HierarchyChooser,
    plan: CutPlan,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    let HierarchyChooser { map, undirected, topology, config } = *choice;
    let shape = config.shape(undirected);
    check_leaves(&plan, topology.node_count(), shape, config)?;
    let watch = if fills_at_once(config) {
        let pieces = plan.cuts().saturating_add(plan.most_leaves());
        Watch::new(progress, "cuts and tables of the leaves", pieces)
    } else {
        Watch::new(progress, "cuts", plan.cuts())
    };
    let cutting = RegionCutter {
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
    let index = choice.choose(&cutting, cut, &depths)?;
    watch.check()?;
    Ok(index)
}

/// Fills the tables of a level, those below being filled already.
fn fill_level(
    index: &mut PpaIndex,
    level: usize,
    config: &PpaConfig,
    watch: &Watch,
) -> Result<(), BuildError> {
    let ids = index.tree.level(level);
    let filled = ids.clone().into_par_iter().map(|id| {
        watch.check()?;
        let (members, steps) = (index.subgraph(id), config.steps());
        let filled = match level {
            0 => on_graph!(&index.map, graph => fill_leaf(graph, members, index.shape, steps)),
            _ => fill_upper(index, id, members, steps),
        };
        watch.advance(1);
        Ok(filled)
    });
    let filled = filled.collect::<Result<Vec<Subgraph>, BuildError>>()?;
    watch.check()?;
    for (id, filled) in ids.zip(filled) {
        index.subgraphs[id as usize] = Arc::new(filled);
    }
    Ok(())
}
