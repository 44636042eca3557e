// The distance of each request, by its lanes together:
//
// 1. the run from start to goal, if it is legal; otherwise
// 2. two runs that meet at a subgoal, and the subgoals of both ends with the least lower bounds;
// 3. the path over these two, whose cost rules most other subgoals out;
// 4. the least sum of the labels of the others;
// 5. for paths, the subgoals of both ends that the best path goes over.
//
// With three words, an answer has the hub, and the slots of both subgoals.

fn join_lanes(own: Best) -> Best {
    var best = own;
    for (var mask = LANES / 2u; mask > 0u; mask /= 2u) {
        let other = Best(
            exchange(best.cost, mask),
            exchange(best.hub, mask),
            exchange(best.through, mask));
        best = better(best, other);
    }
    return best;
}

fn join_bits(own: vec2<u32>) -> vec2<u32> {
    var bits = own;
    for (var mask = LANES / 2u; mask > 0u; mask /= 2u) {
        bits |= vec2<u32>(exchange(bits.x, mask), exchange(bits.y, mask));
    }
    return bits;
}

// Two runs over a subgoal of the start that this lane looks at.
fn best_bend(start: End, lane: u32) -> Best {
    var best = NOTHING;
    for (var slot = lane; slot < start.list.count; slot += LANES) {
        if !is_listed(start.list, slot) {
            continue;
        }
        let position = position_of_subgoal(subgoal_at(start.list, slot));
        let bound = bound_over(start, position);
        if bound < best.cost {
            let cell = position.y * WIDTH + position.x;
            if sees(cell, run_between(position, start.other)) {
                best = Best(bound, BEND, slot);
            }
        }
    }
    return best;
}

// Of the subgoals that this lane looks at, the one with the least lower bound.
fn most_promising(end: End, lane: u32) -> Best {
    var best = NOTHING;
    for (var slot = lane; slot < end.list.count; slot += LANES) {
        if is_listed(end.list, slot) {
            let subgoal = subgoal_at(end.list, slot);
            let bound = bound_over(end, position_of_subgoal(subgoal));
            best = better(best, Best(bound, subgoal, 0u));
        }
    }
    return best;
}

fn answer(request: u32, is_request: bool, lane: u32) {
    var best = NOTHING;
    var near = NOTHING;
    var far = NOTHING;
    var start: End;
    var goal: End;
    var is_labelled = false;
    if is_request {
        let s = requests[4u + 2u * request];
        let t = requests[5u + 2u * request];
        if is_open(s) && is_open(t) {
            let from_position = position_of(s);
            let to_position = position_of(t);
            if sees(s, run_between(from_position, to_position)) {
                best.cost = run_cost(from_position, to_position);
            } else {
                is_labelled = true;
                start.position = from_position;
                start.other = to_position;
                start.list = list_of(from_position, AHEAD);
                goal.position = to_position;
                goal.other = from_position;
                goal.list = list_of(to_position, BEHIND);
                best = best_bend(start, lane);
                near = most_promising(start, lane);
                far = most_promising(goal, lane);
            }
        }
    }
    best = join_lanes(best);
    near = join_lanes(near);
    far = join_lanes(far);
    is_labelled = is_labelled && near.cost != UNREACHABLE && far.cost != UNREACHABLE;
    if is_labelled {
        best = better(best, best_between(start, goal, near.hub, far.hub, lane));
    }
    best = join_lanes(best);
    if is_labelled {
        start.most = best.cost;
        goal.most = best.cost;
        start.kept = kept_of_lane(start, lane);
        goal.kept = kept_of_lane(goal, lane);
    }
    start.kept = join_bits(start.kept);
    goal.kept = join_bits(goal.kept);
    if is_labelled {
        best = better(best, best_of_lane(start, goal, lane));
    }
    best = join_lanes(best);
    if ANSWER_WORDS == 3u {
        near = NOTHING;
        far = NOTHING;
        if is_labelled && best.hub < BEND {
            near = nearest_slot(start, best, lane);
            far = nearest_slot(goal, best, lane);
        }
        near = join_lanes(near);
        far = join_lanes(far);
    }
    if is_request && lane == 0u {
        answers[ANSWER_WORDS * request] = best.cost;
        if ANSWER_WORDS == 3u {
            let slots = near.hub | far.hub << 16u;
            answers[3u * request + 1u] = best.hub;
            answers[3u * request + 2u] = select(slots, best.through, best.hub == BEND);
        }
    }
}
