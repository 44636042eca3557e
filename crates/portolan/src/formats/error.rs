//! Errors in files: the problem, its position, and how to fix it.

use std::fmt;
use std::path::PathBuf;

use crate::graph::GraphError;
use crate::grid::GridError;

/// Why a file was rejected: the position, what was expected, what was found, and how to fix it.
///
/// ```
/// let error = portolan::formats::ascii::read(b"S.# / .. / ..T").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 9: a row of 3 cells was expected, this one ends after 2; \
///      make every row as long as the header or the first row says"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}; {}", Prefix(.position), problem.remedy())]
#[non_exhaustive]
pub struct FormatError {
    /// The position, unless the problem concerns the whole file.
    pub position: Option<FilePosition>,
    /// The problem.
    pub problem: Problem,
}

/// Why a map file cannot be opened. Every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    /// The file is in no known format.
    #[error(
        "{} is not a map in a known format: .map, .gr, .png, or a drawing in .txt",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read from disk.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The contents are wrong.
    #[error("{}: {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        source: FormatError,
    },
    /// The coordinates do not fit the road network.
    #[error("{}: {source}", path.display())]
    Coordinates {
        /// The file with the coordinates.
        path: PathBuf,
        /// What does not fit.
        source: GraphError,
    },
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FilePosition {
    /// In a text. Lines and columns count from one; a column is a byte.
    Text {
        /// The line.
        line: u64,
        /// The column.
        column: u64,
    },
    /// In a picture. Pixels count from zero at the top left, like cells.
    Pixel {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
    },
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else than expected.
    #[error("{expected} was expected, `{found}` was found")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What was found, escaped and shortened.
        found: String,
    },
    /// The line or the file ends too early.
    #[error("{expected} was expected, nothing was found")]
    Missing {
        /// What was expected.
        expected: &'static str,
    },
    /// Not a whole number, or one out of range.
    #[error("{what} was expected, a whole number from {least} to {most}; `{found}` was found")]
    Number {
        /// The meaning of the number.
        what: &'static str,
        /// The smallest allowed number.
        least: i64,
        /// The largest allowed number.
        most: i64,
        /// What was found, escaped and shortened.
        found: String,
    },
    /// A row that is too short or too long.
    #[error("a row of {expected} cells was expected, this one {} {found}", if found < expected { "ends after" } else { "has" })]
    RowLength {
        /// The expected number of cells.
        expected: u64,
        /// The actual number of cells.
        found: u64,
    },
    /// More or fewer things than the header announces.
    #[error("{expected} {what} were announced, {found} were found")]
    Count {
        /// The counted things.
        what: &'static str,
        /// The number in the header.
        expected: u64,
        /// The actual number.
        found: u64,
    },
    /// Something that may occur only once.
    #[error("{what} occurs a second time: `{found}`")]
    Duplicate {
        /// What occurs twice.
        what: &'static str,
        /// The second occurrence, escaped and shortened.
        found: String,
    },
    /// A header that announces more than a file of this length can have. Nothing is allocated.
    #[error("{announced} {what} were announced, a file of this length can have at most {most}")]
    ImplausibleHeader {
        /// The announced things.
        what: &'static str,
        /// The number in the header.
        announced: u64,
        /// The largest plausible number for a file of this length.
        most: u64,
    },
    /// More than this reader accepts, independent of the length of the file.
    #[error("{found} {what} are too many, at most {most} can be read")]
    TooLarge {
        /// The counted things.
        what: &'static str,
        /// The actual number.
        found: u64,
        /// The largest accepted number.
        most: u64,
    },
    /// A pixel of value zero instead of a terrain factor.
    #[error("a terrain factor from 1 to 255 was expected, a black pixel was found")]
    ZeroFactor,
    /// A picture that cannot be decoded.
    #[error("a PNG picture was expected, decoding it failed: {reason}")]
    Picture {
        /// The error of the decoder.
        reason: String,
    },
    /// A format that this build does not include.
    #[error("{kind} cannot be read by this build")]
    FeatureDisabled {
        /// The format.
        kind: &'static str,
    },
    /// The cells are not a valid grid.
    #[error("{0}")]
    Grid(GridError),
    /// The edges are not a valid graph.
    #[error("{0}")]
    Graph(GraphError),
}

impl FormatError {
    pub(super) fn at(position: FilePosition, problem: Problem) -> Self {
        Self { position: Some(position), problem }
    }

    /// How to fix the file, in one sentence.
    pub fn remedy(&self) -> &'static str {
        self.problem.remedy()
    }
}

impl Problem {
    fn remedy(&self) -> &'static str {
        match self {
            Self::Unexpected { .. } => {
                "replace it, or check that the file is in the expected format"
            }
            Self::Missing { .. } => "add it, or check that the file is complete",
            Self::Number { .. } => "write a number in this range, in digits only",
            Self::RowLength { .. } => "make every row as long as the header or the first row says",
            Self::Count { .. } => {
                "correct the number in the header, or check that the file is complete"
            }
            Self::Duplicate { .. } => "keep one of the two",
            Self::ImplausibleHeader { .. } => {
                "correct the number in the header, or check that the file is complete"
            }
            Self::TooLarge { .. } => "split or scale down the map",
            Self::ZeroFactor => {
                "give every pixel a value of at least 1; blocked cells belong in the map"
            }
            Self::Picture { .. } => "save the picture again as PNG",
            Self::FeatureDisabled { .. } => "build with the cargo feature `png`",
            Self::Grid(_) | Self::Graph(_) => "split or scale down the map",
        }
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column } => write!(out, "line {line}, column {column}"),
            Self::Pixel { x, y } => write!(out, "pixel {x},{y}"),
        }
    }
}

/// Bytes of a file for messages: escaped and shortened.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 32;
    match bytes.get(..SHOWN) {
        Some(start) if bytes.len() > SHOWN => format!("{}...", start.escape_ascii()),
        _ => bytes.escape_ascii().to_string(),
    }
}

struct Prefix<'a>(&'a Option<FilePosition>);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |position| write!(out, "{position}: "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_harmless() {
        assert_eq!(excerpt(b"ab\x1b[2J\xff"), r"ab\x1b[2J\xff");
        assert_eq!(excerpt(&[b'x'; 32]), "x".repeat(32));
        assert_eq!(excerpt(&[b'x'; 33]), "x".repeat(32) + "...");
    }

    #[test]
    fn errors_stay_small_enough_to_return() {
        assert!(size_of::<FormatError>() <= 96, "{}", size_of::<FormatError>());
    }
}
