//! All pairs of cells of small grids, by the million: the form of Atlas for grids of one terrain
//! against a Dijkstra of the test kit from every cell.
//!
//! Every distance is compared and every path walked. `cargo run --release -p portolan-testkit --bin
//! pairs` does the same for as many pairs as one likes.

use portolan::registry;
use portolan::registry::Method;
use portolan_testkit::pairs::check_seed;
use portolan_testkit::small_grids::{RULES, Rule};

/// Grid after grid, until there were so many pairs.
fn check(rule: &Rule, least: u64, first_seed: u64, edits: usize) {
    let method: &dyn Method = registry::method("atlas-uniform").unwrap();
    let mut pairs = 0;
    for seed in first_seed.. {
        match check_seed(method, rule, seed, edits) {
            Ok(right) => pairs += right,
            Err(failure) => panic!("{failure}"),
        }
        if pairs >= least {
            println!("{pairs} pairs on {} grids", seed + 1 - first_seed);
            return;
        }
    }
}

#[test]
fn a_million_pairs() {
    check(&RULES[0], 1_000_000, 10_000, 0);
}

#[test]
fn a_million_pairs_after_edits() {
    check(&RULES[0], 1_000_000, 20_000, 6);
}

#[test]
fn a_million_pairs_under_each_other_rule() {
    for rule in &RULES[1..] {
        check(rule, 1_000_000, 30_000, 0);
    }
}

#[test]
fn other_rules_after_edits() {
    for rule in &RULES[1..] {
        check(rule, 300_000, 40_000, 6);
    }
}
