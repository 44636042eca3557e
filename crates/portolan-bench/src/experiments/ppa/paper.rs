//! What the paper says in words and in Table I. The values of its plots are not in its text.

/// The nodes of its road maps, the smallest and the largest. (Where it gives the time to
/// precalculate the largest it counts four nodes fewer.)
pub(super) const ROAD_NODES: (u32, u32) = (11_383, 200_288);
/// How many searches it makes on each road map.
pub(super) const ROAD_SEARCHES: usize = 1000;
/// Figure 15: seconds to precalculate the largest road map.
pub(super) const LARGEST_ROADS: (f64, f64) = (200_284.0, 469.0);
/// Figure 14: A* generates an order of magnitude more nodes.
pub(super) const GENERATED_RATIO: f64 = 10.0;

/// How it cuts: every region into four, five times, which makes 1,365 subgraphs, 1,024 of them
/// leaves.
pub(super) const BRANCHING: usize = 4;
pub(super) const SPLITS: usize = 5;

/// The searches on the room map, and how long their solutions are.
pub(super) const ROOM_SEARCHES: usize = 291;
pub(super) const ROOM_STEPS: (usize, usize) = (256, 512);
/// The nodes of the room map.
pub(super) const ROOM_NODES: f64 = 205_373.0;
/// Table I: nodes expanded and milliseconds per search.
pub(super) const ROOM_EXPANDED: f64 = 53.25;
pub(super) const ROOM_MS: f64 = 1.4;
/// Table I: the tables, in millions of bytes.
pub(super) const ROOM_MB: f64 = 176.0;
/// Seconds to precalculate, of which the first is clustering.
pub(super) const ROOM_BUILD_S: f64 = 212.86;
pub(super) const ROOM_CUTTING_S: f64 = 4.99;
/// Table I: the method that it compares itself with (Sturtevant and others 2009), milliseconds and
/// nodes.
pub(super) const RIVAL: (f64, f64) = (54.0, 3479.0);

/// Random edge deletions, and the average seconds to follow one.
pub(super) const DELETIONS: usize = 100;
pub(super) const DELETION_S: f64 = 0.197;

/// The matrix of all pairs, in millions of bytes, at four bytes an entry as in the paper.
pub(super) fn matrix_mb(nodes: f64) -> f64 {
    nodes * nodes * 4.0 / 1e6
}
