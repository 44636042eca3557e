// A* with one invocation per agent.
//
// It searches from the goal to the start, so that a walk along falling costs gives the path in
// order. An agent is in one of four modes and acts once per turn of the loop, whatever its mode:
// the agents of a subgroup load the neighbours of a cell together, whether they expand it or walk
// over it. An agent that is done takes the next request, so long searches do not hold up others.
// After `search.actions` turns the kernel saves all registers; the next run goes on from there. So
// no run takes long, however large the map is.
//
// The open list is a binary heap of (f, cell and heading by which it was reached), without decrease
// of keys: entries whose cost has since been improved are dropped when they come up. The heap's
// children of entry i, 2 i and 2 i + 1, are one quad.

const IDLE: u32 = 0u;
const SEARCH: u32 = 1u;
const WALK: u32 = 2u;
const RELEASE: u32 = 3u;

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
    let a = agents[own];
    let b = agents[own + 1u];
    let c = agents[own + 2u];
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
    agents[own] = vec4(mode, request, length, cell);
    agents[own + 1u] = vec4(first_page, last_page, heading, steps);
    agents[own + 2u] = vec4(left, waiting, total, 0u);
}

fn entry_at(index: u32) -> vec2<u32> {
    let pair = agents[heap + (index >> 1u)];
    return select(pair.xy, pair.zw, (index & 1u) != 0u);
}

fn set_entry(index: u32, entry: vec2<u32>) {
    let half = 2u * (index & 1u);
    agents[heap + (index >> 1u)][half] = entry.x;
    agents[heap + (index >> 1u)][half + 1u] = entry.y;
}

// Fills the place of an entry with another, or with one from below.
fn sink(index: u32, entry: vec2<u32>) {
    var at = index;
    while 2u * at <= length {
        let children = agents[heap + at];
        let is_second = 2u * at < length && children.z < children.x;
        let child = select(children.xy, children.zw, is_second);
        if entry.x <= child.x {
            break;
        }
        set_entry(at, child);
        at = 2u * at + select(0u, 1u, is_second);
    }
    set_entry(at, entry);
}

fn push(entry: vec2<u32>) {
    length += 1u;
    var at = length;
    while at > 1u {
        let above = entry_at(at >> 1u);
        if above.x <= entry.x {
            break;
        }
        set_entry(at, above);
        at >>= 1u;
    }
    set_entry(at, entry);
}

// Whether the neighbours of a cell may not fit.
fn is_heap_full() -> bool {
    return length + 8u >= 2u * search.heap_quads;
}

// Drops entries whose cost has been improved. This changes which of several shortest paths is found,
// so it must not depend on what other agents do: only the last pass does it.
fn drop_stale_entries() {
    var kept = 0u;
    for (var index = 1u; index <= length; index++) {
        let entry = entry_at(index);
        let at = position_of(entry.y & CELL_MASK);
        if entry.x == add_costs(cost_at(at), least_between(at, start_at)) {
            kept += 1u;
            set_entry(kept, entry);
        }
    }
    length = kept;
    for (var index = kept >> 1u; index > 0u; index--) {
        sink(index, entry_at(index));
    }
}

// Answers the request.
fn finish(cost: u32, first_word: u32, legs: u32) {
    answer(request, cost, first_word, legs);
    cell = first_page;
    mode = select(RELEASE, IDLE, last_page == 0u);
}

// Takes the next request; false if there is none.
fn begin() -> bool {
    request = take_request();
    if request == NONE {
        return false;
    }
    read_request();
    if start == NONE {
        answer(request, UNREACHABLE, 0u, 0u);
        return true;
    }
    let goal_at = position_of(goal);
    if !set_cost(goal_at, 0u) {
        answer(request, UNREACHABLE, STATE_FULL, 0u);
        return true;
    }
    length = 1u;
    set_entry(1u, vec2(least_between(goal_at, start_at), goal | (NO_HEADING << CELL_BITS)));
    mode = SEARCH;
    return true;
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

// Expands the best open cell, or makes a step of a walk.
fn act() {
    var moves: u32;
    var cost: u32;
    if mode == SEARCH {
        if is_heap_full() && search.is_last_pass != 0u {
            drop_stale_entries();
        }
        if is_heap_full() {
            finish(UNREACHABLE, STATE_FULL, 0u);
            return;
        }
        if length == 0u {
            // No sum of costs was finite.
            finish(UNREACHABLE, 0u, 0u);
            return;
        }
        let best = entry_at(1u);
        cell = best.y & CELL_MASK;
        moves = useful_moves(cell, best.y >> CELL_BITS);
        cost = best.x;
    } else {
        moves = moves_of(cell);
        cost = left;
    }
    let at = position_of(cell);
    let around = costs_around(at, moves);
    let steps_out = steps_around(cell, moves);
    if mode == WALK {
        walk(around, steps_out);
        return;
    }
    cost -= least_between(at, start_at);
    if cell == start {
        reach(cost);
        return;
    }
    let is_stale = cost_at(at) != cost;
    expand(at, cost, select(improved_by(around, steps_out, cost), 0u, is_stale));
}

// Improves the costs of these neighbours of the best open cell. The best of them takes its place in
// the heap, from where it rarely sinks far.
fn expand(at: vec2<u32>, cost: u32, improved: u32) {
    var best = UNREACHABLE;
    var chosen = NO_HEADING;
    for (var rest = improved; rest != 0u; rest &= rest - 1u) {
        let d = firstTrailingBit(rest);
        let f = open_cost(at, cost, d);
        if f < best {
            best = f;
            chosen = d;
        }
    }
    if chosen == NO_HEADING {
        let last = entry_at(length);
        length -= 1u;
        if length > 0u {
            sink(1u, last);
        }
        return;
    }
    let from_cell = cell;
    sink(1u, vec2(best, step_from(from_cell, chosen) | (chosen << CELL_BITS)));
    for (var rest = improved; rest != 0u; rest &= rest - 1u) {
        let d = firstTrailingBit(rest);
        let to = step_from(from_cell, d);
        let f = open_cost(at, cost, d);
        if f == UNREACHABLE {
            continue;
        }
        if !set_cost(neighbour_at(at, d), cost + step_cost(from_cell, to, d)) {
            finish(UNREACHABLE, STATE_FULL, 0u);
            return;
        }
        if d != chosen {
            push(vec2(f, to | (d << CELL_BITS)));
        }
    }
}

// The least cost of a path over a neighbour of a cell that has this cost.
fn open_cost(at: vec2<u32>, cost: u32, d: u32) -> u32 {
    let step = step_cost(cell, step_from(cell, d), d);
    return add_costs(add_costs(cost, step), least_between(neighbour_at(at, d), start_at));
}

// The start has been reached.
fn reach(cost: u32) {
    if search.answer_words != 3u {
        finish(cost, 0u, 0u);
        return;
    }
    mode = WALK;
    total = cost;
    left = cost;
    heading = NO_HEADING;
    steps = 0u;
    length = 0u;
}

// Goes one step toward the goal: straight on where that is a shortest path, else by the lowest
// heading that is. Legs are collected in the memory of the heap.
fn walk(around: Around, steps_out: Around) {
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
    if next != heading || steps == MOST_STEPS {
        end_leg();
        if mode != WALK {
            return;
        }
        heading = next;
    }
    let to = step_from(cell, next);
    left -= step_cost(cell, to, next);
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
    agents[heap + (word >> 2u)][word & 3u] = waiting;
    length += 1u;
    steps = 0u;
}

fn deliver() {
    let words = (length + 1u) >> 1u;
    let first_word = take_words(words);
    if first_word == POOL_FULL {
        finish(UNREACHABLE, POOL_FULL, 0u);
        return;
    }
    for (var word = 0u; word < words; word++) {
        atomicStore(&pool[first_word + word], agents[heap + (word >> 2u)][word & 3u]);
    }
    finish(total, first_word, length);
}

@compute @workgroup_size(32)
fn search_paths(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let agent = workgroup_number(id, count) * 32u + lane;
    if agent >= search.agents {
        return;
    }
    place_agent(agent);
    restore();
    for (var turn = 0u; turn < search.actions; turn++) {
        if mode == IDLE {
            if !begin() {
                break;
            }
        } else if mode == RELEASE {
            cell = release_page(cell);
            if cell == 0u {
                mode = IDLE;
                last_page = 0u;
            }
        } else {
            act();
        }
    }
    save();
}
