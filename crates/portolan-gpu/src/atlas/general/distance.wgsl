// The distance of each request: its lanes read the rows of both ends, four entries each at a time,
// and find the least sum together. With three words, an answer has the position of the hub.

struct Best {
    cost: u32,
    hub: u32,
}

fn better(a: Best, b: Best) -> Best {
    if b.cost < a.cost || (b.cost == a.cost && b.hub < a.hub) {
        return b;
    }
    return a;
}

fn join_lanes(own: Best) -> Best {
    var best = own;
    for (var mask = LANES / 2u; mask > 0u; mask /= 2u) {
        let other_cost = exchange(best.cost, mask);
        if ANSWER_WORDS == 3u {
            best = better(best, Best(other_cost, exchange(best.hub, mask)));
        } else {
            best.cost = min(best.cost, other_cost);
        }
    }
    return best;
}

// The least sum of the groups `lane`, `lane + LANES`, ...
fn least_of_lane(request: u32, lane: u32) -> Best {
    let s = requests[4u + 2u * request];
    let t = requests[5u + 2u * request];
    let hubs = shared_hubs(s, t);
    var best = Best(UNREACHABLE, 0u);
    if hubs == 0u {
        return best;
    }
    let out_group = records[2u * s].x;
    let in_group = records[2u * t].y;
    for (var group = lane; 4u * group < hubs; group += LANES) {
        let first = 4u * group;
        let sum = sums(entries(out_group + group), entries(in_group + group), first, hubs);
        let least = least_of(sum);
        if least < best.cost {
            best.cost = least;
            if ANSWER_WORDS == 3u {
                best.hub = first + place_of(sum, least);
            }
        }
    }
    return best;
}

fn answer(request: u32, is_request: bool, lane: u32) {
    var best = Best(UNREACHABLE, 0u);
    if is_request {
        best = least_of_lane(request, lane);
    }
    best = join_lanes(best);
    if is_request && lane == 0u {
        answers[ANSWER_WORDS * request] = best.cost;
        if ANSWER_WORDS == 3u {
            answers[3u * request + 1u] = best.hub;
        }
    }
}
