//! Many queries at once on one thread: several are under way, and while one waits for memory others go on.
//!
//! Queries are asked in an order in which neighbours start and end close to each other, so that much of what one has read
//! is still at hand for the next, and much of its path is found in theirs (`trails.rs`).

use super::lookup::Room;
use super::trails::Trails;
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
    trails: Trails,
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
        let trails = &mut self.trails;
        for group in alike(pairs, order).chunks(ABREAST) {
            let rooms = find(&mut self.rooms, labelled, pairs, group);
            rooms.iter_mut().for_each(|room| room.begin_to_unpack(labelled));
            for (room, numbers) in rooms.iter_mut().zip(group) {
                let found = room.follow(labelled, trails);
                numbers.iter().for_each(|&at| visit(at as usize, found));
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
        for group in alike(pairs, order).chunks(ABREAST) {
            let rooms = find(&mut self.rooms, labelled, pairs, group);
            for (room, numbers) in rooms.iter().zip(group) {
                numbers.iter().for_each(|&at| visit(at as usize, room.cost()));
            }
        }
    }
}

/// The numbers of the same pair together, which is looked up once.
fn alike<'a>(pairs: &[(NodeId, NodeId)], order: &'a [u32]) -> Vec<&'a [u32]> {
    order.chunk_by(|&a, &b| pairs[a as usize] == pairs[b as usize]).collect()
}

/// Finds the ways of a few pairs.
#[inline(always)]
fn find<'a>(
    rooms: &'a mut [Room; ABREAST],
    labelled: &Labelled,
    pairs: &[(NodeId, NodeId)],
    group: &[&[u32]],
) -> &'a mut [Room] {
    let rooms = &mut rooms[..group.len()];
    for (room, numbers) in rooms.iter_mut().zip(group) {
        let (from, to) = pairs[numbers[0] as usize];
        room.begin(labelled, from, to);
    }
    rooms.iter_mut().for_each(|room| room.look_round(labelled));
    rooms.iter_mut().for_each(|room| room.look(labelled));
    rooms.iter_mut().for_each(|room| room.number(labelled));
    rooms.iter_mut().for_each(|room| room.read(labelled));
    rooms.iter_mut().for_each(|room| room.tie(labelled));
    rooms.iter_mut().for_each(|room| room.join(labelled));
    rooms
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
