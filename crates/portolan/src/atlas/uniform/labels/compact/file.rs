//! Compact labels as sections of an index file.
//!
//! | section | of | what |
//! |---|---|---|
//! | `codes` | `u32` | the surpluses that have codes |
//! | `rows` | `u8` | the labels |
//! | `first-rare` | `u32` | by label the index of its first rare cost, then their total number |
//! | `rare` | `u32` | rare costs |
//!
//! Everything else follows from the map and the tree.

use super::codebook::{Codebook, UNKNOWN};
use super::fill::EncodedLabels;
use super::{CompactLabels, with_layout};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::labels::HubLabels;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::cost::UNREACHABLE;
use crate::store::{IndexFile, IndexWriter, OpenError, Sequence, Words, unusable};

const CODES: &str = "codes";
const ROWS: &str = "rows";
const FIRST_RARE: &str = "first-rare";
const RARE: &str = "rare";

impl CompactLabels {
    pub(crate) fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        let EncodedLabels { bytes, first_rare, rare } = &self.filled;
        writer
            .section(CODES, self.codebook.used())
            .section(ROWS, bytes)
            .section(FIRST_RARE, first_rare)
            .section(RARE, rare);
    }

    /// Opens labels stored with this tree and its members.
    pub(crate) fn open(
        index: &IndexFile,
        subgoals: &Subgoals,
        dissection: &Dissection,
        width: u32,
    ) -> Result<(HubLabels, Self), OpenError> {
        index.verify_section(CODES)?;
        index.verify_section(FIRST_RARE)?;
        let too_long = || unusable(ROWS, "the tree makes labels that are too long".into());
        let (labels, mut compact) =
            with_layout(subgoals, dissection, width).ok_or_else(too_long)?;
        let surpluses: Words = index.section(CODES)?;
        let rising = surpluses.windows(2).all(|pair| pair[0] < pair[1]);
        if surpluses.len() > usize::from(UNKNOWN) || !rising || surpluses.contains(&UNREACHABLE) {
            return Err(unusable(CODES, "they are not in order, or too many".into()));
        }
        compact.codebook = Codebook::new(&surpluses);
        let mut bytes = Sequence::new(index, ROWS)?;
        compact.filled.bytes = bytes.take(labels.entries())?;
        bytes.finish()?;
        let mut first_rare = Sequence::new(index, FIRST_RARE)?;
        compact.filled.first_rare = first_rare.take(labels.heads.len() + 1)?;
        first_rare.finish()?;
        compact.filled.rare = index.section(RARE)?;
        Ok((labels, compact))
    }
}
