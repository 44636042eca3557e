//! What Inam, Cederman and Tsigas report: "A* Algorithm for Graphics Processors" (2010), on a
//! GeForce GTX 260. Figures 5 to 10 are curves without figures; what the text says of them is
//! compared in `write_up`.

/// Table 1: maps by name, the side of the square, walkable nodes. Agents are the square of these.
pub(super) const BENCHMARKS: [(&str, u32, usize); 5] =
    [("M0", 3, 8), ("M1", 6, 32), ("M2", 9, 64), ("M3", 13, 129), ("M4", 17, 245)];

/// The size of the maps of Figures 6 to 10.
pub(super) const SIZE: (u32, u32) = (140, 130);

/// Table 2: the side of a cluster, and how many clusters there are on map A, on map B and on the
/// map without obstacles.
pub(super) const CLUSTERS: [(u32, [f64; 3]); 4] = [
    (10, [112.0, 174.0, 182.0]),
    (15, [51.0, 71.0, 81.0]),
    (20, [32.0, 42.0, 46.0]),
    (25, [22.0, 25.0, 30.0]),
];

/// The cluster size that the paper recommends.
pub(super) const BEST_SIZE: u32 = 20;

/// The most agents that standard A* served, and that clusters of 10 served on map B.
pub(super) const MOST_STANDARD: usize = 1600;
pub(super) const MOST_SMALL_CLUSTERS: usize = 1200;
