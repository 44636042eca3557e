//! `portolan recommend`.

use std::time::Instant;

use portolan_bench::engines;
use portolan_bench::recommend::{
    Advice, Candidates, FIELD, Field, Figures, LeftOut, Recommendation, in_rust, is_storable,
    recommend,
};
use portolan_bench::report::Table;
use portolan_bench::text::{self, bytes, grouped};
use portolan_bench::workload::Subject;
use serde::Serialize;

use crate::args::RecommendArgs;
use crate::error::Error;
use crate::output::Output;
use crate::{Outcome, load};

/// What is printed as JSON; names and order are fixed.
#[derive(Serialize)]
struct Report<'a> {
    queries: usize,
    edits: usize,
    seconds: f64,
    engines: &'a [Figures],
    left_out: &'a [LeftOut],
    flow_field: Option<&'a Field>,
    advice: &'a [Advice],
}

pub(crate) fn run(args: &RecommendArgs, output: &mut Output) -> Result<Outcome, Error> {
    let start = Instant::now();
    let subject = load::load(&args.map)?;
    let request = (&args.workload.wanted(), &args.workload.engines[..]);
    let recommended = recommend(&subject, request, (start, args.seconds), &output.bars())?;
    let Recommendation { workload, edits, candidates, field, advice, seconds } = &recommended;
    if args.json {
        output.json(&Report {
            queries: workload.queries.len(),
            edits: *edits,
            seconds: text::rounded(*seconds, 3),
            engines: &candidates.figures,
            left_out: &candidates.left_out,
            flow_field: field.as_ref(),
            advice,
        })?;
    } else {
        tell(&subject, &recommended, output)?;
        show(candidates, output)?;
        conclude(&subject, (candidates, advice), args, output)?;
    }
    let field_faults = field.iter().flat_map(|field| &field.faults);
    let faults: Vec<&String> = candidates.faults.iter().chain(field_faults).collect();
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    let all_right = faults.is_empty() && workload.disputed.is_empty();
    Ok(if all_right { Outcome::Done } else { Outcome::Wrong })
}

fn tell(subject: &Subject, recommended: &Recommendation, output: &mut Output) -> Result<(), Error> {
    let Recommendation { workload, edits, seconds, .. } = recommended;
    let (map, nodes) = (subject.path.display(), grouped(subject.map.usable_count()));
    let queries = text::count(workload.queries.len(), "query", "queries");
    let edits = text::count(*edits, "edit", "edits");
    let what = if subject.word() == "grid" { "passable cells" } else { "nodes" };
    writeln!(output, "{map}: {nodes} {what}; measured {seconds:.1} s")?;
    writeln!(output, "  {queries} ({}), {edits} in the middle of paths", workload.source)?;
    writeln!(output, "  every path walked; costs compared with reference answers\n")
}

/// The figures, and what is not among them.
fn show(measured: &Candidates, output: &mut Output) -> Result<(), Error> {
    let headings =
        ["engine", "build", "memory", "path", "edit", "then", "later", "longer", "checked"];
    let mut table = Table::new(headings);
    for figures in &measured.figures {
        let checked = match figures.wrong {
            0 => grouped(figures.queries + figures.edit_queries),
            wrong => format!("{} WRONG", grouped(wrong)),
        };
        table.row([
            figures.engine.to_owned(),
            text::micros(figures.build_us),
            bytes(figures.memory_bytes),
            text::time(figures.path_median_us),
            text::time(figures.edit_mean_us),
            text::time(figures.first_mean_us),
            text::time(figures.later_mean_us),
            longer(figures),
            checked,
        ]);
    }
    write!(output, "{}", table.to_text())?;
    writeln!(
        output,
        "  path: median; edit, then, later: means of an edit, of the first path after it and of the\n  \
         next ones; longer: than the shortest, mean; checked: paths"
    )?;
    for LeftOut { engine, reason } in &measured.left_out {
        writeln!(output, "  {engine} left out: {reason}")?;
    }
    writeln!(output)
}

fn longer(figures: &Figures) -> String {
    match figures.longer_mean {
        _ if figures.exact => "exact".into(),
        Some(share) => format!("{:.1} %", 100.0 * share),
        None => "-".into(),
    }
}

/// The conclusions, and how to follow the first.
fn conclude(
    subject: &Subject,
    (measured, advice): (&Candidates, &[Advice]),
    args: &RecommendArgs,
    output: &mut Output,
) -> Result<(), Error> {
    let Some(first) = advice.iter().find(|advice| advice.choice != FIELD) else {
        let seconds = (4.0 * args.seconds).ceil();
        writeln!(output, "No engine was built in time; try --seconds {seconds}.")?;
        return Ok(());
    };
    // Without the most probable choice among them, the best of the others is no advice yet.
    match measured.cancelled.contains(&engines::BEST) {
        true => {
            writeln!(output, "Of the engines that were built in time, use `{}`.", first.choice)?
        }
        false => writeln!(output, "Use `{}`.", first.choice)?,
    }
    if !measured.cancelled.is_empty() {
        let (cancelled, more) = (measured.cancelled.join(", "), (4.0 * args.seconds).ceil());
        writeln!(
            output,
            "Not built in time: {cancelled}. --seconds {more} may change the advice."
        )?;
    }
    writeln!(output)?;
    for Advice { task, choice, because } in advice {
        writeln!(output, "  {task:23}  {choice:12}  {because}")?;
    }
    let program = output.program();
    let map = text::shell_word(&subject.path.display().to_string());
    let ends = if subject.word() == "grid" { "--from X,Y --to X,Y" } else { "--from A --to B" };
    writeln!(output, "\nWith the same map options:")?;
    if is_storable(first.choice, &subject.settings) {
        let index = text::shell_word(&subject.path.with_extension("index").display().to_string());
        writeln!(output, "  {program} build {map} --engine {} -o {index}", first.choice)?;
        writeln!(output, "  {program} query {map} --index {index} {ends}")?;
    } else {
        writeln!(output, "  {program} query {map} --engine {} {ends}", first.choice)?;
    }
    let mut choices: Vec<&str> = advice.iter().map(|advice| advice.choice).collect();
    choices.sort_by_key(|&choice| choice != first.choice);
    writeln!(output, "In Rust:")?;
    for (index, choice) in choices.iter().enumerate() {
        if !choices[..index].contains(choice) {
            writeln!(output, "  {}", in_rust(choice))?;
        }
    }
    Ok(())
}
