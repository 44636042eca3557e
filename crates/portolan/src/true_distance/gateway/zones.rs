//! Zones: parts of a grid with the shape of a room.
//!
//! A zone starts at the first cell, row by row, that is in no zone yet, with the free cells to its
//! right. It then grows down row by row: each row adds the first free interval below the previous
//! one, extended to both sides up to cells that have a free cell above them (a doorway in a side
//! wall). The zone ends if there is no such interval, or if a side that has moved inwards would
//! move outwards again (a doorway in the wall below).

use crate::graph::{Graph, NodeId};
use crate::grid::Grid;

/// The zone of blocked cells.
pub(super) const NO_ZONE: u32 = u32::MAX;

/// The zone of each cell. Zones are numbered from zero in the order of their first cells.
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

/// Fills the zone that starts at this cell.
fn fill(grid: &Grid, zones: &mut [u32], (x, mut y): (u32, u32), zone: u32) {
    let mut interval = free_interval(grid, zones, x, y);
    let mut moved_in = [false, false];
    loop {
        for x in interval.0..=interval.1 {
            if let Some(node) = grid.node(x, y) {
                zones[node as usize] = zone;
            }
        }
        y += 1;
        let mut below = interval.0..=interval.1;
        let Some(first) = below.find(|&x| is_free(grid, zones, x, y)) else { return };
        let next = free_interval(grid, zones, first, y);
        let moves_out = [next.0 < interval.0, next.1 > interval.1];
        if moves_out[0] && moved_in[0] || moves_out[1] && moved_in[1] {
            return;
        }
        moved_in[0] |= next.0 > interval.0;
        moved_in[1] |= next.1 < interval.1;
        interval = next;
    }
}

/// The first and last column of the free cells around a free cell that belong to its zone.
fn free_interval(grid: &Grid, zones: &[u32], x: u32, y: u32) -> (u32, u32) {
    let opens_upward = |x| y > 0 && is_free(grid, zones, x, y - 1);
    let belongs = |&x: &u32| is_free(grid, zones, x, y) && !opens_upward(x);
    let left = (0..x).rev().take_while(belongs).last();
    let right = (x + 1..grid.width()).take_while(belongs).last();
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
