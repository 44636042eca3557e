//! The `form` section of an index file, which tells the form of the index.
//!
//! Every Atlas file has it. The first word is the form, the second is [`VERSION`], the others
//! belong to the form: see `general/file/header.rs`, `uniform/file.rs` and
//! `search/file.rs`.

use crate::store::{IndexFile, OpenError, Words, unusable};

/// Name of the section.
pub(super) const FORM: &str = "form";

/// Version of the layout of all Atlas sections. The container has its own version.
const VERSION: u32 = 5;

/// The form of a stored index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredForm {
    General = 0,
    /// The uniform form with plain label rows.
    Uniform = 1,
    /// The uniform form with compact label rows.
    UniformCompact = 2,
    /// The uniform form with rows for upper subgoals.
    UniformClimb = 3,
    /// No labels and no tables: A* with landmarks.
    Search = 4,
}

impl StoredForm {
    /// The words of the section.
    pub(super) fn section(self, parameters: &[u32]) -> Vec<u32> {
        [&[self as u32, VERSION], parameters].concat()
    }

    /// Reads and verifies the section: the form, and all words of the section.
    pub(super) fn read(index: &IndexFile) -> Result<(Self, Words), OpenError> {
        index.verify_section(FORM)?;
        let words: Words = index.section(FORM)?;
        let form = match *words {
            [form, VERSION, ..] => {
                let all = [
                    Self::General,
                    Self::Uniform,
                    Self::UniformCompact,
                    Self::UniformClimb,
                    Self::Search,
                ];
                let known = all.into_iter().find(|&known| known as u32 == form);
                known.ok_or_else(|| unusable(FORM, format!("form {form} is unknown")))?
            }
            [_, version, ..] => {
                let reason = format!("it has version {version} and {VERSION} is expected");
                return Err(unusable(FORM, reason));
            }
            _ => return Err(unusable(FORM, format!("it has {} numbers", words.len()))),
        };
        Ok((form, words))
    }

    /// The words that belong to the form.
    pub(super) fn parameters(words: &Words) -> &[u32] {
        words.get(2..).unwrap_or_default()
    }
}
