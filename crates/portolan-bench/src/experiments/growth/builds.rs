//! A build of `atlas`: its times, and the most memory that was resident meanwhile.

use std::time::Instant;

use cpu_time::ProcessTime;
use portolan::{BuildError, Engine};

use super::ENGINE;
use super::kinds::Limit;
use super::memory::most_resident;
use crate::text::grouped;
use crate::workload::Subject;
use crate::{Bars, Error, engines};

/// A build that takes longer, in seconds of all cores together, is not repeated.
const LONG: f64 = 1.0;
/// How often a short build is repeated at most.
const MOST_BUILDS: usize = 5;

/// An index and what its build took.
pub(super) struct Built {
    pub(super) engine: Box<dyn Engine>,
    /// Seconds of all cores together: the median of all builds.
    pub(super) cpu: f64,
    /// Seconds by the clock: the median of all builds.
    pub(super) wall: f64,
    /// By how many bytes resident memory grew at most, in the first build.
    pub(super) peak: Option<u64>,
    /// The form without numbers of regions and reasons, which differ from limit to limit.
    pub(super) form: String,
}

/// Builds the index under a limit, on so many threads; 0 for one per core. Short builds are
/// repeated. A refusal is a result, in words.
pub(super) fn build(
    subject: &Subject,
    limit: &Limit,
    threads: usize,
    bars: &dyn Bars,
) -> Result<Result<Built, String>, Error> {
    let method = engines::find(ENGINE)?;
    let mut subject = subject.clone();
    subject.settings.memory_limit = limit.bytes.into();
    subject.settings.threads = threads;
    let once = || {
        let (start, cpu_start) = (Instant::now(), ProcessTime::now());
        let engine = engines::build(method, &subject, bars)?;
        Ok((engine, cpu_start.elapsed().as_secs_f64(), start.elapsed().as_secs_f64()))
    };
    let (first, peak) = most_resident(once);
    let (mut engine, cpu, wall) = match first {
        Err(Error::Build { error: BuildError::MemoryLimit { needed, .. }, .. }) => {
            return Ok(Err(format!("refused: {} bytes are needed", grouped(needed))));
        }
        Err(Error::Unsupported(unsupported)) => {
            return Ok(Err(format!("refused: {}", unsupported.reason)));
        }
        first => first?,
    };
    let (mut cpus, mut walls) = (vec![cpu], vec![wall]);
    while cpus.len() < MOST_BUILDS && cpus.iter().sum::<f64>() < LONG {
        drop(engine);
        let again = once()?;
        engine = again.0;
        cpus.push(again.1);
        walls.push(again.2);
    }
    let form = engine.form().map_or(String::new(), |form| form.to_string());
    let form = form.split(',').next().unwrap_or_default().to_owned();
    Ok(Ok(Built { engine, cpu: median(cpus), wall: median(walls), peak, form }))
}

impl Built {
    /// Whether both have the same index, since neither needs what its limit allows beyond that of
    /// the other.
    pub(super) fn equals(&self, other: &Self) -> bool {
        self.form == other.form && self.engine.memory_bytes() == other.engine.memory_bytes()
    }
}

/// The one in the middle; of two the larger.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::growth::Kind;

    #[test]
    fn limits_that_are_too_small_are_told_and_not_failed() {
        let subject = Kind::Rooms.generate(64, 1).unwrap();
        let build = |bytes| {
            build(&subject, &Limit { bytes, amount: String::new(), unit: "" }, 1, &()).unwrap()
        };
        let (large, larger) = (build(1 << 20).unwrap(), build(2 << 20).unwrap());
        assert!(large.equals(&larger) && large.cpu > 0.0);
        assert!(!large.form.contains("MiB"), "{}", large.form);
        if let Err(refusal) = build(10) {
            assert!(refusal.starts_with("refused: "), "{refusal}");
        }
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![2.0, 1.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
