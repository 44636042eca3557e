// Paths on grids, as legs or as cells. A form defines `Walk`, a walk from one end of a request to
// the hub. `start_walk` begins it, and `next_leg` takes the next leg, a heading and a number of
// steps; there are none at the hub.

const MOST_STEPS: u32 = 8191u;

fn words_for(len: u32) -> u32 {
    return select((len + 1u) / 2u, len, WRITES_NODES == 1u);
}

fn count_side(found: Found, is_goal: bool) -> u32 {
    var walk = start_walk(found, is_goal);
    var count = 0u;
    loop {
        let leg = next_leg(&walk, found.hub);
        if leg.y == 0u {
            break;
        }
        count += select(1u, leg.y, WRITES_NODES == 1u);
    }
    return count;
}

fn write_path(start: u32, found: Found, from_start: u32, len: u32) {
    if WRITES_NODES == 1u {
        write_cells(start, found, len);
    } else {
        write_legs(start, found, from_start, len);
    }
}

fn write_legs(start: u32, found: Found, from_start: u32, len: u32) {
    var walk = start_walk(found, false);
    var word = 0u;
    for (var at = 0u; at < from_start; at++) {
        let leg = next_leg(&walk, found.hub);
        let bits = leg.x << 13u | leg.y;
        if (at & 1u) == 0u {
            word = bits;
        } else {
            atomicStore(&pool[start + at / 2u], word | bits << 16u);
        }
    }
    // If the walk from the start ends with the first half of a word, the last leg of the other
    // walk, which is written backward, completes it.
    let shared_half = select(0u, word, (from_start & 1u) == 1u);
    walk = start_walk(found, true);
    word = 0u;
    for (var at = len; at > from_start; at--) {
        let leg = next_leg(&walk, found.hub);
        let bits = (7u - leg.x) << 13u | leg.y;
        if ((at - 1u) & 1u) == 1u {
            word = bits << 16u;
        } else {
            atomicStore(&pool[start + (at - 1u) / 2u], word | bits);
            word = 0u;
        }
    }
    if (from_start & 1u) == 1u {
        atomicStore(&pool[start + from_start / 2u], word | shared_half);
    }
}

// All cells after the start.
fn write_cells(start: u32, found: Found, len: u32) {
    var at = start;
    var cell = found.s;
    var walk = start_walk(found, false);
    loop {
        let leg = next_leg(&walk, found.hub);
        if leg.y == 0u {
            break;
        }
        for (var step = 0u; step < leg.y; step++) {
            cell = jump(cell, leg.x, 1u);
            atomicStore(&pool[at], cell);
            at++;
        }
    }
    at = start + len;
    cell = found.t;
    walk = start_walk(found, true);
    loop {
        let leg = next_leg(&walk, found.hub);
        if leg.y == 0u {
            break;
        }
        for (var step = 0u; step < leg.y; step++) {
            at--;
            atomicStore(&pool[at], cell);
            cell = jump(cell, leg.x, 1u);
        }
    }
}
