// Paths: one invocation per request follows the hops from both ends to the hub that `distance`
// found. The first walk counts, the second writes.
//
// A hop is the next subgoal; its highest bit is set if the steps of the second kind come first.

// What is written: 0 for legs, two per word; 1 for nodes.
override WRITES_NODES: u32 = 0u;
override POOL_WORDS: u32 = 0u;

@group(0) @binding(2) var<storage, read> hops_0: array<u32>;
@group(0) @binding(3) var<storage, read> hops_1: array<u32>;
@group(0) @binding(4) var<storage, read> hops_2: array<u32>;

@group(1) @binding(0) var<storage, read> requests: array<u32>;
@group(1) @binding(1) var<storage, read_write> answers: array<u32>;
@group(1) @binding(2) var<storage, read_write> pool: array<atomic<u32>>;

const POOL_FULL: u32 = 0xffffffffu;
const POOL_HEADER: u32 = 4u;
const MOST_STEPS: u32 = 8191u;
const NO_SUBGOAL: u32 = 0xffffffffu;

// What `distance` found: the hub, and the subgoals of both ends.
struct Found {
    hub: u32,
    start: vec2<u32>,
    goal: vec2<u32>,
    near: u32,
    far: u32,
}

// A walk from one end to the hub: the steps that come next, and the subgoal after them.
struct Walk {
    run: Run,
    subgoal: u32,
}

fn hop_word(word: u32) -> u32 {
    // Four hops are as many as a group has costs.
    let at = word & ((4u << SEGMENT_BITS) - 1u);
    switch word >> (SEGMENT_BITS + 2u) {
        case 0u: {
            return hops_0[at];
        }
        case 1u: {
            return hops_1[at];
        }
        default: {
            return hops_2[at];
        }
    }
}

fn start_walk(found: Found) -> Walk {
    switch found.hub {
        case DIRECT: {
            return Walk(run_between(found.start, found.goal), NO_SUBGOAL);
        }
        default: {
            let run = run_between(found.start, position_of_subgoal(found.near));
            return Walk(run, select(found.near, NO_SUBGOAL, found.hub == BEND));
        }
    }
}

// The walk from the goal.
fn start_back(found: Found) -> Walk {
    switch found.hub {
        case DIRECT: {
            return Walk(Run(0u, 0u, 0u, 0u), NO_SUBGOAL);
        }
        case BEND: {
            let run = run_between(position_of_subgoal(found.near), found.goal);
            return Walk(turned(run), NO_SUBGOAL);
        }
        default: {
            let run = run_between(position_of_subgoal(found.far), found.goal);
            return Walk(turned(run), found.far);
        }
    }
}

// Takes the next leg, a heading and a number of steps. There are none at the hub.
fn next_leg(walk: ptr<function, Walk>, hub: u32) -> vec2<u32> {
    var run = (*walk).run;
    while run.firsts + run.seconds == 0u {
        let subgoal = (*walk).subgoal;
        if subgoal == NO_SUBGOAL {
            return vec2<u32>(0u);
        }
        let row = records[2u * subgoal];
        // A subgoal is the last of its own hubs.
        if row.y == hub + 1u {
            return vec2<u32>(0u);
        }
        let hop = hop_word(4u * row.x + hub);
        let next = hop & 0x7fffffffu;
        run = run_between(unpack_position(row.z), position_of_subgoal(next));
        if hop != next {
            run = Run(run.second, run.seconds, run.first, run.firsts);
        }
        (*walk).subgoal = next;
    }
    if run.firsts == 0u {
        run = Run(run.second, run.seconds, run.first, 0u);
    }
    let leg = vec2<u32>(run.first, min(run.firsts, MOST_STEPS));
    run.firsts -= leg.y;
    (*walk).run = run;
    return leg;
}

fn count_words(from_walk: Walk, hub: u32) -> u32 {
    var walk = from_walk;
    var count = 0u;
    loop {
        let leg = next_leg(&walk, hub);
        if leg.y == 0u {
            return count;
        }
        count += select(1u, leg.y, WRITES_NODES == 1u);
    }
    return count;
}

// Takes this many words of the pool; POOL_FULL if there are not so many.
fn take_words(words: u32) -> u32 {
    if words > POOL_WORDS || atomicLoad(&pool[0]) > POOL_WORDS {
        return POOL_FULL;
    }
    let start = atomicAdd(&pool[0], words);
    return select(POOL_HEADER + start, POOL_FULL, start > POOL_WORDS - words);
}

@compute @workgroup_size(64)
fn path(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let request = workgroup_number(id, count) * 64u + lane;
    if request >= requests[0] {
        return;
    }
    let hub = answers[3u * request + 1u];
    let slots = answers[3u * request + 2u];
    answers[3u * request + 1u] = POOL_HEADER;
    answers[3u * request + 2u] = 0u;
    if answers[3u * request] == UNREACHABLE {
        return;
    }
    let s = requests[4u + 2u * request];
    let t = requests[5u + 2u * request];
    var found = Found(hub, position_of(s), position_of(t), 0u, 0u);
    if hub != DIRECT {
        found.near = subgoal_at(list_of(found.start, AHEAD), slots & 0xffffu);
    }
    if hub < BEND {
        found.far = subgoal_at(list_of(found.goal, BEHIND), slots >> 16u);
    }
    let from_start = count_words(start_walk(found), hub);
    let len = from_start + count_words(start_back(found), hub);
    let start = take_words(select((len + 1u) / 2u, len, WRITES_NODES == 1u));
    answers[3u * request + 1u] = start;
    answers[3u * request + 2u] = len;
    if start == POOL_FULL || len == 0u {
        return;
    }
    if WRITES_NODES == 1u {
        write_cells(start, s, t, found, len);
    } else {
        write_legs(start, found, from_start, len);
    }
}

fn write_legs(start: u32, found: Found, from_start: u32, len: u32) {
    var walk = start_walk(found);
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
    walk = start_back(found);
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
fn write_cells(start: u32, s: u32, t: u32, found: Found, len: u32) {
    var at = start;
    var cell = s;
    var walk = start_walk(found);
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
    cell = t;
    walk = start_back(found);
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
