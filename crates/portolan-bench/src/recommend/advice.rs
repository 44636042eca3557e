//! The conclusions: a choice for every task, with the figures that decided.

use portolan::Settings;
use serde::Serialize;

use super::candidates::Figures;
use super::crowd::Field;
use crate::engines;
use crate::text::{bytes, count, micros};

/// A task, what to use for it, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// The task.
    pub task: &'static str,
    /// An engine, or [`FIELD`].
    pub choice: &'static str,
    /// The figures that decided.
    pub because: String,
}

/// The limit of "little memory", in bytes per passable cell or node.
const LITTLE: usize = 16;

/// The number of paths between two rare edits.
const MANY: u32 = 10_000;

/// The number of paths in a frame.
const FEW: u32 = 10;

/// What is chosen for a crowd.
pub const FIELD: &str = "flow field";

/// A choice for every task that something was measured for; the first is the choice for most
/// programs.
pub(super) fn advise(all: &[Figures], field: Option<&Field>, nodes: usize) -> Vec<Advice> {
    let right: Vec<&Figures> = all.iter().filter(|figures| figures.wrong == 0).collect();
    let exact: Vec<&Figures> = right.iter().copied().filter(|figures| figures.exact).collect();
    let plain = exact.iter().copied().find(|figures| figures.engine == "astar");
    let fastest = best(&exact, |figures| figures.path_median_us);
    let mut advice = Vec::new();
    let mut add = |task, choice, because| advice.push(Advice { task, choice, because });
    if let Some((figures, time)) = fastest {
        add("static map", figures.engine, for_static_map(figures, time, plain));
    }
    if let Some((figures, time)) = best(&exact, after_rare_edit) {
        let is_rebuilt = figures.edit_and_paths(MANY) != Some(time);
        let rebuild = if is_rebuilt { ", a rebuild" } else { "" };
        let paths = count(MANY, "path", "paths");
        let because = format!("{} for an edit{rebuild} and {paths}", micros(time));
        add("rare edits", figures.engine, because);
    }
    if let Some((figures, time)) = best(&exact, of_frame) {
        let because = format!("{} for an edit and {FEW} paths", micros(time));
        add("edits in every frame", figures.engine, because);
    }
    let small: Vec<&Figures> =
        exact.iter().copied().filter(|figures| figures.memory_bytes <= LITTLE * nodes).collect();
    if let Some((figures, time)) = best(&small, |figures| figures.path_median_us) {
        add("little memory", figures.engine, for_little_memory(figures, time));
    }
    let near: Vec<&Figures> = right.iter().copied().filter(|figures| !figures.exact).collect();
    if let Some(line) = near_optimal(&near, &exact) {
        advice.push(line);
    }
    if let Some(field) = field.filter(|field| field.faults.is_empty()) {
        advice.push(for_crowds(field, fastest));
    }
    advice
}

fn of_frame(figures: &Figures) -> Option<f64> {
    figures.edit_and_paths(FEW)
}

/// After a rare edit an engine is refreshed or rebuilt, whichever takes less time in all.
fn after_rare_edit(figures: &Figures) -> Option<f64> {
    let (on, rebuilt) = (figures.edit_and_paths(MANY)?, figures.edit_build_and_paths(MANY)?);
    Some(on.min(rebuilt))
}

/// The engine with the least of a figure; of equal ones the first.
fn best<'a>(
    engines: &[&'a Figures],
    figure: impl Fn(&Figures) -> Option<f64>,
) -> Option<(&'a Figures, f64)> {
    let known = engines.iter().filter_map(|&figures| Some((figures, figure(figures)?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn for_static_map(figures: &Figures, time: f64, plain: Option<&Figures>) -> String {
    let memory = memory(figures);
    let saved = plain.and_then(|plain| Some(plain.path_mean_us? - figures.path_mean_us?));
    let paid = saved.filter(|&saved| saved > 0.0 && figures.memory_bytes > 0).map(|saved| {
        let paths = (figures.build_us / saved).ceil() as u64;
        format!("; the build pays off from {} on", count(paths.max(1), "path", "paths"))
    });
    format!("{} a path, {memory}{}", micros(time), paid.unwrap_or_default())
}

fn for_little_memory(figures: &Figures, time: f64) -> String {
    format!("{}, {} a path", memory(figures), micros(time))
}

/// Recommends a near-optimal engine only if it takes less than half the time of the best exact one.
fn near_optimal(near: &[&Figures], exact: &[&Figures]) -> Option<Advice> {
    let task = "near-optimal is enough";
    let (figures, time) = best(near, of_frame)?;
    let longer = 100.0 * figures.longer_mean.unwrap_or(0.0);
    let figure = |figures: &Figures, time| {
        format!("{}, {} for an edit and {FEW} paths", memory(figures), micros(time))
    };
    let Some((other, exact_time)) = best(exact, of_frame) else {
        let because = format!("{}, paths {longer:.1} % longer", figure(figures, time));
        return Some(Advice { task, choice: figures.engine, because });
    };
    if 2.0 * time < exact_time {
        let because = format!("{}, paths {longer:.1} % longer", figure(figures, time));
        return Some(Advice { task, choice: figures.engine, because });
    }
    let because = format!("exact is as fast; `{}`: {}", figures.engine, figure(figures, time));
    Some(Advice { task, choice: other.engine, because })
}

fn for_crowds(field: &Field, fastest: Option<(&Figures, f64)>) -> Advice {
    let agents = fastest.map(|(figures, _)| {
        let path = figures.path_mean_us.unwrap_or(0.0).max(1e-3);
        let agents = (field.build_us / path).ceil() as u64;
        let agents = count(agents.max(1), "agent", "agents");
        format!("; beats `{}` from {agents} per goal on", figures.engine)
    });
    let repair = field.repair_mean_us.map(|time| format!(", {} a repair", micros(time)));
    let because = format!(
        "{}, {}{}{}",
        micros(field.build_us),
        bytes(field.memory_bytes),
        repair.unwrap_or_default(),
        agents.unwrap_or_default(),
    );
    Advice { task: "crowds", choice: FIELD, because }
}

fn memory(figures: &Figures) -> String {
    match figures.memory_bytes {
        0 => "no index".into(),
        some => bytes(some),
    }
}

/// Whether an engine can be kept in an index file.
pub fn is_storable(choice: &str, settings: &Settings) -> bool {
    engines::find(choice).is_ok_and(|method| method.storable(settings).is_ok())
}

/// The line of Rust that makes a choice.
pub fn in_rust(choice: &str) -> String {
    match choice {
        FIELD => "let field = FlowField::new(&map, &goals)?;".into(),
        engines::BEST => "let mut finder = PathFinder::new(&map)?;".into(),
        other => {
            format!("let mut finder = PathFinder::builder(&map).engine(\"{other}\").build()?;")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact: no; build and path in microseconds, memory in bytes, an edit and every path after it.
    fn figures(
        engine: &'static str,
        exact: bool,
        (build_us, path): (f64, f64),
        memory_bytes: usize,
        (edit, later): (f64, f64),
    ) -> Figures {
        Figures {
            engine,
            exact,
            build_us,
            memory_bytes,
            queries: 10,
            path_median_us: Some(path),
            path_mean_us: Some(path),
            longer_mean: Some(if exact { 0.0 } else { 0.02 }),
            edits: 3,
            edit_queries: 15,
            edit_mean_us: Some(edit),
            first_mean_us: Some(later),
            later_mean_us: Some(later),
            wrong: 0,
        }
    }

    fn choices(all: &[Figures]) -> Vec<(&'static str, &'static str)> {
        advise(all, None, 100).iter().map(|advice| (advice.task, advice.choice)).collect()
    }

    #[test]
    fn every_task_gets_the_engine_that_is_best_at_it() {
        let mut all = [
            figures("astar", true, (0.0, 900.0), 0, (1.0, 900.0)),
            figures("atlas", true, (9_000.0, 1.0), 9_000, (400.0, 20.0)),
            figures("atlas-climb", true, (5_000.0, 30.0), 5_000, (50.0, 30.0)),
            figures("differential", true, (500.0, 100.0), 1_600, (900.0, 110.0)),
            figures("dhpa", false, (80.0, 10.0), 400, (10.0, 10.0)),
        ];
        let expected = [
            ("static map", "atlas"),
            ("rare edits", "atlas"),
            ("edits in every frame", "atlas-climb"),
            ("little memory", "differential"),
            ("near-optimal is enough", "dhpa"),
        ];
        assert_eq!(choices(&all), expected);
        let advice = advise(&all, None, 100);
        assert_eq!(
            advice[0].because,
            "1.00 µs a path, 8.8 KiB; the build pays off from 11 paths on"
        );
        assert!(advice[4].because.ends_with("paths 2.0 % longer"), "{}", advice[4].because);

        all[2].edit_mean_us = None;
        all[4].edit_mean_us = Some(2_000.0);
        let chosen = choices(&all);
        assert_eq!(chosen[2], ("edits in every frame", "atlas"));
        assert_eq!(chosen[4], ("near-optimal is enough", "atlas"), "not faster than exact");
    }

    #[test]
    fn an_engine_with_a_wrong_answer_is_never_recommended() {
        let mut all = [
            figures("astar", true, (0.0, 900.0), 0, (1.0, 900.0)),
            figures("atlas", true, (9.0, 1.0), 9, (1.0, 2.0)),
        ];
        all[1].wrong = 1;
        assert!(choices(&all).iter().all(|&(_, choice)| choice == "astar"));
        assert!(choices(&[]).is_empty());
    }

    #[test]
    fn crowds_are_told_when_a_field_beats_paths() {
        let field = Field {
            build_us: 5_000.0,
            memory_bytes: 2_048,
            repair_mean_us: Some(7.0),
            faults: Vec::new(),
        };
        let all = [figures("astar", true, (0.0, 100.0), 0, (1.0, 100.0))];
        let advice = advise(&all, Some(&field), 100);
        let expected =
            "5000 µs, 2.0 KiB, 7.00 µs a repair; beats `astar` from 50 agents per goal on";
        let last = advice.last().unwrap();
        assert_eq!((last.choice, last.because.as_str()), (FIELD, expected));
        assert!(in_rust(FIELD).contains("FlowField"));
    }
}
