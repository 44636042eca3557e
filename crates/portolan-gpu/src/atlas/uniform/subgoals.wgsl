// The labels of subgoals, and the subgoals that each cell sees; see tables.rs for what they mean.
//
// A record of a subgoal is two vec4:
//   x: the first group of its row; y: the number of entries; z: its cell, x | y << 16; w: the depth
//   of its region
//   x, y: the code of its region, high and low word; z: where its ends start in `tables`
//
// `tables` has the ends of all regions, then a directory, then lists. The directory has four words
// per tile of 8 x 8 cells: where the list of subgoals ahead starts and how many they are, then the
// same for those behind. A list has the numbers of the subgoals, then for each cell of the tile a
// bit per subgoal.

override DIRECTORY: u32 = 0u;
override TILES_ACROSS: u32 = 1u;

@group(0) @binding(1) var<storage, read> tables: array<u32>;

const AHEAD: u32 = 0u;
const BEHIND: u32 = 2u;

// In place of a hub: the path is a run, or two that meet at a subgoal.
const DIRECT: u32 = 0xffffffffu;
const BEND: u32 = 0xfffffffeu;

// The list of a tile, with the bits of one cell.
struct List {
    first: u32,
    count: u32,
    bits: u32,
}

fn list_of(position: vec2<u32>, end: u32) -> List {
    let tile = (position.y >> 3u) * TILES_ACROSS + (position.x >> 3u);
    let first = tables[DIRECTORY + 4u * tile + end];
    let count = tables[DIRECTORY + 4u * tile + end + 1u];
    let inside = (position.y & 7u) * 8u + (position.x & 7u);
    return List(first, count, first + count + inside * ((count + 31u) / 32u));
}

fn subgoal_at(list: List, slot: u32) -> u32 {
    return tables[list.first + slot];
}

fn position_of_subgoal(subgoal: u32) -> vec2<u32> {
    return unpack_position(records[2u * subgoal].z);
}
