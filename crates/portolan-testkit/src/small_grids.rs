//! Small grids of many kinds, each from its seed alone, and edits of them.
//!
//! All of one terrain: the maps on which every pair of cells is asked (`pairs.rs`), under any of
//! some [`RULES`].

use portolan::changes::CellChange;
use portolan::generate::Random;
use portolan::{Changes, Connectivity, Corners, Grid, NodeId};

/// The shortest side.
const SHORTEST: u64 = 3;

/// The longest side of a grid is one of these: small ones have few pairs, so that there can be many
/// of them.
const LONGEST: [u64; 4] = [8, 12, 16, 24];

/// Which steps are legal.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// What it is called.
    pub name: &'static str,
    connectivity: Connectivity,
    corners: Corners,
}

impl Rule {
    const fn new(name: &'static str, connectivity: Connectivity, corners: Corners) -> Self {
        Self { name, connectivity, corners }
    }

    /// The grid under this rule.
    pub fn apply(&self, grid: Grid) -> Grid {
        grid.with_connectivity(self.connectivity).with_corners(self.corners)
    }
}

/// The rules under which grids of one terrain have subgoals.
pub const RULES: [Rule; 4] = [
    Rule::new("never", Connectivity::Eight, Corners::Never),
    Rule::new("four", Connectivity::Four, Corners::Never),
    Rule::new("one", Connectivity::Eight, Corners::PastOne),
    Rule::new("always", Connectivity::Eight, Corners::Always),
];

/// Draws on free ground.
type Draw = fn(&mut Canvas, &mut Random);

/// The kinds of grids, with their names.
const KINDS: [(&str, Draw); 8] = [
    ("sparse noise", |canvas, random| canvas.noise(random, 0.02, 0.12)),
    ("noise", |canvas, random| canvas.noise(random, 0.12, 0.35)),
    ("dense noise", |canvas, random| canvas.noise(random, 0.35, 0.5)),
    ("rectangles", |canvas, random| canvas.rectangles(random)),
    ("discs", |canvas, random| canvas.discs(random)),
    ("a maze", |canvas, random| canvas.maze(random)),
    ("rooms", |canvas, random| canvas.rooms(random)),
    ("rectangles, discs and noise", |canvas, random| {
        canvas.rectangles(random);
        canvas.discs(random);
        canvas.noise(random, 0.0, 0.1);
    }),
];

/// The grid of a seed, and of which kind it is.
pub fn small_grid(seed: u64) -> (Grid, &'static str) {
    let mut random = Random::new(seed);
    let longest = LONGEST[random.below(LONGEST.len() as u64) as usize];
    let side = |random: &mut Random| (SHORTEST + random.below(longest - SHORTEST + 1)) as u32;
    let (width, height) = (side(&mut random), side(&mut random));
    // A third are narrow, where corners lie close to each other and to the edge.
    let (width, height) = match random.below(6) {
        0 => (width, 3 + height % 3),
        1 => (3 + width % 3, height),
        _ => (width, height),
    };
    let (name, draw) = KINDS[random.below(KINDS.len() as u64) as usize];
    let mut canvas = Canvas { width, height, free: vec![true; (width * height) as usize] };
    draw(&mut canvas, &mut random);
    let free = |x, y| canvas.free[(y * width + x) as usize];
    (Grid::from_fn(width, height, free).expect("a small size"), name)
}

/// An edit of a few cells: each is turned over, or all of a rectangle are blocked or freed.
pub fn small_edit(grid: &Grid, random: &mut Random) -> Changes {
    let (width, height) = (grid.width(), grid.height());
    let change = |node: NodeId, passable| CellChange { node, passable };
    match random.below(4) {
        0 => {
            let passable = random.chance(0.5);
            let nodes = rectangle(random, width, height, 4);
            nodes.into_iter().map(|node| change(node, passable)).collect()
        }
        _ => {
            let count = 1 + random.below(3);
            let nodes = (0..count).map(|_| random.below(u64::from(width * height)) as NodeId);
            nodes.map(|node| change(node, !is_free(grid, node))).collect()
        }
    }
}

fn is_free(grid: &Grid, node: NodeId) -> bool {
    grid.is_passable(node % grid.width(), node / grid.width())
}

/// The cells of a random rectangle with sides up to so long.
fn rectangle(random: &mut Random, width: u32, height: u32, longest: u64) -> Vec<NodeId> {
    let (left, top) = (random.below(width.into()) as u32, random.below(height.into()) as u32);
    let (wide, high) = (1 + random.below(longest) as u32, 1 + random.below(longest) as u32);
    let rows = top..(top + high).min(height);
    rows.flat_map(|y| (left..(left + wide).min(width)).map(move |x| y * width + x)).collect()
}

/// Cells that are free or not, row by row.
struct Canvas {
    width: u32,
    height: u32,
    free: Vec<bool>,
}

impl Canvas {
    /// Blocks a share of the cells that lies between two.
    fn noise(&mut self, random: &mut Random, least: f64, most: f64) {
        let blocked = least + (most - least) * random.unit();
        self.free.iter_mut().for_each(|free| *free &= !random.chance(blocked));
    }

    fn rectangles(&mut self, random: &mut Random) {
        for _ in 0..1 + random.below(9) {
            for node in rectangle(random, self.width, self.height, 6) {
                self.free[node as usize] = false;
            }
        }
    }

    fn discs(&mut self, random: &mut Random) {
        for _ in 0..1 + random.below(4) {
            let x = random.below(self.width.into()) as i64;
            let y = random.below(self.height.into()) as i64;
            let radius = 1 + random.below(5) as i64;
            let width = i64::from(self.width);
            for (node, free) in (0..).zip(&mut self.free) {
                let (dx, dy) = (node % width - x, node / width - y);
                *free &= dx * dx + dy * dy > radius * radius;
            }
        }
    }

    /// Corridors one to three cells wide, cut from a lattice: every junction is joined to some
    /// neighbours.
    fn maze(&mut self, random: &mut Random) {
        let wide = 1 + random.below(3) as u32;
        let open = 0.4 + 0.3 * random.unit();
        self.cells_between_walls(random, wide, open, wide);
    }

    /// Rooms with a wall between them and doors of one cell.
    fn rooms(&mut self, random: &mut Random) {
        let side = 2 + random.below(5) as u32;
        let open = 0.5 + 0.5 * random.unit();
        self.cells_between_walls(random, side, open, 1);
    }

    /// Walls of one cell between squares of this side, with openings of some width in a share of
    /// them.
    fn cells_between_walls(&mut self, random: &mut Random, side: u32, open: f64, opening: u32) {
        let pitch = side + 1;
        let is_wall = |at: u32| at % pitch == side;
        for (node, free) in (0..).zip(&mut self.free) {
            let (x, y) = (node % self.width, node / self.width);
            *free = !is_wall(x) && !is_wall(y);
        }
        for top in (0..self.height).step_by(pitch as usize) {
            for left in (0..self.width).step_by(pitch as usize) {
                for down in [false, true] {
                    let shift = random.below(u64::from(side - opening) + 1) as u32;
                    if !random.chance(open) {
                        continue;
                    }
                    for at in shift..shift + opening {
                        let (x, y) =
                            if down { (left + at, top + side) } else { (left + side, top + at) };
                        if x < self.width && y < self.height {
                            self.free[(y * self.width + x) as usize] = true;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_and_sizes_come_up() {
        let grids: Vec<_> = (0..600).map(small_grid).collect();
        for (name, _) in KINDS {
            assert!(grids.iter().filter(|(_, kind)| *kind == name).count() > 30, "{name}");
        }
        for side in SHORTEST..=LONGEST[3] {
            assert!(grids.iter().any(|(grid, _)| u64::from(grid.width()) == side), "{side} wide");
            assert!(grids.iter().any(|(grid, _)| u64::from(grid.height()) == side), "{side} high");
        }
    }
}
