//! Draws a scene as a PNG picture of indexed colours.
//!
//! A layer of lines or discs is first drawn as coverage, a number per pixel, and then laid over the
//! picture in its ink; where shapes of a layer overlap the larger coverage counts, so joints leave
//! no marks. Edges are smoothed in quarters: the mixture of two colours joins the palette when it
//! is first needed, while there is room.

use std::collections::HashMap;
use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder};

use super::Ink;
use super::ink::mix;
use super::scene::{Cells, Layer, Scene, Shape, Spot};

/// Full coverage; pixels at edges have less.
const FULL: u8 = 4;

/// Draws the scene and encodes it.
pub(super) fn write(scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    let mut canvas = Canvas::new(scene.width.max(1), scene.height.max(1));
    for layer in &scene.layers {
        match layer {
            Layer::Cells(cells) => canvas.draw_cells(cells),
            Layer::Lines { ink, width, lines } => canvas.draw(*ink, |coverage| {
                lines.iter().for_each(|&[a, b]| coverage.add_line(a, b, width / 2.0));
            }),
            Layer::Discs { ink, radius, centres } => canvas.draw(*ink, |coverage| {
                centres.iter().for_each(|&centre| coverage.add_line(centre, centre, *radius));
            }),
        }
    }
    canvas.encode(out)
}

struct Canvas {
    width: u32,
    height: u32,
    /// A colour of the palette per pixel, row by row.
    pixels: Vec<u8>,
    palette: Vec<[u8; 3]>,
    /// Which palette entries are mixtures: of the colour below, the one above, and its share.
    mixtures: HashMap<(u8, u8, u8), u8>,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Self {
        let pixels = vec![Ink::Paper.number(); width as usize * height as usize];
        let palette = Ink::all().map(Ink::colour).collect();
        Self { width, height, pixels, palette, mixtures: HashMap::new() }
    }

    fn draw_cells(&mut self, cells: &Cells) {
        let width = self.width as usize;
        let rows = cells.size().1 as usize;
        for (y, pixels) in self.pixels.chunks_exact_mut(width).take(rows).enumerate() {
            if cells.shape == Shape::Square {
                let row = (y as u32 / cells.side).min(cells.rows - 1);
                let groups = pixels.chunks_mut(cells.side as usize);
                for (group, ink) in groups.zip(cells.row(row)) {
                    group.fill(ink.number());
                }
                continue;
            }
            for (x, pixel) in pixels.iter_mut().enumerate() {
                let middle = Spot { x: x as f32 + 0.5, y: y as f32 + 0.5 };
                if let Some(ink) = cells.ink_at(middle) {
                    *pixel = ink.number();
                }
            }
        }
    }

    /// Lays shapes over the picture.
    fn draw(&mut self, ink: Ink, shapes: impl FnOnce(&mut Coverage)) {
        let mut coverage =
            Coverage { width: self.width, height: self.height, parts: vec![0; self.pixels.len()] };
        shapes(&mut coverage);
        for (index, &part) in coverage.parts.iter().enumerate() {
            if part > 0 {
                self.pixels[index] = self.mixture(self.pixels[index], ink.number(), part);
            }
        }
    }

    fn mixture(&mut self, below: u8, above: u8, part: u8) -> u8 {
        if part >= FULL || below == above {
            return above;
        }
        if let Some(&known) = self.mixtures.get(&(below, above, part)) {
            return known;
        }
        let colour = mix(
            self.palette[usize::from(below)],
            self.palette[usize::from(above)],
            part.into(),
            FULL.into(),
        );
        let entry = match u8::try_from(self.palette.len()) {
            Ok(entry) => {
                self.palette.push(colour);
                entry
            }
            Err(_) if 2 * part >= FULL => above,
            Err(_) => below,
        };
        self.mixtures.insert((below, above, part), entry);
        entry
    }

    fn encode(self, out: &mut dyn Write) -> io::Result<()> {
        let mut encoder = Encoder::new(out, self.width, self.height);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_palette(self.palette.concat());
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(())
    }
}

/// How much of every pixel the shapes of a layer cover, 0 to [`FULL`].
struct Coverage {
    width: u32,
    height: u32,
    parts: Vec<u8>,
}

impl Coverage {
    /// A line with round ends; a disc where both ends are one.
    fn add_line(&mut self, a: Spot, b: Spot, radius: f32) {
        /// Longer lines are drawn piece by piece, so that no large box is searched for few pixels.
        const PIECE: f32 = 16.0;
        let pieces = ((b.x - a.x).hypot(b.y - a.y) / PIECE).ceil().max(1.0);
        let at = |piece: f32| {
            let share = piece / pieces;
            Spot { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
        };
        for piece in 0..pieces as u32 {
            self.add_piece(at(piece as f32), at(piece as f32 + 1.0), radius);
        }
    }

    fn add_piece(&mut self, a: Spot, b: Spot, radius: f32) {
        // Pixels outside the picture are cut off; the casts saturate.
        let first = |least: f32| (least - radius - 1.0).floor().max(0.0) as u32;
        let last = |most: f32, size: u32| ((most + radius + 1.0).ceil().max(0.0) as u32).min(size);
        for y in first(a.y.min(b.y))..last(a.y.max(b.y), self.height) {
            for x in first(a.x.min(b.x))..last(a.x.max(b.x), self.width) {
                let middle = Spot { x: x as f32 + 0.5, y: y as f32 + 0.5 };
                let inside = radius + 0.5 - distance(middle, a, b);
                let part = (inside.clamp(0.0, 1.0) * f32::from(FULL)).round() as u8;
                let index = y as usize * self.width as usize + x as usize;
                self.parts[index] = self.parts[index].max(part);
            }
        }
    }
}

/// From a point to the nearest point of a line.
fn distance(spot: Spot, a: Spot, b: Spot) -> f32 {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let square = dx * dx + dy * dy;
    let along = ((spot.x - a.x) * dx + (spot.y - a.y) * dy) / square;
    let along = if square > 0.0 { along.clamp(0.0, 1.0) } else { 0.0 };
    (spot.x - a.x - along * dx).hypot(spot.y - a.y - along * dy)
}
