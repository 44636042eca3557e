// One invocation per request, for devices without subgroup operations.

fn join_lanes(own: Best) -> Best {
    return own;
}

fn join_bits(own: vec2<u32>) -> vec2<u32> {
    return own;
}

@compute @workgroup_size(64)
fn distance(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let request = workgroup_number(id, count) * 64u + lane;
    answer(request, request < requests[0], 0u);
}
