//! The verdicts on many answers.

use std::collections::BTreeMap;

use super::{Answered, Fault, Verdict};
use crate::text;
use crate::workload::{Query, Subject, Workload};

/// How many faults are described.
const SHOWN: usize = 5;

/// The verdicts on all answers of one engine.
#[derive(Debug, Default)]
pub struct Tally {
    /// Queries that were answered with a path.
    pub found: usize,
    /// Answers that are as good as they can be.
    pub optimal: usize,
    /// Paths that are illegal, whatever their length.
    pub illegal: usize,
    /// Legal paths that are longer than the shortest.
    pub(crate) longer: usize,
    /// By how much these are longer together, as shares of the shortest.
    pub(crate) excess_sum: f64,
    /// The largest of these shares.
    pub(crate) excess_max: f64,
    /// The cost that every query was answered with.
    pub answered: Vec<Answered>,
    /// What is wrong, by the position of the query in the workload; at most one fault per query.
    pub faults: BTreeMap<usize, Fault>,
}

impl Tally {
    /// Adds the verdict on the next query.
    pub(crate) fn add(&mut self, verdict: Verdict) {
        let index = self.answered.len();
        self.found += usize::from(matches!(verdict.answered, Ok(Some(_))));
        self.answered.push(verdict.answered);
        self.optimal += usize::from(verdict.optimal);
        if let Some(excess) = verdict.excess {
            self.longer += usize::from(excess > 0.0);
            self.excess_sum += excess;
            self.excess_max = self.excess_max.max(excess);
        }
        if let Some(fault) = verdict.fault {
            self.illegal += usize::from(fault.is_illegal());
            self.faults.insert(index, fault);
        }
    }

    /// Adds a fault that was found later, unless one is known for the query.
    pub(crate) fn note(&mut self, index: usize, fault: Fault) {
        self.faults.entry(index).or_insert(fault);
    }

    /// Compares the costs with those of another exact engine. Scenario lengths are rounded, these
    /// are not.
    pub fn compare(&mut self, others: &[Answered]) {
        for (index, other) in others.iter().enumerate() {
            let found = &self.answered[index];
            if found != other {
                let (found, other) = (found.clone(), other.clone());
                self.note(index, Fault::Disagrees { found, other });
            }
        }
    }

    /// The mean and the largest share by which paths are longer than the shortest.
    pub fn suboptimality(&self) -> Option<(f64, f64)> {
        (self.found > 0).then(|| (self.excess_sum / self.found as f64, self.excess_max))
    }

    /// The first few faults, described.
    pub fn first_faults(&self, subject: &Subject, workload: &Workload) -> Vec<String> {
        let shown = self.faults.iter().take(SHOWN);
        let shown = shown.map(|(index, fault)| fault.describe(subject, &workload.queries[*index]));
        let more = self.faults.len().saturating_sub(SHOWN);
        shown.chain((more > 0).then(|| format!("and {} more", text::grouped(more)))).collect()
    }
}

/// Wrong answers of one engine on a map that is edited: how many, and the first few described.
#[derive(Debug, Default)]
pub struct Faults {
    count: usize,
    described: Vec<String>,
}

impl Faults {
    /// Adds the fault of an answer after this many edits, if it has one.
    pub(crate) fn note(
        &mut self,
        verdict: &Verdict,
        edit: usize,
        (subject, query): (&Subject, &Query),
    ) {
        let Some(fault) = &verdict.fault else { return };
        self.count += 1;
        if self.described.len() < SHOWN {
            self.described.push(format!("after edit {edit}, {}", fault.describe(subject, query)));
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A line for each of the first, starting with the name of the engine.
    pub fn lines(&self, engine: &str) -> Vec<String> {
        let more = self.count - self.described.len();
        let more = (more > 0).then(|| format!("and {} more", text::grouped(more)));
        self.described.iter().chain(&more).map(|line| format!("{engine}: {line}")).collect()
    }
}
