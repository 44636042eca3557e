//! Many queries at once on one thread: several are under way, and while one waits for memory others go on.
//!
//! Queries are asked in an order in which neighbours start and end close to each other, so that much of what one has read
//! is still at hand for the next.

use super::lookup::Room;
use super::{Labelled, Uniform};
use crate::cost::Cost;
use crate::graph::NodeId;
use crate::route::Leg;

/// Queries that are under way together.
const ABREAST: usize = 8;

/// Cells of a tile, along either side, as a power of two.
const TILE: u32 = 4;

/// Room for queries that are under way.
#[derive(Debug, Default)]
pub(super) struct Flock {
    rooms: [Room; ABREAST],
}

impl Flock {
    /// Looks up the paths of some pairs of cells of the map, in this order, and tells for each its number, its cost and its
    /// legs; `None` where the labels know no path.
    pub(super) fn look_up(
        &mut self,
        labelled: &Labelled,
        pairs: &[(NodeId, NodeId)],
        order: &[u32],
        mut visit: impl FnMut(usize, Option<(Cost, &[Leg])>),
    ) {
        for group in order.chunks(ABREAST) {
            let rooms = self.find(labelled, pairs, group);
            rooms.iter_mut().for_each(|room| room.begin_to_unpack(labelled));
            while rooms.iter_mut().fold(false, |more, room| room.unpack_more(labelled) | more) {}
            for (room, &at) in rooms.iter_mut().zip(group) {
                let cost = room.finish();
                visit(at as usize, cost.map(|cost| (cost, room.legs())));
            }
        }
    }

    /// The same without legs.
    pub(super) fn distances(
        &mut self,
        labelled: &Labelled,
        pairs: &[(NodeId, NodeId)],
        order: &[u32],
        mut visit: impl FnMut(usize, Option<Cost>),
    ) {
        for group in order.chunks(ABREAST) {
            let rooms = self.find(labelled, pairs, group);
            for (room, &at) in rooms.iter().zip(group) {
                visit(at as usize, room.cost());
            }
        }
    }

    /// Finds the ways of a few pairs.
    #[inline(always)]
    fn find(
        &mut self,
        labelled: &Labelled,
        pairs: &[(NodeId, NodeId)],
        group: &[u32],
    ) -> &mut [Room] {
        let rooms = &mut self.rooms[..group.len()];
        for (room, &at) in rooms.iter_mut().zip(group) {
            let (from, to) = pairs[at as usize];
            room.begin(labelled, from, to);
        }
        rooms.iter_mut().for_each(|room| room.look_round(labelled));
        rooms.iter_mut().for_each(|room| room.look(labelled));
        rooms.iter_mut().for_each(|room| room.number(labelled));
        rooms.iter_mut().for_each(|room| room.tie(labelled));
        rooms.iter_mut().for_each(|room| room.join(labelled));
        rooms
    }
}

impl Uniform {
    /// The numbers of pairs in the order in which to ask them: by tiles around the start, then around the goal.
    pub(super) fn in_order(&self, pairs: &[(NodeId, NodeId)], mut numbers: Vec<u32>) -> Vec<u32> {
        let sight = &self.labelled.subgoals.sight;
        let tile = |node: NodeId| {
            let spot = sight.spot(node);
            interleaved(spot.x >> TILE, spot.y >> TILE)
        };
        numbers.sort_by_cached_key(|&at| {
            let (from, to) = pairs[at as usize];
            (tile(from), tile(to), at)
        });
        numbers
    }
}

/// The bits of two numbers in turn: what is close in both is mostly close in this.
fn interleaved(x: u32, y: u32) -> u32 {
    let spread = |mut bits: u32| {
        bits = (bits | bits << 8) & 0x00ff_00ff;
        bits = (bits | bits << 4) & 0x0f0f_0f0f;
        bits = (bits | bits << 2) & 0x3333_3333;
        (bits | bits << 1) & 0x5555_5555
    };
    spread(x & 0xffff) | spread(y & 0xffff) << 1
}
