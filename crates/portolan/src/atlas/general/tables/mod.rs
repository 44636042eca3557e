//! Tables: for each region the costs between its separator and its border.
//!
//! - `homes`: the region to which each node belongs.
//! - `region`: a region with its members, border and tables.
//! - `dissected`: the input of the tables.
//! - `leaf`, `branch`: the tables of both kinds of regions. `elimination`: the costs of a leaf.
//!
//! Regions are built from the leaves up, the regions of a level in parallel. The result does not
//! depend on the number of threads.

pub(crate) mod branch;
pub(crate) mod dissected;
mod elimination;
pub(crate) mod homes;
pub(crate) mod leaf;
pub(crate) mod region;

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use self::dissected::Dissected;
use self::region::Region;
use crate::atlas::separator_tree::RegionId;
use crate::build::{BuildError, CostMatrix, TableSolver, Watch, solve};
use crate::graph::{Graph, NodeId};
use crate::store::Words;

/// Sorts the members of leaves so that their tables are computed fast.
pub(crate) fn sort_leaves<G: Graph>(dissected: &Dissected<'_, G>, members: &mut [Vec<NodeId>]) {
    let leaves = members.par_iter_mut().enumerate();
    leaves.filter(|&(id, _)| dissected.tree.is_leaf(id as RegionId)).for_each(|(id, members)| {
        let order = leaf::slot_order(dissected, id as RegionId, members);
        *members = order.into_iter().map(|slot| members[slot]).collect();
    });
}

/// Creates all regions with their members and borders. Their tables are empty.
pub(crate) fn outline<G: Graph>(
    dissected: &Dissected<'_, G>,
    members: Vec<Vec<NodeId>>,
) -> Vec<Arc<Region>> {
    let members: Vec<Words> = members.into_iter().map(Words::from).collect();
    let mut regions: Vec<Option<Arc<Region>>> = vec![None; dissected.tree.len()];
    for level in dissected.tree.levels().into_iter().rev() {
        let outlines = level.clone().into_par_iter().map(|id| {
            let of_children =
                dissected.tree.children(id).filter_map(|id| regions[id as usize].as_ref());
            let members = members[id as usize].clone();
            let border = border(dissected, id, &members, &of_children.collect::<Vec<_>>());
            Arc::new(Region::outline(members, border, dissected.tree.is_leaf(id)))
        });
        let outlines: Vec<_> = outlines.collect();
        for (id, outline) in level.zip(outlines) {
            regions[id as usize] = Some(outline);
        }
    }
    regions.into_iter().flatten().collect()
}

/// Computes the tables of all regions.
pub(crate) fn fill<G: Graph>(
    dissected: &Dissected<'_, G>,
    regions: &mut [Arc<Region>],
    watch: &Watch<'_>,
) -> Result<(), BuildError> {
    for level in dissected.tree.levels().into_iter().rev() {
        let filled = match watch.table_solver() {
            Some(solver) => fill_by_solver(dissected, level.clone(), regions, (solver, watch))?,
            None => level
                .clone()
                .into_par_iter()
                .map(|id| {
                    watch.check()?;
                    let Region { members, border, .. } = &*regions[id as usize];
                    let children = children(dissected, id, regions);
                    let filled =
                        build_tables(dissected, id, members.clone(), border.clone(), &children);
                    watch.advance(1);
                    Ok(filled)
                })
                .collect::<Result<_, BuildError>>()?,
        };
        for (id, (region, in_parents)) in level.zip(filled) {
            regions[id as usize] = Arc::new(region);
            for (child, in_parent) in dissected.tree.children(id).zip(in_parents) {
                Arc::make_mut(&mut regions[child as usize]).in_parent = in_parent;
            }
        }
    }
    Ok(())
}

/// Computes the tables of a level. A solver closes the matrices of branches.
fn fill_by_solver<G: Graph>(
    dissected: &Dissected<'_, G>,
    level: Range<RegionId>,
    regions: &[Arc<Region>],
    solver: (&dyn TableSolver, &Watch<'_>),
) -> Result<Vec<(Region, Vec<Words>)>, BuildError> {
    let outline = |id: RegionId| {
        let Region { members, border, .. } = &*regions[id as usize];
        (members.clone(), border.clone())
    };
    let nodes = |id: RegionId| match dissected.tree.is_leaf(id) {
        true => 0,
        false => regions[id as usize].members.len() + regions[id as usize].border.len(),
    };
    // Leaves have no matrix.
    let draft = |id: RegionId| {
        let (members, border) = outline(id);
        match &children(dissected, id, regions)[..] {
            [] => (CostMatrix::new(0, 0), None),
            children => {
                let (matrix, draft) = branch::draft(dissected, id, members, border, children);
                (matrix, Some(draft))
            }
        }
    };
    let finish = |id: RegionId, matrix: CostMatrix, draft: Option<branch::BranchDraft>| {
        let (members, border) = outline(id);
        match draft {
            None => (leaf::build(dissected, id, members, border), Vec::new()),
            Some(draft) => draft.finish(dissected.undirected(), &matrix),
        }
    };
    solve(solver, level, nodes, draft, finish)
}

fn children<'r, G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    regions: &'r [Arc<Region>],
) -> Vec<&'r Arc<Region>> {
    dissected.tree.children(id).map(|id| &regions[id as usize]).collect()
}

/// Builds one region from its members, and `in_parent` of its children.
pub(crate) fn build_region<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: Words,
    children: &[&Arc<Region>],
) -> (Region, Vec<Words>) {
    let border = border(dissected, id, &members, children);
    build_tables(dissected, id, members, border, children)
}

fn border<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: &[NodeId],
    children: &[&Arc<Region>],
) -> Words {
    match children {
        [] => leaf::border(dissected, id, members).into(),
        _ => branch::border(dissected, id, members, children).into(),
    }
}

/// Computes the tables of a region again, for other weights of the same edges.
pub(crate) fn reweigh_region<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    regions: &[Arc<Region>],
) -> Region {
    let Region { members, border, in_parent, .. } = &*regions[id as usize];
    let (members, border) = (members.clone(), border.clone());
    let (region, _) =
        build_tables(dissected, id, members, border, &children(dissected, id, regions));
    Region { in_parent: in_parent.clone(), ..region }
}

/// Builds one region from its members and border, and `in_parent` of its children.
fn build_tables<G: Graph>(
    dissected: &Dissected<'_, G>,
    id: RegionId,
    members: Words,
    border: Words,
    children: &[&Arc<Region>],
) -> (Region, Vec<Words>) {
    match children {
        [] => (leaf::build(dissected, id, members, border), Vec::new()),
        _ => {
            let (mut matrix, draft) = branch::draft(dissected, id, members, border, children);
            matrix.close();
            draft.finish(dissected.undirected(), &matrix)
        }
    }
}
