//! Generated maps: one set of settings for all kinds.

use portolan::Map;
use portolan::generate::{Caves, GenerateError, Mazes, Obstacles, Roads, Rooms, Streets};
use serde::{Deserialize, Serialize};

use super::check_count;
use crate::error::{LabError, bad_request};
use crate::shelf::Limits;

/// Settings of a generator.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Generated {
    pub(crate) kind: Kind,
    /// Cells along a side; for roads, thousands of nodes.
    pub(crate) size: u32,
    /// The setting that matters most; see [`Kind::described`].
    pub(crate) grain: u32,
    pub(crate) seed: u64,
}

/// What generators make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Rooms,
    Maze,
    Caves,
    Town,
    Noise,
    Roads,
}

/// What the page shows of a kind.
#[derive(Debug, Serialize)]
pub(crate) struct DescribedKind {
    kind: Kind,
    title: &'static str,
    /// What [`Generated::size`] means, its range and the proposal.
    size: Range,
    /// The same for [`Generated::grain`].
    grain: Range,
}

#[derive(Debug, Serialize)]
struct Range {
    label: &'static str,
    least: u32,
    most: u32,
    proposal: u32,
}

impl Range {
    fn check(&self, value: u32) -> Result<(), LabError> {
        let Self { label, least, most, .. } = self;
        if (*least..=*most).contains(&value) {
            return Ok(());
        }
        Err(bad_request(format!("`{label}` is {value}; it must be from {least} to {most}")))
    }
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Rooms, Self::Maze, Self::Caves, Self::Town, Self::Noise, Self::Roads];

    pub(crate) fn described(self) -> DescribedKind {
        let side = Range { label: "Cells along a side", least: 16, most: 2048, proposal: 256 };
        let (title, size, label, least, most, proposal) = match self {
            Self::Rooms => ("Rooms", side, "Cells from wall to wall", 2, 64, 16),
            Self::Maze => ("Maze", side, "Cells across a corridor", 1, 15, 3),
            Self::Caves => ("Caves", side, "Size of the rocks", 1, 16, 4),
            Self::Town => ("Town", side, "Cells along a block", 8, 128, 32),
            Self::Noise => ("Noise", side, "Blocked cells in percent", 0, 60, 25),
            Self::Roads => {
                let nodes =
                    Range { label: "Thousand junctions", least: 1, most: 200, proposal: 20 };
                ("Roads", nodes, "One-way streets in percent", 0, 30, 10)
            }
        };
        DescribedKind { kind: self, title, size, grain: Range { label, least, most, proposal } }
    }
}

impl Generated {
    /// Generates the map.
    pub(crate) fn generate(&self, limits: &Limits) -> Result<Map, LabError> {
        match self.kind {
            Kind::Roads => {
                let nodes = u64::from(self.size) * 1000;
                check_count("the road network", nodes, limits.most_nodes, "nodes")?;
            }
            _ => {
                let cells = u64::from(self.size).pow(2);
                check_count("the map", cells, limits.most_cells, "cells")?;
            }
        }
        let DescribedKind { size, grain, .. } = self.kind.described();
        size.check(self.size)?;
        grain.check(self.grain)?;
        Ok(self.run()?)
    }

    fn run(&self) -> Result<Map, GenerateError> {
        let (width, height, grain, seed) = (self.size, self.size, self.grain, self.seed);
        let share = f64::from(grain) / 100.0;
        Ok(match self.kind {
            Kind::Rooms => {
                Rooms { width, height, room: grain, seed, ..Rooms::default() }.generate()?.into()
            }
            Kind::Maze => {
                let loops = 0.02;
                Mazes { width, height, corridor: grain, loops, seed, ..Mazes::default() }
                    .generate()?
                    .into()
            }
            Kind::Caves => {
                Caves { width, height, grain, seed, ..Caves::default() }.generate()?.into()
            }
            Kind::Town => {
                let default = Streets::default();
                let (avenue, river) = (default.avenue.min(grain), default.river.min(grain));
                let town = Streets { width, height, block: grain, avenue, river, seed, ..default };
                town.generate()?.into()
            }
            Kind::Noise => {
                let noise =
                    Obstacles { width, height, blocked: share, seed, ..Obstacles::default() };
                noise.generate()?.into()
            }
            Kind::Roads => {
                let nodes = self.size.saturating_mul(1000);
                Roads { nodes, one_way: share, seed, ..Roads::default() }.generate()?.into()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_outside_the_ranges_of_the_page_are_refused() {
        for kind in Kind::ALL {
            let DescribedKind { size, grain, .. } = kind.described();
            let refusal = |size, grain| {
                let generated = Generated { kind, size, grain, seed: 1 };
                generated.generate(&Limits::default()).unwrap_err().to_string()
            };
            assert!(refusal(size.least, grain.most + 1).contains(&grain.most.to_string()));
            assert!(refusal(size.least - 1, grain.most).contains(&size.least.to_string()));
        }
    }
}
