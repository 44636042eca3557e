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
    /// The numbers of pairs in the order in which to ask them, in which starts and goals both stay close to those before.
    pub(super) fn in_order(&self, pairs: &[(NodeId, NodeId)], numbers: Vec<u32>) -> Vec<u32> {
        let view = &self.labelled.subgoals.view;
        let key = |&at: &u32| {
            let (from, to) = pairs[at as usize];
            let [from, to] = [from, to].map(|node| view.spot(node));
            (interleaved([from.x, from.y, to.x, to.y]), at)
        };
        let mut order: Vec<(u64, u32)> = numbers.iter().map(key).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, at)| at).collect()
    }
}

/// The lower sixteen bits of four numbers in turn: what is close in all of them is mostly close in this.
fn interleaved(numbers: [u32; 4]) -> u64 {
    let spread = |number: u32| {
        let mut bits = u64::from(number & 0xffff);
        bits = (bits | bits << 24) & 0x0000_00ff_0000_00ff;
        bits = (bits | bits << 12) & 0x000f_000f_000f_000f;
        bits = (bits | bits << 6) & 0x0303_0303_0303_0303;
        (bits | bits << 3) & 0x1111_1111_1111_1111
    };
    numbers.into_iter().rev().fold(0, |all, number| all << 1 | spread(number))
}
