//! A grid as a scene.

use portolan::{Connectivity, Grid, NodeId, UNREACHABLE};

use super::ink::{Ink, SHADES};
use super::scene::{Cells, Layer, Scene, Shape, Spot, line_through, path_layers, target_layers};
use super::{CrowdView, View};

/// About how many pixels the longer side of a small map has.
const TARGET: u32 = 800;

/// The most pixels of a side; cells of larger maps share pixels.
const MOST: u32 = 4000;

/// Hexagons of fewer pixels than this look like squares.
const LEAST_HEXAGON: u32 = 4;

/// The map, what was searched, and the path.
pub(super) fn scene(grid: &Grid, view: &View) -> Scene {
    let longer = grid.width().max(grid.height());
    let merged = longer.div_ceil(MOST);
    let side = side(grid);
    let cells = cells(grid, view, merged, side);
    let (width, height) = cells.size();
    let spot = |node: NodeId| {
        let (x, y) = (node % grid.width() / merged, node / grid.width() / merged);
        cells.centre(x, y)
    };
    let path: Vec<Spot> = view.path.iter().map(|&node| spot(node)).collect();
    let ends = [spot(view.ends.0), spot(view.ends.1)];
    let longest = width.max(height) as f32;
    let line_width = (side as f32 * 0.36).max(longest / 230.0);
    let radius = (side as f32 * 0.42).max(longest / 90.0);
    let landmarks: Vec<Spot> = view.landmarks.iter().map(|&node| spot(node)).collect();
    let before = line_through(view.before.iter().map(|&node| spot(node)));
    let mut layers = vec![Layer::Cells(cells)];
    if !landmarks.is_empty() {
        let halo =
            Layer::Discs { ink: Ink::Halo, radius: radius * 1.3, centres: landmarks.clone() };
        layers.push(halo);
        layers.push(Layer::Discs { ink: Ink::Landmark, radius, centres: landmarks });
    }
    if !before.is_empty() {
        let width = line_width * 1.6;
        layers.push(Layer::Lines { ink: Ink::Halo, width: width * 1.5, lines: before.clone() });
        layers.push(Layer::Lines { ink: Ink::Inner(0), width, lines: before });
    }
    layers.extend(path_layers(path, ends, line_width, radius));
    Scene { width, height, layers }
}

/// The map, shaded by how far the exits are, with the agents, where they have walked, and what was
/// blocked meanwhile.
pub(super) fn crowd_scene(grid: &Grid, view: &CrowdView) -> Scene {
    let (columns, rows) = (grid.width(), grid.height());
    let side = side(grid);
    let reached = |cost: &&u32| **cost != UNREACHABLE;
    let most = view.costs.iter().filter(reached).max().copied().unwrap_or(0).max(1);
    let shade = |cost: u32| (u64::from(cost) * u64::from(SHADES - 1) / u64::from(most)) as u8;
    let ink = |node: NodeId| match view.costs.get(node as usize) {
        Some(&cost) if cost != UNREACHABLE => Ink::Ground(shade(cost)),
        _ => Ink::Blocked,
    };
    let inks = (0..columns * rows).map(ink).collect();
    let cells = Cells { columns, rows, side, shape: Shape::Square, inks };
    let (width, height) = cells.size();
    let spot = |node: NodeId| cells.centre(node % columns, node / columns);
    let spots = |nodes: &[NodeId]| nodes.iter().map(|&node| spot(node)).collect::<Vec<Spot>>();
    let tracks = view.tracks.iter().flat_map(|track| line_through(spots(track)));
    let unit = side as f32;
    let discs = |ink, radius: f32, centres: Vec<Spot>| Layer::Discs { ink, radius, centres };
    let mut layers = vec![
        Layer::Lines { ink: Ink::Inner(0), width: 0.4 * unit, lines: tracks.collect() },
        discs(Ink::Halo, 0.75 * unit, spots(view.agents)),
        discs(Ink::Path, 0.55 * unit, spots(view.agents)),
        discs(Ink::Blocked, 1.25 * unit, spots(view.edited)),
        discs(Ink::Landmark, 0.95 * unit, spots(view.edited)),
    ];
    for &exit in view.exits {
        layers.extend(target_layers(spot(exit), 2.5 * unit, 0.6 * unit));
    }
    layers.insert(0, Layer::Cells(cells));
    Scene { width, height, layers }
}

/// Pixels a side of a cell, where each has some of its own.
fn side(grid: &Grid) -> u32 {
    let longer = grid.width().max(grid.height());
    ((TARGET + longer / 2) / longer).clamp(1, 100)
}

/// The cells alone; `merged` x `merged` of them share one, which looks as most of them do.
pub(super) fn cells(grid: &Grid, view: &View, merged: u32, side: u32) -> Cells {
    let shades = Shades::of(grid);
    let (columns, rows) = (grid.width().div_ceil(merged), grid.height().div_ceil(merged));
    let mut inks = Vec::with_capacity(columns as usize * rows as usize);
    for row in 0..rows {
        for column in 0..columns {
            let (left, top) = (column * merged, row * merged);
            let (right, bottom) =
                ((left + merged).min(grid.width()), (top + merged).min(grid.height()));
            let block = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
            inks.push(common_ink(grid, view, &shades, block));
        }
    }
    let is_hexagonal = grid.connectivity() == Connectivity::Hex && side >= LEAST_HEXAGON;
    let shape = if is_hexagonal { Shape::Hexagon } else { Shape::Square };
    Cells { columns, rows, side, shape, inks }
}

/// How terrain factors become shades.
struct Shades {
    least: u32,
    span: u32,
}

impl Shades {
    fn of(grid: &Grid) -> Self {
        let factors = grid.factors().unwrap_or(&[]);
        let least = u32::from(factors.iter().copied().min().unwrap_or(1));
        let most = u32::from(factors.iter().copied().max().unwrap_or(1));
        Self { least, span: (most - least).max(1) }
    }

    fn shade(&self, factor: u8) -> u8 {
        let above = u32::from(factor).saturating_sub(self.least);
        (above * u32::from(SHADES - 1) / self.span) as u8
    }
}

/// Blocked where more than half of the cells are; searched, by both or by one, where at least half
/// of the others are.
fn common_ink(
    grid: &Grid,
    view: &View,
    shades: &Shades,
    cells: impl Iterator<Item = (u32, u32)>,
) -> Ink {
    let (mut blocked, mut free, mut searched, mut inner, mut shade) =
        (0u32, 0u32, 0u32, 0u32, 0u32);
    for (x, y) in cells {
        if grid.is_passable(x, y) {
            free += 1;
            let node = y * grid.width() + x;
            searched += u32::from(view.searched.contains(node));
            inner += u32::from(view.inner.is_some_and(|inner| inner.contains(node)));
            shade += u32::from(shades.shade(grid.factor(x, y).unwrap_or(1)));
        } else {
            blocked += 1;
        }
    }
    match shade.checked_div(free) {
        Some(shade) if free >= blocked && 2 * inner >= free => Ink::Inner(shade as u8),
        Some(shade) if free >= blocked && 2 * searched >= free => Ink::Searched(shade as u8),
        Some(shade) if free >= blocked => Ink::Ground(shade as u8),
        _ => Ink::Blocked,
    }
}
