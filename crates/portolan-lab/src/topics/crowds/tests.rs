use portolan::generate::Rooms;
use portolan::{Map, NodeId};
use portolan_testkit::reference::Reference;
use serde_json::{Value, json};

use crate::testing::{View, refusal, values as numbers};
use crate::wire::Part;

/// The map of the tests, as the page names it and as itself.
fn rooms() -> (Value, Map) {
    let source = json!({ "from": "generated", "kind": "rooms", "size": 64, "grain": 8, "seed": 3 });
    let rooms = Rooms { width: 64, height: 64, room: 8, seed: 3, ..Rooms::default() };
    (json!({ "source": source }), rooms.generate().unwrap().into())
}

fn start(method: Value, agents: usize, goals: usize) -> Value {
    json!({
        "do": "start", "map": rooms().0, "method": method, "agents": agents, "goals": goals, "seed": 9,
    })
}

fn step(page: &mut View) -> crate::wire::Frame {
    page.send(json!({ "do": "step" }), Vec::new())
}

/// All methods that this machine has.
fn methods() -> Vec<Value> {
    let engines = ["astar", "atlas"];
    let paths = engines.map(|name| json!({ "by": "paths", "engine": { "name": name } }));
    let devices = View::of("crowds").send(json!({ "do": "devices" }), Vec::new());
    let has_gpu = devices.header["data"]["gpu"]["name"].is_string();
    let on_gpu = ["gpu-fields", "gpu-paths"].into_iter().filter(|_| has_gpu);
    let others = std::iter::once("fields").chain(on_gpu);
    others.map(|by| json!({ "by": by })).chain(paths).collect()
}

#[test]
fn every_agent_takes_a_shortest_way() {
    let map = rooms().1;
    let reference = Reference::new(&map);
    for method in methods() {
        let mut page = View::of("crowds");
        let first = page.send(start(method.clone(), 60, 3), Vec::new());
        let goals = numbers(&first, "goals");
        let costs: Vec<_> = goals.iter().map(|&goal| reference.distances(goal)).collect();
        let mut at = numbers(&first, "positions");
        let mut targets = numbers(&first, "targets");
        let mut still = 0;
        for _ in 0..80 {
            let reply = step(&mut page);
            let next = numbers(&reply, "positions");
            for agent in 0..at.len() {
                let cost = |node: NodeId| costs[targets[agent] as usize][node as usize].unwrap();
                if at[agent] == next[agent] {
                    still += 1;
                    continue;
                }
                let steps = reference.steps(at[agent]);
                let (_, weight) = steps.iter().find(|&&(head, _)| head == next[agent]).unwrap();
                assert_eq!(cost(at[agent]), cost(next[agent]) + weight, "{method}");
            }
            (at, targets) = (next, numbers(&reply, "targets"));
        }
        assert!(still < 60 * 40, "{method}: agents stood still {still} times");
        assert!(step(&mut page).header["data"]["arrivals"].as_u64().unwrap() > 0, "{method}");
    }
}

#[test]
fn fields_and_paths_follow_a_goal_that_moves() {
    let map = rooms().1;
    let goal = (0..4096).rev().find(|&node| map.contains(node)).unwrap();
    for method in methods() {
        let mut page = View::of("crowds");
        page.send(start(method.clone(), 20, 1), Vec::new());
        (0..5).for_each(|_| _ = step(&mut page));
        page.send(json!({ "do": "goals" }), vec![("goals", Part::U32(vec![goal]))]);
        let mut last = step(&mut page);
        for _ in 0..300 {
            last = step(&mut page);
        }
        assert_eq!(numbers(&last, "positions"), vec![goal; 20], "{method}");
        assert_eq!(last.header["data"]["waiting"], 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_crowd() {
    let run = || {
        let mut page = View::of("crowds");
        page.send(start(json!({ "by": "fields" }), 100, 4), Vec::new());
        page.send(json!({ "do": "step", "renew": true }), Vec::new());
        (0..20).for_each(|_| _ = step(&mut page));
        let last = step(&mut page);
        (numbers(&last, "positions"), numbers(&last, "goals"))
    };
    assert_eq!(run(), run());
}

#[test]
fn bad_requests_are_refused() {
    let mut page = View::of("crowds");
    assert!(refusal(&step(&mut page)).contains("no crowd yet"));
    let fields = json!({ "by": "fields" });
    let reply = page.send(start(fields.clone(), 10_001, 1), Vec::new());
    assert!(refusal(&reply).contains("at most 10000 agents"));
    let reply = page.send(start(fields.clone(), 10, 9), Vec::new());
    assert!(refusal(&reply).contains("at most 8 goals"));
    let outside = vec![("goals", Part::U32(vec![5_000_000]))];
    assert!(!refusal(&page.send(start(fields.clone(), 10, 1), outside)).is_empty());
    let mut roads = start(fields, 10, 1);
    roads["map"] = json!({ "source": { "from": "gallery", "name": "roads" } });
    assert!(refusal(&page.send(roads, Vec::new())).contains("grid"));
    let unknown = json!({ "by": "paths", "engine": { "name": "starling" } });
    assert!(refusal(&page.send(start(unknown, 10, 1), Vec::new())).contains("starling"));
}

#[test]
fn devices_are_listed_with_a_reason_for_a_missing_gpu() {
    let mut page = View::of("crowds");
    let data = &page.send(json!({ "do": "devices" }), Vec::new()).header["data"];
    assert!(data["cores"].as_u64().unwrap() > 0);
    assert!(data["gpu"]["name"].is_string() || data["gpu"]["reason"].is_string());
}

#[test]
fn another_method_stays_on_the_map_of_the_crowd() {
    let mut page = View::of("crowds");
    page.send(start(json!({ "by": "fields" }), 20, 1), Vec::new());
    let mut method =
        json!({ "do": "method", "method": { "by": "paths", "engine": { "name": "astar" } } });
    // A map of the same extent, which the request cannot choose.
    method["map"] = rooms().0;
    method["map"]["source"]["seed"] = json!(4);
    page.send(method, Vec::new());
    let map = rooms().1;
    for _ in 0..20 {
        let positions = numbers(&step(&mut page), "positions");
        assert!(positions.iter().all(|&node| map.contains(node)));
    }
}
