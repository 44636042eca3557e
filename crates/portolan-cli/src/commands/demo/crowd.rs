//! Many agents with two exits, by one flow field that is repaired as the map changes.

use portolan::Map;
use portolan_bench::picture::{self, CrowdView, Key};
use portolan_bench::report::{Picture, Section};
use portolan_bench::text::{self, grouped};
use portolan_bench::timing::crowd::{AGENTS, EDIT_EVERY, FRAMES, walk};
use portolan_bench::timing::micros;
use portolan_bench::workload::{Subject, Workload};

use super::{page_table, worlds};
use crate::error::Error;
use crate::output::Output;

/// Lets the agents walk, prints what it takes, and makes a section of it; returns the number of
/// wrong answers.
pub(super) fn show(
    subject: &Subject,
    workload: &Workload,
    output: &mut Output,
) -> Result<(Option<Section>, usize), Error> {
    let ends = worlds::longest(workload).map(|query| [query.from, query.to]);
    let (Map::Grid(grid), Some(exits)) = (&subject.map, ends) else { return Ok((None, 0)) };
    let agents = grouped(AGENTS);
    writeln!(
        output,
        "\nA crowd: {agents} agents in the cave, two exits, an edit every {EDIT_EVERY} frames"
    )?;
    let walk = walk(subject, grid, &exits)?;
    let steps: usize = walk.tracks.iter().map(|track| track.len() - 1).sum();
    let checked = match walk.wrong {
        0 => "steps legal, costs least".to_owned(),
        wrong => format!("{} WRONG", grouped(wrong)),
    };
    let rows: Vec<Vec<String>> = [
        ("build the flow field", text::micros(micros(&walk.build))),
        ("repair it after an edit", text::time(walk.repairs.mean())),
        ("all steps of a frame", text::time(walk.steps.mean())),
        ("frames", grouped(FRAMES)),
        ("steps taken", grouped(steps)),
        ("agents at an exit", grouped(walk.arrived)),
        ("memory", text::bytes(walk.field.memory_bytes())),
        ("checked", checked),
    ]
    .map(|(what, figure)| vec![what.to_owned(), figure])
    .into();
    let headings = ["flow field", ""];
    let table = page_table(&headings, &rows);
    write!(output, "{}", table.to_text())?;
    output.flush()?;
    let mut section = Section::new("A crowd");
    section.push(format!(
        "{agents} agents in the cave walk to the nearer of two exits. One flow field serves all of them: it knows the next step of every \
         cell. Every {EDIT_EVERY} frames a cell in somebody's way is blocked, and the field is repaired. Every step is checked against \
         the map, the costs at the start against a Dijkstra search, and the field at the end against a new one."
    ));
    let view = CrowdView {
        costs: walk.field.costs(),
        tracks: &walk.tracks,
        agents: &walk.agents,
        exits: &exits,
        edited: &walk.edited,
        legend: &[Key::Exits, Key::Agents, Key::Tracks, Key::Edited, Key::Farther, Key::Walls],
    };
    let png = picture::draw_crowd(grid, &view)?;
    crate::files::write(&subject.path.with_file_name("crowd.png"), |out| out.write_all(&png))?;
    let alt = "Agents on their way to two exits, and where they have walked";
    let caption = format!("After {FRAMES} frames.");
    section.push(Picture { caption, ..Picture::new(png, alt) });
    section.push(page_table(&["what", "figure"], &rows));
    Ok((Some(section), walk.wrong))
}
