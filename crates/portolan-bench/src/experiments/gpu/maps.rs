//! The maps: generated ones in place of the paper's, which were not published, and real ones.

use std::path::Path;

use portolan::generate::{Caves, GenerateError, Obstacles, Random};
use portolan::{Cost, Grid, Map, NodeId};

use super::super::trial::Trial;
use super::paper;
use crate::Error;
use crate::workload::{Reference, Subject, Workload, maps};

/// Real maps of 512 x 512 cells, one of each kind.
const REAL: [&str; 4] = [
    "bg512/AR0072SR.map",
    "mazes/maze512-8-0.map",
    "random/random512-10-0.map",
    "rooms/8room_000.map",
];

/// The names of the maps with obstacles.
const WITH_OBSTACLES: [&str; 2] = ["map A (little walkable area)", "map B (much walkable area)"];

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

/// The maps of Figures 6 to 10, with their names: two caves, and a map without obstacles.
pub(super) fn large(size: (u32, u32), seed: u64) -> Result<Vec<(String, Subject)>, Error> {
    let [little, much, all] = paper::CLUSTERS[0].1;
    let shares = [little / all, much / all];
    let mut maps = Vec::new();
    for (name, share) in WITH_OBSTACLES.into_iter().zip(shares) {
        maps.push((name.to_owned(), Subject::new(name, cave(size, seed, share)?)));
    }
    let (width, height) = size;
    let open = Obstacles { width, height, blocked: 0.0, ..Obstacles::default() };
    let open = open.generate().map_err(Error::Generate)?;
    maps.push(("open map".to_owned(), Subject::new("open map", open)));
    Ok(maps)
}

/// The cave of which a share of the clusters nearest to this one has a walkable cell.
fn cave((width, height): (u32, u32), seed: u64, share: f64) -> Result<Grid, Error> {
    let side = paper::CLUSTERS[0].0;
    let all = f64::from(width.div_ceil(side) * height.div_ceil(side));
    let mut nearest: Option<(f64, Grid)> = None;
    for percent in 25..60 {
        let fill = f64::from(percent) / 100.0;
        let cave = Caves { width, height, fill, seed, ..Caves::default() };
        let grid = cave.generate().map_err(Error::Generate)?;
        let off = (clusters(&grid, side) as f64 / all - share).abs();
        if nearest.as_ref().is_none_or(|(least, _)| off < *least) {
            nearest = Some((off, grid));
        }
    }
    nearest.map(|(_, grid)| grid).ok_or(Error::Generate(GenerateError::NoUsableNode))
}

/// The real maps that are in this folder.
pub(super) fn real(folder: Option<&Path>) -> Result<Vec<(String, Subject)>, Error> {
    let found = REAL.iter().map(|name| maps::grid_in(folder, name));
    let found = found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
    Ok(found.map(|subject| (subject.path.display().to_string(), subject)).collect())
}

/// How many square clusters of this side have a walkable cell.
pub(super) fn clusters(grid: &Grid, side: u32) -> usize {
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
        let clusters = [0, 1, 2].map(|at: usize| clusters(maps[at].1.map.as_grid().unwrap(), 10));
        assert_eq!(clusters[2], 14 * 13);
        assert!(clusters[0].abs_diff(112) < 15 && clusters[1].abs_diff(174) < 8, "{clusters:?}");
    }
}
