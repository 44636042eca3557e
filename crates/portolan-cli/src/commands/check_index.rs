//! `portolan check-index`.

use std::path::Path;
use std::time::Instant;

use portolan_bench::judge;
use portolan_bench::text::{self, grouped};
use portolan_bench::timing::micros;
use portolan_bench::workload::Workload;

use crate::args::CheckIndexArgs;
use crate::error::Error;
use crate::index::Index;
use crate::output::Output;
use crate::{Outcome, load};

/// How many paths are compared with Dijkstra's algorithm.
const SAMPLE: u32 = 100;

pub(crate) fn run(args: &CheckIndexArgs, output: &mut Output) -> Result<Outcome, Error> {
    let index = Index::open(&args.index)?;
    let file = &index.file;
    writeln!(output, "{}: an index of `{}`", args.index.display(), file.engine())?;
    writeln!(output, "  file       {}", text::exact_bytes(file.file_bytes()))?;
    index.verify()?;
    writeln!(
        output,
        "  checksums  all {} sections are as they were written",
        file.sections().len()
    )?;
    match &args.map {
        Some(map) => check_with_map(&index, map, args, output),
        None => {
            let fingerprint = file.fingerprint();
            writeln!(
                output,
                "  map        fingerprint {fingerprint}; give the map to try the index on it"
            )?;
            Ok(Outcome::Done)
        }
    }
}

/// Checks that it belongs to the map, is consistent, and answers as Dijkstra's algorithm does.
fn check_with_map(
    index: &Index,
    map: &Path,
    args: &CheckIndexArgs,
    output: &mut Output,
) -> Result<Outcome, Error> {
    let subject = load::read(map, &args.options)?.subject;
    let method = index.method()?;
    let start = Instant::now();
    let engine = index.engine(method, &subject)?;
    let opened = text::micros(micros(&start.elapsed()));
    writeln!(output, "  map        built for {}", map.display())?;
    if let Some(form) = engine.form() {
        writeln!(output, "  structure  {form}; opened in {opened}")?;
    }
    writeln!(output, "  memory     {} when opened", text::bytes(engine.memory_bytes()))?;
    if subject.map.usable_count() == 0 {
        writeln!(output, "  answers    none to check, since nothing is passable")?;
        return Ok(Outcome::Done);
    }
    let workload = Workload::random(&subject, SAMPLE, &output.bars())?;
    let tally = judge::examine(&*engine, &subject, &workload, &output.bars());
    let (asked, wrong) = (grouped(workload.queries.len()), tally.faults.len());
    if wrong == 0 {
        writeln!(output, "  answers    all of {asked} are right")?;
        return Ok(Outcome::Done);
    }
    writeln!(output, "  answers    {} of {asked} WRONG", grouped(wrong))?;
    for fault in tally.first_faults(&subject, &workload) {
        writeln!(output, "    {fault}")?;
    }
    Ok(Outcome::Wrong)
}
