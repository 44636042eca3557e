//! Every form that an Atlas of a map can have.

use portolan::atlas::{Atlas, AtlasConfig, AtlasLabels, Form};
use portolan::{Build, Engine, Map};

/// A form with leaves of this size.
pub fn config(form: Form, leaf: usize) -> AtlasConfig {
    AtlasConfig { form, leaf_size: Some(leaf), ..AtlasConfig::default() }
}

/// The general forms: rows for every node, tables alone, and rows at the borders of leaves. Small
/// maps may have no smaller form than the one without rows.
pub fn general(map: &Map, leaf: usize) -> Vec<Atlas> {
    let build = |config: &AtlasConfig| Atlas::build(map, config);
    let full = build(&config(Form::General, leaf)).expect("every map has this form");
    let memory_limit = Engine::memory_bytes(&full) as u64 - 1;
    let smaller = build(&AtlasConfig { memory_limit, ..config(Form::General, leaf) });
    let climb = build(&config(Form::Climb, leaf)).expect("every map has this form");
    [full, climb].into_iter().chain(smaller.ok()).collect()
}

/// Labels of subgoals where the map allows that, each form with a limit that the one before does
/// not keep to: with lists of what cells see, without, and in codes.
pub fn uniform(map: &Map, leaf: usize) -> impl Iterator<Item = Atlas> {
    let build = move |memory_limit: u64| {
        Atlas::build(map, &AtlasConfig { memory_limit, ..config(Form::Uniform, leaf) }).ok()
    };
    std::iter::successors(build(1 << 40), move |larger| {
        build(Engine::memory_bytes(larger) as u64 - 1)
    })
}

/// All of those.
pub fn all(map: &Map, leaf: usize) -> Vec<Atlas> {
    general(map, leaf).into_iter().chain(uniform(map, leaf)).collect()
}

/// Whether labels of subgoals are in codes.
pub fn in_codes(atlas: &Atlas) -> bool {
    matches!(labels(atlas), AtlasLabels::Subgoals { codes: true, .. })
}

/// Which labels there are.
pub fn labels(atlas: &Atlas) -> AtlasLabels {
    atlas.form().labels
}
