use crate::atlas::uniform::subgoals::tests::check_all_kinds;
use crate::grid::{Connectivity, Corners, Grid};

fn four(grid: Grid) -> Grid {
    grid.with_connectivity(Connectivity::Four)
}

#[test]
fn four_connected_grids_of_all_kinds() {
    check_all_kinds(four);
}

#[test]
fn corners_cut_past_one_blocked_cell() {
    check_all_kinds(|grid| grid.with_corners(Corners::PastOne));
}

#[test]
fn corners_always_cut() {
    check_all_kinds(|grid| grid.with_corners(Corners::Always));
}
