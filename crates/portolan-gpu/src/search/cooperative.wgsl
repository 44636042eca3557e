// A* with the 32 invocations of a workgroup for each agent.
//
// Open cells are in two piles. The near pile, a ring in the memory of the workgroup, has those with
// f below a threshold; each invocation takes one of them, all at a time, and improves its
// neighbours. The far pile, in the memory of the device, has the rest. When the near pile is empty,
// the threshold rises and the far pile is split again.
//
// So cells are not expanded strictly in the order of f: a cell may be improved after it has been
// expanded, and is then expanded again. The search ends when no open cell has f below or at the
// cost of the best path. Then every cell with f up to that cost has its least cost, whatever the
// order was, and the walk along these costs always finds the same path.

const LANES: u32 = 32u;
const RING: u32 = 512u;
// The most entries that one turn adds to the far pile, and then the end of a run.
const MARGIN: u32 = 8u * LANES + RING;

var<workgroup> near: array<vec2<u32>, RING>;
// Where the next entry of the ring goes.
var<workgroup> tail: atomic<u32>;
var<workgroup> far_count: atomic<u32>;
// No entry of the far pile has a smaller f.
var<workgroup> far_least: atomic<u32>;
var<workgroup> best_cost: atomic<u32>;
var<workgroup> wanted_tile: atomic<u32>;
var<workgroup> message: vec4<u32>;

// The same in all invocations.
var<private> head: u32;
var<private> threshold: u32;
// By how much the threshold rises.
var<private> rise: u32;

// What the first invocation says.
fn told(lane: u32, value: vec4<u32>) -> vec4<u32> {
    if lane == 0u {
        message = value;
    }
    return workgroupUniformLoad(&message);
}

fn meet() {
    workgroupBarrier();
    storageBarrier();
}

fn add_far(f: u32, value: u32) {
    atomicMin(&far_least, f);
    agents[bank].quads[heap + atomicAdd(&far_count, 1u)] = vec4(f, value, 0u, 0u);
}

fn add_open(f: u32, value: u32) {
    if f < threshold {
        let place = atomicAdd(&tail, 1u);
        if place - head < RING {
            near[place % RING] = vec2(f, value);
            return;
        }
    }
    add_far(f, value);
}

// After entries have been added: those beyond the ring went to the far pile.
fn trim_ring(lane: u32) {
    meet();
    if lane == 0u {
        atomicStore(&tail, min(atomicLoad(&tail), head + RING));
    }
    meet();
}

// Moves entries of the far pile below the threshold to the near pile, and drops stale ones.
fn split(lane: u32, count: u32) {
    if lane == 0u {
        atomicStore(&far_count, 0u);
        atomicStore(&far_least, UNREACHABLE);
    }
    for (var first = 0u; first < count; first += LANES) {
        var entry = vec4<u32>(0u);
        if first + lane < count {
            entry = agents[bank].quads[heap + first + lane];
        }
        // Entries are written where others have been read.
        meet();
        if first + lane < count && entry.x <= atomicLoad(&best_cost) {
            let at = position_of(entry.y & CELL_MASK);
            if entry.x == add_costs(cost_at(at), least_between(at, start_at)) {
                add_open(entry.x, entry.y);
            }
        }
    }
    trim_ring(lane);
}

// Expands up to 32 cells of the near pile; false if memory is full.
fn expand(lane: u32, count: u32) -> bool {
    var at = vec2<u32>(0u);
    var cost = 0u;
    var improved = 0u;
    if lane < count {
        let entry = near[(head + lane) % RING];
        cell = entry.y & CELL_MASK;
        at = position_of(cell);
        cost = entry.x - least_between(at, start_at);
        if entry.x <= atomicLoad(&best_cost) && cost_at(at) == cost {
            let moves = useful_moves(cell, entry.y >> CELL_BITS);
            improved = improved_by(costs_around(at, moves), steps_around(cell, moves), cost);
        }
    }
    if !take_pages(lane, at, improved) {
        return false;
    }
    for (var rest = improved; rest != 0u; rest &= rest - 1u) {
        let d = firstTrailingBit(rest);
        let to = step_from(cell, d);
        let to_at = neighbour_at(at, d);
        let to_cost = cost + step_cost(cell, to, d);
        let f = add_costs(to_cost, least_between(to_at, start_at));
        // Equal ones matter: they make the choice of the path independent of the order.
        if f == UNREACHABLE || f > atomicLoad(&best_cost) {
            continue;
        }
        if improve_cost_in(page_of(tile_at(to_at)), to_at, to_cost) {
            if to == start {
                atomicMin(&best_cost, to_cost);
            } else {
                add_open(f, to | (d << CELL_BITS));
            }
        }
    }
    trim_ring(lane);
    head += count;
    return true;
}

// Takes pages for all neighbours that are to be improved, one after the other.
fn take_pages(lane: u32, at: vec2<u32>, improved: u32) -> bool {
    loop {
        if lane == 0u {
            atomicStore(&wanted_tile, NONE);
        }
        meet();
        for (var rest = improved; rest != 0u; rest &= rest - 1u) {
            let tile = tile_at(neighbour_at(at, firstTrailingBit(rest)));
            if page_of(tile) == 0u {
                atomicMin(&wanted_tile, tile);
            }
        }
        workgroupBarrier();
        let tile = told(lane, vec4(atomicLoad(&wanted_tile))).x;
        if tile == NONE {
            return true;
        }
        if new_page(lane, tile) == 0u {
            return false;
        }
    }
    return false;
}

fn new_page(lane: u32, tile: u32) -> u32 {
    var page = 0u;
    if lane == 0u {
        page = take_page(tile);
    }
    page = told(lane, vec4(page)).x;
    if page != 0u && lane < 8u {
        fill_row(page, lane);
    }
    meet();
    return page;
}

// Takes the next request; false if there is none.
fn begin(lane: u32) -> bool {
    var next = NONE;
    if lane == 0u {
        next = take_request();
    }
    next = told(lane, vec4(next)).x;
    if next == NONE {
        return false;
    }
    request = next;
    read_request();
    if start == NONE {
        if lane == 0u {
            answer(request, UNREACHABLE, 0u, 0u);
        }
        return true;
    }
    let goal_at = position_of(goal);
    let page = new_page(lane, tile_at(goal_at));
    if page == 0u {
        return true;
    }
    let least = least_between(goal_at, start_at);
    threshold = add_costs(least, 1u);
    rise = 2u * grid.least_straight;
    head = 0u;
    if lane == 0u {
        set_cost_in(page, goal_at, 0u);
        near[0] = vec2(least, goal | (NO_HEADING << CELL_BITS));
        atomicStore(&tail, select(1u, 0u, start == goal));
        atomicStore(&far_count, 0u);
        atomicStore(&far_least, UNREACHABLE);
        atomicStore(&best_cost, select(UNREACHABLE, 0u, start == goal));
        mode = SEARCH;
    }
    meet();
    return true;
}

fn give_up(lane: u32) {
    if lane == 0u {
        finish(UNREACHABLE, STATE_FULL, 0u);
    }
}

fn search_on(lane: u32) {
    let now = told(
        lane,
        vec4(
            atomicLoad(&tail),
            atomicLoad(&far_count),
            atomicLoad(&far_least),
            atomicLoad(&best_cost),
        ),
    );
    if now.y + MARGIN > search.heap_quads {
        split(lane, now.y);
        let left_over = told(lane, vec4(atomicLoad(&far_count))).x;
        if left_over + MARGIN > search.heap_quads {
            give_up(lane);
            return;
        }
    }
    if now.x != head {
        if !expand(lane, min(LANES, now.x - head)) {
            give_up(lane);
        }
        return;
    }
    if now.y == 0u || now.w < now.z {
        if lane == 0u {
            if now.w == UNREACHABLE {
                finish(UNREACHABLE, 0u, 0u);
            } else {
                reach(now.w);
            }
        }
        return;
    }
    threshold = add_costs(now.z, rise);
    split(lane, told(lane, vec4(atomicLoad(&far_count))).x);
    // Enough for all invocations, but not much more than has to be expanded.
    let size = told(lane, vec4(atomicLoad(&tail))).x - head;
    if size < 2u * LANES {
        rise = min(2u * rise, 64u * grid.least_straight);
    } else if size > 8u * LANES {
        rise = max(rise / 2u, grid.least_straight);
    }
}

fn restore_piles(lane: u32) {
    let piles = agents[bank].quads[own + 3u];
    threshold = piles.x;
    rise = piles.y;
    head = 0u;
    if lane == 0u {
        atomicStore(&tail, 0u);
        atomicStore(&far_count, length);
        atomicStore(&far_least, piles.z);
        atomicStore(&best_cost, piles.w);
    }
    meet();
}

// The near pile goes to the far pile.
fn save_piles(lane: u32) {
    let end = told(lane, vec4(atomicLoad(&tail))).x;
    if told(lane, vec4(mode)).x == SEARCH {
        for (var place = head + lane; place < end; place += LANES) {
            let entry = near[place % RING];
            add_far(entry.x, entry.y);
        }
    }
    meet();
    if lane == 0u {
        if mode == SEARCH {
            length = atomicLoad(&far_count);
        }
        save();
        let least = atomicLoad(&far_least);
        agents[bank].quads[own + 3u] = vec4(threshold, rise, least, atomicLoad(&best_cost));
    }
}

@compute @workgroup_size(32)
fn search_paths(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = workgroup_number(id, count);
    bank = group % BANKS;
    let agent = group / BANKS;
    if agent >= search.agents {
        return;
    }
    place_agent(agent);
    restore();
    restore_piles(lane);
    for (var turn = 0u; turn < search.actions; turn++) {
        // The first invocation knows the mode.
        switch told(lane, vec4(mode)).x {
            case IDLE: {
                if !begin(lane) {
                    turn = search.actions;
                }
            }
            case SEARCH: {
                search_on(lane);
            }
            case WALK: {
                for (var step = 0u; step < LANES && lane == 0u && mode == WALK; step++) {
                    walk_on();
                }
            }
            default: {
                let end = own + search.agent_quads;
                for (var quad = own + REGISTER_QUADS + lane; quad < end; quad += LANES) {
                    agents[bank].quads[quad] = vec4<u32>(0u);
                }
                if lane == 0u {
                    last_page = 0u;
                    mode = IDLE;
                }
                meet();
            }
        }
    }
    save_piles(lane);
}
