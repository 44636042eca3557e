//! A search, step by step.

use std::time::Instant;

use portolan::registry::Method;
use portolan::{Cost, METHODS, Map, NodeId};
use serde::{Deserialize, Serialize};

use super::Topic;
use super::observed::{Trace, is_quick, time_of};
use crate::error::LabError;
use crate::maps::MapChoice;
use crate::shelf::EngineChoice;
use crate::task::{Reply, Task};

#[derive(Debug, Default)]
pub(super) struct Search;

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// All engines, and which of them this map supports.
    Engines { map: MapChoice },
    /// A path, the nodes that the search touched in their order, and what it took.
    Run {
        map: MapChoice,
        engine: EngineChoice,
        from: NodeId,
        to: NodeId,
        /// Whether the order has generated nodes too, as the part `events`; otherwise the part
        /// `order` has the expanded nodes.
        #[serde(default)]
        events: bool,
        /// Whether to time the search in a run of its own, which nobody observes. While something
        /// is dragged, the observed run is timed instead.
        #[serde(default = "yes")]
        measure: bool,
    },
}

fn yes() -> bool {
    true
}

/// An engine that the page offers.
#[derive(Debug, Serialize)]
struct Offered {
    name: &'static str,
    summary: &'static str,
    exact: bool,
    /// Why it cannot be built on this map, if so.
    unsupported: Option<String>,
    /// The settings of [`EngineChoice`] that it uses.
    settings: &'static [&'static str],
}

/// What a search found and took. Times are in microseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchAnswer {
    /// Absent if there is no path.
    cost: Option<Cost>,
    length: Option<f64>,
    /// The length of the path to the nearest node that can be reached, if the goal cannot.
    partial: Option<f64>,
    steps: usize,
    expanded: u64,
    generated: u64,
    micros: f64,
    /// Whether the time is that of a run that nobody observed.
    measured: bool,
    build_millis: f64,
    index_bytes: usize,
    form: Option<String>,
    exact: bool,
}

impl Topic for Search {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        match ask {
            Ask::Engines { map } => {
                let map = task.shelf.map(&map, task)?;
                let offered: Vec<Offered> =
                    METHODS.iter().map(|&method| offered(method, &map)).collect();
                Ok(Reply::new(offered))
            }
            Ask::Run { map, engine, from, to, events, measure } => {
                run((&map, &engine), (from, to), (events, measure), task)
            }
        }
    }
}

fn offered(method: &dyn Method, map: &Map) -> Offered {
    let unsupported = method.supports(map, &portolan::Settings::default()).err();
    let settings: &[_] = match method.name() {
        "dijkstra" | "astar" | "bidirectional" => &[],
        "differential" | "differential-stale" => &["landmarks", "memory"],
        "hpa" | "dhpa" | "shpa" => &["cluster", "memory"],
        _ => &["memory"],
    };
    Offered {
        name: method.name(),
        summary: method.summary(),
        exact: method.exact(),
        unsupported: unsupported.map(|unsupported| unsupported.reason),
        settings,
    }
}

fn run(
    (map, engine): (&MapChoice, &EngineChoice),
    (from, to): (NodeId, NodeId),
    (events, measure): (bool, bool),
    task: &Task<'_>,
) -> Result<Reply, LabError> {
    let map_choice = map;
    let map = task.shelf.map(map_choice, task)?;
    let built = task.shelf.engine((map_choice, &map), engine, task)?;
    let mut query = built.engine.query();
    let mut trace = if events { Trace::events() } else { Trace::expanded() };
    let mut path = Vec::new();
    let start = Instant::now();
    let found = query.find_observed(from, to, &mut trace)?.map(|route| {
        route.nodes_into(&mut path);
        (route.cost(), route.length())
    });
    let observed = start.elapsed();
    let mut partial = None;
    if found.is_none() {
        task.check()?;
        let route = query.find_toward(from, to)?;
        route.nodes_into(&mut path);
        partial = Some(route.length());
    }
    // Quick searches are timed well in any case.
    let measured = measure || is_quick(observed);
    let time = if measured { time_of(&mut *query, (from, to), task)? } else { observed };
    let data = SearchAnswer {
        cost: found.map(|(cost, _)| cost),
        length: found.map(|(_, length)| length),
        partial,
        steps: path.len().saturating_sub(1),
        expanded: trace.expanded,
        generated: trace.generated,
        micros: 1e6 * time.as_secs_f64(),
        measured,
        build_millis: 1e3 * built.build.as_secs_f64(),
        index_bytes: built.engine.memory_bytes(),
        form: built.engine.form().map(|form| form.to_string()),
        exact: built.engine.exact(),
    };
    let name = if events { "events" } else { "order" };
    Ok(Reply::new(data).with(name, trace.order).with("path", path))
}

#[cfg(test)]
mod tests {
    use portolan_testkit::reference::Reference;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{View, numbers};

    const DRAWING: &str =
        "........\n.######.\n.#....#.\n.#.##.#.\n.#.#..#.\n.#.####.\n.#......\n........";

    fn drawn() -> Map {
        DRAWING.parse::<portolan::Grid>().unwrap().into()
    }

    fn run(map: &Value, engine: &str, from: u32, to: u32) -> Value {
        json!({
            "id": 1, "topic": "search", "do": "run", "map": map, "engine": { "name": engine },
            "from": from, "to": to, "events": true,
        })
    }

    #[test]
    fn every_engine_answers_as_the_reference_does() {
        let mut view = View::new();
        let choice = view.drop_map(DRAWING);
        let (map, reference) = (drawn(), Reference::new(&drawn()));
        let engines = view.ask(json!({ "topic": "search", "do": "engines", "map": choice }));
        let engines = engines.header["data"].as_array().unwrap().clone();
        assert_eq!(engines.len(), METHODS.len());
        for engine in engines.iter().filter(|engine| engine["unsupported"].is_null()) {
            let name = engine["name"].as_str().unwrap();
            let is_exact = engine["exact"].as_bool().unwrap();
            for (from, to) in [(0, 63), (18, 0), (36, 7), (9 + 9, 18)] {
                let best = reference.distances(from)[to as usize].unwrap();
                let answer = view.ask(run(&choice, name, from, to));
                let data = &answer.header["data"];
                let cost = data["cost"].as_u64().unwrap();
                assert!(if is_exact { cost == best } else { cost >= best }, "{name}");
                assert_eq!(reference.walk(numbers(&answer, "path"), from, to), Ok(cost), "{name}");
                assert_eq!(data["length"].as_f64().unwrap(), map.length(cost as u32));
            }
        }
    }

    #[test]
    fn events_have_every_node_that_is_counted() {
        let mut view = View::new();
        let choice = view.drop_map(DRAWING);
        let answer = view.ask(run(&choice, "dijkstra", 0, 36));
        let generated: Vec<bool> = numbers(&answer, "events").iter().map(|e| e & 1 == 1).collect();
        let count = |kind| generated.iter().filter(|&&generated| generated == kind).count() as u64;
        let data = &answer.header["data"];
        assert_eq!(data["generated"].as_u64(), Some(count(true)));
        assert_eq!(data["expanded"].as_u64(), Some(count(false)));
        assert_eq!(numbers(&answer, "events").first(), Some(&1), "the start is generated first");
    }

    #[test]
    fn an_unreachable_goal_gets_the_path_to_the_nearest_cell() {
        let mut view = View::new();
        let choice = view.drop_map("...#..\n...#..\n...#..");
        let answer = view.ask(run(&choice, "astar", 0, 10));
        let data = &answer.header["data"];
        assert!(data["cost"].is_null() && data["length"].is_null());
        assert_eq!(numbers(&answer, "path").last(), Some(&8));
        assert!(data["partial"].as_f64().is_some_and(|length| length > 2.0));
    }

    #[test]
    fn bad_requests_are_refused() {
        let mut view = View::new();
        let choice = view.drop_map(DRAWING);
        view.refusal(run(&choice, "astar", 0, 64));
        view.refusal(run(&choice, "astar", 9, 0));
        assert!(view.refusal(run(&choice, "atlsa", 0, 1)).contains("atlas"));
        for (setting, value) in [("memory", 0), ("landmarks", 1 << 30), ("cluster", 1)] {
            let mut request = run(&choice, "differential", 0, 7);
            request["engine"][setting] = json!(value);
            assert!(view.refusal(request).contains("must be from"), "{setting}");
        }
        view.refusal(json!({ "topic": "search", "do": "run" }));
    }
}
