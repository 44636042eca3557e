//! Asks an engine all pairs of cells of as many small grids as it takes, and checks every distance
//! and every path.
//!
//! ```text
//! cargo run --release -p portolan-testkit --bin pairs -- --pairs 100000000 --seed 1 [--edits 6] [--rule four]
//! ```
//!
//! | option | |
//! |---|---|
//! | `--pairs N` | goes on until so many pairs were right; default 1,000,000 |
//! | `--seed N` | the seed of the first grid; the others follow it; default 1 |
//! | `--edits N` | edits of each grid, after each of which all pairs are asked again; default 0 |
//! | `--engine NAME` | an engine of `portolan::METHODS`; default `atlas-uniform` |
//! | `--rule NAME` | which steps are legal, one of `small_grids::RULES`; default `never` |
//! | `--one` | only the grid of this seed |
//!
//! `--features metis` cuts maps with METIS, as the program `portolan` does. All cores work. A wrong
//! answer is printed with its seed and the grid as a drawing, and the exit code is 1; the same seed
//! with `--one` and the same number of edits shows it again.

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use portolan::METHODS;
use portolan::registry::{self, Method};
use portolan_testkit::pairs::check_seed;
use portolan_testkit::small_grids::{RULES, Rule};

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let work = Work::new(options.seed);
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(|| work.run(&options))).collect();
        scope.spawn(|| work.watch(&options, start));
        for worker in workers {
            // A worker that panics has said why; the others need not go on.
            let _ = worker.join();
        }
        work.is_over.store(true, Relaxed);
    });
    let (pairs, grids) = (work.pairs.load(Relaxed), work.grids.load(Relaxed));
    println!(
        "{}, rule {}: {pairs} pairs right on {grids} grids from seed {}, {} edits each, in {:.0} s",
        options.method.name(),
        options.rule.name,
        options.seed,
        options.edits,
        start.elapsed().as_secs_f64()
    );
    match work.has_failed.load(Relaxed) || pairs < options.pairs {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

struct Options {
    pairs: u64,
    seed: u64,
    edits: usize,
    rule: Rule,
    method: &'static dyn Method,
    /// Whether it is one grid only.
    one: bool,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut pairs, mut seed, mut edits) = (1_000_000, 1, 0);
        let (mut name, mut one) = ("atlas-uniform".to_owned(), false);
        let mut rule = RULES[0];
        while let Some(option) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                "--pairs" => pairs = number(&option, &value()?)?,
                "--seed" => seed = number(&option, &value()?)?,
                "--edits" => edits = number(&option, &value()?)? as usize,
                "--engine" => name = value()?,
                "--rule" => rule = rule_of(&value()?)?,
                "--one" => one = true,
                other => return Err(format!("there is no option `{other}`")),
            }
        }
        let method = registry::method(&name).ok_or_else(|| {
            let known: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
            format!("there is no engine `{name}`; there are: {}", known.join(", "))
        })?;
        let pairs = if one { 0 } else { pairs };
        Ok(Self { pairs, seed, edits, rule, method, one })
    }
}

fn rule_of(name: &str) -> Result<Rule, String> {
    RULES.into_iter().find(|rule| rule.name == name).ok_or_else(|| {
        let known = RULES.map(|rule| rule.name);
        format!("there is no rule `{name}`; there are: {}", known.join(", "))
    })
}

fn number(option: &str, text: &str) -> Result<u64, String> {
    text.replace(['_', ','], "")
        .parse()
        .map_err(|_| format!("{option} takes a number, not `{text}`"))
}

/// What the workers share.
struct Work {
    next_seed: AtomicU64,
    pairs: AtomicU64,
    grids: AtomicU64,
    has_failed: AtomicBool,
    is_over: AtomicBool,
}

impl Work {
    fn new(seed: u64) -> Self {
        Self {
            next_seed: seed.into(),
            pairs: 0.into(),
            grids: 0.into(),
            has_failed: false.into(),
            is_over: false.into(),
        }
    }

    /// Checks grid after grid until enough pairs are right or one is wrong.
    fn run(&self, options: &Options) {
        loop {
            let seed = self.next_seed.fetch_add(1, Relaxed);
            let is_enough = match options.one {
                true => seed > options.seed,
                false => self.pairs.load(Relaxed) >= options.pairs,
            };
            if is_enough || self.has_failed.load(Relaxed) {
                return;
            }
            match check_seed(options.method, &options.rule, seed, options.edits) {
                Ok(pairs) => {
                    self.pairs.fetch_add(pairs, Relaxed);
                    self.grids.fetch_add(1, Relaxed);
                }
                Err(failure) => {
                    self.has_failed.store(true, Relaxed);
                    println!("WRONG: {}: {failure}", options.method.name());
                }
            }
        }
    }

    /// Says how far the work has come: often on a terminal, seldom in a file.
    fn watch(&self, options: &Options, start: Instant) {
        let (pause, line_end) = match stderr().is_terminal() {
            true => (Duration::from_millis(500), "\r"),
            false => (Duration::from_secs(30), "\n"),
        };
        let mut next = start + pause;
        while !self.is_over.load(Relaxed) {
            thread::sleep(Duration::from_millis(50));
            if Instant::now() < next {
                continue;
            }
            next += pause;
            let pairs = self.pairs.load(Relaxed);
            let share = pairs as f64 / options.pairs.max(1) as f64;
            let left = start.elapsed().as_secs_f64() * (1.0 - share).max(0.0) / share.max(1e-9);
            eprint!("{:5.1} %  {pairs} pairs  {left:.0} s left    {line_end}", 100.0 * share);
        }
    }
}
