//! The maps: generated ones in place of the paper's, which were not published, and real ones.

use std::path::Path;

use portolan::generate::{Caves, Random};
use portolan::{Cost, Grid, Map, NodeId};

use super::super::trial::Trial;
use crate::Error;
use crate::workload::{Reference, Subject, Workload, maps};

/// Real maps of 512 x 512 cells, one of each kind.
const REAL: [&str; 4] = [
    "bg512/AR0072SR.map",
    "mazes/maze512-8-0.map",
    "random/random512-10-0.map",
    "rooms/8room_000.map",
];

/// Shares of grains that begin as rock: little walkable area, much, and nothing but walkable area.
const FILLS: [(&str, f64); 3] = [
    ("map A (little walkable area)", 0.47),
    ("map B (much walkable area)", 0.3),
    ("open map", 0.0),
];

/// A map of Table 1: cells are blocked at random, as long as the others stay connected, until as
/// many are walkable as there.
pub(super) fn benchmark(
    &(name, side, walkable): &(&str, u32, usize),
    seed: u64,
) -> Result<Subject, Error> {
    let mut random = Random::new(seed);
    let mut cells = vec![true; (side * side) as usize];
    let mut map = of_cells(side, &cells);
    while map.usable_count() > walkable {
        let at = random.below(cells.len() as u64) as usize;
        if !std::mem::replace(&mut cells[at], false) {
            continue;
        }
        let smaller = of_cells(side, &cells);
        match is_connected(&smaller) {
            true => map = smaller,
            false => cells[at] = true,
        }
    }
    Ok(Subject::new(name, map))
}

fn of_cells(side: u32, cells: &[bool]) -> Map {
    let grid = Grid::from_fn(side, side, |x, y| cells[(y * side + x) as usize]);
    // The sides are those of Table 1.
    grid.expect("a small grid").into()
}

fn is_connected(map: &Map) -> bool {
    let mut usable = (0..map.node_count() as NodeId).filter(|&node| map.contains(node));
    let Some(first) = usable.next() else { return true };
    usable.all(|node| map.may_reach(first, node))
}

/// Paths from every walkable node to every one, itself included.
pub(super) fn all_pairs(subject: Subject) -> Trial {
    let usable = (0..subject.map.node_count() as NodeId).filter(|&node| subject.map.contains(node));
    let usable: Vec<NodeId> = usable.collect();
    let mut reference = Reference::new(&subject.map);
    let queries = usable.iter().flat_map(|&from| {
        let costs = reference.costs(from, &usable).into_iter();
        // On maps as small as these no cost is large.
        let costs: Vec<_> = costs.map(|cost| cost.map(|cost| cost as Cost)).collect();
        usable.iter().zip(costs).map(move |(&to, cost)| (from, to, cost))
    });
    let workload = Workload::of_costs(queries);
    Trial { subject, workload }
}

/// The maps of Figures 6 to 10, with their names.
pub(super) fn large(
    (width, height): (u32, u32),
    seed: u64,
) -> Result<Vec<(String, Subject)>, Error> {
    let map = |(name, fill): (&str, f64)| {
        let grid = match fill > 0.0 {
            true => Caves { width, height, fill, seed, ..Caves::default() }.generate(),
            false => Ok(Grid::new(width, height).expect("a small grid")),
        };
        Ok((name.to_owned(), Subject::new(name, grid.map_err(Error::Generate)?)))
    };
    FILLS.into_iter().map(map).collect()
}

/// The real maps that are in this folder.
pub(super) fn real(folder: Option<&Path>) -> Result<Vec<(String, Subject)>, Error> {
    let found = REAL.iter().map(|name| maps::grid_in(folder, name));
    let found = found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
    Ok(found.map(|subject| (subject.path.display().to_string(), subject)).collect())
}

/// How many square clusters of this side have a walkable cell.
pub(super) fn clusters(map: &Map, side: u32) -> usize {
    let Map::Grid(grid) = map else { return 0 };
    let is_walkable = |column: u32, row: u32| {
        let cells = |first: u32, end: u32| first * side..((first + 1) * side).min(end);
        cells(row, grid.height())
            .any(|y| cells(column, grid.width()).any(|x| grid.is_passable(x, y)))
    };
    let columns = grid.width().div_ceil(side);
    let rows = grid.height().div_ceil(side);
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (column, row)))
        .filter(|&(column, row)| is_walkable(column, row))
        .count()
}

#[cfg(test)]
mod tests {
    use super::super::paper;
    use super::*;

    #[test]
    fn benchmarks_are_connected_and_as_large_as_in_the_paper() {
        for benchmark in &paper::BENCHMARKS {
            for seed in 1..4 {
                let map = super::benchmark(benchmark, seed).unwrap().map;
                assert_eq!(map.usable_count(), benchmark.2);
                assert!(is_connected(&map));
            }
        }
    }

    #[test]
    fn maps_differ_in_walkable_area() {
        let maps = large(paper::SIZE, 1).unwrap();
        let [little, much, all] = [0, 1, 2].map(|at: usize| maps[at].1.map.usable_count());
        assert!(little < much && much < all, "{little} {much} {all}");
        let clusters = [0, 1, 2].map(|at: usize| clusters(&maps[at].1.map, 10));
        assert_eq!(clusters[2], 14 * 13);
        assert!(clusters[0] < clusters[1], "{clusters:?}");
    }
}
