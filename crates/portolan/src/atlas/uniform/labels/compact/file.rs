//! Rows in codes as sections of a file, and back.
//!
//! | section | of | what |
//! |---|---|---|
//! | `codes` | `u32` | the surpluses that have codes |
//! | `rows` | `u8` | the rows |
//! | `first-rare` | `u32` | by row the place of its first rare cost, and at last the place behind all |
//! | `rare` | `u32` | rare costs |
//!
//! All else follows from the map and the tree.

use super::codes::{Codes, UNKNOWN};
use super::fill::Filled;
use super::{Compact, laid_out};
use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::uniform::labels::Rows;
use crate::atlas::uniform::subgoals::Subgoals;
use crate::cost::UNREACHABLE;
use crate::store::{IndexFile, IndexWriter, OpenError, Sequence, Words, unusable};

const CODES: &str = "codes";
const ROWS: &str = "rows";
const FIRST_RARE: &str = "first-rare";
const RARE: &str = "rare";

impl Compact {
    pub(crate) fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        let Filled { bytes, first_rare, rare } = &self.filled;
        writer
            .section(CODES, self.codes.used())
            .section(ROWS, bytes)
            .section(FIRST_RARE, first_rare)
            .section(RARE, rare);
    }

    /// Opens what was stored beside this tree with its members.
    pub(crate) fn open(
        index: &IndexFile,
        subgoals: &Subgoals,
        dissection: &Dissection,
        width: u32,
    ) -> Result<(Rows, Self), OpenError> {
        index.verify_section(CODES)?;
        index.verify_section(FIRST_RARE)?;
        let too_long = || unusable(ROWS, "the tree makes rows that are too long".into());
        let (rows, mut compact) = laid_out(subgoals, dissection, width).ok_or_else(too_long)?;
        let surpluses: Words = index.section(CODES)?;
        let rising = surpluses.windows(2).all(|pair| pair[0] < pair[1]);
        if surpluses.len() > usize::from(UNKNOWN) || !rising || surpluses.contains(&UNREACHABLE) {
            return Err(unusable(CODES, "they are not in order, or too many".into()));
        }
        compact.codes = Codes::new(&surpluses);
        let mut bytes = Sequence::new(index, ROWS)?;
        compact.filled.bytes = bytes.take(rows.entries())?;
        bytes.finish()?;
        let mut first_rare = Sequence::new(index, FIRST_RARE)?;
        compact.filled.first_rare = first_rare.take(rows.heads.len() + 1)?;
        first_rare.finish()?;
        compact.filled.rare = index.section(RARE)?;
        Ok((rows, compact))
    }
}
