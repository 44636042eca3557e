// An agent: its registers, and what it does when it has found the least cost. It searched from the
// goal, so a walk from the start along falling costs gives the path in order.

const SEARCH: u32 = 1u;
const WALK: u32 = 2u;
const RELEASE: u32 = 3u;
const LINE: u32 = 4u;

const CELL_BITS: u32 = 28u;
const CELL_MASK: u32 = 0x0fffffffu;
const NO_HEADING: u32 = 8u;
const HEADING_SHIFT: u32 = 13u;
const MOST_STEPS: u32 = 0x1fffu;

// For each heading by which a cell was reached, and each heading from there: the heading that leads
// from the first cell to the last in one step, 8 if they are the same, 15 if they are not adjacent.
// Four bits each.
const SHORTCUTS: array<u32, 8> = array<u32, 8>(
    0x83f1ffffu,
    0x48320fffu,
    0xf48f1fffu,
    0x65f8f10fu,
    0xf76f8f21u,
    0xfff6f83fu,
    0xfff75483u,
    0xffff6f48u,
);

// Registers.
var<private> mode: u32;
var<private> request: u32;
// Entries of the heap; in mode WALK, legs.
var<private> length: u32;
// The cell of a walk, its heading and its steps so far; the cost from there to the goal; legs that
// wait for a second one to fill a word. In mode RELEASE, the page.
var<private> cell: u32;
var<private> heading: u32;
var<private> steps: u32;
var<private> left: u32;
var<private> waiting: u32;
var<private> total: u32;

// Of the request.
var<private> start: u32;
var<private> goal: u32;
var<private> start_at: vec2<u32>;

fn read_request() {
    start = requests[HEADER_WORDS + 2u * request];
    goal = requests[HEADER_WORDS + 2u * request + 1u];
    start_at = position_of(start);
}

fn restore() {
    let a = agents[bank].quads[own];
    let b = agents[bank].quads[own + 1u];
    let c = agents[bank].quads[own + 2u];
    mode = a.x;
    request = a.y;
    length = a.z;
    cell = a.w;
    first_page = b.x;
    last_page = b.y;
    heading = b.z;
    steps = b.w;
    left = c.x;
    waiting = c.y;
    total = c.z;
    if mode != IDLE {
        read_request();
    }
}

fn save() {
    agents[bank].quads[own] = vec4(mode, request, length, cell);
    agents[bank].quads[own + 1u] = vec4(first_page, last_page, heading, steps);
    agents[bank].quads[own + 2u] = vec4(left, waiting, total, 0u);
}

// Answers the request.
fn finish(cost: u32, first_word: u32, legs: u32) {
    answer(request, cost, first_word, legs);
    cell = first_page;
    mode = select(RELEASE, IDLE, last_page == 0u);
}

// The moves from a cell that may improve a cost. Where the cell before has a direct move to a
// neighbour that cannot cost more than the way over this cell, it has improved it already.
fn useful_moves(from_cell: u32, reached_by: u32) -> u32 {
    var useful = moves_of(from_cell);
    if reached_by == NO_HEADING {
        return useful;
    }
    let before = moves_of(step_from(from_cell, 7u - reached_by));
    let shortcuts = SHORTCUTS[reached_by];
    for (var d = 0u; d < 8u; d++) {
        let direct = (shortcuts >> (4u * d)) & 15u;
        let is_known = direct == 8u
            || (direct < 8u && grid.has_terrain == 0u && ((before >> direct) & 1u) != 0u);
        useful &= ~(select(0u, 1u, is_known) << d);
    }
    return useful;
}

// The start has been reached.
fn reach(cost: u32) {
    if search.answer_words != 3u {
        finish(cost, 0u, 0u);
        return;
    }
    mode = WALK;
    cell = start;
    total = cost;
    left = cost;
    heading = NO_HEADING;
    steps = 0u;
    length = 0u;
}

fn walk_on() {
    let moves = moves_of(cell);
    walk(costs_around(position_of(cell), moves), steps_around(cell, moves));
}

// Goes one step toward the goal: straight on where that is a shortest path, else by the lowest
// heading that is. Legs are collected in the memory of the heap.
fn walk(around: Around, steps_out: Eight) {
    if cell == goal {
        end_leg();
        if mode == WALK {
            deliver();
        }
        return;
    }
    let parents = parents_of(around, steps_out, left);
    let is_straight = heading < 8u && ((parents >> (heading & 7u)) & 1u) != 0u;
    let next = select(firstTrailingBit(parents), heading, is_straight);
    let to = step_from(cell, next);
    left -= step_cost(cell, to, next);
    step_to(to, next);
}

// Adds a step to the path.
fn step_to(to: u32, d: u32) {
    if d != heading || steps == MOST_STEPS {
        end_leg();
        if mode == RELEASE {
            return;
        }
        heading = d;
    }
    cell = to;
    steps += 1u;
}

fn end_leg() {
    if steps == 0u {
        return;
    }
    if length == 8u * search.heap_quads {
        finish(UNREACHABLE, STATE_FULL, 0u);
        return;
    }
    let leg = (heading << HEADING_SHIFT) | steps;
    waiting = select(leg, waiting | (leg << 16u), (length & 1u) != 0u);
    let word = length >> 1u;
    agents[bank].quads[heap + (word >> 2u)][word & 3u] = waiting;
    length += 1u;
    steps = 0u;
}

fn deliver() {
    let words = (length + 1u) >> 1u;
    let first_word = take_words(words, search.pool_words);
    if first_word == POOL_FULL {
        finish(UNREACHABLE, POOL_FULL, 0u);
        return;
    }
    for (var word = 0u; word < words; word++) {
        atomicStore(&pool[first_word + word], agents[bank].quads[heap + (word >> 2u)][word & 3u]);
    }
    finish(total, first_word, length);
}
