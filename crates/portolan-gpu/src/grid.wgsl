// The grid: its cells are numbered row by row, headings row by row in the block of neighbours:
//
//   0 1 2
//   3 . 4
//   5 6 7
//
// So the opposite of heading d is 7 - d. Steps are symmetric.

struct Grid {
    width: u32,
    height: u32,
    // 4, 8 or 6 (hexagons).
    neighbours: u32,
    has_terrain: u32,
    // The costs of the cheapest steps.
    least_straight: u32,
    least_diagonal: u32,
    // The costs of steps; with terrain, per unit of the two cells' summed factors.
    straight: u32,
    diagonal: u32,
    // Bounds take no more columns or rows into account, so that they do not overflow.
    farthest: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> grid_moves: array<u32>;
@group(0) @binding(2) var<storage, read> grid_factors: array<u32>;

// The legal moves of a cell: bit d is set if a step with heading d is legal.
fn moves_of(cell: u32) -> u32 {
    return (grid_moves[cell >> 2u] >> ((cell & 3u) * 8u)) & 0xffu;
}

fn factor_of(cell: u32) -> u32 {
    return (grid_factors[cell >> 2u] >> ((cell & 3u) * 8u)) & 0xffu;
}

// The neighbour with this heading.
fn step_from(cell: u32, heading: u32) -> u32 {
    // The position in the block, including the middle.
    let position = heading + select(0u, 1u, heading > 3u);
    return cell + grid.width * (position / 3u) + position % 3u - grid.width - 1u;
}

fn is_diagonal(heading: u32) -> bool {
    return ((0xa5u >> heading) & 1u) != 0u;
}

// The cost of a legal step.
fn step_cost(cell: u32, neighbour: u32, heading: u32) -> u32 {
    let cost = select(grid.straight, grid.diagonal, is_diagonal(heading));
    if grid.has_terrain == 0u {
        return cost;
    }
    return cost * (factor_of(cell) + factor_of(neighbour));
}

fn position_of(cell: u32) -> vec2<u32> {
    return vec2<u32>(cell % grid.width, cell / grid.width);
}

// A lower bound of the cost between two cells: the cost on open ground of the cheapest terrain.
// It is consistent: it changes by no more than the cost of a step.
fn least_cost(from_cell: u32, to_cell: u32) -> u32 {
    return least_between(position_of(from_cell), position_of(to_cell));
}

// The same for columns and rows.
fn least_between(a: vec2<u32>, b: vec2<u32>) -> u32 {
    let d = min(max(a, b) - min(a, b), vec2<u32>(grid.farthest));
    switch grid.neighbours {
        case 4u: {
            return grid.least_straight * (d.x + d.y);
        }
        case 6u: {
            // Twice the x of the cells' centres: odd rows are shifted by half a cell.
            let ax = 2u * a.x + (a.y & 1u);
            let bx = 2u * b.x + (b.y & 1u);
            let across = min(max(ax, bx) - min(ax, bx), grid.farthest);
            let beyond = (max(across, d.y) - d.y) / 2u;
            return grid.least_straight * (d.y + beyond);
        }
        default: {
            let both = min(d.x, d.y);
            return grid.least_diagonal * both + grid.least_straight * (max(d.x, d.y) - both);
        }
    }
}
