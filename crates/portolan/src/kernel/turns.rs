//! The cells where a path of straight lines turns.
//!
//! What can be worked out for each line alone comes first, for a chunk of lines at once, so that the
//! compiler vectorises it. What follows from line to line then has only sums to wait for.

use std::mem::MaybeUninit;

use super::runs::RunNumber;
use crate::location::Cell;

/// Some steps in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Differs between directions, and is not zero.
    pub(crate) heading: u32,
    /// What a step adds to a cell, wrapping round.
    pub(crate) step: Cell,
    /// How many there are.
    pub(crate) steps: u32,
}

/// Lines that are multiplied out at once: few enough for registers.
const WAYS: usize = 16;

/// Appends the ends of a path of lines from a cell and the cells where it changes its heading; one
/// cell where it has no steps.
#[inline]
pub(crate) fn append_turns<L>(
    turns: &mut Vec<Cell>,
    from: Cell,
    lines: &[L],
    line: impl Fn(&L) -> Line,
) {
    turns.reserve(lines.len() + 1);
    let written = write_turns(turns.spare_capacity_mut(), from, lines, line);
    // SAFETY: so many cells have been written behind the last one.
    unsafe { turns.set_len(turns.len() + written) };
}

#[inline]
fn write_turns<L>(
    room: &mut [MaybeUninit<Cell>],
    from: Cell,
    lines: &[L],
    line: impl Fn(&L) -> Line,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that this function asks for.
        return unsafe { write_turns_avx2(room, from, lines, line) };
    }
    write_turns_plain(room, from, lines, line)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn write_turns_avx2<L>(
    room: &mut [MaybeUninit<Cell>],
    from: Cell,
    lines: &[L],
    line: impl Fn(&L) -> Line,
) -> usize {
    write_turns_plain(room, from, lines, line)
}

/// Writes every line's start over the last one where that was no turn: branchless, because turns
/// are unpredictable. A cell is one number here, its row above its column, and so is the way along a
/// line, which takes one from the row where the column falls. Returns how many were written.
#[inline(always)]
fn write_turns_plain<L>(
    room: &mut [MaybeUninit<Cell>],
    from: Cell,
    lines: &[L],
    line: impl Fn(&L) -> Line,
) -> usize {
    let cell = |at: u64| Cell { x: at as u32, y: (at >> 32) as u32 };
    let (mut at, mut before, mut count) = (u64::from(from.y) << 32 | u64::from(from.x), 0, 0);
    let mut ways = [0; WAYS];
    for lines in lines.chunks(WAYS) {
        for (way, each) in ways.iter_mut().zip(lines) {
            let Line { step, steps, .. } = line(each);
            let Cell { x, y } = step.times(steps);
            let borrow = (x as i32 >> 31) as u32;
            *way = u64::from(y.wrapping_add(borrow)) << 32 | u64::from(x);
        }
        for (way, each) in ways.iter().zip(lines) {
            let Line { heading, steps, .. } = line(each);
            let heading = if steps > 0 { heading } else { before };
            room[count].write(cell(at));
            count += usize::from(heading != before);
            before = heading;
            at = at.wrapping_add(*way);
        }
    }
    room[count].write(cell(at));
    count + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    /// Lines in eight directions from the middle of a large grid, some without a step, and their
    /// cells.
    fn random_path(random: &mut Random, longest: u64) -> (Cell, Vec<Line>, Vec<Cell>) {
        let from = Cell::new(500_000, 500_000);
        let mut cells = vec![from];
        let lines = (0..random.below(150)).map(|_| {
            let heading = [1, 2, 3, 4, 6, 7, 8, 9][random.below(8) as usize];
            let [x, y] = [heading % 3, heading / 3 % 3].map(|n: u32| n.wrapping_sub(1));
            let steps = random.below(longest) as u32;
            Line { heading, step: Cell { x, y }, steps }
        });
        let lines: Vec<Line> = lines.collect();
        for line in &lines {
            for _ in 0..line.steps {
                cells.push(cells[cells.len() - 1].plus(line.step));
            }
        }
        (from, lines, cells)
    }

    /// The cells of those that are written.
    fn read(room: &[MaybeUninit<Cell>], written: usize) -> Vec<Cell> {
        // SAFETY: all of it was set before.
        room[..written].iter().map(|cell| unsafe { cell.assume_init() }).collect()
    }

    #[test]
    fn turns_agree_with_changes_of_single_steps() {
        let mut random = Random::new(9);
        for round in 0..600 {
            let (from, lines, cells) = random_path(&mut random, [2, 4, 12][round % 3]);
            let step = |to: usize| cells[to].plus(cells[to - 1].times(u32::MAX));
            let inner = (1..cells.len().max(2) - 1).filter(|&at| step(at) != step(at + 1));
            let last = Some(cells.len() - 1).filter(|&last| last > 0);
            let expected: Vec<Cell> =
                [0].into_iter().chain(inner).chain(last).map(|at| cells[at]).collect();
            let mut turns = vec![Cell::new(7, 7)];
            append_turns(&mut turns, from, &lines, |&line| line);
            assert!(turns[1..] == expected, "round {round}");
            let mut room = vec![MaybeUninit::new(Cell::default()); lines.len() + 1];
            let written = write_turns_plain(&mut room, from, &lines, |&line| line);
            assert!(read(&room, written) == expected, "round {round}");
        }
    }
}
