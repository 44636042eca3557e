//! Zones: parts of a grid that look like rooms.
//!
//! A zone starts at the first cell, row by row, that is in none yet, with the free cells to its
//! right. It then goes down row by row: the first free stretch below the last one, as far to both
//! sides as it does not reach under free cells of another zone to come, which is what a doorway in
//! a side wall looks like. It ends where there is none, or where a side that has drawn in would
//! reach out again, which is what one in the wall below looks like.

use crate::graph::{Graph, NodeId};
use crate::grid::Grid;

/// The zone of a cell that is blocked.
pub(super) const NO_ZONE: u32 = u32::MAX;

/// By cell its zone; zones are numbered from zero in the order of their first cells.
pub(super) fn flood(grid: &Grid) -> Vec<u32> {
    let mut zones = vec![NO_ZONE; grid.node_count()];
    let mut zone = 0;
    for y in 0..grid.height() {
        for x in 0..grid.width() {
            if is_free(grid, &zones, x, y) {
                fill(grid, &mut zones, (x, y), zone);
                zone += 1;
            }
        }
    }
    zones
}

fn is_free(grid: &Grid, zones: &[u32], x: u32, y: u32) -> bool {
    grid.is_passable(x, y)
        && grid.node(x, y).is_some_and(|node: NodeId| zones[node as usize] == NO_ZONE)
}

/// Fills the zone that starts at a cell.
fn fill(grid: &Grid, zones: &mut [u32], (x, mut y): (u32, u32), zone: u32) {
    let mut run = stretch(grid, zones, x, y);
    let mut drawn_in = [false, false];
    loop {
        for x in run.0..=run.1 {
            if let Some(node) = grid.node(x, y) {
                zones[node as usize] = zone;
            }
        }
        y += 1;
        let Some(first) = (run.0..=run.1).find(|&x| is_free(grid, zones, x, y)) else { return };
        let next = stretch(grid, zones, first, y);
        let reaches_out = [next.0 < run.0, next.1 > run.1];
        if reaches_out[0] && drawn_in[0] || reaches_out[1] && drawn_in[1] {
            return;
        }
        drawn_in[0] |= next.0 > run.0;
        drawn_in[1] |= next.1 < run.1;
        run = next;
    }
}

/// The free cells to both sides of a free cell that belong to its zone: the first and the last
/// column.
fn stretch(grid: &Grid, zones: &[u32], x: u32, y: u32) -> (u32, u32) {
    let opens_upward = |x| y > 0 && is_free(grid, zones, x, y - 1);
    let goes_on = |&x: &u32| is_free(grid, zones, x, y) && !opens_upward(x);
    let left = (0..x).rev().take_while(goes_on).last();
    let right = (x + 1..grid.width()).take_while(goes_on).last();
    (left.unwrap_or(x), right.unwrap_or(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(rows: &[&str]) -> Vec<String> {
        let grid = Grid::from_fn(rows[0].len() as u32, rows.len() as u32, |x, y| {
            rows[y as usize].as_bytes()[x as usize] != b'#'
        });
        let zones = flood(&grid.unwrap());
        let name = |&zone: &u32| match zone {
            NO_ZONE => '#',
            zone => char::from(b'a' + zone as u8),
        };
        zones.chunks(rows[0].len()).map(|row| row.iter().map(name).collect()).collect()
    }

    #[test]
    fn rooms_are_zones_with_the_door_below_them() {
        let rows = ["..#..", "..#..", "..#..", "#.#.#", "....."];
        assert_eq!(picture(&rows), ["aa#bb", "aa#bb", "aa#bb", "#a#b#", "ccccc"]);
    }

    #[test]
    fn a_door_in_a_side_wall_ends_a_zone() {
        assert_eq!(picture(&["..#..", ".....", "..#.."]), ["aa#bb", "aaabb", "aa#bb"]);
    }

    #[test]
    fn a_shape_that_only_widens_is_one_zone() {
        assert_eq!(picture(&["##.##", "#...#", "....."]), ["##a##", "#aaa#", "aaaaa"]);
    }
}
