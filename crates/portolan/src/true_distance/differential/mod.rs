//! The differential heuristic: lower bounds from true distances to a few landmarks.
//!
//! Known as differential heuristic (DH) in search and as ALT (A*, landmarks, triangle inequality;
//! Goldberg and Harrelson 2005) on roads. A table holds the distance between every node and every
//! landmark (`table.rs`); the triangle inequality makes bounds of them (`bound.rs`), from above as
//! well, which tell a search what it need not keep. Landmarks are placed by one of several rules
//! (`place.rs`), the table may be rounded or have entries dropped (`known.rs`), and it follows
//! edits (`refresh.rs`), anew in the background or in slices (`upkeep.rs`). Landmarks may move to
//! where paths end ([`Adaptive`]), and searches that are over may serve as landmarks
//! ([`Remembered`]).
//!
//! Bounds of whole tables that lose nothing to rounding are consistent, before and after edits;
//! those of others are not.

mod adaptive;
mod bound;
mod config;
mod field;
mod file;
mod filling;
mod known;
mod numbering;
mod place;
mod places;
mod refresh;
mod remembered;
mod renewal;
mod table;
mod upkeep;

pub use adaptive::Adaptive;
use bound::DifferentialBound;
pub use config::{AfterEdits, DifferentialConfig, Placement, Precision};
pub use remembered::Remembered;
pub use renewal::Renewal;
pub use upkeep::LandmarkUpkeep;

use self::bound::End;
use self::numbering::Numbering;
use self::refresh::Effect;
use self::table::{Blank, Entries, Table, on_entries};
use super::ranks::Ranks;
use super::{BoundForm, Stored, StoredKind};
use crate::changes::Changes;
use crate::cost::Cost;
use crate::engine::BuildError;
use crate::graph::NodeId;
use crate::heuristic::{Heuristic, LowerBound};
use crate::kernel;
use crate::map::Map;
use crate::progress::Progress;
use crate::registry::Settings;
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
/// assert!(landmarks.toward(19).at(0) > Some(19 * portolan::cost::STRAIGHT), "the way round the wall");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Differential {
    map: Map,
    table: Table,
    config: DifferentialConfig,
    /// Whether costs have changed that the table knows nothing of.
    stale: bool,
}

impl Differential {
    /// Places landmarks and finds their distances.
    pub fn new(map: &Map, config: &DifferentialConfig) -> Result<Self, BuildError> {
        Self::build(map, config, &())
    }

    /// Where the landmarks are.
    pub fn landmarks(&self) -> &[NodeId] {
        &self.table.landmarks
    }

    /// Never below the distance from one node to another; [`UNREACHABLE`](crate::UNREACHABLE) where
    /// nothing is known.
    pub fn upper_bound(&self, from: NodeId, to: NodeId) -> Cost {
        self.bound_ahead(from, to).upper()
    }

    /// The landmark that bounds the way between two nodes best, by its place in
    /// [`landmarks`](Self::landmarks), and the bound; `None` where none bounds it at all.
    pub fn best_landmark(&self, from: NodeId, to: NodeId) -> Option<(usize, Cost)> {
        let table = &self.table;
        let (group, stride) = (table.group(from), table.stride());
        if group != table.group(to) {
            return None;
        }
        let (start, goal) = (table.numbering.row(from)?, table.numbering.row(to)?);
        let apart = |at: usize| {
            on_entries!(&table.entries, entries => {
                let [start, goal] = [start, goal].map(|row| entries.get(row * stride + at));
                table.apart(at, *start?, *goal?)
            })
        };
        let proven = (0..stride).filter_map(|at| Some((apart(at)?, table.meaning(group, at).0)));
        let best = proven.max_by_key(|&(apart, landmark)| (apart, std::cmp::Reverse(landmark)))?;
        (best.0 > 0).then_some((best.1, best.0))
    }

    /// Whether costs have risen or, for stale bounds, fallen since the landmarks' distances were
    /// found, so that a [`Renewal`] would make bounds tighter.
    pub fn wants_renewal(&self) -> bool {
        !self.table.exact || self.stale
    }

    /// The same landmarks with distances found anew, in slices or on another thread. One whose cell
    /// is blocked by now moves to the nearest that is not.
    pub fn renewal(&self) -> Renewal {
        Renewal::new(self.map.clone(), self.landmarks().to_vec(), &self.config)
    }

    /// The same with some landmarks moved: pairs of a place in [`landmarks`](Self::landmarks) and a
    /// node; a node that cannot be stood on moves none. The distances of those that stay are found
    /// anew as well.
    ///
    /// It knows the map as it is now. Where edits go on meanwhile, let a [`LandmarkUpkeep`] do it.
    pub fn renewal_with(&self, moves: &[(usize, NodeId)]) -> Renewal {
        let mut landmarks = self.landmarks().to_vec();
        for &(place, node) in moves {
            if let Some(landmark) = landmarks.get_mut(place).filter(|_| self.map.contains(node)) {
                *landmark = node;
            }
        }
        Renewal::new(self.map.clone(), landmarks, &self.config)
    }

    /// Whether the bound on the way between two nodes may be above this.
    pub(crate) fn proves_more(&self, from: NodeId, to: NodeId, than: Cost) -> bool {
        let table = &self.table;
        let Entries::Bits32(entries) = &table.entries else { return true };
        if table.directed || !table.is_whole() {
            return true;
        }
        let row = |node: NodeId| {
            let start = table.numbering.row(node)? * table.stride();
            entries.get(start..start + table.stride())
        };
        let (Some(start), Some(goal)) = (row(from), row(to)) else { return true };
        kernel::most_outside(start, goal, goal) > than
    }

    fn bound(&self, node: NodeId, end: End) -> DifferentialBound<'_> {
        DifferentialBound::new(&self.table, &self.map, node, end)
    }

    fn bound_ahead(&self, from: NodeId, to: NodeId) -> DifferentialBound<'_> {
        self.bound(to, End::Target).facing(from, End::Target, self.config.active)
    }

    /// Landmarks of another map, at the same nodes where these are still there.
    fn placed_anew(&self, map: &Map) -> Result<Self, BuildError> {
        let mut config = self.config.clone();
        if self.landmarks().iter().all(|&node| map.contains(node)) {
            config.placement = Placement::At(self.landmarks().to_vec());
        }
        Ok(Self { config: self.config.clone(), ..Self::new(map, &config)? })
    }

    /// How many landmarks fit with how many entries a node, and how rows are found.
    fn plan(map: &Map, directed: bool, config: &DifferentialConfig) -> Result<Plan, BuildError> {
        let limit = config.memory_limit;
        let ways = if directed { 2 } else { 1 };
        let entries = config.kept.unwrap_or(config.landmarks).min(config.landmarks).max(1) as u64;
        let landmarks_for = |fitting: u64| match config.kept {
            // Dropped entries make room for all landmarks that were asked for.
            Some(_) => config.landmarks,
            None => config.landmarks.min(fitting as usize),
        };
        let listed = (config.landmarks as u64).saturating_mul(4);
        let fits = |rows: usize, extra: u64| -> (u64, u64) {
            let column = rows as u64 * ways * config.precision.bytes();
            let beside = listed.saturating_add(extra);
            let fitting = match limit.checked_sub(beside) {
                Some(left) => left.checked_div(column).unwrap_or(entries),
                None => 0,
            };
            (fitting.min(entries), column.saturating_add(beside))
        };
        let (nodes, usable) = (map.node_count(), map.usable_count());
        let (by_id, needed) = fits(nodes, 0);
        let (ranked, needed_ranked) = fits(usable, Ranks::bytes(nodes));
        if by_id.max(ranked) == 0 && config.landmarks > 0 {
            let needed = needed.min(needed_ranked);
            return Err(BuildError::MemoryLimit { needed, limit, smaller: None });
        }
        let (kept, is_ranked) = if by_id >= ranked { (by_id, false) } else { (ranked, true) };
        let numbering = match is_ranked {
            true => Numbering::Ranked(Ranks::of(map)),
            false => Numbering::ById { rows: nodes },
        };
        Ok(Plan { landmarks: landmarks_for(kept), kept: kept as usize, numbering })
    }
}

/// What fits into the memory limit.
struct Plan {
    landmarks: usize,
    kept: usize,
    numbering: Numbering,
}

impl Heuristic for Differential {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.bound(target, End::Target)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.bound(source, End::Source)
    }

    fn ahead(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.bound_ahead(from, to)
    }

    fn behind(&self, from: NodeId, to: NodeId) -> impl LowerBound {
        self.bound(from, End::Source).facing(to, End::Source, self.config.active)
    }

    fn is_consistent(&self) -> bool {
        // An entry that says nothing leaves a gap beside one that says much.
        self.table.is_whole() && self.table.blank != Blank::Unknown && !self.stale
    }

    /// Dropped entries: each node has those of a few landmarks, and its neighbours those of others.
    fn is_patchy(&self) -> bool {
        self.table.groups > 1
    }

    fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }
}

impl Stored for Differential {
    type Config = DifferentialConfig;

    const KIND: StoredKind = StoredKind::Differential;

    fn configure(settings: &Settings, memory_limit: u64) -> DifferentialConfig {
        DifferentialConfig::from_settings(settings, memory_limit)
    }

    fn is_exact(config: &DifferentialConfig) -> bool {
        config.after_edits == AfterEdits::Exact
    }

    fn build(
        map: &Map,
        config: &DifferentialConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let directed = !map.is_undirected();
        let plan = Self::plan(map, directed, config)?;
        let table = place::place(map, config, directed, plan, progress)?;
        Ok(Self { map: map.clone(), table, config: config.clone(), stale: false })
    }

    /// Sound at once, or stale where that was chosen; tight again after a [`Renewal`].
    fn refreshed(&self, map: &Map, changes: &Changes) -> Result<Self, BuildError> {
        if !map.follows(&self.map, changes) {
            return Self::new(map, &self.config);
        }
        let effect = Effect::of(&self.map, map, changes);
        let mut next = Self { map: map.clone(), ..self.clone() };
        match self.config.after_edits {
            AfterEdits::Stale => {
                next.table.exact = false;
                next.stale |= effect.falls;
                if next.stale {
                    next.table.blank = Blank::Unknown;
                }
                next.table = next.table.renumbered(map);
            }
            AfterEdits::Exact => match refresh::mended(&self.table, map, changes, effect) {
                Some(table) => next.table = table.renumbered(map),
                None => return self.placed_anew(map),
            },
        }
        // New nodes make a table larger.
        match next.memory_bytes() as u64 > self.config.memory_limit {
            true => self.placed_anew(map),
            false => Ok(next),
        }
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
        file::store(&self.table, self.stale, writer);
    }

    /// Where landmarks lie and what is known of them is the file's; the rest is the
    /// configuration's. Stale distances are opened only by those who have chosen to have such.
    fn open(index: &IndexFile, map: &Map, config: &DifferentialConfig) -> Result<Self, OpenError> {
        let (table, stale) = file::open(index, map)?;
        if stale && Self::is_exact(config) {
            return Err(file::stale());
        }
        Ok(Self { map: map.clone(), table, config: config.clone(), stale })
    }
}
