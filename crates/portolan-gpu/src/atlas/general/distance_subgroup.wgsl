// Several requests per subgroup. The number of subgroups is known only here, so each takes every
// so many requests.

fn join_lanes(own: Best) -> Best {
    var best = own;
    for (var mask = LANES / 2u; mask > 0u; mask /= 2u) {
        let other_cost = subgroupShuffleXor(best.cost, mask);
        if ANSWER_WORDS == 3u {
            best = better(best, Best(other_cost, subgroupShuffleXor(best.hub, mask)));
        } else {
            best.cost = min(best.cost, other_cost);
        }
    }
    return best;
}

@compute @workgroup_size(128)
fn distance(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
) {
    let per_subgroup = size / LANES;
    let lane = invocation % LANES;
    let stride = count.x * count.y * subgroups * per_subgroup;
    var first = (workgroup_number(id, count) * subgroups + subgroup) * per_subgroup;
    // All invocations of a subgroup take part in every turn.
    while first < requests[0] {
        let request = first + invocation / LANES;
        let is_request = request < requests[0];
        var best = Best(UNREACHABLE, 0u);
        if is_request {
            best = least_of_lane(request, lane);
        }
        best = join_lanes(best);
        if is_request && lane == 0u {
            write_answer(request, best);
        }
        first += stride;
    }
}
