//! Stores and opens the index.
//!
//! | section | of | contents |
//! |---|---|---|
//! | `form` | `u32` | form and version, see `atlas/file.rs`; the reduction: 0 taut, 1 plain; with labels of upper subgoals also the number of subgoals up to which a region is lower |
//! | `tree` | `u32` | the number of children of each region |
//! | `sizes` | `u32` | the number of members of each region |
//! | `members` | `u32` | the members of all regions |
//! | `costs` | `u32` | the labels |
//! | `hops` | `u32` | the hops of all subgoals |
//! | `tiles`, `seen` | `u32` | visibility lists: directory and lists; optional |
//!
//! Labels in codes have their own sections instead of the last four (`labels/compact/file.rs`), and
//! labels of upper subgoals instead of the last three (`climb/file.rs`).
//!
//! Subgoals and their edges are computed from the map, which takes some hundredths of a second.
//! Data that is not stored cannot contradict the map. Opening reads the first four sections and
//! verifies their checksums. The others stay in the file: queries check that labels and hops lead
//! to a path of the right cost. Damaged visibility lists may lead to wrong paths.

use super::climb::Climb;
use super::index::{FilledLabels, LabelledGrid, UniformIndex, grid_of};
use super::labels::HubLabels;
use super::labels::compact::CompactLabels;
use super::labels::hops::{self, Hops};
use super::subgoals::{Reduction, Subgoals};
use super::visibility::lists::VisibilityLists;
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
const LABELS: &str = "costs";
const HOPS: &str = "blocks";
const DIRECTORY: &str = "tiles";
const LISTS: &str = "seen";

impl UniformIndex {
    /// Prepares the index for writing. Fails after edits, because the labels are stale.
    pub(crate) fn store(&self, engine: &str) -> Result<IndexWriter<'_>, Unstorable> {
        if !self.is_labelled() {
            let reason = "its labels are stale after edits; call `relabelled` first".into();
            return Err(Unstorable { reason });
        }
        let mut writer = IndexWriter::new(engine, Fingerprint::of(&self.map));
        let LabelledGrid { dissection, labels, hops, compact, climb, lists, .. } = &*self.labelled;
        let Dissection { tree, members } = dissection;
        let reduction = self.labelled.subgoals.reduction() as u32;
        let (form, parameters) = match (compact, climb) {
            (Some(_), _) => (StoredForm::UniformCompact, vec![reduction]),
            (_, Some(climb)) => (StoredForm::UniformClimb, vec![reduction, climb.parameter()]),
            (None, None) => (StoredForm::Uniform, vec![reduction]),
        };
        let children = (0..tree.len() as u32).map(|id| tree.children(id).count() as u32);
        let sizes = members.iter().map(|members| members.len() as u32);
        writer
            .section_owned(FORM, form.section(&parameters))
            .section_owned(TREE, children.collect())
            .section_owned(SIZES, sizes.collect())
            .section_in_pieces(MEMBERS, members.iter().map(|members| &members[..]));
        match (compact, climb) {
            (Some(compact), _) => compact.store(&mut writer),
            (_, Some(climb)) => {
                writer.section(LABELS, &labels.costs);
                climb.store(&mut writer);
            }
            (None, None) => {
                writer.section(LABELS, &labels.costs).section(HOPS, &hops.words);
                if let Some(lists) = lists {
                    writer.section(DIRECTORY, &lists.directory).section(LISTS, &lists.lists);
                }
            }
        }
        Ok(writer)
    }

    /// Opens an index of this form with these words of the section `form`.
    pub(crate) fn open(
        index: &IndexFile,
        map: &Map,
        parameters: &[u32],
        form: StoredForm,
    ) -> Result<Self, OpenError> {
        for section in [TREE, SIZES, MEMBERS] {
            index.verify_section(section)?;
        }
        let (reduction, most_lower) = match (form, parameters) {
            (StoredForm::UniformClimb, &[reduction, most_lower]) => (reduction, most_lower),
            (StoredForm::Uniform | StoredForm::UniformCompact, &[reduction]) => (reduction, 0),
            _ => (u32::MAX, 0),
        };
        let reduction = match reduction {
            0 => Reduction::Taut,
            1 => Reduction::Plain,
            _ => return Err(unusable(FORM, format!("there is no reduction {parameters:?}"))),
        };
        let grid = Self::supports(map).ok().and_then(|()| grid_of(map));
        let grid =
            grid.ok_or_else(|| unusable(FORM, "the map is not a grid of one terrain".into()))?;
        if !Reduction::of(grid).contains(&reduction) {
            let reason = format!("the map's moves have no reduction {}", reduction as u32);
            return Err(unusable(FORM, reason));
        }
        let subgoals = Subgoals::new(grid, reduction);
        let tree = read_tree(&index.section::<u32>(TREE)?, map.node_count())?;
        let members = read_members(index, tree.len(), &subgoals)?;
        let dissection = Dissection { tree, members };
        if form == StoredForm::UniformClimb {
            let opened = Climb::open(index, &subgoals, &dissection, most_lower)?;
            let (mut labels, climb) = opened;
            labels.costs = take_all(index, LABELS, labels.entries())?;
            let (hops, climb) = (Hops::default(), Some(climb));
            let filled = FilledLabels { labels, hops, compact: None, climb, lists: None };
            return Ok(Self::assemble(map, subgoals, dissection, filled));
        }
        if form == StoredForm::UniformCompact {
            if !subgoals.supports_compact_labels() {
                return Err(unusable(
                    FORM,
                    "the map's moves do not support labels in codes".into(),
                ));
            }
            let width = grid.width();
            let (labels, compact) = CompactLabels::open(index, &subgoals, &dissection, width)?;
            let (hops, compact) = (Hops::default(), Some(compact));
            let filled = FilledLabels { labels, hops, compact, climb: None, lists: None };
            return Ok(Self::assemble(map, subgoals, dissection, filled));
        }
        let too_long = || unusable(TREE, "its labels are too long".into());
        let labels = HubLabels::with_layout(&dissection.tree, &dissection.members, &subgoals);
        let mut labels = labels.ok_or_else(too_long)?;
        labels.costs = take_all(index, LABELS, labels.entries())?;
        let words = hops::lay_out(&subgoals, &mut labels).ok_or_else(too_long)?;
        let hops = Hops { words: take_all(index, HOPS, words)? };
        let lists = open_lists(index, &subgoals)?;
        let filled = FilledLabels { labels, hops, compact: None, climb: None, lists };
        Ok(Self::assemble(map, subgoals, dissection, filled))
    }
}

/// Reads the members of all regions. Each subgoal must occur exactly once.
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

/// Opens the visibility lists, if there are any.
fn open_lists(
    index: &IndexFile,
    subgoals: &Subgoals,
) -> Result<Option<VisibilityLists>, OpenError> {
    if !index.sections().any(|section| section.name == LISTS) {
        return Ok(None);
    }
    let (directory, lists) = (index.section(DIRECTORY)?, index.section(LISTS)?);
    let wrong = || unusable(DIRECTORY, "its length does not match the map".into());
    VisibilityLists::from_stored(subgoals, directory, lists).map(Some).ok_or_else(wrong)
}

/// Reads a section of known length.
fn take_all(index: &IndexFile, section: &'static str, length: usize) -> Result<Words, OpenError> {
    let mut sequence = Sequence::new(index, section)?;
    let words = sequence.take(length)?;
    sequence.finish()?;
    Ok(words)
}
