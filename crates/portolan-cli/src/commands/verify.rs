//! `portolan verify`.

use crate::Outcome;
use crate::args::VerifyArgs;
use crate::check;
use crate::engines::{self, Selection};
use crate::error::Error;
use crate::load::Loaded;
use crate::output::Output;
use crate::text::grouped;
use crate::workload::{Source, Workload};

pub(crate) fn run(args: &VerifyArgs, output: &mut Output) -> Result<Outcome, Error> {
    let loaded = Loaded::load(&args.map)?;
    let selection = engines::select(&args.workload.engines, &loaded)?;
    let workload = Workload::gather(&loaded, &args.workload, output)?;
    introduce(&loaded, &workload, &selection, output)?;
    let (mut wrong, mut all_wrong) = (0, true);
    let mut exact_costs: Option<Vec<_>> = None;
    for &method in &selection.chosen {
        let engine = engines::build(method, &loaded)?;
        let mut tally = check::examine(&*engine, &loaded, &workload, output);
        if method.exact() {
            tally.compare(exact_costs.get_or_insert_with(|| tally.costs.clone()));
        }
        let asked = workload.queries.len();
        let verdict = match (tally.faults.len(), method.exact()) {
            (0, true) => format!("all {} right and optimal", grouped(asked)),
            (0, false) => {
                let optimal = grouped(tally.optimal);
                format!("all {} legal, {optimal} of them optimal", grouped(asked))
            }
            (faults, _) => format!("{} of {} WRONG", grouped(faults), grouped(asked)),
        };
        writeln!(output, "  {:18} {verdict}", method.name())?;
        for fault in tally.first_faults(&loaded, &workload) {
            writeln!(output, "    {fault}")?;
        }
        wrong += tally.faults.len();
        all_wrong &= !tally.faults.is_empty();
        output.flush()?;
    }
    if all_wrong && !workload.by_dijkstra {
        writeln!(output, "  every engine differs: does {} belong to this map?", workload.source)?;
    }
    Ok(if wrong == 0 { Outcome::Done } else { Outcome::Wrong })
}

/// Says what is asked, what cannot be, and what the answers are held against.
pub(crate) fn introduce(
    loaded: &Loaded,
    workload: &Workload,
    selection: &Selection,
    output: &mut Output,
) -> Result<(), Error> {
    const NAMED: usize = 3;
    writeln!(
        output,
        "{}: {} queries ({})",
        loaded.path.display(),
        grouped(workload.queries.len()),
        workload.source
    )?;
    if workload.by_dijkstra {
        let why = match workload.source {
            Source::File(_) => ", since scenario lengths do not hold under these map options",
            Source::Random { .. } => "",
        };
        writeln!(output, "  lengths compared with Dijkstra's algorithm{why}")?;
    }
    let invalid = workload.invalid.len();
    if invalid > 0 {
        writeln!(output, "  {} invalid, not asked:", grouped(invalid))?;
        for description in workload.invalid.iter().take(NAMED) {
            writeln!(output, "    {description}")?;
        }
        if invalid > NAMED {
            writeln!(output, "    and {} more", grouped(invalid - NAMED))?;
        }
    }
    for skipped in &selection.skipped {
        writeln!(output, "  {:18} skipped: {}", skipped.method, skipped.reason)?;
    }
    output.flush()
}
