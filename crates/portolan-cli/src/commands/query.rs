//! `portolan query`.

use std::time::{Duration, Instant};

use portolan::engine::AnyEngine;
use portolan::{Cost, EndpointError, NodeId, RouteStatus};
use serde::Serialize;

use crate::Outcome;
use crate::args::{Place, QueryArgs};
use crate::engines;
use crate::error::Error;
use crate::load::Loaded;
use crate::measure::micros;
use crate::output::Output;
use crate::picture::{self, Searched, View};
use crate::text;

/// The answer, as JSON says it.
#[derive(Serialize)]
struct Report {
    map: String,
    engine: &'static str,
    from: Place,
    to: Place,
    found: bool,
    /// `complete` or `partial`.
    status: Option<&'static str>,
    cost: Option<Cost>,
    length: Option<f64>,
    steps: Option<usize>,
    expanded: u64,
    generated: u64,
    time_us: f64,
    path: Option<Vec<Place>>,
}

/// What the engine found.
struct Answer {
    cost: Cost,
    status: RouteStatus,
}

pub(crate) fn run(args: &QueryArgs, output: &mut Output) -> Result<Outcome, Error> {
    let method = engines::find(&args.engine)?;
    let loaded = Loaded::load(&args.map)?;
    if let Some(path) = &args.picture {
        picture::check(&loaded, path)?;
    }
    let from = loaded.free_node("--from", args.from)?;
    let to = match args.partial {
        true => loaded.node("--to", args.to)?,
        false => loaded.free_node("--to", args.to)?,
    };
    let engine = engines::build(method, &loaded)?;
    let mut path = Vec::new();
    let (answer, time) = ask(&*engine, (from, to), args.partial, &mut path)
        .map_err(|error| loaded.refused(&error))?;
    let searched = watch(&*engine, &loaded, from, path.last().copied().unwrap_or(to), args)?;
    if let Some(file) = &args.picture {
        let view = View { searched: &searched, path: &path, ends: (from, to) };
        picture::write(&loaded, &view, file)?;
    }
    let report = Report {
        map: loaded.path.display().to_string(),
        engine: method.name(),
        from: args.from,
        to: args.to,
        found: answer.is_some(),
        status: answer.as_ref().map(|answer| match answer.status {
            RouteStatus::Complete => "complete",
            RouteStatus::Partial => "partial",
        }),
        cost: answer.as_ref().map(|answer| answer.cost),
        length: answer.as_ref().map(|answer| loaded.map.length(answer.cost)),
        steps: answer.as_ref().map(|_| path.len().saturating_sub(1)),
        expanded: searched.counter.expanded,
        generated: searched.counter.generated,
        time_us: micros(&time),
        path: answer.as_ref().map(|_| path.iter().map(|&node| loaded.place(node)).collect()),
    };
    if args.json {
        output.json_line(&report)?;
    } else {
        report.tell(args, output)?;
    }
    Ok(Outcome::Done)
}

/// Asks three times, or once where that takes long, and keeps the best time; the path goes into the buffer.
fn ask(
    engine: &dyn AnyEngine,
    (from, to): (NodeId, NodeId),
    partial: bool,
    path: &mut Vec<NodeId>,
) -> Result<(Option<Answer>, Duration), EndpointError> {
    const ROUNDS: usize = 3;
    const LONG: Duration = Duration::from_millis(200);
    let mut query = engine.query();
    // Components are found once for a map, not for each query.
    query.map().may_reach(from, to);
    let mut best = Duration::MAX;
    let mut answer = None;
    for _ in 0..ROUNDS {
        path.clear();
        let start = Instant::now();
        let route = match partial {
            true => Some(query.run_toward(from, to)?),
            false => query.run(from, to)?,
        };
        if let Some(route) = route {
            route.nodes_into(path);
        }
        best = best.min(start.elapsed());
        answer = route.map(|route| Answer { cost: route.cost(), status: route.status() });
        if best > LONG {
            break;
        }
    }
    Ok((answer, best))
}

/// Asks once more, watched; where the path is partial, for the way to where it ends.
fn watch(
    engine: &dyn AnyEngine,
    loaded: &Loaded,
    from: NodeId,
    to: NodeId,
    args: &QueryArgs,
) -> Result<Searched, Error> {
    let nodes = if args.picture.is_some() { loaded.map.node_count() } else { 0 };
    let mut searched = Searched::new(nodes);
    engine.query().run_observed(from, to, &mut searched).map_err(|error| loaded.refused(&error))?;
    Ok(searched)
}

impl Report {
    fn tell(&self, args: &QueryArgs, output: &mut Output) -> Result<(), Error> {
        let Self { from, to, engine, .. } = self;
        match (self.length, self.steps, self.status) {
            (Some(length), Some(steps), status) => {
                let length = text::length(length);
                let end = self.path.as_ref().and_then(|path| path.last());
                match (status, end) {
                    (Some("partial"), Some(end)) => writeln!(
                        output,
                        "{from} cannot reach {to}; the nearest it can reach is {end}: length {length}, \
                         {} steps",
                        text::grouped(steps)
                    )?,
                    _ => writeln!(
                        output,
                        "{from} to {to}: length {length}, {} steps",
                        text::grouped(steps)
                    )?,
                }
            }
            _ => writeln!(output, "{from} to {to}: there is no path")?,
        }
        if let Some(cost) = self.cost {
            writeln!(output, "  cost       {}", text::grouped(cost))?;
        }
        writeln!(output, "  engine     {engine}, {}", text::micros(self.time_us))?;
        writeln!(
            output,
            "  searched   {} nodes expanded, {} generated",
            text::grouped(self.expanded),
            text::grouped(self.generated)
        )?;
        if let Some(picture) = &args.picture {
            writeln!(output, "  picture    {}", picture.display())?;
        }
        if let (true, Some(path)) = (args.path, &self.path) {
            for place in path {
                writeln!(output, "{place}")?;
            }
        }
        Ok(())
    }
}
