//! Locations on a map: cells by coordinates, nodes by id.
//!
//! Functions that take a location accept `impl Into<Location>`, so callers write `(3, 4)` on a grid
//! and `17` on a graph. [`Map::node`](crate::Map::node) turns a [`Location`] into the [`NodeId`]
//! that engines use.

use std::fmt;

use crate::graph::NodeId;

/// A cell of a grid: column `x` from the left, row `y` from the top, both from zero.
///
/// ```
/// use portolan::Cell;
/// let cell = Cell::from((3, 4));
/// assert_eq!((cell.x, cell.y), (3, 4));
/// assert_eq!(<[u32; 2]>::from(cell), [3, 4]);
/// assert_eq!(cell.to_string(), "3,4");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Cell {
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
}

impl Cell {
    /// The cell in this column and row.
    pub const fn new(x: u32, y: u32) -> Self {
        Self { x, y }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{},{}", self.x, self.y)
    }
}

/// Short, like a tuple, because paths are printed cell by cell.
impl fmt::Debug for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "({}, {})", self.x, self.y)
    }
}

impl From<(u32, u32)> for Cell {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y }
    }
}

impl From<[u32; 2]> for Cell {
    fn from([x, y]: [u32; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Cell> for (u32, u32) {
    fn from(Cell { x, y }: Cell) -> Self {
        (x, y)
    }
}

impl From<Cell> for [u32; 2] {
    fn from(Cell { x, y }: Cell) -> Self {
        [x, y]
    }
}

impl PartialEq<(u32, u32)> for Cell {
    fn eq(&self, &(x, y): &(u32, u32)) -> bool {
        (self.x, self.y) == (x, y)
    }
}

/// A location on a map: a cell of a grid or a node of a graph.
///
/// Pairs and arrays of integers are cells; a `u32` is a node. Coordinates may have any size and
/// sign. Using a cell outside the map is an error that names the cell as given.
///
/// ```
/// use portolan::{Cell, Location};
/// assert_eq!(Location::from((3, 4)), Location::from(Cell::new(3, 4)));
/// assert_eq!(Location::from([-1, 4]).to_string(), "cell -1,4");
/// assert_eq!(Location::from(17).to_string(), "node 17");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Location {
    /// A cell of a grid.
    Cell {
        /// The column.
        x: i64,
        /// The row.
        y: i64,
    },
    /// A node of a graph; on a grid `y * width + x`.
    Node(NodeId),
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell { x, y } => write!(out, "cell {x},{y}"),
            Self::Node(node) => write!(out, "node {node}"),
        }
    }
}

impl From<NodeId> for Location {
    fn from(node: NodeId) -> Self {
        Self::Node(node)
    }
}

impl From<Cell> for Location {
    fn from(Cell { x, y }: Cell) -> Self {
        Self::Cell { x: x.into(), y: y.into() }
    }
}

impl<T> From<&T> for Location
where
    T: Copy,
    Self: From<T>,
{
    fn from(location: &T) -> Self {
        Self::from(*location)
    }
}

/// Converts pairs and arrays of coordinates.
macro_rules! from_coordinates {
    ($($number:ty),*) => {$(
        impl From<($number, $number)> for Location {
            fn from((x, y): ($number, $number)) -> Self {
                Self::Cell { x: widened(x), y: widened(y) }
            }
        }

        impl From<[$number; 2]> for Location {
            fn from([x, y]: [$number; 2]) -> Self {
                (x, y).into()
            }
        }
    )*};
}

from_coordinates!(u8, u16, u32, u64, usize, i16, i32, i64, isize);

/// Widens a coordinate. Coordinates that do not fit are outside every map.
fn widened(coordinate: impl TryInto<i64>) -> i64 {
    coordinate.try_into().unwrap_or(i64::MAX)
}

/// Converts vectors and points of `glam`, `nalgebra`, `cgmath` and others through `mint`.
#[cfg(feature = "mint")]
mod mint_types {
    use super::{Cell, Location};

    macro_rules! from_mint {
        ($($kind:ident),*) => {$(
            impl From<mint::$kind<u32>> for Cell {
                fn from(at: mint::$kind<u32>) -> Self {
                    Self { x: at.x, y: at.y }
                }
            }

            impl From<Cell> for mint::$kind<u32> {
                fn from(Cell { x, y }: Cell) -> Self {
                    Self { x, y }
                }
            }

            impl From<mint::$kind<u32>> for Location {
                fn from(at: mint::$kind<u32>) -> Self {
                    (at.x, at.y).into()
                }
            }

            impl From<mint::$kind<i32>> for Location {
                fn from(at: mint::$kind<i32>) -> Self {
                    (at.x, at.y).into()
                }
            }
        )*};
    }

    from_mint!(Point2, Vector2);

    impl mint::IntoMint for Cell {
        type MintType = mint::Point2<u32>;
    }
}

/// The size of a map, which determines its valid cells or node ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// A grid of this many columns and rows.
    Cells {
        /// The number of columns.
        width: u32,
        /// The number of rows.
        height: u32,
    },
    /// A graph with node ids below this number.
    Nodes(usize),
}

impl Extent {
    /// The location of a node: a cell on grids.
    pub(crate) fn location(self, node: NodeId) -> Location {
        self.cell(node).map_or(Location::Node(node), Location::from)
    }

    /// The cell of a node; `None` outside the map and on graphs.
    pub(crate) fn cell(self, node: NodeId) -> Option<Cell> {
        match self {
            Self::Cells { width, height }
                if u64::from(node) < u64::from(width) * u64::from(height) =>
            {
                Some(Cell { x: node % width, y: node / width })
            }
            _ => None,
        }
    }

    /// The node at a location; `None` outside the map and for cells of graphs.
    pub(crate) fn node(self, location: Location) -> Option<NodeId> {
        match (self, location) {
            (Self::Cells { width, height }, Location::Cell { x, y }) => {
                let x = u32::try_from(x).ok().filter(|&x| x < width)?;
                let y = u32::try_from(y).ok().filter(|&y| y < height)?;
                Some(y * width + x)
            }
            (Self::Cells { width, height }, Location::Node(node)) => {
                (u64::from(node) < u64::from(width) * u64::from(height)).then_some(node)
            }
            (Self::Nodes(nodes), Location::Node(node)) => ((node as usize) < nodes).then_some(node),
            (Self::Nodes(_), Location::Cell { .. }) => None,
        }
    }
}

/// Shows the range of valid locations.
impl fmt::Display for Extent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cells { width, height } => write!(
                out,
                "the map has {width} x {height} cells: x runs from 0 to {}, y from 0 to {}",
                width.saturating_sub(1),
                height.saturating_sub(1)
            ),
            Self::Nodes(0) => out.write_str("the map is a graph without nodes"),
            Self::Nodes(nodes) => {
                write!(
                    out,
                    "the map is a graph: node ids run from 0 to {}",
                    nodes.saturating_sub(1)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Extent = Extent::Cells { width: 5, height: 3 };

    #[test]
    fn nodes_and_cells_of_a_grid_are_the_same_locations() {
        for node in 0..15 {
            assert_eq!(GRID.node(GRID.location(node)), Some(node));
            assert_eq!(GRID.node(node.into()), Some(node));
        }
        assert_eq!(GRID.location(7), (2, 1).into());
        assert_eq!(GRID.location(15), Location::Node(15));
    }

    #[test]
    fn nothing_outside_the_map_is_a_node() {
        for cell in [(5, 0), (0, 3), (-1, 0), (0, -1), (i64::MAX, i64::MAX)] {
            assert_eq!(GRID.node(cell.into()), None, "{cell:?}");
        }
        assert_eq!(GRID.node((usize::MAX, 0).into()), None);
        assert_eq!(GRID.node(15.into()), None);
        assert_eq!(Extent::Nodes(4).node((0, 0).into()), None);
        assert_eq!(Extent::Nodes(4).node(4.into()), None);
    }

    #[cfg(feature = "mint")]
    #[test]
    fn vectors_of_other_crates_are_cells() {
        let at = mint::Vector2 { x: 3u32, y: 4 };
        assert_eq!(Cell::from(at), Cell::new(3, 4));
        assert_eq!(Location::from(mint::Point2 { x: -3, y: 4 }), (-3, 4).into());
        assert_eq!(mint::Point2::<u32>::from(Cell::new(3, 4)), mint::Point2 { x: 3, y: 4 });
    }
}
