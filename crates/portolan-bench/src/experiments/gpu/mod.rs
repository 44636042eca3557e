//! `portolan reproduce gpu`: the experiments of "A* Algorithm for Graphics Processors" (Inam,
//! Cederman and Tsigas 2010), and batches beyond those of the paper.
//!
//! Every engine answers each batch as a whole, and so does its counterpart on all cores of the CPU.
//! The paper has curves without figures, so that only their shapes and their order can be compared.

mod batches;
mod maps;
mod paper;
mod write_up;

use std::path::Path;

use portolan::Settings;

use self::batches::{Curve, curve};
use super::trial::Trial;
use super::{Experiment, Options, Steps};
use crate::engines::{self, PLAIN};
use crate::gpu::{self, Gpu, METHODS};
use crate::workload::Subject;
use crate::{Bars, Error};

/// The schemes of the paper, in its order.
const ASTAR: &str = "gpu-astar";
const PRECALCULATED: &str = "gpu-precalculated";
const COOPERATIVE: &str = "gpu-cooperative";
const HIERARCHICAL: &str = "gpu-hierarchical";

/// The engine whose costs stand for those that the reference does not find in large batches.
const FAST_AND_EXACT: &str = "atlas";

/// How many agents of a large batch are compared with the reference.
const BY_REFERENCE: usize = 200;

/// How large the experiments are.
struct Plan<'a> {
    folder: Option<&'a Path>,
    quick: bool,
    seed: u64,
    /// Batches on the maps of Figures 6 to 9.
    agents: Vec<usize>,
    /// Batches beyond the paper.
    many: Vec<usize>,
    /// How many of the maps of Table 1 are used.
    benchmarks: usize,
    /// The size of the maps of Figures 6 to 10.
    size: (u32, u32),
}

/// All that was measured.
struct Results {
    /// Figure 5: the first three schemes on each map of Table 1.
    all_pairs: Vec<OnMap>,
    /// Figures 6 to 10: standard A* first, then the hierarchy with each cluster size.
    large: Vec<OnMap>,
    /// Beyond the paper: every engine.
    many: Vec<OnMap>,
}

/// The curves of several engines on one map.
struct OnMap {
    name: String,
    subject: Subject,
    /// The agents of the largest batch.
    agents: usize,
    curves: Vec<Curve>,
}

pub(super) fn run(
    options: &Options,
    bars: &dyn Bars,
    tell: &mut dyn FnMut(String),
) -> Result<Experiment, Error> {
    let plan = Plan::new(options);
    let gpu = gpu::open()?;
    tell(format!("on {}", gpu.name()));
    if plan.folder.is_none() && options.maps.is_some() {
        tell("a quick run uses small generated maps only, none of the folder".to_owned());
    }
    let results = Results {
        all_pairs: plan.all_pairs(&gpu, bars, tell)?,
        large: plan.large(&gpu, bars, tell)?,
        many: plan.many(&gpu, bars, tell)?,
    };
    let curves: Vec<&Curve> = results.maps().flat_map(|on_map| &on_map.curves).collect();
    Ok(Experiment {
        report: write_up::report(&plan, &gpu, &results, options.stem),
        outcome: write_up::headline(&results),
        checked: curves.iter().map(|curve| curve.checked).sum(),
        held_against: format!(
            "its cost compared with Dijkstra's algorithm; in batches beyond the paper's, {BY_REFERENCE} \
             on each map were, and the others compared with {FAST_AND_EXACT} on the CPU"
        ),
        faults: curves.iter().flat_map(|curve| curve.faults.iter().cloned()).collect(),
    })
}

impl<'a> Plan<'a> {
    fn new(options: &Options<'a>) -> Self {
        let Options { maps: folder, quick, seed, .. } = *options;
        let most = options.queries.map_or(usize::MAX, |queries| queries as usize);
        let up_to = |sizes: Vec<usize>| {
            let fitting: Vec<usize> = sizes.iter().copied().filter(|&size| size <= most).collect();
            if fitting.is_empty() { vec![most.min(sizes[0])] } else { fitting }
        };
        match quick {
            true => Self {
                folder: None,
                quick,
                seed,
                agents: vec![20, 40],
                many: vec![100],
                benchmarks: 2,
                size: (40, 30),
            },
            false => Self {
                folder,
                quick,
                seed,
                agents: up_to((200..=1600).step_by(200).collect()),
                many: up_to(vec![1_000, 10_000, 100_000, 1_000_000]),
                benchmarks: paper::BENCHMARKS.len(),
                size: paper::SIZE,
            },
        }
    }

    /// Paths from every walkable node to every one, itself included.
    fn all_pairs(
        &self,
        gpu: &Gpu,
        bars: &dyn Bars,
        tell: &mut dyn FnMut(String),
    ) -> Result<Vec<OnMap>, Error> {
        let schemes = [ASTAR, PRECALCULATED, COOPERATIVE].map(|name| (name, None));
        let steps = Steps::new(self.benchmarks * schemes.len(), bars);
        let benchmarks = paper::BENCHMARKS.iter().take(self.benchmarks);
        benchmarks
            .map(|benchmark| {
                let subject = self.configured(maps::benchmark(benchmark, self.seed)?);
                let trial = maps::all_pairs(subject);
                let batches = [trial.count()];
                self.on_map(gpu, benchmark.0, trial, (&schemes, &batches), (&steps, tell))
            })
            .collect()
    }

    /// Standard A* and the hierarchy on large maps.
    fn large(
        &self,
        gpu: &Gpu,
        bars: &dyn Bars,
        tell: &mut dyn FnMut(String),
    ) -> Result<Vec<OnMap>, Error> {
        let sizes = paper::CLUSTERS.iter().map(|&(size, ..)| (HIERARCHICAL, Some(size)));
        let schemes: Vec<_> = [(ASTAR, None)].into_iter().chain(sizes).collect();
        let maps = maps::large(self.size, self.seed)?;
        let steps = Steps::new(maps.len() * schemes.len(), bars);
        let most = self.agents.iter().copied().max().unwrap_or(0);
        maps.into_iter()
            .map(|(name, subject)| {
                let subject = self.configured(subject);
                let exact = engines::build_named(PLAIN, &subject)?;
                let trial = Trial::sample(subject, most, most, self.seed, &*exact)?;
                self.on_map(gpu, name, trial, (&schemes, &self.agents), (&steps, tell))
            })
            .collect()
    }

    /// Every engine, with more agents than the paper has, and on real maps.
    fn many(
        &self,
        gpu: &Gpu,
        bars: &dyn Bars,
        tell: &mut dyn FnMut(String),
    ) -> Result<Vec<OnMap>, Error> {
        let mut maps = maps::large(self.size, self.seed)?;
        // The map with obstacles and much walkable area.
        maps.truncate(2);
        maps.remove(0);
        maps.extend(maps::real(self.folder)?);
        let schemes: Vec<_> = METHODS
            .iter()
            .map(|method| (method.name, (method.name == HIERARCHICAL).then_some(paper::BEST_SIZE)))
            .collect();
        let steps = Steps::new(maps.len() * schemes.len(), bars);
        let most = self.many.iter().copied().max().unwrap_or(0);
        maps.into_iter()
            .map(|(name, subject)| {
                let subject = self.configured(subject);
                let exact = engines::build_named(FAST_AND_EXACT, &subject)?;
                let trial = Trial::sample(subject, most, BY_REFERENCE, self.seed, &*exact)?;
                self.on_map(gpu, name, trial, (&schemes, &self.many), (&steps, tell))
            })
            .collect()
    }

    fn on_map(
        &self,
        gpu: &Gpu,
        name: impl Into<String>,
        trial: Trial,
        (schemes, batches): (&[(&'static str, Option<u32>)], &[usize]),
        (steps, tell): (&Steps<'_>, &mut dyn FnMut(String)),
    ) -> Result<OnMap, Error> {
        let (name, mut curves) = (name.into(), Vec::new());
        for &(engine, cluster) in schemes {
            steps.next(format!("{name}: {engine}"));
            let curve = curve(gpu, (&trial, &curves), (engine, cluster), batches)?;
            tell(format!("{name}, {}", curve.line()));
            curves.push(curve);
        }
        Ok(OnMap { name, agents: trial.count(), subject: trial.subject, curves })
    }

    fn configured(&self, subject: Subject) -> Subject {
        // Indexes may be as large as the device allows.
        let settings =
            Settings { seed: self.seed, memory_limit: u64::MAX.into(), ..Settings::default() };
        Subject { settings, ..subject }
    }
}

impl Results {
    fn maps(&self) -> impl Iterator<Item = &OnMap> {
        self.all_pairs.iter().chain(&self.large).chain(&self.many)
    }
}

impl OnMap {
    /// The curve of an engine, with this cluster size if it has any.
    fn curve(&self, engine: &str, cluster: Option<u32>) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.engine == engine && curve.cluster == cluster)
    }
}
