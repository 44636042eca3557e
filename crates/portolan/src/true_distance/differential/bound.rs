//! Bounds from a table, with one end or both ends fixed.
//!
//! For a landmark L the triangle inequality bounds the way from n to g twice: d(n, g) >= d(n, L) -
//! d(g, L) and d(n, g) >= d(L, g) - d(L, n). Whatever is known about g is written as an interval
//! per entry of a row: an entry of n that lies outside of it by x proves that the way costs at
//! least x. On undirected maps, where both distances are one entry, the interval is the one number
//! d(g, L); on directed ones it is open on one side. An interval that is open on both sides says
//! nothing: that is what a landmark gets that g cannot be compared by, or that this query does
//! without.

use std::ops::Deref;

use super::known::known;
use super::numbering::Numbering;
use super::table::{Blank, Entries, Entry, Table};
use crate::cost::{Cost, UNREACHABLE, plus};
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::heuristic::LowerBound;
use crate::kernel;
use crate::map::Map;

/// Which end of the way is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Target,
    Source,
}

/// Bounds of landmarks with one end fixed.
pub(super) struct DifferentialBound<'a>(Width<'a>);

debug_by_name!("DifferentialBound", [] DifferentialBound<'_>);

enum Width<'a> {
    Bits32(Typed<'a, u32>),
    Bits16(Typed<'a, u16>),
    Bits8(Typed<'a, u8>),
}

/// The same for entries of one width.
struct Typed<'a, T> {
    table: &'a Table,
    entries: &'a [T],
    stride: usize,
    groups: usize,
    /// The least and the greatest entry that says nothing, group by group and entry by entry.
    low: Lanes<T>,
    high: Lanes<T>,
    /// The entries to look at, where these are not all.
    active: Option<Vec<(usize, T, T)>>,
    /// Differences from here on may come from nodes out of reach.
    doubtful: u32,
    unit: Cost,
    slack: Cost,
    /// Whether the fixed end has entries of its own.
    has_row: bool,
    /// What the best path between both ends costs at most.
    upper: Cost,
}

/// As many landmarks are looked at in one go; beyond that it pays to choose some.
const ALL_AT_ONCE: usize = 16;

/// Landmarks that are looked at one by one where nothing is said.
const USUAL_ACTIVE: usize = 4;

impl<'a> DifferentialBound<'a> {
    /// With one end fixed.
    pub(super) fn new(table: &'a Table, map: &Map, node: NodeId, end: End) -> Self {
        Self(match &table.entries {
            Entries::Bits32(entries) => Width::Bits32(Typed::new(table, entries, map, node, end)),
            Entries::Bits16(entries) => Width::Bits16(Typed::new(table, entries, map, node, end)),
            Entries::Bits8(entries) => Width::Bits8(Typed::new(table, entries, map, node, end)),
        })
    }

    /// The same for a search that comes from the other end: with the landmarks that bound best
    /// between both, and with what the best path costs at most.
    pub(super) fn facing(mut self, other: NodeId, end: End, active: Option<usize>) -> Self {
        match &mut self.0 {
            Width::Bits32(bound) => bound.prepare(other, end, active),
            Width::Bits16(bound) => bound.prepare(other, end, active),
            Width::Bits8(bound) => bound.prepare(other, end, active),
        }
        self
    }

    /// What the best path costs at most, where something is known of it; else [`UNREACHABLE`].
    pub(super) fn upper(&self) -> Cost {
        match &self.0 {
            Width::Bits32(bound) => bound.upper,
            Width::Bits16(bound) => bound.upper,
            Width::Bits8(bound) => bound.upper,
        }
    }
}

impl LowerBound for DifferentialBound<'_> {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        match &self.0 {
            Width::Bits32(bound) => bound.at(node),
            Width::Bits16(bound) => bound.at(node),
            Width::Bits8(bound) => bound.at(node),
        }
    }

    #[inline(always)]
    fn allows(&self, whole: Cost) -> bool {
        whole <= self.upper()
    }
}

impl<'a, T: Entry> Typed<'a, T> {
    fn new(table: &'a Table, entries: &'a [T], map: &Map, node: NodeId, end: End) -> Self {
        let stride = table.stride();
        let own = table.numbering.row(node);
        let own = own.and_then(|row| entries.get(row * stride..(row + 1) * stride));
        let (low, high) = match own {
            Some(own) if table.groups == 1 => own_intervals(table, own, end),
            _ => {
                let known = known(table, map, node, end);
                let number = |cost: Cost| match cost {
                    UNREACHABLE => T::BLANK,
                    cost => T::of(cost / table.unit),
                };
                // What is slack is counted in grains, and steps from here to where an entry was
                // found need not be whole ones.
                let whole = |cost: Cost| match cost {
                    UNREACHABLE => UNREACHABLE,
                    cost => cost.checked_next_multiple_of(table.grain).unwrap_or(UNREACHABLE),
                };
                let low = known.low.iter().map(|&cost| number(cost));
                let high = known.high.iter().map(|&cost| number(whole(cost)));
                (Lanes::from_iter(low), Lanes::from_iter(high))
            }
        };
        let blank: u32 = T::BLANK.into();
        let doubtful = match table.blank {
            // Intervals that come from nodes close by may end beyond the largest entry.
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
            doubtful,
            unit: table.unit,
            slack: table.slack(),
            has_row: own.is_some(),
            upper: UNREACHABLE,
        }
    }

    /// The row of a node and the intervals of its group.
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
        if most >= self.doubtful {
            return match &self.active {
                None => {
                    let entries = row.iter().zip(low).zip(high);
                    self.look_closer(entries.map(|((&entry, &low), &high)| (entry, low, high)))
                }
                // Neighbours that are bounded by different landmarks would be bounded
                // inconsistently.
                Some(active) => {
                    let entries = active.iter();
                    self.look_closer(entries.map(|&(at, low, high)| (row[at], low, high)))
                }
            };
        }
        Some(self.proven(most))
    }

    /// The bound that a difference of so many units proves.
    #[inline(always)]
    fn proven(&self, difference: u32) -> Cost {
        difference.saturating_mul(self.unit).saturating_sub(self.slack)
    }

    /// Looks at what may come from nodes out of reach: entries, each with its interval.
    #[cold]
    fn look_closer(&self, entries: impl Iterator<Item = (T, T, T)>) -> Option<Cost> {
        let mut most = 0;
        for (entry, low, high) in entries {
            let apart: u32 = entry.above(high).max(low.above(entry)).into();
            let blank = apart > 0 && (entry == T::BLANK || low == T::BLANK);
            match self.table.blank {
                Blank::NoPath if blank => return None,
                Blank::Unknown if blank => {}
                _ => most = most.max(apart),
            }
        }
        Some(self.proven(most))
    }

    fn prepare(&mut self, other: NodeId, end: End, active: Option<usize>) {
        (self.upper, self.active) = (self.over_landmarks(other, end), self.choose(other, active));
    }

    /// What the way over the best landmark costs.
    fn over_landmarks(&self, other: NodeId, end: End) -> Cost {
        let table = self.table;
        let Some((row, ..)) = self.row(other).filter(|_| table.exact && self.has_row) else {
            return UNREACHABLE;
        };
        // From one end to the landmark, and from the landmark to the other.
        let (near, far) = match (end, table.directed) {
            (_, false) => (0, 0),
            (End::Target, true) => (0, table.kept),
            (End::Source, true) => (table.kept, 0),
        };
        let group = table.group(other);
        let over = |at: usize| {
            let first = table.distances((*row.get(near + at)?).into())?.1;
            plus(first, self.greatest(group, far + at)?)
        };
        (0..table.kept).filter_map(over).min().unwrap_or(UNREACHABLE)
    }

    /// The entries that bound best between both ends, where it pays not to look at all.
    fn choose(&self, other: NodeId, active: Option<usize>) -> Option<Vec<(usize, T, T)>> {
        let wanted = active.unwrap_or(match self.stride {
            0..=ALL_AT_ONCE => usize::MAX,
            _ => USUAL_ACTIVE,
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

    /// The greatest distance that the fixed end may have by this entry.
    fn greatest(&self, group: usize, at: usize) -> Option<Cost> {
        // On directed maps entries that bound from below are open above; their lower end is the
        // end's own entry, unless that was dropped.
        let place = group * self.stride + at;
        let entry = match (self.table.directed, self.table.groups) {
            (false, _) => self.high.get(place)?,
            (true, 1) => self.low.get(place)?,
            (true, _) => return None,
        };
        Some(self.table.distances((*entry).into())?.1)
    }
}

/// The intervals of a node that has entries for all landmarks: what it has, open on the side that
/// proves nothing.
fn own_intervals<T: Entry>(table: &Table, own: &[T], end: End) -> (Lanes<T>, Lanes<T>) {
    let sides = |at: usize| sides(table, at, end);
    let low = (0..own.len()).map(|at| if sides(at).0 { own[at] } else { T::default() });
    let high = (0..own.len()).map(|at| if sides(at).1 { own[at] } else { T::BLANK });
    (Lanes::from_iter(low), Lanes::from_iter(high))
}

/// Whether an entry of a row may prove something by lying below that of the fixed end, and whether
/// by lying above it.
pub(super) fn sides(table: &Table, at: usize, end: End) -> (bool, bool) {
    let (to, from) = (at < table.kept || !table.directed, at >= table.kept || !table.directed);
    match end {
        End::Target => (from, to),
        End::Source => (to, from),
    }
}

/// A few numbers without a place on the heap of their own, or many with one.
struct Lanes<T> {
    few: [T; ALL_AT_ONCE],
    len: usize,
    many: Vec<T>,
}

impl<T: Entry> Lanes<T> {
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
