//! The bounds of one search: the maximum of a geometric bound and any number of stored ones.

use super::stored::on_stored;
use super::{BoundForm, Differential, Stored, StoredConfig, StoredHeuristic};
use crate::build::{BuildError, Progress, Unsupported};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::debug::debug_by_name;
use crate::graph::NodeId;
use crate::heuristic::{
    Geometric, GeometricBound, Heuristic, HeuristicChoice, LowerBound, NotABound,
};
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError, Unstorable};

/// The bounds of one search. Admissible only on the map that they were made for.
///
/// As a [`Heuristic`], it calls each stored bound through a pointer. Engines also have specialised
/// code for the common cases: a geometric bound alone, and one with landmarks.
#[derive(Clone)]
pub struct Bounds {
    choice: HeuristicChoice,
    geometric: Geometric,
    stored: Vec<Stored>,
}

debug_by_name!("Bounds", [] Bounds, |bounds| "geometric" = bounds.choice, "stored" = bounds.forms());

impl Bounds {
    /// Whether all of these bounds can be built on this map. `method` is named in the error.
    pub fn support(
        method: &'static str,
        map: &Map,
        choice: HeuristicChoice,
        stored: &[StoredConfig],
    ) -> Result<(), Unsupported> {
        Geometric::for_method(method, map, choice)?;
        let mut kinds = stored.iter().map(StoredConfig::kind).enumerate();
        let twice = kinds.find(|&(at, kind)| stored[..at].iter().any(|one| one.kind() == kind));
        if let Some((_, kind)) = twice {
            let reason = format!("it has two stored bounds named {}; choose one", kind.name());
            return Err(Unsupported { method, reason });
        }
        stored.iter().try_for_each(|config| config.supports(map))
    }

    /// Builds all bounds, one after the other. If some do not fit into equal shares of a memory
    /// limit, the error has the total limit and the total that is needed.
    pub fn build(
        method: &'static str,
        map: &Map,
        choice: HeuristicChoice,
        stored: &[StoredConfig],
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Self::support(method, map, choice, stored)?;
        let geometric = Geometric::for_method(method, map, choice)?;
        let (mut built, mut first, mut most) = (Vec::new(), None, 0);
        for config in stored {
            match config.build(map, progress) {
                Ok(one) if first.is_none() => built.push(one),
                Ok(_) => {}
                // The others are still built, because the total needed depends on them.
                Err(error @ BuildError::MemoryLimit { needed, .. }) => {
                    built.clear();
                    most = most.max(needed);
                    first.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        match (first, shared_memory_limit(stored)) {
            (None, _) => Ok(Self { choice, geometric, stored: built }),
            (Some(BuildError::MemoryLimit { .. }), Some(limit)) => {
                let needed = most.saturating_mul(stored.len() as u64);
                Err(BuildError::MemoryLimit { needed, limit, smaller: None })
            }
            (Some(error), _) => Err(error),
        }
    }

    /// The zero bound.
    pub fn zero() -> Self {
        let (choice, geometric) = (HeuristicChoice::Zero, Geometric::zero());
        Self { choice, geometric, stored: Vec::new() }
    }

    /// The bounds for `map`, to which `changes` have already been applied.
    pub fn refreshed(
        &self,
        method: &'static str,
        map: &Map,
        changes: &Changes,
    ) -> Result<Self, BuildError> {
        let geometric = self.geometric.refreshed(map, self.choice, changes);
        let unsupported = |refused: NotABound| Unsupported { method, reason: refused.to_string() };
        let geometric = geometric.map_err(unsupported)?;
        let stored = self
            .stored
            .iter()
            .map(|stored| on_stored!(stored, one => one.refreshed(map, changes).map(Stored::from)));
        Ok(Self { choice: self.choice, geometric, stored: stored.collect::<Result<_, _>>()? })
    }

    /// Adds the sections of the stored bounds to an index file.
    pub(crate) fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        for stored in &self.stored {
            on_stored!(stored, one => one.store(writer));
        }
    }

    /// Opens the stored bounds in an index file, which has been checked to belong to this map.
    pub(crate) fn open(
        method: &'static str,
        index: &IndexFile,
        map: &Map,
        choice: HeuristicChoice,
        stored: &[StoredConfig],
    ) -> Result<Self, OpenError> {
        let geometric = Geometric::for_method(method, map, choice)?;
        let stored = stored.iter().map(|config| config.open(index, map));
        Ok(Self { choice, geometric, stored: stored.collect::<Result<_, _>>()? })
    }

    /// Whether there is anything to store in an index file.
    pub(crate) fn storable(stored: &[StoredConfig]) -> Result<(), Unstorable> {
        if stored.is_empty() { Err(Unstorable::nothing()) } else { Ok(()) }
    }

    /// The geometric bound, if there is no other bound.
    #[inline]
    pub(crate) fn geometric_only(&self) -> Option<&Geometric> {
        self.stored.is_empty().then_some(&self.geometric)
    }

    /// The geometric bound and the landmarks, if there is no other bound.
    #[inline]
    pub(crate) fn geometric_and_landmarks(&self) -> Option<(&Geometric, &Differential)> {
        match self.stored.as_slice() {
            [Stored::Differential(landmarks)] => Some((&self.geometric, landmarks)),
            _ => None,
        }
    }

    /// The landmarks, if there are any.
    pub fn landmarks(&self) -> Option<&Differential> {
        self.stored.iter().find_map(|stored| match stored {
            Stored::Differential(landmarks) => Some(&**landmarks),
            _ => None,
        })
    }

    /// The same bounds with other landmarks.
    pub(crate) fn with_other_landmarks(&self, landmarks: Differential) -> Self {
        let mut bounds = self.clone();
        let is_landmarks = |stored: &&mut Stored| matches!(stored, Stored::Differential(_));
        if let Some(stored) = bounds.stored.iter_mut().find(is_landmarks) {
            *stored = landmarks.into();
        }
        bounds
    }

    /// The stored bounds.
    pub(crate) fn stored(&self) -> &[Stored] {
        &self.stored
    }

    /// The forms of the stored bounds.
    pub fn forms(&self) -> Vec<BoundForm> {
        self.stored.iter().map(|stored| on_stored!(stored, one => one.form())).collect()
    }

    fn each<'a>(
        &'a self,
        end: NodeId,
        bind: impl Fn(&'a Stored) -> Box<dyn LowerBound + 'a>,
    ) -> EachBound<'a> {
        let stored = self.stored.iter().map(bind).collect();
        EachBound { geometric: self.geometric.with_end(end), stored }
    }
}

impl Heuristic for Bounds {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.each(target, |stored| on_stored!(stored, one => Box::new(one.toward(target))))
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.each(source, |stored| on_stored!(stored, one => Box::new(one.away_from(source))))
    }

    fn forward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.each(to, |stored| on_stored!(stored, one => Box::new(one.forward(from, to))))
    }

    fn backward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.each(from, |stored| on_stored!(stored, one => Box::new(one.backward(from, to))))
    }

    fn is_consistent(&self) -> bool {
        self.stored.iter().all(|stored| on_stored!(stored, one => one.is_consistent()))
    }

    fn wants_pathmax(&self) -> bool {
        self.stored.iter().any(|stored| on_stored!(stored, one => one.wants_pathmax()))
    }

    fn memory_bytes(&self) -> usize {
        let stored = self.stored.iter().map(|stored| on_stored!(stored, one => one.memory_bytes()));
        self.geometric.memory_bytes() + stored.sum::<usize>()
    }
}

/// The total memory limit of these bounds. `None` if their limits are not equal shares of it.
pub(crate) fn shared_memory_limit(stored: &[StoredConfig]) -> Option<u64> {
    let limits = || stored.iter().map(StoredConfig::memory_limit);
    let is_shared = limits().max()? - limits().min()? <= 1;
    is_shared.then(|| limits().fold(0, u64::saturating_add))
}

/// [`Bounds`] with one end fixed.
struct EachBound<'a> {
    geometric: GeometricBound,
    stored: Vec<Box<dyn LowerBound + 'a>>,
}

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
