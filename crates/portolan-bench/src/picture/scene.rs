//! What a picture shows, in pixels: layers, the lowest first.

use super::ink::Ink;

/// A picture before it is drawn.
pub(super) struct Scene {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) layers: Vec<Layer>,
}

/// Things of one kind.
pub(super) enum Layer {
    /// Cells that fill the picture.
    Cells(Cells),
    /// Straight lines with round ends; one that starts where the last one ended continues it.
    Lines { ink: Ink, width: f32, lines: Vec<[Spot; 2]> },
    /// Filled discs.
    Discs { ink: Ink, radius: f32, centres: Vec<Spot> },
}

/// A point of the picture; x to the right, y down.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Spot {
    pub(super) x: f32,
    pub(super) y: f32,
}

/// Cells of one size, each in an ink.
pub(super) struct Cells {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// From the left edge of a cell to its right edge, in pixels.
    pub(super) side: u32,
    pub(super) shape: Shape,
    /// Row by row.
    pub(super) inks: Vec<Ink>,
}

/// The shape of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Square,
    /// Hexagons with a corner on top; odd rows are shifted half a cell to the right.
    Hexagon,
}

/// Cells of one ink behind each other in a row, over some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) ink: Ink,
    pub(super) column: u32,
    pub(super) row: u32,
    pub(super) columns: u32,
    pub(super) rows: u32,
}

const HALF_SQRT_3: f32 = 0.866_025_4;

impl Cells {
    /// The size of all cells together, in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        let side = self.side as f32;
        match self.shape {
            Shape::Square => (self.columns * self.side, self.rows * self.side),
            Shape::Hexagon => {
                let shift = if self.rows > 1 { side / 2.0 } else { 0.0 };
                let width = self.columns as f32 * side + shift;
                let height = (self.rows - 1) as f32 * self.row_pitch() + 2.0 * self.radius();
                (width.ceil() as u32, height.ceil() as u32)
            }
        }
    }

    /// From row to row.
    pub(super) fn row_pitch(&self) -> f32 {
        match self.shape {
            Shape::Square => self.side as f32,
            Shape::Hexagon => self.side as f32 * HALF_SQRT_3,
        }
    }

    /// From the middle of a cell to its uppermost point.
    pub(super) fn radius(&self) -> f32 {
        match self.shape {
            Shape::Square => self.side as f32 / 2.0,
            Shape::Hexagon => self.side as f32 / (2.0 * HALF_SQRT_3),
        }
    }

    /// How far a row is shifted to the right.
    pub(super) fn shift(&self, row: u32) -> f32 {
        match self.shape {
            Shape::Hexagon if row % 2 == 1 => self.side as f32 / 2.0,
            _ => 0.0,
        }
    }

    /// The middle of a cell.
    pub(super) fn centre(&self, column: u32, row: u32) -> Spot {
        Spot {
            x: (column as f32 + 0.5) * self.side as f32 + self.shift(row),
            y: row as f32 * self.row_pitch() + self.radius(),
        }
    }

    /// The inks of a row.
    pub(super) fn row(&self, row: u32) -> &[Ink] {
        let columns = self.columns as usize;
        &self.inks[row as usize * columns..][..columns]
    }

    /// The ink at a point of the picture, if any cell covers it.
    pub(super) fn ink_at(&self, spot: Spot) -> Option<Ink> {
        let side = self.side as f32;
        let cell = |row: u32| {
            let column = ((spot.x - self.shift(row)) / side).floor();
            ((0.0..self.columns as f32).contains(&column) && row < self.rows)
                .then_some((column as u32, row))
        };
        let covering = match self.shape {
            Shape::Square => cell((spot.y / side) as u32),
            Shape::Hexagon => {
                let row = ((spot.y - self.radius()) / self.row_pitch()).floor().max(0.0) as u32;
                [row, row + 1].into_iter().filter_map(cell).find(|&(column, row)| {
                    let middle = self.centre(column, row);
                    let (dx, dy) = ((spot.x - middle.x).abs(), (spot.y - middle.y).abs());
                    // The slanted edges fall by one over sqrt 3.
                    dy <= self.radius() - dx / (2.0 * HALF_SQRT_3)
                })
            }
        };
        covering.map(|(column, row)| self.row(row)[column as usize])
    }

    /// The ink that most cells have.
    pub(super) fn common_ink(&self) -> Ink {
        let mut counts = std::collections::BTreeMap::new();
        for &ink in &self.inks {
            *counts.entry(ink).or_insert(0usize) += 1;
        }
        counts.into_iter().max_by_key(|&(_, count)| count).map_or(Ink::Paper, |(ink, _)| ink)
    }

    /// The cells merged into blocks, row by row; with `tall`, equal runs below each other are one
    /// block.
    pub(super) fn blocks(&self, tall: bool) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        // The blocks that the row above ends, by column.
        let mut above: Vec<usize> = Vec::new();
        for row in 0..self.rows {
            let mut here = Vec::new();
            let mut column = 0;
            let mut candidates = above.iter().copied().peekable();
            for run in self.row(row).chunk_by(|a, b| a == b) {
                let columns = run.len() as u32;
                while candidates.next_if(|&index| blocks[index].column < column).is_some() {}
                let continues = candidates.peek().copied().filter(|&index| {
                    let block = blocks[index];
                    tall && (block.ink, block.column, block.columns) == (run[0], column, columns)
                });
                here.push(match continues {
                    Some(index) => {
                        blocks[index].rows += 1;
                        index
                    }
                    None => {
                        blocks.push(Block { ink: run[0], column, row, columns, rows: 1 });
                        blocks.len() - 1
                    }
                });
                column += columns;
            }
            above = here;
        }
        blocks
    }
}

/// The path over everything else, and its ends: a disc where it starts, a target where it should
/// end.
pub(super) fn path_layers(path: Vec<Spot>, ends: [Spot; 2], width: f32, radius: f32) -> Vec<Layer> {
    let lines = line_through(path);
    let halo = (width * 0.35).clamp(1.0, 6.0);
    let [start, goal] = ends;
    let mut layers = vec![
        Layer::Lines { ink: Ink::Halo, width: width + 2.0 * halo, lines: lines.clone() },
        Layer::Lines { ink: Ink::Path, width, lines },
    ];
    layers.extend(target_layers(goal, radius, halo));
    layers.extend([disc(start, Ink::Halo, radius + halo), disc(start, Ink::Start, radius)]);
    layers
}

/// A target: where a path should end.
pub(super) fn target_layers(at: Spot, radius: f32, halo: f32) -> Vec<Layer> {
    vec![
        disc(at, Ink::Halo, radius + halo),
        disc(at, Ink::Goal, radius),
        disc(at, Ink::Halo, radius * 0.66),
        disc(at, Ink::Goal, radius * 0.36),
    ]
}

fn disc(spot: Spot, ink: Ink, radius: f32) -> Layer {
    Layer::Discs { ink, radius, centres: vec![spot] }
}

/// A line through these points; straight stretches are merged.
pub(super) fn line_through(spots: impl IntoIterator<Item = Spot>) -> Vec<[Spot; 2]> {
    let mut lines: Vec<[Spot; 2]> = Vec::new();
    let mut last: Option<Spot> = None;
    for spot in spots {
        let Some(start) = last.replace(spot) else { continue };
        match lines.last_mut() {
            Some(line) if is_straight(line[0], line[1], spot) => line[1] = spot,
            _ => lines.push([start, spot]),
        }
    }
    lines
}

fn is_straight(a: Spot, b: Spot, c: Spot) -> bool {
    let (ux, uy, vx, vy) = (b.x - a.x, b.y - a.y, c.x - b.x, c.y - b.y);
    let cross = ux * vy - uy * vx;
    cross.abs() <= 1e-4 * (ux.hypot(uy) * vx.hypot(vy)) && ux * vx + uy * vy > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(columns: u32, inks: Vec<Ink>, shape: Shape) -> Cells {
        Cells { columns, rows: inks.len() as u32 / columns, side: 10, shape, inks }
    }

    #[test]
    fn equal_runs_become_one_block() {
        let (o, x) = (Ink::Ground(0), Ink::Blocked);
        let cells = cells(3, vec![x, o, o, x, o, o, o, o, o], Shape::Square);
        let block = |ink, column, row, columns, rows| Block { ink, column, row, columns, rows };
        let merged = [block(x, 0, 0, 1, 2), block(o, 1, 0, 2, 2), block(o, 0, 2, 3, 1)];
        assert_eq!(cells.blocks(true), merged);
        assert_eq!(cells.blocks(false).len(), 5);
        assert_eq!(cells.common_ink(), o);
    }

    #[test]
    fn every_cell_covers_its_own_middle() {
        for shape in [Shape::Square, Shape::Hexagon] {
            let inks = (0..35).map(|shade| Ink::Ground(shade % 8)).collect();
            let cells = cells(7, inks, shape);
            for row in 0..5 {
                for column in 0..7 {
                    let spot = cells.centre(column, row);
                    let expected = cells.row(row)[column as usize];
                    assert_eq!(cells.ink_at(spot), Some(expected), "{shape:?} {column},{row}");
                    let (width, height) = cells.size();
                    assert!(spot.x < width as f32 && spot.y < height as f32);
                }
            }
        }
        let hexagons = cells(2, vec![Ink::Blocked; 4], Shape::Hexagon);
        assert_eq!(hexagons.ink_at(Spot { x: 0.1, y: 0.1 }), None, "beside the top corner");
        assert_eq!(hexagons.ink_at(Spot { x: 0.1, y: 15.0 }), None, "left of an odd row");
    }

    #[test]
    fn straight_stretches_are_one_line() {
        let spot = |x: f32, y: f32| Spot { x, y };
        let lines = line_through(
            [(0., 0.), (1., 1.), (2., 2.), (3., 2.), (2., 2.)].map(|(x, y)| spot(x, y)),
        );
        assert_eq!(
            lines,
            [
                [spot(0., 0.), spot(2., 2.)],
                [spot(2., 2.), spot(3., 2.)],
                [spot(3., 2.), spot(2., 2.)]
            ]
        );
        assert!(line_through([spot(1., 1.)]).is_empty());
    }
}
