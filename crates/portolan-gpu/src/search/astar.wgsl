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
//
// lines.wgsl adds stored paths to it, and no_lines.wgsl does not: answer_from_lines() may answer a
// request at once, and ends_on_line() a cell whose exact cost to the start is stored.

// The cost of the best path that follows a stored path from some cell to the start.
var<private> best_on_line: u32;
// Where the start and that cell are in the list of stored paths.
var<private> start_place: u32;
var<private> cell_place: u32;

fn restore_line() {
    let line = agents[own + 3u];
    best_on_line = line.x;
    start_place = line.y;
    cell_place = line.z;
}

fn save_line() {
    agents[own + 3u] = vec4(best_on_line, start_place, cell_place, 0u);
}

// Whether there was room.
fn set_cost(at: vec2<u32>, cost: u32) -> bool {
    let tile = tile_at(at);
    var page = page_of(tile);
    if page == 0u {
        page = take_page(tile);
        if page == 0u {
            return false;
        }
        for (var row = 0u; row < 8u; row++) {
            fill_row(page, row);
        }
    }
    set_cost_in(page, at, cost);
    return true;
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

// Drops entries whose cost has been improved. This changes which of several shortest paths is
// found, so it must not depend on what other agents do: only the last pass does it.
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
    if answer_from_lines() {
        return true;
    }
    best_on_line = UNREACHABLE;
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

// Expands the best open cell, or makes a step of a walk.
fn act() {
    if mode == LINE {
        follow_line();
        return;
    }
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
        let best = entry_at(1u);
        if length == 0u || best.x >= best_on_line {
            if best_on_line == UNREACHABLE {
                // No sum of costs was finite.
                finish(UNREACHABLE, 0u, 0u);
            } else {
                reach(best_on_line);
                go_by_line();
            }
            return;
        }
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
    if cost_at(at) != cost || ends_on_line(cost) {
        expand(at, cost, 0u);
    } else {
        expand(at, cost, improved_by(around, steps_out, cost));
    }
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
    restore_line();
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
    save_line();
}
