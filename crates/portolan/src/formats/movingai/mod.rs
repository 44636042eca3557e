//! The formats of the MovingAI benchmark set (Sturtevant 2012): `.map` here, scenarios in
//! `scen.rs`, scenarios with edits in `dynamic.rs`.
//!
//! ```text
//! type octile
//! height 2
//! width 3
//! map
//! .@.
//! ...
//! ```
//!
//! `.`, `G` (ground) and `S` (shallow water) are passable; every other printable character is
//! blocked. `height` and `width` come in either order.

mod dynamic;
mod scen;

pub(crate) use dynamic::MOST_CELLS as MOST_DYNAMIC_CELLS;
pub use dynamic::{
    Command, DynamicScenario, Patch, Stamp, read_dynamic, read_patches, write_dynamic,
    write_patches,
};
pub use scen::{ScenarioLine, read_scen, write_scen};

use std::io::{self, Write};

use crate::formats::error::{FormatError, Problem};
use crate::formats::lines::{Span, TextLines};
use crate::grid::Grid;

/// Reads a `.map` file as an eight-connected grid of one terrain, corners never cut.
///
/// ```
/// let text = b"type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n";
/// let grid = portolan::formats::movingai::read_map(text)?;
/// assert_eq!((grid.width(), grid.height()), (3, 2));
/// assert!(!grid.is_passable(1, 0));
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read_map(text: &[u8]) -> Result<Grid, FormatError> {
    let mut lines = TextLines::new(text);
    let (width, height) = read_header(&mut lines)?;
    // All rows are checked before the grid is allocated, so a header cannot request more cells than
    // the file has bytes.
    check_rows(lines.clone(), width, height)?;
    let mut row: &[u8] = &[];
    Grid::from_fn(width, height, |x, _| {
        if x == 0 {
            row = lines.next().map_or(&[], |line| line.bytes);
        }
        row.get(x as usize).is_some_and(|&cell| is_passable(cell))
    })
    .map_err(|error| FormatError { position: None, problem: Problem::Grid(error) })
}

/// Writes a `.map` file: `.` for passable, `@` for blocked.
///
/// The format has neither terrain nor other connectivities; they are omitted.
pub fn write_map(grid: &Grid, out: &mut impl Write) -> io::Result<()> {
    let (width, height) = (grid.width(), grid.height());
    writeln!(out, "type octile\nheight {height}\nwidth {width}\nmap")?;
    let mut row = Vec::with_capacity(width as usize + 1);
    for y in 0..height {
        row.clear();
        row.extend((0..width).map(|x| if grid.is_passable(x, y) { b'.' } else { b'@' }));
        row.push(b'\n');
        out.write_all(&row)?;
    }
    Ok(())
}

fn is_passable(cell: u8) -> bool {
    matches!(cell, b'.' | b'G' | b'S')
}

fn read_header(lines: &mut TextLines) -> Result<(u32, u32), FormatError> {
    const TYPE: &str = "`type octile`";
    const SIZE: &str = "`height` and `width`, each with a number, then `map`";
    let mut line = lines.expect(TYPE)?;
    line.expect_word("type", TYPE)?;
    line.expect_word("octile", TYPE)?;
    line.expect_end()?;
    let (mut width, mut height) = (None, None);
    loop {
        let mut line = lines.expect(SIZE)?;
        let start = line.position(0);
        let key = line.first_field(SIZE)?;
        let value = match key.bytes {
            b"height" => &mut height,
            b"width" => &mut width,
            b"map" => {
                line.expect_end()?;
                let (Some(width), Some(height)) = (width, height) else {
                    return Err(key.unexpected(SIZE));
                };
                return Grid::check_size(width, height)
                    .map(|()| (width, height))
                    .map_err(|error| FormatError::at(start, Problem::Grid(error)));
            }
            _ => return Err(key.unexpected(SIZE)),
        };
        if value.is_some() {
            return Err(key.duplicate("a line of the header"));
        }
        *value = Some(line.take_number("a number of cells", 1..=u32::MAX)?);
        line.expect_end()?;
    }
}

/// Reads the version line of a scenario, which must be one of two numbers.
fn read_version(
    lines: &mut TextLines,
    expected: &'static str,
    numbers: [&str; 2],
) -> Result<(), FormatError> {
    let mut line = lines.expect(expected)?;
    line.expect_word("version", expected)?;
    let number = line.first_field(expected)?;
    if !numbers.iter().any(|other| other.as_bytes() == number.bytes) {
        return Err(number.unexpected(expected));
    }
    line.expect_end()
}

fn check_rows(mut lines: TextLines, width: u32, height: u32) -> Result<(), FormatError> {
    let wrong_count = |position, found| {
        let expected = u64::from(height);
        Err(FormatError::at(position, Problem::Count { what: "rows", expected, found }))
    };
    for y in 0..height {
        let position = lines.next_position();
        let Some(row) = lines.next() else { return wrong_count(position, u64::from(y)) };
        row.check_length(u64::from(width))?;
        check_cells(&row)?;
    }
    let mut beyond = lines.non_blank();
    match beyond.next() {
        None => Ok(()),
        Some(row) => wrong_count(row.position(0), u64::from(height) + 1 + beyond.count() as u64),
    }
}

fn check_cells(row: &Span) -> Result<(), FormatError> {
    let is_printable = |cell: &u8| (b' '..=b'~').contains(cell);
    // No early exit, so that the compiler vectorises the loop.
    if row.bytes.iter().fold(true, |all, cell| all & is_printable(cell)) {
        return Ok(());
    }
    let at = row.bytes.iter().position(|cell| !is_printable(cell)).unwrap_or(0);
    Err(row.unexpected_byte(at, "a cell, one printable ASCII character"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::check_read;

    fn check(text: &str, expected: Result<&str, &str>) {
        let found = read_map(text.as_bytes()).map(|grid| {
            let row = |y| (0..grid.width()).map(move |x| (x, y));
            let cell = |(x, y)| if grid.is_passable(x, y) { '.' } else { '@' };
            let rows: Vec<String> =
                (0..grid.height()).map(|y| row(y).map(cell).collect()).collect();
            rows.join("/")
        });
        check_read(text, found, expected.map(str::to_owned));
    }

    fn rows(rows: &str) -> String {
        format!("type octile\nheight 2\nwidth 3\nmap\n{rows}")
    }

    #[test]
    fn passable_is_ground_and_shallow_water() {
        check(&rows(".GS\nTW@\n"), Ok(".../@@@"));
        check(&rows("O~ \n#!/\n"), Ok("@@@/@@@"));
    }

    #[test]
    fn other_line_ends_and_spacing_are_read() {
        check(&rows(".@.\n..."), Ok(".@./..."));
        check(&rows(".@.\n...\n\n \t\n\n"), Ok(".@./..."));
        check(&rows(".@.\n...\n").replace('\n', "\r\n"), Ok(".@./..."));
        check("type  octile \nwidth\t2\nheight 1\nmap \n.@", Ok(".@"));
    }

    #[test]
    fn headers_are_checked() {
        check("", Err("line 1, column 1: `type octile` was expected, nothing was found; add it"));
        check("type hex\n", Err("line 1, column 6: `type octile` was expected, `hex` was found"));
        check("type octile\nheight 2\nmap\n", Err("line 3, column 1: `height` and `width`"));
        check(
            "type octile\nheight 2\nheight 2\n",
            Err("line 3, column 1: a line of the header occurs a second"),
        );
        check(
            "type octile\nheight 0\n",
            Err("line 2, column 8: a number of cells was expected, a whole number from 1"),
        );
        check("type octile\nheight 4294967296\n", Err("line 2, column 8: a number of cells"));
        check("type octile\nheight -1\n", Err("line 2, column 8: a number of cells"));
        check("type octile\nheight 1 1\n", Err("line 2, column 10: the end of the line"));
        check(
            "type octile\nheight 99999\nwidth 99999\nmap\n..",
            Err("line 4, column 1: a grid of 99999 x 99999 cells is too large"),
        );
    }

    #[test]
    fn a_header_alone_allocates_nothing() {
        check(
            "type octile\nheight 60000\nwidth 60000\nmap\n",
            Err("line 5, column 1: 60000 rows were announced, 0 were found"),
        );
    }

    #[test]
    fn rows_are_counted_and_measured() {
        check(&rows(".@.\n"), Err("line 6, column 1: 2 rows were announced, 1 were found"));
        check(
            &rows(".@.\n...\n\n...\n..."),
            Err("line 8, column 1: 2 rows were announced, 4 were found"),
        );
        check(
            &rows(".@.\n..\n"),
            Err("line 6, column 3: a row of 3 cells was expected, this one ends after 2"),
        );
        check(
            &rows(".@..\n...\n"),
            Err("line 5, column 4: a row of 3 cells was expected, this one has 4"),
        );
        check(
            &rows(".@.\n.\t.\n"),
            Err("line 6, column 2: a cell, one printable ASCII character was expected, `\\t`"),
        );
        check(
            &rows(".@.\n.é\n"),
            Err("line 6, column 2: a cell, one printable ASCII character was expected, `\\xc3`"),
        );
    }

    #[test]
    fn written_maps_are_read_back() {
        for width in [1, 3, 64, 200] {
            let grid = Grid::from_fn(width, 5, |x, y| (x * 7 + y * 3) % 5 != 0).unwrap();
            let mut text = Vec::new();
            write_map(&grid, &mut text).unwrap();
            assert_eq!(read_map(&text).unwrap(), grid);
        }
    }
}
