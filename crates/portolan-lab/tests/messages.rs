//! Whatever a page sends, a scene answers it: without a panic, without large memory, and soon after
//! it is cancelled.
//!
//! The test knows no topic. It asks for nonsense, and the refusals name the requests and the fields
//! that are missing; so new topics and requests are tested by themselves.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portolan::generate::Random;
use portolan_lab::wire::{Frame, Part};
use portolan_lab::{Limits, Link, Scene, Shelf};
use portolan_testkit::allocator;
use portolan_testkit::index_file::without_panic;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

/// Requests of each kind.
const ROUNDS: u64 = 40;

/// Requests are cancelled after so long. A test bounds no time, so the rest is for slow machines.
const WANTED: Duration = Duration::from_millis(400);
const PATIENCE: Duration = Duration::from_secs(60);

/// More than any request may allocate within `limits()`.
const MOST_BYTES: usize = 256 << 20;

fn limits() -> Limits {
    Limits {
        most_cells: 1 << 14,
        most_nodes: 1 << 12,
        most_file_bytes: 1 << 16,
        most_kept_bytes: [1 << 18, 1 << 22, 1 << 24],
        most_index_bytes: 1 << 24,
    }
}

/// A page that loses interest.
struct Page {
    replies: Mutex<Vec<Frame>>,
    until: Instant,
}

impl Link for Page {
    fn send(&self, frame: Vec<u8>) {
        let frame = Frame::decode(&frame).expect("the scene sends frames");
        self.replies.lock().unwrap().push(frame);
    }

    fn is_cancelled(&self) -> bool {
        Instant::now() > self.until
    }
}

/// Sends bytes to the scene; returns the message of the refusal, if it is one.
fn send(scene: &mut Scene, request: &[u8], what: &str) -> Option<String> {
    let start = Instant::now();
    let page = Page { replies: Mutex::default(), until: start + WANTED };
    let work = || without_panic(what, || scene.handle(request, &page));
    let ((), allocated) = allocator::measure(work);
    assert!(allocated.peak < MOST_BYTES, "{} bytes: {what}", allocated.peak);
    assert!(start.elapsed() < PATIENCE, "{:?}: {what}", start.elapsed());
    let replies = page.replies.into_inner().unwrap();
    let last = &replies.last().expect("every request has a reply").header;
    assert!(last.get("data").is_some() != last.get("error").is_some(), "{what}: {last}");
    last["error"]["message"].as_str().map(Into::into)
}

fn scene() -> Scene {
    Scene::new(Arc::new(Shelf::new(limits())))
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The source files of all topics.
fn sources() -> String {
    fn read(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, text);
            } else {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut text = String::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/topics"), &mut text);
    text
}

/// The requests of all topics.
fn requests() -> Vec<(String, String)> {
    let sources = include_str!("../src/topics/mod.rs");
    let topics = sources.lines().filter_map(|line| {
        let (name, rest) = line.trim().strip_prefix('"')?.split_once('"')?;
        rest.starts_with(" => ").then_some(name)
    });
    let mut found = Vec::new();
    for topic in topics {
        let nonsense = Frame::new(json!({ "topic": topic, "do": "?" })).encode();
        let refusal = send(&mut scene(), &nonsense, topic).expect("it is refused");
        let (_, expected) = refusal.split_once("expected ").unwrap_or_else(|| panic!("{refusal}"));
        found.extend(quoted(expected).map(|ask| (topic.to_owned(), ask.to_owned())));
    }
    found
}

/// Values that are rarely expected.
fn wild(draw: &mut Random) -> Value {
    let wild = [
        json!(null),
        json!(-1),
        json!(0),
        json!(0.5),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(1e308),
        json!(-1e308),
        json!(f32::MAX),
        json!(""),
        json!("astar"),
        json!("\u{0}\u{202e}/../.."),
        json!("x".repeat(5000)),
        json!([]),
        json!({}),
        json!([[[[[]]]]]),
        json!(vec![u32::MAX; 2000]),
        json!((0..2000).collect::<Vec<_>>()),
        json!([u32::MAX, 0]),
        json!(true),
    ];
    wild[draw.below(wild.len() as u64) as usize].clone()
}

/// A number that may name a cell of a small map, or is wild.
fn number(draw: &mut Random) -> u64 {
    match draw.below(12) {
        0 => 0,
        1 => u64::from(u32::MAX),
        2 => 1 << draw.below(33),
        3 => 10_000,
        4..8 => draw.below(20),
        _ => draw.below(1600),
    }
}

fn map(draw: &mut Random) -> Value {
    let generated = |draw: &mut Random| {
        let kinds = ["rooms", "maze", "caves", "town", "noise", "roads"];
        let kind = kinds[draw.below(6) as usize];
        let size = if kind == "roads" { draw.below(5) } else { draw.below(150) };
        json!({ "from": "generated", "kind": kind, "size": size, "grain": draw.below(12), "seed": 1 })
    };
    let source = match draw.below(8) {
        0..3 => json!({ "from": "gallery", "name": "wall" }),
        3..5 => json!({ "from": "generated", "kind": "noise", "size": 40, "grain": 20, "seed": 1 }),
        5 => json!({ "from": "generated", "kind": "roads", "size": 1, "grain": 10, "seed": 1 }),
        6 => generated(draw),
        _ => json!({ "from": "file", "name": "gone.map", "hash": "00" }),
    };
    let moves = ["four", "eight", "hex"][draw.below(3) as usize];
    json!({ "source": source, "moves": moves })
}

fn engine(draw: &mut Random) -> Value {
    let methods = portolan::registry::METHODS;
    let name = methods[draw.below(methods.len() as u64) as usize].name();
    match draw.below(3) {
        0 => json!({ "name": name }),
        1 => {
            json!({ "name": name, "memory": number(draw), "landmarks": number(draw), "cluster": number(draw) })
        }
        _ => json!({ "name": name, "landmarks": draw.below(9), "cluster": 4 + draw.below(9) }),
    }
}

/// A value for a field of this name, or of the type that a refusal expects.
fn value(draw: &mut Random, name: &str, expected: &str) -> Value {
    let types = ["f32", "f64", "u8", "u16", "u32", "u64", "usize", "i32", "i64"];
    match (name, expected) {
        ("map", _) => map(draw),
        ("engine", _) => engine(draw),
        ("engines", _) => json!([engine(draw), engine(draw)]),
        (_, "") => json!(number(draw)),
        (_, expected) if types.contains(&expected) => json!(number(draw)),
        (_, "a boolean") => json!(draw.chance(0.5)),
        (_, "a string") => json!("astar"),
        (_, expected) if expected.contains("of size 2") || expected.contains("of length 2") => {
            json!([number(draw), number(draw)])
        }
        (_, "a sequence") => {
            let length = draw.below(20);
            json!((0..length).map(|_| number(draw)).collect::<Vec<_>>())
        }
        _ => wild(draw),
    }
}

/// Makes a request that is understood, if its refusals say enough.
fn complete(draw: &mut Random, scene: &mut Scene, frame: &mut Frame) {
    let mut newest = String::new();
    for _ in 0..24 {
        let what = frame.header.to_string();
        let Some(refusal) = send(scene, &frame.clone().encode(), &what) else { return };
        let expected = refusal.split_once("expected ").map_or("", |(_, expected)| expected);
        if refusal.contains("missing field ") {
            newest = quoted(&refusal).next().unwrap_or("").to_owned();
            frame.header[&newest] = value(draw, &newest, "");
        } else if refusal.contains("lacks the part ") {
            let name = quoted(&refusal).next().unwrap_or("");
            let numbers = (0..draw.below(40)).map(|_| number(draw) as u32);
            let numbers: Vec<u32> = numbers.collect();
            let part: Part = match draw.chance(0.5) {
                true => numbers.into(),
                false => numbers.iter().map(|&number| number as u8).collect::<Vec<_>>().into(),
            };
            frame.parts.push((name.into(), part));
        } else if refusal.contains("unknown variant ") && !newest.is_empty() {
            let variants: Vec<_> = quoted(expected).collect();
            let variant = variants.get(draw.below(variants.len() as u64) as usize);
            frame.header[&newest] = json!(variant);
        } else if refusal.contains("invalid ") && !expected.is_empty() && !newest.is_empty() {
            let expected = expected.split(" at line").next().unwrap_or("");
            frame.header[&newest] = value(draw, &newest, expected);
        } else {
            return;
        }
    }
}

/// Names that may be fields. Those that have defaults are never missed by a refusal.
fn names() -> Vec<String> {
    let sources = sources();
    let mut names = BTreeSet::new();
    for (at, _) in sources.match_indices(": ") {
        let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        let name = sources[..at].rsplit(|letter| !is_part(letter)).next().unwrap_or("");
        if name.len() > 1 {
            names.insert(name.to_owned());
        }
    }
    names.into_iter().collect()
}

/// Changes something in the header, at any depth.
fn disturb(draw: &mut Random, value: &mut Value) {
    match value {
        // The header itself stays an object.
        Value::Object(fields) if fields.contains_key("topic") || draw.chance(0.9) => {
            let at = draw.below(fields.len() as u64) as usize;
            let name = fields.keys().nth(at).cloned().unwrap_or_default();
            if !name.is_empty() && name != "topic" && name != "do" {
                disturb(draw, &mut fields[&name]);
            }
        }
        Value::Array(items) if !items.is_empty() && draw.chance(0.7) => {
            let at = draw.below(items.len() as u64) as usize;
            disturb(draw, &mut items[at]);
        }
        value => *value = wild(draw),
    }
}

#[test]
fn scenes_survive_every_request() {
    let _alone = allocator::alone();
    let requests = requests();
    assert!(requests.len() > 3, "{requests:?}");
    let names = names();
    let mut draw = Random::new(1);
    let mut scene = scene();
    let mut understood = BTreeSet::new();
    for round in 0..ROUNDS {
        if round % 8 == 0 {
            scene = self::scene();
        }
        for (topic, ask) in &requests {
            let mut frame = Frame::new(json!({ "id": round, "topic": topic, "do": ask }));
            complete(&mut draw, &mut scene, &mut frame);
            if draw.chance(0.5) {
                let name = &names[draw.below(names.len() as u64) as usize];
                let other =
                    if draw.chance(0.5) { wild(&mut draw) } else { json!(number(&mut draw)) };
                if name != "topic" && name != "do" {
                    frame.header[name] = other;
                }
            }
            let what = frame.header.to_string();
            if send(&mut scene, &frame.clone().encode(), &what).is_none() {
                understood.insert((topic, ask));
            }
            disturb(&mut draw, &mut frame.header);
            let what = frame.header.to_string();
            send(&mut scene, &frame.clone().encode(), &what);
        }
    }
    let missed: Vec<_> =
        requests.iter().filter(|(topic, ask)| !understood.contains(&(topic, ask))).collect();
    println!(
        "{} of {} requests were answered; never: {missed:?}",
        understood.len(),
        requests.len()
    );
}

#[test]
fn scenes_survive_damaged_frames() {
    let _alone = allocator::alone();
    let mut draw = Random::new(2);
    let mut scene = scene();
    let file = b"type octile\nheight 2\nwidth 3\nmap\n...\n...\n".to_vec();
    let drop = Frame::new(json!({ "id": 1, "topic": "maps", "do": "drop", "name": "small.map" }))
        .with("file", file)
        .with("other", vec![1u32, 2, 3]);
    let whole = drop.encode();
    assert_eq!(send(&mut scene, &whole, "whole"), None);
    for round in 0..20_000u32 {
        let mut bytes = whole.clone();
        for _ in 0..=draw.below(4) {
            let at = draw.below(bytes.len() as u64) as usize;
            bytes[at] = match draw.below(3) {
                0 => draw.bits() as u8,
                1 => bytes[at] ^ (1 << draw.below(8)),
                _ => b"0129\"[]{},u"[draw.below(11) as usize],
            };
        }
        bytes.truncate(whole.len() - draw.below(3) as usize * draw.below(30) as usize);
        send(&mut scene, &bytes, &format!("round {round}: {bytes:?}"));
    }
}
