// A* with one invocation per agent.
//
// It searches from the goal to the start, so that a walk along falling costs gives the path in
// order. An agent is in one of four modes and acts once per turn of the loop, whatever its mode:
// the agents of a subgroup load the neighbours of a cell together, whether they expand it or walk
// over it. An agent that is done takes the next request, so long searches do not hold up others.
// After `search.actions` turns the kernel saves all registers; the next run goes on from there. So
// no run takes long, however large the map is.
//
// The open list is a heap of (f, cell and heading by which it was reached), without decrease of
// keys: entries whose cost has since been improved are dropped when they come up. An entry has four
// children. They fill a sector of 32 bytes, as a level of the heap costs the latency of a load. For
// this the root is at place 3, and the children of the entry at place i begin at place 4 (i - 2).
//
// lines.wgsl adds stored paths to it, and no_lines.wgsl does not: answer_from_lines() may answer a
// request at once, and ends_on_line() a cell whose exact cost to the start is stored.

const ROOT: u32 = 3u;

// The cost of the best path that follows a stored path from some cell to the start.
var<private> best_on_line: u32;
// Where the start and that cell are in the list of stored paths.
var<private> start_place: u32;
var<private> cell_place: u32;

fn restore_line() {
    let line = agents[bank].quads[own + 3u];
    best_on_line = line.x;
    start_place = line.y;
    cell_place = line.z;
}

fn save_line() {
    agents[bank].quads[own + 3u] = vec4(best_on_line, start_place, cell_place, 0u);
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

fn entry_at(place: u32) -> vec2<u32> {
    let pair = agents[bank].quads[heap + (place >> 1u)];
    return select(pair.xy, pair.zw, (place & 1u) != 0u);
}

fn set_entry(place: u32, entry: vec2<u32>) {
    let half = 2u * (place & 1u);
    agents[bank].quads[heap + (place >> 1u)][half] = entry.x;
    agents[bank].quads[heap + (place >> 1u)][half + 1u] = entry.y;
}

// The place of the last entry.
fn last_place() -> u32 {
    return ROOT + length - 1u;
}

// The place of the entry above.
fn place_above(place: u32) -> u32 {
    return (place >> 2u) + 2u;
}

// Fills the place of an entry with another, or with one from below.
fn sink(place: u32, entry: vec2<u32>) {
    let last = last_place();
    var at = place;
    loop {
        let first = 4u * (at - 2u);
        if first > last {
            break;
        }
        let low = agents[bank].quads[heap + (first >> 1u)];
        let high = agents[bank].quads[heap + (first >> 1u) + 1u];
        // What is beyond the last entry is no child.
        let keys = select(
            vec4(UNREACHABLE),
            vec4(low.x, low.z, high.x, high.z),
            vec4(first) + vec4(0u, 1u, 2u, 3u) <= vec4(last),
        );
        let is_odd = vec2(keys.y < keys.x, keys.w < keys.z);
        let least = min(keys.xz, keys.yw);
        let is_high = least.y < least.x;
        let child = select(
            select(low.xy, low.zw, is_odd.x),
            select(high.xy, high.zw, is_odd.y),
            is_high,
        );
        if entry.x <= child.x {
            break;
        }
        set_entry(at, child);
        at = first + select(select(0u, 1u, is_odd.x), select(2u, 3u, is_odd.y), is_high);
    }
    set_entry(at, entry);
}

fn push(entry: vec2<u32>) {
    length += 1u;
    var at = last_place();
    while at > ROOT {
        let above = entry_at(place_above(at));
        if above.x <= entry.x {
            break;
        }
        set_entry(at, above);
        at = place_above(at);
    }
    set_entry(at, entry);
}

// Whether the neighbours of a cell may not fit.
fn is_heap_full() -> bool {
    return last_place() + 8u >= 2u * search.heap_quads;
}

// Drops entries whose cost has been improved. This changes which of several shortest paths is
// found, so it must not depend on memory or other agents: only heaps of the largest size do it.
fn drop_stale_entries() {
    let end = ROOT + length;
    length = 0u;
    for (var place = ROOT; place < end; place++) {
        let entry = entry_at(place);
        let at = position_of(entry.y & CELL_MASK);
        if entry.x == add_costs(cost_at(at), least_between(at, start_at)) {
            length += 1u;
            set_entry(last_place(), entry);
        }
    }
    for (var place = place_above(last_place()); place >= ROOT; place--) {
        sink(place, entry_at(place));
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
    set_entry(ROOT, vec2(least_between(goal_at, start_at), goal | (NO_HEADING << CELL_BITS)));
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
        if is_heap_full() && search.drops_stale != 0u {
            drop_stale_entries();
        }
        if is_heap_full() {
            finish(UNREACHABLE, STATE_FULL, 0u);
            return;
        }
        let best = entry_at(ROOT);
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
    if around.here != cost || ends_on_line(cost) {
        expand(at, cost, 0u, around.near_pages);
    } else {
        expand(at, cost, improved_by(around, steps_out, cost), around.near_pages);
    }
}

// Improves the costs of these neighbours of the best open cell. The best of them takes its place in
// the heap, from where it rarely sinks far.
fn expand(at: vec2<u32>, cost: u32, improved: u32, near_pages: vec4<u32>) {
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
        let last = entry_at(last_place());
        length -= 1u;
        if length > 0u {
            sink(ROOT, last);
        }
        return;
    }
    let from_cell = cell;
    sink(ROOT, vec2(best, step_from(from_cell, chosen) | (chosen << CELL_BITS)));
    for (var rest = improved; rest != 0u; rest &= rest - 1u) {
        let d = firstTrailingBit(rest);
        let to = step_from(from_cell, d);
        let f = open_cost(at, cost, d);
        if f == UNREACHABLE {
            continue;
        }
        let to_at = neighbour_at(at, d);
        let to_cost = cost + step_cost(from_cell, to, d);
        let page = page_beside(at, near_pages, d);
        if page != 0u {
            set_cost_in(page, to_at, to_cost);
        } else if !set_cost(to_at, to_cost) {
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
    let group = workgroup_number(id, count);
    bank = group % BANKS;
    let agent = group / BANKS * 32u + lane;
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
