//! Threads: figures and plots.

use crate::experiments::growth::threads::{BATCHES, OnThreads, Speeds};
use crate::experiments::growth::{Kind, Plan};
use crate::report::{Axis, Cell, Plot, Section, Series, Table};

const LOOP: &str = "The loop computes without touching memory: it shows what the threads of this machine can give, which share \
    cores, caches or a clock.";

pub(super) fn section(plan: &Plan, rows: &[OnThreads], stem: &str) -> Section {
    let section = Section::new("Threads").with(LOOP).with(table(plan, rows));
    let batches = BATCHES.iter().enumerate().map(|(at, batch)| {
        let of = move |speeds: &Speeds| speeds.answers[at];
        (format!("{} of a batch", batch.name), batch.name.to_lowercase(), Box::new(of) as Speed)
    });
    let builds =
        ("Builds".to_owned(), "builds".to_owned(), Box::new(Speeds::builds_per_second) as Speed);
    let plots = batches.chain([builds]).map(|(title, file, of)| {
        let link = format!("{stem}-threads-{file}.svg");
        plot(&title, plan, rows, of).link(link)
    });
    plots.fold(section, Section::with)
}

/// Something that more threads do more often in a second.
type Speed = Box<dyn Fn(&Speeds) -> f64>;

impl Speeds {
    fn builds_per_second(&self) -> f64 {
        1.0 / self.wall
    }
}

/// By threads: how many times as fast as with the fewest.
fn times_as_fast(kind: Kind, rows: &[OnThreads], of: impl Fn(&Speeds) -> f64) -> Vec<(f64, f64)> {
    let rows = rows.iter().filter(|row| row.kind == kind);
    let speeds: Vec<(f64, f64)> =
        rows.filter_map(|row| Some((row.threads as f64, of(row.outcome.as_ref().ok()?)))).collect();
    let first = speeds.first().map_or(f64::NAN, |&(_, speed)| speed);
    speeds.into_iter().map(|(threads, speed)| (threads, speed / first)).collect()
}

fn table(plan: &Plan, rows: &[OnThreads]) -> Table {
    let batches =
        BATCHES.iter().flat_map(|batch| [format!("{} per second", batch.name), "times".to_owned()]);
    let heads = ["Maps", "Size", "Pairs", "Threads", "Loop, times"].map(str::to_owned);
    let builds = ["Build, clock [s]", "Build, processor [s]", "times"].map(str::to_owned);
    let mut table = Table::new(heads.into_iter().chain(batches).chain(builds)).caption(format!(
        "Times: how many times as fast as on one thread. Batches and the loop take turns; the median of {} rounds.",
        plan.rounds
    ));
    for row in rows {
        let name = [row.kind.name(), &row.size].map(Cell::text);
        let speeds = match &row.outcome {
            Ok(speeds) => speeds,
            Err(refusal) => {
                table.row(name.into_iter().chain([Cell::text(refusal.as_str())]));
                continue;
            }
        };
        let times = |of: &dyn Fn(&Speeds) -> f64| {
            let all = times_as_fast(row.kind, rows, of);
            let time = all.into_iter().find(|&(threads, _)| threads == row.threads as f64);
            Cell::number(time.map_or(f64::NAN, |(_, times)| times), 2)
        };
        let mut cells = name.to_vec();
        cells.push(Cell::number(speeds.pairs as f64, 0));
        cells.push(Cell::number(row.threads as f64, 0));
        cells.push(times(&|speeds| speeds.loops));
        for at in 0..BATCHES.len() {
            cells.push(Cell::number(speeds.answers[at], 0));
            cells.push(times(&|speeds| speeds.answers[at]));
        }
        cells.push(Cell::number(speeds.wall, 2));
        cells.push(Cell::number(speeds.cpu, 2));
        cells.push(times(&Speeds::builds_per_second));
        table.row(cells);
    }
    table
}

fn plot(title: &str, plan: &Plan, rows: &[OnThreads], of: Speed) -> Plot {
    let plot = Plot::new(title, Axis::log("Threads"), Axis::log("Times as fast as on one thread"));
    let series = |&kind: &Kind| Series::ours(kind.name(), times_as_fast(kind, rows, &of));
    let measured = plan
        .kinds
        .iter()
        .find(|&&kind| rows.iter().any(|row| row.kind == kind && row.outcome.is_ok()));
    let loops = measured.map(|&kind| {
        Series::ours("a loop that only computes", times_as_fast(kind, rows, |speeds| speeds.loops))
    });
    loops.into_iter().chain(plan.kinds.iter().map(series)).fold(plot, Plot::with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_compared_with_one_thread_on_the_same_map() {
        let row = |kind, threads, wall| OnThreads {
            kind,
            size: String::new(),
            threads,
            outcome: Ok(Speeds {
                pairs: 1,
                loops: 1.0,
                answers: [1.0; BATCHES.len()],
                wall,
                cpu: 1.0,
            }),
        };
        let rows = [row(Kind::Rooms, 1, 6.0), row(Kind::Caves, 1, 9.0), row(Kind::Rooms, 4, 2.0)];
        let times = times_as_fast(Kind::Rooms, &rows, Speeds::builds_per_second);
        assert_eq!(times, [(1.0, 1.0), (4.0, 3.0)]);
    }
}
