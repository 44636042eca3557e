//! `portolan reproduce`.

use std::path::Path;

use portolan_bench::experiments::{self, Experiment, circumstances};
use portolan_bench::report;
use portolan_bench::workload::files::{has_extension, read};

use crate::args::{ReproduceArgs, StudyArgs, TrialArgs};
use crate::error::Error;
use crate::output::Output;
use crate::{Outcome, files};

pub(crate) fn run(args: &ReproduceArgs, output: &mut Output) -> Result<Outcome, Error> {
    let (study, shared) = (&args.study, args.study.report());
    // Before the work, not after it.
    check_destination(&shared.output)?;
    check_maps(study)?;
    study.page().map_or(Ok(()), check_page)?;
    let load = circumstances::load();
    let stem = stem(study);
    let (options, bars) = (study.options(&stem), output.bars());
    let mut told = Ok(());
    let experiment = study.study().run(&options, &bars, &mut |line| {
        if told.is_ok() {
            told = writeln!(output, "{line}").and_then(|()| output.flush());
        }
    })?;
    told?;
    let experiment = experiment.finish(&options, study.command(), shared.date.clone(), load);
    write(&experiment, study, output)?;
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

/// What the names of drawings begin with, seen from the Markdown.
fn stem(study: &StudyArgs) -> String {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match study.page() {
        Some(page) => format!("{DRAWINGS}/{}", stem(page)),
        None => stem(&study.report().output),
    }
}

/// The folder of drawings beside a page.
const DRAWINGS: &str = "images";

/// A page must have a place for figures, and a folder for drawings beside it.
fn check_page(page: &Path) -> Result<(), Error> {
    let text = read(page)?;
    if report::places(&String::from_utf8_lossy(&text)).is_empty() {
        return Err(Error::NoPlaceForFigures { path: page.into() });
    }
    files::check_output(page, [])?;
    files::make_folder(&page.with_file_name(DRAWINGS))
}

fn write(experiment: &Experiment, study: &StudyArgs, output: &mut Output) -> Result<(), Error> {
    let Experiment { report, outcome, .. } = experiment;
    let path = &study.report().output;
    files::write(path, |out| out.write_all(report.to_html().as_bytes()))?;
    writeln!(output, "{}: {outcome}", path.display())?;
    let (beside, text, what) = match study.page() {
        Some(page) => {
            let text = read(page)?;
            let text = report.fill(&String::from_utf8_lossy(&text), &[experiments::ANSWERS]);
            (page.to_path_buf(), text, "the figures of this run")
        }
        None => (path.with_extension("md"), report.to_markdown(), "the same as Markdown"),
    };
    files::write(&beside, |out| out.write_all(text.as_bytes()))?;
    writeln!(output, "{}: {what}", beside.display())?;
    for (link, bytes) in report.linked() {
        let path = beside.with_file_name(link);
        files::write(&path, |out| out.write_all(&bytes))?;
        writeln!(output, "{}: a drawing for the Markdown", path.display())?;
    }
    Ok(())
}
