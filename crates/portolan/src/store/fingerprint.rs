//! Fingerprints: identify the map of an index.
//!
//! A fingerprint covers everything that affects answers, and thus all inputs of an index:
//!
//! - of a grid: its size, cells, terrain if any (on blocked cells too), connectivity and, on
//!   eight-connected grids, the corner rule;
//! - of a graph: its nodes, the removed ones, its edges in order, and the coordinates.
//!
//! Coordinates do not affect costs. But they affect heuristics, partitions, the choice among
//! equally short paths, and the nearest node to an unreachable one. An index may depend on all of
//! these, so a map with other coordinates, or without, is a different map.
//!
//! The history of a map does not matter: undoing an edit restores the fingerprint. The hashed bytes
//! are part of the format; they change only together with [`TAG`].

use std::fmt;

use twox_hash::XxHash3_128;

use crate::graph::{CsrGraph, Graph, NodeId};
use crate::grid::{Connectivity, Corners, Grid};
use crate::map::Map;

/// A 128-bit XXH3 hash of everything in a map that affects answers. Equal on every machine and in
/// every version of the library that reads the same index files.
///
/// ```
/// use portolan::store::Fingerprint;
/// use portolan::{Grid, Map};
/// let mut grid = Grid::new(8, 8)?;
/// let before = Fingerprint::of(&Map::from(&grid));
/// grid.set_passable(3, 3, false)?;
/// assert_ne!(Fingerprint::of(&Map::from(&grid)), before);
/// grid.set_passable(3, 3, true)?;
/// assert_eq!(Fingerprint::of(&Map::from(&grid)), before);
/// # Ok::<(), portolan::GridError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u128);

/// The first bytes of every hash.
const TAG: &[u8; 16] = b"portolan map 1\0\0";

/// The type of the map, after the tag.
const GRID: u32 = 1;
const GRAPH: u32 = 2;

/// Ends the row of a node; larger than all node ids.
const END_OF_ROW: u32 = u32::MAX;
/// Ends the (empty) row of a node that was removed.
const REMOVED: u32 = u32::MAX - 1;

impl Fingerprint {
    /// The fingerprint of a map. Reads it once and copies nothing.
    pub fn of(map: &Map) -> Self {
        let mut stream = HashStream::new();
        match map {
            Map::Grid(grid) => stream.grid(grid),
            Map::Graph(graph) => stream.graph(graph),
        }
        stream.finish()
    }

    /// The fingerprint of these bits.
    pub fn from_u128(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits of the fingerprint.
    pub fn to_u128(self) -> u128 {
        self.0
    }
}

/// Thirty-two hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Fingerprint({self})")
    }
}

/// Buffers numbers, because hashing them one by one is slow.
struct HashStream {
    hasher: XxHash3_128,
    /// Little-endian on every machine.
    buffer: [u32; 1024],
    used: usize,
}

impl HashStream {
    fn new() -> Self {
        let mut hasher = XxHash3_128::new();
        hasher.write(TAG);
        Self { hasher, buffer: [0; 1024], used: 0 }
    }

    fn grid(&mut self, grid: &Grid) {
        let (connectivity, corners) = match (grid.connectivity(), grid.corners()) {
            (Connectivity::Four, _) => (4, 0),
            (Connectivity::Hex, _) => (6, 0),
            (Connectivity::Eight, Corners::Never) => (8, 0),
            (Connectivity::Eight, Corners::PastOne) => (8, 1),
            (Connectivity::Eight, Corners::Always) => (8, 2),
        };
        self.words([GRID, grid.width(), grid.height(), connectivity, corners]);
        self.words([grid.has_terrain().into()]);
        // Rows of bits, the left cell lowest, padded to whole words of 64.
        for y in 0..grid.height() {
            for x in (0..grid.width()).step_by(64) {
                let cells = x..grid.width().min(x.saturating_add(64));
                let bits = cells
                    .rev()
                    .fold(0, |bits: u64, cell| bits << 1 | u64::from(grid.is_passable(cell, y)));
                self.words([bits as u32, (bits >> 32) as u32]);
            }
        }
        if let Some(factors) = grid.factors() {
            self.flush();
            self.hasher.write(factors);
        }
    }

    fn graph(&mut self, graph: &CsrGraph) {
        let nodes = graph.node_count() as NodeId;
        let points = graph.coordinates();
        self.words([GRAPH, nodes, points.is_some().into()]);
        for tail in 0..nodes {
            for (head, weight) in graph.edges(tail) {
                self.words([head, weight]);
            }
            self.words([if graph.contains(tail) { END_OF_ROW } else { REMOVED }]);
        }
        for point in points.unwrap_or_default() {
            self.words([point.x as u32, point.y as u32]);
        }
    }

    #[inline]
    fn words<const N: usize>(&mut self, words: [u32; N]) {
        if self.used + N > self.buffer.len() {
            self.flush();
        }
        self.buffer[self.used..self.used + N].copy_from_slice(&words.map(u32::to_le));
        self.used += N;
    }

    #[cold]
    fn flush(&mut self) {
        self.hasher.write(bytemuck::cast_slice(&self.buffer[..self.used]));
        self.used = 0;
    }

    fn finish(mut self) -> Fingerprint {
        self.flush();
        Fingerprint(self.hasher.finish_128())
    }
}
