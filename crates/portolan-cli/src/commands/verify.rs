//! `portolan verify`.

use portolan_bench::engines;
#[cfg(feature = "gpu")]
use portolan_bench::gpu;
use portolan_bench::judge::{self, Tally};
use portolan_bench::text::{self, grouped};
use portolan_bench::workload::{Subject, Workload};

use crate::args::VerifyArgs;
use crate::error::Error;
#[cfg(feature = "gpu")]
use crate::on_gpu::OnGpu;
use crate::output::Output;
use crate::{Outcome, introduction, load};

pub(crate) fn run(args: &VerifyArgs, output: &mut Output) -> Result<Outcome, Error> {
    let subject = load::load(&args.map)?;
    let selection = engines::select_for_batches(&args.workload.engines, &subject)?;
    #[cfg(feature = "gpu")]
    let on_gpu = OnGpu::open(&selection, &args.gpu)?;
    let workload = Workload::gather(&subject, &args.workload.wanted(), &output.bars())?;
    introduction::tell(&subject, &workload, output)?;
    let (mut wrong, mut all_wrong) = (workload.disputed.len(), true);
    let mut exact_answers: Option<Vec<_>> = None;
    let mut skipped = selection.skipped.iter().peekable();
    for &method in &selection.chosen {
        // Those that cannot serve the map stand where the list of all engines has them.
        while let Some(skipped) =
            skipped.next_if(|skipped| engines::rank(skipped.method) < engines::rank(method.name()))
        {
            writeln!(output, "  {:18} skipped: {}", skipped.method, skipped.reason)?;
        }
        let engine = match engines::build(method, &subject, &output.bars()) {
            Err(error) if selection.does_without(&error) => {
                writeln!(output, "  {:18} skipped: {}", method.name(), error.without_engine())?;
                continue;
            }
            built => built?,
        };
        let mut tally = judge::examine(&*engine, &subject, &workload, &output.bars());
        if method.exact() {
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        tell((method.name(), method.exact()), None, &tally, (&subject, &workload), output)?;
        wrong += tally.faults.len();
        all_wrong &= !tally.faults.is_empty();
    }
    #[cfg(feature = "gpu")]
    on_gpu.on_each(|gpu, method| {
        let engine = gpu::build(method, gpu, &subject)?;
        let mut tally = gpu::examine(&*engine, &workload.queries)?;
        if method.exact {
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        wrong += tally.faults.len();
        all_wrong &= !tally.faults.is_empty();
        let (name, form) = ((method.name, method.exact), engine.form_name());
        tell(name, form.as_deref(), &tally, (&subject, &workload), output)
    })?;
    for skipped in skipped {
        writeln!(output, "  {:18} skipped: {}", skipped.method, skipped.reason)?;
    }
    if all_wrong && !workload.by_reference {
        let engines = selection.chosen.len() + selection.on_gpu.len();
        let every = if engines > 1 { "every engine differs: " } else { "" };
        writeln!(output, "  {every}does {} belong to this map?", workload.source)?;
    }
    Ok(if wrong == 0 { Outcome::Done } else { Outcome::Wrong })
}

/// Prints the verdict on one engine, and what is wrong.
fn tell(
    (engine, exact): (&str, bool),
    form: Option<&str>,
    tally: &Tally,
    (subject, workload): (&Subject, &Workload),
    output: &mut Output,
) -> Result<(), Error> {
    let asked = workload.queries.len();
    let verdict = match (tally.faults.len(), exact) {
        (0, true) => format!("{} right and optimal", text::all(asked)),
        (0, false) => {
            let optimal = grouped(tally.optimal);
            let longer = tally.suboptimality().map_or(String::new(), |(mean, most)| {
                let [mean, most] = [mean, most].map(|share| share * 100.0);
                format!("; {mean:.2} % longer on average, {most:.2} % at most")
            });
            format!("{} legal, {optimal} of them optimal{longer}", text::all(asked))
        }
        (faults, _) => format!("{} of {} WRONG", grouped(faults), grouped(asked)),
    };
    let form = form.map_or(String::new(), |form| format!(" ({form})"));
    writeln!(output, "  {engine:18} {verdict}{form}")?;
    for fault in tally.first_faults(subject, workload) {
        writeln!(output, "    {fault}")?;
    }
    output.flush()
}
