//! `portolan reproduce`.

use std::path::Path;

use portolan_bench::experiments::{Experiment, circumstances};
use portolan_bench::workload::files::has_extension;

use crate::args::{ReproduceArgs, StudyArgs, TrialArgs};
use crate::error::Error;
use crate::output::Output;
use crate::{Outcome, files};

pub(crate) fn run(args: &ReproduceArgs, output: &mut Output) -> Result<Outcome, Error> {
    let (study, shared) = (&args.study, args.study.report());
    // Before the work, not after it.
    check_destination(&shared.output)?;
    check_maps(study)?;
    let load = circumstances::load();
    let stem = shared.output.file_stem().unwrap_or_default().to_string_lossy();
    let (options, bars) = (study.options(&stem), output.bars());
    let mut told = Ok(());
    let experiment = study.study().run(&options, &bars, &mut |line| {
        if told.is_ok() {
            told = writeln!(output, "{line}").and_then(|()| output.flush());
        }
    })?;
    told?;
    let experiment = experiment.finish(&options, study.command(), shared.date.clone(), load);
    write(&experiment, &shared.output, output)?;
    for fault in &experiment.faults {
        output.complain(format_args!("wrong: {fault}\n"));
    }
    Ok(if experiment.faults.is_empty() { Outcome::Done } else { Outcome::Wrong })
}

fn check_destination(path: &Path) -> Result<(), Error> {
    if !has_extension(path, "html") {
        return Err(Error::OutputKind { path: path.into(), what: "reports", extensions: ".html" });
    }
    files::check_output(path, [])
}

/// A folder must be named unless all maps are generated, and it must exist.
fn check_maps(study: &StudyArgs) -> Result<(), Error> {
    if let Some(maps) = study.folder().filter(|maps| !maps.is_dir()) {
        return Err(Error::NoFolder { path: maps.into(), generates: study.trial().is_some() });
    }
    let is_named =
        |trial: &TrialArgs| trial.folder().is_some() || trial.generated || trial.report.quick;
    if study.trial().is_none_or(is_named) { Ok(()) } else { Err(Error::NoMaps) }
}

fn write(experiment: &Experiment, path: &Path, output: &mut Output) -> Result<(), Error> {
    let Experiment { report, outcome, .. } = experiment;
    let beside = path.with_extension("md");
    files::write(path, |out| out.write_all(report.to_html().as_bytes()))?;
    files::write(&beside, |out| out.write_all(report.to_markdown().as_bytes()))?;
    writeln!(output, "{}: {outcome}", path.display())?;
    writeln!(output, "{}: the same as Markdown", beside.display())?;
    for (link, bytes) in report.linked() {
        let path = path.with_file_name(link);
        files::write(&path, |out| out.write_all(&bytes))?;
        writeln!(output, "{}: a drawing for the Markdown", path.display())?;
    }
    Ok(())
}
