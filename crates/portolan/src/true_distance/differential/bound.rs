//! Bounds from a table, with one end or both ends fixed.
//!
//! For a landmark L, the triangle inequality gives two bounds on the distance from n to g:
//! d(n, g) >= d(n, L) - d(g, L) and d(n, g) >= d(L, g) - d(L, n). The fixed end g is represented by
//! an interval per entry of a row. If the entry of n is outside the interval by x, the distance is
//! at least x. On undirected maps, where one entry is both distances, the interval is the single
//! number d(g, L). On directed maps it is open on one side. An interval that is open on both sides
//! proves nothing. Landmarks without information about g have one.

use std::ops::Deref;

use super::nearby::nearby_intervals;
use super::table::{Blank, Entries, Numbering, Table, TableEntry, on_width};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::debug::debug_by_name;
use crate::graph::{Direction, NodeId};
use crate::heuristic::LowerBound;
use crate::kernel;
use crate::map::Map;

/// Landmark bounds with one end fixed. Forward, the fixed end is the goal; backward, the start.
pub(super) struct DifferentialBound<'a>(TypedBound<'a>);

debug_by_name!("DifferentialBound", [] DifferentialBound<'_>);

enum TypedBound<'a> {
    Bits32(RowBound<'a, u32>),
    Bits16(RowBound<'a, u16>),
    Bits8(RowBound<'a, u8>),
}

/// The bound for entries of one width.
struct RowBound<'a, T> {
    table: &'a Table,
    entries: &'a [T],
    stride: usize,
    groups: usize,
    /// The interval of each entry, group by group: its smallest and largest value.
    low: Lanes<T>,
    high: Lanes<T>,
    /// The entries to compare, with their intervals; `None` for all.
    active: Option<Vec<(usize, T, T)>>,
    /// Differences of at least this may come from blank entries.
    min_blank_difference: u32,
    unit: Cost,
    slack: Cost,
    /// Whether the fixed end has a row.
    has_row: bool,
    /// An upper bound on the cost of the best path between both ends.
    upper: Cost,
}

/// Rows of up to this many entries are compared as a whole. In longer rows it pays to choose some.
const ALL_AT_ONCE: usize = 16;

/// The default number of entries to compare in longer rows.
const DEFAULT_ACTIVE: usize = 4;

impl<'a> DifferentialBound<'a> {
    pub(super) fn new(table: &'a Table, map: &Map, node: NodeId, direction: Direction) -> Self {
        Self(match &table.entries {
            Entries::Bits32(entries) => {
                TypedBound::Bits32(RowBound::new(table, entries, map, node, direction))
            }
            Entries::Bits16(entries) => {
                TypedBound::Bits16(RowBound::new(table, entries, map, node, direction))
            }
            Entries::Bits8(entries) => {
                TypedBound::Bits8(RowBound::new(table, entries, map, node, direction))
            }
        })
    }

    /// For a search that starts at `other`: chooses the landmarks with the best bounds between both
    /// ends, and computes the upper bound.
    pub(super) fn for_search(
        mut self,
        other: NodeId,
        direction: Direction,
        active: Option<usize>,
    ) -> Self {
        on_width!(TypedBound, &mut self.0, bound => bound.prepare(other, direction, active));
        self
    }

    /// An upper bound on the cost of the best path between both ends; [`UNREACHABLE`] if none is
    /// known.
    pub(super) fn upper(&self) -> Cost {
        on_width!(TypedBound, &self.0, bound => bound.upper)
    }
}

impl LowerBound for DifferentialBound<'_> {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        on_width!(TypedBound, &self.0, bound => bound.at(node))
    }

    #[inline(always)]
    fn allows(&self, whole: Cost) -> bool {
        whole <= self.upper()
    }
}

impl<'a, T: TableEntry> RowBound<'a, T> {
    fn new(
        table: &'a Table,
        entries: &'a [T],
        map: &Map,
        node: NodeId,
        direction: Direction,
    ) -> Self {
        let stride = table.stride();
        let own = table.numbering.row(node);
        let own = own.and_then(|row| entries.get(row * stride..(row + 1) * stride));
        let (low, high) = match own {
            Some(own) if table.groups == 1 => own_intervals(table, own, direction),
            _ => {
                let (low, high) = nearby_intervals(table, map, node, direction);
                let entry = |cost: Cost| match cost {
                    UNREACHABLE => T::BLANK,
                    cost => T::of(cost / table.unit),
                };
                // The slack assumes multiples of the gcd, and these costs may be other numbers.
                let round_up = |cost: Cost| match cost {
                    UNREACHABLE => UNREACHABLE,
                    cost => cost.checked_next_multiple_of(table.gcd).unwrap_or(UNREACHABLE),
                };
                let low = low.iter().map(|&cost| entry(cost));
                let high = high.iter().map(|&cost| entry(round_up(cost)));
                (Lanes::from_iter(low), Lanes::from_iter(high))
            }
        };
        let blank: u32 = T::BLANK.into();
        let min_blank_difference = match table.blank {
            // Intervals from nearby nodes may end above the largest entry.
            Blank::Unknown if table.groups > 1 => 0,
            _ => blank - table.largest.min(blank),
        };
        Self {
            table,
            entries,
            stride,
            groups: table.groups,
            low,
            high,
            active: None,
            min_blank_difference,
            unit: table.unit,
            slack: table.slack(),
            has_row: own.is_some(),
            upper: UNREACHABLE,
        }
    }

    /// The row of a node, and the intervals of its group.
    #[inline(always)]
    fn row(&self, node: NodeId) -> Option<(&[T], &[T], &[T])> {
        let row = match &self.table.numbering {
            Numbering::ById { .. } => node as usize,
            numbering => numbering.row(node)?,
        };
        let row = self.entries.get(row * self.stride..(row + 1) * self.stride)?;
        if self.groups == 1 {
            return Some((row, &self.low, &self.high));
        }
        let group = self.table.group(node) * self.stride;
        Some((row, self.low.get(group..)?, self.high.get(group..)?))
    }

    #[inline(always)]
    fn at(&self, node: NodeId) -> Option<Cost> {
        let Some((row, low, high)) = self.row(node) else { return Some(0) };
        let most: u32 = match &self.active {
            None => kernel::most_outside(row, low, high).into(),
            Some(active) => {
                let outside =
                    |&(at, low, high): &(usize, T, T)| row[at].above(high).max(low.above(row[at]));
                active.iter().map(outside).fold(T::default(), T::max).into()
            }
        };
        if most >= self.min_blank_difference {
            return match &self.active {
                None => {
                    let entries = row.iter().zip(low).zip(high);
                    self.bound_with_blanks(
                        entries.map(|((&entry, &low), &high)| (entry, low, high)),
                    )
                }
                // Only the active landmarks: with different landmarks for neighbours, the bound
                // would be inconsistent.
                Some(active) => {
                    let entries = active.iter();
                    self.bound_with_blanks(entries.map(|&(at, low, high)| (row[at], low, high)))
                }
            };
        }
        Some(self.cost_of(most))
    }

    /// The bound from a difference in units.
    #[inline(always)]
    fn cost_of(&self, difference: u32) -> Cost {
        difference.saturating_mul(self.unit).saturating_sub(self.slack)
    }

    /// The bound from entries with their intervals, some of which may be blank.
    #[cold]
    fn bound_with_blanks(&self, entries: impl Iterator<Item = (T, T, T)>) -> Option<Cost> {
        let mut most = 0;
        for (entry, low, high) in entries {
            let difference: u32 = entry.above(high).max(low.above(entry)).into();
            let blank = difference > 0 && (entry == T::BLANK || low == T::BLANK);
            match self.table.blank {
                Blank::NoPath if blank => return None,
                Blank::Unknown if blank => {}
                _ => most = most.max(difference),
            }
        }
        Some(self.cost_of(most))
    }

    fn prepare(&mut self, other: NodeId, direction: Direction, active: Option<usize>) {
        self.upper = self.upper_bound(other, direction);
        self.active = self.choose(other, active);
    }

    /// The cost of the path over the best landmark.
    fn upper_bound(&self, other: NodeId, direction: Direction) -> Cost {
        let table = self.table;
        let Some((row, ..)) = self.row(other).filter(|_| table.exact && self.has_row) else {
            return UNREACHABLE;
        };
        // Where the entries to and from landmarks start.
        let (near, far) = match (direction, table.directed) {
            (_, false) => (0, 0),
            (Direction::Forward, true) => (0, table.kept),
            (Direction::Backward, true) => (table.kept, 0),
        };
        let group = table.group(other);
        let over = |at: usize| {
            let first = table.distances((*row.get(near + at)?).into())?.1;
            plus(first, self.largest_distance(group, far + at)?)
        };
        (0..table.kept).filter_map(over).min().unwrap_or(UNREACHABLE)
    }

    /// The entries with the best bounds between both ends. `None` to compare all entries.
    fn choose(&self, other: NodeId, active: Option<usize>) -> Option<Vec<(usize, T, T)>> {
        let wanted = active.unwrap_or(match self.stride {
            0..=ALL_AT_ONCE => usize::MAX,
            _ => DEFAULT_ACTIVE,
        });
        if wanted >= self.stride || self.table.groups > 1 {
            return None;
        }
        let (row, low, high) = self.row(other)?;
        let outside = |at: usize| row[at].above(high[at]).max(low[at].above(row[at]));
        let mut order: Vec<usize> = (0..self.stride).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(outside(at)));
        order.truncate(wanted.max(1));
        Some(order.into_iter().map(|at| (at, low[at], high[at])).collect())
    }

    /// The largest distance of the fixed end that this entry allows.
    fn largest_distance(&self, group: usize, at: usize) -> Option<Cost> {
        // On directed maps these intervals are open above. Their lower limit is the own entry of
        // the fixed end, unless that was dropped.
        let at = group * self.stride + at;
        let entry = match (self.table.directed, self.table.groups) {
            (false, _) => self.high.get(at)?,
            (true, 1) => self.low.get(at)?,
            (true, _) => return None,
        };
        Some(self.table.distances((*entry).into())?.1)
    }
}

/// The intervals of a node with entries for all landmarks: its own entries, open on sides that
/// prove nothing.
fn own_intervals<T: TableEntry>(
    table: &Table,
    own: &[T],
    direction: Direction,
) -> (Lanes<T>, Lanes<T>) {
    let closed = |at: usize| closed_sides(table, at, direction);
    let low = (0..own.len()).map(|at| if closed(at).0 { own[at] } else { T::default() });
    let high = (0..own.len()).map(|at| if closed(at).1 { own[at] } else { T::BLANK });
    (Lanes::from_iter(low), Lanes::from_iter(high))
}

/// Whether an entry below that of the fixed end proves a bound, and whether an entry above does.
pub(super) fn closed_sides(table: &Table, at: usize, direction: Direction) -> (bool, bool) {
    let (to, from) = (at < table.kept || !table.directed, at >= table.kept || !table.directed);
    match direction {
        Direction::Forward => (from, to),
        Direction::Backward => (to, from),
    }
}

/// A list that needs no heap memory for up to [`ALL_AT_ONCE`] numbers.
struct Lanes<T> {
    few: [T; ALL_AT_ONCE],
    len: usize,
    many: Vec<T>,
}

impl<T: TableEntry> Lanes<T> {
    fn from_iter(numbers: impl ExactSizeIterator<Item = T>) -> Self {
        let len = numbers.len();
        let mut lanes = Self { few: [T::default(); ALL_AT_ONCE], len, many: Vec::new() };
        if len > ALL_AT_ONCE {
            lanes.many = numbers.collect();
        } else {
            for (lane, number) in lanes.few.iter_mut().zip(numbers) {
                *lane = number;
            }
        }
        lanes
    }
}

impl<T> Deref for Lanes<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        if self.len > ALL_AT_ONCE { &self.many } else { &self.few[..self.len] }
    }
}
