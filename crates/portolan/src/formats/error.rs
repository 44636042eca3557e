//! What can be wrong with a file, where, and how to mend it.

use std::fmt;
use std::path::PathBuf;

use crate::graph::GraphError;
use crate::grid::GridError;

/// Why a file was refused: where, what was expected, what was found, and how to mend it.
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
#[error("{}{problem}; {}", Prefix(.place), problem.remedy())]
#[non_exhaustive]
pub struct FormatError {
    /// Where, unless the file as a whole is meant.
    pub place: Option<Place>,
    /// What.
    pub problem: Problem,
}

/// Why a map file cannot be opened. Every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    /// The file has none of the formats that can be read.
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
        /// The system's reason.
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
    /// The coordinates beside a road network do not fit it.
    #[error("{}: {source}", path.display())]
    Coordinates {
        /// The file with the coordinates.
        path: PathBuf,
        /// What does not fit.
        source: GraphError,
    },
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Place {
    /// In a text; lines and columns count from one, and a column is a byte.
    Text {
        /// The line.
        line: u64,
        /// The column.
        column: u64,
    },
    /// In a picture; pixels count from zero at the top left, as cells do.
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
    /// Something else than what belongs here.
    #[error("{expected} was expected, `{found}` was found")]
    Unexpected {
        /// What belongs here.
        expected: &'static str,
        /// What stands here instead, escaped and shortened.
        found: String,
    },
    /// The line or the file ends too early.
    #[error("{expected} was expected, nothing was found")]
    Missing {
        /// What belongs here.
        expected: &'static str,
    },
    /// No whole number, or one out of range.
    #[error("{what} was expected, a whole number from {least} to {most}; `{found}` was found")]
    Number {
        /// What the number stands for.
        what: &'static str,
        /// The smallest number that is allowed.
        least: i64,
        /// The largest number that is allowed.
        most: i64,
        /// What stands here instead, escaped and shortened.
        found: String,
    },
    /// A row that is too short or too long.
    #[error("a row of {expected} cells was expected, this one {} {found}", if found < expected { "ends after" } else { "has" })]
    RowLength {
        /// How many cells belong in the row.
        expected: u64,
        /// How many are there.
        found: u64,
    },
    /// More or fewer things than the header announces.
    #[error("{expected} {what} were announced, {found} were found")]
    Count {
        /// The things that were counted.
        what: &'static str,
        /// How many the header announces.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Something that may occur only once.
    #[error("{what} occurs a second time: `{found}`")]
    Twice {
        /// What occurs twice.
        what: &'static str,
        /// Its second occurrence, escaped and shortened.
        found: String,
    },
    /// A header that announces more than a file of this length can hold; nothing is reserved for
    /// it.
    #[error(
        "{announced} {what} were announced, a file of this length is believed for up to {most}"
    )]
    HollowHeader {
        /// The things that are announced.
        what: &'static str,
        /// How many the header announces.
        announced: u64,
        /// How many a file of this length is believed for.
        most: u64,
    },
    /// More than this reader takes on, whatever the file's length.
    #[error("{found} {what} are too many, at most {most} can be read")]
    TooLarge {
        /// The things that are too many.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many are allowed.
        most: u64,
    },
    /// A pixel of value zero where a terrain factor belongs.
    #[error("a terrain factor from 1 to 255 was expected, a black pixel was found")]
    ZeroFactor,
    /// A picture that cannot be decoded.
    #[error("a PNG picture was expected, decoding it failed: {reason}")]
    Picture {
        /// What the decoder says.
        reason: String,
    },
    /// A kind of file that this build leaves out.
    #[error("{kind} cannot be read by this build")]
    LeftOut {
        /// The kind of file.
        kind: &'static str,
    },
    /// A grid of these cells cannot be made.
    #[error("{0}")]
    Grid(GridError),
    /// A graph of these edges cannot be made.
    #[error("{0}")]
    Graph(GraphError),
}

impl FormatError {
    pub(super) fn at(place: Place, problem: Problem) -> Self {
        Self { place: Some(place), problem }
    }

    /// What to do about it, in one sentence.
    pub fn remedy(&self) -> &'static str {
        self.problem.remedy()
    }
}

impl Problem {
    fn remedy(&self) -> &'static str {
        match self {
            Self::Unexpected { .. } => {
                "replace it, or check that this is the kind of file it is read as"
            }
            Self::Missing { .. } => "add it, or check that the file is complete",
            Self::Number { .. } => "write a number in this range, in digits only",
            Self::RowLength { .. } => "make every row as long as the header or the first row says",
            Self::Count { .. } => {
                "correct the number in the header, or check that the file is complete"
            }
            Self::Twice { .. } => "keep one of the two",
            Self::HollowHeader { .. } => {
                "correct the number in the header, or check that the file is complete"
            }
            Self::TooLarge { .. } => "split or scale down the map",
            Self::ZeroFactor => {
                "give every pixel a value of at least 1; what is blocked belongs in the map"
            }
            Self::Picture { .. } => "save the picture again as PNG",
            Self::LeftOut { .. } => "build with the cargo feature `png`",
            Self::Grid(_) | Self::Graph(_) => "split or scale down the map",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column } => write!(out, "line {line}, column {column}"),
            Self::Pixel { x, y } => write!(out, "pixel {x},{y}"),
        }
    }
}

/// Bytes of a file, fit to be shown: escaped, and cut after a few.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 32;
    match bytes.get(..SHOWN) {
        Some(start) if bytes.len() > SHOWN => format!("{}...", start.escape_ascii()),
        _ => bytes.escape_ascii().to_string(),
    }
}

struct Prefix<'a>(&'a Option<Place>);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |place| write!(out, "{place}: "))
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
