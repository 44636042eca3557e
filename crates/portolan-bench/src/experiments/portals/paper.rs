//! What the paper says in Tables 1 to 4 and in words. The curves of Figure 4 are not in its text.

/// Memory without the ids of regions, in entries per state: Table 1's columns.
pub(super) const TABLE1: [f64; 6] = [1.0 / 64.0, 1.0 / 16.0, 0.25, 1.0, 4.0, 16.0];
/// Portals per region.
pub(super) const ROOM_PORTALS: [f64; 6] = [11.9, 9.1, 6.9, 5.1, 3.9, 2.8];
pub(super) const MAZE_PORTALS: [f64; 6] = [3.9, 3.9, 4.0, 3.9, 4.0, 4.0];
pub(super) const GATE_PORTALS: [f64; 6] = [8.4, 12.8, 14.6, 17.5, 18.6, 19.9];
/// Regions, as printed. On rooms these contradict the portals per region, which leave room for a
/// tenth as many.
pub(super) const ROOM_REGIONS: [f64; 5] = [99.0, 111.0, 142.0, 228.0, 441.0];
pub(super) const MAZE_REGIONS: [f64; 5] = [32.0, 64.0, 130.0, 260.0, 520.0];
pub(super) const GATE_REGIONS: [f64; 5] = [5.0, 10.0, 16.0, 19.0, 27.0];
/// The probability that start and goal are in different regions.
pub(super) const ROOM_APART: [f64; 5] = [0.83, 0.93, 0.98, 0.99, 0.99];
pub(super) const MAZE_APART: [f64; 5] = [0.96, 0.98, 0.99, 0.99, 0.99];
pub(super) const GATE_APART: [f64; 5] = [0.55, 0.68, 0.85, 0.92, 0.96];

/// Table 2: memory, nodes of PH, PH+ME, PHe, PPH, and their times; zero where the paper has none.
pub(super) const TABLE2: [(f64, [f64; 4], [f64; 4]); 8] = [
    (1.0 / 64.0, [0.794, 0.597, 0.584, 0.0], [1.633, 0.679, 0.667, 0.0]),
    (1.0 / 16.0, [0.564, 0.313, 0.294, 0.0], [1.043, 0.339, 0.320, 0.0]),
    (0.25, [0.353, 0.163, 0.147, 0.0], [0.561, 0.173, 0.157, 0.0]),
    (1.0, [0.199, 0.095, 0.084, 0.0], [0.289, 0.103, 0.094, 0.0]),
    (4.0, [0.111, 0.067, 0.061, 0.0], [0.160, 0.079, 0.074, 0.0]),
    (6.0, [0.093, 0.062, 0.058, 0.147], [0.137, 0.067, 0.073, 0.140]),
    (7.0, [0.086, 0.061, 0.057, 0.143], [0.129, 0.066, 0.073, 0.119]),
    (8.0, [0.080, 0.060, 0.056, 0.079], [0.121, 0.066, 0.073, 0.051]),
];
/// What A* with the Manhattan distance does on rooms: steps of a path, and nodes.
pub(super) const ROOM_STEPS: f64 = 217.0;
pub(super) const ROOM_NODES: f64 = 5340.0;

/// Table 3: memory with the ids of regions; nodes of DH, CH, BH, PHe, PPH.
pub(super) const TABLE3_ROOMS: [(f64, [f64; 5]); 4] = [
    (1.0, [0.796, 0.0, 0.0, 0.0, 0.0]),
    (2.0, [0.639, 0.0, 0.714, 0.084, 0.0]),
    (4.0, [0.418, 0.688, 0.293, 0.064, 0.0]),
    (8.0, [0.275, 0.484, 0.196, 0.057, 0.143]),
];
pub(super) const TABLE3_MAZES: [(f64, [f64; 5]); 4] = [
    (1.0, [0.480, 0.0, 0.0, 0.0, 0.0]),
    (2.0, [0.270, 0.0, 0.0, 0.104, 0.0]),
    (4.0, [0.170, 0.236, 0.113, 0.089, 0.123]),
    (8.0, [0.123, 0.160, 0.103, 0.079, 0.043]),
];
/// Table 4: the same on the Baldur's Gate map, nodes and times of DH, CH, BH, PHe.
pub(super) const TABLE4: [(f64, [f64; 4], [f64; 4]); 3] = [
    (2.0, [0.600, 0.0, 0.0, 0.163], [0.674, 0.0, 0.0, 0.316]),
    (3.0, [0.427, 0.733, 0.773, 0.152], [0.489, 0.792, 0.930, 0.333]),
    (8.0, [0.208, 0.532, 0.690, 0.131], [0.278, 0.612, 0.858, 0.325]),
];

/// Memory on the axis of Figure 4, everything included.
pub(super) const FIGURE4: [f64; 9] = [1.0 / 64.0, 1.0 / 16.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Section 6.3: regions, gates, memory and nodes of the gateway heuristic on rooms, mazes and the
/// Baldur's Gate map.
pub(super) const GATEWAY: [[f64; 4]; 3] =
    [[1027.0, 2719.0, 72.0, 0.062], [4185.0, 8443.0, 272.0, 0.057], [91.0, 255.0, 6.36, 0.685]];

/// How many maps of rooms and of mazes it has, and searches on each.
pub(super) const MAPS: u32 = 5;
pub(super) const SEARCHES: usize = 1000;
