//! Engines by name: which exist, which were requested, which support a map.

use std::mem::take;

use portolan::registry::{self, Method, StoredBounds};
use portolan::store::Unstorable;
use portolan::{BuildError, Engine, METHODS, Progress, Unsupported};

use crate::workload::Subject;
use crate::{Bars, Error, names};

/// The engines that a command works with.
#[derive(Default)]
pub struct Selection {
    /// Those that support the map, in the order of the request.
    pub chosen: Vec<&'static dyn Method>,
    /// Those that do not, with the reason; only if all were requested.
    pub skipped: Vec<Unsupported>,
    /// The names of those on the GPU, which are never among all.
    pub on_gpu: Vec<&'static str>,
    /// Whether all that support the map were requested, so that one that fails is left out.
    all: bool,
}

/// The engine of this name on the CPU.
pub fn find(name: &str) -> Result<&'static dyn Method, Error> {
    registry::method(name).ok_or_else(|| match on_gpu::find(name) {
        Ok(Some(engine)) => Error::BatchesOnly { engine },
        Ok(None) => unknown(name, METHODS.iter().map(|method| method.name())),
        Err(error) => error,
    })
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    Error::UnknownEngine { name: name.to_owned(), help: names::suggestion(name, known) }
}

/// The engine that is used where an index is wanted and none is named.
pub const BEST: &str = "atlas";

/// The engine that finds paths where no index is wanted; reports compare others with it.
pub const PLAIN: &str = "astar";

/// The engine of this name, if it can be saved in an index file; without a name [`BEST`].
pub fn find_storable(name: Option<&str>, subject: &Subject) -> Result<&'static dyn Method, Error> {
    let method = find(name.unwrap_or(BEST))?;
    takes_bounds(method, subject)?;
    match method.storable(&subject.settings) {
        Ok(()) => Ok(method),
        Err(Unstorable { reason }) => Err(Error::Unstorable { engine: method.name(), reason }),
    }
}

/// The engines of these names; `all`, or no name, means every one of the CPU that supports the map.
pub fn select(names: &[String], subject: &Subject) -> Result<Selection, Error> {
    let mut selection = Selection::default();
    let all = ["all".to_owned()];
    for name in if names.is_empty() { &all } else { names } {
        if name == "all" {
            selection.all = true;
            METHODS.iter().for_each(|&method| selection.add_supported(method, subject));
        } else {
            let method = find(name)?;
            supports(method, subject).map_err(Error::Unsupported)?;
            selection.add(method);
        }
    }
    if selection.chosen.is_empty() {
        return Err(Error::NoEngine);
    }
    Ok(selection)
}

/// Like [`select`], for commands that ask all queries at once, so that engines on the GPU may be
/// named too.
pub fn select_for_batches(names: &[String], subject: &Subject) -> Result<Selection, Error> {
    let (mut on_cpu, mut on_gpu) = (Vec::new(), Vec::new());
    for name in names {
        match on_gpu::find(name)? {
            Some(engine) if on_gpu.contains(&engine) => {}
            Some(engine) => on_gpu.push(engine),
            None if name == "all" || registry::method(name).is_some() => on_cpu.push(name.clone()),
            None => {
                let on_cpu = METHODS.iter().map(|method| method.name());
                return Err(unknown(name, on_cpu.chain(on_gpu::names())));
            }
        }
    }
    if on_cpu.is_empty() && !on_gpu.is_empty() {
        return Ok(Selection { on_gpu, ..Selection::default() });
    }
    Ok(Selection { on_gpu, ..select(&on_cpu, subject)? })
}

/// Names of the GPU.
#[cfg(feature = "gpu")]
mod on_gpu {
    use crate::Error;

    pub(super) fn find(name: &str) -> Result<Option<&'static str>, Error> {
        Ok(portolan_gpu::method(name).map(|method| method.name))
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        portolan_gpu::METHODS.iter().map(|method| method.name)
    }
}

/// Names of the GPU, which this build knows by their beginning only.
#[cfg(not(feature = "gpu"))]
mod on_gpu {
    use crate::Error;

    pub(super) fn find(name: &str) -> Result<Option<&'static str>, Error> {
        match name.to_lowercase().starts_with("gpu-") {
            true => Err(Error::WithoutGpu { what: format!("`{name}`") }),
            false => Ok(None),
        }
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        std::iter::empty()
    }
}

/// The engines of these names; those that do not support the map are skipped, though named.
pub fn select_supported(names: &[&str], subject: &Subject) -> Result<Selection, Error> {
    let mut selection = Selection { all: true, ..Selection::default() };
    for &name in names {
        if name == "all" {
            return select(&[], subject);
        }
        selection.add_supported(find(name)?, subject);
    }
    Ok(selection)
}

/// Like [`select`], for a map that is edited: without a name, engines that are built from scratch
/// after every edit are left out.
pub fn select_for_edits(names: &[String], subject: &Subject) -> Result<Selection, Error> {
    let mut selection = select(names, subject)?;
    if names.is_empty() {
        let reason = "every edit builds it from scratch, which takes long; name it, or `all`";
        let (kept, left_out) =
            take(&mut selection.chosen).into_iter().partition(|method| method.follows_edits());
        selection.chosen = kept;
        let left_out: Vec<&dyn Method> = left_out;
        for method in left_out {
            selection.skip(Unsupported { method: method.name(), reason: reason.into() });
        }
    }
    Ok(selection)
}

/// Whether an engine supports the map with all options, and if not, why.
pub fn supports(method: &dyn Method, subject: &Subject) -> Result<(), Unsupported> {
    has_use_for_bounds(method, subject)?;
    method.supports(&subject.map, &subject.settings)
}

/// An error if the engine has no use for the stored bounds that were named.
pub fn takes_bounds(method: &dyn Method, subject: &Subject) -> Result<(), Error> {
    has_use_for_bounds(method, subject).map_err(Error::Unsupported)
}

fn has_use_for_bounds(method: &dyn Method, subject: &Subject) -> Result<(), Unsupported> {
    let named: Vec<&str> = subject.settings.stored.iter().map(|kind| kind.name()).collect();
    let what = match method.stored_bounds() {
        _ if named.is_empty() => return Ok(()),
        StoredBounds::Own => "has portals and takes no other stored bounds",
        StoredBounds::Refused => "takes no stored bounds",
        StoredBounds::Used | StoredBounds::Ignored => return Ok(()),
    };
    let reason = format!("it {what}; leave {} out of --heuristic", named.join("+"));
    Err(Unsupported { method: method.name(), reason })
}

/// The position of an engine in the list of all.
pub fn rank(name: &str) -> Option<usize> {
    METHODS.iter().position(|method| method.name() == name)
}

/// Builds an engine on the map and shows the progress.
pub fn build(
    method: &'static dyn Method,
    subject: &Subject,
    bars: &dyn Bars,
) -> Result<Box<dyn Engine>, Error> {
    build_watched(method, subject, &*bars.bar(method.name(), 1))
}

/// Builds the engine of this name.
pub fn build_named(name: &str, subject: &Subject) -> Result<Box<dyn Engine>, Error> {
    build_watched(find(name)?, subject, &())
}

/// Builds an engine on the map, which reports its progress here.
pub(crate) fn build_watched(
    method: &'static dyn Method,
    subject: &Subject,
    progress: &dyn Progress,
) -> Result<Box<dyn Engine>, Error> {
    takes_bounds(method, subject)?;
    let built = method.build_watched(&subject.map, &subject.settings, progress);
    built.map_err(cannot_build(method.name()))
}

/// Turns a failed build or refresh into an [`Error`].
pub fn cannot_build(engine: &'static str) -> impl Fn(BuildError) -> Error {
    move |error| match error {
        BuildError::Unsupported(unsupported) => Error::Unsupported(unsupported),
        BuildError::Cancelled => Error::Cancelled,
        error => Error::Build { engine, error },
    }
}

impl Selection {
    /// Whether the others can go on without an engine that failed with this error: its index does
    /// not fit, or it does not support the edited map.
    pub fn does_without(&self, error: &Error) -> bool {
        self.all && (error.is_memory_limit() || matches!(error, Error::Unsupported(_)))
    }

    fn add_supported(&mut self, method: &'static dyn Method, subject: &Subject) {
        match supports(method, subject) {
            Ok(()) => self.add(method),
            Err(unsupported) => self.skip(unsupported),
        }
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
