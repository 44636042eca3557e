//! `portolan query`.

use std::path::Path;
use std::time::{Duration, Instant};

use portolan::formats::MapFormat;
use portolan::{Cost, EndpointError, Engine, Map, NodeId, RouteStatus};
use portolan_bench::picture::{self, Format, Searched, View};
use portolan_bench::timing::micros;
use portolan_bench::workload::{Place, Subject};
use portolan_bench::{engines, text};
use serde::Serialize;

use crate::args::QueryArgs;
use crate::error::Error;
use crate::index::Index;
use crate::load::{self, Loaded};
use crate::output::Output;
use crate::{Outcome, files};

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
    /// Why a path is partial.
    #[serde(skip)]
    shortfall: Option<String>,
}

/// What the engine found.
struct Answer {
    cost: Cost,
    status: RouteStatus,
}

pub(crate) fn run(args: &QueryArgs, output: &mut Output) -> Result<Outcome, Error> {
    if let Some(path) = &args.picture {
        files::check_output(path, args.map.files().chain(args.index.as_deref()))?;
    }
    let named = args.engine.as_deref().map(engines::find).transpose()?;
    let index = args.index.as_deref().map(Index::open).transpose()?;
    let method = match (named, &index) {
        (Some(method), _) => method,
        (None, Some(index)) => index.method()?,
        (None, None) => engines::find(engines::PLAIN)?,
    };
    let loaded = load::read(&args.map.map, &args.map.options)?;
    let format =
        args.picture.as_deref().map(|path| format_of(path, &loaded.subject)).transpose()?;
    let start = end_of(&loaded, "--from", 'S', args.from.or(loaded.start))?;
    let goal = end_of(&loaded, "--to", 'T', args.to.or(loaded.goal))?;
    let subject = &loaded.subject;
    let from = load::free_node(subject, "--from", start)?;
    let to = match args.partial {
        true => load::node(subject, "--to", goal)?,
        false => load::free_node(subject, "--to", goal)?,
    };
    let engine = match &index {
        Some(index) => index.engine(method, subject)?,
        None => engines::build(method, subject, &output.bars())?,
    };
    let mut path = Vec::new();
    let (answer, time) = ask(&*engine, (from, to), args.partial, &mut path)
        .map_err(|error| subject.refused(&error))?;
    let shortfall = match answer.as_ref().map(|answer| answer.status) {
        Some(RouteStatus::Partial) => Some(why_partial(&*engine, subject, from, to)?),
        _ => None,
    };
    let searched = watch(&*engine, subject, from, path.last().copied().unwrap_or(to), args)?;
    if let (Some(file), Some(format)) = (&args.picture, format) {
        let view = View::of(&searched, &path, (from, to));
        let bytes = picture::draw(&subject.map, &view, format)?;
        files::write(file, |out| out.write_all(&bytes))?;
    }
    let report = Report {
        map: subject.path.display().to_string(),
        engine: method.name(),
        from: start,
        to: goal,
        found: answer.is_some(),
        status: answer.as_ref().map(|answer| match answer.status {
            RouteStatus::Complete => "complete",
            RouteStatus::Partial => "partial",
        }),
        cost: answer.as_ref().map(|answer| answer.cost),
        length: answer.as_ref().map(|answer| text::rounded(subject.map.length(answer.cost), 8)),
        steps: answer.as_ref().map(|_| path.len().saturating_sub(1)),
        expanded: searched.counter.expanded,
        generated: searched.counter.generated,
        time_us: text::rounded(micros(&time), 3),
        path: answer.as_ref().map(|_| path.iter().map(|&node| subject.place(node)).collect()),
        shortfall,
    };
    if args.json {
        output.json_line(&report)?;
    } else {
        report.tell(args, output)?;
    }
    Ok(Outcome::Done)
}

/// The format of the picture, if it can be drawn.
fn format_of(path: &Path, subject: &Subject) -> Result<Format, Error> {
    let kind =
        || Error::OutputKind { path: path.into(), what: "pictures", extensions: ".png or .svg" };
    let format = Format::of(path).ok_or_else(kind)?;
    picture::check(subject)?;
    Ok(format)
}

/// An end of the path; where it was neither given nor marked, says how to give it.
fn end_of(
    loaded: &Loaded,
    option: &'static str,
    mark: char,
    place: Option<Place>,
) -> Result<Place, Error> {
    place.ok_or_else(|| {
        let wanted = if matches!(loaded.subject.map, Map::Grid(_)) { "cell" } else { "node" };
        let mark = (loaded.kind == MapFormat::Drawing).then_some(mark);
        Error::NoPlace { option, mark, wanted }
    })
}

/// Why the goal was not reached. On a graph without coordinates nothing is near the goal, so there
/// is no partial path either.
fn why_partial(
    engine: &dyn Engine,
    subject: &Subject,
    from: NodeId,
    to: NodeId,
) -> Result<String, Error> {
    let (start, goal) = (subject.place(from), subject.place(to));
    let has_places = match &subject.map {
        Map::Grid(_) => true,
        Map::Graph(graph) => graph.coordinates().is_some(),
    };
    match engine.query().distance(from, to) {
        Err(error) if !has_places => Err(subject.refused(&error).into()),
        Err(error) => Ok(subject.refusal(&error)),
        Ok(_) if !has_places => Err(subject
            .without_coordinates(format!(
                "nothing is known to lie near {goal}, which {start} cannot reach"
            ))
            .into()),
        Ok(_) => Ok(format!("{start} cannot reach {goal}")),
    }
}

/// Asks three times, or once where that takes long, and keeps the best time; the path goes into the
/// buffer.
fn ask(
    engine: &dyn Engine,
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
            true => Some(query.find_toward(from, to)?),
            false => query.find(from, to)?,
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
    engine: &dyn Engine,
    subject: &Subject,
    from: NodeId,
    to: NodeId,
    args: &QueryArgs,
) -> Result<Searched, Error> {
    let nodes = if args.picture.is_some() { subject.map.node_count() } else { 0 };
    let mut searched = Searched::new(nodes);
    engine
        .query()
        .find_observed(from, to, &mut searched)
        .map_err(|error| subject.refused(&error))?;
    Ok(searched)
}

impl Report {
    fn tell(&self, args: &QueryArgs, output: &mut Output) -> Result<(), Error> {
        let Self { from, to, engine, .. } = self;
        let end = self.path.as_ref().and_then(|path| path.last());
        match (self.length, self.steps, &self.shortfall, end) {
            (Some(length), Some(steps), shortfall, Some(end)) => {
                let length = text::length(length);
                let steps = text::count(steps, "step", "steps");
                match shortfall {
                    Some(why) => writeln!(
                        output,
                        "{why}; the nearest place within reach is {end}: length {length}, {steps}"
                    )?,
                    None => writeln!(output, "{from} to {to}: length {length}, {steps}")?,
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
            "  searched   {} expanded, {} generated",
            text::count(self.expanded, "node", "nodes"),
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
