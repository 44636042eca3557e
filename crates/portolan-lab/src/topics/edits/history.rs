//! What can be undone: the former values of painted cells, stroke by stroke.

use std::collections::VecDeque;

use portolan::NodeId;

/// Strokes that are remembered.
const MOST_STROKES: usize = 200;

/// Cells of all remembered strokes.
const MOST_CELLS: usize = 1 << 21;

/// The last strokes, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    strokes: VecDeque<Stroke>,
    cells: usize,
}

#[derive(Debug)]
struct Stroke {
    number: u64,
    /// Cells with their values before the stroke, in the order in which they were painted.
    before: Vec<(NodeId, u8)>,
}

impl History {
    /// Adds to a stroke, or begins one.
    pub(super) fn add(&mut self, number: u64, before: &[(NodeId, u8)]) {
        if before.is_empty() {
            return;
        }
        match self.strokes.back_mut() {
            Some(stroke) if stroke.number == number => stroke.before.extend_from_slice(before),
            _ => self.strokes.push_back(Stroke { number, before: before.to_vec() }),
        }
        self.cells += before.len();
        while self.strokes.len() > MOST_STROKES || self.cells > MOST_CELLS {
            let Some(oldest) = self.strokes.pop_front() else { break };
            self.cells -= oldest.before.len();
        }
    }

    /// What the last stroke replaced, last cell first.
    pub(super) fn last(&self) -> Vec<(NodeId, u8)> {
        self.strokes
            .back()
            .map_or(Vec::new(), |stroke| stroke.before.iter().rev().copied().collect())
    }

    /// Forgets the last stroke.
    pub(super) fn drop_last(&mut self) {
        if let Some(stroke) = self.strokes.pop_back() {
            self.cells -= stroke.before.len();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.strokes.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
