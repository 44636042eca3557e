//! Engines by name: which there are, which were asked for, which can serve a map.

use portolan::registry::{self, Method};
use portolan::store::Unstorable;
use portolan::{BuildError, Engine, METHODS, Unsupported};

use crate::error::Error;
use crate::load::Loaded;
use crate::names;
use crate::output::{BuildBar, Output};

/// The engines that a command works with.
pub(crate) struct Selection {
    /// Those that can serve the map, in the order they were asked for.
    pub(crate) chosen: Vec<&'static dyn Method>,
    /// Those that cannot, with the reason; only where all were asked for.
    pub(crate) skipped: Vec<Unsupported>,
    /// Whether all that can serve the map were asked for, so that none is missed that cannot.
    all: bool,
}

/// The engine of this name.
pub(crate) fn find(name: &str) -> Result<&'static dyn Method, Error> {
    registry::method(name).ok_or_else(|| {
        let known: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
        Error::UnknownEngine { name: name.to_owned(), help: names::suggestion(name, &known) }
    })
}

/// The engine that is taken where an index is wanted and none is named.
pub(crate) const BEST: &str = "atlas";

/// The engine of this name, if it can be kept in an index file; without a name `atlas`.
pub(crate) fn find_storable(
    name: Option<&str>,
    loaded: &Loaded,
) -> Result<&'static dyn Method, Error> {
    let method = find(name.unwrap_or(BEST))?;
    takes_bounds(method, loaded).map_err(Error::Unsupported)?;
    match method.storable(&loaded.settings) {
        Ok(()) => Ok(method),
        Err(Unstorable { reason }) => Err(Error::Unstorable { engine: method.name(), reason }),
    }
}

/// The engines of these names; `all`, or no name, stands for every one that can serve the map.
pub(crate) fn select(names: &[String], loaded: &Loaded) -> Result<Selection, Error> {
    let mut selection = Selection { chosen: Vec::new(), skipped: Vec::new(), all: false };
    let all = ["all".to_owned()];
    for name in if names.is_empty() { &all } else { names } {
        if name == "all" {
            selection.all = true;
            for &method in METHODS {
                match supports(method, loaded) {
                    Ok(()) => selection.add(method),
                    Err(unsupported) => selection.skip(unsupported),
                }
            }
        } else {
            let method = find(name)?;
            supports(method, loaded).map_err(Error::Unsupported)?;
            selection.add(method);
        }
    }
    if selection.chosen.is_empty() {
        return Err(Error::NoEngine);
    }
    Ok(selection)
}

/// The engines of these names; those that cannot serve the map are skipped, though they were named.
pub(crate) fn select_supported(names: &[String], loaded: &Loaded) -> Result<Selection, Error> {
    let mut selection = Selection { chosen: Vec::new(), skipped: Vec::new(), all: true };
    for name in names {
        if name == "all" {
            return select(names, loaded);
        }
        let method = find(name)?;
        match supports(method, loaded) {
            Ok(()) => selection.add(method),
            Err(unsupported) => selection.skip(unsupported),
        }
    }
    Ok(selection)
}

/// The engines that are built anew after every edit, which takes seconds.
const BUILT_ANEW: [&str; 6] =
    ["canonical", "border", "gateway", "portal", "portal-search", "perfect-portal"];

/// The same on a map that is edited: without a name, engines that are built anew after every edit
/// are left out.
pub(crate) fn select_for_edits(names: &[String], loaded: &Loaded) -> Result<Selection, Error> {
    let mut selection = select(names, loaded)?;
    if names.is_empty() {
        for method in BUILT_ANEW {
            let reason = "every edit builds it anew, which takes long; name it, or `all`".into();
            let before = selection.chosen.len();
            selection.chosen.retain(|chosen| chosen.name() != method);
            if selection.chosen.len() < before {
                selection.skip(Unsupported { method, reason });
            }
        }
    }
    Ok(selection)
}

/// Whether an engine can serve the map with all that was asked for, and if not, why.
pub(crate) fn supports(method: &dyn Method, loaded: &Loaded) -> Result<(), Unsupported> {
    takes_bounds(method, loaded)?;
    method.supports(&loaded.map, &loaded.settings)
}

/// The engines whose stored bounds are portals, and that have no use for others.
const PORTALS_ONLY: [&str; 2] = ["portal-search", "perfect-portal"];

/// The engines whose abstract searches have no use for stored bounds.
const WITHOUT_STORED: [&str; 3] = ["hpa", "dhpa", "shpa"];

/// Whether an engine has a use for the stored bounds that were named.
pub(crate) fn takes_bounds(method: &dyn Method, loaded: &Loaded) -> Result<(), Unsupported> {
    let named: Vec<&str> = loaded.settings.stored.iter().map(|kind| kind.name()).collect();
    let what = match method.name() {
        _ if named.is_empty() => return Ok(()),
        name if PORTALS_ONLY.contains(&name) => "has portals and takes no other stored bounds",
        name if WITHOUT_STORED.contains(&name) => "takes no stored bounds",
        _ => return Ok(()),
    };
    let reason = format!("it {what}; leave {} out of --heuristic", named.join("+"));
    Err(Unsupported { method: method.name(), reason })
}

/// The place of an engine in the list of all.
pub(crate) fn rank(name: &str) -> Option<usize> {
    METHODS.iter().position(|method| method.name() == name)
}

/// Builds an engine on the map.
pub(crate) fn build(
    method: &'static dyn Method,
    loaded: &Loaded,
) -> Result<Box<dyn Engine>, Error> {
    takes_bounds(method, loaded).map_err(Error::Unsupported)?;
    let built = method.build(&loaded.map, &loaded.settings);
    built.map_err(cannot_build(method.name()))
}

/// The same with a bar, where a person watches.
pub(crate) fn build_watched(
    method: &'static dyn Method,
    loaded: &Loaded,
    output: &Output,
) -> Result<Box<dyn Engine>, Error> {
    build_with(method, loaded, output.build_progress(method.name()))
}

/// The same with a bar of the caller's.
pub(crate) fn build_with(
    method: &'static dyn Method,
    loaded: &Loaded,
    bar: BuildBar,
) -> Result<Box<dyn Engine>, Error> {
    takes_bounds(method, loaded).map_err(Error::Unsupported)?;
    let built = method.build_watched(&loaded.map, &loaded.settings, &bar);
    built.map_err(cannot_build(method.name()))
}

/// What a build or a refresh met, as this program's error.
pub(crate) fn cannot_build(engine: &'static str) -> impl Fn(BuildError) -> Error {
    move |error| match error {
        BuildError::Unsupported(unsupported) => Error::Unsupported(unsupported),
        error => Error::Build { engine, error },
    }
}

impl Selection {
    /// Whether the others can go on without an engine that failed like this: its index does not
    /// fit, or it cannot serve what an edit made of the map.
    pub(crate) fn does_without(&self, error: &Error) -> bool {
        let fits_not = matches!(error, Error::Build { error: BuildError::MemoryLimit { .. }, .. });
        self.all && (fits_not || matches!(error, Error::Unsupported(_)))
    }

    /// Each engine once, however often it was named.
    fn add(&mut self, method: &'static dyn Method) {
        if self.chosen.iter().all(|known| known.name() != method.name()) {
            self.chosen.push(method);
        }
    }

    fn skip(&mut self, unsupported: Unsupported) {
        if self.skipped.iter().all(|known| known.method != unsupported.method) {
            self.skipped.push(unsupported);
        }
    }
}

/// Says that an engine is left out, and why.
pub(crate) fn note_skipped(method: &dyn Method, error: &Error, output: &mut Output) {
    let why = error.without_engine();
    output.complain(format_args!("note: {} skipped: {why}\n", method.name()));
}
