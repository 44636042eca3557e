//! `portolan build`.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

use portolan::store::WriteError;

use crate::Outcome;
use crate::args::BuildArgs;
use crate::engines;
use crate::error::Error;
use crate::files;
use crate::load::Loaded;
use crate::measure::micros;
use crate::output::Output;
use crate::text;

pub(crate) fn run(args: &BuildArgs, output: &mut Output) -> Result<Outcome, Error> {
    let path = args.output.as_path();
    check_target(path, &args.map.map)?;
    let loaded = Loaded::load(&args.map)?;
    let method = engines::find_storable(args.engine.as_deref(), &loaded)?;
    let start = Instant::now();
    let engine = engines::build_watched(method, &loaded, output)?;
    let built = start.elapsed();
    let writer = engine.store().map_err(|unstorable| Error::Unstorable {
        engine: method.name(),
        reason: unstorable.reason,
    })?;
    writer.save(path).map_err(|error| {
        let source = match error {
            WriteError::Io(source) => source,
            other => io::Error::other(other),
        };
        Error::Write { path: path.into(), source }
    })?;
    let saved = start.elapsed() - built;
    writeln!(output, "{}: `{}` for {}", path.display(), method.name(), loaded.path.display())?;
    if let Some(form) = engine.form() {
        writeln!(output, "  form       {form}")?;
    }
    writeln!(output, "  size       {}", text::bytes(engine.memory_bytes()))?;
    let (built, saved) = (text::micros(micros(&built)), text::micros(micros(&saved)));
    writeln!(output, "  time       {built} to build, {saved} to write")?;
    Ok(Outcome::Done)
}

/// Refuses what would fail, or do harm, after a long build.
fn check_target(path: &Path, map: &Path) -> Result<(), Error> {
    files::check_destination(path)?;
    let same = fs::canonicalize(path).ok().zip(fs::canonicalize(map).ok());
    if same.is_some_and(|(index, map)| index == map) {
        return Err(Error::IndexOverMap { path: map.into() });
    }
    Ok(())
}
