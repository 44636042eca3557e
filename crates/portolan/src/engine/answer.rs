//! How engines of this crate answer: with scratch space that their queries take from a pool.

use std::ops::Deref;

use super::{CostAnswer, Engine, PathAnswer, Query, ScratchPool};
use crate::cost::Cost;
use crate::graph::{Endpoints, NodeId};
use crate::map::{EndpointError, Map};
use crate::search::Observer;

/// An engine whose queries are [`EngineQuery`].
pub(crate) trait Answer: Engine {
    /// Scratch space of a query, for any version of the map.
    type Scratch: Default + Send + Sync + 'static;

    /// Scratch space that earlier queries have left. A refreshed engine shares it.
    fn scratch_pool(&self) -> &ScratchPool<Self::Scratch>;

    /// Answers [`Query::find`] and [`Query::find_observed`].
    fn find_with<'q>(
        &'q self,
        scratch: &'q mut Self::Scratch,
        ends: Endpoints,
        observer: &mut impl Observer,
    ) -> PathAnswer<'q>;

    /// Answers [`Query::distance`].
    fn distance_with(&self, scratch: &mut Self::Scratch, ends: Endpoints) -> CostAnswer;

    /// Answers [`Query::find_each`]: one by one, unless the engine overrides it.
    fn find_each_with(
        &self,
        scratch: &mut Self::Scratch,
        pairs: &[Endpoints],
        visit: &mut dyn FnMut(usize, PathAnswer<'_>),
    ) {
        for (at, &ends) in pairs.iter().enumerate() {
            visit(at, self.find_with(scratch, ends, &mut ()));
        }
    }

    /// Answers [`Query::distance_each`]: one by one, unless the engine overrides it.
    fn distance_each_with(
        &self,
        scratch: &mut Self::Scratch,
        pairs: &[Endpoints],
        visit: &mut dyn FnMut(usize, CostAnswer),
    ) {
        for (at, &ends) in pairs.iter().enumerate() {
            visit(at, self.distance_with(scratch, ends));
        }
    }

    /// Answers [`Query::locality`].
    fn locality_of(&self, _pair: Endpoints) -> u32 {
        0
    }

    /// Answers [`Query::distances_from`]: one by one, unless the engine overrides it.
    fn distances_from_with(
        &self,
        scratch: &mut Self::Scratch,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        to.iter().map(|&to| self.distance_with(scratch, (from, to))).collect()
    }
}

/// The methods of [`Engine`] that follow from [`Answer`] and [`Build`](super::Build).
macro_rules! boxed_answers {
    () => {
        fn query(&self) -> Box<dyn $crate::engine::Query + Send + Sync + '_> {
            Box::new($crate::engine::EngineQuery::new(self))
        }

        fn owned_query(self: std::sync::Arc<Self>) -> Box<dyn $crate::engine::Query + Send + Sync> {
            Box::new($crate::engine::EngineQuery::new(self))
        }

        fn refresh(
            &self,
            map: &$crate::map::Map,
            changes: &$crate::changes::Changes,
        ) -> Result<Box<dyn $crate::engine::Engine>, $crate::build::BuildError> {
            $crate::trace::span!("refresh", engine = self.name(), cells = changes.cells.len());
            Ok(Box::new($crate::engine::Build::refreshed(self, map, changes)?))
        }

        fn free_scratch(&self) {
            $crate::engine::Answer::scratch_pool(self).clear();
        }
    };
}
pub(crate) use boxed_answers;

/// A query on an engine, which it borrows (`EngineQuery<&E>`) or owns (`EngineQuery<Arc<E>>`).
///
/// Its scratch space comes from a pool that the engine shares with its refreshed versions, and
/// returns there on drop. So creating a query is cheap, and a query after an edit starts with
/// memory that is already allocated.
pub(crate) struct EngineQuery<H: Deref<Target: Answer>> {
    engine: H,
    /// There until the query ends.
    scratch: Option<Box<<H::Target as Answer>::Scratch>>,
}

impl<H: Deref<Target: Answer>> EngineQuery<H> {
    pub(crate) fn new(engine: H) -> Self {
        let scratch = Some(engine.scratch_pool().take());
        Self { engine, scratch }
    }
}

impl<H: Deref<Target: Answer>> Query for EngineQuery<H> {
    fn map(&self) -> &Map {
        self.engine.map()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> CostAnswer {
        self.engine.distance_with(self.scratch.get_or_insert_default(), (from, to))
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> PathAnswer<'_> {
        self.engine.find_with(self.scratch.get_or_insert_default(), (from, to), &mut ())
    }

    fn find_observed(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut observer: &mut dyn Observer,
    ) -> PathAnswer<'_> {
        self.engine.find_with(self.scratch.get_or_insert_default(), (from, to), &mut observer)
    }

    fn find_each(&mut self, pairs: &[Endpoints], visit: &mut dyn FnMut(usize, PathAnswer<'_>)) {
        self.engine.find_each_with(self.scratch.get_or_insert_default(), pairs, visit);
    }

    fn distance_each(&mut self, pairs: &[Endpoints], visit: &mut dyn FnMut(usize, CostAnswer)) {
        self.engine.distance_each_with(self.scratch.get_or_insert_default(), pairs, visit);
    }

    fn locality(&self, pair: Endpoints) -> u32 {
        self.engine.locality_of(pair)
    }

    fn distances_from(
        &mut self,
        from: NodeId,
        to: &[NodeId],
    ) -> Result<Vec<Option<Cost>>, EndpointError> {
        self.engine.distances_from_with(self.scratch.get_or_insert_default(), from, to)
    }
}

impl<H: Deref<Target: Answer>> Drop for EngineQuery<H> {
    fn drop(&mut self) {
        // A panic leaves the space in an unknown state.
        let scratch = self.scratch.take().filter(|_| !std::thread::panicking());
        scratch.into_iter().for_each(|scratch| self.engine.scratch_pool().put_back(scratch));
    }
}
