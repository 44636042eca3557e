//! A flow field on the map: what it costs, and whether it is right.

use std::time::{Duration, Instant};

use portolan::Map;
use portolan::crowd::FlowField;
use serde::Serialize;

use super::FIELD;
use crate::text::rounded;
use crate::timing::{Times, micros};
use crate::workload::edits::Step;
use crate::workload::{Subject, Workload};
use crate::{Bars, Error, judge};

/// What a field toward one goal needed; names and order are those of the JSON output.
#[derive(Debug, Serialize)]
pub struct Field {
    /// The time of the build.
    pub(crate) build_us: f64,
    /// What it takes in memory.
    pub(crate) memory_bytes: usize,
    /// The mean time of a repair after an edit.
    pub(crate) repair_mean_us: Option<f64>,
    /// Wrong answers, described.
    #[serde(skip)]
    pub faults: Vec<String>,
}

/// Builds the field toward the goal of the first query, compares it with the queries that share
/// this goal, and repairs it after the edits that its share of the time allows, at least one.
/// `None` if the map refuses it.
pub(super) fn measure(
    subject: &Subject,
    workload: &Workload,
    script: &[Step],
    share: Duration,
    bars: &dyn Bars,
) -> Result<Option<Field>, Error> {
    let Some(goal) = workload.queries.first().map(|query| query.to) else { return Ok(None) };
    let start = Instant::now();
    let Ok(mut field) = FlowField::new(&subject.map, &[goal]) else { return Ok(None) };
    let build = start.elapsed();
    let memory_bytes = field.memory_bytes();
    let (mut faults, mut path) = (Vec::new(), Vec::new());
    for query in workload.queries.iter().filter(|query| query.to == goal) {
        let answered = field.path_into(query.from, &mut path);
        let verdict = judge::judge(&subject.map, query, true, answered, &path);
        faults.extend(verdict.fault.map(|fault| fault.describe(subject, query)));
    }
    let (mut map, mut repairs) = (subject.map.clone(), Times::default());
    let bar = bars.bar(FIELD, script.len());
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

/// Whether a new field differs; there is none if an edit has blocked the goal.
fn differs(map: &Map, field: &FlowField) -> bool {
    FlowField::new(map, field.goals()).is_ok_and(|new| new != *field)
}
