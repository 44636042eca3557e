//! What is said before engines are asked: which queries, which of them cannot be asked, and what
//! the answers are held against.

use crate::engines::Selection;
use crate::error::Error;
use crate::load::Loaded;
use crate::output::Output;
use crate::text::{self, grouped};
use crate::workload::{Source, Workload};

/// Tells people, on standard output.
pub(crate) fn tell(loaded: &Loaded, workload: &Workload, output: &mut Output) -> Result<(), Error> {
    let asked = text::count(workload.queries.len(), "query", "queries");
    writeln!(output, "{}: {asked} ({})", loaded.path.display(), workload.source)?;
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

/// Tells on standard error what would be missed where standard output is one JSON document.
pub(crate) fn note(workload: &Workload, selection: &Selection, output: &mut Output) {
    for line in doubts(workload) {
        output.complain(format_args!("note: {line}\n"));
    }
    for skipped in &selection.skipped {
        output.complain(format_args!("note: {} skipped: {}\n", skipped.method, skipped.reason));
    }
}

/// Lines of the file that cannot be asked, and those that the map contradicts.
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
