//! A benchmark on the present map, as `portolan bench` runs it: the same queries, the same check of
//! every answer, the same clocks. Figures are sent engine by engine.

mod chart;
#[cfg(test)]
mod tests;
mod watch;

use portolan::{METHODS, Map, Settings};
use portolan_bench::judge::Tally;
use portolan_bench::timing::{self, Figures};
use portolan_bench::workload::{Subject, Wanted, Workload};
use portolan_bench::{Error, engines};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Topic;
use crate::error::LabError;
use crate::maps::{MapChoice, check_count};
use crate::shelf::Limits;
use crate::task::{Reply, Task};
use chart::Charts;
use watch::Watch;

/// The most queries of a benchmark.
const MOST_QUERIES: u32 = 10_000;

#[derive(Debug, Default)]
pub(super) struct Compare;

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// All engines, with the reason where one does not support the map.
    Engines { map: MapChoice },
    /// Measures engines. Sends an [`Event`] for each.
    Run { map: MapChoice, engines: Vec<String>, plan: Plan },
}

/// What is asked of every engine.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Plan {
    queries: u32,
    seed: u64,
    /// The memory limit of an index in MiB.
    memory: u32,
}

/// An engine to choose.
#[derive(Debug, Serialize)]
struct Offered {
    name: &'static str,
    summary: &'static str,
    exact: bool,
    /// Why it does not support the map.
    unsupported: Option<String>,
}

/// What is sent while the benchmark runs.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    /// An engine has answered all queries.
    Measured { figures: Box<Figures>, wrong: usize, faults: Vec<String>, charts: Charts },
    /// An engine could not be built.
    LeftOut { engine: &'static str, reason: String },
}

impl Plan {
    fn settings(&self, limits: &Limits) -> Result<Settings, LabError> {
        let (queries, most) = (u64::from(self.queries), u64::from(MOST_QUERIES));
        check_count("the benchmark", queries, most, "queries")?;
        if queries == 0 {
            return Err(LabError::Failed("a benchmark needs at least one query".into()));
        }
        let memory_limit = u64::from(self.memory) << 20;
        check_count("the index", memory_limit >> 20, limits.most_index_bytes >> 20, "MiB")?;
        Ok(Settings { memory_limit: memory_limit.into(), seed: self.seed, ..Settings::default() })
    }
}

impl Topic for Compare {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        match ask {
            Ask::Engines { map } => {
                let offered = offered(&*task.shelf.map(&map, task)?);
                let most_memory = task.shelf.limits().most_index_bytes >> 20;
                Ok(Reply::new(json!({
                    "engines": offered,
                    "mostQueries": MOST_QUERIES,
                    "mostMemory": most_memory,
                })))
            }
            Ask::Run { map, engines, plan } => {
                let settings = plan.settings(task.shelf.limits())?;
                let map = task.shelf.map(&map, task)?;
                let subject = Subject { settings, ..Subject::new("map", (*map).clone()) };
                run(&subject, &engines, &plan, task).map_err(refused)
            }
        }
    }
}

fn offered(map: &Map) -> Vec<Offered> {
    let offer = |method: &&'static dyn portolan::registry::Method| Offered {
        name: method.name(),
        summary: method.summary(),
        exact: method.exact(),
        unsupported: method.supports(map, &Settings::default()).err().map(|why| why.reason),
    };
    METHODS.iter().map(offer).collect()
}

/// Measures engine after engine.
fn run(subject: &Subject, names: &[String], plan: &Plan, task: &Task<'_>) -> Result<Reply, Error> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let selection = engines::select_supported(&names, subject)?;
    let mut left_out = 0;
    for skipped in &selection.skipped {
        let reason = skipped.reason.clone();
        task.send(Reply::new(Event::LeftOut { engine: skipped.method, reason }));
        left_out += 1;
    }
    if selection.chosen.is_empty() {
        return Err(Error::NoEngine);
    }
    let steps = selection.chosen.len() + 1;
    let wanted = Wanted { random: Some(plan.queries), ..Wanted::default() };
    let workload = Workload::gather(subject, &wanted, &Watch::new(task, 0, steps))?;
    let mut measured: Vec<Figures> = Vec::new();
    let mut exact_answers: Option<Vec<_>> = None;
    let mut wrong = 0;
    for (&method, step) in selection.chosen.iter().zip(1..) {
        let watch = Watch::new(task, step, steps);
        match timing::measure(method, subject, &workload, &watch) {
            Err(error) if selection.does_without(&error) => {
                let (engine, reason) = (method.name(), error.without_engine());
                task.send(Reply::new(Event::LeftOut { engine, reason }));
                left_out += 1;
            }
            Err(error) => return Err(error),
            Ok(mut engine) => {
                if method.exact() {
                    let tally: &mut Tally = &mut engine.tally;
                    tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
                }
                let figures = Figures::new(method, &engine, &workload);
                wrong += engine.tally.faults.len();
                measured.push(figures.clone());
                task.send(Reply::new(Event::Measured {
                    figures: Box::new(figures),
                    wrong: engine.tally.faults.len(),
                    faults: engine.tally.first_faults(subject, &workload),
                    charts: Charts::of(&measured, subject.map.memory_bytes()),
                }));
            }
        }
    }
    let data = json!({ "measured": measured.len(), "leftOut": left_out, "wrong": wrong });
    Ok(Reply::new(data))
}

fn refused(error: Error) -> LabError {
    match error {
        Error::Cancelled => LabError::Cancelled,
        Error::Generate(error) => LabError::Generate(error),
        Error::NoEngine => LabError::Failed("choose an engine that supports this map".into()),
        error => LabError::Failed(error.to_string()),
    }
}
