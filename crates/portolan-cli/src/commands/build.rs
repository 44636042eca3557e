//! `portolan build`.

use std::io;
use std::time::Instant;

use portolan::store::WriteError;
use portolan_bench::timing::micros;
use portolan_bench::{engines, text};

use crate::args::BuildArgs;
use crate::error::Error;
use crate::output::Output;
use crate::{Outcome, files, load};

pub(crate) fn run(args: &BuildArgs, output: &mut Output) -> Result<Outcome, Error> {
    let path = args.output.as_path();
    files::check_output(path, args.map.files())?;
    let subject = load::load(&args.map)?;
    let method = engines::find_storable(args.engine.as_deref(), &subject)?;
    let start = Instant::now();
    let engine = engines::build(method, &subject, &output.bars())?;
    let built = start.elapsed();
    let writer = engine.store().map_err(|unstorable| portolan_bench::Error::Unstorable {
        engine: method.name(),
        reason: unstorable.reason,
    })?;
    files::write(path, |mut out| {
        writer.write_to(&mut out).map_err(|error| match error {
            WriteError::Io(source) => source,
            other => io::Error::other(other),
        })
    })?;
    let saved = start.elapsed() - built;
    writeln!(output, "{}: `{}` for {}", path.display(), method.name(), subject.path.display())?;
    if let Some(form) = engine.form() {
        writeln!(output, "  form       {form}")?;
    }
    let file = path.metadata().map_or(0, |metadata| metadata.len());
    writeln!(output, "  file       {}", text::exact_bytes(file))?;
    writeln!(output, "  memory     {} when built", text::bytes(engine.memory_bytes()))?;
    let (built, saved) = (text::micros(micros(&built)), text::micros(micros(&saved)));
    writeln!(output, "  time       {built} to build, {saved} to write")?;
    Ok(Outcome::Done)
}
