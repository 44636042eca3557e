//! Plain A* beside `pathfinding::astar`: full paths, one thread, both in turn on every query.
//!
//! `cargo bench -p portolan-peers --bench astar [-- QUERIES_PER_MAP [NAME_PART]]` prints a Markdown
//! table. Every answer of both sides is checked against the scenario before it counts. A query's
//! time is the best of three; a map's is the mean over its queries. The verdict is the median of
//! the ratios over the maps on which the peer takes at least a millisecond on average.

use std::path::Path;
use std::process::ExitCode;

use portolan::Build;
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan_peers::contestant::{Own, Pathfinding};
use portolan_peers::{Contestant, Problem, Subject, files, race};

const FOLDERS: [&str; 6] = ["rooms", "mazes", "dao", "bg512", "sc1", "random"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let limit = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(100);
    let part = arguments.get(1).map_or("", String::as_str);
    println!("| map | queries | `pathfinding::astar` us | `astar` us | times as fast |");
    println!("|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for file in files(&FOLDERS, part) {
        match measure(&file, limit) {
            Ok(row) => {
                let (peer, own) = (row.peer_us, row.own_us);
                let ratio = peer / own;
                println!("| {} | {} | {peer:.0} | {own:.0} | {ratio:.1} |", row.map, row.queries);
                if peer >= 1000.0 {
                    ratios.push(ratio);
                }
            }
            Err(problem) => {
                eprintln!("{}: {problem}", file.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
        println!(
            "\nMedian over the {} maps on which the peer takes at least 1 ms: **{median:.1} times as \
             fast** (from {least:.1} to {most:.1}).",
            ratios.len()
        );
    }
    ExitCode::SUCCESS
}

struct Row {
    map: String,
    queries: usize,
    peer_us: f64,
    own_us: f64,
}

fn measure(file: &Path, limit: usize) -> Result<Row, Problem> {
    let subject = Subject::load(file, limit)?;
    let engine = SearchEngine::build(&subject.map, &SearchConfig::default())?;
    let mut contestants: Vec<Box<dyn Contestant + '_>> =
        vec![Box::new(Pathfinding::new(&subject.map)?), Box::new(Own::paths_only(&engine))];
    let figures = race(&subject, &mut contestants, 1);
    if let Some(wrong) = figures.iter().flat_map(|figures| &figures.wrong).next() {
        return Err(wrong.clone().into());
    }
    Ok(Row {
        queries: subject.asks.len(),
        peer_us: figures[0].path_us,
        own_us: figures[1].path_us,
        map: subject.name.clone(),
    })
}
