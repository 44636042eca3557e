// The pages of agents that work alone.

struct Pages {
    // Pages that have been taken.
    @size(256) taken: atomic<u32>,
    quads: array<vec4<u32>>,
}

@group(2) @binding(0) var<storage, read_write> pages: binding_array<Pages, BANKS>;

const PAGE_QUADS: u32 = 16u;

// The place of the record of a page: its tile and the next page of the list. Agents must not share
// a quad: a device may write all of it where one component changes.
fn record_of(page: u32) -> u32 {
    return (search.pages + 1u) * PAGE_QUADS + page;
}

fn tile_of(page: u32) -> u32 {
    return pages[bank].quads[record_of(page)].x;
}

fn set_tile(page: u32, tile: u32) {
    pages[bank].quads[record_of(page)].x = tile;
}

fn next_page(page: u32) -> u32 {
    return pages[bank].quads[record_of(page)].y;
}

fn set_next_page(page: u32, next: u32) {
    pages[bank].quads[record_of(page)].y = next;
}

fn quad_at(page: u32, at: vec2<u32>) -> u32 {
    return page * PAGE_QUADS + (at.y & 7u) * 2u + ((at.x >> 2u) & 1u);
}

fn cost_in(page: u32, at: vec2<u32>) -> u32 {
    return pages[bank].quads[quad_at(page, at)][at.x & 3u];
}

fn set_cost_in(page: u32, at: vec2<u32>, cost: u32) {
    pages[bank].quads[quad_at(page, at)][at.x & 3u] = cost;
}

// Makes the costs of a row unknown.
fn fill_row(page: u32, row: u32) {
    pages[bank].quads[page * PAGE_QUADS + 2u * row] = vec4<u32>(UNREACHABLE);
    pages[bank].quads[page * PAGE_QUADS + 2u * row + 1u] = vec4<u32>(UNREACHABLE);
}
