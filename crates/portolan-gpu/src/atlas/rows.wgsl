// Rows of labels: see labels.rs for what they mean.
//
// A record, of a node or of a subgoal, is two vec4; general/labels.wgsl and uniform/subgoals.wgsl
// say what is in it. Costs lie in up to three buffers of 2^SEGMENT_BITS groups of four entries.

override SEGMENT_BITS: u32 = 20u;
override SEGMENTS: u32 = 1u;

@group(0) @binding(0) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> costs_0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> costs_1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> costs_2: array<vec4<u32>>;

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

// The number of leading zeros of 64 bits, high word first.
fn leading_zeros(bits: vec2<u32>) -> u32 {
    let high = countLeadingZeros(bits.x);
    return select(high, 32u + countLeadingZeros(bits.y), high == 32u);
}

fn least_of(costs: vec4<u32>) -> u32 {
    let pairs = min(costs.xy, costs.zw);
    return min(pairs.x, pairs.y);
}

// The first of four costs that is the least.
fn place_of(costs: vec4<u32>, least: u32) -> u32 {
    let equal = costs == vec4<u32>(least);
    return select(select(select(3u, 2u, equal.z), 1u, equal.y), 0u, equal.x);
}
