use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use portolan::generate::Rooms;
use portolan::search::Counter;
use portolan::{Settings, registry};
use portolan_bench::workload::{Expected, Subject, Workload};
use serde_json::{Value, json};

use crate::testing::View;
use crate::wire::Frame;
use crate::{Limits, Link, Scene, Shelf};

const SEED: u64 = 5;

fn rooms() -> Value {
    json!({ "source": { "from": "generated", "kind": "rooms", "size": 40, "grain": 8, "seed": 1 } })
}

fn request(engines: &[&str], queries: u32) -> Value {
    let plan = json!({ "queries": queries, "seed": SEED, "memory": 64 });
    json!({ "id": 1, "topic": "compare", "do": "run", "map": rooms(), "engines": engines, "plan": plan })
}

/// A page that keeps everything, and cancels when this holds of what it has and of how often it was
/// asked whether to go on.
struct Page<F> {
    frames: Mutex<Vec<Frame>>,
    asked: AtomicUsize,
    cancels: F,
}

impl<F: Fn(&[Frame], usize) -> bool + Sync> Link for Page<F> {
    fn send(&self, frame: Vec<u8>) {
        self.frames.lock().unwrap().push(Frame::decode(&frame).unwrap());
    }

    fn is_cancelled(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        (self.cancels)(&self.frames.lock().unwrap(), asked)
    }
}

/// Everything that is sent, and how often the page was asked whether to go on.
fn all(request: Value, cancels: impl Fn(&[Frame], usize) -> bool + Sync) -> (Vec<Value>, usize) {
    let page = Page { frames: Mutex::default(), asked: AtomicUsize::new(0), cancels };
    let mut scene = Scene::new(Arc::new(Shelf::new(Limits::default())));
    scene.handle(&Frame::new(request).encode(), &page);
    let frames = page.frames.into_inner().unwrap();
    (frames.into_iter().map(|frame| frame.header).collect(), page.asked.into_inner())
}

fn events<'a>(headers: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let is_kind = |header: &&Value| header["event"] == true && header["data"]["event"] == kind;
    headers.iter().filter(is_kind).map(|header| &header["data"]).collect()
}

/// The same map as the page's, and the queries that `portolan bench` draws.
fn subject() -> (Subject, Workload) {
    let grid = Rooms { width: 40, height: 40, room: 8, seed: 1, ..Rooms::default() };
    let settings = Settings { seed: SEED, memory_limit: (64 << 20).into(), ..Settings::default() };
    let subject = Subject { settings, ..Subject::new("rooms", grid.generate().unwrap()) };
    let workload = Workload::random(&subject, 60, &()).unwrap();
    (subject, workload)
}

#[test]
fn figures_are_those_of_the_engines_asked_directly() {
    let names = ["dijkstra", "astar", "ppa", "atlas", "hpa"];
    let (headers, _) = all(request(&names, 60), |_, _| false);
    let measured = events(&headers, "measured");
    assert_eq!(measured.len(), names.len());
    let (subject, workload) = subject();
    for (event, name) in measured.into_iter().zip(names) {
        let figures = &event["figures"];
        assert_eq!(figures["engine"], name);
        let method = registry::method(name).unwrap();
        let engine = method.build(&subject.map, &subject.settings).unwrap();
        let mut counter = Counter::default();
        let (mut found, mut shortest) = (0, 0);
        let mut query = engine.query();
        for asked in &workload.queries {
            let cost = query.find_observed(asked.from, asked.to, &mut counter).unwrap();
            let cost = cost.map(|route| route.cost());
            let right = portolan_testkit::reference::distances(&subject.map, asked.from);
            let right = right[asked.to as usize].map(|cost| cost as u32);
            assert!(matches!(asked.expected, Expected::Cost(cost) if cost == right));
            found += usize::from(cost.is_some());
            shortest += usize::from(cost == right);
        }
        assert_eq!(figures["index_bytes"], engine.memory_bytes(), "{name}");
        assert_eq!(figures["found"], found, "{name}");
        assert_eq!(figures["optimal"], shortest, "{name}");
        let expanded = figures["expanded_mean"].as_f64().unwrap() * workload.queries.len() as f64;
        assert_eq!(expanded.round(), counter.expanded as f64, "{name}");
        assert_eq!(event["wrong"], 0, "{name}");
        assert!(figures["mean_us"].as_f64().unwrap() > 0.0);
        assert!(event["charts"]["mean"].as_str().unwrap().contains(name));
    }
    let last = headers.last().unwrap();
    assert_eq!(last["data"], json!({ "measured": 5, "leftOut": 0, "wrong": 0 }));
}

#[test]
fn engines_that_cannot_be_built_are_left_out_with_the_reason() {
    let map = json!({ "source": { "from": "generated", "kind": "roads", "size": 1, "grain": 0, "seed": 1 } });
    let plan = json!({ "queries": 5, "seed": 1, "memory": 1 });
    let engines = ["hpa", "atlas-general", "perfect-portal", "astar"];
    let run = json!({ "id": 1, "topic": "compare", "do": "run", "map": map, "engines": engines, "plan": plan });
    let (headers, _) = all(run, |_, _| false);
    let left_out = events(&headers, "left-out");
    assert!(left_out.iter().any(|event| event["engine"] == "hpa"));
    for event in &left_out {
        assert!(event["reason"].as_str().unwrap().len() > 10, "{event}");
    }
    let last = headers.last().unwrap();
    assert_eq!(last["data"]["leftOut"], left_out.len());
    assert_eq!(last["data"]["measured"], engines.len() - left_out.len());
    assert!(events(&headers, "measured").iter().any(|event| event["figures"]["engine"] == "astar"));
    let listed = View::new().ask(json!({ "topic": "compare", "do": "engines", "map": map }));
    let listed = listed.header["data"]["engines"].as_array().unwrap().clone();
    assert_eq!(listed.len(), portolan::METHODS.len());
    let hpa = listed.iter().find(|engine| engine["name"] == "hpa").unwrap();
    assert!(hpa["unsupported"].is_string(), "{hpa}");
}

#[test]
fn cancelling_keeps_what_was_measured_and_stops_soon() {
    let has_one = |frames: &[Frame], _: usize| {
        frames.iter().any(|frame| frame.header["data"]["event"] == "measured")
    };
    let (headers, _) = all(request(&["astar", "dijkstra", "atlas"], 50), has_one);
    assert_eq!(events(&headers, "measured").len(), 1);
    assert_eq!(headers.last().unwrap()["error"]["cancelled"], true);
    // In the middle of anything: the reference, a build, the check, the timed rounds.
    for limit in [0, 20, 150, 700, 2500] {
        let (headers, asked) = all(request(&["dijkstra"], 1000), |_, asked| asked >= limit);
        assert_eq!(headers.last().unwrap()["error"]["cancelled"], true, "{limit}");
        // Every group of queries with one start still asks once, and every round.
        assert!(asked <= limit + 1000 + 20, "{limit}: {asked}");
    }
}

#[test]
fn bad_requests_are_refused() {
    let mut view = View::new();
    let mut refused = |change: &dyn Fn(&mut Value)| {
        let mut request = request(&["astar"], 10);
        change(&mut request);
        view.refusal(request)
    };
    let message = refused(&|request| request["plan"]["queries"] = json!(0));
    assert!(message.contains("at least one query"), "{message}");
    let message = refused(&|request| request["plan"]["queries"] = json!(1_000_000));
    assert!(message.contains("at most 10000 queries"), "{message}");
    let message = refused(&|request| request["plan"]["memory"] = json!(u32::MAX));
    assert!(message.contains("MiB"), "{message}");
    let message = refused(&|request| request["engines"] = json!(["astra"]));
    assert!(message.contains("no engine `astra`"), "{message}");
    let message = refused(&|request| request["engines"] = json!([]));
    assert!(message.contains("choose an engine"), "{message}");
    let message = refused(&|request| request["plan"]["seed"] = json!(-1));
    assert!(message.contains("not understood"), "{message}");
    let blocked = view.drop_map("###\n###\n");
    let mut request = request(&["astar"], 10);
    request["map"] = blocked;
    let message = view.refusal(request);
    assert!(!message.is_empty());
}
