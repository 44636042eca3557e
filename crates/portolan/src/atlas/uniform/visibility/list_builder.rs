//! Builds visibility lists, tile by tile.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::Endpoint;
use super::lists::{CELLS, TILE, VisibilityLists, cell_in_tile, tile_counts};
use crate::atlas::uniform::labels::SubgoalId;
use crate::atlas::uniform::labels::numbers::CellNumbers;
use crate::atlas::uniform::subgoals::{PaddedCell, Subgoals, View};
use crate::build::{BuildError, Progress, Watch};
use crate::graph::{Graph, NodeId};
use crate::kernel::WORD;

/// With fewer cells per subgoal little is visible from a cell, and scanning bitmaps is as fast.
const LEAST_CELLS_PER_SUBGOAL: usize = 8;

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
        let (view, count) = (&subgoals.view, subgoals.all().count());
        let [across, down] = tile_counts(view);
        let watch = Watch::new(progress, "lists", down as usize);
        let most = (most / 4).min(u64::from(u32::MAX));
        // All words written so far. Beyond the limit, threads stop, whatever the order of tiles.
        let words = AtomicU64::new(0);
        let fill = |tiles: &mut TileWriter, row| {
            if watch.check().is_ok() && words.load(Ordering::Relaxed) <= most {
                (0..across).for_each(|column| tiles.add(view, numbers, [column, row]));
                watch.advance(1);
            }
            let tiles = tiles.take();
            words.fetch_add(tiles.words() as u64, Ordering::Relaxed);
            tiles
        };
        let rows: Vec<TileWriter> =
            (0..down).into_par_iter().map_init(|| TileWriter::with_slots(count), fill).collect();
        watch.check()?;
        if words.into_inner() > most {
            return Ok(None);
        }
        let (mut directory, mut lists) = (Vec::new(), Vec::new());
        for row in rows {
            let first = lists.len() as u32;
            let moved = row.directory.chunks_exact(2).flat_map(|at| [first + at[0], at[1]]);
            directory.extend(moved);
            lists.extend_from_slice(&row.lists);
        }
        Ok(Some(Self { across, count, directory: directory.into(), lists: lists.into() }))
    }
}

/// Writes the lists of some tiles.
struct TileWriter {
    directory: Vec<u32>,
    lists: Vec<u32>,
    /// By number the slot of a subgoal on the current list.
    slots: Vec<u32>,
    listed: Vec<(SubgoalId, PaddedCell)>,
    /// Pairs of a cell of the tile and the slot of a subgoal that it sees.
    visible: Vec<(usize, u32)>,
}

impl TileWriter {
    const NOT_LISTED: u32 = u32::MAX;

    fn with_slots(subgoals: usize) -> Self {
        Self {
            directory: Vec::new(),
            lists: Vec::new(),
            slots: vec![Self::NOT_LISTED; subgoals],
            listed: Vec::new(),
            visible: Vec::new(),
        }
    }

    fn words(&self) -> usize {
        self.directory.len() + self.lists.len()
    }

    /// Moves the written lists out.
    fn take(&mut self) -> Self {
        Self {
            directory: std::mem::take(&mut self.directory),
            lists: std::mem::take(&mut self.lists),
            ..Self::with_slots(0)
        }
    }

    fn add(&mut self, view: &View, numbers: &CellNumbers, [column, row]: [u32; 2]) {
        for endpoint in [Endpoint::Start, Endpoint::Goal] {
            for cell in 0..CELLS as u32 {
                let (x, y) = (cell & ((1 << TILE) - 1), cell >> TILE);
                let cell = PaddedCell { x: (column << TILE) + x, y: (row << TILE) + y };
                if view.can_see_from(cell) {
                    let mut list =
                        |seen: PaddedCell| self.list(view.node(seen), seen, numbers, cell);
                    match endpoint {
                        Endpoint::Start => view.ahead(cell, |seen| list(seen.cell)),
                        Endpoint::Goal => view.behind(cell, |seen| list(seen.cell)),
                    }
                }
            }
            self.write();
        }
    }

    /// Records that a cell sees a subgoal.
    fn list(&mut self, node: NodeId, cell: PaddedCell, numbers: &CellNumbers, from: PaddedCell) {
        let number = numbers.of(node);
        let slot = &mut self.slots[number as usize];
        if *slot == Self::NOT_LISTED {
            *slot = self.listed.len() as u32;
            self.listed.push((number, cell));
        }
        self.visible.push((cell_in_tile(from), *slot));
    }

    /// Writes the current list and starts another one.
    fn write(&mut self) {
        let count = self.listed.len();
        self.directory.extend([self.lists.len() as u32, count as u32]);
        self.lists.extend(self.listed.iter().map(|&(number, _)| number));
        self.lists.extend(self.listed.iter().map(|&(_, PaddedCell { x, y })| x | y << 16));
        let (bits, width) = (self.lists.len(), count.div_ceil(WORD));
        self.lists.resize(bits + CELLS * width, 0);
        for (cell, slot) in self.visible.drain(..) {
            let slot = slot as usize;
            self.lists[bits + cell * width + slot / WORD] |= 1 << (slot % WORD);
        }
        for (number, _) in self.listed.drain(..) {
            self.slots[number as usize] = Self::NOT_LISTED;
        }
    }
}
