// Paths: one invocation per request follows the hops from both ends to the hub that `distance`
// found. The first walk counts, the second writes.

override POOL_WORDS: u32 = 0u;
override SEGMENT_BITS: u32 = 20u;

@group(0) @binding(0) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> hops_0: array<u32>;
@group(0) @binding(2) var<storage, read> hops_1: array<u32>;
@group(0) @binding(3) var<storage, read> hops_2: array<u32>;

@group(1) @binding(0) var<storage, read> requests: array<u32>;
@group(1) @binding(1) var<storage, read_write> answers: array<u32>;
@group(1) @binding(2) var<storage, read_write> pool: array<atomic<u32>>;

const POOL_FULL: u32 = 0xffffffffu;
const POOL_HEADER: u32 = 4u;

// A word of the hops, by its position over all buffers of 2^SEGMENT_BITS words.
fn hop_word(word: u32) -> u32 {
    let at = word & ((1u << SEGMENT_BITS) - 1u);
    switch word >> SEGMENT_BITS {
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

// Takes this many words of the pool; POOL_FULL if there are not so many.
fn take_words(words: u32) -> u32 {
    if words > POOL_WORDS || atomicLoad(&pool[0]) > POOL_WORDS {
        return POOL_FULL;
    }
    let start = atomicAdd(&pool[0], words);
    return select(POOL_HEADER + start, POOL_FULL, start > POOL_WORDS - words);
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
    answers[3u * request + 1u] = POOL_HEADER;
    answers[3u * request + 2u] = 0u;
    if answers[3u * request] == UNREACHABLE {
        return;
    }
    let s = requests[4u + 2u * request];
    let t = requests[5u + 2u * request];
    let from_start = count_side(s, hub, false);
    let from_goal = count_side(t, hub, true);
    let len = from_start + from_goal;
    let start = take_words(words_for(len));
    answers[3u * request + 1u] = start;
    answers[3u * request + 2u] = len;
    if start != POOL_FULL && len > 0u {
        write_path(start, s, t, hub, from_start, len);
    }
}
