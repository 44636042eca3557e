//! Greedy merging of regions, after van der Sterren as the paper describes it.
//!
//! Squares are cut into connected pieces. Then the piece with the most entrances per cell is merged
//! with the neighbour with which it shares the longest border, if both together have no more cells
//! than allowed, and so on until no two pieces fit together. This leaves no tiny regions behind
//! pillars, and fewer abstract nodes.
//!
//! The paper specifies only these two properties. Here a merged region must also fit into a square
//! of twice the side: straight lines are a good estimate in compact regions only.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::BLOCKED;
use crate::graph::{Graph, NodeId, root_of};
use crate::grid::Grid;
use crate::hpa::clusters::entrances::WIDE;
use crate::hpa::clusters::tiling::{Rect, Tiling};

/// A region that may still be merged.
struct GrowingRegion {
    cells: u32,
    bounds: Rect,
    /// The length of the border with each neighbour.
    borders: BTreeMap<u32, u32>,
    /// Counts merges, so that outdated queue entries are recognised.
    version: u32,
}

/// The region of every cell, numbered in the order of their first cells; [`BLOCKED`] for blocked
/// cells.
pub(super) fn merged(grid: &Grid, tiling: &Tiling, max_cells: u32) -> Vec<u32> {
    let (mut of_cell, mut pieces) = pieces(grid, tiling);
    note_borders(grid, &of_cell, &mut pieces);
    let mut parents: Vec<u32> = (0..pieces.len() as u32).collect();
    let mut queue: BinaryHeap<(u64, Reverse<u32>, u32)> = BinaryHeap::new();
    let entry = |id: u32, piece: &GrowingRegion| (priority(piece), Reverse(id), piece.version);
    queue.extend((0..).zip(&pieces).map(|(id, piece)| entry(id, piece)));
    while let Some((_, Reverse(id), version)) = queue.pop() {
        let piece = &pieces[id as usize];
        if piece.version != version {
            continue;
        }
        let fitting = piece.borders.iter().filter(|&(&other, _)| {
            let other = &pieces[other as usize];
            let bounds = union(&piece.bounds, &other.bounds);
            piece.cells + other.cells <= max_cells
                && bounds.width().max(bounds.height()) <= 2 * tiling.size()
        });
        let Some((&other, _)) = fitting.max_by_key(|&(&other, &length)| (length, Reverse(other)))
        else {
            continue;
        };
        let (keep, gone) = (id.min(other), id.max(other));
        merge(&mut pieces, keep, gone);
        parents[gone as usize] = keep;
        queue.push(entry(keep, &pieces[keep as usize]));
    }
    number(&mut of_cell, &mut parents);
    of_cell
}

/// The priority of merging a piece: its entrances per cell.
fn priority(piece: &GrowingRegion) -> u64 {
    let entrances = piece.borders.values().map(|&length| if length < WIDE { 1 } else { 2 });
    entrances.sum::<u64>() * (1 << 32) / u64::from(piece.cells.max(1))
}

/// The connected pieces of all squares.
fn pieces(grid: &Grid, tiling: &Tiling) -> (Vec<u32>, Vec<GrowingRegion>) {
    let mut of_cell = vec![BLOCKED; grid.node_count()];
    let (mut pieces, mut open) = (Vec::new(), Vec::new());
    for cluster in 0..tiling.len() as u32 {
        let rect = tiling.rect(cluster);
        for (x, y) in rect.cells() {
            let Some(start) = grid.node(x, y).filter(|&node| grid.contains(node)) else { continue };
            if of_cell[start as usize] != BLOCKED {
                continue;
            }
            let id = pieces.len() as u32;
            let mut piece = GrowingRegion {
                cells: 0,
                bounds: Rect { left: x, top: y, right: x + 1, bottom: y + 1 },
                borders: BTreeMap::new(),
                version: 0,
            };
            of_cell[start as usize] = id;
            open.push(start);
            while let Some(node) = open.pop() {
                let (x, y) = grid.split(node);
                piece.cells += 1;
                let cell = Rect { left: x, top: y, right: x + 1, bottom: y + 1 };
                piece.bounds = union(&piece.bounds, &cell);
                grid.out_edges(node, |head, _| {
                    if of_cell[head as usize] == BLOCKED && rect.contains(grid.split(head)) {
                        of_cell[head as usize] = id;
                        open.push(head);
                    }
                });
            }
            pieces.push(piece);
        }
    }
    (of_cell, pieces)
}

fn note_borders(grid: &Grid, of_cell: &[u32], pieces: &mut [GrowingRegion]) {
    for node in (0..grid.node_count() as NodeId).filter(|&node| grid.contains(node)) {
        let id = of_cell[node as usize];
        grid.steps(node, |direction, head, _| {
            let other = of_cell[head as usize];
            // Diagonal steps connect pieces too, but do not lengthen a border.
            if other != id {
                let length = pieces[id as usize].borders.entry(other).or_default();
                *length += u32::from(!direction.is_diagonal());
            }
        });
    }
}

fn merge(pieces: &mut [GrowingRegion], keep: u32, gone: u32) {
    let borders = std::mem::take(&mut pieces[gone as usize].borders);
    pieces[gone as usize].version += 1;
    let (cells, bounds) = (pieces[gone as usize].cells, pieces[gone as usize].bounds);
    for (other, length) in borders {
        if other == keep {
            continue;
        }
        let around = &mut pieces[other as usize].borders;
        around.remove(&gone);
        *around.entry(keep).or_default() += length;
        *pieces[keep as usize].borders.entry(other).or_default() += length;
    }
    let kept = &mut pieces[keep as usize];
    kept.borders.remove(&gone);
    kept.cells += cells;
    kept.bounds = union(&kept.bounds, &bounds);
    kept.version += 1;
}

/// Numbers the remaining regions in the order of their first cells.
fn number(of_cell: &mut [u32], parents: &mut [u32]) {
    let mut numbers = vec![BLOCKED; parents.len()];
    let mut count = 0;
    for id in of_cell.iter_mut().filter(|id| **id != BLOCKED) {
        let root = root_of(parents, *id) as usize;
        if numbers[root] == BLOCKED {
            numbers[root] = count;
            count += 1;
        }
        *id = numbers[root];
    }
}

fn union(a: &Rect, b: &Rect) -> Rect {
    Rect {
        left: a.left.min(b.left),
        top: a.top.min(b.top),
        right: a.right.max(b.right),
        bottom: a.bottom.max(b.bottom),
    }
}
