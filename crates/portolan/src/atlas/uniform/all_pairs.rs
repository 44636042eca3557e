//! Checks an index on all pairs of cells of a small grid, for the tests of several forms.

use super::{UniformIndex, UniformQuery, UniformScratch};
use crate::cost::UNREACHABLE;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::map::Map;
use crate::random::Random;
use crate::search::{Scratch, dijkstra};

/// Walks the paths between all pairs of every `step`-th cell and compares their costs with
/// Dijkstra.
pub(super) fn check(map: &Map, index: &UniformIndex, step: usize) {
    let Map::Grid(grid) = map else { unreachable!() };
    let cells = 0..grid.width() * grid.height();
    let nodes = || cells.clone().filter(|&node| grid.contains(node)).step_by(step);
    let mut own = UniformScratch::default();
    let mut scratch = Scratch::default();
    for from in nodes() {
        dijkstra::one_to_all(grid, &mut scratch, from).unwrap();
        for to in nodes() {
            let expected = scratch.cost(to).unwrap_or(UNREACHABLE);
            let distance = UniformQuery::new(index, &mut own)
                .distance(from, to)
                .unwrap()
                .unwrap_or(UNREACHABLE);
            assert_eq!(distance, expected, "{from} to {to}\n{}", drawn(grid));
            let Some(route) = UniformQuery::new(index, &mut own).find((from, to), &mut ()).unwrap()
            else {
                continue;
            };
            let cells: Vec<NodeId> = route.nodes().collect();
            assert_eq!((cells[0], cells[cells.len() - 1]), (from, to), "{}", drawn(grid));
            assert_eq!(map.walk(cells), Ok(expected), "{from} to {to}\n{}", drawn(grid));
        }
    }
}

fn drawn(grid: &Grid) -> String {
    let cell = |x, y| if grid.is_passable(x, y) { '.' } else { '#' };
    let row = |y| (0..grid.width()).map(|x| cell(x, y)).chain(['\n']).collect::<String>();
    (0..grid.height()).map(row).collect()
}

/// Cells of which this share is blocked.
pub(super) fn noise(random: &mut Random, (width, height): (u32, u32), blocked: f64) -> Map {
    Map::from(Grid::from_fn(width, height, |_, _| !random.chance(blocked)).unwrap())
}
