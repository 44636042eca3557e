// Hub labels: see labels.rs for what they mean.
//
// A record of a node is two vec4:
//   x, y: the first group of its row toward hubs, and of its row from hubs; z: the number of
//   entries; w: the depth of its region
//   x, y: the code of its region, high and low word; z: where its ends start
//
// Entries lie in up to three buffers of 2^SEGMENT_BITS groups each.

override SEGMENT_BITS: u32 = 20u;
override SEGMENTS: u32 = 1u;

@group(0) @binding(0) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> ends: array<u32>;
@group(0) @binding(2) var<storage, read> costs_0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> costs_1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> costs_2: array<vec4<u32>>;

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
    let high = countLeadingZeros(c.x ^ d.x);
    let equal = select(high, 32u + countLeadingZeros(c.y ^ d.y), high == 32u);
    let depth = min(equal, min(a.w, b.w));
    return min(least, ends[c.z + depth]);
}

// Four entries of rows.
fn entries(group: u32) -> vec4<u32> {
    if SEGMENTS == 1u {
        return costs_0[group];
    }
    let at = group & ((1u << SEGMENT_BITS) - 1u);
    switch group >> SEGMENT_BITS {
        case 0u: {
            return costs_0[at];
        }
        case 1u: {
            return costs_1[at];
        }
        default: {
            return costs_2[at];
        }
    }
}

// The costs via the hubs from `first` on, of which the rows share `hubs`.
fn sums(out_group: u32, in_group: u32, first: u32, hubs: u32) -> vec4<u32> {
    let a = entries(out_group);
    let sum = a + entries(in_group);
    let position = vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u);
    return select(vec4<u32>(UNREACHABLE), sum, (sum >= a) & (position < vec4<u32>(hubs)));
}
