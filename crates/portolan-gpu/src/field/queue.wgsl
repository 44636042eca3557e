// The map in tiles of 16 x 16 cells, and the queues of tiles that may have to change.

struct Tiles {
    cells: u32,
    width: u32,
    columns: u32,
    rows: u32,
}

@group(1) @binding(0) var<uniform> tiles: Tiles;
@group(1) @binding(1) var<storage, read_write> costs: array<atomic<u32>>;
// For each tile the last pass that it was queued for.
@group(1) @binding(2) var<storage, read_write> marks: array<atomic<u32>>;
// The tiles of even passes, then those of odd ones.
@group(1) @binding(3) var<storage, read_write> queues: array<u32>;
// How many tiles the two queues have; the number of the pass.
@group(1) @binding(4) var<storage, read_write> control: array<atomic<u32>>;

// Queues the neighbour of a tile with this heading for a pass, once.
fn queue_neighbour(tile: u32, heading: u32, pass_number: u32) {
    let position = heading + select(0u, 1u, heading > 3u);
    let column = tile % tiles.columns + position % 3u - 1u;
    let row = tile / tiles.columns + position / 3u - 1u;
    queue(column, row, pass_number);
}

fn queue(column: u32, row: u32, pass_number: u32) {
    if column >= tiles.columns || row >= tiles.rows {
        return;
    }
    let tile = row * tiles.columns + column;
    if atomicExchange(&marks[tile], pass_number) != pass_number {
        let parity = pass_number & 1u;
        let at = atomicAdd(&control[parity], 1u);
        queues[parity * tiles.columns * tiles.rows + at] = tile;
    }
}
