// The least sum of the labels of two cells.
//
// Subgoals in different branches of the separator tree share the entries above the fork. So the
// subgoals of both ends are joined first over the entries that all share: for each entry the least
// cost from the start, plus the least cost from the goal. Then those on one side of the fork are
// joined over what they share beyond it, and those on the other side, and so on: a walk down the
// tree, in which `pending` has a bit for each fork whose second side has not been visited.

// A cost, and what it goes through: a hub, which is an entry of the row of the subgoal `through`.
struct Best {
    cost: u32,
    hub: u32,
    through: u32,
}

const NOTHING: Best = Best(UNREACHABLE, DIRECT, 0u);

fn better(a: Best, b: Best) -> Best {
    let is_less = b.cost < a.cost || (b.cost == a.cost
        && (b.hub < a.hub || (b.hub == a.hub && b.through < a.through)));
    if is_less {
        return b;
    }
    return a;
}

// One end of a request: where it is, where the other end is, and the subgoals that it sees. Those
// over which every path costs `most` or more are skipped; `kept` has a bit for each of the first 64
// that is not.
struct End {
    position: vec2<u32>,
    other: vec2<u32>,
    list: List,
    most: u32,
    kept: vec2<u32>,
}

// A region of the separator tree and all below it.
struct Branch {
    code: vec2<u32>,
    depth: u32,
}

// What some subgoals have in common.
struct Summary {
    // The turns on the ways to their regions: those to first children and those to second ones.
    first_turns: vec2<u32>,
    second_turns: vec2<u32>,
    // The most entries.
    longest: u32,
    // The greatest depth of a region, and a subgoal there.
    depth: u32,
    deepest: u32,
}

fn add_to_each(costs: vec4<u32>, others: vec4<u32>) -> vec4<u32> {
    let sums = costs + others;
    return select(vec4<u32>(UNREACHABLE), sums, sums >= costs);
}

// The bit after so many, counted from the highest.
fn bit_after(count: u32) -> vec2<u32> {
    let bit = 0x80000000u >> (count & 31u);
    return select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), count >= 32u);
}

// All bits after so many.
fn bits_after(count: u32) -> vec2<u32> {
    let rest = 0xffffffffu >> (count & 31u);
    return select(vec2<u32>(rest, 0xffffffffu), vec2<u32>(0u, rest), count >= 32u);
}

// The lower bound of paths over a subgoal at this position.
fn bound_over(end: End, position: vec2<u32>) -> u32 {
    return add_costs(run_cost(end.position, position), run_cost(position, end.other));
}

// The bits of up to 32 subgoals from this slot on.
fn kept_bits(end: End, first: u32) -> u32 {
    if first < 64u {
        return select(end.kept.x, end.kept.y, first == 32u);
    }
    return tables[end.list.bits + first / 32u];
}

// Of the first 64 subgoals, the bits of those that this lane looks at and that are not skipped.
fn kept_of_lane(end: End, lane: u32) -> vec2<u32> {
    var kept = vec2<u32>(0u);
    for (var slot = lane; slot < min(end.list.count, 64u); slot += LANES) {
        if !is_listed(end.list, slot) {
            continue;
        }
        if bound_over(end, position_of_subgoal(subgoal_at(end.list, slot))) < end.most {
            let bit = 1u << (slot & 31u);
            kept |= select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), slot >= 32u);
        }
    }
    return kept;
}

fn lies_in(branch: Branch, code: vec2<u32>, depth: u32) -> bool {
    return depth >= branch.depth && leading_zeros(code ^ branch.code) >= branch.depth;
}

fn summarize(end: End, branch: Branch) -> Summary {
    var summary = Summary(vec2<u32>(0u), vec2<u32>(0u), 0u, 0u, 0u);
    for (var first = 0u; first < end.list.count; first += 32u) {
        var bits = kept_bits(end, first);
        while bits != 0u {
            let subgoal = subgoal_at(end.list, first + firstTrailingBit(bits));
            bits &= bits - 1u;
            let a = records[2u * subgoal];
            if bound_over(end, unpack_position(a.z)) >= end.most {
                continue;
            }
            let code = records[2u * subgoal + 1u].xy;
            if !lies_in(branch, code, a.w) {
                continue;
            }
            summary.first_turns |= ~(code | bits_after(a.w));
            summary.second_turns |= code;
            if summary.longest == 0u || a.w > summary.depth {
                summary.depth = a.w;
                summary.deepest = subgoal;
            }
            summary.longest = max(summary.longest, a.y);
        }
    }
    return summary;
}

// The least costs to four hubs over the subgoals in a branch.
fn least_costs(end: End, branch: Branch, group: u32) -> vec4<u32> {
    var least = vec4<u32>(UNREACHABLE);
    for (var first = 0u; first < end.list.count; first += 32u) {
        var bits = kept_bits(end, first);
        while bits != 0u {
            let subgoal = subgoal_at(end.list, first + firstTrailingBit(bits));
            bits &= bits - 1u;
            let a = records[2u * subgoal];
            let position = unpack_position(a.z);
            if 4u * group >= a.y || bound_over(end, position) >= end.most {
                continue;
            }
            if branch.depth > 0u && !lies_in(branch, records[2u * subgoal + 1u].xy, a.w) {
                continue;
            }
            let cost = run_cost(end.position, position);
            least = min(least, add_to_each(entries(a.x + group), vec4<u32>(cost)));
        }
    }
    return least;
}

// The best of four sums, of which those from `low` to before `high` count.
fn best_of(sums: vec4<u32>, group: u32, low: u32, high: u32, through: u32) -> Best {
    let hubs = vec4<u32>(4u * group) + vec4<u32>(0u, 1u, 2u, 3u);
    let counts = (hubs >= vec4<u32>(low)) & (hubs < vec4<u32>(high));
    let valid = select(vec4<u32>(UNREACHABLE), sums, counts);
    let least = least_of(valid);
    return Best(least, 4u * group + place_of(valid, least), through);
}

// The best path over hubs, of those that this lane looks at.
fn best_of_lane(start: End, goal: End, lane: u32) -> Best {
    var best = NOTHING;
    var branch = Branch(vec2<u32>(0u), 0u);
    var pending = vec2<u32>(0u);
    loop {
        let a = summarize(start, branch);
        let b = summarize(goal, branch);
        if a.longest > 0u && b.longest > 0u {
            let deepest = select(a.deepest, b.deepest, b.depth > a.depth);
            let record = records[2u * deepest + 1u];
            let low = select(0u, tables[record.z + max(branch.depth, 1u) - 1u], branch.depth > 0u);
            var high = min(a.longest, b.longest);
            let fork = leading_zeros(
                (a.first_turns | b.first_turns) & (a.second_turns | b.second_turns));
            if fork < 64u {
                high = min(high, tables[record.z + fork]);
            }
            for (var group = low / 4u + lane; 4u * group < high; group += LANES) {
                let sums = add_to_each(
                    least_costs(start, branch, group), least_costs(goal, branch, group));
                best = better(best, best_of(sums, group, low, high, deepest));
            }
            if fork < 64u {
                let bit = bit_after(fork);
                let has_first = any((a.first_turns & b.first_turns & bit) != vec2<u32>(0u));
                let has_second = any((a.second_turns & b.second_turns & bit) != vec2<u32>(0u));
                if has_first || has_second {
                    // The regions fork here, so the deepest one is farther down.
                    let above = record.xy & ~(bit | bits_after(fork + 1u));
                    branch = Branch(select(above | bit, above, has_first), fork + 1u);
                    if has_first && has_second {
                        pending |= bit;
                    }
                    continue;
                }
            }
        }
        if !any(pending != vec2<u32>(0u)) {
            return best;
        }
        let last = select(31u - firstTrailingBit(pending.x), 63u - firstTrailingBit(pending.y),
            pending.y != 0u);
        let bit = bit_after(last);
        pending &= ~bit;
        branch = Branch(branch.code | bit, last + 1u);
    }
    return best;
}

// The number of entries that mean the same hubs in the rows of two subgoals.
fn shared_entries(a: u32, b: u32) -> u32 {
    let records_a = records[2u * a];
    let records_b = records[2u * b];
    let code = records[2u * a + 1u];
    let fork = leading_zeros(code.xy ^ records[2u * b + 1u].xy);
    let least = min(records_a.y, records_b.y);
    if fork >= min(records_a.w, records_b.w) {
        return least;
    }
    return min(least, tables[code.z + fork]);
}

// The best path over these subgoals, of the hubs that this lane looks at.
fn best_between(start: End, goal: End, from_subgoal: u32, to_subgoal: u32, lane: u32) -> Best {
    var best = NOTHING;
    let from_row = records[2u * from_subgoal];
    let to_row = records[2u * to_subgoal];
    let cost = add_costs(
        run_cost(start.position, unpack_position(from_row.z)),
        run_cost(goal.position, unpack_position(to_row.z)));
    let hubs = shared_entries(from_subgoal, to_subgoal);
    for (var group = lane; 4u * group < hubs; group += LANES) {
        let rows = add_to_each(entries(from_row.x + group), entries(to_row.x + group));
        let sums = add_to_each(rows, vec4<u32>(cost));
        best = better(best, best_of(sums, group, 0u, hubs, from_subgoal));
    }
    return best;
}

// Of the subgoals that this lane looks at, the slot of the one with the least cost to a hub.
fn nearest_slot(end: End, best: Best, lane: u32) -> Best {
    var nearest = NOTHING;
    for (var slot = lane; slot < end.list.count; slot += LANES) {
        if !is_listed(end.list, slot) {
            continue;
        }
        let subgoal = subgoal_at(end.list, slot);
        if best.hub < shared_with_branch(subgoal, best.through) {
            let row = records[2u * subgoal];
            let group = entries(row.x + best.hub / 4u);
            let rest = group[best.hub & 3u];
            let cost = add_costs(run_cost(end.position, unpack_position(row.z)), rest);
            nearest = better(nearest, Best(cost, slot, 0u));
        }
    }
    return nearest;
}

fn is_listed(list: List, slot: u32) -> bool {
    return ((tables[list.bits + slot / 32u] >> (slot & 31u)) & 1u) != 0u;
}

// The number of entries of a row that mean hubs on the way down to the region of another subgoal.
fn shared_with_branch(subgoal: u32, other: u32) -> u32 {
    let row = records[2u * subgoal];
    let code = records[2u * subgoal + 1u];
    let fork = leading_zeros(code.xy ^ records[2u * other + 1u].xy);
    if fork >= min(row.w, records[2u * other].w) {
        return row.y;
    }
    return min(row.y, tables[code.z + fork]);
}
