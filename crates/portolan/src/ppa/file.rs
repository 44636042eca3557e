//! The index file.
//!
//! | section | type | content |
//! |---|---|---|
//! | `shape` | `u32` | version of this layout; whether there are steps; whether the map is undirected; the most children of a subgraph, or 0 if regions were regrouped |
//! | `tree` | `u32` | the number of children of each subgraph above the leaves |
//! | `subgraphs` | `u32` | for each subgraph the number of members, the number of borders, and whether it is heavy |
//! | `members` | `u32` | the members of the leaves |
//! | `slots` | `u32` | the slots of the subgraphs above the leaves |
//! | `distances` | `u32` | the tables |
//! | `steps` | `u16` | the steps, if there are any |
//!
//! All are in the order of the subgraphs' numbers, without gaps. The rest is derived: members above
//! the leaves are the borders of the children, placed by the slots, and the position of a node
//! follows from the leaf that lists it. Nothing is stored twice, so nothing can contradict.
//!
//! Opening reads all lists and verifies their checksums; they are about a hundredth of the file.
//! Every number in them that is used as an index is checked as well. The tables stay in the file.
//! Only their lengths are checked, against members and borders, so the worst that damage can do is
//! a wrong distance. `query/expand_hops.rs` bounds the work that wrong distances can cause.

use std::sync::Arc;

use super::config::{MAX_SPLITS, PpaConfig, Tables};
use super::index::{PpaIndex, Subgraph};
use super::region_tree::{LeafPosition, LeafPositions, NO_LEAF, RegionTree, SubgraphId};
use super::tables::{Table, TableLayout};
use crate::graph::NodeId;
use crate::map::Map;
use crate::store::{Fingerprint, IndexFile, IndexWriter, OpenError, Sequence, unusable};

/// The version of this layout; the container has its own.
const VERSION: u32 = 1;

/// Stored as the branching of a regrouped tree.
const REGROUPED: u32 = 0;

const SHAPE: &str = "shape";
const TREE: &str = "tree";
const SUBGRAPHS: &str = "subgraphs";
const MEMBERS: &str = "members";
const SLOTS: &str = "slots";
const DISTANCES: &str = "distances";
const STEPS: &str = "steps";

/// What the configuration determines and the subgraphs do not.
pub(super) struct StoredShape {
    /// `None` if regions were regrouped.
    pub(super) branching: Option<usize>,
    pub(super) tables: Tables,
}

/// Stores an index with complete tables.
pub(super) fn store<'a>(index: &'a PpaIndex, config: &PpaConfig) -> IndexWriter<'a> {
    let mut writer = IndexWriter::new(config.method(), Fingerprint::of(&index.map));
    let steps = config.steps();
    let upper = index.tree.leaf_count() as SubgraphId..index.tree.subgraph_count() as SubgraphId;
    let children: Vec<u32> = upper.map(|id| index.tree.children(id).len() as u32).collect();
    // The branching that was used; the configuration has another one if it was chosen
    // automatically.
    let branching = match index.regrouped {
        true => REGROUPED,
        false => children.iter().copied().max().unwrap_or(2).max(2),
    };
    let shape = vec![VERSION, u32::from(steps), u32::from(index.undirected), branching];
    let sizes = index.subgraphs.iter().flat_map(|subgraph| {
        let (members, borders) = (subgraph.members.len(), subgraph.borders);
        [members as u32, borders as u32, u32::from(subgraph.heavy)]
    });
    let (leaves, upper) = index.subgraphs.split_at(index.tree.leaf_count());
    let tables = || index.subgraphs.iter().map(|subgraph| subgraph.table.stored());
    writer
        .section_owned(SHAPE, shape)
        .section_owned(TREE, children)
        .section_owned(SUBGRAPHS, sizes.collect())
        .section_in_pieces(MEMBERS, leaves.iter().map(|leaf| leaf.members.as_slice()))
        .section_in_pieces(SLOTS, upper.iter().map(|subgraph| subgraph.slots.as_slice()))
        .section_in_pieces(DISTANCES, tables().map(|(distances, _)| distances));
    if steps {
        writer.section_in_pieces(STEPS, tables().map(|(_, steps)| steps));
    }
    writer
}

/// Opens the index that was stored for this map.
pub(super) fn open(file: &IndexFile, map: &Map) -> Result<(PpaIndex, StoredShape), OpenError> {
    for section in [SHAPE, TREE, SUBGRAPHS, MEMBERS, SLOTS] {
        file.verify_section(section)?;
    }
    let (undirected, stored_shape) = read_shape(&file.section::<u32>(SHAPE)?)?;
    let layout = if undirected { TableLayout::Half } else { TableLayout::Full };
    let sizes = read_sizes(&file.section::<u32>(SUBGRAPHS)?)?;
    let tree = read_tree(&file.section::<u32>(TREE)?, sizes.len())?;
    let mut reader = SubgraphReader {
        layout,
        members: Sequence::new(file, MEMBERS)?,
        slots: Sequence::new(file, SLOTS)?,
        distances: Sequence::new(file, DISTANCES)?,
        steps: match stored_shape.tables {
            Tables::Steps => Some(Sequence::new(file, STEPS)?),
            _ => None,
        },
    };
    let mut positions = LeafPositions::new(map.node_count());
    let mut subgraphs: Vec<Arc<Subgraph>> = Vec::with_capacity(sizes.len());
    for (id, size) in (0..).zip(sizes) {
        let subgraph = if (id as usize) < tree.leaf_count() {
            reader.leaf(id, size, &mut positions)?
        } else {
            let children = tree.children(id);
            reader.upper(size, &subgraphs[children.start as usize..children.end as usize])?
        };
        subgraphs.push(Arc::new(subgraph));
    }
    reader.finish()?;
    let (tree, positions) = (Arc::new(tree), Arc::new(positions));
    let regrouped = stored_shape.branching.is_none();
    Ok((
        PpaIndex { map: map.clone(), layout, undirected, regrouped, tree, positions, subgraphs },
        stored_shape,
    ))
}

/// What is stored of each subgraph.
#[derive(Clone, Copy)]
struct SubgraphSize {
    members: usize,
    borders: usize,
    heavy: bool,
}

fn read_shape(shape: &[u32]) -> Result<(bool, StoredShape), OpenError> {
    match *shape {
        [VERSION, steps @ (0 | 1), undirected @ (0 | 1), branching] => {
            let tables = if steps == 1 { Tables::Steps } else { Tables::Distances };
            let branching = (branching != REGROUPED).then_some(branching as usize);
            Ok((undirected == 1, StoredShape { branching, tables }))
        }
        [version, ..] if version != VERSION => {
            Err(unusable(SHAPE, format!("found version {version}, expected {VERSION}")))
        }
        _ => Err(unusable(SHAPE, format!("{shape:?} describes no tables"))),
    }
}

fn read_sizes(sizes: &[u32]) -> Result<Vec<SubgraphSize>, OpenError> {
    let (sizes, rest) = sizes.as_chunks::<3>();
    let sizes = sizes.iter().map(|&[members, borders, heavy]| {
        (borders <= members && heavy <= 1).then_some(SubgraphSize {
            members: members as usize,
            borders: borders as usize,
            heavy: heavy == 1,
        })
    });
    let sizes: Option<Vec<SubgraphSize>> = sizes.collect();
    sizes
        .filter(|_| rest.is_empty())
        .ok_or_else(|| unusable(SUBGRAPHS, "not a list of subgraph sizes".into()))
}

/// Reads the tree of this many subgraphs.
fn read_tree(children: &[u32], subgraphs: usize) -> Result<RegionTree, OpenError> {
    let levels = levels(children).filter(|(_, leaves)| leaves + children.len() == subgraphs);
    let levels = levels.ok_or_else(|| {
        unusable(
            TREE,
            format!("{} child counts do not form a tree of {subgraphs} subgraphs", children.len()),
        )
    })?;
    Ok(RegionTree::new(&levels.0))
}

/// The numbers of children level by level, in the format of [`RegionTree::new`], and the number of
/// leaves. The top is alone on its level; each level tells how many subgraphs are on the one below.
fn levels(children: &[u32]) -> Option<(Vec<Vec<u32>>, usize)> {
    let (mut levels, mut rest, mut width) = (Vec::new(), children, 1);
    while !rest.is_empty() {
        let (below, level) = rest.split_at(rest.len().checked_sub(width)?);
        if levels.len() == MAX_SPLITS || level.contains(&0) {
            return None;
        }
        width = level.iter().try_fold(0usize, |sum, &count| sum.checked_add(count as usize))?;
        levels.push(level.to_vec());
        rest = below;
    }
    levels.reverse();
    Some((levels, width))
}

/// Reads the sections of one subgraph after the other.
struct SubgraphReader {
    layout: TableLayout,
    members: Sequence<u32>,
    slots: Sequence<u32>,
    distances: Sequence<u32>,
    steps: Option<Sequence<u16>>,
}

impl SubgraphReader {
    fn leaf(
        &mut self,
        id: SubgraphId,
        size: SubgraphSize,
        positions: &mut LeafPositions,
    ) -> Result<Subgraph, OpenError> {
        let members = self.members.take(size.members)?.to_vec();
        let nodes = positions.0.len();
        for (index, &node) in (0..).zip(&members) {
            match positions.0.get_mut(node as usize) {
                Some(position) if position.leaf == NO_LEAF => {
                    *position = LeafPosition { leaf: id, index }
                }
                _ => {
                    let reason = format!("node {node} occurs twice or is not below {nodes}");
                    return Err(unusable(MEMBERS, reason));
                }
            }
        }
        self.subgraph(size, members, Vec::new(), vec![0])
    }

    fn upper(
        &mut self,
        size: SubgraphSize,
        children: &[Arc<Subgraph>],
    ) -> Result<Subgraph, OpenError> {
        let mut entries = Vec::new();
        let mut first_slot = vec![0];
        for child in children {
            entries.extend_from_slice(&child.members[..child.borders]);
            first_slot.push(entries.len() as u32);
        }
        let slots = self.slots.take(entries.len())?.to_vec();
        // No node has this id.
        let mut members = vec![NodeId::MAX; entries.len()];
        for (&slot, &node) in slots.iter().zip(&entries) {
            match members.get_mut(slot as usize) {
                Some(member) if *member == NodeId::MAX => *member = node,
                _ => {
                    let reason =
                        format!("slot {slot} is used twice or is not below {}", slots.len());
                    return Err(unusable(SLOTS, reason));
                }
            }
        }
        if members.len() != size.members {
            let (expected, found) = (members.len(), size.members);
            let reason = format!("{found} members, but the children have {expected} borders");
            return Err(unusable(SUBGRAPHS, reason));
        }
        self.subgraph(size, members, slots, first_slot)
    }

    fn subgraph(
        &mut self,
        SubgraphSize { members: count, borders, heavy }: SubgraphSize,
        members: Vec<NodeId>,
        slots: Vec<u32>,
        first_slot: Vec<u32>,
    ) -> Result<Subgraph, OpenError> {
        let too_large = || unusable(SUBGRAPHS, format!("{count} members are too many for a table"));
        let length = Table::stored_len(self.layout, count, borders).ok_or_else(too_large)?;
        let entries = self.distances.take(length)?;
        let steps = match (&mut self.steps, Table::steps_len(count)) {
            (Some(steps), Some(length)) => Some(steps.take(length)?),
            _ => None,
        };
        let table = Table::from_stored(self.layout, count, borders, entries, steps);
        let table = table.ok_or_else(too_large)?;
        Ok(Subgraph { members, borders, slots, first_slot, table, heavy })
    }

    fn finish(self) -> Result<(), OpenError> {
        self.members.finish()?;
        self.slots.finish()?;
        self.distances.finish()?;
        self.steps.map_or(Ok(()), Sequence::finish)
    }
}
