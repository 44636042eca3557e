//! The figures of one map, and the file that keeps them.
//!
//! The file has one line of JSON per map. A run that was stopped continues after the last line, and
//! a report can be written again without measuring.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Problem;
use super::entrant::{BASELINE, Entrant, Ready, Task};
use super::memory::{Guarded, counted};
use crate::judge::{self, Fault};
use crate::timing::{Plan, Rounds, Sheet, race};
use crate::workload::{Subject, Workload};

/// All engines on one map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MapResult {
    /// Folder and name of the map.
    pub(crate) map: String,
    /// Nodes or cells that can be used.
    pub(crate) nodes: usize,
    /// Valid queries.
    pub(crate) queries: usize,
    /// Lines of its file with an end that is blocked or outside the map.
    pub(crate) unusable: usize,
    /// The date of the run.
    pub(crate) date: String,
    /// The machine of the run.
    pub(crate) machine: String,
    /// The options of the run; results with other options are ignored.
    pub(crate) options: String,
    /// In the order of `--engines`.
    pub(crate) engines: Vec<EngineResult>,
}

/// One engine on one map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EngineResult {
    /// Its name.
    pub(crate) name: String,
    /// The figures, or why there are none.
    pub(crate) outcome: Result<Measured, String>,
}

/// What an engine needed, and the quality of its paths.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The mean time of a full path, over the queries that it answered.
    pub(crate) path: PassTimes,
    /// The baseline's time for these queries. If it was too slow for all of them, it is
    /// extrapolated from the queries that both answered.
    pub(crate) baseline: PassTimes,
    /// The mean time of a distance alone.
    pub(crate) distance: PassTimes,
    /// Wall time of the preparation, if known.
    pub(crate) prepare_s: Option<f64>,
    /// Processor time of the preparation.
    pub(crate) prepare_cpu_s: f64,
    /// Memory that is allocated after the preparation.
    pub(crate) prepared_bytes: usize,
    /// Peak memory of the queries in addition to it, including scratch space that they keep.
    pub(crate) working_bytes: usize,
    /// The quality of the paths.
    pub tally: Tally,
}

impl Measured {
    /// Index and work together.
    pub(crate) fn bytes(&self) -> usize {
        self.prepared_bytes + self.working_bytes
    }

    /// The speed of its paths relative to the baseline, in a pass of this kind.
    pub(crate) fn speed(&self, pass: Pass) -> Option<f64> {
        Some(self.baseline.us(pass)? / self.path.us(pass)?)
    }

    /// The speed of its distances relative to paths of the baseline.
    pub(crate) fn distance_speed(&self, pass: Pass) -> Option<f64> {
        Some(self.baseline.us(pass)? / self.distance.us(pass)?)
    }
}

/// The state of the caches before a pass over all queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// After the passes of other engines: cold.
    First,
    /// Right after a pass of the same engine: warm.
    Repeated,
}

/// The mean time of a query in microseconds; the median of the passes of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PassTimes {
    /// In passes that follow those of other engines.
    pub(crate) first_us: Option<f64>,
    /// In passes that follow one of the same engine.
    pub(crate) repeated_us: Option<f64>,
}

impl PassTimes {
    /// In a pass of this kind.
    pub(crate) fn us(&self, pass: Pass) -> Option<f64> {
        match pass {
            Pass::First => self.first_us,
            Pass::Repeated => self.repeated_us,
        }
    }

    fn median(first: &Rounds, repeated: &Rounds, queries: &[usize]) -> Self {
        Self { first_us: first.median_us(queries), repeated_us: repeated.median_us(queries) }
    }

    fn of_paths(sheet: &Sheet, queries: &[usize]) -> Self {
        Self::median(&sheet.paths, &sheet.repeated_paths, queries)
    }
}

/// Counts of answers by quality.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Queries.
    pub(crate) asked: usize,
    /// Legal and shortest.
    pub optimal: usize,
    /// Legal and longer than the shortest.
    pub(crate) longer: usize,
    /// The sum of length : shortest length over those that are longer.
    pub(crate) ratio_sum: f64,
    /// The worst of these ratios.
    pub(crate) worst_ratio: f64,
    /// Paths that cut corners and are right otherwise.
    pub(crate) cut_corners: usize,
    /// Paths that are illegal for other reasons.
    pub illegal: usize,
    /// Queries without an answer.
    pub(crate) no_answer: usize,
    /// Answers that contradict themselves.
    pub(crate) contradictions: usize,
    /// Describes the first answer that is illegal (except for corners), missing or contradictory.
    pub(crate) example: Option<String>,
}

impl Tally {
    /// Of one contestant.
    fn of(judged: &judge::Tally, subject: &Subject, workload: &Workload) -> Self {
        let mut tally = Self {
            asked: judged.answered.len(),
            optimal: judged.optimal,
            longer: judged.longer,
            ratio_sum: judged.longer as f64 + judged.excess_sum,
            worst_ratio: if judged.longer > 0 { 1.0 + judged.excess_max } else { 0.0 },
            ..Self::default()
        };
        for (&index, fault) in &judged.faults {
            let count = match fault {
                Fault::Longer { .. } => continue,
                Fault::CutsCorner { .. } => {
                    tally.cut_corners += 1;
                    continue;
                }
                Fault::Illegal(_) | Fault::Ends { .. } => &mut tally.illegal,
                Fault::Missed | Fault::Refused(_) | Fault::Overflow { .. } => &mut tally.no_answer,
                _ => &mut tally.contradictions,
            };
            *count += 1;
            if tally.example.is_none() {
                tally.example = Some(fault.describe(subject, &workload.queries[index]));
            }
        }
        // A path that contradicts another answer may be as short as can be.
        tally.optimal = tally.optimal.min(tally.asked - tally.contradictions);
        tally
    }

    /// Adds the counts of another map.
    pub(crate) fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.optimal += other.optimal;
        self.longer += other.longer;
        self.ratio_sum += other.ratio_sum;
        self.worst_ratio = self.worst_ratio.max(other.worst_ratio);
        self.cut_corners += other.cut_corners;
        self.illegal += other.illegal;
        self.no_answer += other.no_answer;
        self.contradictions += other.contradictions;
        if self.example.is_none() {
            self.example.clone_from(&other.example);
        }
    }

    /// The mean of length : shortest length over the paths that are longer.
    pub(crate) fn mean_ratio(&self) -> Option<f64> {
        (self.longer > 0).then(|| self.ratio_sum / self.longer as f64)
    }

    /// Whether every answer was a shortest legal path.
    pub(crate) fn is_clean(&self) -> bool {
        self.optimal == self.asked
    }
}

/// Prepares all entrants for one map and measures them. The workload must be solved and staggered.
pub(crate) fn measure(
    subject: &Subject,
    workload: &Workload,
    entrants: &[Entrant],
    task: &Task<'_>,
    plan: &Plan,
) -> Result<Vec<EngineResult>, Problem> {
    let prepare = |entrant: &Entrant| entrant.prepare(task).map_err(|problem| problem.to_string());
    let ready: Vec<Result<Ready, String>> = entrants.iter().map(prepare).collect();
    let mut sheets = Vec::new();
    for ready in ready.iter().flatten() {
        let (contestant, need) = counted(|| ready.prepared.contestant(&subject.map));
        sheets.push(Sheet::new(Guarded::new(contestant?, need.kept), workload));
    }
    race(&subject.map, &mut sheets, plan, &())?;
    let baseline = sheets.iter().find(|sheet| sheet.contestant.name() == BASELINE);

    let mut each = sheets.iter();
    let results = entrants.iter().zip(&ready).map(|(entrant, ready)| EngineResult {
        name: entrant.name().into(),
        outcome: ready.as_ref().map_err(String::clone).map(|ready| {
            let sheet = each.next().expect("every ready entrant has a sheet");
            let tally = Tally::of(&sheet.tally, subject, workload);
            figures(ready, sheet, tally, baseline)
        }),
    });
    Ok(results.collect())
}

fn figures(ready: &Ready, sheet: &Sheet, tally: Tally, baseline: Option<&Sheet>) -> Measured {
    let answered = sheet.answered();
    let path = PassTimes::of_paths(sheet, &answered);
    let mut times_of_baseline = PassTimes::default();
    if let Some(baseline) = baseline {
        let both: Vec<usize> =
            answered.iter().copied().filter(|&index| index < baseline.query_count()).collect();
        let (own, theirs) =
            (PassTimes::of_paths(sheet, &both), PassTimes::of_paths(baseline, &both));
        let scaled = |pass| Some(theirs.us(pass)? / own.us(pass)? * path.us(pass)?);
        times_of_baseline =
            PassTimes { first_us: scaled(Pass::First), repeated_us: scaled(Pass::Repeated) };
    }
    Measured {
        path,
        baseline: times_of_baseline,
        distance: PassTimes::median(&sheet.distances, &sheet.repeated_distances, &answered),
        prepare_s: ready.time.map(|time| time.as_secs_f64()),
        prepare_cpu_s: ready.cpu.as_secs_f64(),
        prepared_bytes: ready.bytes,
        working_bytes: sheet.contestant.working_bytes(),
        tally,
    }
}

/// Reads the results with these options; none if the file does not exist.
pub(crate) fn read(path: &Path, options: &str) -> Result<Vec<MapResult>, Problem> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    // A killed run may have left half a line. Maps whose line is unreadable are measured again.
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    Ok(lines.filter(|result: &MapResult| result.options == options).collect())
}

/// Appends a line, and a line break before it in case the last line is incomplete.
pub(crate) fn append(path: &Path, result: &MapResult) -> Result<(), Problem> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(write!(file, "\n{}\n", serde_json::to_string(result)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::entrant::PEERS;
    use crate::peers::{real, write_up};
    use portolan::METHODS;
    use portolan::generate::Rooms;
    use std::time::Duration;

    /// All peers and engines, on a map of rooms.
    fn race() -> MapResult {
        let rooms = Rooms { width: 33, height: 33, room: 4, ..Rooms::default() };
        let subject = Subject::new("rooms", rooms.generate().unwrap());
        let mut workload = Workload::random(&subject, 40, &()).unwrap();
        workload.queries.retain(|query| query.expected.length(&subject.map).is_some());
        real::solve(&subject, &mut workload).unwrap();
        real::stagger(&mut workload);

        let entrants = PEERS.iter().map(Entrant::Peer);
        let entrants: Vec<Entrant> =
            entrants.chain(METHODS.iter().map(|&method| Entrant::Own(method))).collect();
        let task = Task {
            map: &subject.map,
            file: None,
            time_limit: Duration::from_secs(60),
            memory_limit: 1 << 30,
        };
        let plan = Plan { rounds: 2, repeats: true, ..Plan::default() };
        MapResult {
            map: "rooms".into(),
            nodes: subject.map.usable_count(),
            queries: workload.queries.len(),
            unusable: 0,
            date: "2026-01-01".into(),
            machine: "any".into(),
            options: "all".into(),
            engines: measure(&subject, &workload, &entrants, &task, &plan).unwrap(),
        }
    }

    #[test]
    fn all_entrants_are_measured_on_a_small_map() {
        let result = race();
        assert_eq!(result.engines.len(), PEERS.len() + METHODS.len());
        for engine in &result.engines {
            let measured = engine.outcome.as_ref().unwrap();
            let tally = &measured.tally;
            for pass in [Pass::First, Pass::Repeated] {
                assert!(measured.path.us(pass).is_some(), "{}", engine.name);
                assert!(measured.speed(pass).is_some(), "{}", engine.name);
                let is_ours =
                    Entrant::named(&engine.name).is_ok_and(|e| matches!(e, Entrant::Own(_)));
                assert_eq!(measured.distance.us(pass).is_some(), is_ours, "{}", engine.name);
            }
            assert_eq!(tally.asked, result.queries);
            let wrong = tally.illegal + tally.no_answer + tally.contradictions;
            assert_eq!(wrong, 0, "{}: {tally:?}", engine.name);
            match engine.name.as_str() {
                "grid_pathfinding" => assert!(tally.cut_corners > 0, "{tally:?}"),
                "hierarchical_pathfinding"
                | "hierarchical_pathfinding-10"
                | "hierarchical_pathfinding-16"
                | "grid_pathfinding-4" => {
                    assert!(tally.longer > 0 && tally.cut_corners == 0, "{tally:?}");
                }
                near if portolan::registry::method(near).is_some_and(|method| !method.exact()) => {
                    assert_eq!(tally.cut_corners, 0, "{near}: {tally:?}");
                }
                exact => assert!(tally.is_clean(), "{exact}: {tally:?}"),
            }
        }
        let page = write_up::report(&[result], "a.svg").to_html();
        assert!(page.contains("Paths of grid_pathfinding:"), "{page}");
    }

    #[test]
    fn results_are_kept_with_their_options() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        assert_eq!(read(&path, "a").unwrap(), []);
        let measured = Measured {
            path: PassTimes { first_us: Some(0.1), repeated_us: None },
            ..Measured::default()
        };
        let outcomes = [Ok(measured), Err("too late".to_owned())];
        let engines = outcomes.map(|outcome| EngineResult { name: "x".into(), outcome });
        let result = |options: &str| MapResult {
            map: "m".into(),
            nodes: 1,
            queries: 2,
            unusable: 0,
            date: "d".into(),
            machine: "n".into(),
            options: options.into(),
            engines: engines.to_vec(),
        };
        append(&path, &result("a")).unwrap();
        append(&path, &result("b")).unwrap();
        fs::write(&path, fs::read_to_string(&path).unwrap() + "{\"map\":\"m").unwrap();
        append(&path, &result("a")).unwrap();
        assert_eq!(read(&path, "a").unwrap(), [result("a"), result("a")]);
    }
}
