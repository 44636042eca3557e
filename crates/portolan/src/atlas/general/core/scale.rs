//! Weights that are never zero.
//!
//! Each hop must come strictly nearer to its hub, which a step of weight zero does not. So inside
//! the index a weight w is `w * factor`, or 1 if w is zero. The factor is a power of two above the
//! number of nodes with outgoing edges of weight zero. A simple path leaves each node at most once,
//! so the extra units sum to less than the factor: the order of costs does not change, and a
//! division restores the cost.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};

/// The scaling of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scale {
    /// The binary logarithm of the factor, at most 32.
    shift: u32,
    overflows: bool,
}

impl Scale {
    /// The scale of a graph. The factor is 1 if no weight is zero.
    pub(crate) fn of(graph: &impl Graph) -> Self {
        let nodes = 0..graph.node_count() as NodeId;
        let zero_tails = nodes.filter(|&tail| {
            let mut zero = false;
            graph.out_edges(tail, |_, weight| zero |= weight == 0);
            zero
        });
        let shift = match zero_tails.count() as u64 {
            0 => 0,
            tails => (tails + 1).next_power_of_two().trailing_zeros(),
        };
        let scale = Self { shift, overflows: false };
        Self { overflows: scale.bound(graph) >= u64::from(UNREACHABLE), ..scale }
    }

    /// The same factor after an edit, for this number of nodes and this highest weight. May report
    /// an overflow where [`of`](Self::of), which visits every edge, does not.
    pub(crate) fn after_edit(self, nodes: usize, highest: Cost) -> Self {
        let bound = (nodes as u64).saturating_mul(self.wide(highest));
        Self { overflows: bound >= u64::from(UNREACHABLE), ..self }
    }

    /// Whether both scale weights in the same way.
    pub(crate) fn same_factor(self, other: Self) -> bool {
        self.shift == other.shift
    }

    /// The inverse of [`to_words`](Self::to_words).
    pub(crate) fn from_words(words: [u32; 2]) -> Result<Self, String> {
        match words {
            [shift @ 0..=32, overflows @ 0..=1] => Ok(Self { shift, overflows: overflows == 1 }),
            _ => Err(format!("{words:?} is not a scale")),
        }
    }

    /// The words to store.
    pub(crate) fn to_words(self) -> [u32; 2] {
        [self.shift, u32::from(self.overflows)]
    }

    /// Scales a weight; [`UNREACHABLE`] if it does not fit.
    #[inline]
    pub(crate) fn scaled(self, weight: Cost) -> Cost {
        Cost::try_from(self.wide(weight)).unwrap_or(UNREACHABLE)
    }

    /// Converts a scaled cost into a cost on the map.
    #[inline]
    pub(crate) fn cost(self, scaled: Cost) -> Cost {
        if scaled == UNREACHABLE {
            return UNREACHABLE;
        }
        (u64::from(scaled) >> self.shift) as Cost
    }

    /// Whether the scaled cost of a simple path may reach [`UNREACHABLE`]. Then a saturated sum may
    /// belong to an existing path. Sums below are exact.
    pub(crate) fn overflows(self) -> bool {
        self.overflows
    }

    fn wide(self, weight: Cost) -> u64 {
        match weight {
            0 => 1,
            weight => u64::from(weight) << self.shift,
        }
    }

    /// No simple path costs more: it leaves each node at most once, by the most expensive edge.
    fn bound(self, graph: &impl Graph) -> u64 {
        (0..graph.node_count() as NodeId).fold(0, |sum: u64, tail| {
            let mut highest = 0;
            graph.out_edges(tail, |_, weight| highest = highest.max(self.wide(weight)));
            sum.saturating_add(highest)
        })
    }
}
