//! The generated maps: their kinds and sizes, and the memory limits they are built under.

use portolan::generate::{Caves, Mazes, Obstacles, Roads, Rooms, Streets};
use portolan::{Map, MemoryLimit};

use crate::Error;
use crate::text::grouped;
use crate::workload::{Subject, maps};

/// A kind of generated map, with the usual settings of its generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Rooms of 16 cells.
    Rooms,
    /// Caves.
    Caves,
    /// A town.
    Streets,
    /// Cells blocked at random.
    Noise,
    /// Mazes.
    Mazes,
    /// Road networks.
    Roads,
}

/// A memory limit, and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) bytes: u64,
    pub(super) amount: String,
    pub(super) unit: &'static str,
}

/// Bytes a cell of the limits that grids are built under.
const BYTES_A_CELL: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// A node of a road network counts as much as this many cells.
const CELLS_A_NODE: u64 = 25;
/// MiB of the limits that real maps are built under.
const MEBIBYTES: [u64; 6] = [4, 8, 16, 32, 64, 128];
const MEBIBYTE: u64 = 1 << 20;
/// The nodes of road networks, as far as they are asked for.
const NODES: [u32; 10] = [
    50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000,
    32_000_000,
];
/// The side of the smallest grid; each is twice as long as the one before.
const LEAST_SIDE: u32 = 512;

impl Kind {
    /// All kinds, in the order of tables.
    pub const ALL: [Self; 6] =
        [Self::Rooms, Self::Caves, Self::Streets, Self::Noise, Self::Mazes, Self::Roads];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rooms => "rooms",
            Self::Caves => "caves",
            Self::Streets => "streets",
            Self::Noise => "noise",
            Self::Mazes => "mazes",
            Self::Roads => "roads",
        }
    }

    /// A map of this many cells a side, or nodes.
    pub(super) fn generate(self, size: u32, seed: u64) -> Result<Subject, Error> {
        let (width, height) = (size, size);
        let mut subject = match self {
            Self::Rooms => maps::rooms(&Rooms { width, height, seed, ..Rooms::default() }),
            Self::Caves => maps::cave(&Caves { width, height, seed, ..Caves::default() }),
            Self::Streets => maps::streets(&Streets { width, height, seed, ..Streets::default() }),
            Self::Noise => maps::noise(&Obstacles { width, height, seed, ..Obstacles::default() }),
            Self::Mazes => maps::maze(&Mazes { width, height, seed, ..Mazes::default() }),
            Self::Roads => maps::roads(&Roads { nodes: size, seed, ..Roads::default() }),
        }?;
        subject.settings.seed = seed;
        Ok(subject)
    }

    /// The sizes up to the largest one.
    pub(super) fn sizes(self, side: u32, nodes: u32) -> Vec<u32> {
        match self {
            Self::Roads => NODES.into_iter().filter(|&size| size <= nodes).collect(),
            _ => {
                let sides = std::iter::successors(Some(LEAST_SIDE), |side| side.checked_mul(2));
                sides.take_while(|&size| size <= side).collect()
            }
        }
    }

    /// The limits under which a map of this kind shows all forms.
    pub(super) fn limits(self, cells: usize) -> Vec<Limit> {
        let (factor, one, many) = match self {
            Self::Roads => (CELLS_A_NODE, "byte a node", "bytes a node"),
            _ => (1, "byte a cell", "bytes a cell"),
        };
        let limit = |each: u64| Limit {
            bytes: each * factor * cells as u64,
            amount: grouped(each * factor),
            unit: if each * factor == 1 { one } else { many },
        };
        BYTES_A_CELL.map(limit).to_vec()
    }
}

impl Limit {
    /// What a map is built under by default.
    pub(super) fn usual(map: &Map) -> Self {
        let limit = MemoryLimit::Auto.bytes(map);
        Self { bytes: limit, amount: grouped(limit / MEBIBYTE), unit: "MiB" }
    }

    /// As tables write it: `128 MiB`.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.amount, self.unit)
    }

    /// Those of real maps.
    pub(super) fn of_real_maps() -> Vec<Self> {
        let limit = |mebibytes: u64| Self {
            bytes: mebibytes * MEBIBYTE,
            amount: mebibytes.to_string(),
            unit: "MiB",
        };
        MEBIBYTES.map(limit).to_vec()
    }
}

/// The size of a map in words.
pub(super) fn size(map: &Map) -> String {
    match map {
        Map::Grid(grid) => format!("{} x {}", grid.width(), grid.height()),
        Map::Graph(graph) => format!("{} nodes", grouped(portolan::Graph::node_count(graph))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_end_with_the_largest_that_is_asked_for() {
        assert_eq!(Kind::Caves.sizes(8192, 0), [512, 1024, 2048, 4096, 8192]);
        assert_eq!(Kind::Caves.sizes(2047, 0), [512, 1024]);
        assert_eq!(Kind::Roads.sizes(0, 200_000), [50_000, 100_000, 200_000]);
        assert_eq!(Kind::Roads.sizes(0, 4_000_000).last(), Some(&4_000_000));
    }

    #[test]
    fn limits_suit_the_map() {
        let map = |size| Kind::Rooms.generate(size, 1).unwrap().map;
        assert_eq!(Limit::usual(&map(64)).bytes, 128 << 20);
        assert_eq!(Limit::usual(&map(4096)).bytes, 24 * 4096 * 4096);
        let roads = Kind::Roads.limits(1000);
        assert_eq!((roads[0].bytes, roads[0].name()), (25_000, "25 bytes a node".to_owned()));
        assert_eq!(Kind::Noise.limits(1000)[0].name(), "1 byte a cell");
    }
}
