//! The memory limit of an index.

use crate::map::Map;

/// The least default memory limit of an index in bytes. It is the whole default of configurations
/// that count in bytes, and what [`MemoryLimit::Auto`] allows on small maps.
pub const DEFAULT_MEMORY_LIMIT: u64 = 128 << 20;

/// The default bytes of a cell.
const BYTES_A_CELL: u64 = 24;

/// The default bytes of a node of a graph.
const BYTES_A_NODE: u64 = 600;

/// The maximum size of an index.
///
/// ```
/// use portolan::{Grid, Map, MemoryLimit};
/// let map = Map::from(Grid::new(40, 30)?);
/// assert_eq!(MemoryLimit::Auto.bytes(&map), 128 << 20);
/// assert_eq!(MemoryLimit::from(1000).bytes(&map), 1000);
/// # Ok::<(), portolan::Error>(())
/// ```
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "Option<u64>", into = "Option<u64>")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MemoryLimit {
    /// What suits the map: 24 bytes a cell on grids and 600 bytes a node on graphs, but no less
    /// than [`DEFAULT_MEMORY_LIMIT`].
    #[default]
    Auto,
    /// This many bytes, and not one more. `u64::MAX` for no limit.
    Bytes(u64),
}

impl MemoryLimit {
    /// The limit on this map, in bytes.
    pub fn bytes(self, map: &Map) -> u64 {
        let each = match map {
            Map::Grid(_) => BYTES_A_CELL,
            Map::Graph(_) => BYTES_A_NODE,
        };
        match self {
            Self::Auto => self.least_bytes().max(each * map.node_count() as u64),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The limit on the smallest map, in bytes.
    pub fn least_bytes(self) -> u64 {
        match self {
            Self::Auto => DEFAULT_MEMORY_LIMIT,
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl From<u64> for MemoryLimit {
    fn from(bytes: u64) -> Self {
        Self::Bytes(bytes)
    }
}

/// `None` is [`MemoryLimit::Auto`].
impl From<Option<u64>> for MemoryLimit {
    fn from(bytes: Option<u64>) -> Self {
        bytes.map_or(Self::Auto, Self::Bytes)
    }
}

impl From<MemoryLimit> for Option<u64> {
    fn from(limit: MemoryLimit) -> Self {
        match limit {
            MemoryLimit::Auto => None,
            MemoryLimit::Bytes(bytes) => Some(bytes),
        }
    }
}
