//! The front door: every engine by name, by type and from a file; edits, batches and clones.

use std::sync::Arc;
use std::thread;

use portolan::generate::Random;
use portolan::ppa::{Ppa, PpaConfig};
use portolan::prelude::*;
use portolan::registry::METHODS;
use portolan::{EndpointError, Error, GraphError};
use portolan_testkit::reference::distances;
use portolan_testkit::walker::walk;

fn rooms() -> Grid {
    Grid::from_fn(40, 30, |x, y| (x % 9 != 4 || y % 7 == 3) && (y % 8 != 5 || x % 6 == 1)).unwrap()
}

/// Compares paths between drawn cells with the reference and walks each.
fn check(finder: &mut PathFinder, seed: u64) {
    let map = finder.map().clone();
    let cell = |node| map.cell(node).unwrap();
    let free: Vec<NodeId> = (0..map.node_count() as NodeId).filter(|&n| map.contains(n)).collect();
    let mut random = Random::new(seed);
    for _ in 0..40 {
        let mut pick = || free[random.below(free.len() as u64) as usize];
        let (from, to) = (pick(), pick());
        let least = distances(&map, from)[to as usize];
        let (name, exact) = (finder.engine().name(), finder.engine().exact());
        let alone = finder.distance(cell(from), cell(to)).unwrap().map(u64::from);
        let found = finder.find(cell(from), cell(to)).unwrap();
        let cost = found.map(|path| u64::from(path.cost()));
        assert_eq!(cost, alone, "{name}");
        match least {
            Some(least) if !exact => assert!(cost.is_some_and(|cost| cost >= least), "{name}"),
            least => assert_eq!(cost, least, "{name}"),
        }
        let Some(path) = found else { continue };
        let nodes: Vec<NodeId> = path.nodes().collect();
        assert_eq!(walk(&map, &nodes, from, to), Ok(path.cost().into()), "{name}");
        assert_eq!((path.cells().next(), path.cells().last()), (Some(cell(from)), Some(cell(to))));
    }
}

#[test]
fn every_engine_answers_by_its_name_and_follows_edits() {
    for method in METHODS {
        let mut finder = PathFinder::builder(rooms()).engine(method.name()).build().unwrap();
        assert_eq!(finder.engine().name(), method.name());
        check(&mut finder, 1);
        let changes = finder.edit(|edit| {
            edit.block((13, 3));
            edit.free((4, 0));
            edit.free((0, 0)); // free already
        });
        assert_eq!(changes.unwrap(), Changes::new().free(4).block(3 * 40 + 13));
        check(&mut finder, 2);
        finder.rebuild().unwrap();
        check(&mut finder, 3);
    }
}

#[test]
fn a_finder_lives_in_a_struct_and_moves_to_threads() {
    struct Game {
        paths: PathFinder,
    }
    fn is_free<T: Send + Sync + Clone + 'static>(_: &T) {}
    let mut game = Game { paths: PathFinder::new(rooms()).unwrap() };
    is_free(&game.paths);
    let mut clone = game.paths.clone();
    let there = thread::spawn(move || clone.distance((0, 0), (37, 29)).unwrap());
    assert_eq!(there.join().unwrap(), game.paths.distance((0, 0), (37, 29)).unwrap());
}

#[test]
fn a_clone_keeps_the_map_that_it_has() {
    let mut finder = PathFinder::new("...".parse::<Grid>().unwrap()).unwrap();
    let mut before = finder.clone();
    finder.edit(|edit| edit.block((1, 0))).unwrap();
    assert!(finder.find((0, 0), (2, 0)).unwrap().is_none());
    assert!(before.find((0, 0), (2, 0)).unwrap().is_some());
}

#[test]
fn an_engine_is_taken_by_its_type_or_shared() {
    let map = Map::from(rooms());
    let ppa = Arc::new(Ppa::build(&map, &PpaConfig::default()).unwrap());
    check(&mut PathFinder::from_engine(ppa.clone()), 4);
    check(&mut PathFinder::from(Ppa::build(&map, &PpaConfig::default()).unwrap()), 4);
    assert_eq!(Arc::strong_count(&ppa), 1);
}

#[test]
fn an_index_file_opens_for_its_map_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rooms.index");
    let grid = rooms();
    PathFinder::builder(&grid).engine("ppa").build().unwrap().save(&path).unwrap();
    let mut opened = PathFinder::open(&grid, &path).unwrap();
    assert_eq!(opened.engine().name(), "ppa");
    check(&mut opened, 5);
    let other = PathFinder::open(Grid::new(40, 30).unwrap(), &path);
    assert!(matches!(other, Err(Error::OpenFile { .. })));
    let missing = PathFinder::open(&grid, folder.path().join("none"));
    assert!(matches!(missing, Err(Error::OpenFile { .. })));
    let astar = PathFinder::builder(&grid).engine("astar").build().unwrap();
    assert!(matches!(astar.save(&path), Err(Error::Unstorable(_))));
}

#[test]
fn batches_answer_like_single_queries_and_refuse_pair_by_pair() {
    let mut finder = PathFinder::builder(rooms()).threads(2).build().unwrap();
    let pairs: Vec<((u32, u32), (i32, i32))> = (0..3000)
        .map(|n| ((n % 40, n / 3 % 30), ((n as i32 * 7) % 45, (n as i32 * 11) % 30)))
        .collect();
    let (paths, costs) = (finder.find_all(&pairs).unwrap(), finder.distances(&pairs).unwrap());
    assert_eq!((paths.len(), costs.len()), (3000, 3000));
    for (at, (&(from, to), path)) in pairs.iter().zip(paths.iter()).enumerate() {
        let single = finder.find(from, to);
        match (path, single) {
            (Ok(Some(path)), Ok(Some(single))) => {
                assert_eq!((path.cost(), path.length()), (single.cost(), single.length()));
                assert!(path.cells().eq(path.nodes().map(|n| Cell::new(n % 40, n / 40))));
                assert_eq!(costs[at], Ok(Some(path.cost())));
            }
            (Ok(None), Ok(None)) => assert_eq!(costs[at], Ok(None)),
            (Err(batch), Err(single)) => {
                assert_eq!((&batch, &costs[at]), (&single, &Err(batch.clone())));
                let outside = matches!(batch, EndpointError::Outside { .. });
                assert_eq!(outside, to.0 >= 40, "{batch}");
            }
            (batch, single) => panic!("{from:?} to {to:?}: {batch:?}, alone {single:?}"),
        }
    }
}

#[test]
fn matrices_and_one_to_many_agree_with_distances() {
    let mut finder = PathFinder::new(rooms()).unwrap();
    let (from, to) = ([(0, 0), (20, 7)], [(37, 29), (0, 0), (8, 8)]);
    let rows = finder.matrix(&from, &to).unwrap();
    for (row, from) in rows.iter().zip(from) {
        assert_eq!(row, &finder.distances_from(from, &to).unwrap());
        for (&cost, to) in row.iter().zip(to) {
            assert_eq!(cost, finder.distance(from, to).unwrap());
        }
    }
    let error = finder.matrix(&from, &[(40, 0)]).unwrap_err();
    assert!(error.to_string().starts_with("cell 40,0 is not on the map"), "{error}");
}

#[test]
fn refusals_name_cells_and_change_nothing() {
    let mut finder = PathFinder::new("..#\n...".parse::<Grid>().unwrap()).unwrap();
    let says = |error: &dyn std::error::Error, start: &str| {
        assert!(error.to_string().starts_with(start), "{error}");
    };
    says(&finder.find((0, 0), (2, 0)).unwrap_err(), "cell 2,0 is blocked");
    says(&finder.find((-1, 0), (1, 0)).unwrap_err(), "cell -1,0 is not on the map");
    says(&finder.distance((0, 0), 6).unwrap_err(), "node 6 is not on the map");
    let edit = finder.edit(|edit| {
        edit.block((0, 0));
        edit.block((3, 0));
    });
    says(&edit.unwrap_err(), "there is no cell 3,0; the map has 3 x 2 cells");
    assert!(finder.find((0, 0), (1, 0)).unwrap().is_some());
    let unknown = PathFinder::builder(rooms()).engine("atals").build().unwrap_err();
    says(&unknown, "no engine is called `atals`; did you mean `atlas`? there are dijkstra");
    let tight = PathFinder::builder(rooms()).engine("ppa").memory_limit(10).build().unwrap_err();
    assert!(matches!(tight, Error::Build(portolan::BuildError::MemoryLimit { limit: 10, .. })));
}

#[test]
fn graphs_answer_by_node_and_in_the_unit_of_their_lengths() {
    let graph = CsrGraph::from_lengths(3, [(0, 1, 0.25), (1, 2, 1.5)], 100).unwrap();
    let mut finder = PathFinder::new(&graph).unwrap();
    let path = finder.find(0, 2).unwrap().unwrap();
    assert_eq!((path.length(), path.cells().len()), (1.75, 0));
    finder.edit(|edit| edit.insert_edge(0, 2, 100)).unwrap();
    assert_eq!(finder.find(0, 2).unwrap().unwrap().length(), 1.0);
    let error = finder.find((0, 0), 2).unwrap_err().to_string();
    assert!(error.starts_with("cell 0,0 is not on the map; the map is a graph"), "{error}");
}

#[test]
fn lengths_that_are_no_weights_are_refused() {
    for length in [f64::NAN, f64::INFINITY, -1.0, -0.001, 43_000_000.0] {
        let error = CsrGraph::from_lengths(2, [(0, 1, 1.0), (1, 0, length)], 100).unwrap_err();
        let named = matches!(error, GraphError::BadLength { edge: 1, tail: 1, head: 0, .. });
        assert!(named, "{length}: {error}");
    }
    assert_eq!(CsrGraph::from_lengths(2, [], 0).unwrap_err(), GraphError::NoScale);
}

#[test]
fn costs_make_terrain() {
    let grid = Grid::from_costs(3, 1, &[1, 0, 7]).unwrap();
    assert_eq!((grid.factor(2, 0), grid.is_passable(1, 0)), (Some(7), false));
    assert!(!Grid::from_costs(3, 1, &[1, 0, 1]).unwrap().has_terrain());
    let error = Grid::from_costs(3, 2, &[1, 0, 7]).unwrap_err();
    assert_eq!(error.to_string(), "3 costs were given for 6 cells");
}

/// A query that finds the goal out of reach ends at the nearest place that can be reached.
#[test]
fn the_way_toward_a_blocked_goal_is_partial() {
    let mut finder = PathFinder::new("....#..".parse::<Grid>().unwrap()).unwrap();
    let path = finder.find_toward((0, 0), (6, 0)).unwrap();
    assert_eq!((path.status(), path.cells().last()), (RouteStatus::Partial, Some((3, 0).into())));
    assert_eq!(finder.find_toward((0, 0), (2, 0)).unwrap().status(), RouteStatus::Complete);
}
