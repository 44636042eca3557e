//! Figure 6: how fast searches are, and how much longer their paths, by the length of the shortest
//! path.

use portolan::{Engine, Map};

use super::super::Steps;
use super::super::trial::{Draw, Trial};
use super::{CLUSTER, HIERARCHIES, Plan};
use crate::workload::Subject;
use crate::{Error, engines};

/// Lengths from one multiple of this to below the next make a bucket.
const BUCKET: f64 = 10.0;

/// What was measured of all searches.
pub(super) struct Searches {
    /// By the length of the shortest path, ten cells each.
    pub(super) buckets: Vec<Bucket>,
    /// Those between two clusters that touch, with paths of at most three times a cluster's side.
    pub(super) neighbours: Bucket,
    /// Bytes that each hierarchy takes on all maps.
    pub(super) bytes: [usize; 3],
    pub(super) checked: usize,
    pub(super) faults: Vec<String>,
}

/// Sums over the searches of a bucket.
#[derive(Clone, Default)]
pub(super) struct Bucket {
    pub(super) count: usize,
    /// Seconds of each hierarchy.
    pub(super) seconds: [f64; 3],
    /// By how much the paths of each are longer than the shortest, as a share of it.
    excess: [f64; 3],
    /// Lengths of the paths of each.
    lengths: [f64; 3],
}

impl Bucket {
    fn add(&mut self, optimum: f64, found: &[(f64, f64); 3]) {
        self.count += 1;
        for (at, &(seconds, length)) in found.iter().enumerate() {
            self.seconds[at] += seconds;
            self.excess[at] += length / optimum - 1.0;
            self.lengths[at] += length;
        }
    }

    /// How many times as fast as HPA* a hierarchy is.
    pub(super) fn speed(&self, engine: usize) -> f64 {
        self.seconds[0] / self.seconds[engine]
    }

    /// Per cent that its paths are longer than the shortest, on average.
    pub(super) fn longer(&self, engine: usize) -> f64 {
        100.0 * self.excess[engine] / self.count as f64
    }

    /// Per cent that all its paths together are longer than those of HPA*.
    pub(super) fn longer_than_hpa(&self, engine: usize) -> f64 {
        100.0 * (self.lengths[engine] / self.lengths[0] - 1.0)
    }
}

impl Searches {
    /// The buckets that hold something, each with the length at which it begins.
    pub(super) fn filled(&self) -> impl Iterator<Item = (f64, &Bucket)> {
        let buckets = self.buckets.iter().enumerate().filter(|(_, bucket)| bucket.count > 0);
        buckets.map(|(at, bucket)| (at as f64 * BUCKET, bucket))
    }

    /// The mean of a figure over the buckets, each of which counts once, as in the paper.
    pub(super) fn mean(&self, figure: impl Fn(&Bucket) -> f64) -> f64 {
        let (sum, count) = self
            .filled()
            .fold((0.0, 0.0), |(sum, count), (_, bucket)| (sum + figure(bucket), count + 1.0));
        sum / count
    }

    /// The greatest figure of any bucket that has enough searches to speak of.
    pub(super) fn most(&self, figure: impl Fn(&Bucket) -> f64) -> f64 {
        const ENOUGH: usize = 10;
        let enough = self.filled().filter(|(_, bucket)| bucket.count >= ENOUGH);
        enough.map(|(_, bucket)| figure(bucket)).fold(f64::NAN, f64::max)
    }

    /// All searches as one bucket.
    pub(super) fn all(&self) -> Bucket {
        let mut all = Bucket::default();
        for (_, bucket) in self.filled() {
            all.count += bucket.count;
            for at in 0..3 {
                all.seconds[at] += bucket.seconds[at];
                all.excess[at] += bucket.excess[at];
                all.lengths[at] += bucket.lengths[at];
            }
        }
        all
    }
}

pub(super) fn run(maps: &[Subject], plan: &Plan, steps: &Steps<'_>) -> Result<Searches, Error> {
    let mut searches = Searches {
        buckets: Vec::new(),
        neighbours: Bucket::default(),
        bytes: [0; 3],
        checked: 0,
        faults: Vec::new(),
    };
    for map in maps {
        steps.next(format!("searches on {}", map.path.display()));
        let draw = Draw { count: plan.searches, steps: 1..=usize::MAX, seed: plan.seed };
        searches.run_on(&Trial::draw(map.clone(), &draw)?)?;
    }
    Ok(searches)
}

impl Searches {
    fn run_on(&mut self, trial: &Trial) -> Result<(), Error> {
        let Trial { subject, workload } = trial;
        let build = |name| engines::build_named(name, subject);
        let built = HIERARCHIES.map(build).into_iter().collect::<Result<Vec<_>, Error>>()?;
        let engines: Vec<&dyn Engine> = built.iter().map(|engine| &**engine).collect();
        let sheets = trial.race(&engines)?;
        for (at, (engine, sheet)) in built.iter().zip(&sheets).enumerate() {
            self.bytes[at] += engine.memory_bytes();
            self.checked += trial.count();
            self.faults.extend(trial.faults(engine.name(), &sheet.tally));
        }
        for (index, query) in workload.queries.iter().enumerate() {
            let Some(optimum) = query.expected.length(&subject.map).filter(|&length| length > 0.0)
            else {
                continue;
            };
            let found = [0, 1, 2].map(|at: usize| {
                let cost = sheets[at].tally.answered[index].clone().ok().flatten();
                let length = cost.map_or(f64::NAN, |cost| subject.map.length(cost));
                let time = sheets[at].paths.best_of(index);
                (time.map_or(f64::NAN, |time| time.as_secs_f64()), length)
            });
            let bucket = (optimum / BUCKET) as usize;
            if self.buckets.len() <= bucket {
                self.buckets.resize(bucket + 1, Bucket::default());
            }
            self.buckets[bucket].add(optimum, &found);
            let near = optimum <= f64::from(3 * CLUSTER);
            if near && are_neighbours(&subject.map, query.from, query.to) {
                self.neighbours.add(optimum, &found);
            }
        }
        Ok(())
    }
}

/// Whether two cells lie in clusters that share a side.
fn are_neighbours(map: &Map, from: u32, to: u32) -> bool {
    let Map::Grid(grid) = map else { return false };
    let seat = |node| grid.position(node).map(|(x, y)| (x / CLUSTER, y / CLUSTER));
    let (Some(a), Some(b)) = (seat(from), seat(to)) else { return false };
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1
}
