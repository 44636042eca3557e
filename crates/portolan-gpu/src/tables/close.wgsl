// Closes cost matrices, by blocks of 32 x 32 costs. Workgroup (x, y, z) has a block of matrix z; an
// invocation has four costs, 16 rows and columns apart.

struct Matrix {
    // The first word of the matrix.
    first: u32,
    // Blocks along a side.
    side: u32,
    // Paths may pass so many nodes.
    through: u32,
    // Paths pass the nodes before this block already.
    block: u32,
}

@group(0) @binding(0) var<storage, read_write> matrices: array<Matrix>;
@group(0) @binding(1) var<storage, read_write> costs: array<u32>;

// Which blocks a launch of `multiply` has: those of the row (y = 0) and the column (y = 1) of the
// block that is passed, or all others.
override in_cross: bool = false;

const SIDE: u32 = 32u;

var<workgroup> left: array<u32, 1024>;
var<workgroup> right: array<u32, 1024>;

// The word of a cost.
fn word(matrix: Matrix, row: u32, column: u32, cell: u32) -> u32 {
    let width = matrix.side * SIDE;
    return matrix.first + (row * SIDE + cell / SIDE) * width + column * SIDE + cell % SIDE;
}

// The cell of a block that an invocation has as its i-th.
fn cell_of(lane: u32, i: u32) -> u32 {
    return (lane / 16u + 16u * (i >> 1u)) * SIDE + lane % 16u + 16u * (i & 1u);
}

// How many nodes of the block paths may pass; 0 for a matrix that is closed already.
fn middles(matrix: Matrix) -> u32 {
    return min(max(matrix.through, matrix.block * SIDE) - matrix.block * SIDE, SIDE);
}

// Lets paths within the block on the diagonal pass its nodes: one workgroup for each matrix.
@compute @workgroup_size(256)
fn close_diagonal(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let matrix = matrices[id.z];
    let count = middles(matrix);
    for (var i = 0u; i < 4u && count > 0u; i++) {
        let cell = cell_of(lane, i);
        left[cell] = costs[word(matrix, matrix.block, matrix.block, cell)];
    }
    for (var middle = 0u; middle < SIDE; middle++) {
        workgroupBarrier();
        if middle < count {
            for (var i = 0u; i < 4u; i++) {
                let cell = cell_of(lane, i);
                let to_middle = left[cell / SIDE * SIDE + middle];
                let cost = add_costs(to_middle, left[middle * SIDE + cell % SIDE]);
                // The row and the column of the middle do not change, so no invocation waits.
                if cost < left[cell] {
                    left[cell] = cost;
                }
            }
        }
    }
    for (var i = 0u; i < 4u && count > 0u; i++) {
        let cell = cell_of(lane, i);
        costs[word(matrix, matrix.block, matrix.block, cell)] = left[cell];
    }
}

// Lets paths between a row and a column of nodes pass the nodes of the block.
@compute @workgroup_size(256)
fn multiply(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let matrix = matrices[id.z];
    let block = matrix.block;
    let row = select(id.y, select(id.x, block, id.y == 0u), in_cross);
    let column = select(id.x, select(block, id.x, id.y == 0u), in_cross);
    let is_done = row == block && column == block || !in_cross && (row == block || column == block);
    let count = select(middles(matrix), 0u, is_done || max(row, column) >= matrix.side);
    var own: array<u32, 4>;
    for (var i = 0u; i < 4u && count > 0u; i++) {
        let cell = cell_of(lane, i);
        left[cell] = costs[word(matrix, row, block, cell)];
        right[cell] = costs[word(matrix, block, column, cell)];
        own[i] = costs[word(matrix, row, column, cell)];
    }
    workgroupBarrier();
    for (var middle = 0u; middle < count; middle++) {
        for (var i = 0u; i < 4u; i++) {
            let cell = cell_of(lane, i);
            let to_middle = left[cell / SIDE * SIDE + middle];
            own[i] = min(own[i], add_costs(to_middle, right[middle * SIDE + cell % SIDE]));
        }
    }
    for (var i = 0u; i < 4u && count > 0u; i++) {
        costs[word(matrix, row, column, cell_of(lane, i))] = own[i];
    }
}

// Goes on to the next block of every matrix.
@compute @workgroup_size(64)
fn next_block(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = id.x * 64u + lane;
    if at < arrayLength(&matrices) {
        matrices[at].block++;
    }
}
