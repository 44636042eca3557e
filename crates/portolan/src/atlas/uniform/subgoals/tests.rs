use super::*;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::random::Random;
use crate::search::{Scratch, dijkstra};

/// The distance by the plain theory: a direct run, otherwise over subgoals.
fn distance(subgoals: &Subgoals, costs: &[Vec<Cost>], from: NodeId, to: NodeId) -> Cost {
    let view = &subgoals.view;
    let (start, goal) = (view.cell(from), view.cell(to));
    if view.sees(start, goal) {
        return view.distance(start, goal);
    }
    let mut best = UNREACHABLE;
    let mut near = Vec::new();
    view.ahead(start, |seen| near.push(seen));
    let mut far = Vec::new();
    view.behind(goal, |seen| far.push((view.node(seen.cell), seen.cost)));
    for seen in &near {
        let node = view.node(seen.cell);
        let continuations = subgoals.continuations(node).unwrap();
        let beside = continuations.bend_departures(seen.arrival);
        if view.leaves(beside, seen.cell, goal) && view.sees(seen.cell, goal) {
            best = best.min(seen.cost + view.distance(seen.cell, goal));
        }
        if continuations.arrivals & seen.arrival != 0 {
            for &(other, cost) in &far {
                let between = costs[node as usize][other as usize];
                best = best.min(between.saturating_add(seen.cost + cost));
            }
        }
    }
    best
}

/// Compares all pairs with Dijkstra, under every reduction that a grid supports.
pub(crate) fn check(grid: &Grid) {
    for &reduction in Reduction::of(grid) {
        check_with(grid, &Subgoals::new(grid, reduction));
    }
}

fn check_with(grid: &Grid, subgoals: &Subgoals) {
    let nodes = grid.width() * grid.height();
    let mut scratch = Scratch::default();
    let mut from_all = |graph: &dyn Fn(&mut Scratch, NodeId) -> Vec<Cost>| -> Vec<Vec<Cost>> {
        (0..nodes).map(|node| graph(&mut scratch, node)).collect()
    };
    let among = from_all(&|scratch, node| tree(subgoals, scratch, node));
    let truth = from_all(&|scratch, node| tree(grid, scratch, node));
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
                let reduction = subgoals.reduction();
                panic!("{reduction:?}, {from} to {to}: {found}, expected {expected}");
            }
        }
    }
}

/// The costs from a node to all nodes.
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

/// Scanning ahead from the goal, as from the start, misses subgoals behind it.
#[test]
fn a_corridor_two_cells_wide() {
    let rows = ["....#...", "........", "#..##..#", "#......#"];
    let cell = |x: u32, y: u32| rows[y as usize].as_bytes()[x as usize] == b'.';
    let grid = Grid::from_fn(8, 4, cell).unwrap();
    check(&grid);
    let subgoals = Subgoals::new(&grid, Reduction::Taut);
    let view = &subgoals.view;
    let differs = (0..32).filter(|&node| grid.contains(node)).any(|node| {
        let (mut ahead, mut behind) = (Vec::new(), Vec::new());
        view.ahead(view.cell(node), |seen| ahead.push(view.node(seen.cell)));
        view.behind(view.cell(node), |seen| behind.push(view.node(seen.cell)));
        behind.iter().any(|node| !ahead.contains(node))
    });
    assert!(differs);
}

/// Draws free cells, row by row.
type Draw = fn(&mut Random, u32, u32) -> Vec<bool>;

/// Checks random grids of several kinds, changed by `rules`.
pub(crate) fn check_all_kinds(rules: impl Fn(Grid) -> Grid) {
    let kinds: [(Draw, u64); 4] = [(noise, 300), (rectangles, 60), (discs, 60), (corridors, 60)];
    for (kind, (draw, grids)) in kinds.into_iter().enumerate() {
        for seed in 0..grids {
            println!("kind {kind}, seed {seed}");
            let mut random = Random::new(seed);
            let longest = if kind == 0 { 12 } else { 17 };
            let mut side = || 1 + random.below(longest) as u32;
            let (width, height) = (side(), side());
            let free = draw(&mut random, width, height);
            let grid = Grid::from_fn(width, height, |x, y| free[(y * width + x) as usize]).unwrap();
            check(&rules(grid));
        }
    }
}

fn noise(random: &mut Random, width: u32, height: u32) -> Vec<bool> {
    let blocked = 0.05 + 0.45 * random.below(100) as f64 / 100.0;
    (0..width * height).map(|_| !random.chance(blocked)).collect()
}

fn rectangles(random: &mut Random, width: u32, height: u32) -> Vec<bool> {
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
}

fn discs(random: &mut Random, width: u32, height: u32) -> Vec<bool> {
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
}

/// Corridors one or two cells wide, horizontal and vertical.
fn corridors(random: &mut Random, width: u32, height: u32) -> Vec<bool> {
    let mut free = vec![false; (width * height) as usize];
    for _ in 0..3 + random.below(8) {
        let (x, y) = (random.below(width.into()) as u32, random.below(height.into()) as u32);
        let (long, thick) = (2 + random.below(12) as u32, 1 + random.below(2) as u32);
        let (wide, high) = if random.chance(0.5) { (long, thick) } else { (thick, long) };
        for y in y..(y + high).min(height) {
            for x in x..(x + wide).min(width) {
                free[(y * width + x) as usize] = true;
            }
        }
    }
    free
}

#[test]
fn grids_of_all_kinds() {
    check_all_kinds(|grid| grid);
}
