//! Observed searches, and how long searches take without an observer.

use std::time::{Duration, Instant};

use portolan::search::Observer;
use portolan::{Cost, NodeId, Query};

use crate::error::LabError;
use crate::task::Task;

/// More entries than this are counted and not remembered. Searches that reopen nodes often may have
/// many more events than there are nodes.
const MOST_ENTRIES: usize = 1 << 23;

/// Searches that take less are timed three times, which delays no frame.
const QUICK: Duration = Duration::from_millis(1);

/// Counts what a search touches, and remembers it in its order.
#[derive(Debug)]
pub(super) struct Trace {
    /// Expanded nodes; with generated ones, [events](Self::events).
    pub(super) order: Vec<u32>,
    pub(super) expanded: u64,
    pub(super) generated: u64,
    remembers: Remembers,
    most: usize,
}

#[derive(Debug)]
enum Remembers {
    Expanded,
    /// Only the first time; by node, whether it is remembered already.
    Distinct(Vec<bool>),
    Events,
}

impl Trace {
    /// Remembers expanded nodes, each time they are expanded.
    pub(super) fn expanded() -> Self {
        Self::new(Remembers::Expanded)
    }

    /// Remembers expanded nodes, each only the first time.
    pub(super) fn distinct(node_count: usize) -> Self {
        Self::new(Remembers::Distinct(vec![false; node_count]))
    }

    /// Remembers expanded and generated nodes as events: twice the node, and one more if it was
    /// generated.
    pub(super) fn events() -> Self {
        Self::new(Remembers::Events)
    }

    fn new(remembers: Remembers) -> Self {
        Self { order: Vec::new(), expanded: 0, generated: 0, remembers, most: MOST_ENTRIES }
    }

    /// The expanded and the generated nodes of events.
    pub(super) fn split(&self) -> [Vec<NodeId>; 2] {
        [0, 1].map(|kind| {
            let of_kind = self.order.iter().filter(|&&event| event & 1 == kind);
            of_kind.map(|&event| event >> 1).collect()
        })
    }

    fn push(&mut self, entry: u32) {
        if self.order.len() < self.most {
            self.order.push(entry);
        }
    }
}

impl Observer for Trace {
    fn expanded(&mut self, node: NodeId, _: Cost) {
        self.expanded += 1;
        match &mut self.remembers {
            Remembers::Expanded => self.push(node),
            Remembers::Events => self.push(node << 1),
            Remembers::Distinct(is_known) => {
                let known = is_known.get_mut(node as usize);
                if known.is_some_and(|known| !std::mem::replace(known, true)) {
                    self.push(node);
                }
            }
        }
    }

    fn generated(&mut self, node: NodeId, _: Cost) {
        self.generated += 1;
        if matches!(self.remembers, Remembers::Events) {
            self.push(node << 1 | 1);
        }
    }
}

/// The time of a query for a full path without an observer: the best of three, or a single one if
/// it takes long.
pub(super) fn time_of(
    query: &mut dyn Query,
    (from, to): (NodeId, NodeId),
    task: &Task<'_>,
) -> Result<Duration, LabError> {
    let mut nodes = Vec::new();
    best_of_three(task, || {
        nodes.clear();
        if let Some(route) = query.find(from, to)? {
            route.nodes_into(&mut nodes);
        }
        Ok(())
    })
}

/// The best time of three runs, or that of a single one if it takes long. Can be cancelled before
/// each.
pub(super) fn best_of_three(
    task: &Task<'_>,
    mut run: impl FnMut() -> Result<(), LabError>,
) -> Result<Duration, LabError> {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        task.check()?;
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed());
        if best > 2 * QUICK {
            break;
        }
    }
    Ok(best)
}

/// Whether a search that took this long with an observer may run again without delaying a frame.
/// Of a longer one the observer is a small part.
pub(super) fn is_quick(observed: Duration) -> bool {
    observed < QUICK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(trace: &mut Trace) {
        for node in [1, 2, 1] {
            trace.generated(node, 0);
            trace.expanded(node, 0);
        }
    }

    #[test]
    fn every_kind_counts_all_and_remembers_its_own() {
        for (mut trace, order) in [
            (Trace::expanded(), vec![1, 2, 1]),
            (Trace::distinct(3), vec![1, 2]),
            (Trace::events(), vec![3, 2, 5, 4, 3, 2]),
        ] {
            run(&mut trace);
            assert_eq!((trace.expanded, trace.generated), (3, 3));
            assert_eq!(trace.order, order);
        }
    }

    #[test]
    fn events_split_into_expanded_and_generated_nodes() {
        let mut trace = Trace::events();
        run(&mut trace);
        assert_eq!(trace.split(), [vec![1, 2, 1], vec![1, 2, 1]]);
    }

    #[test]
    fn a_full_trace_still_counts() {
        let mut trace = Trace { most: 2, ..Trace::expanded() };
        run(&mut trace);
        assert_eq!((trace.expanded, trace.order), (3, vec![1, 2]));
    }
}
