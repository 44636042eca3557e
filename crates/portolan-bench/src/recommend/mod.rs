//! Which engine suits a map, by measuring.
//!
//! [`recommend`] draws a workload whose size depends on the map and on the time given. `candidates`
//! measures the engines within that time, `crowd` measures a flow field, and `advice` draws the
//! conclusions from the figures alone.

mod advice;
mod candidates;
mod crowd;

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::workload::edits::{self, Where};
use crate::workload::{Subject, Wanted, Workload};
use crate::{Bars, Error};
pub use advice::{Advice, FIELD, in_rust, is_storable};
pub use candidates::{Candidates, Figures};
pub use crowd::Field;

/// What was measured, and what follows from it.
pub struct Recommendation {
    /// The queries.
    pub workload: Workload,
    /// How many edits there were.
    pub edits: usize,
    /// The engines.
    pub candidates: Candidates,
    /// A flow field, if the map takes one.
    pub field: Option<Field>,
    /// A choice for every task that something was measured for.
    pub advice: Vec<Advice>,
    /// How long it took.
    pub seconds: f64,
}

/// An engine that was not measured.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub engine: &'static str,
    /// Why.
    pub reason: String,
}

/// Measures these engines, or the usual candidates, for about this many seconds from `start`.
pub fn recommend(
    subject: &Subject,
    (wanted, engines): (&Wanted, &[String]),
    (start, seconds): (Instant, f64),
    bars: &dyn Bars,
) -> Result<Recommendation, Error> {
    let nodes = subject.map.usable_count();
    let searches = searches(seconds, nodes);
    let workload = Workload::gather_few(subject, wanted, searches, bars)?;
    let script = match edits::draw(subject, searches, Where::OnPaths, bars) {
        Err(Error::NothingToEdit { .. }) => Vec::new(),
        script => script?,
    };
    let deadline = start + Duration::from_secs_f64(seconds);
    let share = Duration::from_secs_f64(0.1 * seconds);
    let field = crowd::measure(subject, &workload, &script, share, bars)?;
    let candidates = candidates::measure(engines, subject, (&workload, &script), deadline, bars)?;
    let advice = advice::advise(&candidates.figures, field.as_ref(), nodes);
    let (edits, seconds) = (script.len(), start.elapsed().as_secs_f64());
    Ok(Recommendation { workload, edits, candidates, field, advice, seconds })
}

/// How many reference searches there are for queries, and how many for edits: about a tenth of the
/// time on one core each. They depend on the size of the map, not on the clock, so that the
/// workload is the same everywhere.
fn searches(seconds: f64, nodes: usize) -> usize {
    const NODES_PER_SECOND: f64 = 1.5e6;
    ((seconds * NODES_PER_SECOND / nodes.max(1) as f64) as usize).clamp(2, 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_maps_are_asked_more_than_large_ones() {
        assert_eq!(searches(5.0, 100), 40);
        assert_eq!(searches(5.0, 500_000), 15);
        assert_eq!(searches(5.0, 100_000_000), 2);
        assert_eq!(searches(0.1, 0), 40);
    }
}
