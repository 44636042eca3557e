//! The index as a file, and back.
//!
//! | section | of | what |
//! |---|---|---|
//! | `form` | `u32` | form and version, see `atlas/file.rs`; which reduction: 0 taut, 1 plain |
//! | `tree` | `u32` | the number of children of each region |
//! | `sizes` | `u32` | the number of members of each region |
//! | `members` | `u32` | the members of all regions |
//! | `costs` | `u32` | the rows |
//! | `blocks` | `u32` | the hops of all subgoals |
//! | `tiles`, `seen` | `u32` | what cells see; absent where it is not kept |
//!
//! HubLabels in codes have sections of their own instead of the last four (`compact/file.rs`).
//!
//! Subgoals and their edges are found anew from the map, which takes a few hundredths of a second:
//! what is not written cannot contradict. Opening reads the first four sections, with their
//! checksums. The others stay in the file: what queries read in rows and blocks is held against
//! where it leads, and damage to what cells see may make a wrong path.

use super::labels::HubLabels;
use super::labels::compact::CompactLabels;
use super::labels::hops::{self, Hops};
use super::subgoals::{Reduction, Subgoals};
use super::visibility::lists::Lists;
use super::{Filled, Labelled, Uniform, grid_of};
use crate::atlas::file::{FORM, StoredForm};
use crate::atlas::general::file::read_tree;
use crate::atlas::separator_tree::dissect::Dissection;
use crate::graph::NodeId;
use crate::map::Map;
use crate::store::{
    Fingerprint, IndexFile, IndexWriter, OpenError, Sequence, Unstorable, Words, unusable,
};

const TREE: &str = "tree";
const SIZES: &str = "sizes";
const MEMBERS: &str = "members";
const COSTS: &str = "costs";
const BLOCKS: &str = "blocks";
const DIRECTORY: &str = "tiles";
const LISTS: &str = "seen";

impl Uniform {
    /// The index, ready to be written; not after edits, whose labels are out of date.
    pub(crate) fn store(&self, engine: &str) -> Result<IndexWriter<'_>, Unstorable> {
        if !self.is_labelled() {
            let reason = "edits have left its labels behind; call `relabelled` first".into();
            return Err(Unstorable { reason });
        }
        let mut writer = IndexWriter::new(engine, Fingerprint::of(&self.map));
        let Labelled {
            dissection: Dissection { tree, members }, rows, blocks, compact, lists, ..
        } = &*self.labelled;
        let reduction = self.labelled.subgoals.reduction() as u32;
        let form = match compact {
            Some(_) => StoredForm::UniformCompact,
            None => StoredForm::Uniform,
        };
        let children = (0..tree.len() as u32).map(|id| tree.children(id).count() as u32);
        let sizes = members.iter().map(|members| members.len() as u32);
        writer
            .section_owned(FORM, form.section(&[reduction]))
            .section_owned(TREE, children.collect())
            .section_owned(SIZES, sizes.collect())
            .section_in_pieces(MEMBERS, members.iter().map(|members| &members[..]));
        match compact {
            Some(compact) => compact.store(&mut writer),
            None => {
                writer.section(COSTS, &rows.costs).section(BLOCKS, &blocks.words);
                if let Some(lists) = lists {
                    writer.section(DIRECTORY, &lists.directory).section(LISTS, &lists.records);
                }
            }
        }
        Ok(writer)
    }

    /// Opens an index with these words of the section `form`; `compact` if its rows are in codes.
    pub(crate) fn open(
        index: &IndexFile,
        map: &Map,
        parameters: &[u32],
        compact: bool,
    ) -> Result<Self, OpenError> {
        for section in [TREE, SIZES, MEMBERS] {
            index.verify_section(section)?;
        }
        let reduction = match *parameters {
            [0] => Reduction::Taut,
            [1] => Reduction::Plain,
            _ => return Err(unusable(FORM, format!("there is no reduction {parameters:?}"))),
        };
        let grid = Self::supports(map).ok().and_then(|()| grid_of(map));
        let grid =
            grid.ok_or_else(|| unusable(FORM, "the map is no grid of one terrain".into()))?;
        if !Reduction::of(grid).contains(&reduction) {
            let reason = format!("the map's moves have no reduction {}", reduction as u32);
            return Err(unusable(FORM, reason));
        }
        let subgoals = Subgoals::new(grid, reduction);
        let tree = read_tree(&index.section::<u32>(TREE)?, map.node_count())?;
        let members = read_members(index, tree.len(), &subgoals)?;
        let dissection = Dissection { tree, members };
        if compact {
            if !subgoals.supports_compact_labels() {
                return Err(unusable(FORM, "the map's moves have no rows in codes".into()));
            }
            let width = grid.width();
            let (rows, compact) = CompactLabels::open(index, &subgoals, &dissection, width)?;
            let blocks = Hops::default();
            let filled = Filled { rows, blocks, compact: Some(compact), lists: None };
            return Ok(Self::assemble(map, subgoals, dissection, filled));
        }
        let too_long = || unusable(TREE, "it makes rows that are too long".into());
        let rows = HubLabels::with_layout(&dissection.tree, &dissection.members, &subgoals);
        let mut rows = rows.ok_or_else(too_long)?;
        rows.costs = take_all(index, COSTS, rows.entries())?;
        let words = hops::lay_out(&subgoals, &mut rows).ok_or_else(too_long)?;
        let blocks = Hops { words: take_all(index, BLOCKS, words)? };
        let lists = open_lists(index, &subgoals)?;
        let filled = Filled { rows, blocks, compact: None, lists };
        Ok(Self::assemble(map, subgoals, dissection, filled))
    }
}

/// The members of all regions: each subgoal once, and nothing else.
fn read_members(
    index: &IndexFile,
    regions: usize,
    subgoals: &Subgoals,
) -> Result<Vec<Vec<NodeId>>, OpenError> {
    let sizes: Words = index.section(SIZES)?;
    if sizes.len() != regions {
        let reason = format!("{} numbers for {regions} regions", sizes.len());
        return Err(unusable(SIZES, reason));
    }
    let mut sequence = Sequence::<u32>::new(index, MEMBERS)?;
    let mut members = Vec::with_capacity(regions);
    for &size in sizes.iter() {
        members.push(sequence.take(size as usize)?.to_vec());
    }
    sequence.finish()?;
    let mut all: Vec<NodeId> = members.concat();
    all.sort_unstable();
    if !all.iter().copied().eq(subgoals.all()) {
        return Err(unusable(MEMBERS, "they are not the subgoals of the map".into()));
    }
    Ok(members)
}

/// What cells see, if it was kept.
fn open_lists(index: &IndexFile, subgoals: &Subgoals) -> Result<Option<Lists>, OpenError> {
    if !index.sections().any(|section| section.name == LISTS) {
        return Ok(None);
    }
    let (directory, records) = (index.section(DIRECTORY)?, index.section(LISTS)?);
    let wrong = || unusable(DIRECTORY, "it is not one of this map's tiles".into());
    Lists::kept(subgoals, directory, records).map(Some).ok_or_else(wrong)
}

/// A section of which the length is known.
fn take_all(index: &IndexFile, section: &'static str, length: usize) -> Result<Words, OpenError> {
    let mut sequence = Sequence::new(index, section)?;
    let words = sequence.take(length)?;
    sequence.finish()?;
    Ok(words)
}
