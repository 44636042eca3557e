use std::sync::Mutex;

use portolan::engine::inspect::NO_REGION;
use portolan_testkit::reference::Reference;
use serde_json::{Value, json};

use crate::wire::{Frame, Part};
use crate::{Limits, Link, Scene, Shelf};

struct Page(Mutex<Vec<Frame>>);

impl Link for Page {
    fn send(&self, frame: Vec<u8>) {
        self.0.lock().unwrap().push(Frame::decode(&frame).unwrap());
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A view on a small map of rooms.
struct View {
    scene: Scene,
    map: Value,
}

const SIDE: u32 = 64;

impl View {
    fn on_rooms() -> Self {
        let source =
            json!({ "from": "generated", "kind": "rooms", "size": SIDE, "grain": 8, "seed": 1 });
        Self::on(json!({ "source": source }))
    }

    fn on(map: Value) -> Self {
        Self { scene: Scene::new(Shelf::new(Limits::default()).into()), map }
    }

    /// The reply, with a part for each array.
    fn ask(&mut self, what: &str, engine: Value, more: Value) -> Frame {
        let mut request = json!({
            "id": 1, "topic": "hierarchies", "do": what, "map": self.map, "engine": engine,
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            request[key] = value.clone();
        }
        let page = Page(Mutex::new(Vec::new()));
        self.scene.handle(&Frame::new(request).encode(), &page);
        page.0.into_inner().unwrap().pop().unwrap()
    }

    fn query(&mut self, engine: &str, from: u32, to: u32) -> Frame {
        let ends = json!({ "from": from, "to": to, "compare": true });
        self.ask("query", json!({ "name": engine }), ends)
    }

    /// The map and its free cells.
    fn free_cells(&self) -> (portolan::Map, Vec<u32>) {
        let rooms = portolan::generate::Rooms {
            width: SIDE,
            height: SIDE,
            room: 8,
            seed: 1,
            ..portolan::generate::Rooms::default()
        };
        let map = portolan::Map::from(rooms.generate().unwrap());
        let free = (0..SIDE * SIDE).filter(|&cell| map.contains(cell)).collect();
        (map, free)
    }
}

fn numbers<'a>(frame: &'a Frame, name: &str) -> &'a [u32] {
    match frame.part(name) {
        Some(Part::U32(values)) => values,
        other => panic!("{name}: {other:?} in {}", frame.header),
    }
}

const ENGINES: [&str; 9] = [
    "ppa",
    "ppa-bidirectional",
    "portal-search",
    "perfect-portal",
    "atlas",
    "atlas-general",
    "hpa",
    "dhpa",
    "shpa",
];

#[test]
fn every_level_of_every_engine_can_be_drawn() {
    let mut view = View::on_rooms();
    let (_, free) = view.free_cells();
    for name in ENGINES {
        let engine = json!({ "name": name });
        let opened = view.ask("open", engine.clone(), json!({}));
        let counts = opened.header["data"]["regions"].as_array().expect(name).clone();
        let of_subgoals = opened.header["data"]["ofSubgoals"] == true;
        assert_eq!(of_subgoals, name == "atlas");
        let mut finer: Option<Frame> = None;
        for (level, count) in counts.iter().enumerate() {
            let reply = view.ask("level", engine.clone(), json!({ "level": level }));
            let regions = count.as_u64().unwrap() as usize;
            let (region_of, nodes) = (numbers(&reply, "regionOf"), numbers(&reply, "nodes"));
            assert_eq!((region_of.len(), nodes.len()), ((SIDE * SIDE) as usize, regions), "{name}");
            let gates: u32 = numbers(&reply, "gateCounts").iter().sum();
            assert_eq!(numbers(&reply, "gates").len(), gates as usize);
            let separators = numbers(&reply, "separators");
            for &cell in &free {
                let region = region_of[cell as usize];
                let is_between = region == NO_REGION;
                assert!(is_between || (region as usize) < regions, "{name}");
                assert!(!is_between || separators.contains(&cell), "{name} {level} {cell}");
            }
            let total = nodes.iter().sum::<u32>() as usize + separators.len();
            let members = if of_subgoals { total } else { free.len() };
            assert_eq!(total, members, "{name}");
            assert_eq!(numbers(&reply, "members").is_empty(), !of_subgoals);
            if let Some(finer) = finer {
                let parents = numbers(&finer, "parents");
                assert!(parents.iter().all(|&parent| (parent as usize) < regions), "{name}");
            }
            finer = Some(reply);
        }
        let top = finer.unwrap();
        assert!(numbers(&top, "parents").iter().all(|&parent| parent == NO_REGION));
    }
}

#[test]
fn queries_agree_with_the_reference() {
    let mut view = View::on_rooms();
    let (map, free) = view.free_cells();
    let reference = Reference::new(&map);
    for name in ENGINES {
        for at in 0..12 {
            let (from, to) = (free[at * 97], free[free.len() - 1 - at * 131]);
            let least = reference.distances(from)[to as usize].unwrap();
            let reply = view.query(name, from, to);
            let data = &reply.header["data"];
            let cost = data["cost"].as_u64().expect(name);
            let is_exact = !name.ends_with("hpa");
            assert!(cost == least || (!is_exact && cost > least), "{name}: {cost} and {least}");
            let path = numbers(&reply, "path");
            assert_eq!(map.walk(path.iter().copied()), Ok(cost as u32), "{name}");
            let waypoints = numbers(&reply, "waypoints");
            assert_eq!((waypoints.first(), waypoints.last()), (Some(&from), Some(&to)), "{name}");
            assert_eq!(numbers(&reply, "expanded").len() as u64, data["expanded"], "{name}");
            let plain = numbers(&reply, "plain").len();
            assert!(plain > 0 && data["plain"]["expanded"] == plain, "{name}");
            if let Some(hub) = data["meeting"]["node"].as_u64() {
                assert!(path.contains(&(hub as u32)), "{name}");
            }
        }
    }
}

#[test]
fn an_atlas_shows_the_rows_that_it_joins() {
    let mut view = View::on_rooms();
    let (_, free) = view.free_cells();
    let (from, to) = (free[0], free[free.len() - 1]);
    for name in ["atlas", "atlas-general"] {
        let reply = view.query(name, from, to);
        let data = &reply.header["data"];
        assert_eq!(data["meeting"]["kind"], "hub");
        let hub = data["meeting"]["node"].as_u64().unwrap() as u32;
        let sum: u32 = ["start", "goal"]
            .iter()
            .map(|end| {
                assert!(!numbers(&reply, &format!("{end}Seen")).is_empty());
                assert!(!numbers(&reply, &format!("{end}Joined")).is_empty());
                assert_eq!(numbers(&reply, &format!("{end}Hops")).last(), Some(&hub));
                let hubs = numbers(&reply, &format!("{end}Hubs"));
                let at = hubs.iter().position(|&other| other == hub).unwrap();
                numbers(&reply, &format!("{end}Costs"))[at]
            })
            .sum();
        assert_eq!(u64::from(sum), data["cost"]);
    }
}

#[test]
fn clusters_have_as_many_levels_as_asked_for() {
    let mut view = View::on_rooms();
    let engine = json!({ "name": "hpa", "cluster": 8, "levels": 3 });
    let opened = view.ask("open", engine, json!({}));
    assert_eq!(opened.header["data"]["regions"], json!([64, 16, 4]));
}

#[test]
fn bad_requests_are_refused() {
    let mut view = View::on_rooms();
    let mut refused = |what: &str, engine: Value, more: Value| {
        let reply = view.ask(what, engine, more);
        reply.header["error"]["message"].as_str().expect("an error").to_owned()
    };
    let ppa = json!({ "name": "ppa" });
    assert!(refused("level", ppa.clone(), json!({ "level": 99 })).contains("no level 99"));
    assert!(refused("open", json!({ "name": "astar" }), json!({})).contains("regions"));
    assert!(refused("open", json!({ "name": "no" }), json!({})).contains("no"));
    let clusters = |cluster, levels| json!({ "name": "hpa", "cluster": cluster, "levels": levels });
    for engine in [clusters(0, 1), clusters(1 << 31, 1), clusters(8, 0), clusters(8, u32::MAX)] {
        refused("open", engine, json!({}));
    }
    for (from, to) in [(u32::MAX, 0), (0, SIDE * SIDE)] {
        refused("query", ppa.clone(), json!({ "from": from, "to": to, "compare": true }));
    }
    refused("query", ppa, json!({ "from": -1, "to": 0, "compare": true }));
    let roads = json!({ "source": { "from": "generated", "kind": "roads", "size": 1, "grain": 0, "seed": 1 } });
    let reply = View::on(roads).ask("open", json!({ "name": "atlas" }), json!({}));
    assert!(reply.header["error"]["message"].as_str().unwrap().contains("Roads"));
}
