// A* on the abstract graph, from the end of a request to its start, so that following the parents
// gives the path in order. One invocation answers one request after the other.
//
// Nodes are exits, then cells: the two ends, and, if both are in one cluster, the cells of it. A
// search keeps its nodes in a hash table and its open list in a heap, both in memory of the
// invocation's own. An entry of the table counts if it has the number of the search, so nothing is
// cleared in between. Numbers grow from round to round, whatever the sizes of the tables.

struct Hierarchy {
    // The side of a cluster, and the clusters of a row.
    size: u32,
    columns: u32,
    exits: u32,
    // Where the sections of `stored` begin; the first, clusters, begins at 0.
    exits_at: u32,
    links_at: u32,
    costs_at: u32,
    headings_at: u32,
    passable_at: u32,
    // Of each invocation: the table has 1 << table_bits entries, the heap heap_size.
    table_bits: u32,
    heap_size: u32,
    invocations: u32,
    // The most requests that an invocation answers.
    requests: u32,
    // The most expansions of an invocation in a launch.
    expansions: u32,
    // Any small number: see `is_cut`.
    turns: u32,
}

@group(1) @binding(0) var<uniform> hierarchy: Hierarchy;
@group(1) @binding(1) var<storage, read> stored: array<u32>;
// Node, 2 * search + (1 if expanded), cost, entry of the parent.
@group(1) @binding(2) var<storage, read_write> table: array<vec4<u32>>;
// Lower bound, entry. For the next launch of the same round, before the first of each invocation:
// the number of its last search, and the request that it has not finished; in place of the first:
// the sizes of the heap and the table.
@group(1) @binding(3) var<storage, read_write> heap: array<vec2<u32>>;
// The searches before this round.
@group(1) @binding(4) var<uniform> searched: u32;

// Requests from word 4 on; words 0 and 2: how many there are, and how many have been taken.
@group(2) @binding(0) var<storage, read_write> requests: array<atomic<u32>>;
@group(2) @binding(1) var<storage, read_write> answers: array<u32>;
@group(2) @binding(2) var<storage, read_write> pool: array<atomic<u32>>;

override with_paths: bool = true;
// Whether this launch continues the searches that the previous one has not finished.
override resumes: bool = false;

const NONE: u32 = 0xffffffffu;
const STATE_FULL: u32 = 0xfffffffeu;
const UNFINISHED: u32 = 0xfffffffeu;
const MOST_STEPS: u32 = 8191u;

var<private> first_entry: u32;
var<private> first_open: u32;
var<private> open_count: u32;
var<private> node_count: u32;
var<private> number: u32;
var<private> is_full: bool;
// Where the search leads: the cell for its lower bounds.
var<private> aim: u32;

struct Cluster {
    number: u32,
    first_exit: u32,
    exits: u32,
    first_cost: u32,
    first_heading: u32,
    left: u32,
    top: u32,
    width: u32,
    cells: u32,
}

fn cluster_number(cell: u32) -> u32 {
    let row = cell / grid.width / hierarchy.size;
    return row * hierarchy.columns + cell % grid.width / hierarchy.size;
}

fn cluster_at(cell: u32) -> Cluster {
    var c: Cluster;
    c.number = cluster_number(cell);
    let at = 3u * c.number;
    c.first_exit = stored[at];
    c.exits = stored[at + 3u] - c.first_exit;
    c.first_cost = hierarchy.costs_at + stored[at + 1u];
    c.first_heading = hierarchy.headings_at + stored[at + 2u];
    c.left = c.number % hierarchy.columns * hierarchy.size;
    c.top = c.number / hierarchy.columns * hierarchy.size;
    c.width = min(hierarchy.size, grid.width - c.left);
    c.cells = c.width * min(hierarchy.size, grid.height - c.top);
    return c;
}

fn exit_cell(exit: u32) -> u32 {
    return stored[hierarchy.exits_at + 3u * exit];
}

fn is_passable(cell: u32) -> bool {
    return ((stored[hierarchy.passable_at + (cell >> 5u)] >> (cell & 31u)) & 1u) != 0u;
}

// The heading from a cell of a cluster toward an exit; more than 7 if no path leads there.
fn heading_toward(c: Cluster, exit: u32, cell: u32) -> u32 {
    let local = (cell / grid.width - c.top) * c.width + cell % grid.width - c.left;
    let at = (exit - c.first_exit) * c.cells + local;
    return (stored[c.first_heading + (at >> 3u)] >> ((at & 7u) * 4u)) & 15u;
}

// The cost from a cell of a cluster to an exit.
fn cost_toward(c: Cluster, exit: u32, start: u32) -> u32 {
    let end = exit_cell(exit);
    var cell = start;
    var cost = 0u;
    while cell != end {
        let heading = heading_toward(c, exit, cell);
        if heading > 7u {
            return UNREACHABLE;
        }
        let next = step_from(cell, heading);
        cost += step_cost(cell, next, heading);
        cell = next;
    }
    return cost;
}

// The component of the exits that a cell reaches; NONE if there are none.
fn component_of(cell: u32) -> u32 {
    let c = cluster_at(cell);
    for (var exit = c.first_exit; exit < c.first_exit + c.exits; exit++) {
        if cell == exit_cell(exit) || heading_toward(c, exit, cell) <= 7u {
            return stored[hierarchy.exits_at + 3u * exit + 2u];
        }
    }
    return NONE;
}

fn push(entry: vec2<u32>) {
    if open_count + 2u >= hierarchy.heap_size {
        is_full = true;
        return;
    }
    open_count++;
    var at = open_count;
    while at > 1u {
        let parent = heap[first_open + at / 2u];
        if parent.x <= entry.x {
            break;
        }
        heap[first_open + at] = parent;
        at /= 2u;
    }
    heap[first_open + at] = entry;
}

fn pop() -> u32 {
    let top = heap[first_open + 1u].y;
    let last = heap[first_open + open_count];
    open_count--;
    var at = 1u;
    loop {
        var child = 2u * at;
        if child > open_count {
            break;
        }
        var least = heap[first_open + child];
        if child < open_count {
            let other = heap[first_open + child + 1u];
            if other.x < least.x {
                least = other;
                child++;
            }
        }
        if least.x >= last.x {
            break;
        }
        heap[first_open + at] = least;
        at = child;
    }
    heap[first_open + at] = last;
    return top;
}

// The entry of a node, which is added if it is new; NONE if the table is full.
fn entry_of(node: u32) -> u32 {
    let mask = (1u << hierarchy.table_bits) - 1u;
    var at = (node * 2654435769u) >> (32u - hierarchy.table_bits);
    loop {
        let entry = table[first_entry + at];
        if entry.y >> 1u != number {
            if node_count + (mask >> 2u) >= mask {
                is_full = true;
                return NONE;
            }
            node_count++;
            table[first_entry + at] = vec4(node, 2u * number, UNREACHABLE, NONE);
            return at;
        }
        if entry.x == node {
            return at;
        }
        at = (at + 1u) & mask;
    }
    return NONE;
}

// Offers a node, which stands for this cell, a path over its new parent.
fn offer(node: u32, cell: u32, cost: u32, parent: u32) {
    let bound = add_costs(cost, least_cost(cell, aim));
    if cost == UNREACHABLE || bound == UNREACHABLE {
        return;
    }
    let entry = entry_of(node);
    if entry != NONE && cost < table[first_entry + entry].z {
        table[first_entry + entry] = vec4(node, 2u * number, cost, parent);
        push(vec2(bound, entry));
    }
}

// Expands an end of the request, or another cell of their common cluster.
fn expand_cell(c: Cluster, cell: u32, cost: u32, entry: u32, is_end: bool, is_shared: bool) {
    for (var exit = c.first_exit; is_end && exit < c.first_exit + c.exits; exit++) {
        offer(exit, exit_cell(exit), add_costs(cost, cost_toward(c, exit, cell)), entry);
    }
    var moves = select(0u, moves_of(cell), is_shared);
    while moves != 0u {
        let heading = firstTrailingBit(moves);
        moves &= moves - 1u;
        let next = step_from(cell, heading);
        if cluster_number(next) == c.number {
            let next_cost = add_costs(cost, step_cost(cell, next, heading));
            offer(hierarchy.exits + next, next, next_cost, entry);
        }
    }
}

// Offers the other exits of the cluster.
fn expand_within(c: Cluster, exit: u32, cost: u32, entry: u32) {
    let row = c.first_cost + (exit - c.first_exit) * c.exits;
    for (var rank = 0u; rank < c.exits; rank++) {
        let other = c.first_exit + rank;
        if other != exit {
            offer(other, exit_cell(other), add_costs(cost, stored[row + rank]), entry);
        }
    }
}

// Offers the exits of other clusters one step away.
fn expand_across(exit: u32, cell: u32, cost: u32, entry: u32) {
    let at = hierarchy.exits_at + 3u * exit;
    for (var link = stored[at + 1u]; link < stored[at + 4u]; link++) {
        let head = stored[hierarchy.links_at + link];
        let next = exit_cell(head);
        let step = step_cost(cell, next, heading_between(cell, next));
        offer(head, next, add_costs(cost, step), entry);
    }
}

// The heading of the step between two neighbours.
fn heading_between(cell: u32, next: u32) -> u32 {
    let column = next % grid.width + 1u - cell % grid.width;
    let position = 3u * (next / grid.width + 1u - cell / grid.width) + column;
    return position - select(0u, 1u, position > 4u);
}

// Begins a search. Returns whether there may be a path.
fn begin(origin: u32, goal: u32) -> bool {
    number++;
    open_count = 0u;
    node_count = 0u;
    offer(hierarchy.exits + origin, origin, 0u, NONE);
    let component = component_of(goal);
    let is_shared = cluster_number(origin) == cluster_number(goal);
    return component == component_of(origin) && (component != NONE || is_shared);
}

// Continues a search. Returns the entry of the goal, NONE if there is no path, or UNFINISHED.
fn advance(origin: u32, goal: u32) -> u32 {
    let home = cluster_at(origin);
    let goal_cluster = cluster_number(goal);
    var found = NONE;
    var expansions = 0u;
    while open_count > 0u && found == NONE && !is_full {
        let at = pop();
        let entry = table[first_entry + at];
        let is_open = (entry.y & 1u) == 0u;
        table[first_entry + at].y = entry.y | 1u;
        if is_open && entry.x == hierarchy.exits + goal {
            found = at;
        } else if is_open && entry.x >= hierarchy.exits {
            let cell = entry.x - hierarchy.exits;
            let is_shared = home.number == goal_cluster;
            expand_cell(home, cell, entry.z, at, cell == origin, is_shared);
        } else if is_open {
            let cell = exit_cell(entry.x);
            let c = cluster_at(cell);
            let parent = table[first_entry + entry.w].x;
            expand_across(entry.x, cell, entry.z, at);
            // If the path has reached this exit within the cluster, it has offered the others, and
            // the goal, at no higher cost.
            var is_entrance = parent < hierarchy.exits;
            if is_entrance {
                is_entrance = cluster_number(exit_cell(parent)) != c.number;
            }
            if is_entrance {
                expand_within(c, entry.x, entry.z, at);
            }
            if is_entrance && c.number == goal_cluster {
                let cost = add_costs(entry.z, cost_toward(c, entry.x, goal));
                offer(hierarchy.exits + goal, goal, cost, at);
            }
        }
        expansions++;
        if expansions == hierarchy.expansions && found == NONE && open_count > 0u {
            found = UNFINISHED;
        }
    }
    return found;
}

// The path is written leg by leg. The stored path of its last part leads from the end of the
// request to an exit; so its legs are written backward, from the last.
var<private> is_writing: bool;
var<private> first_word: u32;
var<private> legs: u32;
// How many there are, once they have been counted.
var<private> all_legs: u32;
var<private> leg_at: u32;
var<private> leg_heading: u32;
var<private> leg_steps: u32;

fn end_leg(direction: u32) {
    if leg_steps == 0u {
        return;
    }
    if is_writing {
        let at = first_word + leg_at / 2u;
        let shift = 16u * (leg_at & 1u);
        let others = atomicLoad(&pool[at]) & ~(0xffffu << shift);
        atomicStore(&pool[at], others | (((leg_heading << 13u) | leg_steps) << shift));
    }
    legs++;
    leg_at += direction;
    leg_steps = 0u;
}

fn add_step(heading: u32, direction: u32) {
    if leg_heading != heading || leg_steps == MOST_STEPS {
        end_leg(direction);
    }
    leg_heading = heading;
    leg_steps++;
}

// Counts or writes the legs of the path that the last search has found.
fn walk(goal_entry: u32) {
    legs = 0u;
    leg_at = 0u;
    leg_steps = 0u;
    var entry = table[first_entry + goal_entry];
    var cell = entry.x - hierarchy.exits;
    while entry.w != NONE {
        let from_exit = entry.x;
        entry = table[first_entry + entry.w];
        let is_exit = entry.x < hierarchy.exits;
        let c = cluster_at(cell);
        if !is_exit && from_exit < hierarchy.exits {
            end_leg(1u);
            leg_at = all_legs - 1u;
            let exit = cell;
            cell = entry.x - hierarchy.exits;
            while cell != exit {
                let heading = heading_toward(c, from_exit, cell);
                add_step(7u - heading, NONE);
                cell = step_from(cell, heading);
            }
            end_leg(NONE);
            return;
        }
        var next = entry.x - hierarchy.exits;
        if is_exit {
            next = exit_cell(entry.x);
        }
        if is_exit && cluster_number(next) == c.number {
            while cell != next {
                let heading = heading_toward(c, entry.x, cell);
                add_step(heading, 1u);
                cell = step_from(cell, heading);
            }
        } else {
            add_step(heading_between(cell, next), 1u);
            cell = next;
        }
    }
    end_leg(1u);
}

// Writes the path to the pool. Returns its first word, or POOL_FULL.
fn write_path(goal_entry: u32) -> u32 {
    is_writing = false;
    walk(goal_entry);
    all_legs = legs;
    let words = (legs + 1u) / 2u;
    first_word = take_words(words, arrayLength(&pool) - HEADER_WORDS);
    if first_word == POOL_FULL {
        return POOL_FULL;
    }
    is_writing = true;
    walk(goal_entry);
    return first_word;
}

// Whether the driver has begun to cut loops, as the head of `mod.rs` tells.
fn is_cut() -> bool {
    var turns = 0u;
    while turns < hierarchy.turns {
        turns++;
    }
    return turns != hierarchy.turns;
}

@compute @workgroup_size(64)
fn answer_requests(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let invocation = workgroup_number(id, groups) * 64u + lane;
    if invocation >= hierarchy.invocations {
        return;
    }
    first_entry = invocation << hierarchy.table_bits;
    first_open = invocation * hierarchy.heap_size + 1u;
    number = searched;
    var request = NONE;
    if resumes {
        let saved = heap[first_open];
        number = heap[first_open - 1u].x;
        request = heap[first_open - 1u].y;
        open_count = saved.x;
        node_count = saved.y;
    }
    for (var turn = 0u; turn < hierarchy.requests; turn++) {
        if !resumes {
            request = atomicAdd(&requests[2], 1u);
        }
        if request >= atomicLoad(&requests[0]) {
            request = NONE;
            break;
        }
        let start = atomicLoad(&requests[4u + 2u * request]);
        let end = atomicLoad(&requests[5u + 2u * request]);
        let cells = grid.width * grid.height;
        is_full = false;
        // The search leads from the end to the start.
        aim = start;
        var found = NONE;
        if start < cells && end < cells && is_passable(start) && is_passable(end) {
            if resumes || begin(end, start) {
                found = advance(end, start);
            }
        }
        var answer = vec3(UNREACHABLE, 0u, 0u);
        if found < UNFINISHED {
            answer.x = table[first_entry + found].z;
            if with_paths {
                answer.y = write_path(found);
                answer.z = all_legs;
            }
        }
        let is_lost = is_full || is_cut();
        if found == UNFINISHED || is_lost {
            answer = vec3(UNREACHABLE, STATE_FULL, 0u);
        }
        answers[3u * request] = answer.x;
        answers[3u * request + 1u] = answer.y;
        answers[3u * request + 2u] = answer.z;
        if found != UNFINISHED || is_lost {
            request = NONE;
        }
    }
    heap[first_open - 1u] = vec2(number, request);
    heap[first_open] = vec2(open_count, node_count);
}
