// Hops of subgoals: the next subgoal; the highest bit is set if the steps of the second kind come
// first.

const NO_SUBGOAL: u32 = 0xffffffffu;

// What `distance` found: the hub, and the subgoals of both ends, which are one if two runs meet
// there.
struct Found {
    s: u32,
    t: u32,
    hub: u32,
    start: vec2<u32>,
    goal: vec2<u32>,
    near: u32,
    far: u32,
}

// The steps that come next, and the subgoal after them.
struct Walk {
    run: Run,
    subgoal: u32,
}

fn found_by(s: u32, t: u32, hub: u32, slots: u32) -> Found {
    var found = Found(s, t, hub, position_of(s), position_of(t), 0u, 0u);
    if hub != DIRECT {
        found.near = subgoal_at(list_of(found.start, AHEAD), slots & 0xffffu);
        found.far = found.near;
    }
    if hub < BEND {
        found.far = subgoal_at(list_of(found.goal, BEHIND), slots >> 16u);
    }
    return found;
}

fn start_walk(found: Found, is_goal: bool) -> Walk {
    if found.hub == DIRECT {
        // All of it belongs to the walk from the start.
        return Walk(run_between(found.start, select(found.goal, found.start, is_goal)), NO_SUBGOAL);
    }
    let subgoal = select(found.near, found.far, is_goal);
    let position = position_of_subgoal(subgoal);
    let next = select(subgoal, NO_SUBGOAL, found.hub == BEND);
    if is_goal {
        return Walk(turned(run_between(position, found.goal)), next);
    }
    return Walk(run_between(found.start, position), next);
}

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
