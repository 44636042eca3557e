//! What the kernels read beside the rows: the subgoals that each cell sees, and lines of sight.

use portolan::atlas::SubgoalGraph;
use portolan::grid::Heading;
use portolan::{Grid, NodeId};
use rayon::prelude::*;

use super::NAME;
use crate::error::{GpuError, GpuLimit};
use crate::grid::offsets;

/// The most subgoals of a list: `distance.wgsl` tells them by slots of 16 bits.
const MOST_LISTED: usize = 1 << 16;

/// The side of a tile. Its cells see nearly the same subgoals and share a list.
pub(super) const TILE: u32 = 8;

/// More legal steps than this are not counted.
pub(super) const MOST_CLEARANCE: u8 = 254;

/// The clearance of blocked cells, in all directions.
const BLOCKED: u8 = 255;

/// The tiles of a row of tiles.
pub(super) fn tiles_across(grid: &Grid) -> u32 {
    grid.width().div_ceil(TILE)
}

/// The tables of `subgoals.wgsl`: the ends of regions, then the directory, then the lists.
pub(super) struct Tables {
    pub(super) words: Vec<u32>,
    /// Where the directory starts.
    pub(super) directory: u32,
    /// Where the lists start.
    pub(super) lists: u32,
}

impl Tables {
    pub(super) fn new(
        grid: &Grid,
        subgoals: &SubgoalGraph,
        ends: &[u32],
    ) -> Result<Self, GpuError> {
        let rows = grid.height().div_ceil(TILE);
        let lists: Vec<Vec<TileList>> = (0..rows)
            .into_par_iter()
            .map(|row| {
                let corners = (0..tiles_across(grid)).map(|column| [column * TILE, row * TILE]);
                corners.flat_map(|corner| tile_lists(grid, subgoals, corner)).collect()
            })
            .collect();
        let lists = || lists.iter().flatten();
        if lists().any(|list| list.subgoals.len() > MOST_LISTED) {
            let reason = "more than 65,536 obstacle corners are visible from 8 x 8 cells; use the \
                          general form";
            return Err(GpuError::Unsupported { method: NAME, reason: reason.to_owned() });
        }
        let directory = ends.len();
        let mut words = ends.to_vec();
        let first_list = directory + 2 * lists().count();
        let mut start = first_list;
        for list in lists() {
            words.extend([start as u32, list.subgoals.len() as u32]);
            start += list.subgoals.len() + list.bits.len();
        }
        // Positions have 32 bits. No device binds that much.
        if u32::try_from(start).is_err() {
            let (what, limit) = ("subgoals of cells", GpuLimit::Kernels);
            let (needed, available) = (4 * start as u64, 1 << 34);
            return Err(GpuError::TooLarge { what, needed, available, limit });
        }
        for list in lists() {
            words.extend_from_slice(&list.subgoals);
            words.extend_from_slice(&list.bits);
        }
        Ok(Self { words, directory: directory as u32, lists: first_list as u32 })
    }
}

/// The subgoals that some cell of a tile sees, and a bit for each in each cell of the tile.
struct TileList {
    subgoals: Vec<u32>,
    bits: Vec<u32>,
}

/// The lists of a tile: the subgoals ahead of its cells, and those behind.
fn tile_lists(grid: &Grid, subgoals: &SubgoalGraph, [left, top]: [u32; 2]) -> [TileList; 2] {
    let mut seen: [Vec<(u32, usize)>; 2] = Default::default();
    for (y, x) in (0..TILE).flat_map(|y| (0..TILE).map(move |x| (y, x))) {
        let Some(cell) = grid.node(left + x, top + y) else { continue };
        let place = (y * TILE + x) as usize;
        let [ahead, behind] = &mut seen;
        subgoals.ahead(cell, |subgoal| ahead.push((subgoal, place)));
        subgoals.behind(cell, |subgoal| behind.push((subgoal, place)));
    }
    seen.map(|mut seen| {
        seen.sort_unstable();
        let mut list = TileList { subgoals: Vec::new(), bits: Vec::new() };
        list.subgoals.extend(seen.iter().map(|&(subgoal, _)| subgoal));
        list.subgoals.dedup();
        let width = list.subgoals.len().div_ceil(32);
        list.bits.resize((TILE * TILE) as usize * width, 0);
        let groups = seen.chunk_by(|a, b| a.0 == b.0);
        for (slot, &(_, place)) in
            groups.enumerate().flat_map(|(slot, group)| group.iter().map(move |seen| (slot, seen)))
        {
            list.bits[place * width + slot / 32] |= 1 << (slot % 32);
        }
        list
    })
}

/// By cell and heading, how many steps are legal.
pub(super) fn clearances(grid: &Grid) -> Vec<[u8; 8]> {
    let cells = grid.width() as usize * grid.height() as usize;
    let mut clearances = vec![[BLOCKED; 8]; cells];
    let steps = offsets(grid);
    let mut fill = |cell: usize, headings: std::ops::Range<usize>| {
        let Some((x, y)) = grid.position(cell as NodeId).filter(|&(x, y)| grid.is_passable(x, y))
        else {
            return;
        };
        let moves = grid.moves(x, y);
        for heading in headings {
            clearances[cell][heading] = match moves.allows(Heading::ALL[heading]) {
                true => {
                    let next = (cell as NodeId).wrapping_add(steps[heading]) as usize;
                    (clearances[next][heading] + 1).min(MOST_CLEARANCE)
                }
                false => 0,
            };
        }
    };
    // The first four headings lead to smaller numbers.
    (0..cells).for_each(|cell| fill(cell, 0..4));
    (0..cells).rev().for_each(|cell| fill(cell, 4..8));
    clearances
}
