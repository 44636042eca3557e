//! `portolan replay`.

use portolan::registry::Method;
use portolan_bench::engines;
use portolan_bench::text::{self, grouped, rounded};
use portolan_bench::timing::edits::{Replayed, replay};
use portolan_bench::workload::dynamic::Script;
use serde::Serialize;

use crate::Outcome;
use crate::args::{Memory, ReplayArgs};
use crate::error::Error;
use crate::measuring::{self, Line};
use crate::output::Output;

/// What is printed for one engine; names and order are fixed.
#[derive(Serialize)]
struct Figures {
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
    let mut script = Script::read(&args.scen)?;
    let subject = &mut script.subject;
    subject.settings.memory_limit = Memory::limit(args.memory, subject.map.node_count());
    subject.settings.seed = args.seed;
    subject.settings.threads = args.threads.into();
    let selection = engines::select_for_edits(&args.engines, subject)?;
    if !args.json {
        let edits = text::count(script.edits(), "edit", "edits");
        let queries = text::count(script.queries, "query", "queries");
        writeln!(output, "{}: {edits}, {queries}", args.scen.display())?;
        writeln!(output, "  paths walked and compared with the lengths of the file")?;
    }
    for reason in &script.invalid {
        output.complain(format_args!("invalid: {reason}\n"));
    }
    measuring::show_skipped(&selection, true, output)?;
    measuring::run(&selection, args.json, output, |method, output| {
        let replayed = replay(method, &script, args.advance, &output.bars())?;
        Ok((Figures::new(method, &replayed), replayed.faults.lines(method.name())))
    })
}

impl Figures {
    fn new(method: &dyn Method, replayed: &Replayed) -> Self {
        let micros = |time: Option<f64>| time.map(|time| rounded(time, 3));
        let queries = replayed.paths();
        Self {
            engine: method.name(),
            edits: replayed.edits.all().len(),
            edit_mean_us: micros(replayed.edits.mean()),
            edit_p99_us: micros(replayed.edits.quantile(0.99)),
            queries: queries.all().len(),
            query_mean_us: micros(queries.mean()),
            query_p99_us: micros(queries.quantile(0.99)),
            wrong: replayed.faults.count(),
        }
    }

    /// All edits and all queries.
    fn in_all(&self) -> f64 {
        self.edit_mean_us.unwrap_or(0.0) * self.edits as f64
            + self.query_mean_us.unwrap_or(0.0) * self.queries as f64
    }
}

impl Line for Figures {
    fn headings(&self) -> &'static [&'static str] {
        &["engine", "edit", "edit p99", "query", "query p99", "in all", "wrong"]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.engine.to_owned(),
            text::time(self.edit_mean_us),
            text::time(self.edit_p99_us),
            text::time(self.query_mean_us),
            text::time(self.query_p99_us),
            text::micros(self.in_all()),
            grouped(self.wrong),
        ]
    }
}
