//! Every engine on every world, against a Dijkstra that shares no code with them.

use portolan::generate::Random;
use portolan::registry::{METHODS, StoredBounds};
use portolan::{Connectivity, Settings};
use portolan_testkit::matrix::{Truth, check_edits, check_engine, check_world};
use portolan_testkit::worlds::{World, draw, drawn, random};

#[test]
fn drawn_worlds() {
    drawn().iter().for_each(check_world);
}

#[test]
fn random_worlds() {
    (0..160).for_each(|seed| check_world(&random(seed)));
}

#[test]
fn random_worlds_under_edits() {
    (1000..1030).for_each(|seed| check_edits(&random(seed), 12, seed));
}

/// For methods with a search that could use one.
#[test]
fn every_heuristic_gives_the_same_answers() {
    use portolan::heuristic::HeuristicChoice::*;
    let heuristics = [Zero, Manhattan, Octile, Hex, Euclidean];
    let mut supported = [0; 5];
    for seed in 2000..2040 {
        let world = random(seed);
        let truth = Truth::of(&world);
        for (heuristic, supported) in heuristics.into_iter().zip(&mut supported) {
            let settings = Settings { heuristic, ..Settings::default() };
            let used = METHODS.iter().filter(|m| m.stored_bounds() != StoredBounds::Ignored);
            *supported += used.filter(|method| truth.check_method(**method, &settings)).count();
        }
    }
    assert!(supported.iter().all(|&worlds| worlds > 40), "{heuristics:?}: {supported:?} worlds");
}

#[test]
fn every_size_of_unit() {
    let mut random = Random::new(7);
    for round in 0..40 {
        let grid = portolan::Grid::from_fn(12, 9, |_, _| !random.chance(0.12)).unwrap();
        let large = grid.for_agent(2 + round % 2).unwrap();
        check_world(&World::new(format!("unit of round {round}"), large));
    }
}

#[test]
#[should_panic(expected = "not optimal")]
fn the_matrix_notices_an_engine_with_other_rules() {
    let (eight, _, _) = draw("... / ... / ...");
    let four = eight.clone().with_connectivity(Connectivity::Four);
    let engine = METHODS[0].build(&four.into(), &Settings::default()).unwrap();
    check_engine(engine.as_ref(), &World::new("eight moves, answered with four", eight));
}
