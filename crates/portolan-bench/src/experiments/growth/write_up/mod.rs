//! The report on how `atlas` grows: a section for each part.

mod limits;
mod sizes;
mod threads;

pub(super) use self::sizes::headline;

use super::{Part, Plan, Results};
use crate::report::Report;

const INTRO: &str = "How the build time, memory and query time of atlas grow with the map, what a smaller memory limit costs, and what \
    more threads bring. Grids have eight moves and one terrain. MB are millions of bytes.";

/// The whole report; the names of its drawings begin with `stem`.
pub(super) fn report(plan: &Plan, results: &Results, stem: &str) -> Report {
    let mut report = Report::new("How atlas grows");
    report.intro = INTRO.into();
    let kinds: Vec<&str> = plan.kinds.iter().map(|kind| kind.name()).collect();
    let maps = format!("generated {}, seed {}", kinds.join(", "), plan.seed);
    report.facts.push(("Maps".into(), maps));
    if plan.has(Part::Sizes) {
        report.sections.push(sizes::section(plan, &results.sizes, stem));
    }
    if plan.has(Part::Limits) {
        report.sections.push(limits::generated(plan, &results.limits, stem));
        if !results.real.is_empty() {
            report.sections.push(limits::real(plan, &results.real));
        }
    }
    if plan.has(Part::Threads) {
        report.sections.push(threads::section(plan, &results.threads, stem));
    }
    report
}
