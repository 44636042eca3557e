// One invocation per request, for devices without subgroup operations.

fn exchange(own: u32, mask: u32) -> u32 {
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
