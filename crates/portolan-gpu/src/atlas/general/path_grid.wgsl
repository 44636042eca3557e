// Hops on grids: a byte has a heading in the three highest bits and a number of steps, 0 at the
// hub. Consecutive hops of one heading become one leg.

struct Walk {
    cell: u32,
    // The hop that comes next.
    hop: vec2<u32>,
}

// The next hop toward a hub: the heading, and the number of steps.
fn hop(cell: u32, hub: u32) -> vec2<u32> {
    // Four entries are a group, and four hops a word.
    let word = records[2u * cell].x + (hub >> 2u);
    let bits = (hop_word(word) >> ((hub & 3u) * 8u)) & 0xffu;
    return vec2<u32>(bits >> 5u, bits & 31u);
}

fn start_walk(found: Found, is_goal: bool) -> Walk {
    let cell = select(found.s, found.t, is_goal);
    return Walk(cell, hop(cell, found.hub));
}

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
