// Cells of a grid, numbered row by row. Headings are numbered as in `grid.wgsl`: the opposite of d
// is 7 - d.

override WIDTH: u32 = 1u;

fn jump(cell: u32, heading: u32, steps: u32) -> u32 {
    let place = heading + select(0u, 1u, heading > 3u);
    return cell + steps * (WIDTH * (place / 3u) + place % 3u - WIDTH - 1u);
}
