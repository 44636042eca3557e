//! Reading the separator tree and the regions.

use std::sync::Arc;

use super::*;
use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::tables::homes::{Home, NodeHomes};
use crate::atlas::general::tables::region::{Branch, Leaf, Region, RegionTables, boundary_node};
use crate::atlas::separator_tree::{NO_REGION, RegionId, SeparatorTree};
use crate::graph::NodeId;
use crate::map::Map;
use crate::store::{IndexFile, OpenError, Sequence, Words, unusable};

pub(crate) fn read_tree(children: &[u32], nodes: usize) -> Result<SeparatorTree, OpenError> {
    let count = children.len();
    // Each leaf of a map's tree, or its parent, has at least one member.
    let tree = (count / 4 <= nodes).then(|| SeparatorTree::new(children.iter().copied())).flatten();
    let tree = tree.filter(|tree| {
        let depths = (0..count as RegionId).map(|id| u64::from(tree.node(id).depth) + 1);
        u32::try_from(depths.sum::<u64>()).is_ok()
    });
    tree.ok_or_else(|| {
        unusable(TREE, format!("{count} numbers do not describe a tree for {nodes} nodes"))
    })
}

/// The sections that contain one part for each region.
pub(super) struct RegionReader {
    separators: Sequence<u32>,
    leaf_members: Sequence<u32>,
    borders: Sequence<u32>,
    in_parents: Sequence<u32>,
    crossings: Sequence<u32>,
    via: PerDirection<Sequence<u32>>,
    reach: PerDirection<Sequence<u32>>,
    steps: PerDirection<Sequence<u16>>,
    enter: PerDirection<Sequence<u16>>,
}

impl RegionReader {
    pub(super) fn new(index: &IndexFile, undirected: bool) -> Result<Self, OpenError> {
        let words = |section| Sequence::new(index, section);
        Ok(Self {
            separators: words(SEPARATORS)?,
            leaf_members: words(LEAF_MEMBERS)?,
            borders: words(BORDERS)?,
            in_parents: words(IN_PARENT)?,
            crossings: words(CROSSINGS)?,
            via: sequences(index, undirected, VIA)?,
            reach: sequences(index, undirected, REACH)?,
            steps: sequences(index, undirected, STEPS)?,
            enter: sequences(index, undirected, ENTER)?,
        })
    }

    /// Reads all regions, and the homes of their members.
    pub(super) fn regions(
        mut self,
        index: &IndexFile,
        tree: &SeparatorTree,
        map: &Map,
    ) -> Result<(Vec<Arc<Region>>, NodeHomes), OpenError> {
        let sizes: Words = index.section(SIZES)?;
        let (sizes, rest) = sizes.as_chunks::<2>();
        if sizes.len() != tree.len() || !rest.is_empty() {
            let (found, regions) = (2 * sizes.len() + rest.len(), tree.len());
            return Err(unusable(SIZES, format!("it has {found} numbers for {regions} regions")));
        }
        let mut homes = vec![Home::NONE; map.node_count()];
        let mut regions: Vec<Arc<Region>> = Vec::with_capacity(tree.len());
        for (id, &[members, border]) in (0..).zip(sizes) {
            let region = self.region(tree.is_leaf(id), members as usize, border as usize)?;
            set_homes(id, &region.members, &mut homes)?;
            // Parents come before their children.
            let parent = regions.get(tree.node(id).parent as usize);
            check_border(id, &region, parent.map(|parent| &**parent))?;
            regions.push(Arc::new(region));
        }
        self.finish()?;
        Ok((regions, NodeHomes::from_list(&homes)))
    }

    fn region(&mut self, leaf: bool, count: usize, border: usize) -> Result<Region, OpenError> {
        // If this overflows, the result is longer than any section.
        let table = |rows: usize, columns: usize| rows.saturating_mul(columns);
        let members =
            if leaf { &mut self.leaf_members } else { &mut self.separators }.take(count)?;
        let tables = match leaf {
            false => {
                let length = table(count.saturating_add(border), count);
                RegionTables::Branch(Branch { via: take(&mut self.via, length)? })
            }
            true => RegionTables::Leaf(Leaf {
                reach: take(&mut self.reach, table(count, border))?,
                steps: take(&mut self.steps, table(count, border))?,
                enter: take(&mut self.enter, table(border, border))?,
            }),
        };
        Ok(Region {
            members,
            border: self.borders.take(border)?,
            in_parent: self.in_parents.take(border)?,
            crossings: self.crossings.take(table(border, border))?,
            tables,
        })
    }

    fn finish(self) -> Result<(), OpenError> {
        for list in
            [self.separators, self.leaf_members, self.borders, self.in_parents, self.crossings]
        {
            list.finish()?;
        }
        finish(self.via)?;
        finish(self.reach)?;
        finish(self.steps)?;
        finish(self.enter)
    }
}

fn set_homes(region: RegionId, members: &[NodeId], homes: &mut [Home]) -> Result<(), OpenError> {
    for (slot, &node) in (0..).zip(members) {
        match homes.get_mut(node as usize) {
            Some(home) if home.region == NO_REGION => *home = Home { region, slot },
            _ => {
                let reason =
                    format!("node {node} of region {region} is unknown or has another home");
                return Err(unusable(SEPARATORS, reason));
            }
        }
    }
    Ok(())
}

/// Checks the positions in the parent, and the order of the border. The boundary of the parent
/// starts with its separator, which is deeper than its border and so comes last in the border of
/// the child.
fn check_border(id: RegionId, region: &Region, parent: Option<&Region>) -> Result<(), OpenError> {
    let Some(parent) = parent else {
        return match region.border.is_empty() {
            true => Ok(()),
            false => Err(unusable(BORDERS, "the root has a border".into())),
        };
    };
    let width = parent.members.len() as u32;
    let lifted = region.border.iter().zip(region.in_parent.iter());
    let lifted =
        lifted.clone().all(|(&node, &at)| boundary_node(parent, at as usize) == Some(node))
            && region.in_parent.is_sorted_by(|&a, &b| (a < width, a) < (b < width, b));
    match lifted {
        true => Ok(()),
        false => Err(unusable(IN_PARENT, format!("those of region {id} do not match its border"))),
    }
}
