//! `portolan recommend`.
//!
//! [`candidates`] measures within the time given, [`crowd`] a flow field beside them, [`advice`]
//! draws the conclusions from the figures alone.

mod advice;
mod candidates;
mod crowd;

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::args::RecommendArgs;
use crate::commands::edit_bench::script::{self, Step, Where};
use crate::error::Error;
use crate::load::Loaded;
use crate::output::Output;
use crate::text::{self, bytes, grouped};
use crate::workload::Workload;
use crate::{Outcome, engines};
use advice::Advice;
use candidates::{Candidates, Figures};
use crowd::Field;

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

/// An engine that was not measured.
#[derive(Debug, Serialize)]
struct LeftOut {
    engine: &'static str,
    reason: String,
}

pub(crate) fn run(args: &RecommendArgs, output: &mut Output) -> Result<Outcome, Error> {
    let start = Instant::now();
    let loaded = Loaded::load(&args.map)?;
    let searches = searches(args.seconds, loaded.map.usable_count());
    let workload = Workload::gather_few(&loaded, &args.workload, searches, output)?;
    let script = match script::draw(&loaded, searches, Where::OnPaths, output) {
        Err(Error::NothingToEdit { .. }) => Vec::new(),
        script => script?,
    };
    let deadline = start + Duration::from_secs_f64(args.seconds);
    let share = Duration::from_secs_f64(0.1 * args.seconds);
    let field = crowd::measure(&loaded, &workload, &script, share, output)?;
    let measured = candidates::measure(args, &loaded, &workload, &script, deadline, output)?;
    let nodes = loaded.map.usable_count();
    let advice = advice::advise(&measured.figures, field.as_ref(), nodes);
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        output.json(&Report {
            queries: workload.queries.len(),
            edits: script.len(),
            seconds: text::rounded(seconds, 3),
            engines: &measured.figures,
            left_out: &measured.left_out,
            flow_field: field.as_ref(),
            advice: &advice,
        })?;
    } else {
        tell(&loaded, &workload, &script, seconds, output)?;
        show(&measured, output)?;
        recommend(&loaded, (&measured, &advice), args, output)?;
    }
    let field_faults = field.iter().flat_map(|field| &field.faults);
    let faults: Vec<&String> = measured.faults.iter().chain(field_faults).collect();
    for fault in &faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    let all_right = faults.is_empty() && workload.disputed.is_empty();
    Ok(if all_right { Outcome::Done } else { Outcome::Wrong })
}

/// How many reference searches there are for queries, and how many for edits: about a tenth of the
/// time on one core each. They depend on the size of the map, not on the clock, so that the
/// workload is the same everywhere.
fn searches(seconds: f64, nodes: usize) -> usize {
    const NODES_PER_SECOND: f64 = 1.5e6;
    ((seconds * NODES_PER_SECOND / nodes.max(1) as f64) as usize).clamp(2, 40)
}

fn tell(
    loaded: &Loaded,
    workload: &Workload,
    script: &[Step],
    seconds: f64,
    output: &mut Output,
) -> Result<(), Error> {
    let (map, nodes) = (loaded.path.display(), grouped(loaded.map.usable_count()));
    let queries = text::count(workload.queries.len(), "query", "queries");
    let edits = text::count(script.len(), "edit", "edits");
    let what = if loaded.word() == "grid" { "passable cells" } else { "nodes" };
    writeln!(output, "{map}: {nodes} {what}; measured {seconds:.1} s")?;
    writeln!(output, "  {queries} ({}), {edits} in the middle of paths", workload.source)?;
    writeln!(output, "  every path walked; costs compared with reference answers\n")
}

/// The figures, and what is not among them.
fn show(measured: &Candidates, output: &mut Output) -> Result<(), Error> {
    let headings = ["engine", "build", "memory", "path", "edit", "then", "longer", "checked"];
    let time = |time: Option<f64>| time.map_or("-".into(), text::micros);
    let rows: Vec<Vec<String>> = measured
        .figures
        .iter()
        .map(|figures| {
            let checked = match figures.wrong {
                0 => grouped(figures.queries + figures.edit_queries),
                wrong => format!("{} WRONG", grouped(wrong)),
            };
            vec![
                figures.engine.to_owned(),
                text::micros(figures.build_us),
                bytes(figures.memory_bytes),
                time(figures.path_median_us),
                time(figures.edit_mean_us),
                time(figures.first_mean_us),
                longer(figures),
                checked,
            ]
        })
        .collect();
    write!(output, "{}", text::table(&headings, &rows))?;
    writeln!(
        output,
        "  path: median; edit: mean; then: mean of the first path after an edit; longer: than the\n  \
         shortest, mean; checked: paths"
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
fn recommend(
    loaded: &Loaded,
    (measured, advice): (&Candidates, &[Advice]),
    args: &RecommendArgs,
    output: &mut Output,
) -> Result<(), Error> {
    let Some(first) = advice.iter().find(|advice| advice.choice != advice::FIELD) else {
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
    let map = text::shell_word(&loaded.path.display().to_string());
    let ends = if loaded.word() == "grid" { "--from X,Y --to X,Y" } else { "--from A --to B" };
    writeln!(output, "\nWith the same map options:")?;
    if advice::is_storable(first.choice, &loaded.settings) {
        let index = text::shell_word(&loaded.path.with_extension("index").display().to_string());
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
            writeln!(output, "  {}", advice::in_rust(choice))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_maps_are_asked_more_than_large_ones() {
        assert_eq!(searches(5.0, 100), 40);
        assert_eq!(searches(5.0, 500_000), 15);
        assert_eq!(searches(5.0, 100_000_000), 2);
        assert_eq!(searches(0.1, 0), 40);
    }
}
