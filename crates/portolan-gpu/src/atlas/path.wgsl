// Paths: one invocation per request follows the hops from both ends to the hub that `distance`
// found. The first walk counts, the second writes.
//
// A form defines `Found`, what `distance` told of a request, and reads it by `found_by`. It, or
// legs.wgsl, defines `count_side`, `words_for` and `write_path`.

// What is written: 0 for legs, two per word; 1 for nodes.
override WRITES_NODES: u32 = 0u;
// Hops lie in up to three buffers of 2^HOP_SEGMENT_BITS words.
override HOP_SEGMENT_BITS: u32 = 20u;

@group(0) @binding(0) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> hops_0: array<u32>;
@group(0) @binding(3) var<storage, read> hops_1: array<u32>;
@group(0) @binding(4) var<storage, read> hops_2: array<u32>;

@group(1) @binding(0) var<storage, read> requests: array<u32>;
@group(1) @binding(1) var<storage, read_write> answers: array<u32>;
@group(1) @binding(2) var<storage, read_write> pool: array<atomic<u32>>;

// A word of the hops, by its position over all buffers.
fn hop_word(word: u32) -> u32 {
    let at = word & ((1u << HOP_SEGMENT_BITS) - 1u);
    switch word >> HOP_SEGMENT_BITS {
        case 0u: {
            return hops_0[at];
        }
        case 1u: {
            return hops_1[at];
        }
        default: {
            return hops_2[at];
        }
    }
}

@compute @workgroup_size(64)
fn path(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let request = workgroup_number(id, count) * 64u + lane;
    if request >= requests[0] {
        return;
    }
    let hub = answers[3u * request + 1u];
    let slots = answers[3u * request + 2u];
    answers[3u * request + 1u] = HEADER_WORDS;
    answers[3u * request + 2u] = 0u;
    if answers[3u * request] == UNREACHABLE {
        return;
    }
    let found = found_by(requests[4u + 2u * request], requests[5u + 2u * request], hub, slots);
    let from_start = count_side(found, false);
    let len = from_start + count_side(found, true);
    let start = take_words(words_for(len), arrayLength(&pool) - HEADER_WORDS);
    answers[3u * request + 1u] = start;
    answers[3u * request + 2u] = len;
    if start != POOL_FULL && len > 0u {
        write_path(start, found, from_start, len);
    }
}
