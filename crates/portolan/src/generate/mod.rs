//! Generators of maps and queries.
//!
//! Every generator is a struct of settings with defaults and a method `generate`. The same settings
//! give the same map in every version and on every machine: all numbers come from [`Random`], and
//! the arithmetic uses integers and the exactly specified IEEE operations (`+ - * /` and the square
//! root). Invalid settings give a [`GenerateError`] that names the field; no settings cause a
//! panic.
//!
//! | generator | result |
//! |---|---|
//! | [`Rooms`] | a lattice of square rooms joined by doors |
//! | [`Mazes`] | a perfect maze, or one with loops |
//! | [`Caves`] | smoothed noise |
//! | [`Obstacles`] | randomly scattered blocked cells |
//! | [`Streets`] | a town: streets, yards, parks, a river |
//! | [`Roads`] | the road network of a country, as a graph |
//! | [`Arena`] | moving obstacles on open ground, and queries after each edit |
//! | [`Switch`] | whole maps that replace each other, and queries after each edit |
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
mod pairs;
mod roads;
mod rooms;
mod script;
mod streets;
mod switch;

pub use crate::random::Random;
pub use arena::Arena;
pub use caves::Caves;
pub use mazes::Mazes;
pub use obstacles::Obstacles;
pub use pairs::Pairs;
pub use roads::{RoadMetric, Roads};
pub use rooms::Rooms;
pub use streets::Streets;
pub use switch::Switch;

use crate::graph::GraphError;
use crate::grid::{Grid, GridError};

/// The most cells that a generated grid may have.
pub const MAX_CELLS: u64 = 1 << 31;

/// Why a map cannot be generated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// More cells than generators accept.
    #[error("width x height is {width} x {height} cells; at most {MAX_CELLS} are allowed")]
    TooLarge {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
    },
    /// A whole number out of range.
    #[error("{field} is {found}; {least} to {most} is allowed here")]
    Number {
        /// The name of the setting.
        field: &'static str,
        /// The given value.
        found: u64,
        /// The smallest value allowed with the other settings.
        least: u64,
        /// The largest value allowed with the other settings.
        most: u64,
    },
    /// A share or probability out of range or not a number.
    #[error("{field} is {found}; {least} to {most} is allowed")]
    Share {
        /// The name of the setting.
        field: &'static str,
        /// The given value.
        found: f64,
        /// The smallest value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
    },
    /// Queries were requested on a map without passable cells or nodes.
    #[error("the map has no passable cell or node, so no query can be drawn on it")]
    NoUsableNode,
    /// The result is not a valid grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The result is not a valid graph.
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

/// Checks the size of a grid; `least` is the shortest side allowed.
fn check_size(width: u32, height: u32, least: u32) -> Result<(), GenerateError> {
    check_number("width", width, least, u32::MAX)?;
    check_number("height", height, least, u32::MAX)?;
    if u64::from(width) * u64::from(height) > MAX_CELLS {
        return Err(GenerateError::TooLarge { width, height });
    }
    Ok(())
}

/// A grid with only its largest component passable; of equal ones, the first row by row.
fn keep_largest(grid: &Grid) -> Result<Grid, GridError> {
    let components = crate::graph::weak_components(grid);
    let name = components.sizes().first().map(|&(name, _)| name);
    Grid::from_fn(grid.width(), grid.height(), |x, y| {
        name.is_some() && grid.node(x, y).and_then(|node| components.of(node)) == name
    })
}
