//! One query, step by step.

use std::time::{Duration, Instant};

use portolan::atlas::{ExplainedEnd, Meeting};
use portolan::engine::inspect::Inspect;
use portolan::{Cost, Engine, NodeId};
use serde::Serialize;

use super::atlas;
use crate::error::LabError;
use crate::task::{Reply, Task};
use crate::topics::observed::{Trace, is_quick, time_of};

/// What a query found and took.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Followed {
    /// Absent if there is no path.
    cost: Option<Cost>,
    length: Option<f64>,
    expanded: u64,
    generated: u64,
    micros: f64,
    plain: Option<Plain>,
    /// Of an atlas, unless a search answered.
    meeting: Option<Met>,
}

/// What plain A* took.
#[derive(Debug, Serialize)]
struct Plain {
    length: Option<f64>,
    expanded: u64,
    generated: u64,
    micros: f64,
}

/// How both halves of a path meet, and where.
#[derive(Debug, Serialize)]
struct Met {
    kind: &'static str,
    node: Option<NodeId>,
}

/// Follows a query, and compares it with plain A*.
pub(super) fn reply(
    engine: &dyn Inspect,
    plain: Option<&dyn Engine>,
    (from, to): (NodeId, NodeId),
    task: &Task<'_>,
) -> Result<Reply, LabError> {
    let traced = traced(engine, (from, to), Trace::events(), task)?;
    let waypoints = engine.waypoints(from, to)?.unwrap_or_default();
    let explained = match atlas(engine) {
        None => None,
        Some(atlas) => atlas.explain(from, to)?,
    };
    let plain =
        plain.map(|plain| self::traced(plain, (from, to), Trace::expanded(), task)).transpose()?;
    let data = Followed {
        cost: traced.found.map(|(cost, _)| cost),
        length: traced.found.map(|(_, length)| length),
        expanded: traced.trace.expanded,
        generated: traced.trace.generated,
        micros: 1e6 * traced.time.as_secs_f64(),
        plain: plain.as_ref().map(|plain| Plain {
            length: plain.found.map(|(_, length)| length),
            expanded: plain.trace.expanded,
            generated: plain.trace.generated,
            micros: 1e6 * plain.time.as_secs_f64(),
        }),
        meeting: explained.as_ref().map(|explained| met(explained.meeting)),
    };
    let [expanded, generated] = traced.trace.split();
    let mut reply = Reply::new(data)
        .with("path", traced.path)
        .with("expanded", expanded)
        .with("generated", generated)
        .with("plain", plain.map_or(Vec::new(), |plain| plain.trace.order))
        .with("waypoints", waypoints);
    if let Some(explained) = explained {
        for (end, ExplainedEnd { seen, joined, row, hops }) in
            [("start", explained.start), ("goal", explained.goal)]
        {
            let (hubs, costs): (Vec<NodeId>, Vec<Cost>) = row.into_iter().unzip();
            let seen: Vec<NodeId> = seen.into_iter().map(|(node, _)| node).collect();
            reply = reply
                .with(&format!("{end}Seen"), seen)
                .with(&format!("{end}Joined"), joined)
                .with(&format!("{end}Hubs"), hubs)
                .with(&format!("{end}Costs"), costs)
                .with(&format!("{end}Hops"), hops);
        }
    }
    Ok(reply)
}

fn met(meeting: Meeting) -> Met {
    match meeting {
        Meeting::Sight => Met { kind: "sight", node: None },
        Meeting::Bend(node) => Met { kind: "bend", node: Some(node) },
        Meeting::Hub(node) => Met { kind: "hub", node: Some(node) },
        _ => Met { kind: "local", node: None },
    }
}

/// An answer with what was observed, and its time: without an observer if it is quick.
struct Traced {
    found: Option<(Cost, f64)>,
    path: Vec<NodeId>,
    trace: Trace,
    time: Duration,
}

fn traced<E: Engine + ?Sized>(
    engine: &E,
    (from, to): (NodeId, NodeId),
    mut trace: Trace,
    task: &Task<'_>,
) -> Result<Traced, LabError> {
    task.check()?;
    let mut query = engine.query();
    let mut path = Vec::new();
    let start = Instant::now();
    let found = query.find_observed(from, to, &mut trace)?.map(|route| {
        route.nodes_into(&mut path);
        (route.cost(), route.length())
    });
    let observed = start.elapsed();
    let time = match is_quick(observed) {
        true => time_of(&mut *query, (from, to), task)?,
        false => observed,
    };
    Ok(Traced { found, path, trace, time })
}
