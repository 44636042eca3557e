//! Draws a scene as SVG: a few elements with long paths, not one element per cell.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::Ink;
use super::scene::{Block, Cells, Layer, Scene, Shape, Spot};

/// Draws the scene.
pub(super) fn write(scene: &Scene, out: &mut dyn Write) -> io::Result<()> {
    let Scene { width, height, layers } = scene;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    )?;
    write_rect(out, *width, *height, Ink::Paper)?;
    for layer in layers {
        match layer {
            Layer::Cells(cells) => write_cells(out, cells)?,
            Layer::Lines { lines, .. } if lines.is_empty() => {}
            Layer::Lines { ink, width, lines } => writeln!(
                out,
                "<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" \
                 stroke-linejoin=\"round\" d=\"{}\"/>",
                ink.hex(),
                short(*width),
                line_data(lines)
            )?,
            Layer::Discs { ink, radius, centres } => write_discs(out, *ink, *radius, centres)?,
        }
    }
    writeln!(out, "</svg>")
}

fn write_rect(out: &mut dyn Write, width: u32, height: u32, ink: Ink) -> io::Result<()> {
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", ink.hex())
}

/// The commonest ink first as one rectangle where that is right, then one path per ink.
fn write_cells(out: &mut dyn Write, cells: &Cells) -> io::Result<()> {
    let is_square = cells.shape == Shape::Square;
    let ground = is_square.then(|| cells.common_ink());
    let mut paths: BTreeMap<Ink, String> = BTreeMap::new();
    for block in cells.blocks(is_square).into_iter().filter(|block| Some(block.ink) != ground) {
        let data = paths.entry(block.ink).or_default();
        match cells.shape {
            Shape::Square => add_rectangle(data, block),
            Shape::Hexagon => add_hexagons(data, cells, block),
        }
    }
    let transform = match cells.shape {
        Shape::Square => format!(" transform=\"scale({})\"", cells.side),
        Shape::Hexagon => String::new(),
    };
    writeln!(out, "<g shape-rendering=\"crispEdges\"{transform}>")?;
    if let Some(ground) = ground {
        write_rect(out, cells.columns, cells.rows, ground)?;
    }
    for (ink, data) in paths {
        writeln!(out, "<path fill=\"{}\" d=\"{data}\"/>", ink.hex())?;
    }
    writeln!(out, "</g>")
}

/// In cells, not pixels.
fn add_rectangle(data: &mut String, block: Block) {
    let Block { column, row, columns, rows, .. } = block;
    let _ = write!(data, "M{column} {row}h{columns}v{rows}h-{columns}z");
}

/// The outline of hexagons side by side: along the upper corners, down, and back along the lower
/// ones.
fn add_hexagons(data: &mut String, cells: &Cells, block: Block) {
    let half = cells.side as f32 / 2.0;
    let slant = cells.radius() / 2.0;
    let first = cells.centre(block.column, block.row);
    let _ = write!(data, "M{} {}", short(first.x - half), short(first.y - slant));
    let (across, rise) = (short(half), short(slant));
    for _ in 0..block.columns {
        let _ = write!(data, "l{across} -{rise} {across} {rise}");
    }
    let _ = write!(data, "v{}", short(2.0 * slant));
    for _ in 0..block.columns {
        let _ = write!(data, "l-{across} {rise} -{across} -{rise}");
    }
    data.push('z');
}

fn line_data(lines: &[[Spot; 2]]) -> String {
    let mut data = String::new();
    let mut end: Option<Spot> = None;
    for &[from, to] in lines {
        if end != Some(from) {
            let _ = write!(data, "M{} {}", short(from.x), short(from.y));
        }
        let _ = write!(data, "L{} {}", short(to.x), short(to.y));
        end = Some(to);
    }
    data
}

/// One disc as a circle; many as the round ends of lines of no length.
fn write_discs(out: &mut dyn Write, ink: Ink, radius: f32, centres: &[Spot]) -> io::Result<()> {
    match centres {
        [] => Ok(()),
        [Spot { x, y }] => writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>",
            short(*x),
            short(*y),
            short(radius),
            ink.hex()
        ),
        _ => {
            let mut data = String::new();
            for Spot { x, y } in centres {
                let _ = write!(data, "M{} {}h0", short(*x), short(*y));
            }
            writeln!(
                out,
                "<path stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"{data}\"/>",
                ink.hex(),
                short(2.0 * radius)
            )
        }
    }
}

/// At most two decimals, and no zeros behind them.
fn short(number: f32) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(10.0), "10");
        assert_eq!(short(2.5), "2.5");
        assert_eq!(short(1.0 / 3.0), "0.33");
    }

    #[test]
    fn cells_of_one_ink_are_one_path() {
        let mut inks = vec![Ink::Ground(0); 12];
        inks[5] = Ink::Blocked;
        inks[9] = Ink::Blocked;
        for (shape, paths) in [(Shape::Square, 1), (Shape::Hexagon, 2)] {
            let cells = Cells { columns: 4, rows: 3, side: 10, shape, inks: inks.clone() };
            let mut text = Vec::new();
            write_cells(&mut text, &cells).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(text.matches("<path").count(), paths, "{text}");
        }
    }
}
