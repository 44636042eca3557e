//! `portolan reproduce growth`: what more nodes cost `atlas`.
//!
//! On each network the engines are built, queried and dropped one after the other, so that only one
//! index is in memory at a time. Builds are judged by the processor's time: the clock's is measured
//! too, and their ratio shows how busy the machine was.

mod fit;
mod write_up;

use std::time::Instant;

use cpu_time::ProcessTime;
use portolan::generate::Roads;
use portolan::{Engine, Settings};

use self::write_up::{headline, report};
use super::trial::{Spread, Trial};
use super::{Experiment, Options};
use crate::text::grouped;
use crate::timing::{Times, measure_opened};
use crate::workload::{Subject, maps};
use crate::{Bars, Error, engines};

/// The engines, in the order of tables. The second gives the costs that the reference does not.
const ENGINES: [&str; 2] = ["atlas", "atlas-climb"];
const MEMORY_LIMIT: u64 = 8 << 30;
/// The nodes of the smallest network.
const SMALLEST: u32 = 50_000;

/// How large the experiment is.
struct Plan {
    quick: bool,
    seed: u64,
    /// Nodes of the networks.
    sizes: Vec<u32>,
    searches: usize,
    /// How many of the searches on each network the reference answers.
    by_reference: usize,
}

/// What was measured of one engine on one network. Seconds, and means of all searches.
struct Run {
    engine: &'static str,
    nodes: f64,
    /// The processor's time of the build.
    build_cpu: f64,
    /// The clock's time of the build.
    build: f64,
    bytes: f64,
    /// The form that the engine chose.
    form: String,
    distance: f64,
    path: f64,
    /// Steps of a path.
    steps: f64,
    faults: Vec<String>,
}

/// An engine and what its build took.
struct Built {
    engine: Box<dyn Engine>,
    cpu: f64,
    seconds: f64,
}

pub(super) fn run(
    options: &Options,
    bars: &dyn Bars,
    tell: &mut dyn FnMut(String),
) -> Result<Experiment, Error> {
    let plan = Plan::new(options);
    let mut runs = Vec::new();
    for &nodes in &plan.sizes {
        for run in run_on(nodes, &plan, bars)? {
            tell(run.line());
            runs.push(run);
        }
    }
    let report = report(&plan, &runs, options.stem);
    let faults: Vec<String> = runs.iter().flat_map(|run| run.faults.iter().cloned()).collect();
    let held_against = format!(
        "its cost is that of the other engine; {} on each network were compared with Dijkstra's algorithm",
        plan.by_reference
    );
    Ok(Experiment {
        report,
        outcome: headline(&runs),
        checked: runs.len() * plan.searches,
        held_against,
        faults,
    })
}

impl Plan {
    fn new(options: &Options) -> Self {
        let Options { quick, seed, .. } = *options;
        match quick {
            true => {
                Self { quick, seed, sizes: vec![500, 1000, 2000], searches: 50, by_reference: 5 }
            }
            false => {
                let sizes = sizes(options.largest);
                Self { quick, seed, sizes, searches: 1000, by_reference: 20 }
            }
        }
    }
}

impl Run {
    /// The run in a line, shown while the experiment runs.
    fn line(&self) -> String {
        format!(
            "{} nodes, {}: built in {:.2} s ({:.2} s of a core), {:.1} MB, a distance in {:.2} µs, a path in {:.2} µs",
            grouped(self.nodes as u64),
            self.engine,
            self.build,
            self.build_cpu,
            self.bytes / 1e6,
            self.distance * 1e6,
            self.path * 1e6
        )
    }
}

/// Sizes in steps of 1, 2 and 5, up to the largest.
fn sizes(largest: u32) -> Vec<u32> {
    let decades = (0..).map(|decade| 10u64.pow(decade));
    let all = decades.flat_map(|unit| [unit, 2 * unit, 5 * unit]);
    let fitting = all.take_while(|&size| size <= u64::from(largest)).map(|size| size as u32);
    fitting.filter(|&size| size >= SMALLEST).collect()
}

/// A run of each engine, in their order.
fn run_on(nodes: u32, plan: &Plan, bars: &dyn Bars) -> Result<[Run; 2], Error> {
    let mut subject = maps::roads(&Roads { nodes, seed: plan.seed, ..Roads::default() })?;
    subject.settings = Settings {
        memory_limit: MEMORY_LIMIT.into(),
        seed: plan.seed,
        threads: 1,
        ..Settings::default()
    };
    let climb = build(ENGINES[1], &subject, bars)?;
    let trial =
        Trial::sample(subject, plan.searches, plan.by_reference, plan.seed, &*climb.engine)?;
    let climb = climb.measured(ENGINES[1], &trial, bars)?;
    let labels = build(ENGINES[0], &trial.subject, bars)?;
    Ok([labels.measured(ENGINES[0], &trial, bars)?, climb])
}

fn build(name: &str, subject: &Subject, bars: &dyn Bars) -> Result<Built, Error> {
    let method = engines::find(name)?;
    let (start, cpu_start) = (Instant::now(), ProcessTime::now());
    let engine = engines::build(method, subject, bars)?;
    let cpu = cpu_start.elapsed().as_secs_f64();
    Ok(Built { engine, cpu, seconds: start.elapsed().as_secs_f64() })
}

impl Built {
    fn measured(self, name: &'static str, trial: &Trial, bars: &dyn Bars) -> Result<Run, Error> {
        let measured = measure_opened(&*self.engine, &trial.subject, &trial.workload, bars)?;
        let mean = |times: &Times| Spread::of(times.all()).mean;
        // What comes after the comma differs from size to size.
        let form = measured.form.as_deref().and_then(|form| form.split(',').next());
        Ok(Run {
            engine: name,
            nodes: trial.subject.map.usable_count() as f64,
            build_cpu: self.cpu,
            build: self.seconds,
            bytes: measured.index_bytes as f64,
            form: form.unwrap_or_default().to_owned(),
            distance: mean(&measured.distances),
            path: mean(&measured.paths),
            steps: mean_steps(&*self.engine, trial),
            faults: trial.faults(name, &measured.tally),
        })
    }
}

fn mean_steps(engine: &dyn Engine, trial: &Trial) -> f64 {
    let mut query = engine.query();
    let steps = trial.workload.queries.iter().map(|search| {
        let route = query.find(search.from, search.to).ok().flatten();
        route.map_or(0, |route| route.nodes().len() - 1)
    });
    steps.sum::<usize>() as f64 / trial.count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_go_up_by_one_two_and_five() {
        assert_eq!(sizes(100_000), [50_000, 100_000]);
        assert_eq!(sizes(2_000_000), [50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000]);
        assert_eq!(sizes(499_999).last(), Some(&200_000));
    }
}
