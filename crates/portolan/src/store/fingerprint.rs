//! Which map an index belongs to.
//!
//! A fingerprint covers everything that changes an answer, and so all that an index may be built
//! from:
//!
//! - of a grid: its size, its cells, its terrain if it has some (on blocked cells too), the
//!   connectivity and, where it matters, on eight-connected grids, the corner rule;
//! - of a graph: its nodes, which of them were removed, its edges in their order, and the
//!   coordinates.
//!
//! Coordinates change no cost, but they change heuristics, partitions, which of two equally short
//! paths is found, and which node is nearest to one out of reach; an index may depend on all of
//! that, so a map with other coordinates, or without, is another map.
//!
//! How a map came to be does not count: an edit that is undone restores the fingerprint. What is
//! hashed below is part of the format: it changes only together with [`TAG`].

use std::fmt;

use twox_hash::XxHash3_128;

use crate::graph::{CsrGraph, Graph, NodeId};
use crate::grid::{Connectivity, Corners, Grid};
use crate::map::Map;

/// 128 bits that tell maps apart: XXH3 of all that changes answers; the same on every machine and
/// in every version of the library that reads the same index files.
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

/// What every hash begins with.
const TAG: &[u8; 16] = b"portolan map 1\0\0";

/// What follows: the kind of the map.
const GRID: u32 = 1;
const GRAPH: u32 = 2;

/// Ends the row of a node; as large as no node id.
const END_OF_ROW: u32 = u32::MAX;
/// Ends the (empty) row of a node that was removed.
const REMOVED: u32 = u32::MAX - 1;

impl Fingerprint {
    /// The fingerprint of a map; reads it once and copies nothing.
    pub fn of(map: &Map) -> Self {
        let mut stream = Stream::new();
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

    /// Its bits.
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

/// Collects numbers, because hashing them one by one would take most of the time.
struct Stream {
    hasher: XxHash3_128,
    /// Little-endian, whatever the machine.
    buffer: [u32; 1024],
    used: usize,
}

impl Stream {
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
        // Rows of bits, the left cell lowest, each filled up to whole words of 64.
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
