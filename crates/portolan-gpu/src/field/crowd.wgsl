// One step of every agent that follows a field. An invocation has an agent.

struct Crowd {
    width: u32,
    cells: u32,
    agents: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> crowd: Crowd;
// The cell of each agent, and which field it follows.
@group(0) @binding(1) var<storage, read_write> agents: array<vec2<u32>>;

@group(1) @binding(0) var<storage, read> steps: array<u32>;
@group(1) @binding(1) var<uniform> field: vec4<u32>;

@compute @workgroup_size(64)
fn move_agents(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = workgroup_number(id, count) * 64u + lane;
    if at >= crowd.agents {
        return;
    }
    let agent = agents[at];
    if agent.y != field.x || agent.x >= crowd.cells {
        return;
    }
    let heading = (steps[agent.x >> 2u] >> (8u * (agent.x & 3u))) & 0xffu;
    if heading < 8u {
        let position = heading + select(0u, 1u, heading > 3u);
        let next = agent.x + crowd.width * (position / 3u) + position % 3u - crowd.width - 1u;
        agents[at].x = next;
    }
}
