//! What is printed before engines are measured: which queries there are, which of them are invalid,
//! and what the answers are compared with.

use portolan_bench::text::{self, grouped};
use portolan_bench::workload::{Source, Subject, Workload};

use crate::error::Error;
use crate::output::Output;

/// Prints it for people.
pub(crate) fn tell(
    subject: &Subject,
    workload: &Workload,
    output: &mut Output,
) -> Result<(), Error> {
    let asked = text::count(workload.queries.len(), "query", "queries");
    writeln!(output, "{}: {asked} ({})", subject.path.display(), workload.source)?;
    if workload.by_reference {
        let why = match workload.source {
            Source::File(_) => ", since scenario lengths do not hold under these map options",
            Source::Random { .. } => "",
        };
        writeln!(output, "  lengths compared with a Dijkstra search of this program's own{why}")?;
    }
    for line in doubts(workload) {
        writeln!(output, "  {line}")?;
    }
    output.flush()
}

/// Prints on standard error what would be lost where standard output is one JSON document.
pub(crate) fn note(workload: &Workload, output: &mut Output) {
    for line in doubts(workload) {
        output.complain(format_args!("note: {line}\n"));
    }
}

/// Lines of the file that are invalid, and those that the map contradicts.
fn doubts(workload: &Workload) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, described) in
        [("invalid, not asked:", &workload.invalid), ("of the file WRONG:", &workload.disputed)]
    {
        const NAMED: usize = 3;
        if !described.is_empty() {
            lines.push(format!("{} {what}", grouped(described.len())));
            lines.extend(described.iter().take(NAMED).map(|line| format!("  {line}")));
        }
        if described.len() > NAMED {
            lines.push(format!("  and {} more", grouped(described.len() - NAMED)));
        }
    }
    lines
}
