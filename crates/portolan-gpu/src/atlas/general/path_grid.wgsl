// Hops on grids: a byte has a heading in the three highest bits and a number of steps, 0 at the
// hub. Consecutive hops of one heading become one leg.

// What is written: 0 for legs, two per word; 1 for nodes.
override WRITES_NODES: u32 = 0u;
override WIDTH: u32 = 1u;

const MOST_STEPS: u32 = 8191u;

// The next hop toward a hub: the heading, and the number of steps.
fn hop(cell: u32, hub: u32) -> vec2<u32> {
    // Four entries are a group, and four hops a word.
    let word = records[2u * cell].x + (hub >> 2u);
    let bits = (hop_word(word) >> ((hub & 3u) * 8u)) & 0xffu;
    return vec2<u32>(bits >> 5u, bits & 31u);
}

fn jump(cell: u32, heading: u32, steps: u32) -> u32 {
    let position = heading + select(0u, 1u, heading > 3u);
    return cell + steps * (WIDTH * (position / 3u) + position % 3u - WIDTH - 1u);
}

fn words_for(len: u32) -> u32 {
    return select((len + 1u) / 2u, len, WRITES_NODES == 1u);
}

// A walk from one end to the hub, leg by leg.
struct Walk {
    cell: u32,
    // The hop that comes next.
    hop: vec2<u32>,
}

fn start_walk(cell: u32, hub: u32) -> Walk {
    return Walk(cell, hop(cell, hub));
}

// Takes the next leg; its steps are 0 at the hub.
fn next_leg(walk: ptr<function, Walk>, hub: u32) -> vec2<u32> {
    var leg = (*walk).hop;
    var steps = leg.y;
    while steps > 0u {
        (*walk).cell = jump((*walk).cell, leg.x, steps);
        (*walk).hop = hop((*walk).cell, hub);
        steps = select(0u, (*walk).hop.y, (*walk).hop.x == leg.x && leg.y + 31u <= MOST_STEPS);
        leg.y += steps;
    }
    return leg;
}

fn count_side(end: u32, hub: u32, is_goal: bool) -> u32 {
    var walk = start_walk(end, hub);
    var count = 0u;
    loop {
        let leg = next_leg(&walk, hub);
        if leg.y == 0u {
            break;
        }
        count += select(1u, leg.y, WRITES_NODES == 1u);
    }
    return count;
}

fn write_path(start: u32, s: u32, t: u32, hub: u32, from_start: u32, len: u32) {
    if WRITES_NODES == 1u {
        write_cells(start, s, t, hub, len);
        return;
    }
    var walk = start_walk(s, hub);
    var word = 0u;
    for (var at = 0u; at < from_start; at++) {
        let leg = next_leg(&walk, hub);
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
    walk = start_walk(t, hub);
    word = 0u;
    for (var at = len; at > from_start; at--) {
        let leg = next_leg(&walk, hub);
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
fn write_cells(start: u32, s: u32, t: u32, hub: u32, len: u32) {
    var at = start;
    var walk = start_walk(s, hub);
    loop {
        var cell = walk.cell;
        let leg = next_leg(&walk, hub);
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
    walk = start_walk(t, hub);
    loop {
        var cell = walk.cell;
        let leg = next_leg(&walk, hub);
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
