//! What every cell sees, kept in lists that the cells of a tile share.
//!
//! Looking round from a cell on bitmaps takes most of a query's time in the open. Neighbours see
//! nearly the same subgoals, so the cells of a tile share one list of all that any of them sees,
//! about half as long again as the list of a single cell, and each cell has a bit for each subgoal
//! on it. Reading these finds the very subgoals that looking finds ([`View::ahead`],
//! [`View::behind`]). What it costs to get to one follows from where it lies: the way is free, so
//! its distance.
//!
//! For each tile and either end of a path there is a record: the numbers of the subgoals, their
//! places, then for each cell of the tile, row by row, its bits. The directory says where records
//! begin and how many subgoals they list.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::atlas::uniform::labels::SubgoalId;
use crate::atlas::uniform::subgoals::{PaddedCell, Subgoals, View};
use crate::build::{BuildError, Progress, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::kernel::{WORD, at_most, prefetch_element, prefetch_lines, weigh};
use crate::store::Words;

/// Cells of a tile, along either side, as a power of two.
const TILE: u32 = 3;

/// Cells of a tile.
const CELLS: usize = 1 << (2 * TILE);

/// With more than one subgoal in so many cells little is seen from any, and looking is as fast.
const FEW_ACCESSES: usize = 8;

/// Which end of a path looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The start, at the subgoals ahead.
    Start,
    /// The goal, at those behind.
    Goal,
}

/// The lists of all tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Tiles in a row of them.
    across: u32,
    /// How many subgoals there are.
    count: usize,
    /// For each tile and end where its record begins and how many subgoals it lists.
    pub(crate) directory: Words,
    pub(crate) records: Words,
}

/// A record that is being read.
struct Record<'a> {
    numbers: &'a [SubgoalId],
    /// With what follows, up to a whole number of words of bits.
    places: &'a [u32],
    bits: &'a [u32],
}

/// What is known of the subgoals on the list of a cell before any is looked at closely.
#[derive(Debug, Default)]
pub(crate) struct Weighed {
    /// How many of them the cell sees.
    pub(crate) count: usize,
    /// By place on the list what it costs to get there, and that and the least from there to the
    /// other end of the path; [`UNREACHABLE`] for those that are not seen.
    costs: Vec<[Cost; WORD]>,
    sums: Vec<[Cost; WORD]>,
}

/// A subgoal on a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) number: SubgoalId,
    pub(crate) spot: PaddedCell,
    pub(crate) cost: Cost,
    /// No path over it costs less.
    pub(crate) bound: Cost,
}

impl Lists {
    /// Whether lists are worth their memory on a map.
    pub(crate) fn pay(subgoals: &Subgoals) -> bool {
        subgoals.all().count() <= subgoals.node_count() / FEW_ACCESSES
    }

    /// The lists of a map; `None` where they take more than so many bytes.
    pub(crate) fn new(
        subgoals: &Subgoals,
        numbers: &[SubgoalId],
        most: u64,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, BuildError> {
        let (view, count) = (&subgoals.view, subgoals.all().count());
        let [across, down] = tiles(view);
        let watch = Watch::new(progress, "lists", down as usize);
        let most = (most / 4).min(u64::from(u32::MAX));
        // What is written so far: once it is too much, whichever tiles come first, nothing more is
        // made.
        let words = AtomicU64::new(0);
        let fill = |tiles: &mut Tiles, row| {
            if watch.check().is_ok() && words.load(Ordering::Relaxed) <= most {
                (0..across).for_each(|column| tiles.add(view, numbers, [column, row]));
                watch.advance(1);
            }
            let tiles = tiles.take();
            words.fetch_add(tiles.words() as u64, Ordering::Relaxed);
            tiles
        };
        let rows: Vec<Tiles> =
            (0..down).into_par_iter().map_init(|| Tiles::with_slots(count), fill).collect();
        watch.check()?;
        if words.into_inner() > most {
            return Ok(None);
        }
        let (mut directory, mut records) = (Vec::new(), Vec::new());
        for row in rows {
            let first = records.len() as u32;
            let moved = row.directory.chunks_exact(2).flat_map(|at| [first + at[0], at[1]]);
            directory.extend(moved);
            records.extend_from_slice(&row.records);
        }
        Ok(Some(Self { across, count, directory: directory.into(), records: records.into() }))
    }

    /// Lists that were kept; `None` where there is not one for each tile of the map and end.
    pub(crate) fn kept(subgoals: &Subgoals, directory: Words, records: Words) -> Option<Self> {
        let [across, down] = tiles(&subgoals.view);
        let (tiles, count) = (across as usize * down as usize, subgoals.all().count());
        (directory.len() == 4 * tiles).then_some(Self { across, count, directory, records })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.directory.memory_bytes() + self.records.memory_bytes()
    }

    /// Asks for what says where the record of a cell lies.
    #[inline(always)]
    pub(crate) fn ask_for_directory(&self, end: End, spot: PaddedCell) {
        let at = self.entry(end, spot);
        prefetch_element(&self.directory, at);
    }

    /// Asks for the record.
    #[inline(always)]
    pub(crate) fn ask_for_record(&self, end: End, spot: PaddedCell) {
        if let Some(Record { numbers, places, bits }) = self.record(end, spot) {
            prefetch_lines::<2, _>(numbers);
            prefetch_lines::<2, _>(places);
            prefetch_lines::<1, _>(bits);
        }
    }

    /// Weighs the subgoals that the first of two cells sees as stations between both; returns the
    /// one that promises most.
    #[inline(always)]
    pub(crate) fn weigh(
        &self,
        view: &View,
        end: End,
        [from, to]: [PaddedCell; 2],
        weighed: &mut Weighed,
    ) -> Option<Listed> {
        weighed.count = 0;
        let record = self.record(end, from)?;
        let (places, _) = record.places.as_chunks::<WORD>();
        let Weighed { count, costs, sums } = weighed;
        if costs.len() < places.len() {
            costs.resize(places.len(), [0; WORD]);
            sums.resize(places.len(), [0; WORD]);
        }
        *count = record.bits.iter().map(|bits| bits.count_ones() as usize).sum();
        let ends = [from, to].map(|PaddedCell { x, y }| x | y << 16);
        let least = weigh(places, record.bits, ends, view.diagonal_extra(), costs, sums);
        if least == UNREACHABLE {
            return None;
        }
        let words = (0..).step_by(WORD).zip(&sums[..places.len()]);
        let mut found = words.map(|(first, sums)| (first, at_most(sums, least)));
        let (first, mask) = found.find(|&(_, mask)| mask != 0)?;
        record.listed(weighed, first + mask.trailing_zeros() as usize)
    }

    /// Those of the subgoals that were weighed last, for the same end, that promise paths of no
    /// more than this cost.
    #[inline(always)]
    pub(crate) fn each(
        &self,
        end: End,
        from: PaddedCell,
        most: Cost,
        weighed: &Weighed,
        mut visit: impl FnMut(Listed),
    ) {
        let Some(record) = self.record(end, from) else { return };
        let words = record.bits.iter().zip(&weighed.sums);
        for (first, (&bits, sums)) in (0..).step_by(WORD).zip(words) {
            let mut word = bits & at_most(sums, most);
            while word != 0 {
                let slot = first + word.trailing_zeros() as usize;
                word &= word - 1;
                if let Some(listed) = record.listed(weighed, slot) {
                    visit(listed);
                }
            }
        }
    }

    #[inline(always)]
    fn entry(&self, end: End, PaddedCell { x, y }: PaddedCell) -> usize {
        4 * ((y >> TILE) * self.across + (x >> TILE)) as usize + 2 * end as usize
    }

    #[inline(always)]
    fn record(&self, end: End, spot: PaddedCell) -> Option<Record<'_>> {
        let at = self.entry(end, spot);
        let &[first, count] = self.directory.get(at..at + 2)? else { return None };
        let (first, count) = (first as usize, count as usize);
        // A list names each subgoal once, unless it is damaged.
        if count > self.count {
            return None;
        }
        let record = self.records.get(first..)?;
        let width = count.div_ceil(WORD);
        let bits = 2 * count + in_tile(spot) * width;
        Some(Record {
            numbers: record.get(..count)?,
            places: record.get(count..count + width * WORD)?,
            bits: record.get(bits..bits + width)?,
        })
    }
}

impl Record<'_> {
    #[inline(always)]
    fn listed(&self, weighed: &Weighed, slot: usize) -> Option<Listed> {
        let (number, place) = (*self.numbers.get(slot)?, *self.places.get(slot)?);
        let cost = *weighed.costs.as_flattened().get(slot)?;
        let bound = *weighed.sums.as_flattened().get(slot)?;
        Some(Listed { number, spot: PaddedCell { x: place & 0xffff, y: place >> 16 }, cost, bound })
    }
}

/// How many tiles there are across and down.
fn tiles(view: &View) -> [u32; 2] {
    view.size().map(|cells| cells.div_ceil(1 << TILE))
}

/// The number of a cell in its tile.
#[inline(always)]
fn in_tile(PaddedCell { x, y }: PaddedCell) -> usize {
    let inside = |at: u32| (at & ((1 << TILE) - 1)) as usize;
    inside(y) << TILE | inside(x)
}

/// Some tiles that are being filled.
struct Tiles {
    directory: Vec<u32>,
    records: Vec<u32>,
    /// By number where a subgoal stands on the present list.
    slots: Vec<u32>,
    listed: Vec<(SubgoalId, PaddedCell)>,
    /// The cells that see something, each with where on the list it stands.
    seen: Vec<(usize, u32)>,
}

impl Tiles {
    const NOT_LISTED: u32 = u32::MAX;

    fn with_slots(subgoals: usize) -> Self {
        Self {
            directory: Vec::new(),
            records: Vec::new(),
            slots: vec![Self::NOT_LISTED; subgoals],
            listed: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn words(&self) -> usize {
        self.directory.len() + self.records.len()
    }

    /// What has been filled, to begin anew.
    fn take(&mut self) -> Self {
        Self {
            directory: std::mem::take(&mut self.directory),
            records: std::mem::take(&mut self.records),
            ..Self::with_slots(0)
        }
    }

    fn add(&mut self, view: &View, numbers: &[SubgoalId], [column, row]: [u32; 2]) {
        for end in [End::Start, End::Goal] {
            for cell in 0..CELLS as u32 {
                let (x, y) = (cell & ((1 << TILE) - 1), cell >> TILE);
                let spot = PaddedCell { x: (column << TILE) + x, y: (row << TILE) + y };
                if view.can_see_from(spot) {
                    let mut list =
                        |seen: PaddedCell| self.list(view.node(seen), seen, numbers, spot);
                    match end {
                        End::Start => view.ahead(spot, |seen| list(seen.cell)),
                        End::Goal => view.behind(spot, |seen| list(seen.cell)),
                    }
                }
            }
            self.write();
        }
    }

    /// Says that a cell sees a subgoal.
    fn list(&mut self, node: NodeId, place: PaddedCell, numbers: &[SubgoalId], from: PaddedCell) {
        let number = numbers[node as usize];
        let slot = &mut self.slots[number as usize];
        if *slot == Self::NOT_LISTED {
            *slot = self.listed.len() as u32;
            self.listed.push((number, place));
        }
        self.seen.push((in_tile(from), *slot));
    }

    /// Writes the record of the list, and begins another one.
    fn write(&mut self) {
        let count = self.listed.len();
        self.directory.extend([self.records.len() as u32, count as u32]);
        self.records.extend(self.listed.iter().map(|&(number, _)| number));
        self.records.extend(self.listed.iter().map(|&(_, PaddedCell { x, y })| x | y << 16));
        let (bits, width) = (self.records.len(), count.div_ceil(WORD));
        self.records.resize(bits + CELLS * width, 0);
        for (cell, slot) in self.seen.drain(..) {
            let slot = slot as usize;
            self.records[bits + cell * width + slot / WORD] |= 1 << (slot % WORD);
        }
        for (number, _) in self.listed.drain(..) {
            self.slots[number as usize] = Self::NOT_LISTED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::uniform::LEAF;
    use crate::atlas::uniform::build::reduce::reduce;
    use crate::atlas::uniform::labels::HubLabels;
    use crate::atlas::uniform::subgoals::{Reduction, VisibleSubgoal};
    use crate::grid::{Connectivity, Corners, Grid};
    use crate::partition::Partitioner;
    use crate::random::Random;

    /// Numbers of all subgoals in the order of their cells.
    fn numbers(subgoals: &Subgoals) -> Vec<SubgoalId> {
        let mut numbers = vec![SubgoalId::MAX; subgoals.node_count()];
        subgoals.all().zip(0..).for_each(|(node, number)| numbers[node as usize] = number);
        numbers
    }

    fn random_grid(random: &mut Random) -> Grid {
        let (width, height) = (1 + random.below(40) as u32, 1 + random.below(40) as u32);
        let density = [0.02, 0.1, 0.3, 0.5][random.below(4) as usize];
        let grid = Grid::from_fn(width, height, |_, _| !random.chance(density)).unwrap();
        match random.below(5) {
            0 => grid.with_connectivity(Connectivity::Four),
            1 => grid.with_corners(Corners::PastOne),
            2 => grid.with_corners(Corners::Always),
            _ => grid,
        }
    }

    #[test]
    fn lists_have_what_is_seen() {
        let mut random = Random::new(11);
        for round in 0..300 {
            let grid = random_grid(&mut random);
            let reductions = Reduction::of(&grid);
            let subgoals = Subgoals::new(&grid, reductions[round % reductions.len()]);
            let (view, numbers) = (&subgoals.view, numbers(&subgoals));
            let (width, height) = (grid.width(), grid.height());
            let lists = Lists::new(&subgoals, &numbers, u64::MAX, &()).unwrap().unwrap();
            for node in (0..subgoals.node_count() as NodeId).filter(|&node| grid.contains(node)) {
                let spot = view.cell(node);
                for end in [End::Start, End::Goal] {
                    let mut expected = Vec::new();
                    let see = |seen: VisibleSubgoal| {
                        assert_eq!(view.distance(spot, seen.cell), seen.cost, "round {round}");
                        if end == End::Start {
                            let arrival = view.arrival(spot, seen.cell);
                            assert_ne!(arrival & seen.arrival, 0, "round {round}");
                        }
                        expected.push((numbers[view.node(seen.cell) as usize], seen.cell));
                    };
                    match end {
                        End::Start => view.ahead(spot, see),
                        End::Goal => view.behind(spot, see),
                    }
                    let (mut found, mut weighed) = (Vec::new(), Weighed::default());
                    let ends = [spot, view.cell(random.below(u64::from(width * height)) as NodeId)];
                    let best = lists.weigh(view, end, ends, &mut weighed);
                    let bound = |spot| view.distance(ends[0], spot) + view.distance(spot, ends[1]);
                    lists.each(end, spot, UNREACHABLE - 1, &weighed, |listed| {
                        let costs = (view.distance(spot, listed.spot), bound(listed.spot));
                        assert_eq!((listed.cost, listed.bound), costs, "round {round}");
                        assert!(best.is_some_and(|best| best.bound <= listed.bound));
                        found.push((listed.number, listed.spot));
                    });
                    assert_eq!(weighed.count, found.len());
                    found.sort_unstable_by_key(|&(number, _)| number);
                    expected.sort_unstable_by_key(|&(number, _)| number);
                    expected.dedup();
                    assert_eq!(found, expected, "round {round}, {end:?} at {spot:?}\n{grid:?}");
                }
            }
        }
    }

    #[test]
    fn lists_keep_to_a_limit_and_to_the_size_of_their_map() {
        let mut grid = Grid::new(20, 12).unwrap();
        grid.set_passable(7, 5, false).unwrap();
        let (subgoals, dissection) = reduce(&grid, &Partitioner::default(), LEAF, &()).unwrap();
        let rows =
            HubLabels::with_layout(&dissection.tree, &dissection.members, &subgoals).unwrap();
        let within = |bytes| Lists::new(&subgoals, &rows.numbers, bytes, &()).unwrap();
        let lists = within(u64::MAX).unwrap();
        let bytes = lists.memory_bytes() as u64;
        assert_eq!(within(bytes), Some(lists.clone()));
        assert_eq!(within(bytes - 1), None);
        let Lists { directory, records, .. } = lists;
        assert!(Lists::kept(&subgoals, directory.clone(), records.clone()).is_some());
        let short = directory.slice(4..).unwrap();
        assert!(Lists::kept(&subgoals, short, records).is_none());
    }
}
