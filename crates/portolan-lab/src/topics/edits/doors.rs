//! Doors that shut and open by themselves: short straight rows of free cells between two walls.

use std::collections::VecDeque;

use portolan::NodeId;
use portolan::generate::Random;

/// The widest door in cells.
const WIDEST: u32 = 8;

/// Doors that are shut at the same time.
const MOST_SHUT: usize = 40;

/// Cells that are looked at to find a door.
const TRIES: u32 = 3000;

/// The doors that are shut.
#[derive(Debug, Default, Clone)]
pub(super) struct Doors {
    /// The cells of each with their values when it was open. The one that is shut longest first.
    shut: VecDeque<Vec<(NodeId, u8)>>,
}

impl Doors {
    /// The cells to change, with their new values, so that a door shuts or opens. `cells` are the
    /// present values.
    pub(super) fn toggle(
        &mut self,
        size: (u32, u32),
        cells: &[u8],
        random: &mut Random,
    ) -> Vec<(NodeId, u8)> {
        let is_full = self.shut.len() >= MOST_SHUT;
        let opens = is_full || (self.shut.len() > 5 && random.chance(0.5));
        if opens {
            let door = self.shut.pop_front().unwrap_or_default();
            // Cells that were painted free meanwhile stay so; walls open with the door.
            return door.into_iter().filter(|&(cell, _)| cells[cell as usize] == 0).collect();
        }
        let Some(door) = find(size, cells, random) else { return Vec::new() };
        self.shut.push_back(door.iter().map(|&cell| (cell, cells[cell as usize])).collect());
        door.into_iter().map(|cell| (cell, 0)).collect()
    }

    pub(super) fn clear(&mut self) {
        self.shut.clear();
    }
}

/// An open door on a grid of this width and height.
fn find((width, height): (u32, u32), cells: &[u8], random: &mut Random) -> Option<Vec<NodeId>> {
    (0..TRIES).find_map(|_| {
        let at = random.below(cells.len() as u64) as u32;
        let (x, y) = (at % width, at / width);
        let is_across = random.chance(0.5);
        // The cell `offset` cells away, if it is free.
        let free = |offset: i32| {
            let (x, y) = match is_across {
                true => (x.checked_add_signed(offset)?, y),
                false => (x, y.checked_add_signed(offset)?),
            };
            let is_inside = x < width && y < height;
            is_inside.then(|| y * width + x).filter(|&node| cells[node as usize] > 0)
        };
        let before = (1..=WIDEST as i32).map(|steps| free(-steps)).take_while(Option::is_some);
        let after = (1..=WIDEST as i32).map(&free).take_while(Option::is_some);
        let door: Vec<NodeId> =
            std::iter::once(free(0)?).chain(before.chain(after).flatten()).collect();
        (door.len() <= WIDEST as usize).then_some(door)
    })
}

#[cfg(test)]
mod tests {
    use portolan::Grid;

    use super::*;

    #[test]
    fn a_door_shuts_and_opens_again() {
        let grid = Grid::from_fn(9, 9, |x, y| x != 4 || y == 3 || y == 4).unwrap();
        let mut cells: Vec<u8> =
            (0..81).map(|cell| u8::from(grid.is_passable(cell % 9, cell / 9))).collect();
        let (mut doors, mut random) = (Doors::default(), Random::new(1));
        // A room of nine rows is too wide for a door; the gap of two cells is the only one that is
        // narrower from wall to wall, besides the rows of four cells at its sides.
        let shut = doors.toggle((9, 9), &cells, &mut random);
        assert!(!shut.is_empty() && shut.iter().all(|&(_, value)| value == 0));
        shut.iter().for_each(|&(cell, value)| cells[cell as usize] = value);
        doors.shut.extend((0..MOST_SHUT).map(|_| Vec::new()));
        let open = doors.toggle((9, 9), &cells, &mut random);
        assert_eq!(open.len(), shut.len());
        assert!(open.iter().all(|&(_, value)| value == 1));
    }
}
