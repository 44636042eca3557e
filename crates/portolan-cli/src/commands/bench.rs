//! `portolan bench`.

use std::time::Instant;

use portolan_bench::engines::{self, Selection};
#[cfg(feature = "gpu")]
use portolan_bench::gpu;
use portolan_bench::text::{self, bytes, grouped};
use portolan_bench::timing::{self, micros};
use portolan_bench::workload::{Subject, Workload};
use serde::Serialize;

use crate::args::BenchArgs;
use crate::error::Error;
use crate::index::Index;
use crate::measuring::{self, Line};
#[cfg(feature = "gpu")]
use crate::on_gpu::{BatchFigures, OnGpu};
use crate::output::Output;
use crate::{Outcome, introduction, load};

/// What is printed for one engine.
#[derive(Serialize)]
#[serde(untagged)]
enum Figures {
    Queries(Box<timing::Figures>),
    #[cfg(feature = "gpu")]
    Batch(Box<BatchFigures>),
}

pub(crate) fn run(args: &BenchArgs, output: &mut Output) -> Result<Outcome, Error> {
    let subject = load::load(&args.map)?;
    let index = args.index.as_deref().map(Index::open).transpose()?;
    let selection = select(args, index.as_ref(), &subject)?;
    #[cfg(feature = "gpu")]
    let on_gpu = OnGpu::open(&selection, &args.gpu)?;
    let start = Instant::now();
    let opened = index.map(|index| index.engine(index.method()?, &subject)).transpose()?;
    let open_time = start.elapsed();
    let workload = Workload::gather(&subject, &args.workload.wanted(), &output.bars())?;
    if args.json {
        introduction::note(&workload, output);
    } else {
        introduction::tell(&subject, &workload, output)?;
    }
    measuring::show_skipped(&selection, args.json, output)?;
    if let Some(engine) = opened.as_ref().filter(|_| !args.json) {
        let time = text::micros(micros(&open_time));
        writeln!(output, "  {:18} opened in {time}", engine.name())?;
    }
    let mut exact_answers: Option<Vec<_>> = None;
    #[cfg_attr(not(feature = "gpu"), expect(unused_mut))]
    let mut measured = measuring::gather(&selection, output, |method, output| {
        let bars = output.bars();
        let mut measured = match opened.as_ref().filter(|engine| engine.name() == method.name()) {
            Some(engine) => timing::measure_opened(&**engine, &subject, &workload, &bars)?,
            None => timing::measure(method, &subject, &workload, &bars)?,
        };
        if method.exact() {
            let tally = &mut measured.tally;
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        let described = measured.tally.first_faults(&subject, &workload);
        let faults = described.into_iter().map(|fault| format!("{}: {fault}", method.name()));
        let figures = Box::new(timing::Figures::new(method, &measured, &workload));
        Ok((Figures::Queries(figures), faults.collect()))
    })?;
    #[cfg(feature = "gpu")]
    on_gpu.on_each(|gpu, method| {
        let mut batch = gpu::measure(method, gpu, (&subject, &workload), &output.bars())?;
        if method.exact {
            let tally = &mut batch.tally;
            tally.compare(exact_answers.get_or_insert_with(|| tally.answered.clone()));
        }
        let described = batch.tally.first_faults(&subject, &workload);
        let described = described.into_iter().map(|fault| format!("{}: {fault}", method.name));
        measured.faults.extend(described);
        let figures = BatchFigures::new((method, gpu), &batch, &workload);
        measured.lines.push(Figures::Batch(Box::new(figures)));
        Ok::<_, Error>(())
    })?;
    let outcome = measuring::print(&measured, args.json, output)?;
    Ok(if workload.disputed.is_empty() { outcome } else { Outcome::Wrong })
}

/// The engines that were named. That of the index must be one of them, and is the only one if none
/// was named.
fn select(args: &BenchArgs, index: Option<&Index>, subject: &Subject) -> Result<Selection, Error> {
    let names = &args.workload.engines;
    let Some(index) = index else { return Ok(engines::select_for_batches(names, subject)?) };
    let engine = index.method()?.name();
    if names.is_empty() {
        return Ok(engines::select(&[engine.to_owned()], subject)?);
    }
    let selection = engines::select_for_batches(names, subject)?;
    if selection.chosen.iter().all(|method| method.name() != engine) {
        let path = args.index.clone().unwrap_or_default();
        return Err(Error::IndexUnused { path, engine: engine.to_owned() });
    }
    Ok(selection)
}

impl Line for Figures {
    fn headings(&self) -> &'static [&'static str] {
        match self {
            Self::Queries(figures) => figures.headings(),
            #[cfg(feature = "gpu")]
            Self::Batch(figures) => figures.headings(),
        }
    }

    fn cells(&self) -> Vec<String> {
        match self {
            Self::Queries(figures) => figures.cells(),
            #[cfg(feature = "gpu")]
            Self::Batch(figures) => figures.cells(),
        }
    }
}

impl Line for timing::Figures {
    fn headings(&self) -> &'static [&'static str] {
        &[
            "engine",
            "build",
            "index",
            "mean",
            "median",
            "p99",
            "distance",
            "expanded",
            "generated",
            "optimal",
            "excess",
            "illegal",
        ]
    }

    fn cells(&self) -> Vec<String> {
        let count =
            |count: Option<f64>| count.map_or("-".into(), |count| grouped(count.round() as u64));
        let excess = self.suboptimality_mean;
        vec![
            self.engine.to_owned(),
            text::time(self.build_s.map(|seconds| seconds * 1e6)),
            bytes(self.index_bytes),
            text::time(self.mean_us),
            text::time(self.median_us),
            text::time(self.p99_us),
            text::time(self.distance_mean_us),
            count(self.expanded_mean),
            count(self.generated_mean),
            format!("{}/{}", grouped(self.optimal), grouped(self.queries)),
            excess.map_or("-".into(), |excess| format!("{:.2} %", excess * 100.0)),
            grouped(self.illegal),
        ]
    }
}
