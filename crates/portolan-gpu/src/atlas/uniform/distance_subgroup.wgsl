// Several requests per subgroup. The number of subgroups is known only here, so each takes every
// so many requests.

fn join_lanes(own: Best) -> Best {
    var best = own;
    for (var mask = LANES / 2u; mask > 0u; mask /= 2u) {
        let other = Best(
            subgroupShuffleXor(best.cost, mask),
            subgroupShuffleXor(best.hub, mask),
            subgroupShuffleXor(best.through, mask));
        best = better(best, other);
    }
    return best;
}

fn join_bits(own: vec2<u32>) -> vec2<u32> {
    var bits = own;
    for (var mask = LANES / 2u; mask > 0u; mask /= 2u) {
        bits |= vec2<u32>(subgroupShuffleXor(bits.x, mask), subgroupShuffleXor(bits.y, mask));
    }
    return bits;
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
    let stride = count.x * count.y * subgroups * per_subgroup;
    var first = (workgroup_number(id, count) * subgroups + subgroup) * per_subgroup;
    // All invocations of a subgroup take part in every turn.
    while first < requests[0] {
        let request = first + invocation / LANES;
        answer(request, request < requests[0], invocation % LANES);
        first += stride;
    }
}
