use portolan::{Grid, Map};
use portolan_testkit::reference::Reference;
use serde_json::{Value, json};

use crate::testing::{View, refusal, values as numbers};
use crate::wire::{Frame, Part};

fn start(engine: &str, name: &str, agents: usize) -> Value {
    json!({
        "do": "start",
        "map": { "source": { "from": "gallery", "name": name } },
        "engine": { "name": engine },
        "follow": "at-once",
        "agents": agents,
        "seed": 4,
    })
}

fn paint(page: &mut View, stroke: u64, cells: &[(u32, u8)]) -> Frame {
    let (cells, values): (Vec<_>, Vec<_>) = cells.iter().copied().unzip();
    let parts = vec![("cells", Part::U32(cells)), ("values", Part::U8(values))];
    page.send(json!({ "do": "paint", "stroke": stroke }), parts)
}

fn step(page: &mut View) -> Frame {
    page.send(json!({ "do": "step" }), Vec::new())
}

/// The map `wall` of the gallery, after these edits.
fn wall(edits: &[(u32, u8)]) -> Map {
    let value = |x: u32, y: u32| {
        let painted = edits.iter().rev().find(|&&(cell, _)| cell == y * 48 + x);
        painted.map_or(x != 24 || y > 27, |&(_, value)| value > 0)
    };
    Grid::from_fn(48, 32, value).unwrap().into()
}

#[test]
fn paths_follow_edits_and_stay_shortest() {
    let gap: Vec<(u32, u8)> = (28..32).map(|y| (y * 48 + 24, 0)).collect();
    let door = [(10 * 48 + 24, 1)];
    for engine in ["astar", "differential", "ppa", "atlas", "atlas-climb"] {
        let mut page = View::of("edits");
        page.send(start(engine, "wall", 30), Vec::new());
        (0..3).for_each(|_| _ = step(&mut page));
        let mut edits = Vec::new();
        for (stroke, cells) in [&door[..], &gap[..]].into_iter().enumerate() {
            edits.extend_from_slice(cells);
            let reply = paint(&mut page, stroke as u64, cells);
            assert_eq!(reply.header["data"]["changed"], cells.len(), "{engine}");
            assert_eq!(reply.header["data"]["engine"]["state"], "ready", "{engine}");
            let map = wall(&edits);
            let reference = Reference::new(&map);
            for (agent, path) in paths(&reply) {
                let (from, to) = (path[0], path[path.len() - 1]);
                let least = reference.distances(from)[to as usize];
                assert_eq!(reference.walk(&path, from, to).ok(), least, "{engine}: {agent}");
            }
        }
        let map = wall(&edits);
        for _ in 0..60 {
            let reply = step(&mut page);
            let positions = numbers(&reply, "positions");
            assert!(positions.iter().all(|&node| map.contains(node)), "{engine}: into a wall");
        }
    }
}

/// The agents with new paths, and the paths.
fn paths(reply: &Frame) -> Vec<(u32, Vec<u32>)> {
    let nodes = numbers(reply, "nodes");
    let mut first = 0;
    let planned = numbers(reply, "planned").into_iter().zip(numbers(reply, "ends"));
    let paths = planned.map(|(agent, end)| {
        let path = nodes[first..end as usize].to_vec();
        first = end as usize;
        (agent, path)
    });
    paths.filter(|(_, path)| !path.is_empty()).collect()
}

#[test]
fn a_wall_breaks_paths_which_are_found_again() {
    let mut page = View::of("edits");
    page.send(start("atlas", "wall", 40), Vec::new());
    (0..3).for_each(|_| _ = step(&mut page));
    // The gap moves from one end of the wall to the other.
    let mut cells: Vec<(u32, u8)> = (28..32).map(|y| (y * 48 + 24, 0)).collect();
    cells.push((24, 1));
    let reply = paint(&mut page, 1, &cells);
    let broken = numbers(&reply, "broken");
    assert!(!broken.is_empty());
    let planned = numbers(&reply, "planned");
    assert!(broken.iter().all(|agent| planned.contains(agent)), "{broken:?} {planned:?}");
}

#[test]
fn strokes_are_undone_and_the_map_is_cleared() {
    let mut page = View::of("edits");
    page.send(start("astar", "wall", 0), Vec::new());
    paint(&mut page, 1, &[(0, 0), (1, 0)]);
    let two = paint(&mut page, 1, &[(2, 0)]);
    assert_eq!(two.header["data"]["undoable"], 1);
    paint(&mut page, 2, &[(5, 0)]);
    let undone = page.send(json!({ "do": "undo" }), Vec::new());
    assert_eq!((numbers(&undone, "cells"), numbers(&undone, "values")), (vec![5], vec![1]));
    let undone = page.send(json!({ "do": "undo" }), Vec::new());
    assert_eq!(numbers(&undone, "cells"), [2, 1, 0]);
    paint(&mut page, 3, &[(7, 0), (9 * 48 + 24, 1)]);
    let cleared = page.send(json!({ "do": "clear" }), Vec::new());
    assert_eq!(numbers(&cleared, "cells"), [7, 9 * 48 + 24]);
    assert_eq!(numbers(&cleared, "values"), [1, 0]);
    let file = page.send(json!({ "do": "export" }), Vec::new());
    let Some(Part::U8(bytes)) = file.part("file") else { panic!("no file") };
    let grid = portolan::formats::movingai::read_map(bytes).unwrap();
    assert_eq!(Map::from(grid).usable_count(), wall(&[]).usable_count());
}

#[test]
fn terrain_can_be_added_and_painted() {
    let mut page = View::of("edits");
    page.send(start("atlas", "wall", 5), Vec::new());
    assert!(refusal(&paint(&mut page, 1, &[(3, 5)])).contains("no terrain"));
    let reply = page.send(json!({ "do": "terrain" }), Vec::new());
    assert_eq!(reply.header["data"]["terrain"], true);
    let reply = paint(&mut page, 1, &[(3, 5)]);
    assert_eq!(numbers(&reply, "values"), [5]);
    assert!(refusal(&page.send(json!({ "do": "export" }), Vec::new())).contains("terrain"));
}

#[test]
fn hierarchies_tell_what_they_rebuild() {
    for engine in ["hpa", "dhpa", "ppa", "atlas-climb"] {
        let mut page = View::of("edits");
        page.send(start(engine, "caves", 10), Vec::new());
        let free = numbers(&step(&mut page), "positions")[0];
        let reply = paint(&mut page, 1, &[(free, 0)]);
        let data = &reply.header["data"];
        assert!(data["rebuiltParts"].as_u64().unwrap() > 0, "{engine}");
        assert_eq!(data["rebuiltAll"], false, "{engine}");
        assert!(numbers(&reply, "rebuilt").contains(&free) || engine != "hpa", "{engine}");
        assert_eq!(numbers(&reply, "rebuilt").len(), numbers(&reply, "levels").len());
        assert_ne!(numbers(&reply, "positions")[0], free, "the agent steps aside");
    }
}

#[test]
fn the_same_requests_have_the_same_answers() {
    let run = || {
        let mut page = View::of("edits");
        page.send(start("atlas", "caves", 50), Vec::new());
        for _ in 0..10 {
            step(&mut page);
            page.send(json!({ "do": "doors", "count": 3 }), Vec::new());
        }
        let last = step(&mut page);
        (numbers(&last, "positions"), last.header["data"]["version"].as_u64())
    };
    let (positions, version) = run();
    assert!(version.unwrap() > 5, "no doors");
    assert_eq!((positions, version), run());
}

#[test]
fn bad_requests_are_refused() {
    let mut page = View::of("edits");
    assert!(refusal(&step(&mut page)).contains("no map yet"));
    assert!(refusal(&page.send(start("astar", "wall", 501), Vec::new())).contains("500 agents"));
    assert!(refusal(&page.send(start("astar", "roads", 5), Vec::new())).contains("graph"));
    assert!(refusal(&page.send(start("starling", "wall", 5), Vec::new())).contains("starling"));
    page.send(start("astar", "wall", 5), Vec::new());
    assert!(refusal(&paint(&mut page, 1, &[(99_999_999, 0)])).contains("no cell"));
    let uneven = vec![("cells", Part::U32(vec![1, 2])), ("values", Part::U8(vec![0]))];
    let reply = page.send(json!({ "do": "paint", "stroke": 1 }), uneven);
    assert!(refusal(&reply).contains("as many bytes"));
}

#[test]
fn doors_of_one_request_open_again() {
    let mut page = View::of("edits");
    page.send(start("astar", "caves", 0), Vec::new());
    let doors = |page: &mut View| {
        let reply = page.send(json!({ "do": "doors", "count": 32 }), Vec::new());
        numbers(&reply, "cells").into_iter().zip(numbers(&reply, "values")).collect::<Vec<_>>()
    };
    let mut shut = std::collections::HashSet::new();
    for _ in 0..60 {
        for (cell, value) in doors(&mut page) {
            if value == 0 {
                shut.insert(cell)
            } else {
                shut.remove(&cell)
            };
        }
        // No more than the doors that can be shut, each of at most eight cells.
        assert!(shut.len() <= 41 * 8, "{} cells stay shut", shut.len());
    }
    assert!(!shut.is_empty());
    let many = page.send(json!({ "do": "doors", "count": 33 }), Vec::new());
    assert!(refusal(&many).contains("32 doors"));
}

#[test]
fn another_engine_has_its_settings_checked() {
    let mut page = View::of("edits");
    page.send(start("astar", "wall", 0), Vec::new());
    for (setting, value) in [("cluster", 65), ("levels", 7), ("memory", 0)] {
        let engine = json!({ "name": "hpa", setting: value });
        let ask = json!({ "do": "engine", "engine": engine, "follow": "at-once" });
        assert!(refusal(&page.send(ask, Vec::new())).contains(&format!("is {value}")), "{setting}");
    }
}
