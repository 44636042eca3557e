//! Engines of the GPU: whole batches are checked and timed, never single queries.
//!
//! A batch counts with its best time of several runs. Its answers are checked before any clock runs:
//! every path is walked and compared with what the workload expects, and every distance with its
//! path. Timed runs must give the same costs again.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use portolan::NodeId;
pub use portolan_gpu::{
    Adapter, Gpu, GpuEngine, GpuError, GpuMethod, GpuOptions, GpuPathAnswer, GpuPaths, METHODS,
    Timing, adapters, method,
};

use crate::judge::{Answered, Fault, Tally, Verdict, judge, judge_distance};
use crate::timing::ROUNDS;
use crate::workload::{Query, Subject, Workload};
use crate::{Bars, Error, parallel};

/// What one engine needed for one workload as a batch.
pub struct Measured {
    /// How long the build took, by the clock and for all threads together.
    pub build: (Duration, Duration),
    /// The form that the engine chose, see [`GpuEngine::form_name`].
    pub form: Option<String>,
    /// Bytes of the map and the index on the device.
    pub device_bytes: u64,
    /// The fastest run for all full paths.
    pub paths: Timing,
    /// The fastest run for all distances alone.
    pub distances: Timing,
    /// Whether the answers are right.
    pub tally: Tally,
}

/// Opens the fastest GPU, or the one that `PORTOLAN_GPU` names.
pub fn open() -> Result<Gpu, Error> {
    open_with(GpuOptions::default())
}

/// Opens a GPU with these options.
pub fn open_with(options: GpuOptions) -> Result<Gpu, Error> {
    Gpu::with_options(options).map_err(|error| Error::Gpu { engine: None, error })
}

/// Builds an engine on the map.
pub fn build(
    method: &GpuMethod,
    gpu: &Gpu,
    subject: &Subject,
) -> Result<Box<dyn GpuEngine>, Error> {
    method.build(gpu, &subject.map, &subject.settings).map_err(failed(method.name))
}

/// Turns an error of the GPU into one that names the engine.
pub fn failed(engine: &'static str) -> impl Fn(GpuError) -> Error {
    move |error| Error::Gpu { engine: Some(engine), error }
}

/// Asks an engine every query at once, for the paths and for the distances alone, without timing.
pub fn examine(engine: &dyn GpuEngine, queries: &[Query]) -> Result<Tally, Error> {
    let failed = failed(engine.name());
    let requests = requests(queries);
    let mut verdicts: Vec<Option<Verdict>> = Vec::new();
    verdicts.resize_with(requests.len(), || None);
    let visited = engine.visit_paths(&requests, &mut |round| {
        let answers: Vec<_> = round.iter().collect();
        let judged = parallel::map_in_order(&answers, Vec::new, |nodes, (at, answer)| {
            (*at, verdict(engine, &queries[*at], answer, nodes))
        });
        for (at, mut verdict) in judged {
            if let Some(earlier) = &verdicts[at] {
                let (first, later) = (earlier.answered.clone(), verdict.answered.clone());
                verdict.fault = Some(Fault::Unsteady { first, later });
            }
            verdicts[at] = Some(verdict);
        }
    });
    visited.map_err(&failed)?;
    let distances = engine.distances(&requests).map_err(&failed)?;
    let mut tally = Tally::default();
    for (at, verdict) in verdicts.into_iter().enumerate() {
        let mut verdict = verdict.unwrap_or(UNANSWERED);
        if verdict.fault.is_none() {
            verdict.fault = match distances.get(at) {
                None => Some(Fault::Unanswered),
                Some(distance) => judge_distance(engine.exact(), &verdict.answered, &distance),
            };
        }
        tally.add(verdict);
    }
    Ok(tally)
}

/// Judges the answers to a batch.
pub fn judge_paths(engine: &dyn GpuEngine, paths: &GpuPaths<'_>, queries: &[Query]) -> Tally {
    let numbered: Vec<(usize, &Query)> = queries.iter().enumerate().collect();
    let verdicts = parallel::map_in_order(&numbered, Vec::new, |nodes, &(at, query)| {
        paths.get(at).map_or(UNANSWERED, |answer| verdict(engine, query, &answer, nodes))
    });
    let mut tally = Tally::default();
    verdicts.into_iter().for_each(|verdict| tally.add(verdict));
    tally
}

const UNANSWERED: Verdict =
    Verdict { answered: Ok(None), optimal: false, excess: None, fault: Some(Fault::Unanswered) };

/// Walks the path of an answer, whose nodes replace the contents of a buffer.
fn verdict(
    engine: &dyn GpuEngine,
    query: &Query,
    answer: &GpuPathAnswer<'_>,
    nodes: &mut Vec<NodeId>,
) -> Verdict {
    nodes.clear();
    let answered = answer.clone().map(|path| {
        path.map(|path| {
            path.nodes_into(nodes);
            path.cost()
        })
    });
    judge(engine.map(), query, engine.exact(), answered, nodes)
}

/// Builds an engine, checks its answers to a workload, and times them.
pub fn measure(
    method: &GpuMethod,
    gpu: &Gpu,
    (subject, workload): (&Subject, &Workload),
    bars: &dyn Bars,
) -> Result<Measured, Error> {
    let bar = bars.bar(method.name, 2 + ROUNDS);
    let (start, cpu_start) = (Instant::now(), ProcessTime::now());
    let engine = build(method, gpu, subject)?;
    let build = (start.elapsed(), cpu_start.elapsed());
    bar.inc(1);
    let queries = &workload.queries;
    let mut tally = examine(&*engine, queries)?;
    bar.inc(1);
    let (mut paths, mut distances) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        paths.push(time_paths(&*engine, queries, &mut tally)?);
        distances.push(time_distances(&*engine, queries)?);
        bar.inc(1);
    }
    Ok(Measured {
        build,
        form: engine.form_name(),
        device_bytes: engine.memory_bytes(),
        paths: fastest(paths),
        distances: fastest(distances),
        tally,
    })
}

/// Times the paths of a whole batch. They must cost what those that were checked cost.
pub fn time_paths(
    engine: &dyn GpuEngine,
    queries: &[Query],
    tally: &mut Tally,
) -> Result<Timing, Error> {
    let requests = requests(queries);
    let paths = engine.find_all(&requests).map_err(failed(engine.name()))?;
    for (index, answer) in paths.iter().enumerate() {
        let later = answer.map(|path| path.map(|path| path.cost()));
        let first: &Answered = &tally.answered[index];
        if *first != later {
            let first = first.clone();
            tally.note(index, Fault::Unsteady { first, later });
        }
    }
    Ok(paths.timing())
}

fn time_distances(engine: &dyn GpuEngine, queries: &[Query]) -> Result<Timing, Error> {
    let mut costs = Vec::new();
    engine.distances_into(&requests(queries), &mut costs).map_err(failed(engine.name()))
}

/// The run that took the least time.
pub fn fastest(runs: impl IntoIterator<Item = Timing>) -> Timing {
    runs.into_iter().min_by_key(|timing| timing.total).unwrap_or_default()
}

/// The start and the goal of every query.
pub fn requests(queries: &[Query]) -> Vec<(NodeId, NodeId)> {
    queries.iter().map(|query| (query.from, query.to)).collect()
}

#[cfg(test)]
mod tests {
    use portolan::{Cost, Grid, Map};
    use portolan_gpu::{GpuRound, Request};

    use super::*;

    /// What is wrong with an engine.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Flaw {
        None,
        LeavesOutTheLast,
        AnswersTwice,
        FindsOtherDistances,
        SwapsEnds,
    }

    #[derive(Debug)]
    struct Flawed(Box<dyn GpuEngine>, Flaw);

    impl GpuEngine for Flawed {
        fn name(&self) -> &'static str {
            self.0.name()
        }

        fn exact(&self) -> bool {
            self.0.exact()
        }

        fn map(&self) -> &Map {
            self.0.map()
        }

        fn gpu(&self) -> &Gpu {
            self.0.gpu()
        }

        fn memory_bytes(&self) -> u64 {
            self.0.memory_bytes()
        }

        fn distances_into(
            &self,
            requests: &[Request],
            costs: &mut Vec<Cost>,
        ) -> Result<Timing, GpuError> {
            let timing = self.0.distances_into(requests, costs)?;
            if self.1 == Flaw::FindsOtherDistances {
                costs.iter_mut().for_each(|cost| *cost += 1);
            }
            Ok(timing)
        }

        fn visit_paths(
            &self,
            requests: &[Request],
            visit: &mut dyn FnMut(GpuRound<'_>),
        ) -> Result<Timing, GpuError> {
            match self.1 {
                Flaw::LeavesOutTheLast => {
                    self.0.visit_paths(&requests[..requests.len() - 1], visit)
                }
                Flaw::AnswersTwice => {
                    self.0.visit_paths(requests, visit)?;
                    self.0.visit_paths(requests, visit)
                }
                Flaw::SwapsEnds => {
                    let swapped: Vec<Request> = requests.iter().map(|&(a, b)| (b, a)).collect();
                    self.0.visit_paths(&swapped, visit)
                }
                Flaw::None | Flaw::FindsOtherDistances => self.0.visit_paths(requests, visit),
            }
        }
    }

    #[test]
    fn every_kind_of_wrong_batch_is_seen() {
        let subject = Subject::new("open", Grid::new(17, 17).unwrap());
        let workload = Workload::random(&subject, 20, &()).unwrap();
        let queries = &workload.queries;
        let gpu = open().unwrap();
        for (flaw, expected) in [
            (Flaw::None, None),
            (Flaw::LeavesOutTheLast, Some((1, "the batch has no answer"))),
            (Flaw::AnswersTwice, Some((20, "when asked again"))),
            (Flaw::FindsOtherDistances, Some((20, "the distance alone is"))),
            (Flaw::SwapsEnds, Some((20, "the path leads from"))),
        ] {
            let engine = build(method("gpu-astar").unwrap(), &gpu, &subject).unwrap();
            let tally = examine(&Flawed(engine, flaw), queries).unwrap();
            let faults = tally.first_faults(&subject, &workload);
            match expected {
                None => assert_eq!((tally.optimal, faults.len()), (20, 0), "{faults:?}"),
                Some((count, words)) => {
                    assert_eq!(tally.faults.len(), count, "{flaw:?}: {faults:?}");
                    assert!(faults[0].contains(words), "{flaw:?}: {faults:?}");
                }
            }
        }
    }
}
