use super::*;
use crate::cost::{Cost, UNREACHABLE};
use crate::generate::Random;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::search::{Scratch, dijkstra};

/// The distance by the plain theory: a direct run, else over subgoals.
fn distance(subgoals: &Subgoals, costs: &[Vec<Cost>], from: NodeId, to: NodeId) -> Cost {
    let sight = &subgoals.sight;
    let (start, goal) = (sight.spot(from), sight.spot(to));
    if let Some(run) = sight.direct(start, goal) {
        return run.cost();
    }
    let mut best = UNREACHABLE;
    let mut near = Vec::new();
    sight.ahead(start, |seen| near.push(seen));
    let mut far = Vec::new();
    sight.behind(goal, |seen| far.push((sight.node(seen.spot), seen.cost)));
    for seen in &near {
        let node = sight.node(seen.spot);
        let facts = subgoals.onward(node).unwrap();
        let arrival = seen.arrival.map_or(0, |arrival| arrival.number());
        let onward = facts.arrivals >> arrival & 1 != 0;
        let run = Run::between(seen.spot, goal);
        let departs = match run.diagonals {
            0 => facts.departures.straight(run.straight),
            _ => facts.departures.diagonal(run.diagonal),
        };
        if !(onward && departs) && sight.direct(seen.spot, goal).is_some() {
            best = best.min(seen.cost + run.cost());
        }
        if onward {
            for &(other, cost) in &far {
                let between = costs[node as usize][other as usize];
                best = best.min(between.saturating_add(seen.cost + cost));
            }
        }
    }
    best
}

fn check(grid: &Grid) -> usize {
    check_with(grid, &Subgoals::new(grid, Reduction::Plain));
    check_with(grid, &Subgoals::new(grid, Reduction::Taut))
}

fn check_with(grid: &Grid, subgoals: &Subgoals) -> usize {
    let nodes = grid.width() * grid.height();
    let mut scratch = Scratch::default();
    let mut from_all = |graph: &dyn Fn(&mut Scratch, NodeId) -> Vec<Cost>| -> Vec<Vec<Cost>> {
        (0..nodes).map(|node| graph(&mut scratch, node)).collect()
    };
    let among = from_all(&|scratch, node| tree(subgoals, scratch, node));
    let truth = from_all(&|scratch, node| tree(grid, scratch, node));
    let mut pairs = 0;
    for from in (0..nodes).filter(|&node| grid.contains(node)) {
        for to in (0..nodes).filter(|&node| grid.contains(node)) {
            let expected = truth[from as usize][to as usize];
            let found = distance(subgoals, &among, from, to);
            if found != expected {
                for y in 0..grid.height() {
                    let row: String = (0..grid.width())
                        .map(|x| if grid.is_passable(x, y) { '.' } else { '#' })
                        .collect();
                    println!("{row}");
                }
                panic!("{from} to {to}: {found}, expected {expected}");
            }
            pairs += 1;
        }
    }
    pairs
}

/// The costs from a node to all.
fn tree<G: Graph>(graph: &G, scratch: &mut Scratch, from: NodeId) -> Vec<Cost> {
    let mut costs = vec![UNREACHABLE; graph.node_count()];
    if graph.contains(from) {
        dijkstra::one_to_all(graph, scratch, from).unwrap();
        for (node, cost) in (0..).zip(&mut costs) {
            *cost = scratch.cost(node).unwrap_or(UNREACHABLE);
        }
    }
    costs
}

#[test]
fn noise() {
    let mut pairs = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (width, height) = (1 + random.below(12) as u32, 1 + random.below(12) as u32);
        let blocked = 0.05 + 0.45 * random.below(100) as f64 / 100.0;
        let grid = Grid::from_fn(width, height, |_, _| !random.chance(blocked)).unwrap();
        pairs += check(&grid);
    }
    println!("{pairs} pairs");
}

/// Looking ahead from the goal, as from the start, misses the subgoals that it is seen from.
#[test]
fn a_corridor_two_cells_wide() {
    let rows = ["....#...", "........", "#..##..#", "#......#"];
    let cell = |x: u32, y: u32| rows[y as usize].as_bytes()[x as usize] == b'.';
    let grid = Grid::from_fn(8, 4, cell).unwrap();
    check(&grid);
    let subgoals = Subgoals::new(&grid, Reduction::Taut);
    let sight = &subgoals.sight;
    let differs = (0..32).filter(|&node| grid.contains(node)).any(|node| {
        let (mut ahead, mut behind) = (Vec::new(), Vec::new());
        sight.ahead(sight.spot(node), |seen| ahead.push(sight.node(seen.spot)));
        sight.behind(sight.spot(node), |seen| behind.push(sight.node(seen.spot)));
        behind.iter().any(|node| !ahead.contains(node))
    });
    assert!(differs);
}

fn check_drawn(seeds: std::ops::Range<u64>, draw: impl Fn(&mut Random, u32, u32) -> Vec<bool>) {
    for seed in seeds {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let (width, height) = (4 + random.below(14) as u32, 4 + random.below(14) as u32);
        let free = draw(&mut random, width, height);
        check(&Grid::from_fn(width, height, |x, y| free[(y * width + x) as usize]).unwrap());
    }
}

#[test]
fn rectangles() {
    check_drawn(0..60, |random, width, height| {
        let mut free = vec![true; (width * height) as usize];
        for _ in 0..1 + random.below(7) {
            let (x, y) = (random.below(width.into()) as u32, random.below(height.into()) as u32);
            let (wide, high) = (1 + random.below(5) as u32, 1 + random.below(5) as u32);
            for y in y..(y + high).min(height) {
                for x in x..(x + wide).min(width) {
                    free[(y * width + x) as usize] = false;
                }
            }
        }
        free
    });
}

#[test]
fn discs() {
    check_drawn(100..160, |random, width, height| {
        let mut free = vec![true; (width * height) as usize];
        for _ in 0..1 + random.below(4) {
            let (x, y) = (random.below(width.into()) as i32, random.below(height.into()) as i32);
            let radius = 1 + random.below(4) as i32;
            for (node, free) in (0..).zip(&mut free) {
                let (dx, dy) = (node % width as i32 - x, node / width as i32 - y);
                *free &= dx * dx + dy * dy > radius * radius;
            }
        }
        free
    });
}
