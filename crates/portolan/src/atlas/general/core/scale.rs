//! Weights that are never zero.
//!
//! Next hops must come strictly nearer to their target, and a step of weight zero does not. So
//! inside the index a weight w is `w * factor`, and 1 where w is zero. A simple path leaves each
//! node once at most, so it takes fewer such extra units than `factor`, a power of two above the
//! number of nodes that edges of weight zero leave: the order of costs stays what it was, and a
//! division gives the cost back.

use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};

/// How the weights of a graph are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scale {
    /// The logarithm of the factor, at most 32.
    shift: u32,
    overflows: bool,
}

impl Scale {
    /// The scale that the edges of weight zero ask for: a factor of one where there are none.
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

    /// The same factor after an edit that left this many nodes, with no edge that weighs more than
    /// the dearest. May say that sums overflow where [`of`](Self::of), which looks at every edge,
    /// knows better.
    pub(crate) fn of_edited(self, nodes: usize, dearest: Cost) -> Self {
        let bound = (nodes as u64).saturating_mul(self.wide(dearest));
        Self { overflows: bound >= u64::from(UNREACHABLE), ..self }
    }

    /// Whether weights are the same in both.
    pub(crate) fn same_factor(self, other: Self) -> bool {
        self.shift == other.shift
    }

    /// A scale as it was stored by [`to_words`](Self::to_words).
    pub(crate) fn from_words(words: [u32; 2]) -> Result<Self, String> {
        match words {
            [shift @ 0..=32, overflows @ 0..=1] => Ok(Self { shift, overflows: overflows == 1 }),
            _ => Err(format!("{words:?} is no scale: up to 32, and up to 1")),
        }
    }

    /// What is written of it.
    pub(crate) fn to_words(self) -> [u32; 2] {
        [self.shift, u32::from(self.overflows)]
    }

    /// What a weight is inside the index; [`UNREACHABLE`] where it does not fit.
    #[inline]
    pub(crate) fn scaled(self, weight: Cost) -> Cost {
        Cost::try_from(self.wide(weight)).unwrap_or(UNREACHABLE)
    }

    /// The cost on the map of a path with this scaled length.
    #[inline]
    pub(crate) fn cost(self, scaled: Cost) -> Cost {
        if scaled == UNREACHABLE {
            return UNREACHABLE;
        }
        (u64::from(scaled) >> self.shift) as Cost
    }

    /// Whether the scaled length of a simple path may reach [`UNREACHABLE`]: then a saturated sum
    /// may stand for a path that is there. Sums below are exact all the same.
    pub(crate) fn overflows(self) -> bool {
        self.overflows
    }

    fn wide(self, weight: Cost) -> u64 {
        match weight {
            0 => 1,
            weight => u64::from(weight) << self.shift,
        }
    }

    /// No simple path is longer: each node is left once at most, by its dearest edge.
    fn bound(self, graph: &impl Graph) -> u64 {
        (0..graph.node_count() as NodeId).fold(0, |sum: u64, tail| {
            let mut dearest = 0;
            graph.out_edges(tail, |_, weight| dearest = dearest.max(self.wide(weight)));
            sum.saturating_add(dearest)
        })
    }
}
