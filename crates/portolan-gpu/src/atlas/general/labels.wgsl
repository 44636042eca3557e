// The labels of nodes.
//
// A record of a node is two vec4:
//   x, y: the first group of its row toward hubs, and of its row from hubs; z: the number of
//   entries; w: the depth of its region
//   x, y: the code of its region, high and low word; z: where its ends start

@group(0) @binding(1) var<storage, read> ends: array<u32>;

// The number of hubs that two nodes share; 0 if one of them is not in the map.
fn shared_hubs(s: u32, t: u32) -> u32 {
    let nodes = arrayLength(&records) / 2u;
    if s >= nodes || t >= nodes {
        return 0u;
    }
    let a = records[2u * s];
    let b = records[2u * t];
    let least = min(a.z, b.z);
    if least == 0u {
        return 0u;
    }
    let c = records[2u * s + 1u];
    let d = records[2u * t + 1u];
    let depth = min(leading_zeros(c.xy ^ d.xy), min(a.w, b.w));
    return min(least, ends[c.z + depth]);
}

// The sums of two groups of entries, whose hubs begin with `first`. The rows share `hubs`.
fn sums(a: vec4<u32>, b: vec4<u32>, first: u32, hubs: u32) -> vec4<u32> {
    let sum = a + b;
    let position = vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u);
    return select(vec4<u32>(UNREACHABLE), sum, (sum >= a) & (position < vec4<u32>(hubs)));
}
