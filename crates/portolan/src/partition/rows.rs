//! Compressed rows, built in parallel.

use rayon::prelude::*;

use super::PartitionError;

/// Builds compressed rows; an entry belongs to the row that ends next.
#[derive(Debug, Clone)]
pub(super) struct RowsBuilder {
    pub(super) first: Vec<u32>,
    pub(super) heads: Vec<u32>,
    /// Beside `heads`; empty while all are one, which is usually the case to the end.
    pub(super) weights: Vec<u32>,
}

impl RowsBuilder {
    /// From this many rows on, chunks of rows are built in parallel.
    const CHUNK: usize = 1 << 14;

    pub(super) fn with_capacity(nodes: usize) -> Self {
        let mut first = Vec::with_capacity(nodes + 1);
        first.push(0);
        Self { first, heads: Vec::new(), weights: Vec::new() }
    }

    /// Builds one row for each item, in order; `add` appends the rows of some consecutive items.
    pub(super) fn build<T: Sync>(
        items: &[T],
        add: impl Fn(&[T], &mut Self) -> Result<(), PartitionError> + Sync,
    ) -> Result<Self, PartitionError> {
        let made = |items: &[T]| {
            let mut rows = Self::with_capacity(items.len());
            add(items, &mut rows).map(|()| rows)
        };
        if items.len() <= Self::CHUNK {
            return made(items);
        }
        let chunks: Vec<Self> =
            items.par_chunks(Self::CHUNK).map(made).collect::<Result<_, PartitionError>>()?;
        let entries = chunks.iter().map(|chunk| chunk.heads.len()).sum();
        let mut rows = Self::with_capacity(items.len());
        if u32::try_from(entries).is_err() {
            return Err(PartitionError::TooManyEdges { entries });
        }
        rows.heads.reserve_exact(entries);
        let weighted = chunks.iter().any(|chunk| !chunk.weights.is_empty());
        rows.weights.reserve_exact(if weighted { entries } else { 0 });
        for chunk in chunks {
            let before = rows.heads.len();
            rows.first.extend(chunk.first[1..].iter().map(|&end| before as u32 + end));
            rows.heads.extend_from_slice(&chunk.heads);
            rows.weights.extend_from_slice(&chunk.weights);
            rows.weights.resize(if weighted { rows.heads.len() } else { 0 }, 1);
        }
        Ok(rows)
    }

    pub(super) fn push(&mut self, head: u32, weight: u32) {
        if weight != 1 && self.weights.is_empty() {
            self.weights.resize(self.heads.len(), 1);
        }
        if weight != 1 || !self.weights.is_empty() {
            self.weights.push(weight);
        }
        self.heads.push(head);
    }

    /// The weights beside `heads`; `None` if all are one.
    #[cfg(feature = "metis")]
    pub(super) fn weights(&self) -> Option<&[u32]> {
        (!self.weights.is_empty()).then_some(&self.weights)
    }

    pub(super) fn end_row(&mut self) -> Result<(), PartitionError> {
        let entries = self.heads.len();
        let end = u32::try_from(entries).map_err(|_| PartitionError::TooManyEdges { entries })?;
        self.first.push(end);
        Ok(())
    }
}
