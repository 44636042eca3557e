//! A map that changes, and the engines that follow.

use portolan::{Map, NodeId};
use portolan_bench::engines;
use portolan_bench::picture::{self, Format, Key, View};
use portolan_bench::report::{Picture, Section};
use portolan_bench::text::{self, grouped};
use portolan_bench::timing::edits::follow;
use portolan_bench::workload::Subject;
use portolan_bench::workload::edits::{self, SEARCHES, Step, Where};

use super::{page_table, worlds};
use crate::error::Error;
use crate::output::Output;

/// How many edits there are.
const EDITS: usize = 30;

/// Edits the map in the middle of paths, prints what following takes, and makes a section of it;
/// returns the number of wrong answers.
pub(super) fn show(
    subject: &Subject,
    names: &[&str],
    output: &mut Output,
) -> Result<(Section, usize), Error> {
    let what = format!("{EDITS} edits, each blocks a cell in the middle of a path");
    writeln!(output, "\nA map that changes: {what}; {SEARCHES} paths after each")?;
    let script = edits::draw(subject, EDITS, Where::OnPaths, &output.bars())?;
    let headings = ["engine", "edit", "first path after it", "others", "checked"];
    let (mut rows, mut wrong, mut faults) = (Vec::new(), 0, Vec::new());
    let selection = match names.contains(&"all") {
        true => engines::select_for_edits(&[], subject)?,
        false => engines::select_supported(names, subject)?,
    };
    for &method in &selection.chosen {
        let engine = engines::build(method, subject, &output.bars())?;
        let replayed = follow(engine, subject, &script, || true, &output.bars())?;
        let asked = replayed.first.all().len() + replayed.later.all().len();
        let checked = match (replayed.faults.count(), method.exact()) {
            (0, true) => format!("{} optimal", text::all(asked)),
            (0, false) => format!("{} legal", text::all(asked)),
            (faults, _) => format!("{faults} of {asked} WRONG"),
        };
        let (edit, first) = (replayed.edits.mean(), replayed.first.mean());
        let times = [edit, first, replayed.later.mean()].map(text::time);
        rows.push([&[method.name().to_owned()], &times[..], &[checked]].concat());
        wrong += replayed.faults.count();
        faults.extend(replayed.faults.lines(method.name()));
    }
    let table = page_table(&headings, &rows);
    write!(output, "{}", table.to_text())?;
    for fault in faults {
        writeln!(output, "  WRONG: {fault}")?;
    }
    output.flush()?;
    let mut section = Section::new("A map that changes");
    let (edits, searches) = (grouped(EDITS), grouped(SEARCHES));
    section.push(format!(
        "The rooms once more. {edits} edits, one after the other: each blocks a cell in the middle of a shortest path, \
         which is then asked for again. From the ninth edit on the oldest blocked cell is freed. {searches} paths are asked for \
         after each edit, and all of them are checked on the map as it is then."
    ));
    if let Some(picture) = draw(subject, &script)? {
        section.push(picture);
    }
    let caption = "Mean times. edit: the engine follows; what the map itself takes is not in it.";
    section.push(table.caption(caption));
    Ok((section, wrong))
}

/// How much longer a path has become, the map after the edit, the path before it, and the ends.
type Longest = (usize, Map, Vec<NodeId>, (NodeId, NodeId));

/// The edit that makes a path longer than any other: the path before and after it.
fn draw(subject: &Subject, script: &[Step]) -> Result<Option<Picture>, Error> {
    let mut edited = Subject::new(subject.path.clone(), subject.map.clone());
    let mut most: Option<Longest> = None;
    for step in script {
        let ends = step.searches.first().map(|query| (query.from, query.to));
        let before = ends.map(|ends| worlds::search(&edited, ends)).transpose()?;
        edited.map.apply(&step.changes).map_err(portolan_bench::Error::from)?;
        let (Some(ends), Some((_, before))) = (ends, before) else { continue };
        let after = worlds::search(&edited, ends)?.1;
        let longer = after.len().saturating_sub(before.len());
        if most.as_ref().is_none_or(|&(known, ..)| known < longer) {
            most = Some((longer, edited.map.clone(), before, ends));
        }
    }
    let Some((longer, map, before, ends)) = most else { return Ok(None) };
    let differs = |node: &NodeId| map.contains(*node) != subject.map.contains(*node);
    let marks: Vec<NodeId> = (0..map.node_count() as NodeId).filter(differs).collect();
    let edited = Subject::new(subject.path.clone(), map);
    let (searched, path) = worlds::search(&edited, ends)?;
    let view = View {
        landmarks: &marks,
        before: &before,
        legend: &[
            Key::Start,
            Key::Goal,
            Key::Before,
            Key::Path,
            Key::Edited,
            Key::Searched,
            Key::Walls,
        ],
        ..View::of(&searched, &path, ends)
    };
    let png = picture::draw(&edited.map, &view, Format::Png)?;
    let alt = "The map after an edit, with a path before and after it";
    let steps = text::count(longer, "step", "steps");
    let caption = format!(
        "The edit with the longest detour, {steps} more, and the other cells blocked at that time."
    );
    Ok(Some(Picture { caption, ..Picture::new(png, alt) }))
}
