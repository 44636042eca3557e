//! The same queries for several engines.

use portolan_bench::engines;
use portolan_bench::picture::{self, Format, View};
use portolan_bench::report::{Axis, Draw, Picture, Plot, Section, Series};
use portolan_bench::text::{self, bytes, grouped};
use portolan_bench::timing::{self, Measured};
use portolan_bench::workload::{Subject, Workload};

use super::page_table;
use super::worlds::{self, World};
use crate::error::Error;
use crate::output::Output;

/// The columns that fit a narrow page: engine, build, memory, path, checked.
const ON_PAGE: [usize; 5] = [0, 1, 2, 3, 6];

/// What one engine needed.
struct Line {
    engine: &'static str,
    measured: Measured,
}

/// Measures the engines, prints what each needed, and makes a section with a picture of it; returns
/// the number of wrong answers.
pub(super) fn show(
    world: &World,
    subject: &Subject,
    workload: &Workload,
    names: &[&str],
    output: &mut Output,
) -> Result<(Section, usize), Error> {
    let (asked, size) = (workload.queries.len(), worlds::size(&subject.map));
    let queries = text::count(asked, "query", "queries");
    writeln!(output, "\n{} ({size}), {queries}", world.title)?;
    let selection = engines::select_supported(names, subject)?;
    let (mut lines, mut faults, mut wrong) = (Vec::new(), Vec::new(), 0);
    let mut left_out = Vec::new();
    for &method in &selection.chosen {
        let measured = match timing::measure(method, subject, workload, &output.bars()) {
            Ok(measured) => measured,
            Err(error) if error.is_memory_limit() => {
                left_out.push(format!("{} left out: {error}", method.name()));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        wrong += measured.tally.faults.len();
        faults.extend(measured.tally.first_faults(subject, workload));
        lines.push(Line { engine: method.name(), measured });
    }
    let mean = |line: &Line| line.measured.paths.mean().unwrap_or(0.0);
    let slowest = lines.first().map_or(0.0, mean);
    let speed_up = |line: &Line| format!("{:.1} x", slowest / mean(line).max(f64::MIN_POSITIVE));
    let headings = ["engine", "build", "memory", "path", "speed-up", "expanded", "checked"];
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let Measured { build, index_bytes, counter, .. } = &line.measured;
            let build = build.map_or("-".into(), |(wall, _)| text::micros(timing::micros(&wall)));
            vec![
                line.engine.to_owned(),
                build,
                bytes(*index_bytes),
                text::micros(mean(line)),
                speed_up(line),
                grouped(counter.expanded / asked.max(1) as u64),
                checked(&line.measured, asked),
            ]
        })
        .collect();
    let table = page_table(&headings, &rows);
    write!(output, "{}", table.to_text())?;
    let mut section = Section::new(format!("{} ({size})", world.title));
    let skipped = selection.skipped.iter();
    left_out.extend(skipped.map(|one| format!("{} left out: {}", one.method, one.reason)));
    for line in &left_out {
        writeln!(output, "  {line}")?;
    }
    for fault in faults {
        writeln!(output, "  WRONG: {fault}")?;
    }
    output.flush()?;
    if let Some(picture) = draw(subject, workload)? {
        section.push(picture);
    }
    let caption = "path: mean time of a full path. Every path of every engine was checked.";
    let cells = |row: &Vec<String>| ON_PAGE.map(|at| row[at].clone()).to_vec();
    let shown: Vec<Vec<String>> = rows.iter().map(cells).collect();
    section.push(page_table(&ON_PAGE.map(|at| headings[at]), &shown).caption(caption));
    let (memory, time) = (Axis::linear("Memory").unit("MB"), Axis::log("Path").unit("µs"));
    let plot = lines.iter().fold(Plot::new("Time against memory", memory, time), |plot, line| {
        let point = (line.measured.index_bytes as f64 / 1e6, mean(line));
        plot.with(Series::ours(line.engine, [point]).draw(Draw::Markers))
    });
    section.push(plot);
    if !left_out.is_empty() {
        section.push(left_out.join("\n\n"));
    }
    Ok((section, wrong))
}

fn checked(measured: &Measured, asked: usize) -> String {
    let tally = &measured.tally;
    match (tally.faults.len(), tally.optimal) {
        (0, optimal) if optimal == asked => format!("{} optimal", text::all(asked)),
        (0, optimal) => format!("{} legal, {optimal} optimal", text::all(asked)),
        (faults, _) => format!("{faults} of {asked} WRONG"),
    }
}

/// Draws the longest path beside the map's file, and for the page.
fn draw(subject: &Subject, workload: &Workload) -> Result<Option<Picture>, Error> {
    let Some(query) = worlds::longest(workload) else { return Ok(None) };
    let ends = (query.from, query.to);
    let (searched, path) = worlds::search(subject, ends)?;
    let view = View { legend: worlds::keys(&subject.map), ..View::of(&searched, &path, ends) };
    let png = picture::draw(&subject.map, &view, Format::Png)?;
    let file = subject.path.with_extension("png");
    crate::files::write(&file, |out| out.write_all(&png))?;
    let steps = text::count(path.len().saturating_sub(1), "step", "steps");
    let alt =
        format!("The map, what A* searched, and the longest path that was asked for, {steps}");
    let caption = format!("The longest of the paths, {steps}, and what A* searches for it.");
    Ok(Some(Picture { caption, ..Picture::new(png, alt) }))
}

#[cfg(test)]
mod tests {
    use super::super::worlds::WORLDS;
    use super::*;
    use crate::output::Surroundings;

    #[test]
    fn an_engine_that_does_not_fit_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut output = Output::new(&mut out, &mut err, Surroundings::default());
        let mut subject = WORLDS[0].load(folder.path(), 1).unwrap();
        subject.settings.memory_limit = 1000.into();
        let workload = Workload::random(&subject, 5, &output.bars()).unwrap();
        let names = ["astar", "ppa", "atlas-climb"];
        let (_, wrong) = show(&WORLDS[0], &subject, &workload, &names, &mut output).unwrap();
        let shown = String::from_utf8(out).unwrap();
        assert_eq!(wrong, 0, "{shown}");
        for engine in ["ppa", "atlas-climb"] {
            assert!(shown.contains(&format!("  {engine} left out: ")), "{shown}");
        }
        assert!(shown.contains("astar"), "{shown}");
    }
}
