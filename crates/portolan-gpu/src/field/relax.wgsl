// Lowers the costs of a tile until no step within it, or into it, gives a lower one. A workgroup
// has a tile, an invocation a cell. Costs of the tile and of the cells around it are in workgroup
// memory.

const SIDE: u32 = 18u;

var<workgroup> around: array<atomic<u32>, 324>;
var<workgroup> own_tile: u32;
// The last iteration that changed a cost.
var<workgroup> changed: u32;
// By heading: whether the neighbouring tile has to follow.
var<workgroup> sides: atomic<u32>;

@compute @workgroup_size(16, 16)
fn relax(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let pass_number = atomicLoad(&control[2]);
    if lane == 0u {
        let parity = pass_number & 1u;
        let at = workgroup_number(id, count);
        own_tile = UNREACHABLE;
        if at < atomicLoad(&control[parity]) {
            own_tile = queues[parity * tiles.columns * tiles.rows + at];
        }
        changed = 0u;
        atomicStore(&sides, 0u);
    }
    let tile = workgroupUniformLoad(&own_tile);
    if tile == UNREACHABLE {
        return;
    }
    let left = tile % tiles.columns * 16u;
    let top = tile / tiles.columns * 16u;
    for (var at = lane; at < SIDE * SIDE; at += 256u) {
        // Left of the map, x wraps around and is too large.
        let x = left + at % SIDE - 1u;
        let y = top + at / SIDE - 1u;
        var cost = UNREACHABLE;
        if x < grid.width && y < grid.height {
            cost = atomicLoad(&costs[y * grid.width + x]);
        }
        atomicStore(&around[at], cost);
    }

    let x = left + local.x;
    let y = top + local.y;
    let cell = y * grid.width + x;
    var moves = 0u;
    if x < grid.width && y < grid.height {
        moves = moves_of(cell);
    }
    var weights: array<u32, 8>;
    for (var heading = 0u; heading < 8u; heading++) {
        weights[heading] = UNREACHABLE;
        if ((moves >> heading) & 1u) != 0u {
            weights[heading] = step_cost(cell, step_from(cell, heading), heading);
        }
    }
    workgroupBarrier();

    let own = SIDE * (local.y + 1u) + local.x + 1u;
    let before = atomicLoad(&around[own]);
    var cost = before;
    for (var iteration = 1u; ; iteration++) {
        var least = cost;
        for (var heading = 0u; heading < 8u; heading++) {
            let position = heading + select(0u, 1u, heading > 3u);
            let neighbour = own + SIDE * (position / 3u) + position % 3u - SIDE - 1u;
            if weights[heading] != UNREACHABLE {
                least = min(least, add_costs(atomicLoad(&around[neighbour]), weights[heading]));
            }
        }
        if least < cost {
            cost = least;
            atomicStore(&around[own], cost);
            changed = iteration;
        }
        if workgroupUniformLoad(&changed) != iteration {
            break;
        }
    }

    if cost < before {
        atomicStore(&costs[cell], cost);
        let west = local.x == 0u;
        let east = local.x == 15u;
        let north = local.y == 0u;
        let south = local.y == 15u;
        let reached = select(0u, 1u, north && west) | select(0u, 2u, north)
            | select(0u, 4u, north && east) | select(0u, 8u, west) | select(0u, 16u, east)
            | select(0u, 32u, south && west) | select(0u, 64u, south)
            | select(0u, 128u, south && east);
        atomicOr(&sides, reached);
    }
    workgroupBarrier();
    if lane < 8u && ((atomicLoad(&sides) >> lane) & 1u) != 0u {
        queue_neighbour(tile, lane, pass_number + 1u);
    }
}
