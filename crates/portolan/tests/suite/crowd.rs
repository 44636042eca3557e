//! Flow fields and reach against a reference that shares no code with them, before and after edits.

use portolan::changes::{CellChange, EdgeChange};
use portolan::crowd::{FlowField, Reach};
use portolan::generate::{Random, Rooms};
use portolan::world::World as EditedWorld;
use portolan::{Changes, Cost, EndpointError, GraphBuilder, Grid, Map, NodeId, UNREACHABLE};
use portolan_testkit::edits::random_changes;
use portolan_testkit::reference::{distances, is_usable, steps};
use portolan_testkit::walker::walk;
use portolan_testkit::worlds::{World, draw, drawn, one_way_streets, random};

/// The least cost from every node to any of these, by going over all edges until nothing changes.
fn toward(map: &Map, goals: &[NodeId]) -> Vec<Option<u64>> {
    let nodes = 0..map.node_count() as NodeId;
    let edges: Vec<Vec<(NodeId, u64)>> = nodes.map(|node| steps(map, node)).collect();
    let mut least = vec![None; edges.len()];
    goals.iter().filter(|&&goal| is_usable(map, goal)).for_each(|&g| least[g as usize] = Some(0));
    let mut changed = true;
    while changed {
        changed = false;
        for (tail, edges) in edges.iter().enumerate() {
            let ways = edges.iter().filter_map(|&(head, cost)| Some(least[head as usize]? + cost));
            let best = ways.chain(least[tail]).min();
            changed |= best != least[tail];
            least[tail] = best;
        }
    }
    least
}

fn counts(cost: Option<u64>) -> bool {
    cost.is_some_and(|cost| cost < u64::from(UNREACHABLE))
}

/// Every cost is the least, every way is legal and costs that, and who has none is told why.
fn check(field: &FlowField, context: &dyn std::fmt::Display) {
    let (map, goals) = (field.map(), field.goals());
    let truth = toward(map, goals);
    if goals.iter().all(|&goal| is_usable(map, goal)) {
        let from_costs = FlowField::from_costs(map, goals, field.costs().to_vec()).unwrap();
        assert!(from_costs == *field, "steps follow from costs\n{context}");
    }
    let mut path = Vec::new();
    assert_eq!(field.costs().len(), truth.len(), "{context}");
    for (node, &least) in (0..).zip(&truth) {
        let found = field.path_into(node, &mut path);
        let context = format!("from {node} to {goals:?}: {found:?}, {path:?}\n{context}");
        assert_eq!(field.cost(node), found, "{context}");
        assert_eq!(field.next(node), path.get(1).copied(), "{context}");
        match found {
            Ok(Some(cost)) => {
                assert_eq!(Some(u64::from(cost)), least, "{context}");
                let last = *path.last().expect("a way has nodes");
                assert!(goals.contains(&last), "{context}");
                assert_eq!(walk(map, &path, node, last), Ok(cost.into()), "{context}");
            }
            Ok(None) => assert!(least.is_none() && is_usable(map, node), "{context}"),
            Err(EndpointError::Blocked { .. }) => assert!(!is_usable(map, node), "{context}"),
            Err(EndpointError::CostOverflow { from, to }) => {
                assert!(least.is_some() && !counts(least), "{context}");
                let (from, to) = (map.node(from).unwrap(), map.node(to).unwrap());
                assert!(from == node && toward(map, &[to])[from as usize].is_some(), "{context}");
            }
            Err(_) => panic!("{context}"),
        }
    }
}

/// The repaired field is one made anew, to the last bit.
fn check_anew(field: &FlowField, context: &dyn std::fmt::Display) {
    let open = |goal: &NodeId| is_usable(field.map(), *goal);
    let goals: Vec<NodeId> = field.goals().iter().copied().filter(open).collect();
    let anew = FlowField::new(field.map(), &goals).expect("goals that can be stood on");
    assert_eq!(field.costs(), anew.costs(), "{context}");
    for node in 0..anew.costs().len() as NodeId {
        assert_eq!(field.next(node), anew.next(node), "the step at {node}\n{context}");
        assert_eq!(field.cost(node), anew.cost(node), "the cost at {node}\n{context}");
    }
    assert!(goals != field.goals() || *field == anew, "{context}");
}

fn usable(map: &Map) -> Vec<NodeId> {
    (0..map.node_count() as NodeId).filter(|&node| is_usable(map, node)).collect()
}

fn some(nodes: &[NodeId], most: u64, random: &mut Random) -> Vec<NodeId> {
    let count = if nodes.is_empty() { 0 } else { 1 + random.below(most) };
    (0..count).map(|_| nodes[random.below(nodes.len() as u64) as usize]).collect()
}

#[test]
fn fields_are_exact_on_drawn_and_random_worlds() {
    for (seed, world) in (0..).zip(drawn().into_iter().chain((0..150).map(random))) {
        let mut random = Random::new(seed);
        let goals = some(&usable(&world.map), 4, &mut random);
        check(&FlowField::new(&world.map, &goals).unwrap(), &world);
    }
    check(&FlowField::new(one_way_streets(), &[7, 90]).unwrap(), &"one-way streets");
}

/// Cells, terrain, nodes and edges come, go and change; goals are blocked and freed with them.
#[test]
fn repaired_fields_are_those_made_anew() {
    let (mut in_part, mut anew, mut blocked) = (0, 0, 0);
    for seed in 0..110 {
        let world = random(seed);
        let mut map = world.map.clone();
        let mut random = Random::new(seed ^ 99);
        let mut field = FlowField::new(&map, &some(&usable(&map), 3, &mut random)).unwrap();
        for step in 0..25 {
            let changes = random_changes(&map, &mut random);
            map.apply(&changes).unwrap();
            let renewed = field.repair(&map, &changes);
            *(if renewed < map.node_count() { &mut in_part } else { &mut anew }) += 1;
            blocked += field.goals().iter().filter(|&&goal| !is_usable(&map, goal)).count();
            let name = format!("{}, edit {step}: {changes:?}", world.name);
            let edited = World { name, map: map.clone() };
            check_anew(&field, &edited);
            if step % 4 == 0 {
                check(&field, &edited);
            }
        }
    }
    assert!(in_part > 1000 && anew > 100 && blocked > 50, "{in_part} {anew} {blocked}");
}

/// One cell at a time, as in a game, on maps where most of a field is left alone.
#[test]
fn edits_of_rooms_with_and_without_terrain() {
    for dear in [false, true] {
        let rooms = Rooms { width: 90, height: 70, room: 9, seed: 3, ..Rooms::default() };
        let mut grid = rooms.generate().unwrap();
        let mut random = Random::new(5);
        if dear {
            let factors = (0..6300).map(|_| 1 + random.below(5) as u8).collect();
            grid = grid.with_terrain(factors).unwrap();
        }
        let mut map = Map::from(grid);
        let mut field = FlowField::new(&map, &some(&usable(&map), 3, &mut random)).unwrap();
        let mut renewed = 0;
        for step in 0..150 {
            let changes = random_changes(&map, &mut random);
            map.apply(&changes).unwrap();
            renewed += field.repair(&map, &changes);
            check_anew(&field, &format!("step {step}, {changes:?}"));
        }
        assert!(renewed < 150 * 6300 / 5, "{renewed} steps looked at anew");
        check(&field, &"after 150 edits");
    }
}

/// Plateaus of edges that cost nothing, and weights whose sums outgrow all numbers, under edits.
#[test]
fn edits_of_streets_that_cost_nothing_or_too_much() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let weights: &[Cost] =
            if seed % 2 == 0 { &[0, 0, 0, 1] } else { &[0, 7, 1 << 30, 1 << 31] };
        let nodes = 30;
        let mut builder = GraphBuilder::new(nodes as usize).unwrap();
        let mut pairs = Vec::new();
        for _ in 0..75 {
            let pair = (random.below(nodes) as NodeId, random.below(nodes) as NodeId);
            builder.add_edge(pair.0, pair.1, weights[random.below(4) as usize]).unwrap();
            pairs.push(pair);
        }
        let mut map = Map::from(builder.build());
        let mut field = FlowField::new(&map, &[0, 1]).unwrap();
        check(&field, &format!("seed {seed}"));
        for step in 0..40 {
            let (tail, head) = pairs[random.below(75) as usize];
            let weight = weights[random.below(4) as usize];
            let changes = Changes::new().set_weight(tail, head, weight);
            map.apply(&changes).unwrap();
            field.repair(&map, &changes);
            let name = format!("seed {seed}, step {step}, {changes:?}");
            let edited = World { name, map: map.clone() };
            check_anew(&field, &edited);
            check(&field, &edited);
        }
    }
}

#[test]
fn a_street_that_becomes_too_dear_leads_beyond_all_numbers() {
    let mut builder = GraphBuilder::new(12).unwrap();
    builder.add_edge(1, 0, 1 << 31).unwrap();
    builder.add_edge(2, 1, 5).unwrap();
    let mut map = Map::from(builder.build());
    let mut field = FlowField::new(&map, &[0]).unwrap();
    assert_eq!(field.cost(2), Ok(Some((1 << 31) + 5)));
    for (weight, cost) in [(1 << 31, None), (6, Some((1 << 31) + 6))] {
        let changes = Changes::new().set_weight(2, 1, weight);
        map.apply(&changes).unwrap();
        assert!(field.repair(&map, &changes) < 12, "the rest of the field is left alone");
        let beyond = EndpointError::CostOverflow { from: 2.into(), to: 0.into() };
        assert_eq!(field.cost(2), cost.map(Some).ok_or(beyond));
        assert_eq!((field.next(2), field.cost(3)), (cost.map(|_| 1), Ok(None)));
    }
}

#[test]
fn ties_go_to_the_first_edge_of_the_map() {
    // North-west comes before north and west, and straight on is as good as sideways first.
    let (grid, _, _) = draw("..... / ..... / .....");
    let field = FlowField::new(Map::from(grid), &[0]).unwrap();
    assert_eq!(field.next(14), Some(8));
    assert_eq!(field.next(9), Some(3));
    let four = draw(".. / ..").0.with_connectivity(portolan::Connectivity::Four);
    assert_eq!(FlowField::new(Map::from(four), &[0]).unwrap().next(3), Some(1));
    // 0 could go to 1 or, at the same cost, along edges that cost nothing to 3 first.
    let mut builder = GraphBuilder::new(5).unwrap();
    for (tail, head, weight) in [(0, 1, 0), (1, 0, 0), (0, 3, 0), (3, 4, 2), (1, 2, 0), (2, 3, 0)] {
        builder.add_edge(tail, head, weight).unwrap();
    }
    let field = FlowField::new(Map::from(builder.build()), &[4]).unwrap();
    assert_eq!(
        [0, 1, 2, 3, 4].map(|node| field.next(node)),
        [3, 0, 3, 4, 9].map(|n| (n < 9).then_some(n))
    );
}

#[test]
fn a_goal_that_is_built_over_counts_again_when_it_is_freed() {
    let world = EditedWorld::new(draw(".......").0).unwrap();
    let mut field = FlowField::new(world.snapshot().map(), &[0, 6]).unwrap();
    let start = field.clone();
    let edit = world.edit(|e| e.block(6)).unwrap();
    field.repair(edit.snapshot().map(), edit.changes());
    assert_eq!((field.next(5), field.goals()), (Some(4), &[0, 6][..]));
    assert_eq!(field.cost(6), Err(EndpointError::Blocked { at: (6, 0).into() }));
    let edit = world.edit(|e| e.block(0)).unwrap();
    field.repair(edit.snapshot().map(), edit.changes());
    assert_eq!((field.next(3), field.cost(3)), (None, Ok(None)));
    let edit = world.edit(|e| [0, 6].into_iter().for_each(|goal| e.free(goal))).unwrap();
    field.repair(edit.snapshot().map(), edit.changes());
    assert_eq!(field, start);
}

#[test]
fn another_map_makes_the_field_anew_and_wrong_changes_do_no_harm() {
    let mut field = FlowField::new(Map::from(Grid::new(6, 5).unwrap()), &[29]).unwrap();
    let other = Map::from(Grid::new(9, 8).unwrap());
    field.repair(&other, &Changes::default());
    assert_eq!(field, FlowField::new(&other, &[29]).unwrap());
    let small = one_way_streets();
    field.repair(&small, &Changes::default());
    check_anew(&field, &"streets");
    // More streets, none of which were added to those before.
    let mut streets = GraphBuilder::new(small.node_count() + 2).unwrap();
    streets.add_edge(1, 0, 3).unwrap();
    let larger = Map::from(streets.build());
    let mut field_of_streets = FlowField::new(&small, &[0]).unwrap();
    field_of_streets.repair(&larger, &Changes::default());
    check_anew(&field_of_streets, &"other streets");
    // Ids that are nowhere are passed over.
    let cells = vec![CellChange { node: 4_000_000_000, passable: false }];
    let edges = vec![EdgeChange::Delete { tail: 77_777, head: 3 }];
    field.repair(&small, &Changes { cells, edges, ..Changes::default() });
    check_anew(&field, &"streets");
    // A map too small for the goal.
    field.repair(&Map::from(Grid::new(2, 2).unwrap()), &Changes::default());
    assert_eq!((field.next(0), field.cost(0)), (None, Ok(None)));
}

#[test]
fn bad_ends_are_told() {
    let map = Map::from(draw("..#").0);
    let outside = EndpointError::Outside { at: 3.into(), extent: map.extent() };
    let blocked = EndpointError::Blocked { at: (2, 0).into() };
    assert_eq!(FlowField::new(&map, &[0, 3]).err(), Some(outside.clone()));
    assert_eq!(FlowField::new(&map, &[2]).err(), Some(blocked.clone()));
    let nowhere = FlowField::new(&map, &[0u32; 0]).unwrap();
    assert_eq!((nowhere.cost(0), nowhere.next(0)), (Ok(None), None));
    assert_eq!((nowhere.cost(3), nowhere.next(3)), (Err(outside.clone()), None));
    let mut reach = Reach::outward(&map);
    assert_eq!(reach.distances(0, &[1, 2]), Err(blocked.clone()));
    assert_eq!(reach.nearest(0, &[3], 1), Err(outside.clone()));
    assert_eq!(reach.nearest(3, &[0], 1), Err(outside));
    assert_eq!(reach.within(2, 9), Err(blocked));
    let mut path = vec![5];
    reach.path_into(0, &mut path);
    assert!(path.is_empty());
}

/// Both ways round, on all kinds of worlds.
#[test]
fn reach_is_exact() {
    let worlds = drawn().into_iter().chain((0..250).map(random));
    for (seed, world) in (0..).zip(worlds) {
        let mut random = Random::new(seed);
        let nodes = usable(&world.map);
        let Some(&place) = some(&nodes, 1, &mut random).first() else { continue };
        let goals = some(&nodes, 12, &mut random);
        for inward in [false, true] {
            let (reach, truth) = match inward {
                false => (Reach::outward(&world.map), distances(&world.map, place)),
                true => (Reach::inward(&world.map), toward(&world.map, &[place])),
            };
            let mut place = Place { reach, inward, place, truth, world: &world };
            place.check_each(&goals);
            place.check_nearest(&goals);
            place.check_within(&mut random);
        }
    }
}

/// A place to ask about, and what is true of it.
struct Place<'a> {
    reach: Reach,
    inward: bool,
    place: NodeId,
    truth: Vec<Option<u64>>,
    world: &'a World,
}

impl Place<'_> {
    fn check_each(&mut self, goals: &[NodeId]) {
        let costs: Vec<_> = goals.iter().map(|&goal| self.truth[goal as usize]).collect();
        match self.reach.distances(self.place, goals) {
            Ok(found) => {
                let found: Vec<_> = found.into_iter().map(|cost| cost.map(u64::from)).collect();
                assert_eq!(found, costs, "{} {goals:?}\n{}", self.place, self.world);
                goals.iter().for_each(|&goal| self.check_path(goal));
            }
            Err(error) => {
                assert!(
                    costs.iter().any(|&c| c.is_some() && !counts(c)),
                    "{error}\n{}",
                    self.world
                );
            }
        }
    }

    fn check_nearest(&mut self, goals: &[NodeId]) {
        let (place, world) = (self.place, self.world);
        let cost = |goal: NodeId| self.truth[goal as usize];
        let mut near: Vec<(u64, NodeId)> =
            goals.iter().filter_map(|&goal| Some((cost(goal)?, goal))).collect();
        near.sort_unstable();
        near.dedup();
        for count in [0, 1, 2, 5, usize::MAX] {
            let expected = &near[..count.min(near.len())];
            match self.reach.nearest(place, goals, count) {
                Ok(found) => {
                    let found: Vec<_> =
                        found.into_iter().map(|(g, cost)| (cost.into(), g)).collect();
                    assert_eq!(found, expected, "{count} of {goals:?} near {place}\n{world}");
                    found.iter().for_each(|&(_, goal)| self.check_path(goal));
                }
                Err(error) => {
                    let beyond = expected.iter().any(|&(cost, _)| !counts(Some(cost)));
                    assert!(beyond, "{error}\n{world}");
                }
            }
        }
    }

    fn check_within(&mut self, random: &mut Random) {
        let (place, world) = (self.place, self.world);
        let farthest = self.truth.iter().flatten().max().copied().unwrap_or(0);
        let drawn = random.below(farthest.min(UNREACHABLE.into()) + 1) as Cost;
        for limit in [0, drawn, UNREACHABLE] {
            let near = |&(_, cost): &(NodeId, u64)| cost <= limit.into() && counts(Some(cost));
            let nodes = (0..).zip(&self.truth).filter_map(|(node, cost)| Some((node, (*cost)?)));
            let mut expected: Vec<(NodeId, u64)> = nodes.filter(near).collect();
            expected.sort_unstable_by_key(|&(node, cost)| (cost, node != place, node));
            let found = self.reach.within(place, limit).unwrap();
            let found: Vec<_> = found.into_iter().map(|(node, cost)| (node, cost.into())).collect();
            assert_eq!(found, expected, "within {limit} of {place}\n{world}");
            found.iter().for_each(|&(node, _)| self.check_path(node));
            let mut path = Vec::new();
            for node in 0..self.truth.len() as NodeId {
                self.reach.path_into(node, &mut path);
                let inside = found.iter().any(|&(near, _)| near == node);
                assert_eq!(path.is_empty(), !inside, "{path:?} within {limit}\n{world}");
            }
        }
    }

    fn check_path(&self, node: NodeId) {
        let mut path = Vec::new();
        self.reach.path_into(node, &mut path);
        let (from, to) = if self.inward { (node, self.place) } else { (self.place, node) };
        let walked = walk(&self.world.map, &path, from, to).ok();
        assert_eq!(walked, self.truth[node as usize], "{path:?}\n{}", self.world);
    }
}
