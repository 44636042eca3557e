//! Terrain beside a map: one digit, `1` to `9`, per cell, one line per row.
//!
//! Spaces and tabs around rows, and blank lines before and after them all, do not count.

use std::io::{self, Write};

use super::error::{FormatError, Problem};
use super::lines::Lines;

/// The terrain factors of a grid's cells; hand [`factors`](Self::factors) to
/// [`Grid::with_terrain`](crate::Grid::with_terrain) where the sizes agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerrainRows {
    /// How many columns there are.
    pub width: u32,
    /// How many rows there are.
    pub height: u32,
    /// A factor, at least 1, for every cell, row by row.
    pub factors: Vec<u8>,
}

/// Reads rows of digits.
///
/// ```
/// let terrain = portolan::formats::terrain::read(b"119\n121\n")?;
/// assert_eq!((terrain.width, terrain.height), (3, 2));
/// assert_eq!(terrain.factors, [1, 1, 9, 1, 2, 1]);
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read(text: &[u8]) -> Result<TerrainRows, FormatError> {
    let mut factors = Vec::new();
    let (mut width, mut height) = (0, 0u32);
    for row in Lines::rows(text) {
        if height == 0 {
            width = row.bytes.len();
        }
        row.check_length(width as u64)?;
        for (x, &byte) in row.bytes.iter().enumerate() {
            match byte {
                b'1'..=b'9' => factors.push(byte - b'0'),
                _ => return Err(row.unexpected_byte(x, "a terrain factor, a digit from 1 to 9,")),
            }
        }
        height = height.saturating_add(1);
    }
    if factors.is_empty() {
        let expected = "a row of terrain factors, digits from 1 to 9,";
        return Err(FormatError::at(Lines::new(text).place(), Problem::Missing { expected }));
    }
    let width = u32::try_from(width).unwrap_or(u32::MAX);
    match crate::Grid::check_size(width, height) {
        Ok(()) => Ok(TerrainRows { width, height, factors }),
        Err(error) => Err(FormatError { place: None, problem: Problem::Grid(error) }),
    }
}

/// Writes rows of digits; factors that are no digit, and rows that do not fit the size, are refused
/// as [`InvalidInput`](io::ErrorKind::InvalidInput).
pub fn write(terrain: &TerrainRows, out: &mut impl Write) -> io::Result<()> {
    let refuse = |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    let cells = u64::from(terrain.width) * u64::from(terrain.height);
    if cells == 0 || cells != terrain.factors.len() as u64 {
        return refuse("the terrain's factors do not fill its rows");
    }
    if !terrain.factors.iter().all(|factor| (1..=9).contains(factor)) {
        return refuse("a terrain factor is beyond 9, the largest that one digit can say");
    }
    let mut line = Vec::with_capacity(terrain.width as usize + 1);
    for row in terrain.factors.chunks_exact(terrain.width as usize) {
        line.clear();
        line.extend(row.iter().map(|factor| b'0' + factor));
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(u32, &[u8]), &str>) {
        match (read(text.as_bytes()), expected) {
            (Ok(found), Ok((width, factors))) => {
                assert_eq!((found.width, found.factors.as_slice()), (width, factors), "{text:?}");
                let mut again = Vec::new();
                write(&found, &mut again).unwrap();
                assert_eq!(read(&again), Ok(found), "{text:?}");
            }
            (Err(error), Err(start)) => {
                assert!(error.to_string().starts_with(start), "{text:?}: {error}");
            }
            (found, _) => panic!("{text:?}: {found:?}"),
        }
    }

    #[test]
    fn rows_of_digits() {
        check("12\r\n39\r\n\r\n \n", Ok((2, &[1, 2, 3, 9])));
        check("5", Ok((1, &[5])));
        check("", Err("line 1, column 1: a row of terrain factors"));
        check("\n\n", Err("line 1, column 1: a row of terrain factors"));
        check("\n 1\n", Ok((1, &[1])));
        check(
            "12\n3\n",
            Err("line 2, column 2: a row of 2 cells was expected, this one ends after 1"),
        );
        check(
            "12\n\n34\n",
            Err("line 2, column 1: a row of 2 cells was expected, this one ends after 0"),
        );
        check(
            "12\n30\n",
            Err("line 2, column 2: a terrain factor, a digit from 1 to 9, was expected, `0`"),
        );
    }

    #[test]
    fn what_digits_can_not_say_is_not_written() {
        let terrain =
            |width, height, factors: &[u8]| TerrainRows { width, height, factors: factors.into() };
        for refused in
            [terrain(1, 1, &[10]), terrain(1, 1, &[0]), terrain(2, 1, &[1]), terrain(0, 0, &[])]
        {
            let error = write(&refused, &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }
}
