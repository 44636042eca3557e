//! The bounds that were chosen for a search: a geometric one and any number of stored ones, by
//! their maximum.

use std::any::Any;
use std::sync::Arc;

use super::{AnyStored, BoundForm, Differential, StoredConfig, StoredKind};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::engine::{BuildError, Unstorable, Unsupported};
use crate::graph::NodeId;
use crate::heuristic::{
    Geometric, GeometricBound, Heuristic, HeuristicChoice, LowerBound, NotABound,
};
use crate::map::Map;
use crate::progress::Progress;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// What a search is guided by. Sound on the map it was made for and on no other.
///
/// As a [`Heuristic`] it calls each of its parts through a pointer. Engines are compiled for the
/// common cases too: a geometric bound alone, and one with landmarks.
#[derive(Clone)]
pub struct Bounds {
    choice: HeuristicChoice,
    geometric: Geometric,
    stored: Vec<Arc<dyn AnyStored>>,
}

debug_by_name!("Bounds", [] Bounds, |bounds| "geometric" = bounds.choice, "stored" = bounds.forms());

impl Bounds {
    /// Whether all of these suit the map, and if not, why; `method` is who asks.
    pub fn support(
        method: &'static str,
        map: &Map,
        choice: HeuristicChoice,
        stored: &[StoredConfig],
    ) -> Result<(), Unsupported> {
        Geometric::serving(method, map, choice)?;
        let mut kinds = stored.iter().map(StoredConfig::kind).enumerate();
        let twice = kinds.find(|&(at, kind)| stored[..at].iter().any(|one| one.kind() == kind));
        if let Some((_, kind)) = twice {
            let reason = format!("it has two stored bounds called {}; choose one", kind.name());
            return Err(Unsupported { method, reason });
        }
        stored.iter().try_for_each(|config| config.supports(map))
    }

    /// Builds them one after the other. Where some do not fit into equal shares of a memory limit,
    /// the error names the whole limit, and what it has to be for all of them.
    pub fn build(
        method: &'static str,
        map: &Map,
        choice: HeuristicChoice,
        stored: &[StoredConfig],
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Self::support(method, map, choice, stored)?;
        let geometric = Geometric::serving(method, map, choice)?;
        let (mut built, mut first, mut most) = (Vec::new(), None, 0);
        for config in stored {
            match config.build(map, progress) {
                Ok(one) if first.is_none() => built.push(one),
                Ok(_) => {}
                // The others are built all the same, since what they take counts as well.
                Err(error @ BuildError::MemoryLimit { needed, .. }) => {
                    built.clear();
                    most = most.max(needed);
                    first.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        match (first, whole_limit(stored)) {
            (None, _) => Ok(Self { choice, geometric, stored: built }),
            (Some(BuildError::MemoryLimit { .. }), Some(limit)) => {
                let needed = most.saturating_mul(stored.len() as u64);
                Err(BuildError::MemoryLimit { needed, limit, smaller: None })
            }
            (Some(error), _) => Err(error),
        }
    }

    /// The bound of zero.
    pub fn zero() -> Self {
        let (choice, geometric) = (HeuristicChoice::Zero, Geometric::zero());
        Self { choice, geometric, stored: Vec::new() }
    }

    /// The bounds for the same map after these changes, which have already been made in it.
    pub fn refreshed(
        &self,
        method: &'static str,
        map: &Map,
        changes: &Changes,
    ) -> Result<Self, BuildError> {
        self.refreshed_around(method, map, changes, None)
    }

    /// The same, where the landmarks have followed the edit already.
    pub(crate) fn refreshed_around(
        &self,
        method: &'static str,
        map: &Map,
        changes: &Changes,
        landmarks: Option<&Differential>,
    ) -> Result<Self, BuildError> {
        let geometric = self.geometric.refreshed(map, self.choice, changes);
        let unsupported = |refused: NotABound| Unsupported { method, reason: refused.to_string() };
        let geometric = geometric.map_err(unsupported)?;
        let stored = self.stored.iter().map(|stored| match landmarks {
            Some(landmarks) if stored.kind() == StoredKind::Differential => {
                Ok(Arc::new(landmarks.clone()) as Arc<dyn AnyStored>)
            }
            _ => stored.any_refreshed(map, changes),
        });
        Ok(Self { choice: self.choice, geometric, stored: stored.collect::<Result<_, _>>()? })
    }

    /// Adds the sections of the stored ones to an index file.
    pub(crate) fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        for stored in &self.stored {
            stored.any_store(writer);
        }
    }

    /// The bounds whose stored ones lie in this file, which has been found to be of this map.
    pub(crate) fn open(
        method: &'static str,
        index: &IndexFile,
        map: &Map,
        choice: HeuristicChoice,
        stored: &[StoredConfig],
    ) -> Result<Self, OpenError> {
        let geometric = Geometric::serving(method, map, choice)?;
        let stored = stored.iter().map(|config| config.open(index, map));
        Ok(Self { choice, geometric, stored: stored.collect::<Result<_, _>>()? })
    }

    /// Whether there is anything that an index file could keep.
    pub(crate) fn storable(stored: &[StoredConfig]) -> Result<(), Unstorable> {
        if stored.is_empty() { Err(Unstorable::nothing()) } else { Ok(()) }
    }

    /// The geometric bound, where there is no other.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&Geometric> {
        self.stored.is_empty().then_some(&self.geometric)
    }

    /// The geometric bound and the landmarks, where there is no other.
    #[inline]
    pub(crate) fn with_landmarks(&self) -> Option<(&Geometric, &Differential)> {
        let [only] = self.stored.as_slice() else { return None };
        let any: &dyn Any = only.as_ref();
        Some((&self.geometric, any.downcast_ref()?))
    }

    /// The landmarks, whatever else there is.
    pub fn landmarks(&self) -> Option<&Differential> {
        self.stored.iter().find_map(|stored| {
            let any: &dyn Any = stored.as_ref();
            any.downcast_ref()
        })
    }

    /// The same with other landmarks in the place of these.
    pub(crate) fn with_other_landmarks(&self, landmarks: Differential) -> Self {
        let mut bounds = self.clone();
        let is_landmarks =
            |stored: &&mut Arc<dyn AnyStored>| stored.kind() == StoredKind::Differential;
        if let Some(stored) = bounds.stored.iter_mut().find(is_landmarks) {
            *stored = Arc::new(landmarks);
        }
        bounds
    }

    /// The stored ones.
    pub(crate) fn stored(&self) -> &[Arc<dyn AnyStored>] {
        &self.stored
    }

    /// What the stored ones are made of.
    pub fn forms(&self) -> Vec<BoundForm> {
        self.stored.iter().map(|stored| stored.any_form()).collect()
    }

    fn each<'a>(
        &'a self,
        end: NodeId,
        bind: impl Fn(&'a dyn AnyStored) -> Box<dyn LowerBound + 'a>,
    ) -> EachBound<'a> {
        let stored = self.stored.iter().map(|stored| bind(stored.as_ref())).collect();
        EachBound { geometric: self.geometric.with_end(end), stored }
    }
}

impl Heuristic for Bounds {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.each(target, |stored| stored.any_toward(target))
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.each(source, |stored| stored.any_away_from(source))
    }

    fn ahead(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.each(to, |stored| stored.any_ahead(from, to))
    }

    fn behind(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.each(from, |stored| stored.any_behind(from, to))
    }

    fn is_consistent(&self) -> bool {
        self.stored.iter().all(|stored| stored.any_is_consistent())
    }

    fn is_patchy(&self) -> bool {
        self.stored.iter().any(|stored| stored.any_is_patchy())
    }

    fn memory_bytes(&self) -> usize {
        let stored: usize = self.stored.iter().map(|stored| stored.any_memory_bytes()).sum();
        self.geometric.memory_bytes() + stored
    }
}

/// What these bounds may take together; `None` where their limits are no equal shares of it.
pub(crate) fn whole_limit(stored: &[StoredConfig]) -> Option<u64> {
    let limits = || stored.iter().map(StoredConfig::memory_limit);
    let is_shared = limits().max()? - limits().min()? <= 1;
    is_shared.then(|| limits().fold(0, u64::saturating_add))
}

/// The greatest of a [`Bounds`]' bounds with one end fixed.
struct EachBound<'a> {
    geometric: GeometricBound,
    stored: Vec<Box<dyn LowerBound + 'a>>,
}

debug_by_name!("EachBound", [] EachBound<'_>);

impl LowerBound for EachBound<'_> {
    #[inline]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let geometric = self.geometric.at(node)?;
        self.stored.iter_mut().try_fold(geometric, |most, bound| Some(most.max(bound.at(node)?)))
    }

    #[inline]
    fn allows(&self, whole: Cost) -> bool {
        self.stored.iter().all(|bound| bound.allows(whole))
    }
}
