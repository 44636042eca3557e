//! Arcs: the edges and shortcuts of every subgoal, in one list of words.

use crate::atlas::uniform::labels::SubgoalId;
use crate::cost::Cost;
use crate::kernel::{prefetch_element, prefetch_lines};
use crate::store::Words;

/// Words per arc.
pub(super) const ARC: usize = 3;

/// Instead of a subgoal that an arc names: the arc is an edge, a run from its tail.
const RUN: u32 = u32::MAX;

/// The same, but the edge is a run only from its head.
const RUN_FROM_HEAD: u32 = u32::MAX - 1;

/// What an arc stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Via(pub(super) u32);

impl Via {
    /// An edge; `second_first`: it is a run only from its head.
    pub(super) fn edge(second_first: bool) -> Self {
        Self(if second_first { RUN_FROM_HEAD } else { RUN })
    }

    /// The same arc from its other end.
    pub(super) fn turned(self) -> Self {
        match self.0 {
            RUN => Self(RUN_FROM_HEAD),
            RUN_FROM_HEAD => Self(RUN),
            _ => self,
        }
    }

    /// The subgoal that the arc names, or else whether the edge is a run only from its head.
    pub(super) fn subgoal(self) -> Result<SubgoalId, bool> {
        match self.0 {
            RUN => Err(false),
            RUN_FROM_HEAD => Err(true),
            number => Ok(number),
        }
    }
}

/// An arc of a subgoal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arc {
    pub(crate) head: SubgoalId,
    pub(crate) cost: Cost,
    pub(super) via: Via,
}

impl Arc {
    #[inline(always)]
    fn from_words([head, cost, via]: [u32; ARC]) -> Self {
        Self { head, cost, via: Via(via) }
    }
}

/// The arcs of all subgoals. Those of lower subgoals ascend by head; those of upper ones descend by
/// cost, so that the first that fits is the longest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArcLists {
    /// By subgoal the number of its first arc, and a final entry for the end.
    pub(super) first: Words,
    /// Head, cost and [`Via`] of each arc.
    pub(super) words: Words,
}

impl ArcLists {
    /// The lists of all subgoals, in their order.
    pub(super) fn new(lists: &[Vec<Arc>]) -> Self {
        let mut first = Vec::with_capacity(lists.len() + 1);
        let mut words = Vec::with_capacity(ARC * lists.iter().map(Vec::len).sum::<usize>());
        for list in lists {
            first.push((words.len() / ARC) as u32);
            words.extend(list.iter().flat_map(|arc| [arc.head, arc.cost, arc.via.0]));
        }
        first.push((words.len() / ARC) as u32);
        Self { first: first.into(), words: words.into() }
    }

    /// Bytes of lists with so many arcs in all.
    pub(super) fn planned_bytes(subgoals: usize, arcs: usize) -> usize {
        size_of::<u32>() * (subgoals + 1 + ARC * arcs)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.first.memory_bytes() + self.words.memory_bytes()
    }

    fn list(&self, number: SubgoalId) -> &[[u32; ARC]] {
        let number = number as usize;
        let (words, _) = self.words.as_chunks::<ARC>();
        match (self.first.get(number), self.first.get(number + 1)) {
            (Some(&start), Some(&end)) => words.get(start as usize..end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// Prefetches where the list of a subgoal starts, if the arc names one.
    #[inline(always)]
    pub(super) fn prefetch(&self, via: Via) {
        prefetch_element(&self.first, via.0 as usize);
    }

    /// Prefetches the list of a subgoal, if the arc names one.
    #[inline(always)]
    pub(super) fn prefetch_list(&self, via: Via) {
        if let Some(&start) = self.first.get(via.0 as usize) {
            let start = ARC * start as usize;
            prefetch_lines::<2, _>(self.words.get(start..).unwrap_or(&[]));
        }
    }

    /// The arcs of a subgoal.
    #[inline(always)]
    pub(super) fn of(&self, number: SubgoalId) -> impl DoubleEndedIterator<Item = Arc> + '_ {
        self.list(number).iter().map(|&words| Arc::from_words(words))
    }

    /// The arc of a subgoal with this number.
    #[inline(always)]
    pub(super) fn nth(&self, number: SubgoalId, arc: usize) -> Option<Arc> {
        self.list(number).get(arc).map(|&words| Arc::from_words(words))
    }

    /// The arc from a lower subgoal to this head.
    #[inline(always)]
    pub(super) fn between(&self, lower: SubgoalId, head: SubgoalId) -> Option<Arc> {
        let list = self.list(lower);
        let at = list.binary_search_by_key(&head, |&[head, ..]| head).ok()?;
        Some(Arc::from_words(list[at]))
    }
}
