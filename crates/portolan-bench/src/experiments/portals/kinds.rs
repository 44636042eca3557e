//! The kinds of map: rooms, mazes, and one of Baldur's Gate.

use std::path::Path;

use portolan::generate::{Caves, GenerateError, Mazes, Rooms};
use portolan::{Connectivity, Grid, Map};

use super::Plan;
use crate::workload::{Subject, maps};
use crate::{Error, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rooms,
    Mazes,
    Gate,
}

/// The map of the paper, by the folder of maps.
const GATE: &str = "bgmaps/AR0012SR.map";

/// How many of the walls between rooms have a door. The paper's maps have 2,719 one-sided gates, so
/// 1,360 doors in 1,984 walls.
const DOORS: f64 = 0.685;

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Rooms, Self::Mazes, Self::Gate];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rooms => "Rooms",
            Self::Mazes => "Mazes",
            Self::Gate => "B. Gate",
        }
    }

    /// What the maps are, in words.
    pub(super) fn describe(self, plan: &Plan) -> String {
        let side = plan.side;
        match self {
            Self::Rooms => format!(
                "{} of {side} x {side} cells, rooms of 8 x 8, a door in {:.1} % of the walls, \
                 four-connected, Manhattan distance",
                text::count(plan.maps as usize, "generated map", "generated maps"),
                100.0 * DOORS
            ),
            Self::Mazes => format!(
                "{} of {side} x {side} cells with corridors of one cell, every cell doubled, \
                 four-connected, Manhattan distance",
                text::count(plan.maps as usize, "generated maze", "generated mazes")
            ),
            Self::Gate if plan.gate_is_real => "one map, eight-connected, octile distance".into(),
            Self::Gate => "a generated cave in place of the map, which is not there: nothing can be compared; \
                           eight-connected, octile distance"
                .into(),
        }
    }

    /// The maps of this kind.
    pub(super) fn maps(self, plan: &Plan) -> Result<Vec<Subject>, Error> {
        let seeds = (0..u64::from(plan.maps)).map(|number| plan.seed.wrapping_add(number));
        match self {
            Self::Rooms => seeds.map(|seed| rooms(plan.side, seed)).collect(),
            Self::Mazes => seeds.map(|seed| maze(plan.side, seed)).collect(),
            Self::Gate => Ok(vec![gate(plan.folder, plan)?]),
        }
    }
}

fn rooms(side: u32, seed: u64) -> Result<Subject, Error> {
    // One more column and row, so that the last rooms have a wall behind them.
    let size = side + 1;
    let rooms = Rooms { width: size, height: size, room: 8, doors: DOORS, connected: true, seed };
    let grid = rooms.generate().map_err(Error::Generate)?;
    let grid = grid.with_connectivity(Connectivity::Four);
    Ok(Subject::new(format!("rooms of seed {seed}").as_str(), grid))
}

fn maze(side: u32, seed: u64) -> Result<Subject, Error> {
    let maze = Mazes { width: side, height: side, corridor: 1, seed, ..Mazes::default() };
    let grid = maze.generate().map_err(Error::Generate)?;
    let doubled = Grid::from_fn(2 * side, 2 * side, |x, y| grid.is_passable(x / 2, y / 2));
    let doubled = doubled.map_err(GenerateError::Grid).map_err(Error::Generate)?;
    let grid = doubled.with_connectivity(Connectivity::Four);
    Ok(Subject::new(format!("maze of seed {seed}").as_str(), grid))
}

/// The map that the paper has, if it is wanted and there.
pub(super) fn real_gate(folder: Option<&Path>, quick: bool) -> Result<Option<Subject>, Error> {
    if quick { Ok(None) } else { maps::grid_in(folder, GATE) }
}

/// The real map or, where it is not there, a cave of its size.
fn gate(folder: Option<&Path>, plan: &Plan) -> Result<Subject, Error> {
    if let Some(real) = real_gate(folder, plan.quick)? {
        return Ok(real);
    }
    let (width, height) = if plan.quick { (48, 48) } else { (148, 139) };
    let caves = Caves { width, height, seed: plan.seed, ..Caves::default() };
    let grid = caves.generate().map_err(Error::Generate)?;
    Ok(Subject::new("generated cave", Map::from(grid)))
}
