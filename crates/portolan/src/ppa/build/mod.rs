//! Builds the index: cuts the map into regions, chooses a hierarchy that fits, and fills the
//! tables, leaves first.
//!
//! Without a memory limit each leaf is filled as soon as it is cut: calls of METIS for cuts of
//! edges exclude each other, so the other threads fill tables meanwhile. With a limit the members
//! of all subgraphs are found first, which is fast and determines the size of the tables
//! (`choose.rs`); no table is filled that would not be kept. Each level above follows when the one
//! below is complete; subgraphs of a level are filled in parallel. The index does not depend on the
//! threads.
//!
//! `cut.rs` cuts, `choose.rs` picks the hierarchy, `subgraphs.rs` finds members and fills tables.

mod choose;
mod cut;
pub(super) mod subgraphs;

use std::sync::Arc;

use rayon::prelude::*;

use choose::{CutPlan, HierarchyChooser, check_leaves};
use cut::RegionCutter;
use subgraphs::{fill_leaf, fill_upper, leaf, leaf_members};

use super::config::{PpaConfig, Tables};
use super::index::{PpaIndex, Subgraph};
use crate::build::{BuildError, Progress, TableSolver, Watch, solve};
use crate::map::{Map, on_graph};
use crate::partition::Topology;

pub(super) fn build(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    let mut index = choose_hierarchy(map, config, undirected, progress)?;
    if !fills_while_cutting(config, progress) {
        let watch = Watch::new(progress, "tables of the leaves", index.tree.leaf_count());
        fill_level(&mut index, 0, config, (solver(config, progress), &watch))?;
    }
    let above = index.tree.subgraph_count() - index.tree.leaf_count();
    let watch = Watch::new(progress, "tables above the leaves", above);
    for level in 1..index.tree.levels() {
        fill_level(&mut index, level, config, (solver(config, progress), &watch))?;
    }
    Ok(index)
}

/// Checks whether a hierarchy fits; fills no tables.
pub(super) fn check(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<(), BuildError> {
    let config = PpaConfig { memory_limit: config.memory_limit.min(MAX_LIMIT), ..config.clone() };
    choose_hierarchy(map, &config, undirected, progress).map(|_| ())
}

/// The largest real limit; `u64::MAX` means no limit.
const MAX_LIMIT: u64 = u64::MAX - 1;

/// Returns the chosen hierarchy. At most its leaves have tables.
///
/// The cuts depend on the limit, so the size found under one limit may not be sufficient for the next:
/// an error reports a limit that has been tried.
fn choose_hierarchy(
    map: &Map,
    config: &PpaConfig,
    undirected: bool,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    Watch::new(progress, "cuts", 1).check()?;
    let topology = Topology::of_map(map)?;
    let within = |config: &PpaConfig| {
        let choice = HierarchyChooser { map, undirected, topology: &topology, config };
        choose_within_limit(&choice, progress)
    };
    let mut refused = within(config);
    let mut sufficient = config.memory_limit;
    for round in 0.. {
        let Err(BuildError::MemoryLimit { needed, .. }) = refused else { break };
        // Each attempt takes as long as a cut, so steps grow.
        let step = if round < SMALL_STEPS { 1 } else { sufficient / 2 };
        sufficient = needed.max(sufficient.saturating_add(step)).min(MAX_LIMIT);
        refused = within(&PpaConfig { memory_limit: sufficient, ..config.clone() });
        if refused.is_ok() || sufficient == MAX_LIMIT {
            let limit = config.memory_limit;
            return Err(BuildError::MemoryLimit { needed: sufficient, limit, smaller: None });
        }
    }
    refused
}

/// How many attempts use the reported limits before larger steps are taken.
const SMALL_STEPS: usize = 4;

fn choose_within_limit(
    choice: &HierarchyChooser,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    let HierarchyChooser { topology, config, .. } = *choice;
    let plan = CutPlan::new(config, topology)?;
    let is_flat = plan.first.is_some();
    match cut(choice, plan, progress) {
        // Repeated cuts by four are somewhat better than one cut into as many regions.
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

/// Whether leaves are filled while others are being cut. A solver fills them all at once.
fn fills_while_cutting(config: &PpaConfig, progress: &dyn Progress) -> bool {
    config.memory_limit == u64::MAX && solver(config, progress).is_none()
}

/// What fills the tables instead of the processor. Solvers find no steps.
fn solver<'p>(config: &PpaConfig, progress: &'p dyn Progress) -> Option<&'p dyn TableSolver> {
    progress.table_solver().filter(|_| config.tables == Tables::Distances)
}

/// Cuts the map as planned and chooses a hierarchy that fits. At most its leaves have tables.
fn cut(
    choice: &HierarchyChooser,
    plan: CutPlan,
    progress: &dyn Progress,
) -> Result<PpaIndex, BuildError> {
    let HierarchyChooser { map, undirected, topology, config } = *choice;
    let layout = config.table_layout(undirected);
    check_leaves(&plan, topology.node_count(), layout, config)?;
    let is_filling = fills_while_cutting(config, progress);
    let watch = if is_filling {
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
            on_graph!(map, graph => if is_filling {
                let leaf = leaf(graph, undirected, members, layout, config.steps());
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

/// Fills the tables of a level; those below are complete.
fn fill_level(
    index: &mut PpaIndex,
    level: usize,
    config: &PpaConfig,
    (solver, watch): (Option<&dyn TableSolver>, &Watch),
) -> Result<(), BuildError> {
    let ids = index.tree.level(level);
    let fill = || {
        ids.clone().into_par_iter().map(|id| {
            watch.check()?;
            let (members, steps) = (index.subgraph(id), config.steps());
            let filled = match level {
                0 => on_graph!(&index.map, graph => fill_leaf(graph, members, index.layout, steps)),
                _ => fill_upper(index, id, members, steps),
            };
            watch.advance(1);
            Ok(filled)
        })
    };
    let filled = match solver {
        None => fill().collect::<Result<Vec<Subgraph>, BuildError>>()?,
        Some(solver) => {
            let index = &*index;
            solve(
                (solver, watch),
                ids.clone(),
                |id| index.subgraph(id).members.len(),
                |id| subgraphs::draft(index, level, id),
                |id, matrix, is_heavy| subgraphs::finish(index, id, &matrix, is_heavy),
            )?
        }
    };
    watch.check()?;
    for (id, filled) in ids.zip(filled) {
        index.subgraphs[id as usize] = Arc::new(filled);
    }
    Ok(())
}
