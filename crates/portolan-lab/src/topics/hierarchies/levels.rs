//! A level as arrays, ready to be drawn.

use std::collections::VecDeque;

use portolan::engine::inspect::{NO_REGION, Region, RegionLevel};
use portolan::{Graph, Grid, NodeId};

use crate::task::Reply;

/// The level: the region of every cell, the numbers of every region, its gates one region after the
/// other, the separators, and with subgoals their cells.
pub(super) fn reply(grid: &Grid, level: RegionLevel, of_subgoals: bool) -> Reply {
    let RegionLevel { mut region_of, regions, separators } = level;
    let members: Vec<NodeId> = match of_subgoals {
        false => Vec::new(),
        true => (0..).zip(&region_of).filter(|(_, id)| **id != NO_REGION).map(|it| it.0).collect(),
    };
    if of_subgoals {
        spread(grid, &mut region_of, &members);
        separators.iter().for_each(|&node| region_of[node as usize] = NO_REGION);
    }
    let numbers = |number: fn(&Region) -> u32| regions.iter().map(number).collect::<Vec<u32>>();
    let gates: Vec<NodeId> = regions.iter().flat_map(|region| &region.gates).copied().collect();
    Reply::new(serde_json::json!({ "regions": regions.len() }))
        .with("nodes", numbers(|region| region.nodes as u32))
        .with("bytes", numbers(|region| u32::try_from(region.bytes).unwrap_or(u32::MAX)))
        .with("parents", numbers(|region| region.parent.unwrap_or(NO_REGION)))
        .with("gateCounts", numbers(|region| region.gates.len() as u32))
        .with("gates", gates)
        .with("regionOf", region_of)
        .with("separators", separators)
        .with("members", members)
}

/// Gives every cell the region of a nearest subgoal that has one, by a wave from all of them.
fn spread(grid: &Grid, region_of: &mut [u32], members: &[NodeId]) {
    let mut wave: VecDeque<NodeId> = members.iter().copied().collect();
    while let Some(tail) = wave.pop_front() {
        let region = region_of[tail as usize];
        grid.out_edges(tail, |head, _| {
            let known = &mut region_of[head as usize];
            if *known == NO_REGION {
                *known = region;
                wave.push_back(head);
            }
        });
    }
}
