//! Draws a small grid and a path as text, two rows of cells per line.

use std::fmt::Write;

use portolan::Grid;

use super::View;
use super::grid::cells;
use super::ink::Ink;

/// The grid as lines of text. In colour every character is a half block of two colours; without,
/// walls are half blocks and the path is dots.
pub fn draw(grid: &Grid, view: &View, in_colour: bool) -> String {
    let mut cells = cells(grid, view, 1, 1);
    for &node in view.path {
        cells.inks[node as usize] = Ink::Path;
    }
    cells.inks[view.ends.0 as usize] = Ink::Start;
    cells.inks[view.ends.1 as usize] = Ink::Goal;
    let mut text = String::new();
    for row in (0..cells.rows).step_by(2) {
        text.push_str("  ");
        let upper = cells.row(row);
        let lower = (row + 1 < cells.rows).then(|| cells.row(row + 1));
        for (column, &above) in upper.iter().enumerate() {
            let below = lower.map_or(Ink::Paper, |lower| lower[column]);
            if in_colour {
                let _ = write!(text, "\x1b[38;5;{};48;5;{}m▀", nearest(above), nearest(below));
            } else {
                text.push(plain(above, below));
            }
        }
        text.push_str(if in_colour { "\x1b[0m\n" } else { "\n" });
    }
    text
}

/// One character for two cells, by the more important one.
fn plain(above: Ink, below: Ink) -> char {
    let either = |ink| above == ink || below == ink;
    match (above == Ink::Blocked, below == Ink::Blocked) {
        _ if either(Ink::Start) => 'S',
        _ if either(Ink::Goal) => 'T',
        _ if either(Ink::Path) => '•',
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    }
}

/// The nearest of the 256 colours that every terminal knows: a cube of six steps per channel, and
/// greys.
fn nearest(ink: Ink) -> u32 {
    let colour = ink.colour().map(u32::from);
    let step = |value: u32| match value {
        0..48 => 0,
        48..115 => 1,
        _ => (value - 35) / 40,
    };
    let [red, green, blue] = colour.map(step);
    let cube = [red, green, blue].map(|step| if step == 0 { 0 } else { 55 + 40 * step });
    let grey = (colour.iter().sum::<u32>() / 3).saturating_sub(3) / 10;
    let grey = grey.min(23);
    let distance = |other: [u32; 3]| -> u32 {
        colour.iter().zip(other).map(|(&a, b)| a.abs_diff(b).pow(2)).sum()
    };
    if distance([8 + 10 * grey; 3]) < distance(cube) {
        232 + grey
    } else {
        16 + 36 * red + 6 * green + blue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_colours_are_near() {
        assert_eq!(nearest(Ink::Paper), 231);
        assert_eq!(nearest(Ink::Path), 166);
        assert_eq!(nearest(Ink::Blocked), 237, "dark grey, not teal");
    }

    #[test]
    fn two_cells_share_a_character() {
        let ground = Ink::Ground(0);
        assert_eq!(plain(Ink::Blocked, ground), '▀');
        assert_eq!(plain(ground, Ink::Blocked), '▄');
        assert_eq!(plain(Ink::Path, Ink::Blocked), '•');
        assert_eq!(plain(Ink::Path, Ink::Start), 'S');
        assert_eq!(plain(ground, Ink::Searched(0)), ' ');
    }
}
