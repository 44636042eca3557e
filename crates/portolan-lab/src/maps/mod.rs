//! Where maps come from. A [`MapChoice`] is small enough for a link, and the same choice is always
//! the same map.

mod gallery;
mod generated;

use portolan::generate::Random;
use portolan::{Connectivity, Corners, Grid, Map, NodeId};
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::shelf::Limits;
pub(crate) use gallery::GALLERY;
pub(crate) use generated::{Generated, Kind};

/// A map and the rules of moves on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MapChoice {
    pub(crate) source: MapSource,
    /// Of grids.
    #[serde(default)]
    pub(crate) moves: Moves,
    /// Of grids with eight moves.
    #[serde(default)]
    pub(crate) corners: CornerRule,
}

/// Where a map comes from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub(crate) enum MapSource {
    /// One of [`GALLERY`].
    Gallery { name: String },
    /// A generator with these settings.
    Generated(Generated),
    /// A dropped file, by the hash of its contents.
    File { name: String, hash: String },
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Moves {
    Four,
    #[default]
    Eight,
    Hex,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CornerRule {
    #[default]
    Never,
    PastOne,
    Always,
}

impl MapChoice {
    /// A name for the shelf: the same for the same map.
    pub(crate) fn key(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The rules of moves, on a grid.
    pub(crate) fn with_rules(&self, map: Map) -> Map {
        let connectivity = match self.moves {
            Moves::Four => Connectivity::Four,
            Moves::Eight => Connectivity::Eight,
            Moves::Hex => Connectivity::Hex,
        };
        let corners = match self.corners {
            CornerRule::Never => Corners::Never,
            CornerRule::PastOne => Corners::PastOne,
            CornerRule::Always => Corners::Always,
        };
        match map {
            Map::Grid(grid) => {
                Map::Grid(grid.with_connectivity(connectivity).with_corners(corners))
            }
            graph @ Map::Graph(_) => graph,
        }
    }
}

/// Fails if a map is larger than the lab takes.
pub(crate) fn check_size(map: &Map, limits: &Limits) -> Result<(), LabError> {
    let (unit, most) = match map {
        Map::Grid(_) => ("cells", limits.most_cells),
        Map::Graph(_) => ("nodes", limits.most_nodes),
    };
    check_count("the map", map.node_count() as u64, most, unit)
}

pub(crate) fn check_count(what: &str, found: u64, most: u64, unit: &str) -> Result<(), LabError> {
    if found <= most {
        return Ok(());
    }
    let (found, most) = (format!("{found} {unit}"), format!("{most} {unit}"));
    Err(LabError::TooLarge { what: what.into(), found, most })
}

/// A byte per cell: 0 for walls, else the terrain factor.
pub(crate) fn cell_values(grid: &Grid) -> Vec<u8> {
    let value = |x, y| if grid.is_passable(x, y) { grid.factor(x, y).unwrap_or(1) } else { 0 };
    (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| value(x, y))).collect()
}

/// A random free cell that fits; `None` if so many tries find none.
pub(crate) fn random_free_cell(
    map: &Map,
    random: &mut Random,
    tries: u32,
    fits: impl Fn(NodeId) -> bool,
) -> Option<NodeId> {
    let nodes = map.node_count() as u64;
    (0..tries).map(|_| random.below(nodes) as NodeId).find(|&node| map.contains(node) && fits(node))
}
