//! Builds visibility lists.
//!
//! First it collects *sightings*: which cells of a tile see a subgoal. On the usual grids it lists
//! the cells of one subgoal after the other, which takes a fraction of the time of scanning from
//! every cell; under other rules it scans. Then it sorts the sightings by tile and writes the lists.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Endpoint;
use super::lists::{CELLS, TILE, VisibilityLists, cell_in_tile, tile_counts};
use crate::atlas::uniform::labels::numbers::CellNumbers;
use crate::atlas::uniform::subgoals::{
    Bitmaps, CellLine, CornerBitmaps, PaddedCell, Reduction, Subgoals, View,
};
use crate::build::{BuildError, Progress, Watch};
use crate::graph::{Graph, NodeId};
use crate::kernel::WORD;

/// With fewer cells per subgoal little is visible from a cell, and scanning bitmaps is as fast.
const LEAST_CELLS_PER_SUBGOAL: usize = 8;

/// The number of subgoals whose sightings are collected together.
const CHUNK: usize = 256;

impl VisibilityLists {
    /// Whether lists are worth their memory on this map.
    pub(crate) fn pay_off(subgoals: &Subgoals) -> bool {
        subgoals.all().count() <= subgoals.node_count() / LEAST_CELLS_PER_SUBGOAL
    }

    /// The lists of a map; `None` if they take more than `most` bytes.
    pub(crate) fn build(
        subgoals: &Subgoals,
        numbers: &CellNumbers,
        most: u64,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, BuildError> {
        let view = &subgoals.view;
        let [across, down] = tile_counts(view);
        let most = (most / 4).min(u64::from(u32::MAX)) as usize;
        let found = AtomicUsize::new(0);
        let collector =
            Collector { subgoals, across: across as usize, down: down as usize, most, found };
        // In the plain reduction, a goal sees what a start sees.
        let endpoints = match subgoals.reduction() {
            Reduction::Plain => &[Endpoint::Start][..],
            Reduction::Taut => &[Endpoint::Start, Endpoint::Goal],
        };
        let watch = Watch::new(progress, "lists", endpoints.len());
        let sightings = endpoints.iter().map(|&endpoint| {
            let sightings = collector.collect(endpoint, numbers, &watch);
            watch.advance(1);
            watch.check().map(|()| sightings)
        });
        let sightings = sightings.collect::<Result<Vec<Sightings>, BuildError>>()?;
        let (Some(starts), Some(goals)) = (sightings.first(), sightings.last()) else {
            return Ok(None);
        };
        let both = [starts, goals];
        let row = |row: u32| (row * across) as usize..((row + 1) * across) as usize;
        let counts = |tile: usize| both.map(|sightings| sightings.of_tile(tile).len());
        let words_of = |tiles: std::ops::Range<usize>| {
            tiles.flat_map(counts).map(|count| DIRECTORY_ENTRY + list_words(count)).sum::<usize>()
        };
        if collector.is_over() || words_of(row(0).start..row(down - 1).end) > most {
            return Ok(None);
        }
        let (mut directory, mut end) = (Vec::new(), 0);
        for count in (row(0).start..row(down - 1).end).flat_map(counts) {
            directory.extend([end as u32, count as u32]);
            end += list_words(count);
        }
        let mut lists = vec![0; end];
        let (mut rest, mut pieces) = (&mut lists[..], Vec::with_capacity(down as usize));
        for tiles in (0..down).map(row) {
            let words = tiles.clone().flat_map(counts).map(list_words).sum();
            let (piece, behind) = rest.split_at_mut(words);
            pieces.push((tiles, piece));
            rest = behind;
        }
        pieces.into_par_iter().for_each(|(tiles, mut piece)| {
            for tile in tiles {
                for sightings in both {
                    let seen = sightings.of_tile(tile);
                    let (list, behind) = piece.split_at_mut(list_words(seen.len()));
                    write_list(seen, view, numbers, list);
                    piece = behind;
                }
            }
        });
        let (count, directory, lists) = (subgoals.all().count(), directory.into(), lists.into());
        Ok(Some(Self { across, count, directory, lists }))
    }
}

/// Words per list in the directory.
const DIRECTORY_ENTRY: usize = 2;

/// The words of a list of so many subgoals.
fn list_words(count: usize) -> usize {
    2 * count + CELLS * count.div_ceil(WORD)
}

/// Writes the list of a tile.
fn write_list(seen: &[Sighting], view: &View, numbers: &CellNumbers, list: &mut [u32]) {
    let (listed, bits) = list.split_at_mut(2 * seen.len());
    let (listed_numbers, listed_cells) = listed.split_at_mut(seen.len());
    let width = seen.len().div_ceil(WORD);
    for (word, seen) in seen.chunks(WORD).enumerate() {
        let at = word * WORD;
        let mut halves = [[0; WORD]; 2];
        for (slot, sighting) in seen.iter().enumerate() {
            let PaddedCell { x, y } = view.cell(sighting.subgoal);
            listed_numbers[at + slot] = numbers.of(sighting.subgoal);
            listed_cells[at + slot] = x | y << 16;
            halves[0][slot] = sighting.cells as u32;
            halves[1][slot] = (sighting.cells >> WORD) as u32;
        }
        for (half, bits_of_half) in halves.iter_mut().zip(bits.chunks_mut(WORD * width)) {
            transpose(half);
            for (bits, &of_cell) in bits_of_half.chunks_mut(width).zip(&*half) {
                bits[word] = of_cell;
            }
        }
    }
}

/// Transposes a matrix of bits: bit i of word j becomes bit j of word i (Warren, "Hacker's
/// Delight").
fn transpose(words: &mut [u32; WORD]) {
    let (mut width, mut mask) = (WORD / 2, u32::MAX >> (WORD / 2));
    while width > 0 {
        let mut at = 0;
        while at < WORD {
            let swapped = (words[at] >> width ^ words[at + width]) & mask;
            words[at + width] ^= swapped;
            words[at] ^= swapped << width;
            at = (at + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// A subgoal that some cells of a tile see.
#[derive(Debug, Clone, Copy, Default)]
struct Sighting {
    subgoal: NodeId,
    /// A bit for each cell of the tile.
    cells: u64,
}

/// All sightings of one kind of endpoint, tile by tile.
struct Sightings {
    /// By tile, the position of its first sighting, and a final entry for the end.
    first: Vec<u32>,
    /// In each tile by ascending subgoal.
    all: Vec<Sighting>,
}

impl Sightings {
    /// Sorts sightings, each with its tile, by tile. Those of a tile keep their order.
    fn by_tile(chunks: &[Vec<(u32, Sighting)>], tiles: usize) -> Self {
        let mut first = vec![0; tiles + 1];
        for (tile, _) in chunks.iter().flatten() {
            first[*tile as usize] += 1;
        }
        let mut end = 0;
        for first in &mut first {
            end += std::mem::replace(first, end);
        }
        let mut all = vec![Sighting::default(); end as usize];
        let mut next = first.clone();
        for &(tile, sighting) in chunks.iter().flatten() {
            let next = &mut next[tile as usize];
            all[*next as usize] = sighting;
            *next += 1;
        }
        Self { first, all }
    }

    fn of_tile(&self, tile: usize) -> &[Sighting] {
        &self.all[self.first[tile] as usize..self.first[tile + 1] as usize]
    }
}

/// Collects sightings.
struct Collector<'a> {
    subgoals: &'a Subgoals,
    /// The number of tiles across and down.
    across: usize,
    down: usize,
    /// The most words of all lists.
    most: usize,
    /// All sightings so far. Beyond the limit, threads stop, whatever the order of their work.
    found: AtomicUsize,
}

impl Collector<'_> {
    /// The least words of a list per sighting: a number, a cell, and bits.
    const WORDS: usize = 2 + CELLS / WORD;

    /// Whether the lists are certainly too long.
    fn is_over(&self) -> bool {
        self.found.load(Ordering::Relaxed) > self.most / Self::WORDS
    }

    fn collect(&self, endpoint: Endpoint, numbers: &CellNumbers, watch: &Watch<'_>) -> Sightings {
        let tiles = self.across * self.down;
        let go_on = || watch.check().is_ok() && !self.is_over();
        let counted = |sightings: Vec<(u32, Sighting)>| {
            self.found.fetch_add(sightings.len(), Ordering::Relaxed);
            sightings
        };
        let chunks: Vec<Vec<(u32, Sighting)>> = match &self.subgoals.view.bitmaps {
            Bitmaps::Corner(bitmaps) => {
                let nodes: Vec<NodeId> = self.subgoals.all().collect();
                let chunk = |masks: &mut TileMasks, nodes: &[NodeId]| match go_on() {
                    true => counted(masks.sightings(nodes, bitmaps, &self.subgoals.view, endpoint)),
                    false => Vec::new(),
                };
                let masks = || TileMasks::new(tiles, self.across);
                nodes.par_chunks(CHUNK).map_init(masks, chunk).collect()
            }
            Bitmaps::Lattice(_) => {
                let slots = || vec![NOT_LISTED; self.subgoals.all().count()];
                let row = |slots: &mut Vec<u32>, row: u32| match go_on() {
                    true => counted(self.scan(row, endpoint, numbers, slots)),
                    false => Vec::new(),
                };
                (0..self.down as u32).into_par_iter().map_init(slots, row).collect()
            }
        };
        match self.is_over() {
            true => Sightings::by_tile(&[], tiles),
            false => Sightings::by_tile(&chunks, tiles),
        }
    }

    /// The sightings of a row of tiles, found by a scan from every cell. `slots` has a number for
    /// each subgoal.
    fn scan(
        &self,
        row: u32,
        endpoint: Endpoint,
        numbers: &CellNumbers,
        slots: &mut [u32],
    ) -> Vec<(u32, Sighting)> {
        let view = &self.subgoals.view;
        let mut all = Vec::new();
        for column in 0..self.across as u32 {
            let (tile, before) = (row * self.across as u32 + column, all.len());
            for cell in 0..CELLS as u32 {
                let (x, y) = (cell & ((1 << TILE) - 1), cell >> TILE);
                let from = PaddedCell { x: (column << TILE) + x, y: (row << TILE) + y };
                let mut note = |seen: PaddedCell| {
                    let subgoal = view.node(seen);
                    let slot = &mut slots[numbers.of(subgoal) as usize];
                    if *slot == NOT_LISTED {
                        *slot = all.len() as u32;
                        all.push((tile, Sighting { subgoal, cells: 0 }));
                    }
                    all[*slot as usize].1.cells |= 1 << cell;
                };
                match endpoint {
                    _ if !view.can_see_from(from) => {}
                    Endpoint::Start => view.ahead(from, |seen| note(seen.cell)),
                    Endpoint::Goal => view.behind(from, |seen| note(seen.cell)),
                }
            }
            for (_, sighting) in &all[before..] {
                slots[numbers.of(sighting.subgoal) as usize] = NOT_LISTED;
            }
            all[before..].sort_unstable_by_key(|&(_, sighting)| sighting.subgoal);
        }
        all
    }
}

/// The slot of subgoals that no cell of a tile has seen yet.
const NOT_LISTED: u32 = u32::MAX;

/// By tile, which of its cells see one subgoal.
struct TileMasks {
    across: usize,
    masks: Vec<u64>,
    /// The tiles whose mask is not zero.
    seen: Vec<u32>,
}

impl TileMasks {
    fn new(tiles: usize, across: usize) -> Self {
        Self { across, masks: vec![0; tiles], seen: Vec::new() }
    }

    fn sightings(
        &mut self,
        subgoals: &[NodeId],
        bitmaps: &CornerBitmaps,
        view: &View,
        endpoint: Endpoint,
    ) -> Vec<(u32, Sighting)> {
        let mut all = Vec::new();
        for &subgoal in subgoals {
            let cell = view.cell(subgoal);
            match endpoint {
                Endpoint::Start => bitmaps.with_ahead(cell, |line| self.mark(line)),
                Endpoint::Goal => bitmaps.with_behind(cell, |line| self.mark(line)),
            }
            for tile in self.seen.drain(..) {
                let cells = std::mem::take(&mut self.masks[tile as usize]);
                all.push((tile, Sighting { subgoal, cells }));
            }
        }
        all
    }

    #[inline(always)]
    fn mark(&mut self, (mut cell, delta, count): CellLine) {
        if delta.1 == 0 {
            return self.mark_row(cell, delta, count);
        }
        for _ in 0..count {
            self.add(cell, 1 << cell_in_tile(cell));
            cell = cell.step(delta, 1);
        }
    }

    /// Marks cells of one row, a tile at a time.
    fn mark_row(&mut self, cell: PaddedCell, delta: (i32, i32), count: usize) {
        const SIDE: u32 = 1 << TILE;
        if count == 0 {
            return;
        }
        let last = cell.step(delta, count - 1).x;
        let (mut x, end) = (cell.x.min(last), cell.x.max(last) + 1);
        while x < end {
            let next = (x / SIDE + 1) * SIDE;
            let ones = (1_u64 << (next.min(end) - x)) - 1;
            let first = PaddedCell { x, ..cell };
            self.add(first, ones << cell_in_tile(first));
            x = next;
        }
    }

    #[inline(always)]
    fn add(&mut self, cell: PaddedCell, cells: u64) {
        let tile = (cell.y >> TILE) as usize * self.across + (cell.x >> TILE) as usize;
        let mask = &mut self.masks[tile];
        if *mask == 0 {
            self.seen.push(tile as u32);
        }
        *mask |= cells;
    }
}
