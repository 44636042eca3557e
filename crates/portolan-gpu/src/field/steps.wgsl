// The step of each cell: its first step, in the order of headings, that belongs to a cheapest path.
// Eight bits per cell: a heading, or 8 at goals and without a path. An invocation has four cells.

@group(1) @binding(0) var<storage, read> costs: array<u32>;
@group(1) @binding(1) var<storage, read_write> steps: array<u32>;

fn step_of(cell: u32) -> u32 {
    let cost = costs[cell];
    var moves = select(0u, moves_of(cell), cost != 0u && cost != UNREACHABLE);
    while moves != 0u {
        let heading = firstTrailingBit(moves);
        let next = step_from(cell, heading);
        if add_costs(costs[next], step_cost(cell, next, heading)) == cost {
            return heading;
        }
        moves &= moves - 1u;
    }
    return 8u;
}

@compute @workgroup_size(64)
fn find_steps(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = workgroup_number(id, count) * 64u + lane;
    let cells = grid.width * grid.height;
    var word = 0u;
    for (var cell = 4u * at; cell < min(4u * at + 4u, cells); cell++) {
        word |= step_of(cell) << (8u * (cell & 3u));
    }
    if 4u * at < cells {
        steps[at] = word;
    }
}
