//! Arcs and hops as sections of an index file.
//!
//! | section | of | what |
//! |---|---|---|
//! | `arc-rows` | `u32` | by subgoal the number of its first arc, then their total number |
//! | `arcs` | `u32` | head, cost and via of each arc |
//! | `arc-hops` | `u8` | the hop beside each entry |
//!
//! Opening checks that the arcs of each subgoal are in bounds. Queries expect any other number
//! anywhere.

use super::Climb;
use super::arcs::{ARC, ArcLists};
use super::outline::{layout, subgoals_below};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::labels::HubLabels;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::store::{IndexFile, IndexWriter, OpenError, Sequence, unusable};

const ARC_ROWS: &str = "arc-rows";
const ARCS: &str = "arcs";
const HOPS: &str = "arc-hops";

impl Climb {
    pub(crate) fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        let Self { arcs, hops, .. } = self;
        writer.section(ARC_ROWS, &arcs.first).section(ARCS, &arcs.words).section(HOPS, hops);
    }

    /// What the section `form` tells of it.
    pub(crate) fn parameter(&self) -> u32 {
        self.most_lower
    }

    /// Opens what was stored with this tree and its members. The labels have no costs yet.
    pub(crate) fn open(
        index: &IndexFile,
        subgoals: &Subgoals,
        dissection: &Dissection,
        most_lower: u32,
    ) -> Result<(HubLabels, Self), OpenError> {
        let labels = layout(subgoals, dissection, &subgoals_below(dissection), most_lower);
        let too_long = || unusable(ARCS, "the tree makes labels that are too long".into());
        let labels = labels.ok_or_else(too_long)?;
        index.verify_section(ARC_ROWS)?;
        let mut first = Sequence::new(index, ARC_ROWS)?;
        let rows = first.take(labels.heads.len() + 1)?;
        first.finish()?;
        let arcs = ArcLists { first: rows, words: index.section(ARCS)? };
        let count = arcs.words.len() / ARC;
        let ends = (arcs.first.first().copied(), arcs.first.last().map(|&end| end as usize));
        if ends != (Some(0), Some(count)) || !arcs.first.is_sorted() {
            let subgoals = labels.heads.len();
            let reason = format!("they do not divide {count} arcs among {subgoals} subgoals");
            return Err(unusable(ARC_ROWS, reason));
        }
        let mut hops = Sequence::new(index, HOPS)?;
        let taken = hops.take(labels.entries())?;
        hops.finish()?;
        Ok((labels, Self { most_lower, arcs, hops: taken }))
    }
}
