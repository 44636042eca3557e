//! A flow field on the map: what it costs, and whether it is right.

use std::time::{Duration, Instant};

use portolan::Map;
use portolan::crowd::FlowField;
use serde::Serialize;

use super::advice::FIELD;
use crate::check;
use crate::commands::edit_bench::script::Step;
use crate::error::Error;
use crate::load::Loaded;
use crate::measure::{Times, micros};
use crate::output::Output;
use crate::text::rounded;
use crate::workload::Workload;

/// What a field toward one goal needed.
#[derive(Debug, Serialize)]
pub(super) struct Field {
    pub(super) build_us: f64,
    pub(super) memory_bytes: usize,
    /// The repair after an edit.
    pub(super) repair_mean_us: Option<f64>,
    #[serde(skip)]
    pub(super) faults: Vec<String>,
}

/// Makes the field toward the goal of the first query, compares it with the queries that share this
/// goal, and repairs it after every edit that its share of the time has room for, one at least;
/// `None` where the map refuses it.
pub(super) fn measure(
    loaded: &Loaded,
    workload: &Workload,
    script: &[Step],
    share: Duration,
    output: &Output,
) -> Result<Option<Field>, Error> {
    let Some(goal) = workload.queries.first().map(|query| query.to) else { return Ok(None) };
    let start = Instant::now();
    let Ok(mut field) = FlowField::new(&loaded.map, &[goal]) else { return Ok(None) };
    let build = start.elapsed();
    let memory_bytes = field.memory_bytes();
    let (mut faults, mut path) = (Vec::new(), Vec::new());
    for query in workload.queries.iter().filter(|query| query.to == goal) {
        let answer = field.path_into(query.from, &mut path);
        let answer = answer.map(|cost| cost.map(|cost| (cost, path.as_slice())));
        let verdict = check::judge(&loaded.map, query, true, answer);
        faults.extend(verdict.fault.map(|fault| fault.describe(loaded, query)));
    }
    let (mut map, mut repairs) = (loaded.map.clone(), Times::default());
    let bar = output.progress(FIELD, script.len());
    for step in script {
        if repairs.mean().is_some() && start.elapsed() >= share {
            break;
        }
        map.apply(&step.changes)?;
        let repair = Instant::now();
        field.repair(&map, &step.changes);
        repairs.add(repair.elapsed());
        bar.inc(1);
    }
    bar.finish_and_clear();
    faults.extend(
        differs(&map, &field).then(|| "a repaired flow field differs from a new one".to_owned()),
    );
    faults.iter_mut().for_each(|fault| fault.insert_str(0, "flow field: "));
    Ok(Some(Field {
        build_us: rounded(micros(&build), 3),
        memory_bytes,
        repair_mean_us: repairs.mean().map(|time| rounded(time, 3)),
        faults,
    }))
}

/// A goal that an edit has blocked cannot be asked for anew.
fn differs(map: &Map, field: &FlowField) -> bool {
    FlowField::new(map, field.goals()).is_ok_and(|new| new != *field)
}
