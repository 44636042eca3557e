//! Terrain files: one digit, `1` to `9`, per cell, one line per row.
//!
//! Spaces and tabs around rows, and blank lines before the first and after the last, are ignored.

use std::io::{self, Write};

use super::error::{FormatError, Problem};
use super::lines::TextLines;

/// The terrain factors of a grid's cells. If the sizes agree, pass [`factors`](Self::factors) to
/// [`Grid::with_terrain`](crate::Grid::with_terrain).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerrainRows {
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The factor of every cell, at least 1, row by row.
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
    for row in TextLines::rows(text) {
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
        return Err(FormatError::at(
            TextLines::new(text).next_position(),
            Problem::Missing { expected },
        ));
    }
    let width = u32::try_from(width).unwrap_or(u32::MAX);
    match crate::Grid::check_size(width, height) {
        Ok(()) => Ok(TerrainRows { width, height, factors }),
        Err(error) => Err(FormatError { position: None, problem: Problem::Grid(error) }),
    }
}

/// Writes rows of digits. Factors above 9, and rows that do not fit the size, are
/// [`InvalidInput`](io::ErrorKind::InvalidInput) errors.
pub fn write(terrain: &TerrainRows, out: &mut impl Write) -> io::Result<()> {
    let refuse = |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    let cells = u64::from(terrain.width) * u64::from(terrain.height);
    if cells == 0 || cells != terrain.factors.len() as u64 {
        return refuse("the terrain's factors do not fill its rows");
    }
    if !terrain.factors.iter().all(|factor| (1..=9).contains(factor)) {
        return refuse("a terrain factor is not 1 to 9, and the format has one digit per cell");
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
    use crate::formats::check_read;

    fn check(text: &str, expected: Result<(u32, &[u8]), &str>) {
        let found = read(text.as_bytes()).inspect(|found| {
            let mut again = Vec::new();
            write(found, &mut again).unwrap();
            assert_eq!(read(&again).as_ref(), Ok(found), "{text:?}");
        });
        let found = found.map(|found| (found.width, found.factors));
        check_read(text, found, expected.map(|(width, factors)| (width, factors.to_vec())));
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
    fn terrain_that_digits_cannot_express_is_not_written() {
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
