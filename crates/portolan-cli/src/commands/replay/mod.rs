//! `portolan replay`.

mod script;

use std::hint::black_box;
use std::time::Instant;

use portolan::registry::Method;
use portolan::world::{Follow, Recipe, Snapshot, Standing, World, WorldError};
use portolan::{Changes, Map, NodeId, Query};
use serde::Serialize;

use crate::args::ReplayArgs;
use crate::check::{self, Answered, Faults};
use crate::error::Error;
use crate::measure::Times;
use crate::output::Output;
use crate::text::{self, grouped, rounded};
use crate::{Outcome, engines};
use script::{Script, Step};

/// What is printed for one engine; names and order are fixed.
#[derive(Serialize)]
struct Line {
    engine: &'static str,
    edits: usize,
    /// Null where there is no edit.
    edit_mean_us: Option<f64>,
    edit_p99_us: Option<f64>,
    queries: usize,
    query_mean_us: Option<f64>,
    query_p99_us: Option<f64>,
    wrong: usize,
}

pub(crate) fn run(args: &ReplayArgs, output: &mut Output) -> Result<Outcome, Error> {
    let script = Script::read(args)?;
    let selection = engines::select_for_edits(&args.engines, &script.loaded)?;
    if !args.json {
        let (edits, queries) = (script.edits(), script.queries);
        let edits = text::count(edits, "edit", "edits");
        let queries = text::count(queries, "query", "queries");
        writeln!(output, "{}: {edits}, {queries}", args.scen.display())?;
        writeln!(output, "  paths walked and compared with the lengths of the file")?;
        output.flush()?;
    }
    for reason in &script.invalid {
        output.complain(format_args!("invalid: {reason}\n"));
    }
    for skipped in &selection.skipped {
        output.complain(format_args!("note: {} skipped: {}\n", skipped.method, skipped.reason));
    }
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for &method in &selection.chosen {
        match Replayed::of(method, &script, args.advance, output) {
            Err(error) if selection.does_without(&error) => {
                engines::note_skipped(method, &error, output);
            }
            replayed => {
                let replayed = replayed?;
                lines.push(Line::new(method, &replayed));
                faults.extend(replayed.faults.lines(method.name()));
            }
        }
    }
    if args.json {
        output.json(&lines)?;
    } else {
        writeln!(output, "\n{}", table(&lines))?;
    }
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    Ok(if faults.is_empty() { Outcome::Done } else { Outcome::Wrong })
}

/// What one engine needed for the scenario.
#[derive(Default)]
struct Replayed {
    edits: Times,
    queries: Times,
    faults: Faults,
}

impl Replayed {
    /// Takes a world with this one engine through the scenario.
    fn of(
        method: &'static dyn Method,
        script: &Script,
        advance: bool,
        output: &Output,
    ) -> Result<Self, Error> {
        let loaded = &script.loaded;
        engines::takes_bounds(method, loaded).map_err(Error::Unsupported)?;
        let world = World::new(loaded.map.clone()).map_err(refused(method.name()))?;
        let recipe = Recipe::method(method, loaded.settings.clone());
        world.add_with(recipe, Follow::AtOnce).map_err(refused(method.name()))?;
        let bar = output.progress(method.name(), script.steps.len());
        let mut replayed = Self::default();
        let Map::Grid(mut grid) = loaded.map.clone() else { return Ok(replayed) };
        for (number, step) in script.steps.iter().enumerate() {
            let changes = script.stamp(&mut grid, step)?;
            let snapshot = replayed.edit(method, &world, &changes, advance)?;
            replayed.ask(method, &snapshot, (number, step), script)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(replayed)
    }

    /// Stamps that change nothing are no edit.
    fn edit(
        &mut self,
        method: &dyn Method,
        world: &World,
        changes: &Changes,
        advance: bool,
    ) -> Result<Snapshot, Error> {
        if changes.is_empty() {
            return Ok(world.snapshot());
        }
        let start = Instant::now();
        let edit = world.apply(changes).map_err(refused(method.name()))?;
        let snapshot = match advance {
            true => world.advance().snapshot,
            false => edit.snapshot().clone(),
        };
        self.edits.add(start.elapsed());
        Ok(snapshot)
    }

    /// Asks for the paths; nothing is looked at before all have been found.
    fn ask(
        &mut self,
        method: &dyn Method,
        snapshot: &Snapshot,
        (number, step): (usize, &Step),
        script: &Script,
    ) -> Result<(), Error> {
        // A* would stand in for it, under its name.
        let reason = match snapshot.standing(method.name()) {
            Some(Standing::Current(_)) => None,
            Some(Standing::Failed(error)) => Some(error.to_string()),
            _ => Some("it is not ready".into()),
        };
        if let Some(reason) = reason {
            return Err(Error::LeftBehind { engine: method.name(), edit: number, reason });
        }
        let mut answers: Vec<(Answered, Vec<NodeId>)> = Vec::with_capacity(step.queries.len());
        let mut asked: Option<Box<dyn Query + '_>> = None;
        for search in &step.queries {
            let mut path = Vec::new();
            let start = Instant::now();
            let query = match &mut asked {
                Some(query) => query,
                None => {
                    asked.insert(snapshot.query_by(method.name()).map_err(refused(method.name()))?)
                }
            };
            let answered = query.find(search.from, search.to).map(|route| {
                route.map(|route| {
                    route.nodes_into(&mut path);
                    route.cost()
                })
            });
            black_box(&path);
            self.queries.add(start.elapsed());
            answers.push((answered, path));
        }
        for (search, (answered, path)) in step.queries.iter().zip(&answers) {
            let answer = answered.clone().map(|cost| cost.map(|cost| (cost, path.as_slice())));
            let verdict = check::judge(snapshot.map(), search, method.exact(), answer);
            self.faults.note(&verdict, number, (&script.loaded, search));
        }
        Ok(())
    }
}

/// What a world refuses, as this program's error.
fn refused(engine: &'static str) -> impl Fn(WorldError) -> Error {
    move |error| match error {
        WorldError::Build(error) => engines::cannot_build(engine)(error),
        other => Error::Refused { reason: other.to_string() },
    }
}

impl Line {
    fn new(method: &dyn Method, replayed: &Replayed) -> Self {
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        Self {
            engine: method.name(),
            edits: replayed.edits.all().len(),
            edit_mean_us: micros(replayed.edits.mean()),
            edit_p99_us: micros(replayed.edits.quantile(0.99)),
            queries: replayed.queries.all().len(),
            query_mean_us: micros(replayed.queries.mean()),
            query_p99_us: micros(replayed.queries.quantile(0.99)),
            wrong: replayed.faults.len(),
        }
    }

    /// All edits and all queries.
    fn in_all(&self) -> f64 {
        self.edit_mean_us.unwrap_or(0.0) * self.edits as f64
            + self.query_mean_us.unwrap_or(0.0) * self.queries as f64
    }
}

fn table(lines: &[Line]) -> String {
    let headings = ["engine", "edit", "edit p99", "query", "query p99", "in all", "wrong"];
    let time = |time: Option<f64>| time.map_or("-".into(), text::micros);
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            vec![
                line.engine.to_owned(),
                time(line.edit_mean_us),
                time(line.edit_p99_us),
                time(line.query_mean_us),
                time(line.query_p99_us),
                text::micros(line.in_all()),
                grouped(line.wrong),
            ]
        })
        .collect();
    text::table(&headings, &rows)
}
