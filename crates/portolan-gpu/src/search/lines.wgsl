// A* with stored paths ("lines").
//
// A part of a shortest path is a shortest path, so the exact cost between two cells of one line is
// the difference of their costs along it. If start and goal are on one line, there is nothing to
// search. Otherwise the search, which comes from the goal, need not expand a cell that is on one
// line with the start: its path to the start is known. The best such path ends the search when no
// open cell can lead to a better one.
//
// Words of `lines`: for each cell and one more, where its entries begin; the entries of all cells,
// each with the number of a line and a place on it, by line; the places of all lines, in the order
// of the path, each with its cell and the cost from the first cell of the line.

@group(1) @binding(4) var<storage, read> lines: array<u32>;

// The places of two cells on a line that has both; NONE if there is none.
fn places_on_one_line(a: u32, b: u32) -> vec2<u32> {
    var i = lines[a];
    var j = lines[b];
    let end_i = lines[a + 1u];
    let end_j = lines[b + 1u];
    while i < end_i && j < end_j {
        let line_i = lines[i];
        let line_j = lines[j];
        if line_i == line_j {
            return vec2(lines[i + 1u], lines[j + 1u]);
        }
        if line_i < line_j {
            i += 2u;
        } else {
            j += 2u;
        }
    }
    return vec2(NONE);
}

fn cost_between(place: u32, other: u32) -> u32 {
    let a = lines[place + 1u];
    let b = lines[other + 1u];
    return max(a, b) - min(a, b);
}

// Whether the start and the goal of the request are on one line.
fn answer_from_lines() -> bool {
    let places = places_on_one_line(start, goal);
    if places.x == NONE {
        return false;
    }
    start_place = places.x;
    cell_place = places.y;
    reach(cost_between(places.x, places.y));
    go_by_line();
    return true;
}

// Whether the best open cell, of this cost, is on one line with the start.
fn ends_on_line(cost: u32) -> bool {
    let places = places_on_one_line(start, cell);
    if places.x == NONE {
        return false;
    }
    let sum = add_costs(cost, cost_between(places.x, places.y));
    if sum < best_on_line {
        best_on_line = sum;
        start_place = places.x;
        cell_place = places.y;
    }
    return true;
}

// The path begins on the line.
fn go_by_line() {
    if mode == WALK {
        mode = LINE;
    }
}

// Goes one step along the line; at the end of it a walk begins.
fn follow_line() {
    if start_place == cell_place {
        mode = WALK;
        left = cost_at(position_of(cell));
        return;
    }
    start_place = select(start_place - 2u, start_place + 2u, start_place < cell_place);
    let to = lines[start_place];
    let d = position_of(to) + 1u - position_of(cell);
    let block = 3u * d.y + d.x;
    step_to(to, block - select(0u, 1u, block > 4u));
}
