//! Which methods of the registry can do what, found by trying them on a small map.

use portolan::portal::bound::PortalSummary;
use portolan::registry::{METHODS, Method};
use portolan::true_distance::{BoundForm, BoundForms, StoredKind};
use portolan::{Grid, Map, Settings};

/// How a method uses regions, as its form on a small map shows.
#[derive(Debug, Clone, Copy)]
pub struct RegionTables {
    /// It has tables of regions, which grow with the memory limit.
    pub fill_the_limit: bool,
    /// Its regions meet at portals.
    pub cut_portals: bool,
}

impl RegionTables {
    /// Builds the method on a small open grid and looks at its form.
    pub fn of(method: &dyn Method) -> Self {
        let map = Map::from(Grid::new(8, 8).expect("a small size"));
        let built = method.build(&map, &Settings::default()).ok();
        let Some(form) = built.and_then(|engine| engine.form()) else {
            return Self { fill_the_limit: false, cut_portals: false };
        };
        let bounds = form.downcast_ref::<BoundForms>().map_or(&[][..], |bounds| &bounds.0);
        let are_landmarks = |bound: &BoundForm| matches!(bound, BoundForm::Landmarks { .. });
        let are_portals = |bound: &BoundForm| matches!(bound, BoundForm::Portal(_));
        let cut_portals =
            form.downcast_ref::<PortalSummary>().is_some() || bounds.iter().any(are_portals);
        Self { fill_the_limit: cut_portals || !bounds.iter().all(are_landmarks), cut_portals }
    }
}

/// Methods with tables of regions.
pub fn with_region_tables() -> impl Iterator<Item = &'static dyn Method> {
    METHODS.iter().copied().filter(|method| RegionTables::of(*method).fill_the_limit)
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
