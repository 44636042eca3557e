//! Drawings: small maps for people and for tests.
//!
//! | cell | meaning |
//! |---|---|
//! | `.` | free |
//! | `#` `@` | blocked |
//! | `S` | free, the start |
//! | `T` | free, the goal |
//! | `1` to `9` | free, with this terrain factor |
//!
//! A drawing with any digit is a grid with terrain; all its other cells have the factor 1. Rows end
//! with a line break or with `/`, so a whole drawing fits on one line. Spaces and tabs around rows,
//! and blank lines before and after the drawing, are ignored.

use std::io::{self, Write};

use super::error::{FormatError, Problem};
use super::lines::{Span, TextLines};
use crate::graph::NodeId;
use crate::grid::Grid;

/// A drawn map, and the two marked cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The grid; eight-connected, corners never cut.
    pub grid: Grid,
    /// Column and row of `S`.
    pub start: Option<(u32, u32)>,
    /// Column and row of `T`.
    pub goal: Option<(u32, u32)>,
}

/// Reads a drawing.
///
/// ```
/// let drawing = portolan::formats::ascii::read(b"S#. / .#. / ..T")?;
/// assert_eq!((drawing.start, drawing.goal), (Some((0, 0)), Some((2, 2))));
/// assert!(!drawing.grid.is_passable(1, 0));
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read(text: &[u8]) -> Result<Drawing, FormatError> {
    let mut reader = DrawingReader::default();
    for line in TextLines::rows(text) {
        let mut rest = Some(line);
        while let Some(line) = rest {
            let (row, next) = line.split_at_byte(b'/');
            reader.add_row(&row.trimmed())?;
            rest = next;
        }
    }
    reader.finish(TextLines::new(text).next_position())
}

/// Draws a grid and a path on it: `S` at its first node, `T` at its last, `*` between them.
///
/// Without a path the drawing can be read back, except that blocked cells lose their terrain factor
/// and factors above nine are drawn as `9`. A path that leaves the map is an
/// [`InvalidInput`](io::ErrorKind::InvalidInput) error.
///
/// ```
/// use portolan::formats::ascii;
/// let grid = ascii::read(b".#. / ...")?.grid;
/// let mut picture = Vec::new();
/// ascii::write(&grid, &[0, 3, 4, 5, 2], &mut picture)?;
/// assert_eq!(picture, b"S#T\n***\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(grid: &Grid, path: &[NodeId], out: &mut impl Write) -> io::Result<()> {
    if let Some(node) = path.iter().find(|&&node| grid.position(node).is_none()) {
        let reason = format!("node {node} of the path lies outside the map");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    // The ends sort before other marks of the same node, so a path that crosses itself shows them.
    let rank = |index: usize| match index {
        0 => (0, b'S'),
        _ if index == path.len() - 1 => (1, b'T'),
        _ => (2, b'*'),
    };
    let mut marks: Vec<_> = path.iter().enumerate().map(|(at, &node)| (node, rank(at))).collect();
    marks.sort_unstable();
    marks.dedup_by_key(|&mut (node, _)| node);
    let mut marks = marks.into_iter().peekable();
    let mut row = Vec::with_capacity(grid.width() as usize + 1);
    for y in 0..grid.height() {
        row.clear();
        for x in 0..grid.width() {
            let mark = marks.next_if(|&(node, _)| grid.node(x, y) == Some(node));
            row.push(mark.map_or_else(|| cell(grid, x, y), |(_, (_, mark))| mark));
        }
        row.push(b'\n');
        out.write_all(&row)?;
    }
    Ok(())
}

fn cell(grid: &Grid, x: u32, y: u32) -> u8 {
    match grid.factor(x, y) {
        _ if !grid.is_passable(x, y) => b'#',
        Some(factor) if grid.has_terrain() => b'0' + factor.min(9),
        _ => b'.',
    }
}

/// A partially read drawing.
#[derive(Default)]
struct DrawingReader {
    width: usize,
    height: usize,
    /// The terrain factors of free cells, row by row; zero is blocked.
    factors: Vec<u8>,
    has_terrain: bool,
    start: Option<(u32, u32)>,
    goal: Option<(u32, u32)>,
}

impl DrawingReader {
    fn add_row(&mut self, row: &Span) -> Result<(), FormatError> {
        const CELL: &str = "a cell, one of `.#@ST123456789`,";
        if self.height == 0 {
            self.width = row.bytes.len();
        }
        row.check_length(self.width as u64)?;
        for (x, &byte) in row.bytes.iter().enumerate() {
            let mark = match byte {
                b'S' => Some(&mut self.start),
                b'T' => Some(&mut self.goal),
                _ => None,
            };
            if mark.is_some_and(|mark| mark.replace((x as u32, self.height as u32)).is_some()) {
                return Err(row.part(x, x + 1).duplicate("a start or a goal"));
            }
            self.has_terrain |= byte.is_ascii_digit();
            self.factors.push(match byte {
                b'.' | b'S' | b'T' => 1,
                b'#' | b'@' => 0,
                b'1'..=b'9' => byte - b'0',
                _ => return Err(row.unexpected_byte(x, CELL)),
            });
        }
        self.height += 1;
        Ok(())
    }

    fn finish(mut self, end: super::FilePosition) -> Result<Drawing, FormatError> {
        if self.factors.is_empty() {
            let expected = "a row of cells, `.` free and `#` blocked,";
            return Err(FormatError::at(end, Problem::Missing { expected }));
        }
        let grid_error = |error| FormatError { position: None, problem: Problem::Grid(error) };
        let size = |cells: usize| u32::try_from(cells).unwrap_or(u32::MAX);
        let mut cells = self.factors.iter();
        let is_free = |_, _| cells.next().is_some_and(|&factor| factor != 0);
        let mut grid =
            Grid::from_fn(size(self.width), size(self.height), is_free).map_err(grid_error)?;
        if self.has_terrain {
            self.factors.iter_mut().for_each(|factor| *factor = (*factor).max(1));
            grid = grid.with_terrain(self.factors).map_err(grid_error)?;
        }
        Ok(Drawing { grid, start: self.start, goal: self.goal })
    }
}

/// Reads a [drawing](self): `.` is free, `#` blocked, digits are terrain factors.
impl std::str::FromStr for Grid {
    type Err = FormatError;

    fn from_str(drawing: &str) -> Result<Self, FormatError> {
        Ok(read(drawing.as_bytes())?.grid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::check_read;

    type Marks = (Option<(u32, u32)>, Option<(u32, u32)>);

    /// Checks the rows, joined by `/`, and the two marks.
    fn check(text: &str, expected: Result<(&str, Marks), &str>) {
        let found = read(text.as_bytes()).map(|drawing| {
            let rows = draw(&drawing.grid, &[]);
            assert_eq!(read(rows.as_bytes()).unwrap().grid, drawing.grid, "{text:?}");
            (rows, (drawing.start, drawing.goal))
        });
        check_read(text, found, expected.map(|(rows, marks)| (rows.to_owned(), marks)));
    }

    fn draw(grid: &Grid, path: &[NodeId]) -> String {
        let mut text = Vec::new();
        write(grid, path, &mut text).unwrap();
        String::from_utf8(text).unwrap().trim_end().replace('\n', "/")
    }

    #[test]
    fn rows_are_read_with_every_separator() {
        check(".#@", Ok((".##", (None, None))));
        check("S#. / .#. / ..T", Ok((".#./.#./...", (Some((0, 0)), Some((2, 2))))));
        check(".#/#.\n..", Ok((".#/#./..", (None, None))));
        check("\r\n \r\n   .#\r\n\t#T  \r\n\r\n \r\n", Ok((".#/#.", (None, Some((1, 1))))));
    }

    #[test]
    fn digits_make_terrain() {
        check("1.9 / #S2", Ok(("119/#12", (Some((1, 1)), None))));
        check("1", Ok(("1", (None, None))));
        let grid = read(b"1.9 / #S2").unwrap().grid;
        assert_eq!(grid.factors(), Some(&[1, 1, 9, 1, 1, 2][..]));
        assert!(!read(b". / #").unwrap().grid.has_terrain());
    }

    #[test]
    fn bad_drawings_are_refused() {
        check("", Err("line 1, column 1: a row of cells"));
        check(" \n\n", Err("line 1, column 1: a row of cells"));
        check("/", Err("line 1, column 1: a row of cells"));
        check(
            "..\n\n..",
            Err("line 2, column 1: a row of 2 cells was expected, this one ends after 0"),
        );
        check(
            ".. / ",
            Err("line 1, column 5: a row of 2 cells was expected, this one ends after 0"),
        );
        check(".. / ...", Err("line 1, column 8: a row of 2 cells was expected, this one has 3"));
        check(
            ". .",
            Err("line 1, column 2: a cell, one of `.#@ST123456789`, was expected, ` ` was found"),
        );
        check("..\n.0", Err("line 2, column 2: a cell"));
        check("S. / .S", Err("line 1, column 7: a start or a goal occurs a second time: `S`"));
    }

    #[test]
    fn paths_are_drawn() {
        let grid = read(b"..# / .2.").unwrap().grid;
        assert_eq!(draw(&grid, &[]), "11#/121");
        assert_eq!(draw(&grid, &[0, 1, 4, 5]), "S*#/1*T");
        assert_eq!(draw(&grid, &[3]), "11#/S21");
        assert_eq!(draw(&grid, &[3, 0, 1, 0, 4]), "**#/ST1");
        assert_eq!(draw(&grid, &[0, 1, 0]), "S*#/121");
        let outside = write(&grid, &[6], &mut Vec::new()).unwrap_err();
        assert_eq!(outside.to_string(), "node 6 of the path lies outside the map");
    }
}
