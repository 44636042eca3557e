//! The table of distances, a row per node: what a bound needs of a node lies together.
//!
//! An entry is a distance in whole units, rounded down; with 32 bits the unit is one and nothing is
//! lost. All distances of a map are multiples of its *grain*, what its edges have as a common
//! divisor: a step, on four-connected and hexagonal grids of one terrain. The unit is a multiple of
//! it, so that rounding loses at most the unit less the grain, and nothing where both are the same.
//! The largest number of its type stands for "no path, or none that a cost can hold". A row has
//! entries for all landmarks, or only for the landmarks of its node's group: these are *dropped
//! entries*, as in the compressed differential heuristic (Goldenberg, Sturtevant, Felner and
//! Schaeffer 2011). On directed maps the distances to the landmarks come first and those from them
//! after.

use super::config::Precision;
use super::numbering::Numbering;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::kernel::Outside;
use crate::map::Map;
use crate::store::{Array, Bytes, Element, Words};

/// Distances between nodes and landmarks.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) landmarks: Vec<NodeId>,
    pub(super) directed: bool,
    pub(super) numbering: Numbering,
    /// How many landmarks a row has entries for.
    pub(super) kept: usize,
    /// How many groups of nodes there are, each with entries for landmarks of its own.
    pub(super) groups: usize,
    /// What an entry of one stands for.
    pub(super) unit: Cost,
    /// What all distances that were rounded are multiples of; it divides the unit.
    pub(super) grain: Cost,
    pub(super) entries: Entries,
    /// The largest entry that stands for a distance.
    pub(super) largest: u32,
    pub(super) blank: Blank,
    /// Whether the entries are true distances, and not merely bounds on them, as they are after
    /// costs have risen.
    pub(super) exact: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Entries {
    Bits32(Words),
    Bits16(Array<u16>),
    Bits8(Bytes),
}

/// What an entry without a distance says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blank {
    /// There is no path.
    NoPath,
    /// There is none that a cost can hold.
    TooFar,
    /// Nothing.
    Unknown,
}

/// An entry of any width.
pub(super) trait Entry: Outside + Element + Into<u32> {
    const BLANK: Self;
    fn of(number: u32) -> Self;
}

macro_rules! entries {
    ($($number:ty)*) => {$(
        impl Entry for $number {
            const BLANK: Self = Self::MAX;
            #[inline(always)]
            fn of(number: u32) -> Self {
                Self::try_from(number).unwrap_or(Self::BLANK)
            }
        }
    )*};
}
entries!(u8 u16 u32);

/// Runs the same code on entries of any width.
macro_rules! on_entries {
    ($entries:expr, $array:ident => $body:expr) => {
        match $entries {
            Entries::Bits32($array) => $body,
            Entries::Bits16($array) => $body,
            Entries::Bits8($array) => $body,
        }
    };
}
pub(super) use on_entries;

impl Table {
    /// The same with rows for the nodes of a map that was edited: new ones know nothing, and those
    /// that are gone have none.
    pub(super) fn renumbered(self, map: &Map) -> Self {
        let numbering = self.numbering.renewed(map);
        if numbering == self.numbering {
            return self;
        }
        let (stride, nodes) = (self.stride(), map.node_count() as NodeId);
        let rows = (0..nodes).filter_map(|node| {
            Some((self.numbering.row(node)? * stride, numbering.row(node)? * stride))
        });
        let entries = match &self.entries {
            Entries::Bits32(old) => Entries::Bits32(moved(old, rows, stride, &numbering)),
            Entries::Bits16(old) => Entries::Bits16(moved(old, rows, stride, &numbering)),
            Entries::Bits8(old) => Entries::Bits8(moved(old, rows, stride, &numbering)),
        };
        Self { entries, numbering, ..self }
    }

    /// Entries per row.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.kept << u32::from(self.directed)
    }

    /// The group of a node. Neighbours are of different groups more often than not, whatever the
    /// map, so that all landmarks are found close by.
    #[inline(always)]
    pub(super) fn group(&self, node: NodeId) -> usize {
        match self.groups {
            1 => 0,
            groups => (node.wrapping_mul(0x9e37_79b1) >> 16) as usize % groups,
        }
    }

    /// The landmark of an entry of a row, and whether the entry is the distance to it; else it is
    /// the one from it.
    pub(super) fn meaning(&self, group: usize, at: usize) -> (usize, bool) {
        let (to, place) = if at < self.kept { (true, at) } else { (false, at - self.kept) };
        ((group * self.kept + place) % self.landmarks.len().max(1), to)
    }

    /// The distances between which one lies whose entry is this; none where it is blank.
    pub(super) fn distances(&self, entry: u32) -> Option<(Cost, Cost)> {
        let blank = match self.entries {
            Entries::Bits32(_) => u32::MAX,
            Entries::Bits16(_) => u16::MAX.into(),
            Entries::Bits8(_) => u8::MAX.into(),
        };
        let least = (entry != blank).then(|| entry.saturating_mul(self.unit))?;
        Some((least, least.saturating_add(self.slack())))
    }

    /// What the entries at this place of two rows prove of the way from the one node to the other;
    /// nothing where one is blank.
    pub(super) fn apart<T: Entry>(&self, at: usize, start: T, goal: T) -> Option<Cost> {
        if start == T::BLANK || goal == T::BLANK {
            return None;
        }
        let (ahead, behind) = (start.above(goal), goal.above(start));
        let units: u32 = match (self.directed, at < self.kept) {
            (false, _) => ahead.max(behind),
            (true, true) => ahead,
            (true, false) => behind,
        }
        .into();
        Some(units.saturating_mul(self.unit).saturating_sub(self.slack()))
    }

    /// The entries of a node, of whatever width; none for an id without a row.
    pub(super) fn row(&self, node: NodeId) -> Vec<u32> {
        let stride = self.stride();
        let Some(row) = self.numbering.row(node) else { return Vec::new() };
        on_entries!(&self.entries, entries => {
            let row = entries.get(row * stride..(row + 1) * stride).unwrap_or_default();
            numbers(row)
        })
    }

    /// What rounding may have taken off a distance.
    #[inline(always)]
    pub(super) fn slack(&self) -> Cost {
        self.unit - self.grain
    }

    pub(super) fn precision(&self) -> Precision {
        match self.entries {
            Entries::Bits32(_) => Precision::Bits32,
            Entries::Bits16(_) => Precision::Bits16,
            Entries::Bits8(_) => Precision::Bits8,
        }
    }

    /// Whether every node has the true distance to and from every landmark, as far as costs have
    /// not risen since.
    pub(super) fn is_whole(&self) -> bool {
        self.unit == self.grain && self.groups == 1
    }

    pub(super) fn memory_bytes(&self) -> usize {
        on_entries!(&self.entries, entries => entries.memory_bytes())
            + size_of_val(self.landmarks.as_slice())
            + self.numbering.memory_bytes()
    }
}

/// Rows, each moved from where it began to where it begins now.
fn moved<T: Entry>(
    old: &[T],
    rows: impl Iterator<Item = (usize, usize)>,
    stride: usize,
    numbering: &Numbering,
) -> Array<T> {
    Array::filled(numbering.rows() * stride, T::BLANK, |entries| {
        for (from, to) in rows {
            if let Some(row) = old.get(from..from + stride) {
                entries[to..to + stride].copy_from_slice(row);
            }
        }
    })
}

fn numbers<T: Entry>(row: &[T]) -> Vec<u32> {
    row.iter().map(|&entry| entry.into()).collect()
}

/// Into how many groups nodes fall that have entries for so many of all landmarks.
pub(super) fn groups(landmarks: usize, kept: usize) -> usize {
    landmarks.div_ceil(kept.max(1)).max(1)
}
