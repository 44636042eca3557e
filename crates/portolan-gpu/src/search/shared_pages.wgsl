// The pages of agents whose invocations work together: a cost may be improved by several at a time.
// The layout is that of pages.wgsl.

struct Pages {
    // Pages that have been taken.
    @size(256) taken: atomic<u32>,
    words: array<atomic<u32>>,
}

@group(2) @binding(0) var<storage, read_write> pages: binding_array<Pages, BANKS>;

const PAGE_WORDS: u32 = 64u;

fn record_of(page: u32) -> u32 {
    return (search.pages + 1u) * PAGE_WORDS + 4u * page;
}

fn tile_of(page: u32) -> u32 {
    return atomicLoad(&pages[bank].words[record_of(page)]);
}

fn set_tile(page: u32, tile: u32) {
    atomicStore(&pages[bank].words[record_of(page)], tile);
}

fn next_page(page: u32) -> u32 {
    return atomicLoad(&pages[bank].words[record_of(page) + 1u]);
}

fn set_next_page(page: u32, next: u32) {
    atomicStore(&pages[bank].words[record_of(page) + 1u], next);
}

fn word_at(page: u32, at: vec2<u32>) -> u32 {
    return page * PAGE_WORDS + (at.y & 7u) * 8u + (at.x & 7u);
}

fn cost_in(page: u32, at: vec2<u32>) -> u32 {
    return atomicLoad(&pages[bank].words[word_at(page, at)]);
}

fn set_cost_in(page: u32, at: vec2<u32>, cost: u32) {
    atomicStore(&pages[bank].words[word_at(page, at)], cost);
}

// Whether the cost is lower than that of the cell, which it then becomes.
fn improve_cost_in(page: u32, at: vec2<u32>, cost: u32) -> bool {
    return atomicMin(&pages[bank].words[word_at(page, at)], cost) > cost;
}

// Makes the costs of a row unknown.
fn fill_row(page: u32, row: u32) {
    for (var column = 0u; column < 8u; column++) {
        atomicStore(&pages[bank].words[page * PAGE_WORDS + 8u * row + column], UNREACHABLE);
    }
}
