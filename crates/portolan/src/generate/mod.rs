//! Maps and queries made from a seed.
//!
//! Every generator is a struct of documented settings with defaults and a method `generate`. The
//! same settings give the same map in every version and on every machine: the numbers come from
//! [`Random`] alone, and the arithmetic is that of integers and of the IEEE operations whose every
//! bit is fixed (`+ - * /` and the square root). Settings that make no sense are refused with a
//! [`GenerateError`] that names the field; none can make a generator panic.
//!
//! | generator | what it makes |
//! |---|---|
//! | [`Rooms`] | a lattice of square rooms joined by doors |
//! | [`Mazes`] | a perfect maze, or one with loops |
//! | [`Caves`] | smoothed noise |
//! | [`Obstacles`] | blocked cells scattered at random |
//! | [`Streets`] | a town: streets, yards, parks, a river |
//! | [`Roads`] | a country's road network, as a graph |
//! | [`Arena`] | open ground with obstacles that move, and queries in between |
//! | [`Pairs`] | queries on any map |
//!
//! ```
//! use portolan::generate::Rooms;
//! let grid = Rooms { width: 64, height: 64, room: 8, seed: 1, ..Rooms::default() }.generate()?;
//! assert_eq!((grid.width(), grid.height()), (64, 64));
//! # Ok::<(), portolan::generate::GenerateError>(())
//! ```

mod arena;
mod canvas;
mod caves;
mod lattice;
mod mazes;
mod obstacles;
mod roads;
mod rooms;
mod scenario;
mod streets;

pub use crate::random::Random;
pub use arena::Arena;
pub use caves::Caves;
pub use mazes::Mazes;
pub use obstacles::Obstacles;
pub use roads::{RoadMetric, Roads};
pub use rooms::Rooms;
pub use scenario::Pairs;
pub use streets::Streets;

use crate::graph::GraphError;
use crate::grid::{Grid, GridError};

/// The most cells that a generated grid may have.
pub const MAX_CELLS: u64 = 1 << 31;

/// Why a map cannot be generated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// More cells than a generator agrees to fill.
    #[error("width x height is {width} x {height} cells; at most {MAX_CELLS} are allowed")]
    TooLarge {
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
    /// A whole number that is too small or too large.
    #[error("{field} is {found}; {least} to {most} is allowed here")]
    Number {
        /// The name of the setting.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The smallest value allowed with the other settings.
        least: u64,
        /// The largest value allowed with the other settings.
        most: u64,
    },
    /// A share or probability that is too small, too large, or no number.
    #[error("{field} is {found}; {least} to {most} is allowed")]
    Share {
        /// The name of the setting.
        field: &'static str,
        /// Its value.
        found: f64,
        /// The smallest value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
    },
    /// Queries were asked for on a map where nothing can stand.
    #[error("the map has no passable cell or node, so no query can be drawn on it")]
    NoUsableNode,
    /// The grid refused its size.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The graph refused its size or an edge.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

fn check_number(
    field: &'static str,
    found: impl Into<u64>,
    least: impl Into<u64>,
    most: impl Into<u64>,
) -> Result<(), GenerateError> {
    let (found, least, most) = (found.into(), least.into(), most.into());
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(GenerateError::Number { field, found, least, most })
    }
}

fn check_share(field: &'static str, found: f64, most: f64) -> Result<(), GenerateError> {
    if (0.0..=most).contains(&found) {
        Ok(())
    } else {
        Err(GenerateError::Share { field, found, least: 0.0, most })
    }
}

/// Whether a grid of this size may be generated; `least` is the shortest side allowed.
fn check_size(width: u32, height: u32, least: u32) -> Result<(), GenerateError> {
    check_number("width", width, least, u32::MAX)?;
    check_number("height", height, least, u32::MAX)?;
    if u64::from(width) * u64::from(height) > MAX_CELLS {
        return Err(GenerateError::TooLarge { width, height });
    }
    Ok(())
}

/// The cells of a grid with only its largest component left passable; of two as large, the one that
/// comes first row by row.
fn keep_largest(grid: &Grid) -> Result<Grid, GridError> {
    let components = crate::graph::weak_components(grid);
    let name = components.sizes().first().map(|&(name, _)| name);
    Grid::from_fn(grid.width(), grid.height(), |x, y| {
        name.is_some() && grid.node(x, y).and_then(|node| components.of(node)) == name
    })
}
