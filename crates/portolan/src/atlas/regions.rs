//! All regions of an index, built from the leaves up.

use std::sync::Arc;

use rayon::prelude::*;

use super::frame::Frame;
use super::region::{Places, Region, Tables};
use super::tree::{RegionId, Tree};
use super::{branch, leaf};
use crate::engine::BuildError;
use crate::graph::{Graph, NodeId};
use crate::progress::Watch;
use crate::store::Words;

/// Builds every region from its members. Those of one level are built side by side; nothing depends on who
/// builds what.
pub(super) fn build<G: Graph>(
    graph: &G,
    tree: &Tree,
    members: Vec<Vec<NodeId>>,
    places: &Places,
    watch: &Watch<'_>,
) -> Result<Vec<Arc<Region>>, BuildError> {
    let frame = Frame { graph, tree, places };
    let members: Vec<Words> = members.into_iter().map(Words::from).collect();
    let mut regions: Vec<Option<Arc<Region>>> = vec![None; tree.len()];
    for level in tree.levels().into_iter().rev() {
        let built: Vec<_> = level
            .clone()
            .into_par_iter()
            .map(|id| {
                watch.check()?;
                let children: Vec<&Arc<Region>> =
                    tree.children(id).filter_map(|id| regions[id as usize].as_ref()).collect();
                let built = one(&frame, id, members[id as usize].clone(), &children);
                watch.advance(1);
                Ok(built)
            })
            .collect::<Result<_, BuildError>>()?;
        for (id, (region, lifts)) in level.zip(built) {
            regions[id as usize] = Some(Arc::new(region));
            for (child, lift) in tree.children(id).zip(lifts) {
                let region = regions[child as usize].as_mut();
                region.into_iter().for_each(|region| Arc::make_mut(region).lift = lift.clone());
            }
        }
    }
    Ok(regions.into_iter().flatten().collect())
}

/// One region, and the lifts of its children.
pub(super) fn one<G: Graph>(
    frame: &Frame<'_, G>,
    id: RegionId,
    members: Words,
    children: &[&Arc<Region>],
) -> (Region, Vec<Words>) {
    match children {
        [] => (leaf::build(frame, id, members), Vec::new()),
        _ => branch::build(frame, id, members, children),
    }
}

/// The members and borders of a branch's F, in its order.
pub(super) fn node_of_f(region: &Region, at: usize) -> Option<NodeId> {
    match &region.tables {
        Tables::Branch(_) => {
            let wide = region.members.len();
            region.members.get(at).or_else(|| region.border.get(at.checked_sub(wide)?)).copied()
        }
        Tables::Leaf(_) => region.border.get(at).copied(),
    }
}
