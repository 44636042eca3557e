//! Engines that search first and then read off the path.

use super::{CostAnswer, PathAnswer};
use crate::cost::Cost;
use crate::graph::{Endpoints, NodeId};
use crate::route::Route;
use crate::search::Observer;

/// One query of an engine that searches first and then reads off the path.
pub(crate) trait Searching<'q>: Sized {
    /// The cost of the path; `None` if there is none.
    fn search(&mut self, from: NodeId, to: NodeId, observer: &mut impl Observer) -> CostAnswer;

    /// Like [`search`](Self::search), for callers that need the path. Override it if the path takes
    /// more work than the cost.
    fn search_path(
        &mut self,
        from: NodeId,
        to: NodeId,
        observer: &mut impl Observer,
    ) -> CostAnswer {
        self.search(from, to, observer)
    }

    /// The path of the search that has just found one of this cost.
    fn route(self, to: NodeId, cost: Cost) -> Route<'q>;

    fn find(mut self, (from, to): Endpoints, observer: &mut impl Observer) -> PathAnswer<'q> {
        let found = self.search_path(from, to, observer)?;
        Ok(found.map(|cost| self.route(to, cost)))
    }
}

/// Part of the implementation of [`Answer`](super::Answer) for an engine that keeps its scratch
/// pool in `pool` and answers by `$search::new(engine, scratch)`, which implements [`Searching`].
macro_rules! answer_by_searching {
    ($scratch:ty, $search:ident) => {
        fn scratch_pool(&self) -> &$crate::engine::ScratchPool<$scratch> {
            &self.pool
        }

        fn find_with<'q>(
            &'q self,
            scratch: &'q mut $scratch,
            ends: ($crate::NodeId, $crate::NodeId),
            observer: &mut impl $crate::search::Observer,
        ) -> $crate::engine::PathAnswer<'q> {
            $crate::engine::Searching::find($search::new(self, scratch), ends, observer)
        }

        fn distance_with(
            &self,
            scratch: &mut $scratch,
            (from, to): ($crate::NodeId, $crate::NodeId),
        ) -> $crate::engine::CostAnswer {
            $crate::engine::Searching::search(&mut $search::new(self, scratch), from, to, &mut ())
        }
    };
}
pub(crate) use answer_by_searching;
