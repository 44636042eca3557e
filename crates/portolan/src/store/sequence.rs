//! Reads a section that holds the arrays of several parts of an index.

use super::array::{Array, Element};
use super::error::OpenError;
use super::file::IndexFile;

/// The remaining elements of a section.
pub(crate) struct Sequence<T> {
    section: &'static str,
    elements: Array<T>,
    at: usize,
}

impl<T: Element> Sequence<T> {
    pub(crate) fn new(index: &IndexFile, section: &'static str) -> Result<Self, OpenError> {
        Ok(Self { section, elements: index.section(section)?, at: 0 })
    }

    /// Removes and returns the next elements, without a copy.
    pub(crate) fn take(&mut self, count: usize) -> Result<Array<T>, OpenError> {
        let end = self.at.checked_add(count);
        let piece = end.and_then(|end| self.elements.slice(self.at..end));
        self.at = end.unwrap_or(self.at);
        piece.ok_or_else(|| {
            let length = self.elements.len();
            unusable(self.section, format!("{length} numbers are fewer than its parts need"))
        })
    }

    /// Checks that no elements remain.
    pub(crate) fn finish(self) -> Result<(), OpenError> {
        let (expected, found) = (self.at, self.elements.len());
        if expected == found {
            return Ok(());
        }
        let reason = format!("{found} numbers where its parts have {expected}");
        Err(unusable(self.section, reason))
    }
}

/// The error that a section has invalid contents.
pub(crate) fn unusable(section: &str, reason: String) -> OpenError {
    OpenError::Contents { section: section.to_owned(), reason }
}
