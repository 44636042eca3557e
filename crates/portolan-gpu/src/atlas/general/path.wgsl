// Paths by hops from node to node.

struct Found {
    s: u32,
    t: u32,
    hub: u32,
}

fn found_by(s: u32, t: u32, hub: u32, unused: u32) -> Found {
    return Found(s, t, hub);
}
