// The memory of searches: what each agent knows about the cells that it has reached.
//
// Costs lie in pages of 8 x 8 cells, so that a cell and its neighbours are mostly in three sectors
// of 32 bytes. An agent takes a page when it first reaches a tile of the map; its directory lists
// the page of each tile. Pages come from one store for all agents. An agent keeps its pages, in a
// list, for its next request, and only empties the entries of its directory that it used. So a
// short search on a large map is cheap, and memory is taken by what searches reach.
//
// Page 0 is the page of all tiles that have not been reached; its costs are UNREACHABLE.
//
// The memory is divided into banks, each with buffers of its own, because a binding of the device
// may be far smaller than its memory. An agent lives in one bank, and so do all agents of a
// workgroup. If there is only one, the host replaces the arrays of bindings by their elements.

struct Search {
    // In each bank, like all other sizes.
    agents: u32,
    // Quads (16 bytes) of registers and directory of an agent.
    agent_quads: u32,
    // The first quad of the first heap, and the quads of a heap.
    heaps: u32,
    heap_quads: u32,
    drops_stale: u32,
    pages: u32,
    tiles_across: u32,
    // How often an agent acts in one run of the kernel.
    actions: u32,
    // 3 if paths are wanted, otherwise 2.
    answer_words: u32,
    pool_words: u32,
}

@group(1) @binding(0) var<uniform> search: Search;
@group(1) @binding(1) var<storage, read> requests: array<u32>;
@group(1) @binding(2) var<storage, read_write> answers: array<u32>;
// The header: words in use, requests that have been taken.
@group(1) @binding(3) var<storage, read_write> pool: array<atomic<u32>>;
@group(2) @binding(1) var<storage, read_write> agents: binding_array<Agents, BANKS>;

struct Agents {
    quads: array<vec4<u32>>,
}

const STATE_FULL: u32 = 0xfffffffeu;
const REGISTER_QUADS: u32 = 4u;
const NONE: u32 = 0xffffffffu;
// The mode of an agent without a request; agent.wgsl has the others.
const IDLE: u32 = 0u;

// The bank of this agent, and there the first quads of its registers and heap.
var<private> bank: u32;
var<private> own: u32;
var<private> heap: u32;
// The agent's list of pages, and the last page of it that this request uses; 0 for none.
var<private> first_page: u32;
var<private> last_page: u32;

fn place_agent(agent: u32) {
    own = agent * search.agent_quads;
    heap = search.heaps + agent * search.heap_quads;
}

fn tile_at(at: vec2<u32>) -> u32 {
    return (at.y >> 3u) * search.tiles_across + (at.x >> 3u);
}

fn page_of(tile: u32) -> u32 {
    return agents[bank].quads[own + REGISTER_QUADS + (tile >> 2u)][tile & 3u];
}

fn set_page(tile: u32, page: u32) {
    agents[bank].quads[own + REGISTER_QUADS + (tile >> 2u)][tile & 3u] = page;
}

fn cost_at(at: vec2<u32>) -> u32 {
    return cost_in(page_of(tile_at(at)), at);
}

// A page for this tile, with unknown costs, or 0 if there is none.
fn take_page(tile: u32) -> u32 {
    var page = first_page;
    if last_page != 0u {
        page = next_page(last_page);
    }
    if page == 0u {
        page = atomicAdd(&pages[bank].taken, 1u) + 1u;
        if page > search.pages {
            return 0u;
        }
        if last_page == 0u {
            first_page = page;
        } else {
            set_next_page(last_page, page);
        }
        set_next_page(page, 0u);
    }
    last_page = page;
    set_tile(page, tile);
    set_page(tile, page);
    return page;
}

// Empties the entry of a page in the directory, and returns the next page that the request uses, or
// 0 after the last.
fn release_page(page: u32) -> u32 {
    set_page(tile_of(page), 0u);
    return select(next_page(page), 0u, page == last_page);
}

// The next request, or NONE.
fn take_request() -> u32 {
    let count = requests[0];
    // The counter must not wrap around, however often idle agents look.
    if atomicLoad(&pool[1]) >= count {
        return NONE;
    }
    let request = atomicAdd(&pool[1], 1u);
    return select(NONE, request, request < count);
}

// The words of an answer are cost, first word in the pool, and number of legs.
fn answer(request: u32, cost: u32, first_word: u32, legs: u32) {
    answers[request * search.answer_words] = cost;
    answers[request * search.answer_words + 1u] = first_word;
    if search.answer_words == 3u {
        answers[request * 3u + 2u] = legs;
    }
}

// What eight neighbours of a cell cost, by heading.
struct Eight {
    low: vec4<u32>,
    high: vec4<u32>,
}

// The costs of a cell and of the eight cells around it, and their pages.
struct Around {
    low: vec4<u32>,
    high: vec4<u32>,
    here: u32,
    near_pages: vec4<u32>,
}

// The pages of a cell and of the tiles on its nearer sides: its own, across, up or down, both.
fn pages_around(at: vec2<u32>) -> vec4<u32> {
    let size = vec2<u32>(grid.width, grid.height);
    let is_high = (at & vec2(4u)) != vec2(0u);
    let beside = select(max(at, vec2(1u)) - 1u, min(at + 1u, size - 1u), is_high);
    return vec4(
        page_of(tile_at(at)),
        page_of(tile_at(vec2(beside.x, at.y))),
        page_of(tile_at(vec2(at.x, beside.y))),
        page_of(tile_at(beside)),
    );
}

fn neighbour_at(at: vec2<u32>, heading: u32) -> vec2<u32> {
    let position = heading + select(0u, 1u, heading > 3u);
    return at + vec2(position % 3u, position / 3u) - 1u;
}

// The page of a neighbour.
fn page_beside(at: vec2<u32>, near_pages: vec4<u32>, heading: u32) -> u32 {
    let is_beyond = (neighbour_at(at, heading) >> vec2(3u)) != (at >> vec2(3u));
    let in_row = select(near_pages.x, near_pages.y, is_beyond.x);
    let in_other_row = select(near_pages.z, near_pages.w, is_beyond.x);
    return select(in_row, in_other_row, is_beyond.y);
}

// Without branches, so that the nine loads overlap.
fn cost_beside(at: vec2<u32>, near_pages: vec4<u32>, moves: u32, heading: u32) -> u32 {
    let page = page_beside(at, near_pages, heading);
    let is_legal = ((moves >> heading) & 1u) != 0u;
    return cost_in(select(0u, page, is_legal), neighbour_at(at, heading));
}

// UNREACHABLE where there is no legal move.
fn costs_around(at: vec2<u32>, moves: u32) -> Around {
    let near_pages = pages_around(at);
    return Around(
        vec4(
            cost_beside(at, near_pages, moves, 0u),
            cost_beside(at, near_pages, moves, 1u),
            cost_beside(at, near_pages, moves, 2u),
            cost_beside(at, near_pages, moves, 3u),
        ),
        vec4(
            cost_beside(at, near_pages, moves, 4u),
            cost_beside(at, near_pages, moves, 5u),
            cost_beside(at, near_pages, moves, 6u),
            cost_beside(at, near_pages, moves, 7u),
        ),
        cost_in(near_pages.x, at),
        near_pages,
    );
}

fn step_beside(cell: u32, moves: u32, heading: u32) -> u32 {
    if ((moves >> heading) & 1u) == 0u {
        return UNREACHABLE;
    }
    return step_cost(cell, step_from(cell, heading), heading);
}

// The costs of the steps to the eight cells around a cell; UNREACHABLE where there is no move.
fn steps_around(cell: u32, moves: u32) -> Eight {
    return Eight(
        vec4(
            step_beside(cell, moves, 0u),
            step_beside(cell, moves, 1u),
            step_beside(cell, moves, 2u),
            step_beside(cell, moves, 3u),
        ),
        vec4(
            step_beside(cell, moves, 4u),
            step_beside(cell, moves, 5u),
            step_beside(cell, moves, 6u),
            step_beside(cell, moves, 7u),
        ),
    );
}

// One bit per heading.
fn bits_of(low: vec4<bool>, high: vec4<bool>) -> u32 {
    let a = select(vec4(0u), vec4(1u, 2u, 4u, 8u), low);
    let b = select(vec4(0u), vec4(16u, 32u, 64u, 128u), high);
    return a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
}

// The headings of those neighbours that are cheaper to reach by a step from this cell, which has
// this cost.
fn improved_by(around: Around, steps: Eight, cost: u32) -> u32 {
    // A sum that wraps around is no cost. UNREACHABLE steps give UNREACHABLE or wrap around.
    let low = steps.low + cost;
    let high = steps.high + cost;
    return bits_of(
        (low < around.low) & (low >= steps.low) & (steps.low != vec4(UNREACHABLE)),
        (high < around.high) & (high >= steps.high) & (steps.high != vec4(UNREACHABLE)),
    );
}

// The headings of those neighbours from which a step leads to this cell at this cost.
fn parents_of(around: Around, steps: Eight, cost: u32) -> u32 {
    return bits_of(
        (around.low < vec4(cost)) & (vec4(cost) - around.low == steps.low),
        (around.high < vec4(cost)) & (vec4(cost) - around.high == steps.high),
    );
}

// Before each round: nothing is in use, and no request is answered. Agents that did not come to an
// end have left their directories as they were.
@compute @workgroup_size(64)
fn reset(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = workgroup_number(id, count) * 64u + lane;
    if at == 0u {
        atomicStore(&pool[0], 0u);
        atomicStore(&pool[1], 0u);
    }
    bank = at % BANKS;
    let at_bank = at / BANKS;
    if at_bank == 0u {
        atomicStore(&pages[bank].taken, 0u);
    }
    if at_bank < 8u {
        fill_row(0u, at_bank);
    }
    if at < requests[0] {
        answer(at, UNREACHABLE, STATE_FULL, 0u);
    }
    if at_bank < search.agents {
        place_agent(at_bank);
        let mode = agents[bank].quads[own].x;
        let quads = select(search.agent_quads, REGISTER_QUADS, mode == IDLE);
        for (var quad = 0u; quad < quads; quad++) {
            agents[bank].quads[own + quad] = vec4<u32>(0u);
        }
    }
}
