//! Answers compared with the test kit's Dijkstra and with the library's own landmarks.

use portolan::heuristic::{Geometric, Heuristic, HeuristicChoice, LowerBound};
use portolan::true_distance::differential::Placement;
use portolan::true_distance::{Differential, DifferentialConfig};
use portolan::{Cost, Grid, Map, NodeId};
use portolan_testkit::reference::Reference;
use serde_json::{Value, json};

use super::field::{FULL, NOTHING};
use crate::testing::{View, bytes, numbers};
use crate::wire::Frame;

const DRAWING: &str = "\
................
.##########.###.
.#........#...#.
.#.######.###.#.
.#.#....#...#.#.
.#.#.##.###.#.#.
.#...##.........
.###########.##.
................
...#............";

const FROM: NodeId = 4 * 16 + 4;
const TO: NodeId = 9 * 16;
const LANDMARKS: [NodeId; 3] = [15, 8 * 16, 6 * 16 + 7];

fn drawn() -> Map {
    DRAWING.parse::<Grid>().unwrap().into()
}

fn look(map: &Value, what: &str, fixed: &str) -> Value {
    json!({
        "topic": "landmarks", "do": "look", "from": FROM, "to": TO,
        "scene": { "map": map, "landmarks": LANDMARKS }, "show": { "what": what, "fixed": fixed },
    })
}

/// The bounds of the library between each cell and this one: without and with landmarks.
fn bounds(map: &Map, end: NodeId) -> Vec<[Cost; 2]> {
    let config = DifferentialConfig {
        placement: Placement::At(LANDMARKS.to_vec()),
        landmarks: LANDMARKS.len(),
        ..DifferentialConfig::default()
    };
    let library = Differential::new(map, &config).unwrap();
    assert_eq!(library.landmarks().len(), LANDMARKS.len());
    let geometric = Geometric::new(map, HeuristicChoice::Auto).unwrap();
    let (mut near, mut far) = (geometric.with_end(end), library.toward(end));
    let bounds = (0..map.node_count() as NodeId).map(|node| {
        let distance = near.at(node).unwrap_or(0);
        [distance, far.at(node).unwrap_or(0).max(distance)]
    });
    bounds.collect()
}

#[test]
fn fields_have_the_bounds_of_the_library() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let map = drawn();
    for (fixed, end) in [("goal", TO), ("start", FROM)] {
        let truths = Reference::new(&map).distances(end);
        let most = truths.iter().flatten().max().copied().unwrap();
        let share = |cost: u64| (cost * u64::from(FULL) / most) as u8;
        let bounds = bounds(&map, end);
        let fields = ["truth", "distance", "landmarks", "landmark-share"];
        let fields =
            fields.map(|what| bytes(&view.ask(look(&choice, what, fixed)), "field").to_vec());
        for (node, truth) in truths.iter().enumerate() {
            let values = [0, 1, 2, 3].map(|at| fields[at][node]);
            let Some(truth) = *truth else {
                assert_eq!(values, [NOTHING; 4]);
                continue;
            };
            let [distance, landmarks] = bounds[node].map(u64::from);
            assert!(distance <= landmarks && landmarks <= truth);
            assert_eq!(values[..3], [truth, distance, landmarks].map(share), "cell {node}");
            assert_eq!(values[3] == FULL, landmarks == truth, "cell {node}");
        }
    }
}

#[test]
fn both_searches_find_a_shortest_path_and_landmarks_expand_less() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let map = drawn();
    let reference = Reference::new(&map);
    let best = reference.distances(FROM)[TO as usize].unwrap();
    let answer = view.ask(look(&choice, "best", "goal"));
    let data = &answer.header["data"];
    for name in ["plain", "guided"] {
        assert_eq!(reference.walk(numbers(&answer, name), FROM, TO), Ok(best), "{name}");
        assert_eq!(data[name]["length"].as_f64(), Some(map.length(best as Cost)), "{name}");
        let bit = if name == "plain" { 1 } else { 2 };
        let marked = bytes(&answer, "searched").iter().filter(|&&cell| cell & bit != 0).count();
        assert_eq!(data[name]["expanded"].as_u64(), Some(marked as u64), "{name}");
    }
    let expanded = |name: &str| data[name]["expanded"].as_u64().unwrap();
    assert!(expanded("guided") < expanded("plain"));
}

#[test]
fn the_best_landmark_of_each_cell_has_the_greatest_bound() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let reference = Reference::new(&drawn());
    let columns = LANDMARKS.map(|landmark| reference.distances(landmark));
    let bounds = bounds(&drawn(), TO);
    let answer = view.ask(look(&choice, "best", "goal"));
    for (node, &best) in bytes(&answer, "field").iter().enumerate() {
        let Some(column) = columns.get(best as usize) else { continue };
        let bound = column[node].unwrap().abs_diff(column[TO as usize].unwrap());
        assert_eq!(bound, u64::from(bounds[node][1]), "cell {node}");
    }
}

#[test]
fn a_triangle_has_shortest_paths_to_the_landmark() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let reference = Reference::new(&drawn());
    let mut request = look(&choice, "truth", "goal");
    request["triangle"] = json!(1);
    let answer = view.ask(request);
    for (name, end) in [("sideStart", FROM), ("sideGoal", TO)] {
        let best = reference.distances(end)[LANDMARKS[1] as usize].unwrap();
        assert_eq!(reference.walk(numbers(&answer, name), end, LANDMARKS[1]), Ok(best), "{name}");
    }
}

#[test]
fn perfect_wind_is_never_wrong_and_that_of_distance_sometimes() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let mut wrong = |of: &str| {
        let mut request = look(&choice, "truth", "goal");
        request["wind"] = json!({ "of": of, "stride": 1 });
        let answer = view.ask(request);
        let arrows = bytes(&answer, "wind");
        assert_eq!(arrows.len(), 160);
        arrows.iter().filter(|&&arrow| arrow != 255 && arrow >= 16).count()
    };
    assert_eq!(wrong("truth"), 0);
    assert!(wrong("landmarks") < wrong("distance"));
}

/// A wall is removed that landmarks do not know of yet.
#[test]
fn stale_landmarks_exceed_the_truth_until_they_are_computed_again() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let mut changed: Grid = DRAWING.parse().unwrap();
    let opened: NodeId = 5 * 16 + 5;
    changed.set_passable(5, 5, true).unwrap();
    changed.set_passable(5, 6, true).unwrap();
    changed.set_passable(5, 7, true).unwrap();
    let painted = vec![opened, opened + 16, opened + 32];
    let best = Reference::new(&changed.into()).distances(FROM)[TO as usize].unwrap();
    let mut ask = |known: usize| {
        let mut request = look(&choice, "excess", "goal");
        request["scene"]["known"] = json!(known);
        let answer = view.ask_with(Frame::new(request).with("painted", painted.clone()));
        answer.header["data"].clone()
    };
    let length = drawn().length(best as Cost);
    let stale = ask(0);
    assert_eq!(stale["plain"]["length"].as_f64(), Some(length));
    assert!(stale["field"]["exceeding"].as_u64() > Some(0));
    let fresh = ask(3);
    assert_eq!(fresh["field"]["exceeding"].as_u64(), Some(0));
    assert_eq!(fresh["guided"]["length"].as_f64(), Some(length));
}

/// The gain of a site is that of a landmark which is really put there.
#[test]
fn a_site_is_worth_what_a_landmark_there_brings() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let mut sites = |landmarks: Vec<NodeId>| {
        view.ask(json!({
            "topic": "landmarks", "do": "sites", "near": FROM, "samples": 12, "seed": 3,
            "scene": { "map": choice, "landmarks": landmarks },
        }))
    };
    let mut landmarks = Vec::new();
    for _ in 0..3 {
        let answer = sites(landmarks.clone());
        let data = &answer.header["data"];
        let best = data["best"].as_u64().unwrap() as NodeId;
        assert_eq!(bytes(&answer, "field")[best as usize], FULL);
        landmarks.push(best);
        let next = sites(landmarks.clone());
        assert_eq!(next.header["data"]["now"], data["withBest"]);
        assert!(data["withBest"].as_f64() > data["now"].as_f64());
    }
}

#[test]
fn strategies_place_and_are_compared() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let strategies = view.ask(json!({ "topic": "landmarks", "do": "strategies" }));
    let scene = json!({ "map": choice, "landmarks": LANDMARKS });
    for strategy in strategies.header["data"].as_array().unwrap() {
        let answer = view.ask(json!({
            "topic": "landmarks", "do": "place", "strategy": strategy["name"], "count": 4,
            "seed": 1, "scene": scene,
        }));
        assert_eq!(numbers(&answer, "landmarks").len(), 4, "{strategy}");
        assert_ne!(strategy["text"], "");
    }
    let request =
        json!({ "topic": "landmarks", "do": "compare", "count": 4, "seed": 1, "scene": scene });
    let rows = view.ask(request).header["data"]["rows"].clone();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), Placement::named().count() + 2);
    for row in rows {
        let share = row["share"].as_f64().unwrap();
        assert!(share >= rows[0]["share"].as_f64().unwrap() && share <= 1.0, "{row}");
    }
}

#[test]
fn a_probe_has_the_numbers_of_one_cell() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let map = drawn();
    let scene = json!({ "map": choice, "landmarks": LANDMARKS });
    let request =
        json!({ "topic": "landmarks", "do": "probe", "scene": scene, "cell": FROM, "fixed": TO });
    let data = view.ask(request).header["data"].clone();
    let truth = Reference::new(&map).distances(FROM)[TO as usize].unwrap();
    assert_eq!(data["truth"].as_f64(), Some(map.length(truth as Cost)));
    let best = data["bounds"].as_array().unwrap().iter().filter_map(Value::as_f64);
    let most = best.fold(data["distance"].as_f64().unwrap(), f64::max);
    assert_eq!(most, map.length(bounds(&map, TO)[FROM as usize][1]));
}

#[test]
fn bad_requests_are_refused() {
    let mut view = View::new();
    let choice = view.drop_map(DRAWING);
    let good = look(&choice, "best", "goal");
    for (key, value) in [("from", json!(17)), ("to", json!(160)), ("triangle", json!(3))] {
        let mut request = good.clone();
        request[key] = value;
        view.refusal(request);
    }
    for landmarks in [vec![160], vec![u32::MAX], vec![0; 17]] {
        let mut request = good.clone();
        request["scene"]["landmarks"] = json!(landmarks);
        view.refusal(request);
    }
    for stride in [0, 17, u32::MAX] {
        let mut request = good.clone();
        request["wind"] = json!({ "of": "truth", "stride": stride });
        assert!(view.refusal(request).contains("stride"));
    }
    let mut request = good.clone();
    request["scene"]["known"] = json!(1);
    view.refusal(request);
    let painted = Frame::new(good.clone()).with("painted", vec![160u32]);
    assert!(view.answer(painted).header.get("error").is_some());
    let scene = json!({ "map": choice, "landmarks": [] });
    for request in [
        json!({ "do": "place", "strategy": "best", "count": 4, "seed": 1, "scene": scene }),
        json!({ "do": "place", "strategy": "random", "count": 1 << 30, "seed": 1, "scene": scene }),
        json!({ "do": "sites", "near": 17, "samples": 8, "seed": 1, "scene": scene }),
        json!({ "do": "sites", "near": 0, "samples": 1 << 30, "seed": 1, "scene": scene }),
        json!({ "do": "probe", "cell": 160, "fixed": 0, "scene": scene }),
    ] {
        let mut request = request;
        request["topic"] = json!("landmarks");
        view.refusal(request);
    }
    let roads = json!({ "source": { "from": "gallery", "name": "roads" } });
    let refusal = view.refusal(look(&roads, "best", "goal"));
    assert!(refusal.contains("grids"), "{refusal}");
    // The view still answers.
    view.ask(good);
}
