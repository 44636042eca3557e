// What is visible from a cell of a grid of one terrain.
//
// A run makes the steps of one kind first, then those of the other, each in one direction: diagonal
// steps before straight ones, and on four-connected grids horizontal ones before vertical ones.

// 1 on four-connected grids.
override IS_LEVEL: u32 = 0u;
// The cost of a straight step, and of a step in both coordinates beyond that.
override STRAIGHT: u32 = 1u;
override BOTH_EXTRA: u32 = 1u;

struct Run {
    first: u32,
    firsts: u32,
    second: u32,
    seconds: u32,
}

// x and y of a cell.
fn position_of(cell: u32) -> vec2<u32> {
    return vec2<u32>(cell % WIDTH, cell / WIDTH);
}

// The positions of subgoals are stored in one word.
fn unpack_position(word: u32) -> vec2<u32> {
    return vec2<u32>(word & 0xffffu, word >> 16u);
}

// The only run that can lead from one cell to another.
fn run_between(start: vec2<u32>, end: vec2<u32>) -> Run {
    let right = end.x > start.x;
    let down = end.y > start.y;
    let d = max(start, end) - min(start, end);
    let level = select(3u, 4u, right);
    let upright = select(1u, 6u, down);
    if IS_LEVEL == 1u {
        return Run(level, d.x, upright, d.y);
    }
    let both = min(d.x, d.y);
    let diagonal = select(0u, 5u, down) + select(0u, 2u, right);
    return Run(diagonal, both, select(upright, level, d.x > d.y), max(d.x, d.y) - both);
}

// The same cells from the end to the start.
fn turned(run: Run) -> Run {
    return Run(7u - run.second, run.seconds, 7u - run.first, run.firsts);
}

// The cost of a run, a lower bound for all paths between its ends.
fn run_cost(a: vec2<u32>, b: vec2<u32>) -> u32 {
    let d = max(a, b) - min(a, b);
    return max(d.x, d.y) * STRAIGHT + min(d.x, d.y) * BOTH_EXTRA;
}
