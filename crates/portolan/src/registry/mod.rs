//! The list of all methods, and generic settings to build them by name.

mod configure;
mod settings;

pub use settings::Settings;

use crate::atlas::{Atlas, AtlasConfig, Form};
use crate::build::{BuildError, Progress, Unsupported};
use crate::engine::{Build, Engine};
use crate::hpa::{Hpa, HpaConfig, Shpa, ShpaConfig};
use crate::map::Map;
use crate::portal::bound::PortalConfig;
use crate::portal::{PerfectPortal, PortalSearch};
use crate::ppa::{Ppa, PpaConfig};
use crate::search_engine::{Algorithm, SearchConfig, SearchEngine};
use crate::store::{IndexFile, OpenError, Unstorable};
use crate::trace::{event, span};
use crate::true_distance::StoredKind;

/// All methods by name.
pub static METHODS: &[&dyn Method] = &[
    &RegisteredMethod::<SearchEngine>::new("dijkstra", "Dijkstra's algorithm, the reference", |settings| SearchConfig::from_settings(Algorithm::Dijkstra, settings)),
    &RegisteredMethod::<SearchEngine>::new("astar", "A* with a geometric lower bound", |settings| SearchConfig::from_settings(Algorithm::AStar, settings)).bounds(StoredBounds::Used),
    &RegisteredMethod::<SearchEngine>::new("bidirectional", "A* from both ends at once", |settings| SearchConfig::from_settings(Algorithm::Bidirectional, settings)).bounds(StoredBounds::Used),
    &RegisteredMethod::<SearchEngine>::new("differential", "A* with stored distances to landmarks", |settings| SearchConfig::named(StoredKind::Differential, settings)).bounds(StoredBounds::Used),
    &RegisteredMethod::<SearchEngine>::new("differential-stale", "the same, fast and slightly stale: edits cost nothing and may hide short cuts", SearchConfig::stale_landmarks).inexact().bounds(StoredBounds::Used),
    &RegisteredMethod::<SearchEngine>::new("canonical", "A* with stored distances between canonical nodes", |settings| SearchConfig::named(StoredKind::Canonical, settings)).bounds(StoredBounds::Used).rebuilt_after_edits(),
    &RegisteredMethod::<SearchEngine>::new("border", "A* with stored distances between the borders of regions", |settings| SearchConfig::named(StoredKind::Border, settings)).bounds(StoredBounds::Used).rebuilt_after_edits(),
    &RegisteredMethod::<SearchEngine>::new("gateway", "A* with stored distances between the gates of zones", |settings| SearchConfig::named(StoredKind::Gateway, settings)).bounds(StoredBounds::Used).rebuilt_after_edits(),
    &RegisteredMethod::<SearchEngine>::new("portal", "A* with stored distances between the portals of regions", |settings| SearchConfig::named(StoredKind::Portal, settings)).bounds(StoredBounds::Used).rebuilt_after_edits(),
    &RegisteredMethod::<PortalSearch>::new("portal-search", "Portal-Based Search: two regions, joined by stored distances between portals", |settings| PortalConfig::from_settings(settings, settings.memory_limit.least_bytes())).bounds(StoredBounds::Own).rebuilt_after_edits(),
    &RegisteredMethod::<PerfectPortal>::new("perfect-portal", "the perfect portal heuristic: paths between regions are read off without a search", |settings| PortalConfig::from_settings(settings, settings.memory_limit.least_bytes())).bounds(StoredBounds::Own).rebuilt_after_edits(),
    &RegisteredMethod::<Ppa>::new("ppa", "Partially Precomputed A*: a hierarchy of subgraphs with all-pairs tables", |settings| PpaConfig::from_settings(settings, false)).bounds(StoredBounds::Used),
    &RegisteredMethod::<Ppa>::new("ppa-bidirectional", "the same tables, searched from both ends at once", |settings| PpaConfig::from_settings(settings, true)).bounds(StoredBounds::Used),
    &RegisteredMethod::<Atlas>::new("atlas", "our exact index, in the fastest form that the memory limit allows", |settings| AtlasConfig::from_settings(settings, Form::Fastest)),
    &RegisteredMethod::<Atlas>::new("atlas-uniform", "the same with labels of the corners of a grid of one terrain", |settings| AtlasConfig::from_settings(settings, Form::Uniform)),
    &RegisteredMethod::<Atlas>::new("atlas-general", "the same with labels over the general core", |settings| AtlasConfig::from_settings(settings, Form::General)),
    &RegisteredMethod::<Atlas>::new("atlas-climb", "the same without labels: least memory, quickest to follow edits", |settings| AtlasConfig::from_settings(settings, Form::Climb)),
    &RegisteredMethod::<Hpa>::new("hpa", "HPA*: clusters of cells with known costs between their entrances", |settings| HpaConfig::from_settings(settings, false)).inexact().bounds(StoredBounds::Refused),
    &RegisteredMethod::<Hpa>::new("dhpa", "DHPA*: the same with costs and directions from every cell to its cluster's entrances", |settings| HpaConfig::from_settings(settings, true)).inexact().bounds(StoredBounds::Refused),
    &RegisteredMethod::<Shpa>::new("shpa", "SHPA*: merged clusters and straight lines between their entrances, for maps that stay as they are", ShpaConfig::from_settings).inexact().bounds(StoredBounds::Refused),
];

/// The method of this name, or an error that lists all names.
pub(crate) fn named(name: &str) -> Result<&'static dyn Method, UnknownEngine> {
    method(name).ok_or_else(|| UnknownEngine { name: name.to_owned() })
}

/// The method of this name.
pub fn method(name: &str) -> Option<&'static dyn Method> {
    METHODS.iter().copied().find(|method| method.name() == name)
}

/// No engine has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine is called `{name}`; {}there are {}", suggestion(name), known_names())]
pub struct UnknownEngine {
    /// The name that was given.
    pub name: String,
}

fn suggestion(name: &str) -> String {
    let name = name.to_lowercase();
    let names = METHODS.iter().map(|method| method.name());
    let nearest = names.map(|known| (strsim::damerau_levenshtein(&name, known), known)).min();
    match nearest {
        Some((distance, known)) if distance <= known.len() / 2 => {
            format!("did you mean `{known}`? ")
        }
        _ => String::new(),
    }
}

fn known_names() -> String {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
    names.join(", ")
}

/// A method by name, with its types erased.
pub trait Method: Sync {
    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest paths.
    fn exact(&self) -> bool;

    /// A short description.
    fn summary(&self) -> &'static str;

    /// Whether [`Engine::refresh`] reuses what an edit does not reach. If not, it builds from
    /// scratch, which takes as long as a build.
    fn follows_edits(&self) -> bool;

    /// What it does with [`Settings::stored`].
    fn stored_bounds(&self) -> StoredBounds;

    /// Whether it can be built on this map with these settings, and if not, why.
    fn supports(&self, map: &Map, settings: &Settings) -> Result<(), Unsupported>;

    /// Precomputes what the method needs.
    fn build(&self, map: &Map, settings: &Settings) -> Result<Box<dyn Engine>, BuildError> {
        self.build_watched(map, settings, &())
    }

    /// [`build`](Self::build) that reports progress and can be cancelled.
    fn build_watched(
        &self,
        map: &Map,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Engine>, BuildError>;

    /// See [`Build::storable`].
    fn storable(&self, settings: &Settings) -> Result<(), Unstorable>;

    /// See [`Build::open`]. A file of another engine is refused.
    fn open(
        &self,
        index: &IndexFile,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn Engine>, OpenError>;
}

/// What a method does with the stored bounds of the [`Settings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoredBounds {
    /// Its searches use them.
    Used,
    /// It answers without a search that could use them.
    Ignored,
    /// Its searches use portals and no other stored bounds.
    Own,
    /// Its searches cannot use them.
    Refused,
}

/// An entry of the list of methods.
struct RegisteredMethod<E: Build> {
    name: &'static str,
    summary: &'static str,
    configure: fn(&Settings) -> E::Config,
    exact: bool,
    follows_edits: bool,
    stored_bounds: StoredBounds,
}

impl<E: Build> RegisteredMethod<E> {
    /// An exact method that follows edits and ignores stored bounds.
    const fn new(
        name: &'static str,
        summary: &'static str,
        configure: fn(&Settings) -> E::Config,
    ) -> Self {
        let stored_bounds = StoredBounds::Ignored;
        Self { name, summary, configure, exact: true, follows_edits: true, stored_bounds }
    }

    /// The configuration for a map.
    fn config_on(&self, map: &Map, settings: &Settings) -> E::Config {
        (self.configure)(&settings.on(map))
    }

    const fn inexact(self) -> Self {
        Self { exact: false, ..self }
    }

    const fn rebuilt_after_edits(self) -> Self {
        Self { follows_edits: false, ..self }
    }

    const fn bounds(self, stored_bounds: StoredBounds) -> Self {
        Self { stored_bounds, ..self }
    }
}

impl<E: Build> Method for RegisteredMethod<E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn exact(&self) -> bool {
        self.exact
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn follows_edits(&self) -> bool {
        self.follows_edits
    }

    fn stored_bounds(&self) -> StoredBounds {
        self.stored_bounds
    }

    fn supports(&self, map: &Map, settings: &Settings) -> Result<(), Unsupported> {
        E::supports(map, &self.config_on(map, settings))
    }

    fn build_watched(
        &self,
        map: &Map,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Engine>, BuildError> {
        span!("build", engine = self.name, nodes = map.node_count());
        let engine = E::build_watched(map, &self.config_on(map, settings), progress)?;
        event!(bytes = engine.memory_bytes(), "built");
        Ok(Box::new(engine))
    }

    fn storable(&self, settings: &Settings) -> Result<(), Unstorable> {
        E::storable(&(self.configure)(settings))
    }

    fn open(
        &self,
        index: &IndexFile,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn Engine>, OpenError> {
        span!("open", engine = self.name, nodes = map.node_count());
        index.check_engine(self.name)?;
        Ok(Box::new(E::open(index, map, &self.config_on(map, settings))?))
    }
}
