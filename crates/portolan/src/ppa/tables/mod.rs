//! The all-pairs table of a subgraph.
//!
//! Members are numbered with the borders first, so the distances from a member to all borders are
//! consecutive, at the start of its row. Three layouts:
//!
//! - *full*: complete rows, for directed maps;
//! - *half*: on undirected maps the distance from i to j equals that from j to i. The rows of
//!   borders are complete, since paths are expanded from them; other rows end at the diagonal;
//! - *on demand*: rows are computed when first needed, then kept. Their values do not depend on who
//!   computes them or when.
//!
//! A table may also store *steps*: for each pair the member before the second on the path from the
//! first. Steps are always complete rows, since the path back may be another one.
//!
//! Full and half tables are computed or read from an index file. Opening checks the length of such
//! a table, not its numbers: distances may be wrong, and a step is checked against the number of
//! members when it is read.

pub(super) mod rows;

use std::sync::OnceLock;

use crate::cost::Cost;
use crate::store::{Array, Words};

#[derive(Debug)]
pub(super) struct Table {
    members: usize,
    borders: usize,
    data: TableData,
    steps: Option<Array<u16>>,
}

#[derive(Debug)]
enum TableData {
    Full(Words),
    Half(Words),
    OnDemand(Vec<OnceLock<Box<[Cost]>>>),
}

impl TableData {
    fn on_demand(members: usize) -> Self {
        Self::OnDemand((0..members).map(|_| OnceLock::new()).collect())
    }
}

/// The layout of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableLayout {
    Full,
    Half,
    OnDemand,
}

impl Table {
    /// Builds a table from `row(member, costs, steps)`, which fills slices of `members` entries;
    /// `steps` only if wanted. On demand, no row is filled yet.
    pub(super) fn new(
        layout: TableLayout,
        members: usize,
        borders: usize,
        with_steps: bool,
        mut row: impl FnMut(usize, &mut [Cost], Option<&mut [u16]>),
    ) -> Self {
        let mut steps = (with_steps && layout != TableLayout::OnDemand && can_have_steps(members))
            .then(|| vec![0; members * members]);
        let mut row = |member: usize, costs: &mut [Cost]| {
            let steps = steps.as_mut().map(|steps| &mut steps[member * members..][..members]);
            row(member, costs, steps);
        };
        let data = match layout {
            TableLayout::OnDemand => TableData::on_demand(members),
            TableLayout::Full => {
                let mut entries = vec![0; members * members];
                for (member, costs) in entries.chunks_exact_mut(members.max(1)).enumerate() {
                    row(member, costs);
                }
                TableData::Full(entries.into())
            }
            TableLayout::Half => {
                let length = half_start(members, members, borders);
                let mut entries = Vec::with_capacity(length);
                let mut costs = vec![0; members];
                for member in 0..members {
                    row(member, &mut costs);
                    entries.extend_from_slice(&costs[..half_width(member, members, borders)]);
                }
                TableData::Half(entries.into())
            }
        };
        Self { members, borders, data, steps: steps.map(Array::from) }
    }

    /// The table of no members, a placeholder.
    pub(super) fn empty() -> Self {
        Self::new(TableLayout::Full, 0, 0, false, |_, _, _| {})
    }

    /// A table from a file; `None` if the lengths differ from [`stored_len`](Self::stored_len) and
    /// [`steps_len`](Self::steps_len), or the layout is never stored.
    pub(super) fn from_stored(
        layout: TableLayout,
        members: usize,
        borders: usize,
        entries: Words,
        steps: Option<Array<u16>>,
    ) -> Option<Self> {
        let fits = Self::stored_len(layout, members, borders) == Some(entries.len())
            && steps.as_ref().is_none_or(|steps| Self::steps_len(members) == Some(steps.len()));
        let data = match layout {
            TableLayout::Full => TableData::Full(entries),
            TableLayout::Half => TableData::Half(entries),
            TableLayout::OnDemand => return None,
        };
        fits.then_some(Self { members, borders, data, steps })
    }

    /// The number of distances that a stored table has; `None` on overflow, if there are more
    /// borders than members, and for tables on demand.
    pub(super) fn stored_len(layout: TableLayout, members: usize, borders: usize) -> Option<usize> {
        let all = members.checked_mul(members)?;
        match layout {
            _ if borders > members => None,
            TableLayout::Full => Some(all),
            // Never more than `all`, so the sums fit.
            TableLayout::Half => Some(half_start(members, members, borders)),
            TableLayout::OnDemand => None,
        }
    }

    /// The number of steps of a table with steps; `None` if there are too many members for steps.
    pub(super) fn steps_len(members: usize) -> Option<usize> {
        if can_have_steps(members) { members.checked_mul(members) } else { None }
    }

    /// What a file stores: the distances and the steps. Empty for tables on demand.
    pub(super) fn stored(&self) -> (&[Cost], &[u16]) {
        let entries = match &self.data {
            TableData::Full(entries) | TableData::Half(entries) => entries,
            TableData::OnDemand(_) => [].as_slice(),
        };
        (entries, self.steps.as_deref().unwrap_or_default())
    }

    /// An empty table on demand for the same members.
    pub(super) fn emptied(&self) -> Self {
        let (members, borders) = (self.members, self.borders);
        Self { members, borders, data: TableData::on_demand(members), steps: None }
    }

    /// A copy of a full or half table in which these rows come from `row`, as in
    /// [`new`](Self::new).
    pub(super) fn with_rows(
        &self,
        members: &[usize],
        mut row: impl FnMut(usize, &mut [Cost], Option<&mut [u16]>),
    ) -> Self {
        let (entries, steps) = self.stored();
        let mut entries = entries.to_vec();
        let mut steps = self.steps.is_some().then(|| steps.to_vec());
        let is_half = matches!(self.data, TableData::Half(_));
        let mut costs = vec![0; self.members];
        for &member in members {
            let start = member * self.members;
            let steps = steps.as_mut().map(|steps| &mut steps[start..][..self.members]);
            row(member, &mut costs, steps);
            let (start, width) = match is_half {
                true => (self.half_start(member), half_width(member, self.members, self.borders)),
                false => (start, self.members),
            };
            entries[start..][..width].copy_from_slice(&costs[..width]);
        }
        let data =
            if is_half { TableData::Half(entries.into()) } else { TableData::Full(entries.into()) };
        let steps = steps.map(Array::from);
        Self { members: self.members, borders: self.borders, data, steps }
    }

    /// The size of such a table in bytes.
    pub(super) fn planned_bytes(
        layout: TableLayout,
        members: usize,
        borders: usize,
        steps: bool,
    ) -> usize {
        let Some(entries) = Self::stored_len(layout, members, borders) else {
            return members * size_of::<OnceLock<Box<[Cost]>>>();
        };
        let steps = if steps { Self::steps_len(members).unwrap_or(0) } else { 0 };
        entries * size_of::<Cost>() + steps * size_of::<u16>()
    }

    /// The stored member before the second on the path from the first, if steps are stored. The
    /// second itself if a damaged file names no member.
    #[inline(always)]
    pub(super) fn stored_step(&self, from: usize, to: usize) -> Option<usize> {
        let step = usize::from(self.steps.as_ref()?[from * self.members + to]);
        Some(if step < self.members { step } else { to })
    }

    /// The distance between two members within the subgraph. `compute` fills a row of a table on
    /// demand.
    #[inline(always)]
    pub(super) fn distance(
        &self,
        from: usize,
        to: usize,
        compute: impl FnOnce(usize) -> Box<[Cost]>,
    ) -> Cost {
        match &self.data {
            TableData::Full(entries) => entries[from * self.members + to],
            TableData::Half(entries) => {
                let swap = from < to && from >= self.borders;
                let (row, column) = if swap { (to, from) } else { (from, to) };
                entries[self.half_start(row) + column]
            }
            TableData::OnDemand(rows) => rows[from].get_or_init(|| compute(from))[to],
        }
    }

    /// The distances from a member to all borders.
    #[inline(always)]
    pub(super) fn to_borders(
        &self,
        from: usize,
        compute: impl FnOnce(usize) -> Box<[Cost]>,
    ) -> &[Cost] {
        match &self.data {
            TableData::Full(entries) => &entries[from * self.members..][..self.borders],
            TableData::Half(entries) => &entries[self.half_start(from)..][..self.borders],
            TableData::OnDemand(rows) => &rows[from].get_or_init(|| compute(from))[..self.borders],
        }
    }

    /// Whether rows are computed only when needed.
    pub(super) fn is_on_demand(&self) -> bool {
        matches!(self.data, TableData::OnDemand(_))
    }

    /// Whether a row exists already.
    pub(super) fn is_known(&self, from: usize) -> bool {
        match &self.data {
            TableData::OnDemand(rows) => rows[from].get().is_some(),
            _ => true,
        }
    }

    /// Every stored entry, in a fixed order; of tables on demand the rows that exist.
    pub(super) fn entries(&self) -> impl Iterator<Item = Cost> + '_ {
        let (stored, rows) = match &self.data {
            TableData::Full(entries) | TableData::Half(entries) => (&entries[..], [].as_slice()),
            TableData::OnDemand(rows) => ([].as_slice(), rows.as_slice()),
        };
        let known = rows.iter().filter_map(OnceLock::get);
        stored.iter().copied().chain(known.flat_map(|row| row.iter().copied()))
    }

    #[inline(always)]
    fn half_start(&self, member: usize) -> usize {
        half_start(member, self.members, self.borders)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let steps = self.steps.as_ref().map_or(0, Array::memory_bytes);
        steps
            + match &self.data {
                TableData::Full(entries) | TableData::Half(entries) => entries.memory_bytes(),
                TableData::OnDemand(rows) => {
                    let known = rows.iter().filter_map(OnceLock::get);
                    size_of_val(rows.as_slice())
                        + known.map(|row| size_of_val(&row[..])).sum::<usize>()
                }
            }
    }
}

/// The start of a row in the half layout; past the last row, the number of entries.
#[inline(always)]
fn half_start(member: usize, members: usize, borders: usize) -> usize {
    if member < borders {
        member * members
    } else {
        let rest = member - borders;
        borders * members + rest * borders + rest * (rest + 1) / 2
    }
}

/// Whether the numbers of this many members fit into steps.
fn can_have_steps(members: usize) -> bool {
    members <= 1 << 16
}

/// The number of columns of a row that the half layout stores.
fn half_width(member: usize, members: usize, borders: usize) -> usize {
    if member < borders { members } else { member + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_layouts_hold_the_same_distances() {
        for (members, borders) in [(0, 0), (1, 0), (1, 1), (5, 2), (7, 7), (9, 0)] {
            let value = |a: usize, b: usize| (a.min(b) * 100 + a.max(b)) as Cost;
            let fill = |a: usize, costs: &mut [Cost], steps: Option<&mut [u16]>| {
                for (b, entry) in costs.iter_mut().enumerate() {
                    *entry = value(a, b);
                }
                for (b, step) in steps.into_iter().flatten().enumerate() {
                    *step = ((a + 2 * b) % members) as u16;
                }
            };
            let compute = |a: usize| (0..members).map(|b| value(a, b)).collect::<Box<[Cost]>>();
            for layout in [TableLayout::Full, TableLayout::Half, TableLayout::OnDemand] {
                let table = Table::new(layout, members, borders, true, fill);
                let planned = Table::planned_bytes(layout, members, borders, true);
                assert_eq!(table.memory_bytes(), planned, "{layout:?}");
                for a in 0..members {
                    for b in 0..members {
                        assert_eq!(table.distance(a, b, compute), value(a, b), "{layout:?}");
                        let step =
                            (layout != TableLayout::OnDemand).then_some((a + 2 * b) % members);
                        assert_eq!(table.stored_step(a, b), step);
                    }
                    let expected: Vec<Cost> = (0..borders).map(|b| value(a, b)).collect();
                    assert_eq!(table.to_borders(a, compute), expected, "{layout:?}");
                }
            }
        }
    }

    #[test]
    fn rows_on_demand_take_memory_only_when_they_are_there() {
        let table = Table::new(TableLayout::OnDemand, 100, 4, false, |_, _, _| unreachable!());
        let empty = table.memory_bytes();
        assert!(!table.is_known(3));
        table.distance(3, 4, |_| vec![7; 100].into());
        assert!(table.is_known(3));
        assert_eq!(table.memory_bytes(), empty + 400);
    }

    #[test]
    fn stored_tables_must_have_the_right_lengths() {
        for (members, borders) in [(0, 0), (1, 0), (1, 1), (5, 2), (7, 7), (9, 0)] {
            for layout in [TableLayout::Full, TableLayout::Half] {
                let table = Table::new(layout, members, borders, true, |_, costs, _| costs.fill(3));
                let (entries, steps) = table.stored();
                let length = Table::stored_len(layout, members, borders);
                assert_eq!(length, Some(entries.len()), "{layout:?} {members} {borders}");
                assert_eq!(Table::steps_len(members), Some(steps.len()));
                let open = |entries: usize, steps: usize| {
                    let (entries, steps) = (vec![3; entries].into(), vec![0; steps].into());
                    Table::from_stored(layout, members, borders, entries, Some(steps))
                };
                assert!(open(entries.len(), steps.len()).is_some());
                assert!(open(entries.len() + 1, steps.len()).is_none());
                assert!(open(entries.len(), steps.len() + 1).is_none());
            }
        }
        assert_eq!(Table::stored_len(TableLayout::Half, 2, 3), None);
        assert_eq!(Table::stored_len(TableLayout::Full, usize::MAX, 0), None);
        assert_eq!(Table::steps_len((1 << 16) + 1), None);
    }

    #[test]
    fn a_step_to_no_member_is_no_step() {
        let steps = Some(Array::from(vec![0, 7, 1, 1]));
        let table = Table::from_stored(TableLayout::Full, 2, 2, vec![0; 4].into(), steps).unwrap();
        assert_eq!([(0, 1), (1, 0)].map(|(a, b)| table.stored_step(a, b)), [Some(1), Some(1)]);
    }
}
