//! The map under test.

use std::fmt;
use std::num::IntErrorKind;
use std::path::PathBuf;
use std::str::FromStr;

use portolan::{Connectivity, Corners, EndpointError, Location, Map, NodeId, Settings};
use serde::{Serialize, Serializer};

use crate::Error;

/// A map, its name, and what engines on it are built with.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The file it came from, or what it is called.
    pub path: PathBuf,
    /// The map itself.
    pub map: Map,
    /// The side of the unit that moves; the map has been made for it.
    pub agent: u32,
    /// What engines are built with.
    pub settings: Settings,
}

/// A place on a map, as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Column and row of a grid.
    Cell(u32, u32),
    /// The id of a graph's node, as the file counts.
    Node(u32),
}

/// DIMACS files count nodes from one.
const FIRST_ID: u32 = 1;

impl Subject {
    /// This map under this name, with default settings.
    pub fn new(path: impl Into<PathBuf>, map: impl Into<Map>) -> Self {
        let (path, map) = (path.into(), map.into());
        Self { path, map, agent: 1, settings: Settings::default() }
    }

    /// The error of something that needs coordinates on a graph without any.
    pub fn without_coordinates(&self, consequence: String) -> Error {
        let beside = self.path.with_extension("co");
        let beside = beside.is_file().then_some(beside);
        Error::NoCoordinates { path: self.path.clone(), consequence, beside }
    }

    /// `grid` or `graph`.
    pub fn word(&self) -> &'static str {
        match self.map {
            Map::Grid(_) => "grid",
            Map::Graph(_) => "graph",
        }
    }

    /// Whether the lengths of MovingAI scenarios hold: eight moves, corners never cut, one terrain,
    /// a unit of one cell.
    pub(crate) fn has_scenario_rules(&self) -> bool {
        match &self.map {
            Map::Grid(grid) => {
                grid.connectivity() == Connectivity::Eight
                    && grid.corners() == Corners::Never
                    && !grid.has_terrain()
                    && self.agent == 1
            }
            Map::Graph(_) => true,
        }
    }

    /// The node at a place of the map; it may be blocked.
    pub fn node_at(&self, place: Place) -> Option<NodeId> {
        match (&self.map, place) {
            (Map::Grid(grid), Place::Cell(x, y)) => grid.node(x, y),
            (Map::Graph(_), Place::Node(id)) => {
                id.checked_sub(FIRST_ID).filter(|&node| (node as usize) < self.map.node_count())
            }
            _ => None,
        }
    }

    /// The place of a node.
    pub fn place(&self, node: NodeId) -> Place {
        match &self.map {
            Map::Grid(grid) => Place::Cell(node % grid.width(), node / grid.width()),
            Map::Graph(_) => Place::Node(node.saturating_add(FIRST_ID)),
        }
    }

    fn named(&self, at: Location) -> Place {
        match at {
            Location::Node(node) => self.place(node),
            Location::Cell { x, y } => Place::Cell(x as u32, y as u32),
        }
    }

    /// Why an engine refuses a query, with places as people write them.
    pub fn refusal(&self, error: &EndpointError) -> String {
        match *error {
            EndpointError::Outside { at, .. } => format!("{} is not on the map", self.named(at)),
            EndpointError::Blocked { at } => format!("{} is blocked", self.named(at)),
            EndpointError::CostOverflow { from, to } => {
                let (from, to) = (self.named(from), self.named(to));
                format!("the path from {from} to {to} costs more than a cost can hold")
            }
            _ => error.to_string(),
        }
    }

    /// [`refusal`](Self::refusal) as an error.
    pub fn refused(&self, error: &EndpointError) -> Error {
        Error::Refused { reason: self.refusal(error) }
    }
}

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "x,y on grids, as in 3,4, or a node id on graphs, as in 17; \
            these count from 0 on grids, from 1 on DIMACS graphs";
        let number = |text: &str| {
            text.trim().parse::<u32>().map_err(|error| match error.kind() {
                IntErrorKind::PosOverflow => "too large: no map has so many cells or nodes",
                _ => EXPECTED,
            })
        };
        match text.split_once(',') {
            Some((x, y)) => Ok(Self::Cell(number(x)?, number(y)?)),
            None => Ok(Self::Node(number(text)?)),
        }
    }
}

/// `[x, y]` or the id.
impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Cell(x, y) => [x, y].serialize(serializer),
            Self::Node(id) => id.serialize(serializer),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell(x, y) => write!(out, "{x},{y}"),
            Self::Node(id) => write!(out, "{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        assert_eq!("3,4".parse(), Ok(Place::Cell(3, 4)));
        assert_eq!(" 3 , 4".parse(), Ok(Place::Cell(3, 4)));
        assert_eq!("17".parse(), Ok(Place::Node(17)));
        for refused in ["", ",", "1,", "-1,2", "1,2,3", "4294967296", "x"] {
            assert!(refused.parse::<Place>().is_err(), "{refused}");
        }
        let too_large = "4294967297,4".parse::<Place>().unwrap_err();
        assert!(too_large.starts_with("too large"), "{too_large}");
    }
}
