//! Which methods of the registry can do what, found by trying them on a small map.

use portolan::registry::{METHODS, Method};
use portolan::true_distance::StoredKind;
use portolan::{Grid, Map, Settings};

/// Methods whose index can be stored with the default settings.
pub fn storable() -> impl Iterator<Item = &'static dyn Method> {
    METHODS.iter().copied().filter(|method| method.storable(&Settings::default()).is_ok())
}

/// Methods that use the stored bounds of the settings: they take more memory with one.
///
/// # Panics
/// If a method cannot be built on an open grid.
pub fn with_stored_bounds() -> Vec<&'static dyn Method> {
    let map = Map::from(Grid::new(8, 8).expect("a small size"));
    let bytes = |method: &dyn Method, stored: Vec<StoredKind>| {
        let settings = Settings { stored, ..Settings::default() };
        method.build(&map, &settings).map(|engine| engine.memory_bytes())
    };
    let takes_bounds = |method: &&dyn Method| {
        let with = StoredKind::ALL.iter().map(|&kind| bytes(*method, vec![kind]));
        let without = bytes(*method, Vec::new()).expect("an open grid is supported");
        with.flatten().all(|with| with > without)
    };
    METHODS.iter().copied().filter(takes_bounds).collect()
}
