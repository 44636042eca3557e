//! `portolan gpu`.

use crate::Outcome;
use crate::args::GpuArgs;
use crate::error::Error;
use crate::output::Output;

#[cfg(not(feature = "gpu"))]
pub(crate) fn run(_: &GpuArgs, _: &mut Output) -> Result<Outcome, Error> {
    Err(portolan_bench::Error::WithoutGpu { what: "`portolan gpu`".into() }.into())
}

#[cfg(feature = "gpu")]
pub(crate) fn run(args: &GpuArgs, output: &mut Output) -> Result<Outcome, Error> {
    listing::run(args, output)
}

#[cfg(feature = "gpu")]
mod listing {
    use portolan_bench::gpu::{self, Adapter, METHODS};
    use portolan_bench::text::{bytes, grouped};
    use serde::Serialize;

    use super::*;

    /// What is printed; names and order are fixed.
    #[derive(Serialize)]
    struct Listing {
        adapters: Vec<Described>,
        /// The name of the adapter that engines use; null if there is none.
        used: Option<String>,
        /// The most bytes that a batch uses beside the map and the index.
        working_memory: Option<u64>,
        engines: Vec<Engine>,
    }

    #[derive(Serialize)]
    struct Described {
        name: String,
        kind: &'static str,
        backend: String,
        driver: String,
        max_binding: u64,
        max_buffer: u64,
        workgroup_memory: u32,
        workgroup_size: u32,
        subgroup: Option<(u32, u32)>,
        timestamps: bool,
        /// Why it cannot be used; null if it can.
        missing: Option<String>,
    }

    #[derive(Serialize)]
    struct Engine {
        name: &'static str,
        exact: bool,
        counterpart: &'static str,
        summary: &'static str,
    }

    pub(super) fn run(args: &GpuArgs, output: &mut Output) -> Result<Outcome, Error> {
        let opened = gpu::open();
        let listing = Listing {
            adapters: gpu::adapters().into_iter().map(Described::from).collect(),
            used: opened.as_ref().ok().map(|gpu| gpu.name().to_owned()),
            working_memory: opened.as_ref().ok().map(|gpu| gpu.working_memory()),
            engines: METHODS
                .iter()
                .map(|method| Engine {
                    name: method.name,
                    exact: method.exact,
                    counterpart: method.counterpart,
                    summary: method.summary,
                })
                .collect(),
        };
        match args.json {
            true => output.json(&listing)?,
            false => print(&listing, output)?,
        }
        opened?;
        Ok(Outcome::Done)
    }

    fn print(listing: &Listing, output: &mut Output) -> Result<(), Error> {
        // The first of that name is the one that was opened.
        let used = listing.used.as_deref();
        let used = listing.adapters.iter().position(|adapter| Some(&*adapter.name) == used);
        for (index, adapter) in listing.adapters.iter().enumerate() {
            let state = match &adapter.missing {
                Some(reason) => format!("cannot be used: {reason}"),
                None if used == Some(index) => "used".into(),
                None => "not used; name it with the variable PORTOLAN_GPU".into(),
            };
            writeln!(output, "{}: {state}", adapter.name)?;
            adapter.print(output)?;
        }
        if let Some(memory) = listing.working_memory {
            writeln!(output, "\nA batch uses up to {} beside map and index.", bytes(memory))?;
        }
        writeln!(output, "\nEngines:")?;
        for Engine { name, exact, counterpart, summary } in &listing.engines {
            let kind = if *exact { "exact" } else { "nearly" };
            writeln!(output, "  {name:18} {kind:6}  like {counterpart:14} {summary}")?;
        }
        Ok(())
    }

    impl Described {
        fn print(&self, output: &mut Output) -> Result<(), Error> {
            let Self { kind, backend, driver, .. } = self;
            writeln!(output, "  driver      {backend}, {kind}, {driver}")?;
            let (binding, buffer) = (bytes(self.max_binding), bytes(self.max_buffer));
            writeln!(output, "  memory      {binding} in a binding, {buffer} in a buffer")?;
            let (size, memory) = (grouped(self.workgroup_size), bytes(self.workgroup_memory));
            writeln!(output, "  workgroups  {size} invocations, {memory}")?;
            let subgroups = match self.subgroup {
                None => "no subgroups".to_owned(),
                Some((least, most)) if least == most => format!("subgroups of {least}"),
                Some((least, most)) => format!("subgroups of {least} to {most}"),
            };
            let timestamps = if self.timestamps { "timestamps" } else { "no timestamps" };
            writeln!(output, "  features    {subgroups}, {timestamps}")
        }
    }

    impl From<Adapter> for Described {
        fn from(adapter: Adapter) -> Self {
            let Adapter { name, kind, backend, driver, .. } = adapter;
            let Adapter { max_binding, max_buffer, workgroup_memory, workgroup_size, .. } = adapter;
            let Adapter { subgroup, timestamps, missing, .. } = adapter;
            Self {
                name,
                kind,
                backend,
                driver,
                max_binding,
                max_buffer,
                workgroup_memory,
                workgroup_size,
                subgroup,
                timestamps,
                missing,
            }
        }
    }
}
