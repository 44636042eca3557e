// The distance of each request: LANES neighbouring invocations read the rows of both ends, four
// entries each at a time, and find the least sum together.

// A power of two, at most the size of a subgroup; 1 without subgroup operations.
override LANES: u32 = 1u;
// The words of an answer: the cost, and with three words the position of the hub.
override ANSWER_WORDS: u32 = 1u;

@group(1) @binding(0) var<storage, read> requests: array<u32>;
@group(1) @binding(1) var<storage, read_write> answers: array<u32>;

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
        let sum = sums(out_group + group, in_group + group, first, hubs);
        let pairs = min(sum.xy, sum.zw);
        let least = min(pairs.x, pairs.y);
        if least < best.cost {
            best.cost = least;
            if ANSWER_WORDS == 3u {
                let equal = sum == vec4<u32>(least);
                let after = select(select(3u, 2u, equal.z), 1u, equal.y);
                best.hub = first + select(after, 0u, equal.x);
            }
        }
    }
    return best;
}

fn write_answer(request: u32, best: Best) {
    answers[ANSWER_WORDS * request] = best.cost;
    if ANSWER_WORDS == 3u {
        answers[3u * request + 1u] = best.hub;
    }
}
