//! The table of distances between nodes and landmarks, one row per node.
//!
//! An entry is a distance in whole units, rounded down. With 32 bits, the unit is one and nothing
//! is lost. All distances of a map are multiples of the greatest common divisor of its edge weights
//! (`gcd`): one step, on four-connected and hexagonal grids of one terrain. The unit is a multiple
//! of it, so rounding loses at most the unit minus the gcd, and nothing if they are equal. The
//! largest number of the type is a *blank*: no distance. A row has entries for all landmarks, or
//! only for the landmarks of its node's group (*dropped entries*), as in the compressed
//! differential heuristic (Goldenberg, Sturtevant, Felner and Schaeffer 2011). On directed maps,
//! the distances to the landmarks come first, then those from the landmarks.
//!
//! - `plan.rs`: the largest table within the memory limit. `numbering.rs`: which nodes have rows.
//! - `builder.rs`: fills a table, one landmark at a time.
//! - `mod.rs`: the table itself. `file.rs`: the table in an index file.

mod builder;
pub(super) mod file;
mod numbering;
mod plan;

pub(super) use builder::TableBuilder;
pub(super) use numbering::Numbering;
pub(super) use plan::TablePlan;

use super::config::Precision;
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::kernel::Outside;
use crate::map::Map;
use crate::store::{Array, Bytes, Element, Words};

/// Distances between nodes and landmarks.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) landmarks: Vec<NodeId>,
    pub(crate) directed: bool,
    pub(crate) numbering: Numbering,
    /// The number of landmarks that a row has entries for.
    pub(crate) kept: usize,
    /// The number of groups of nodes. Each group has entries for different landmarks.
    pub(crate) groups: usize,
    /// The distance per unit of an entry.
    pub(crate) unit: Cost,
    /// A divisor of all distances and of the unit.
    pub(crate) gcd: Cost,
    pub(crate) entries: Entries,
    /// The largest entry that is not blank.
    pub(crate) largest: u32,
    pub(crate) blank: Blank,
    /// Whether the entries are true distances. After costs have risen, they are lower bounds.
    pub(crate) exact: bool,
}

/// Entries of any width.
#[derive(Debug, Clone)]
pub(crate) enum Entries {
    Bits32(Words),
    Bits16(Array<u16>),
    Bits8(Bytes),
}

/// The meaning of an entry without a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blank {
    /// There is no path.
    NoPath,
    /// There is no path, or its cost overflows.
    TooFar,
    /// The distance is unknown.
    Unknown,
}

/// An entry of one width.
pub(crate) trait TableEntry: Outside + Element + Into<u32> {
    const BLANK: Self;
    /// Blank if the number does not fit.
    fn of(number: u32) -> Self;
}

macro_rules! entries {
    ($($number:ty)*) => {$(
        impl TableEntry for $number {
            const BLANK: Self = Self::MAX;
            #[inline(always)]
            fn of(number: u32) -> Self {
                Self::try_from(number).unwrap_or(Self::BLANK)
            }
        }
    )*};
}
entries!(u8 u16 u32);

/// Runs the same code on any width, by the enum that has a variant for each.
macro_rules! on_width {
    ($widths:ident, $value:expr, $typed:ident => $body:expr) => {
        match $value {
            $widths::Bits32($typed) => $body,
            $widths::Bits16($typed) => $body,
            $widths::Bits8($typed) => $body,
        }
    };
}
pub(crate) use on_width;

impl Table {
    /// The table with rows for the nodes of an edited map. Rows of new nodes are blank.
    pub(crate) fn renumbered(self, map: &Map) -> Self {
        let numbering = self.numbering.renewed(map);
        if numbering == self.numbering {
            return self;
        }
        let (stride, nodes) = (self.stride(), map.node_count() as NodeId);
        let rows = (0..nodes).filter_map(|node| {
            Some((self.numbering.row(node)? * stride, numbering.row(node)? * stride))
        });
        let entries = match &self.entries {
            Entries::Bits32(old) => Entries::Bits32(move_rows(old, rows, stride, &numbering)),
            Entries::Bits16(old) => Entries::Bits16(move_rows(old, rows, stride, &numbering)),
            Entries::Bits8(old) => Entries::Bits8(move_rows(old, rows, stride, &numbering)),
        };
        Self { entries, numbering, ..self }
    }

    /// Entries per row.
    #[inline(always)]
    pub(crate) fn stride(&self) -> usize {
        self.kept << u32::from(self.directed)
    }

    /// The group of a node. On all maps, neighbours are mostly in different groups, so nearby nodes
    /// together have entries for all landmarks.
    #[inline(always)]
    pub(crate) fn group(&self, node: NodeId) -> usize {
        match self.groups {
            1 => 0,
            groups => (node.wrapping_mul(0x9e37_79b1) >> 16) as usize % groups,
        }
    }

    /// The landmark of an entry in a row of this group, and whether the entry is the distance to it
    /// (otherwise from it).
    pub(crate) fn landmark_of(&self, group: usize, at: usize) -> (usize, bool) {
        let (to, at) = if at < self.kept { (true, at) } else { (false, at - self.kept) };
        ((group * self.kept + at) % self.landmarks.len().max(1), to)
    }

    /// The smallest and largest distance with this entry. `None` if it is blank.
    pub(crate) fn distances(&self, entry: u32) -> Option<(Cost, Cost)> {
        let blank = match self.entries {
            Entries::Bits32(_) => u32::MAX,
            Entries::Bits16(_) => u16::MAX.into(),
            Entries::Bits8(_) => u8::MAX.into(),
        };
        let least = (entry != blank).then(|| entry.saturating_mul(self.unit))?;
        Some((least, least.saturating_add(self.slack())))
    }

    /// The bound between two nodes from one entry of each row. `None` if one is blank.
    pub(crate) fn bound_at<T: TableEntry>(&self, at: usize, start: T, goal: T) -> Option<Cost> {
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

    /// The entries of a node. Empty if it has no row.
    pub(crate) fn row(&self, node: NodeId) -> Vec<u32> {
        let stride = self.stride();
        let Some(row) = self.numbering.row(node) else { return Vec::new() };
        on_width!(Entries, &self.entries, entries => {
            let row = entries.get(row * stride..(row + 1) * stride).unwrap_or_default();
            widened(row)
        })
    }

    /// The most that rounding may have subtracted from a distance.
    #[inline(always)]
    pub(crate) fn slack(&self) -> Cost {
        self.unit - self.gcd
    }

    pub(crate) fn precision(&self) -> Precision {
        match self.entries {
            Entries::Bits32(_) => Precision::Bits32,
            Entries::Bits16(_) => Precision::Bits16,
            Entries::Bits8(_) => Precision::Bits8,
        }
    }

    /// Whether nothing is rounded or dropped: every node had its true distance to and from every
    /// landmark when the table was built.
    pub(crate) fn is_lossless(&self) -> bool {
        self.unit == self.gcd && self.groups == 1
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        on_width!(Entries, &self.entries, entries => entries.memory_bytes())
            + size_of_val(self.landmarks.as_slice())
            + self.numbering.memory_bytes()
    }
}

/// Copies rows, given as pairs of old and new start.
fn move_rows<T: TableEntry>(
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

/// The number of groups of nodes if each has entries for `kept` landmarks.
pub(crate) fn group_count(landmarks: usize, kept: usize) -> usize {
    landmarks.div_ceil(kept.max(1)).max(1)
}

/// Entries of any width, in 32 bits.
fn widened<T: Copy + Into<u32>>(row: &[T]) -> Vec<u32> {
    row.iter().map(|&entry| entry.into()).collect()
}
