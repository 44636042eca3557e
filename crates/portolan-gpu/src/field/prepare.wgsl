// What happens before the first pass, and before every pass.

// The number of goals, then the goals.
@group(2) @binding(0) var<storage, read> goals: array<u32>;
// The workgroups of the next launch of `relax`.
@group(2) @binding(1) var<storage, read_write> workgroups: array<u32>;

// Nothing has a path.
@compute @workgroup_size(64)
fn clear_costs(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let cell = workgroup_number(id, count) * 64u + lane;
    if cell < tiles.cells {
        atomicStore(&costs[cell], UNREACHABLE);
    }
    if cell < tiles.columns * tiles.rows {
        atomicStore(&marks[cell], 0u);
    }
    if cell < 3u {
        atomicStore(&control[cell], 0u);
    }
}

// Goals cost nothing. Their tiles and those around them come first.
@compute @workgroup_size(64)
fn add_goals(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = workgroup_number(id, count) * 64u + lane;
    if at >= goals[0] {
        return;
    }
    let goal = goals[1u + at];
    atomicStore(&costs[goal], 0u);
    let column = goal % tiles.width / 16u;
    let row = goal / tiles.width / 16u;
    queue(column, row, 1u);
    for (var heading = 0u; heading < 8u; heading++) {
        queue_neighbour(row * tiles.columns + column, heading, 1u);
    }
}

@compute @workgroup_size(1)
fn begin_pass() {
    let pass_number = atomicLoad(&control[2]) + 1u;
    atomicStore(&control[2], pass_number);
    let count = atomicLoad(&control[pass_number & 1u]);
    atomicStore(&control[(pass_number + 1u) & 1u], 0u);
    let rows = (count + 65534u) / 65535u;
    workgroups[0] = (count + max(rows, 1u) - 1u) / max(rows, 1u);
    workgroups[1] = rows;
    workgroups[2] = 1u;
}
