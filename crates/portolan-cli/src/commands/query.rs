//! `portolan query`.

use std::time::{Duration, Instant};

use portolan::formats::Kind;
use portolan::{Cost, EndpointError, Engine, Map, NodeId, RouteStatus};
use serde::Serialize;

use crate::args::{Place, QueryArgs};
use crate::error::Error;
use crate::index::Index;
use crate::load::Loaded;
use crate::measure::micros;
use crate::output::Output;
use crate::picture::{self, Searched, View};
use crate::{Outcome, engines, files, text};

/// What answers where neither an engine nor an index is named.
const DEFAULT_ENGINE: &str = "astar";

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
        (None, None) => engines::find(DEFAULT_ENGINE)?,
    };
    let loaded = Loaded::load(&args.map)?;
    if let Some(path) = &args.picture {
        picture::check(&loaded, path)?;
    }
    let start = end_of(&loaded, "--from", 'S', args.from.or(loaded.marks.start))?;
    let goal = end_of(&loaded, "--to", 'T', args.to.or(loaded.marks.goal))?;
    let from = loaded.free_node("--from", start)?;
    let to = match args.partial {
        true => loaded.node("--to", goal)?,
        false => loaded.free_node("--to", goal)?,
    };
    let engine = match &index {
        Some(index) => index.engine(method, &loaded)?,
        None => engines::build_watched(method, &loaded, output)?,
    };
    let mut path = Vec::new();
    let (answer, time) = ask(&*engine, (from, to), args.partial, &mut path)
        .map_err(|error| loaded.refused(&error))?;
    let shortfall = match answer.as_ref().map(|answer| answer.status) {
        Some(RouteStatus::Partial) => Some(why_partial(&*engine, &loaded, from, to)?),
        _ => None,
    };
    let searched = watch(&*engine, &loaded, from, path.last().copied().unwrap_or(to), args)?;
    if let Some(file) = &args.picture {
        let view = View::of(&searched, &path, (from, to));
        picture::write(&loaded, &view, file)?;
    }
    let report = Report {
        map: loaded.path.display().to_string(),
        engine: method.name(),
        from: start,
        to: goal,
        found: answer.is_some(),
        status: answer.as_ref().map(|answer| match answer.status {
            RouteStatus::Complete => "complete",
            RouteStatus::Partial => "partial",
        }),
        cost: answer.as_ref().map(|answer| answer.cost),
        length: answer.as_ref().map(|answer| text::rounded(loaded.map.length(answer.cost), 8)),
        steps: answer.as_ref().map(|_| path.len().saturating_sub(1)),
        expanded: searched.counter.expanded,
        generated: searched.counter.generated,
        time_us: text::rounded(micros(&time), 3),
        path: answer.as_ref().map(|_| path.iter().map(|&node| loaded.place(node)).collect()),
        shortfall,
    };
    if args.json {
        output.json_line(&report)?;
    } else {
        report.tell(args, output)?;
    }
    Ok(Outcome::Done)
}

/// An end of the path; where it was neither given nor marked, says how to give it.
fn end_of(
    loaded: &Loaded,
    option: &'static str,
    mark: char,
    place: Option<Place>,
) -> Result<Place, Error> {
    place.ok_or_else(|| {
        let wanted = if matches!(loaded.map, Map::Grid(_)) { "cell" } else { "node" };
        let mark = (loaded.kind == Kind::Drawing).then_some(mark);
        Error::NoPlace { option, mark, wanted }
    })
}

/// Why the goal itself was not reached. Where a graph does not say where its nodes lie, nothing is
/// near the goal and a partial path is none at all.
fn why_partial(
    engine: &dyn Engine,
    loaded: &Loaded,
    from: NodeId,
    to: NodeId,
) -> Result<String, Error> {
    let (start, goal) = (loaded.place(from), loaded.place(to));
    let has_places = match &loaded.map {
        Map::Grid(_) => true,
        Map::Graph(graph) => graph.coordinates().is_some(),
    };
    match engine.query().distance(from, to) {
        Err(error) if !has_places => Err(loaded.refused(&error)),
        Err(error) => Ok(loaded.refusal(&error)),
        Ok(_) if !has_places => Err(loaded.without_coordinates(format!(
            "nothing is known to lie near {goal}, which {start} cannot reach"
        ))),
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
    loaded: &Loaded,
    from: NodeId,
    to: NodeId,
    args: &QueryArgs,
) -> Result<Searched, Error> {
    let nodes = if args.picture.is_some() { loaded.map.node_count() } else { 0 };
    let mut searched = Searched::new(nodes);
    engine
        .query()
        .find_observed(from, to, &mut searched)
        .map_err(|error| loaded.refused(&error))?;
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
