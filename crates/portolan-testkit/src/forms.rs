//! Every form that an Atlas of a map can have.

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::{Engine, Map};

/// A form with leaves of this size.
pub fn config(form: Form, leaf: usize) -> AtlasConfig {
    AtlasConfig { form, leaf_size: Some(leaf), ..AtlasConfig::default() }
}

/// The general forms: rows for every node, tables alone, and rows at the borders of leaves. Small maps may have no smaller
/// form than the one without rows.
pub fn general(map: &Map, leaf: usize) -> Vec<Atlas> {
    let build = |config: &AtlasConfig| Atlas::build(map, config);
    let full = build(&config(Form::General, leaf)).expect("every map has this form");
    let memory_limit = Some(Engine::memory_bytes(&full) as u64 - 1);
    let smaller = build(&AtlasConfig { memory_limit, ..config(Form::General, leaf) });
    let climb = build(&config(Form::Climb, leaf)).expect("every map has this form");
    [full, climb].into_iter().chain(smaller.ok()).collect()
}

/// Those, and labels of subgoals where the map allows that: plain ones, and ones in codes where these are smaller.
pub fn all(map: &Map, leaf: usize) -> Vec<Atlas> {
    let uniform = Atlas::build(map, &config(Form::Uniform, leaf)).ok();
    let in_codes = uniform.as_ref().and_then(|plain| {
        let memory_limit = Some(Engine::memory_bytes(plain) as u64 - 1);
        Atlas::build(map, &AtlasConfig { memory_limit, ..config(Form::Uniform, leaf) }).ok()
    });
    general(map, leaf).into_iter().chain(uniform).chain(in_codes).collect()
}
