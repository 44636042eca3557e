//! Draws a scene as SVG: a few elements with long paths, not one element per cell.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use super::Ink;
use super::scene::{Block, Cells, Layer, Scene, Shape, Spot};
use crate::svg::element;

/// Draws the scene.
pub(super) fn draw(scene: &Scene) -> String {
    let Scene { width, height, layers } = scene;
    let layer = |layer: &Layer| match layer {
        Layer::Cells(cells) => draw_cells(cells),
        Layer::Lines { lines, .. } if lines.is_empty() => String::new(),
        Layer::Lines { ink, width, lines } => {
            let (width, data) = (short(*width), line_data(lines));
            let attributes: [(&str, &dyn Display); 6] = [
                ("fill", &"none"),
                ("stroke", &ink.hex()),
                ("stroke-width", &width),
                ("stroke-linecap", &"round"),
                ("stroke-linejoin", &"round"),
                ("d", &data),
            ];
            element("path", &attributes, "") + "\n"
        }
        Layer::Discs { ink, radius, centres } => draw_discs(*ink, *radius, centres),
    };
    let layers: String = layers.iter().map(layer).collect();
    let contents = format!("\n{}{layers}", rectangle(*width, *height, Ink::Paper));
    let attributes: [(&str, &dyn Display); 4] = [
        ("xmlns", &"http://www.w3.org/2000/svg"),
        ("width", width),
        ("height", height),
        ("viewBox", &format_args!("0 0 {width} {height}")),
    ];
    element("svg", &attributes, &contents) + "\n"
}

fn rectangle(width: u32, height: u32, ink: Ink) -> String {
    element("rect", &[("width", &width), ("height", &height), ("fill", &ink.hex())], "") + "\n"
}

fn filled(ink: Ink, data: &str) -> String {
    element("path", &[("fill", &ink.hex()), ("d", &data)], "") + "\n"
}

/// The most common ink first as one rectangle, if cells are square; then one path per ink.
fn draw_cells(cells: &Cells) -> String {
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
    let ground = ground.map(|ground| rectangle(cells.columns, cells.rows, ground));
    let paths = paths.iter().map(|(&ink, data)| filled(ink, data));
    let contents: String = ground.into_iter().chain(paths).collect();
    let scale = format!("scale({})", if is_square { cells.side } else { 1 });
    let attributes: [(&str, &dyn Display); 2] =
        [("shape-rendering", &"crispEdges"), ("transform", &scale)];
    element("g", &attributes, &format!("\n{contents}")) + "\n"
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
fn draw_discs(ink: Ink, radius: f32, centres: &[Spot]) -> String {
    match centres {
        [] => String::new(),
        [Spot { x, y }] => {
            let (x, y, radius) = (short(*x), short(*y), short(radius));
            let attributes: [(&str, &dyn Display); 4] =
                [("cx", &x), ("cy", &y), ("r", &radius), ("fill", &ink.hex())];
            element("circle", &attributes, "") + "\n"
        }
        _ => {
            let dot = |Spot { x, y }: &Spot| format!("M{} {}h0", short(*x), short(*y));
            let (data, width) = (centres.iter().map(dot).collect::<String>(), short(2.0 * radius));
            let attributes: [(&str, &dyn Display); 4] = [
                ("stroke", &ink.hex()),
                ("stroke-width", &width),
                ("stroke-linecap", &"round"),
                ("d", &data),
            ];
            element("path", &attributes, "") + "\n"
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
            let text = draw_cells(&cells);
            assert_eq!(text.matches("<path").count(), paths, "{text}");
        }
    }
}
