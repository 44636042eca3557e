//! How long the loops of `distance.wgsl` run, for software drivers, which end them early.

use portolan::Grid;

use super::super::labels::Layout;
use super::tables::{MOST_CLEARANCE, TILE, Tables};

/// What a cell has at most. Lists stand for those of all cells of their tile.
#[derive(Debug, Default)]
struct Most {
    /// Subgoals of a list.
    listed: u64,
    /// Turns of a pass over the subgoals that a cell sees: one for each, and one per word of bits.
    pass: u64,
    /// Regions of the subgoals of a list, and regions above them.
    regions: u64,
    /// The hubs of these regions.
    hubs: u64,
}

/// More turns than all loops of an invocation take for a request that `lanes` answer together.
///
/// The subgoals whose lower bounds are too high count too, so this may be far more than any request
/// needs.
pub(super) fn most_turns(grid: &Grid, layout: &Layout, tables: &Tables, lanes: u32) -> u64 {
    let Most { listed, pass, regions, hubs } = most(layout, tables);
    let lanes = u64::from(lanes);
    // `sees` follows a run of two parts.
    let run = 2 * u64::from(grid.width().max(grid.height()) / u32::from(MOST_CLEARANCE) + 1);
    let slots = listed.div_ceil(lanes);
    let groups = hubs.div_ceil(4 * lanes);
    // `best_bend` tests a run per slot; four other loops look at the slots.
    let access = run + slots * (1 + run) + 4 * slots;
    // A region is visited once at most. Then both ends summarize their subgoals, and the groups of
    // its hubs, of which up to two belong to other regions too, are compared.
    let visits = regions * (1 + 2 * pass);
    let compared = (groups + 2 * regions) * (1 + 2 * pass);
    let joined = 9 * u64::from(lanes.ilog2());
    access + visits + compared + groups + 2 * 64_u64.div_ceil(lanes) + joined + 16
}

fn most(layout: &Layout, tables: &Tables) -> Most {
    let mut most = Most::default();
    let words = &tables.words;
    let (directory, _) = words[tables.directory as usize..tables.lists as usize].as_chunks::<2>();
    for [start, count] in directory.iter().map(|list| list.map(|word| word as usize)) {
        let width = count.div_ceil(32);
        let subgoals = &words[start..start + count];
        let bits = &words[start + count..][..(TILE * TILE) as usize * width];
        let seen = |bits: &[u32]| bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let seen = bits.chunks(width.max(1)).map(seen).max().unwrap_or(0);
        let [regions, hubs] = regions_and_hubs(layout, subgoals);
        most = Most {
            listed: most.listed.max(count as u64),
            pass: most.pass.max(seen + width as u64),
            regions: most.regions.max(regions),
            hubs: most.hubs.max(hubs),
        };
    }
    most
}

/// The number of regions that these subgoals are in or below, and of their hubs.
fn regions_and_hubs(layout: &Layout, subgoals: &[u32]) -> [u64; 2] {
    let region = |&subgoal: &u32| {
        let [_, _, _, depth, high, low, first_end, _] = layout.records[subgoal as usize];
        (u64::from(high) << 32 | u64::from(low), depth, first_end)
    };
    let mut all: Vec<(u64, u32, u32)> = subgoals.iter().map(region).collect();
    // Regions follow those above them.
    all.sort_unstable();
    all.dedup();
    let (mut regions, mut hubs) = (0, 0);
    let mut before: Option<(u64, u32)> = None;
    for (code, depth, first_end) in all {
        let ends = &layout.ends[first_end as usize..=(first_end + depth) as usize];
        let counted = before.map_or(0, |(other, other_depth)| {
            1 + (code ^ other).leading_zeros().min(depth).min(other_depth) as usize
        });
        regions += (ends.len() - counted) as u64;
        hubs += u64::from(ends[depth as usize] - counted.checked_sub(1).map_or(0, |at| ends[at]));
        before = Some((code, depth));
    }
    [regions, hubs]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use portolan::Map;
    use portolan::atlas::{AtlasConfig, SubgoalGraph};
    use portolan::generate::Rooms;

    use super::super::graph_of;
    use super::*;

    #[test]
    fn regions_that_subgoals_share_are_counted_once() {
        let rooms = Rooms { width: 60, height: 60, room: 7, ..Rooms::default() };
        let map = Map::from(rooms.generate().expect("rooms"));
        let config = AtlasConfig { leaf_size: Some(4), ..AtlasConfig::default() };
        let subgoals = SubgoalGraph::of_map(&map, &config, &()).expect("a grid");
        let graph = graph_of(&subgoals).expect("small costs");
        let layout = Layout::new(&graph, subgoals.separators(), 1 << 20);
        let all: Vec<u32> = (0..layout.records.len() as u32).collect();
        for listed in all.chunks(9).chain([&all[..]]) {
            // By the way down to each region, its hubs.
            let mut hubs = BTreeMap::new();
            for &subgoal in listed {
                let [_, _, _, depth, high, low, first_end, _] = layout.records[subgoal as usize];
                let code = u128::from(high) << 96 | u128::from(low) << 64;
                for at in 0..=depth {
                    let end = |at: u32| layout.ends[(first_end + at) as usize];
                    let own = end(at) - at.checked_sub(1).map_or(0, end);
                    hubs.insert((at, code >> (128 - at.max(1)) >> u32::from(at == 0)), own);
                }
            }
            let expected = [hubs.len() as u64, hubs.values().map(|&own| u64::from(own)).sum()];
            assert_eq!(regions_and_hubs(&layout, listed), expected);
        }
    }
}
