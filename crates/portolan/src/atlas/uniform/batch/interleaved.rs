//! Many queries at once on one thread: several are under way, and while one waits for memory others
//! go on.
//!
//! Queries are asked in an order in which neighbours start and end close to each other
//! (`order.rs`), and what their paths have in common is followed once (`trails.rs`).

use super::order::Asked;
use super::shared_paths::Trails;
use crate::atlas::uniform::Labelled;
use crate::atlas::uniform::lookup::Room;
use crate::cost::Cost;
use crate::route::Path;

/// Queries that are under way together.
const ABREAST: usize = 8;

/// Room for queries that are under way.
#[derive(Debug, Default)]
pub(crate) struct Flock {
    rooms: [Room; ABREAST],
    trails: Trails,
}

impl Flock {
    /// Looks up the paths of some pairs of cells of the map, in this order, and tells for each its
    /// cost and its path; `None` where the labels know no path.
    pub(crate) fn look_up(
        &mut self,
        labelled: &Labelled,
        asked: &[Asked],
        mut visit: impl FnMut(&Asked, Option<(Cost, Path<'_>)>),
    ) {
        let Self { rooms, trails } = self;
        trails.forget();
        let mut groups = alike(asked);
        while let Some((rooms, found)) = find(rooms, labelled, &mut groups) {
            rooms.iter_mut().for_each(|room| room.begin_to_unpack(labelled));
            for (room, alike) in rooms.iter_mut().zip(found) {
                let path = room.follow(labelled, trails);
                alike.iter().for_each(|asked| visit(asked, path));
            }
        }
    }

    /// The same without paths.
    pub(crate) fn distances(
        &mut self,
        labelled: &Labelled,
        asked: &[Asked],
        mut visit: impl FnMut(&Asked, Option<Cost>),
    ) {
        let mut groups = alike(asked);
        while let Some((rooms, found)) = find(&mut self.rooms, labelled, &mut groups) {
            for (room, alike) in rooms.iter().zip(found) {
                alike.iter().for_each(|asked| visit(asked, room.cost()));
            }
        }
    }
}

/// Each pair as often as it comes, so that it is looked up once.
fn alike(asked: &[Asked]) -> impl Iterator<Item = &[Asked]> {
    asked.chunk_by(|a, b| a.pair == b.pair)
}

/// Finds the ways of the next few pairs; `None` after the last.
#[inline(always)]
fn find<'r, 'a>(
    rooms: &'r mut [Room; ABREAST],
    labelled: &Labelled,
    groups: &mut impl Iterator<Item = &'a [Asked]>,
) -> Option<(&'r mut [Room], [&'a [Asked]; ABREAST])> {
    let mut count = 0;
    let mut next = [&[][..]; ABREAST];
    for ((room, next), alike) in rooms.iter_mut().zip(&mut next).zip(groups) {
        let (from, to) = alike[0].pair;
        room.begin(labelled, from, to);
        *next = alike;
        count += 1;
    }
    let rooms = &mut rooms[..count];
    rooms.iter_mut().for_each(|room| room.look_round(labelled));
    rooms.iter_mut().for_each(|room| room.look(labelled));
    rooms.iter_mut().for_each(|room| room.number(labelled));
    rooms.iter_mut().for_each(|room| room.read(labelled));
    rooms.iter_mut().for_each(|room| room.tie(labelled));
    rooms.iter_mut().for_each(|room| room.join(labelled));
    (count > 0).then_some((rooms, next))
}
