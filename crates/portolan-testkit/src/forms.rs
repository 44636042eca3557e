//! Every form that an Atlas of a map can have, and of every engine that index files can keep.

use std::fmt;

use portolan::atlas::{Atlas, AtlasConfig, AtlasLabels, Form};
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::registry::{METHODS, method};
use portolan::store::{IndexFile, OpenError};
use portolan::true_distance::DifferentialConfig;
use portolan::true_distance::differential::Precision;
use portolan::{Build, Engine, Map, Settings};

/// A form with leaves of this size.
pub fn config(form: Form, leaf: usize) -> AtlasConfig {
    AtlasConfig { form, leaf_size: Some(leaf), ..AtlasConfig::default() }
}

/// The general forms: rows for every node, tables alone, and rows at the borders of leaves. Small
/// maps may have no smaller form than the one without rows.
pub fn general(map: &Map, leaf: usize) -> Vec<Atlas> {
    general_on(map, leaf, 0)
}

fn general_on(map: &Map, leaf: usize, threads: usize) -> Vec<Atlas> {
    let build =
        |config: &AtlasConfig| Atlas::build(map, &AtlasConfig { threads, ..config.clone() });
    let full = build(&config(Form::General, leaf)).expect("every map has this form");
    let memory_limit = (Engine::memory_bytes(&full) as u64 - 1).into();
    let smaller = build(&AtlasConfig { memory_limit, ..config(Form::General, leaf) });
    let climb = build(&config(Form::Climb, leaf)).expect("every map has this form");
    [full, climb].into_iter().chain(smaller.ok()).collect()
}

/// Labels of subgoals where the map allows that, each form with a limit that the one before does
/// not keep to: with lists of what cells see, without, and in codes.
pub fn uniform(map: &Map, leaf: usize) -> impl Iterator<Item = Atlas> {
    uniform_on(map, leaf, 0)
}

fn uniform_on(map: &Map, leaf: usize, threads: usize) -> impl Iterator<Item = Atlas> {
    let build = move |memory_limit: u64| {
        let memory_limit = memory_limit.into();
        let config = AtlasConfig { memory_limit, threads, ..config(Form::Uniform, leaf) };
        Atlas::build(map, &config).ok()
    };
    std::iter::successors(build(1 << 40), move |larger| {
        build(Engine::memory_bytes(larger) as u64 - 1)
    })
}

/// Searches instead of an index: without landmarks, and with more and more of them.
pub fn searches(map: &Map) -> impl Iterator<Item = Atlas> {
    searches_on(map, 0)
}

fn searches_on(map: &Map, threads: usize) -> impl Iterator<Item = Atlas> {
    let nodes = map.node_count() as u64;
    let build = move |memory_limit: u64| {
        let memory_limit = memory_limit.into();
        let config = AtlasConfig { memory_limit, threads, ..AtlasConfig::default() };
        Atlas::build(map, &config).expect("no limit is refused")
    };
    // A few bytes a node beside a list of landmarks.
    let limits = [0, 2 * nodes + 100, 3 * nodes + 100, 9 * nodes + 100, 40 * nodes + 100];
    let is_search = |atlas: &Atlas| matches!(labels(atlas), AtlasLabels::Search { .. });
    limits.into_iter().map(build).filter(is_search)
}

/// All of those.
pub fn all(map: &Map, leaf: usize) -> Vec<Atlas> {
    all_on(map, leaf, 0)
}

fn all_on(map: &Map, leaf: usize, threads: usize) -> Vec<Atlas> {
    let indexes = general_on(map, leaf, threads).into_iter().chain(uniform_on(map, leaf, threads));
    indexes.chain(searches_on(map, threads)).collect()
}

/// Whether labels of subgoals are in codes.
pub fn in_codes(atlas: &Atlas) -> bool {
    matches!(labels(atlas), AtlasLabels::Subgoals { codes: true, .. })
}

/// Which labels there are.
pub fn labels(atlas: &Atlas) -> AtlasLabels {
    atlas.form().labels
}

/// An engine that an index file can keep, and how it is opened by somebody who knows its name alone.
pub struct Storable {
    /// Its name and how it was configured, for messages.
    pub name: String,
    /// The engine as it was built.
    pub engine: Box<dyn Engine>,
    open: Box<Open>,
}

type Open = dyn Fn(&IndexFile, &Map) -> Result<Box<dyn Engine>, OpenError>;

impl fmt::Debug for Storable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Storable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Storable {
    fn new<E: Build>(name: String, engine: E, config: E::Config) -> Self
    where
        E::Config: 'static,
    {
        let open = move |index: &IndexFile, map: &Map| {
            E::open(index, map, &config).map(|engine| Box::new(engine) as Box<dyn Engine>)
        };
        Self { name, engine: Box::new(engine), open: Box::new(open) }
    }

    /// Opens the engine in the bytes of a file.
    pub fn open(&self, bytes: &[u8], map: &Map) -> Result<Box<dyn Engine>, OpenError> {
        (self.open)(&IndexFile::from_bytes(bytes.to_vec())?, map)
    }
}

/// Every method that files can keep, landmarks of every precision, every form of Atlas with leaves
/// of this size, and every table of `ppa` with so many cuts.
///
/// # Panics
/// If one cannot be built on a map that it supports.
pub fn storable(map: &Map, leaf: usize, splits: usize, threads: usize) -> Vec<Storable> {
    let usual = Settings { threads, ..Settings::default() };
    let landmarks = DifferentialConfig::default();
    let different = [
        DifferentialConfig { precision: Precision::Bits8, ..landmarks.clone() },
        DifferentialConfig { precision: Precision::Bits16, ..landmarks.clone() },
        DifferentialConfig { landmarks: 9, kept: Some(2), ..landmarks },
    ];
    let different = different.map(|differential| {
        let method = method("differential").expect("a registered method");
        (method, Settings { differential, ..usual.clone() })
    });
    let methods = METHODS.iter().map(|&method| (method, usual.clone())).chain(different);
    let usable = methods.filter(|(method, settings)| {
        method.storable(settings).is_ok() && method.supports(map, settings).is_ok()
    });
    let methods = usable.map(|(method, settings)| Storable {
        name: method.name().to_owned(),
        engine: method.build(map, &settings).expect("a supported map"),
        open: Box::new(move |index, map| method.open(index, map, &settings)),
    });
    let atlases = all_on(map, leaf, threads).into_iter().map(|atlas| {
        let name = format!("{}, {:?}", atlas.name(), atlas.form());
        Storable::new(name, atlas, AtlasConfig { threads, ..AtlasConfig::default() })
    });
    let tables = [Tables::Distances, Tables::Steps].into_iter();
    let tables = tables.flat_map(|tables| [(tables, false), (tables, true)]);
    let ppas = tables.map(|(tables, bidirectional)| {
        let plain = PpaConfig { bidirectional, threads, ..PpaConfig::default() };
        let (branching, splits) = (2 + splits % 3, Some(splits));
        let config = PpaConfig { branching, splits, tables, ..plain.clone() };
        let ppa = Ppa::build(map, &config).expect("every map is supported");
        Storable::new(format!("{config:?}"), ppa, plain)
    });
    methods.chain(atlases).chain(ppas).collect()
}
