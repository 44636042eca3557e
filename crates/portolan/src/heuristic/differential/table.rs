//! The table of distances, a row per node: what a bound needs of a node lies together.

use super::field::Field;
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::graph::NodeId;
use crate::store::Words;

/// Distances between nodes and landmarks.
#[derive(Debug, Clone)]
pub(super) struct Table {
    landmarks: Vec<NodeId>,
    directed: bool,
    /// Row by row: the distance from the node to each landmark and, on directed maps, those from each landmark to it.
    entries: Words,
    /// The largest finite entry.
    largest: Cost,
    /// Whether an entry without a distance proves that there is no path; not where costs have outgrown their numbers.
    proves: bool,
    /// Whether the entries are true distances, and not merely bounds on them, as they are after costs have risen.
    exact: bool,
}

impl Table {
    pub(super) fn new(nodes: usize, directed: bool, fields: &[Field]) -> Self {
        let stride = fields.len() * if directed { 2 } else { 1 };
        let columns = fields.iter().map(|field| &field.to);
        let columns: Vec<&Vec<Cost>> =
            columns.chain(fields.iter().filter_map(|field| field.from.as_ref())).collect();
        let entries = Words::filled(nodes * stride, UNREACHABLE, |entries| {
            for (node, row) in entries.chunks_exact_mut(stride.max(1)).enumerate() {
                for (entry, column) in row.iter_mut().zip(&columns) {
                    *entry = column[node];
                }
            }
        });
        let landmarks = fields.iter().map(|field| field.landmark).collect();
        let proves = !fields.iter().any(|field| field.overflowed);
        Self::of(landmarks, directed, entries, proves, true)
    }

    pub(super) fn of(
        landmarks: Vec<NodeId>,
        directed: bool,
        entries: Words,
        proves: bool,
        exact: bool,
    ) -> Self {
        let finite = entries.iter().copied().filter(|&entry| entry != UNREACHABLE);
        let largest = finite.max().unwrap_or(0);
        Self { landmarks, directed, entries, largest, proves, exact }
    }

    /// Entries per row.
    pub(super) fn stride(&self) -> usize {
        self.landmarks.len() * if self.directed { 2 } else { 1 }
    }

    /// The entries of a node; none for an id without a row.
    #[inline(always)]
    pub(super) fn row(&self, node: NodeId) -> &[Cost] {
        let stride = self.stride();
        self.entries
            .get(node as usize * stride..)
            .and_then(|rest| rest.get(..stride))
            .unwrap_or(&[])
    }

    pub(super) fn landmarks(&self) -> &[NodeId] {
        &self.landmarks
    }

    pub(super) fn is_directed(&self) -> bool {
        self.directed
    }

    pub(super) fn entries(&self) -> &Words {
        &self.entries
    }

    pub(super) fn largest(&self) -> Cost {
        self.largest
    }

    pub(super) fn proves(&self) -> bool {
        self.proves
    }

    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// What the way over the best landmark costs: never below the distance, and [`UNREACHABLE`] where nothing is known.
    pub(super) fn upper(&self, from: NodeId, to: NodeId) -> Cost {
        if !self.exact {
            return UNREACHABLE;
        }
        let (start, goal) = (self.row(from), self.row(to));
        let onward = if self.directed { goal.get(self.landmarks.len()..) } else { Some(goal) };
        let sums = start.iter().zip(onward.unwrap_or_default());
        sums.filter_map(|(&a, &b)| plus(a, b)).min().unwrap_or(UNREACHABLE)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.entries.memory_bytes() + size_of_val(self.landmarks.as_slice())
    }
}
