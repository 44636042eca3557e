//! A* with stored paths: those from the top to the bottom of each column, and from the left to the
//! right of each row.
//!
//! A column's path leads from its first cell that is not blocked to its last; so does a row's. If
//! there is no path between them, none is stored. The device has all of them in one buffer, see
//! `lines.wgsl`.

use portolan::{Cost, Grid, Map, NodeId};

use super::batches::{Batches, Program, answer_by_batches};
use super::{AGENT_SOURCE, ASTAR_SOURCE, GpuAstar, PAGES_SOURCE, STATE_SOURCE};
use crate::batch::{GpuPath, Request};
use crate::device::Gpu;
use crate::engine::GpuEngine;
use crate::error::GpuError;

/// A* on grids that knows the shortest paths along all columns and rows.
///
/// Requests whose ends are both on one of them are answered without a search. Others are searched
/// for, until the search meets a stored path through the start.
#[derive(Debug)]
pub struct GpuPrecalculated {
    pub(super) batches: Batches,
    stored: usize,
}

/// A stored path: its cells, and the cost to each of them from the first.
type Line = Vec<(NodeId, Cost)>;

/// The words that a cell of a line takes on the device.
const CELL_WORDS: u64 = 4;

/// The most words of stored paths and of their directory: what every device can bind. Which paths
/// are stored decides which of several shortest paths is an answer, so it must not depend on the
/// device or its memory.
const MOST_WORDS: u64 = (128 << 20) / 4;

impl GpuPrecalculated {
    /// Puts the map on the device and computes the paths there. Refuses graphs.
    ///
    /// If the paths take more than 128 MiB, some are left out: the same on all devices.
    pub fn build(gpu: &Gpu, map: &Map) -> Result<Self, GpuError> {
        let batches = Batches::build(gpu, map, PROGRAM)?;
        let room = MOST_WORDS.saturating_sub(map.node_count() as u64 + 1);
        let lines = match map.as_grid() {
            Some(grid) => stored_lines(&GpuAstar::build(gpu, map)?, &ends_of_lines(grid), room)?,
            None => Vec::new(),
        };
        let tables = gpu.upload("stored paths", &table(map.node_count(), &lines))?;
        Ok(Self { batches: batches.with_tables(tables), stored: lines.len() })
    }

    /// The number of stored paths.
    pub fn stored_paths(&self) -> usize {
        self.stored
    }
}

/// The ends of all columns, then of all rows.
fn ends_of_lines(grid: &Grid) -> Vec<Request> {
    let ends = |cells: &mut dyn Iterator<Item = (u32, u32)>| {
        let mut nodes =
            cells.filter(|&(x, y)| grid.is_passable(x, y)).filter_map(|(x, y)| grid.node(x, y));
        let first = nodes.next()?;
        Some((first, nodes.last()?))
    };
    let (width, height) = (grid.width(), grid.height());
    let columns = (0..width).map(|x| ends(&mut (0..height).map(|y| (x, y))));
    let rows = (0..height).map(|y| ends(&mut (0..width).map(|x| (x, y))));
    columns.chain(rows).flatten().collect()
}

/// The paths between these ends, in their order, or as many as have room in so many words.
///
/// Lines are expanded while they have room. If they do not, the others are only measured, and those
/// to keep are found again: expanded lines never take more memory than the device has for them.
fn stored_lines(
    engine: &dyn GpuEngine,
    requests: &[Request],
    room: u64,
) -> Result<Vec<Line>, GpuError> {
    let map = engine.map();
    let (mut sizes, mut words) = (Vec::new(), 0);
    let mut lines: Vec<(usize, Line)> = Vec::new();
    engine.visit_paths(requests, &mut |round| {
        for (at, path) in round.iter() {
            let Ok(Some(path)) = path else { continue };
            let size = words_of(&path);
            sizes.push((at, size));
            words += size;
            match words <= room {
                true => lines.push((at, line(map, &path))),
                false => lines = Vec::new(),
            }
        }
    })?;
    if words > room {
        sizes.sort_unstable();
        let kept: Vec<Request> = thinned(&sizes, room).into_iter().map(|at| requests[at]).collect();
        engine.visit_paths(&kept, &mut |round| {
            let found = round.iter().filter_map(|(at, path)| Some((at, path.ok()??)));
            lines.extend(found.map(|(at, path)| (at, line(map, &path))));
        })?;
    }
    lines.sort_unstable_by_key(|&(at, _)| at);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// Lines from all parts of the map that have room in so many words, of lines that have not.
fn thinned(sizes: &[(usize, u64)], mut room: u64) -> Vec<usize> {
    let all: u64 = sizes.iter().map(|&(_, words)| words).sum();
    let stride = all.div_ceil(room.max(1)).max(1) as usize;
    let fits = |&(at, words): &(usize, u64)| {
        let fits = words <= room;
        room -= if fits { words } else { 0 };
        fits.then_some(at)
    };
    sizes.iter().step_by(stride).filter_map(fits).collect()
}

fn words_of(path: &GpuPath<'_>) -> u64 {
    let steps: u64 = path.legs().map(|leg| u64::from(leg.steps)).sum();
    CELL_WORDS * (steps + 1)
}

fn line(map: &Map, path: &GpuPath<'_>) -> Line {
    let mut line = Line::with_capacity((words_of(path) / CELL_WORDS) as usize);
    for node in path.nodes() {
        let step = line.last().map(|&(tail, cost)| (map.step_cost(tail, node), cost));
        let cost = step.map_or(0, |(step, cost)| cost + step.unwrap_or(0));
        line.push((node, cost));
    }
    line
}

/// The buffer `lines` of `lines.wgsl`.
fn table(cells: usize, lines: &[Line]) -> Vec<u32> {
    let total: usize = lines.iter().map(Vec::len).sum();
    // First the number of entries of each cell, then where they end, then where they begin.
    let mut table = vec![0; cells + 1 + 4 * total];
    for &(cell, _) in lines.iter().flatten() {
        table[cell as usize] += 2;
    }
    let mut end = cells as u32 + 1;
    for first in &mut table[..=cells] {
        end += *first;
        *first = end;
    }
    let mut place = cells + 1 + 4 * total;
    for (number, line) in lines.iter().enumerate().rev() {
        for &(cell, cost) in line.iter().rev() {
            place -= 2;
            (table[place], table[place + 1]) = (cell, cost);
            table[cell as usize] -= 2;
            let entry = table[cell as usize] as usize;
            (table[entry], table[entry + 1]) = (number as u32, place as u32);
        }
    }
    table
}

const PROGRAM: Program = Program {
    name: "gpu-precalculated",
    sources: &[PAGES_SOURCE, STATE_SOURCE, AGENT_SOURCE, ASTAR_SOURCE, include_str!("lines.wgsl")],
    group_agents: 32,
    quad_entries: 2,
    has_tables: true,
};

answer_by_batches!(GpuPrecalculated);

#[cfg(test)]
mod tests {
    use portolan::generate::Mazes;

    use super::*;

    #[test]
    fn lines_from_all_parts_of_the_map_are_kept_if_not_all_have_room() {
        let maze = Mazes { width: 61, height: 61, ..Mazes::default() }.generate().expect("a size");
        let ends = ends_of_lines(&maze);
        let map = Map::from(maze);
        let gpu = Gpu::new().expect("a GPU, or a software driver");
        let engine = GpuAstar::build(&gpu, &map).expect("a grid");
        let all = stored_lines(&engine, &ends, u64::MAX).expect("lines");
        assert_eq!(all.len(), ends.len());
        let size = |line: &Line| CELL_WORDS * line.len() as u64;
        let sizes: Vec<(usize, u64)> = all.iter().map(size).enumerate().collect();
        let all_words: u64 = sizes.iter().map(|&(_, words)| words).sum();
        for share in [1, 2, 3, 10] {
            let room = all_words / share;
            let some = stored_lines(&engine, &ends, room).expect("lines");
            let kept = match share {
                1 => (0..all.len()).collect(),
                _ => thinned(&sizes, room),
            };
            assert!(some.iter().map(size).sum::<u64>() <= room);
            assert!(
                kept.len() >= all.len() / share as usize / 2,
                "{} of {}",
                kept.len(),
                all.len()
            );
            assert!(some.iter().eq(kept.iter().map(|&at| &all[at])));
        }
    }
}
