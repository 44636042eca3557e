// Lines of sight. For each cell and heading, a byte says how many steps are legal, up to
// MOST_CLEARANCE; the bytes of blocked cells are BLOCKED.

override HEIGHT: u32 = 1u;

@group(0) @binding(5) var<storage, read> clearances: array<u32>;

const MOST_CLEARANCE: u32 = 254u;
const BLOCKED: u32 = 255u;

fn clearance(cell: u32, heading: u32) -> u32 {
    return (clearances[2u * cell + (heading >> 2u)] >> ((heading & 3u) * 8u)) & 0xffu;
}

// Whether a path may start or end here.
fn is_open(cell: u32) -> bool {
    return cell < WIDTH * HEIGHT && clearance(cell, 0u) != BLOCKED;
}

fn is_free(cell: u32, heading: u32, steps: u32) -> bool {
    var at = cell;
    var left = steps;
    while left > 0u {
        let clear = clearance(at, heading);
        if clear >= left {
            return true;
        }
        if clear < MOST_CLEARANCE {
            return false;
        }
        at = jump(at, heading, clear);
        left -= clear;
    }
    return true;
}

// Whether a run is legal.
fn sees(start: u32, run: Run) -> bool {
    if !is_free(start, run.first, run.firsts) {
        return false;
    }
    return is_free(jump(start, run.first, run.firsts), run.second, run.seconds);
}
