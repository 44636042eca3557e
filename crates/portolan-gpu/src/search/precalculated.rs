//! A* with stored paths: those from the top to the bottom of each column, and from the left to the
//! right of each row.
//!
//! A column's path leads from its first cell that is not blocked to its last; so does a row's. If
//! there is no path between them, none is stored. The device has all of them in one buffer, see
//! `lines.wgsl`.

use portolan::{Cost, Map, NodeId};
use wgpu::Buffer;

use super::batches::{Batches, Program};
use super::{AGENT_SOURCE, ASTAR_SOURCE, GpuAstar, PAGES_SOURCE, STATE_SOURCE};
use crate::batch::{GpuRound, Request};
use crate::device::{Gpu, Timing};
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

impl GpuPrecalculated {
    /// Puts the map on the device and computes the paths there. Refuses graphs.
    ///
    /// If the paths do not fit into a binding of the device, some are left out.
    pub fn build(gpu: &Gpu, map: &Map) -> Result<Self, GpuError> {
        let batches = Batches::build(gpu, map, PROGRAM)?;
        let lines = stored_lines(gpu, map)?;
        let (stored, tables) = upload(gpu, map, &lines)?;
        Ok(Self { batches: batches.with_tables(tables), stored })
    }

    /// The number of stored paths.
    pub fn stored_paths(&self) -> usize {
        self.stored
    }
}

/// The paths of all columns, then of all rows.
fn stored_lines(gpu: &Gpu, map: &Map) -> Result<Vec<Line>, GpuError> {
    let Some(grid) = map.as_grid() else { return Ok(Vec::new()) };
    let ends = |cells: &mut dyn Iterator<Item = (u32, u32)>| {
        let mut nodes =
            cells.filter(|&(x, y)| grid.is_passable(x, y)).filter_map(|(x, y)| grid.node(x, y));
        let first = nodes.next()?;
        Some((first, nodes.last()?))
    };
    let (width, height) = (grid.width(), grid.height());
    let columns = (0..width).map(|x| ends(&mut (0..height).map(|y| (x, y))));
    let rows = (0..height).map(|y| ends(&mut (0..width).map(|x| (x, y))));
    let requests: Vec<Request> = columns.chain(rows).flatten().collect();
    let mut lines = Vec::new();
    GpuAstar::build(gpu, map)?.visit_paths(&requests, &mut |round| {
        for (at, path) in round.iter() {
            if let Ok(Some(path)) = path {
                let mut line: Line = Vec::new();
                for node in path.nodes() {
                    let step = line.last().map(|&(tail, cost)| (map.step_cost(tail, node), cost));
                    let cost = step.map_or(0, |(step, cost)| cost + step.unwrap_or(0));
                    line.push((node, cost));
                }
                lines.push((at, line));
            }
        }
    })?;
    lines.sort_unstable_by_key(|&(at, _)| at);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// The buffer `lines` of `lines.wgsl`, and the number of lines in it.
fn upload(gpu: &Gpu, map: &Map, lines: &[Line]) -> Result<(usize, Buffer), GpuError> {
    let cells = map.node_count();
    let words_of = |line: &Line| 4 * line.len() as u64;
    let mut room = (gpu.max_binding() / 4).saturating_sub(cells as u64 + 1);
    // If there is no room for all, it is for lines from all parts of the map.
    let all: u64 = lines.iter().map(words_of).sum();
    let stride = all.div_ceil(room.max(1)).max(1) as usize;
    let fits = |line: &&Line| {
        let words = words_of(line);
        let fits = words <= room;
        room -= if fits { words } else { 0 };
        fits
    };
    let lines: Vec<&Line> = lines.iter().step_by(stride).filter(fits).collect();
    let total: usize = lines.iter().map(|line| line.len()).sum();
    // First the number of entries of each cell, then where they end, then where they begin.
    let mut table = vec![0_u32; cells + 1 + 4 * total];
    for &(cell, _) in lines.iter().copied().flatten() {
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
    Ok((lines.len(), gpu.upload("stored paths", &table)?))
}

const PROGRAM: Program = Program {
    name: "gpu-precalculated",
    sources: &[PAGES_SOURCE, STATE_SOURCE, AGENT_SOURCE, ASTAR_SOURCE, include_str!("lines.wgsl")],
    group_agents: 32,
    quad_entries: 2,
};

impl GpuEngine for GpuPrecalculated {
    fn name(&self) -> &'static str {
        PROGRAM.name
    }

    fn exact(&self) -> bool {
        true
    }

    fn map(&self) -> &Map {
        self.batches.map()
    }

    fn gpu(&self) -> &Gpu {
        self.batches.gpu()
    }

    fn memory_bytes(&self) -> u64 {
        self.batches.memory_bytes()
    }

    fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        self.batches.distances_into(requests, costs)
    }

    fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        self.batches.visit_paths(requests, visit)
    }
}
