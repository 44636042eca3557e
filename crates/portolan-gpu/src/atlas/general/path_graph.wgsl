// Hops on graphs: the next node toward the hub, or the node before it on the way from the hub.

fn next_node(node: u32, hub: u32, is_goal: bool) -> u32 {
    let record = records[2u * node];
    return hop_word(4u * select(record.x, record.y, is_goal) + hub);
}

// The number of entries of a node's row; a node is the last of its own hubs.
fn is_hub(node: u32, hub: u32) -> bool {
    return records[2u * node].z == hub + 1u;
}

fn words_for(len: u32) -> u32 {
    return len;
}

fn count_side(found: Found, is_goal: bool) -> u32 {
    var node = select(found.s, found.t, is_goal);
    var count = 0u;
    while !is_hub(node, found.hub) {
        node = next_node(node, found.hub, is_goal);
        count++;
    }
    return count;
}

fn write_path(start: u32, found: Found, from_start: u32, len: u32) {
    var node = found.s;
    for (var at = 0u; at < from_start; at++) {
        node = next_node(node, found.hub, false);
        atomicStore(&pool[start + at], node);
    }
    node = found.t;
    for (var at = len; at > from_start; at--) {
        atomicStore(&pool[start + at - 1u], node);
        node = next_node(node, found.hub, true);
    }
}
