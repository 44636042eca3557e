// Several requests per subgroup. The number of subgroups is known only here, so each takes every
// so many requests.

// The value of the lane whose number differs in these bits.
fn exchange(own: u32, mask: u32) -> u32 {
    return subgroupShuffleXor(own, mask);
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
