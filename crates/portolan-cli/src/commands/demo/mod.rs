//! `portolan demo`: a first look.
//!
//! [`worlds`] makes the maps; [`compare`], [`edits`] and [`crowd`] show one thing each, print it
//! and write a section of the page.

mod compare;
mod crowd;
mod edits;
mod worlds;

use std::path::{Path, PathBuf};
use std::time::Instant;

use portolan::Map;
use portolan_bench::experiments::circumstances;
use portolan_bench::picture::{self, View};
use portolan_bench::report::{Align, Cell, Column, Mark, Note, Report, Section, Table};
use portolan_bench::workload::{Place, Subject, Workload};
use portolan_bench::{engines, text, timing};

use crate::args::DemoArgs;
use crate::error::Error;
use crate::output::Output;
use crate::{Outcome, files};
use worlds::{SMALL, WORLDS};

/// The engines that are shown by default: a plain search, one with stored bounds, a near-optimal
/// one, and the index.
const SHOWN: [&str; 4] = ["astar", "differential", "dhpa", "atlas"];

pub(crate) fn run(args: &DemoArgs, output: &mut Output) -> Result<Outcome, Error> {
    let start = Instant::now();
    let folder = &args.output;
    files::make_folder(folder)?;
    let names = if args.all { &["all"][..] } else { &SHOWN };
    let mut wrong = show_small(output)?;
    let (mut sections, mut examples, mut made) = (Vec::new(), Vec::new(), Vec::new());
    for world in &WORLDS {
        let subject = world.load(folder, args.threads.into())?;
        let workload = Workload::random(&subject, args.queries, &output.bars())?;
        worlds::write(&subject)?;
        let (section, faults) = compare::show(world, &subject, &workload, names, output)?;
        sections.push(section);
        wrong += faults;
        let longest = worlds::longest(&workload);
        examples.push(longest.map(|query| (subject.place(query.from), subject.place(query.to))));
        made.push((subject, workload));
    }
    let [(rooms, _), (cave, workload), ..] = &made[..] else { return Ok(Outcome::Done) };
    let (section, faults) = edits::show(rooms, names, output)?;
    sections.push(section);
    wrong += faults;
    let (section, faults) = crowd::show(cave, workload, output)?;
    sections.extend(section);
    wrong += faults;
    let verdict = verdict(wrong);
    writeln!(output, "\n{verdict}\nDone in {:.1} s.", start.elapsed().as_secs_f64())?;
    let suggested = suggested(folder, &examples, output.program());
    let page = folder.join("index.html");
    let mark = if wrong == 0 { Mark::Good } else { Mark::Bad };
    write_page(&page, Note::new(mark, verdict), sections, &suggested)?;
    writeln!(output, "\nAll of this with pictures, in one page:\n  {}", page.display())?;
    writeln!(output, "\nTry next:")?;
    for (_, command) in suggested {
        writeln!(output, "  {command}")?;
    }
    Ok(if wrong == 0 { Outcome::Done } else { Outcome::Wrong })
}

fn verdict(wrong: usize) -> String {
    match wrong {
        0 => "Every path was walked step by step and compared with a reference search: those of \
              exact engines are all optimal."
            .into(),
        wrong => {
            format!("{} WRONG; this is a bug.", text::count(wrong, "answer is", "answers are"))
        }
    }
}

/// Shows a map that fits a terminal, with a path; returns the number of wrong answers.
fn show_small(output: &mut Output) -> Result<usize, Error> {
    let map = Map::from(SMALL.generate().map_err(portolan_bench::Error::Generate)?);
    let subject = Subject::new(PathBuf::from("small.map"), map);
    let workload = Workload::random(&subject, 40, &output.bars())?;
    let method = engines::find("astar")?;
    let wrong = timing::measure(method, &subject, &workload, &output.bars())?.tally.faults.len();
    let (Map::Grid(grid), Some(query)) = (&subject.map, worlds::longest(&workload)) else {
        return Ok(wrong);
    };
    let ends = (query.from, query.to);
    let (searched, path) = worlds::search(&subject, ends)?;
    let colour = output.colours_out();
    let steps = text::count(path.len().saturating_sub(1), "step", "steps");
    writeln!(output, "A shortest path, found by A*, {steps} from S to T:\n")?;
    let view = View::of(&searched, &path, ends);
    write!(output, "{}", picture::draw_in_terminal(grid, &view, colour))?;
    Ok(wrong)
}

/// Commands to try next, each with what it does.
fn suggested(
    folder: &Path,
    examples: &[Option<(Place, Place)>],
    program: &str,
) -> Vec<(&'static str, String)> {
    let file = |name: &str| text::shell_word(&folder.join(name).display().to_string());
    let mut commands = Vec::new();
    if let Some(Some((from, to))) = examples.get(1) {
        let (map, picture) = (file("cave.map"), file("path.svg"));
        let ends = format!("--from {from} --to {to}");
        commands.push(("Draw a path", format!("query {map} {ends} --picture {picture}")));
    }
    let rooms = file("rooms.map");
    commands.push(("Which engine for a map", format!("recommend {rooms}")));
    let (roads, coordinates) = (file("roads.gr"), file("roads.co"));
    let bench = format!("bench {roads} --coordinates {coordinates} --random 500");
    commands.push(("Measure all engines", bench));
    let maze = file("maze.map");
    let maze = format!("generate maze --size 300x200 --corridor 3 --queries 500 -o {maze}");
    commands.push(("Make another map", maze));
    let whole = |(what, words)| (what, format!("{program} {words}"));
    commands.into_iter().map(whole).collect()
}

/// A table of the page with what was printed: the first and the last column are words, the others
/// figures.
fn page_table(headings: &[&str], rows: &[Vec<String>]) -> Table {
    let last = headings.len().saturating_sub(1);
    let column = |(index, &name): (usize, &&str)| {
        let is_figure = index > 0 && index < last;
        let align = if is_figure { Align::Right } else { Align::Left };
        Column { name: name.to_owned(), align: Some(align) }
    };
    let mut table = Table::new(headings.iter().enumerate().map(column));
    rows.iter().for_each(|row| table.row(row.iter().map(|cell| Cell::text(cell.as_str()))));
    table
}

fn write_page(
    page: &Path,
    verdict: Note,
    sections: Vec<Section>,
    suggested: &[(&str, String)],
) -> Result<(), Error> {
    let mut report = Report::new("Portolan: shortest paths, checked");
    report.intro = "The same queries on the same maps for several engines: plain A*, A* with stored distances to landmarks \
        (differential), a near-optimal hierarchy (dhpa), and our exact index (atlas), which looks paths up. Then a map that \
        changes, and a crowd.\n\nTimes are of one run on this machine."
        .into();
    report.date = circumstances::today();
    report.machine = circumstances::machine();
    report.sections = sections;
    if let Some(first) = report.sections.first_mut() {
        first.blocks.insert(0, verdict.into());
    }
    let commands = suggested.iter().map(|(what, command)| format!("{what}: {command}"));
    let commands: Vec<String> = commands.collect();
    report.sections.push(Section::new("Try next").with(commands.join("\n\n")));
    files::write(page, |out| out.write_all(report.to_html().as_bytes()))
}
