use super::*;
use crate::graph::GraphBuilder;
use crate::random::Random;

fn random_topology(nodes: u64, edges: u64, random: &mut Random) -> Topology {
    let mut builder = GraphBuilder::new(nodes as usize).unwrap();
    for _ in 0..edges {
        let [tail, head] = [(); 2].map(|()| random.below(nodes) as u32);
        builder.add_edge(tail, head, 1).unwrap();
    }
    Topology::of_graph(&builder.build()).unwrap()
}

/// The price of a set of nodes on side A: the edges that leave it, or the nodes that must be cut.
///
/// For nodes, the set is everything that can be entered from the sources; the cut consists of its
/// members next to a node outside and of its members that are sinks.
fn price(topology: &Topology, kind: CutKind, zones: &[Zone], inside: u32) -> usize {
    let has = |node: u32| inside >> node & 1 == 1;
    let outward = |node: u32| topology.edges(node).filter(move |&(head, _)| !has(head));
    let members = (0..zones.len() as u32).filter(|&node| has(node));
    match kind {
        CutKind::Edges => members.flat_map(outward).map(|(_, weight)| weight as usize).sum(),
        CutKind::Nodes => members
            .filter(|&node| zones[node as usize] == Zone::Sink || outward(node).next().is_some())
            .count(),
    }
}

/// The least price over all sets of nodes that contain the sources and, for edges, no sink.
fn least_by_trying_all(topology: &Topology, kind: CutKind, zones: &[Zone]) -> usize {
    let allowed = |inside: &u32| {
        (0..).zip(zones).all(|(node, zone)| match (zone, kind) {
            (Zone::Source, _) => inside >> node & 1 == 1,
            (Zone::Sink, CutKind::Edges) => inside >> node & 1 == 0,
            _ => true,
        })
    };
    let sets = (0..1u32 << zones.len()).filter(allowed);
    sets.map(|inside| price(topology, kind, zones, inside)).min().unwrap()
}

#[test]
fn no_cut_is_smaller() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(8);
        let edges = random.below(3 * nodes);
        let topology = random_topology(nodes, edges, &mut random);
        let zone = |_| [Zone::Source, Zone::Between, Zone::Sink][random.below(3) as usize];
        let zones: Vec<Zone> = (0..nodes).map(zone).collect();
        for kind in [CutKind::Edges, CutKind::Nodes] {
            let expected = least_by_trying_all(&topology, kind, &zones);
            let cutter = LeastCutFinder::new(&topology, kind);
            let what = format!("seed {seed}, {kind:?}, {zones:?}, {topology:?}");
            let cut = cutter.least(&zones, expected).expect(&what);
            assert_eq!(cut.size, expected, "{what}");
            assert_eq!(cut_size(&topology, kind, &cut.side_of), Some(expected), "{what}");
            for (zone, side) in zones.iter().zip(&cut.side_of) {
                let wrong = [(Zone::Source, CutSide::B), (Zone::Sink, CutSide::A)];
                assert!(!wrong.contains(&(*zone, *side)), "{what}");
            }
            if expected > 0 {
                assert!(cutter.least(&zones, expected - 1).is_none(), "{what}");
            }
        }
    }
}

#[test]
fn very_long_ways_are_no_danger() {
    let mut builder = GraphBuilder::new(200_000).unwrap();
    (1..200_000).for_each(|head| builder.add_edge(head - 1, head, 1).unwrap());
    let topology = Topology::of_graph(&builder.build()).unwrap();
    let mut zones = vec![Zone::Between; 200_000];
    zones[0] = Zone::Source;
    zones[199_999] = Zone::Sink;
    for kind in [CutKind::Edges, CutKind::Nodes] {
        let cut = LeastCutFinder::new(&topology, kind).least(&zones, usize::MAX);
        assert_eq!(cut.map(|cut| cut.size), Some(1));
    }
}
