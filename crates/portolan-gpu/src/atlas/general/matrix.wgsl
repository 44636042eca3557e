// A block of a distance matrix, as a min-plus product of the rows of its sources and targets.
//
// A workgroup answers a tile of 32 x 32 pairs, an invocation 2 x 2 of them. The rows pass through
// workgroup memory in pieces of 8 groups, so that each entry is read once per tile, not once per
// pair.

const TILE: u32 = 32u;
const PIECE: u32 = 8u;
const NO_NODE: u32 = 0xffffffffu;

struct Block {
    first_source: u32,
    sources: u32,
    first_target: u32,
    targets: u32,
}

@group(1) @binding(0) var<uniform> block: Block;
@group(1) @binding(1) var<storage, read> sources: array<u32>;
@group(1) @binding(2) var<storage, read> targets: array<u32>;
@group(1) @binding(3) var<storage, read_write> answers: array<u32>;

var<workgroup> source_rows: array<vec4<u32>, 256>;
var<workgroup> target_rows: array<vec4<u32>, 256>;
var<workgroup> most_hubs: atomic<u32>;

// The node at a position of a list; none beyond the end of the block.
fn source_at(at: u32) -> u32 {
    if at >= block.sources {
        return NO_NODE;
    }
    return sources[block.first_source + at];
}

fn target_at(at: u32) -> u32 {
    if at >= block.targets {
        return NO_NODE;
    }
    return targets[block.first_target + at];
}

// A group of the row of a node, toward hubs or from them; UNREACHABLE beyond the row.
fn row_group(node: u32, group: u32, is_target: bool) -> vec4<u32> {
    if node >= arrayLength(&records) / 2u {
        return vec4<u32>(UNREACHABLE);
    }
    let record = records[2u * node];
    if 4u * group >= record.z {
        return vec4<u32>(UNREACHABLE);
    }
    return entries(select(record.x, record.y, is_target) + group);
}

@compute @workgroup_size(256)
fn matrix(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let columns = (block.targets + TILE - 1u) / TILE;
    let tile = workgroup_number(id, count);
    let row = tile / columns * TILE;
    let column = tile % columns * TILE;
    let y = lane / 16u;
    let x = lane % 16u;
    // The 2 x 2 pairs are 16 apart, so that neighbours write neighbouring words.
    var hubs: array<u32, 4>;
    var least: array<u32, 4>;
    var own_most = 0u;
    for (var pair = 0u; pair < 4u; pair++) {
        let s = source_at(row + y + 16u * (pair >> 1u));
        let t = target_at(column + x + 16u * (pair & 1u));
        hubs[pair] = shared_hubs(s, t);
        least[pair] = UNREACHABLE;
        own_most = max(own_most, hubs[pair]);
    }
    atomicMax(&most_hubs, own_most);
    let most = workgroupUniformLoad(&most_hubs);
    // Each invocation loads one group of a source and one of a target.
    let loaded_source = source_at(row + lane / PIECE);
    let loaded_target = target_at(column + lane / PIECE);
    for (var piece = 0u; 4u * piece < most; piece += PIECE) {
        source_rows[lane] = row_group(loaded_source, piece + lane % PIECE, false);
        target_rows[lane] = row_group(loaded_target, piece + lane % PIECE, true);
        workgroupBarrier();
        for (var group = 0u; group < PIECE; group++) {
            let first = 4u * (piece + group);
            let a = source_rows[y * PIECE + group];
            let b = source_rows[(y + 16u) * PIECE + group];
            let c = target_rows[x * PIECE + group];
            let d = target_rows[(x + 16u) * PIECE + group];
            least[0] = min(least[0], least_of(sums(a, c, first, hubs[0])));
            least[1] = min(least[1], least_of(sums(a, d, first, hubs[1])));
            least[2] = min(least[2], least_of(sums(b, c, first, hubs[2])));
            least[3] = min(least[3], least_of(sums(b, d, first, hubs[3])));
        }
        workgroupBarrier();
    }
    for (var pair = 0u; pair < 4u; pair++) {
        let at_row = row + y + 16u * (pair >> 1u);
        let at_column = column + x + 16u * (pair & 1u);
        if at_row < block.sources && at_column < block.targets {
            answers[at_row * block.targets + at_column] = least[pair];
        }
    }
}
