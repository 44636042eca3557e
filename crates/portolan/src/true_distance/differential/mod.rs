//! The differential heuristic: lower bounds from true distances to a few landmarks.
//!
//! Known as the differential heuristic (DH) in heuristic search, and as ALT (A*, landmarks,
//! triangle inequality; Goldberg and Harrelson 2005) on road networks. Bounds of complete tables
//! without rounding are consistent, before and after edits. Others are not. Read in this order:
//!
//! - `config.rs`: the build options.
//! - `table/`: the table, with the distance between every node and every landmark. It may be
//!   rounded or have dropped entries.
//! - `placement/`: where landmarks go. `landmark_distances.rs` has the distances of one of them.
//! - `bound.rs`: bounds from the table by the triangle inequality, from below and from above.
//!   `nearby.rs` replaces dropped entries of the fixed end. `guided.rs` is A* with these bounds.
//! - `refresh.rs`: how a table follows edits. `renewal.rs` computes it again, in slices or on
//!   another thread. [`World`](crate::world::World) does so while edits go on.
//! - `adaptive.rs`, `remembered.rs`: landmarks that move to frequent goals, and finished searches
//!   as landmarks.

mod adaptive;
mod bound;
mod config;
mod guided;
mod landmark_distances;
mod nearby;
mod placement;
mod refresh;
mod remembered;
mod renewal;
mod table;

pub use adaptive::Adaptive;
pub use config::{AfterEdits, DifferentialConfig, Placement, Precision};
pub(crate) use guided::find;
pub use remembered::Remembered;
pub use renewal::Renewal;

use self::bound::DifferentialBound;
use self::refresh::CostEffect;
use self::table::{Blank, Entries, Table, TablePlan, on_width};
use super::{BoundForm, StoredHeuristic, StoredKind};
use crate::build::{BuildError, Progress};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::graph::{Direction, NodeId};
use crate::heuristic::{Heuristic, LowerBound};
use crate::kernel;
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError};

/// Lower bounds from landmarks.
///
/// ```
/// use portolan::true_distance::{Differential, DifferentialConfig};
/// use portolan::heuristic::{Heuristic, LowerBound};
/// use portolan::{Grid, Map};
/// let map = Map::from(Grid::from_fn(20, 9, |x, y| x != 10 || y == 8)?);
/// let landmarks = Differential::new(&map, &DifferentialConfig::default())?;
/// assert_eq!(landmarks.landmarks().len(), 8);
/// assert!(landmarks.toward(19).at(0) > Some(19 * portolan::cost::STRAIGHT), "the path around the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Differential {
    map: Map,
    table: Table,
    config: DifferentialConfig,
    /// Whether costs have fallen since, so that bounds may be too high.
    stale: bool,
}

impl Differential {
    /// The landmarks.
    pub fn landmarks(&self) -> &[NodeId] {
        &self.table.landmarks
    }

    /// An upper bound on the distance between two nodes; [`UNREACHABLE`](crate::UNREACHABLE) if
    /// none is known.
    pub fn upper_bound(&self, from: NodeId, to: NodeId) -> Cost {
        self.search_bound(from, to).upper()
    }

    /// The landmark with the best bound between two nodes, as an index into
    /// [`landmarks`](Self::landmarks), and the bound. `None` if all bounds are zero.
    pub fn best_landmark(&self, from: NodeId, to: NodeId) -> Option<(usize, Cost)> {
        let table = &self.table;
        let (group, stride) = (table.group(from), table.stride());
        if group != table.group(to) {
            return None;
        }
        let (start, goal) = (table.numbering.row(from)?, table.numbering.row(to)?);
        let bound = |at: usize| {
            on_width!(Entries, &table.entries, entries => {
                let [start, goal] = [start, goal].map(|row| entries.get(row * stride + at));
                table.bound_at(at, *start?, *goal?)
            })
        };
        let proven =
            (0..stride).filter_map(|at| Some((bound(at)?, table.landmark_of(group, at).0)));
        let best = proven.max_by_key(|&(bound, landmark)| (bound, std::cmp::Reverse(landmark)))?;
        (best.0 > 0).then_some((best.1, best.0))
    }

    /// Whether a [`Renewal`] would improve the bounds: costs have risen since the distances were
    /// computed or, for stale bounds, fallen.
    pub fn wants_renewal(&self) -> bool {
        !self.table.exact || self.stale
    }

    /// Computes the distances again, in slices or on another thread. A landmark on a cell that is
    /// now blocked moves to the nearest passable one.
    pub fn renewal(&self) -> Renewal {
        Renewal::new(self.map.clone(), self.landmarks().to_vec(), &self.config)
    }

    /// Like [`renewal`](Self::renewal), with some landmarks moved: pairs of an index into
    /// [`landmarks`](Self::landmarks) and a node. Unusable nodes are ignored. The distances of the
    /// other landmarks are computed again too.
    ///
    /// It works on the current map. If edits go on meanwhile, use
    /// [`World::rebuild_with`](crate::world::World::rebuild_with).
    pub fn renewal_with(&self, moves: &[(usize, NodeId)]) -> Renewal {
        let mut landmarks = self.landmarks().to_vec();
        for &(index, node) in moves {
            if let Some(landmark) = landmarks.get_mut(index).filter(|_| self.map.contains(node)) {
                *landmark = node;
            }
        }
        Renewal::new(self.map.clone(), landmarks, &self.config)
    }

    /// The number of landmarks and the size of the table that [`new`](StoredHeuristic::build) would
    /// compute.
    pub(crate) fn planned(
        map: &Map,
        config: &DifferentialConfig,
    ) -> Result<(usize, u64), BuildError> {
        let directed = !map.is_undirected();
        let plan = TablePlan::new(map, directed, config)?;
        let landmarks = plan.landmarks.min(placement::Candidates::of(map, directed).nodes.len());
        let entries = (plan.kept.min(landmarks) << u32::from(directed)) * plan.numbering.rows();
        let table = entries as u64 * config.precision.bytes();
        let beside = size_of::<NodeId>() * landmarks + plan.numbering.memory_bytes();
        Ok((landmarks, table + beside as u64))
    }

    /// The landmarks for `map`, to which `changes` have already been applied, if that takes no new
    /// searches from them. New nodes make the table larger.
    pub(crate) fn repaired(&self, map: &Map, changes: &Changes) -> Option<Self> {
        let effect = CostEffect::of(&self.map, map, changes);
        let table = refresh::repaired(&self.table, map, changes, effect)?.renumbered(map);
        Some(Self { map: map.clone(), table, ..self.clone() })
    }

    /// The same distances for `map`, to which `changes` have already been applied.
    fn left_stale(&self, map: &Map, changes: &Changes) -> Self {
        let mut next = Self { map: map.clone(), ..self.clone() };
        next.table.exact = false;
        next.stale |= CostEffect::of(&self.map, map, changes).falls;
        if next.stale {
            next.table.blank = Blank::Unknown;
        }
        next.table = next.table.renumbered(map);
        next
    }

    /// Whether the bound between two nodes may be above `than`. `true` if that is not known.
    pub(crate) fn may_exceed(&self, from: NodeId, to: NodeId, than: Cost) -> bool {
        let table = &self.table;
        let Entries::Bits32(entries) = &table.entries else { return true };
        if table.directed || !table.is_lossless() {
            return true;
        }
        let row = |node: NodeId| {
            let start = table.numbering.row(node)? * table.stride();
            entries.get(start..start + table.stride())
        };
        let (Some(start), Some(goal)) = (row(from), row(to)) else { return true };
        kernel::most_outside(start, goal, goal) > than
    }

    fn bound(&self, node: NodeId, direction: Direction) -> DifferentialBound<'_> {
        DifferentialBound::new(&self.table, &self.map, node, direction)
    }

    fn search_bound(&self, from: NodeId, to: NodeId) -> DifferentialBound<'_> {
        self.bound(to, Direction::Forward).for_search(from, Direction::Forward, self.config.active)
    }

    /// A new build for another map, with the same landmarks if all of them are usable there.
    fn rebuilt(&self, map: &Map) -> Result<Self, BuildError> {
        let mut config = self.config.clone();
        if self.landmarks().iter().all(|&node| map.contains(node)) {
            config.placement = Placement::At(self.landmarks().to_vec());
        }
        Ok(Self { config: self.config.clone(), ..Self::new(map, &config)? })
    }
}

impl Heuristic for Differential {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, Direction::Forward)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, Direction::Backward)
    }

    fn forward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.search_bound(from, to)
    }

    fn backward(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.bound(from, Direction::Backward).for_search(
            to,
            Direction::Backward,
            self.config.active,
        )
    }

    fn is_consistent(&self) -> bool {
        // Beside an entry without information, the bound may drop by more than the edge weight.
        self.table.is_lossless() && self.table.blank != Blank::Unknown && !self.stale
    }

    /// With dropped entries, neighbours have entries for different landmarks.
    fn wants_pathmax(&self) -> bool {
        self.table.groups > 1
    }

    fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }
}

impl StoredHeuristic for Differential {
    type Config = DifferentialConfig;

    const KIND: StoredKind = StoredKind::Differential;

    fn is_exact(config: &DifferentialConfig) -> bool {
        config.after_edits == AfterEdits::Exact
    }

    fn build(
        map: &Map,
        config: &DifferentialConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let directed = !map.is_undirected();
        let plan = TablePlan::new(map, directed, config)?;
        let table = placement::place(map, config, directed, plan, progress)?;
        Ok(Self { map: map.clone(), table, config: config.clone(), stale: false })
    }

    /// Admissible, or stale if the config allows that. A [`Renewal`] makes the bounds tight again.
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        if !map.follows(&self.map, changes) {
            return Self::new(map, &self.config);
        }
        let next = match self.config.after_edits {
            AfterEdits::Exact => self.repaired(map, changes),
            AfterEdits::Stale => Some(self.left_stale(map, changes)),
        };
        // New nodes make the table larger.
        let fits = |next: &Self| next.memory_bytes() as u64 <= self.config.memory_limit;
        next.filter(fits).map_or_else(|| self.rebuilt(map), Ok)
    }

    fn form(&self) -> BoundForm {
        let Table { landmarks, kept, groups, .. } = &self.table;
        BoundForm::Landmarks {
            landmarks: landmarks.len(),
            placement: self.config.placement.clone(),
            kept: (*groups > 1).then_some(*kept),
            precision: self.table.precision(),
            passable_only: self.table.numbering.is_ranked(),
        }
    }

    fn store<'a>(&'a self, writer: &mut IndexWriter<'a>) {
        table::file::store(&self.table, self.stale, writer);
    }

    /// Landmarks and distances come from the file, the rest from the config. Stale distances are
    /// accepted only if the config allows stale bounds.
    fn open(index: &IndexFile, map: &Map, config: &DifferentialConfig) -> Result<Self, OpenError> {
        let (table, stale) = table::file::open(index, map)?;
        if stale && Self::is_exact(config) {
            return Err(table::file::stale_error());
        }
        Ok(Self { map: map.clone(), table, config: config.clone(), stale })
    }
}
