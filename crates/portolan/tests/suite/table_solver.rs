//! Builds whose tables something else computes: the same index, or its error.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::build::{CostMatrix, Progress, TableSolver};
use portolan::generate::Rooms;
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::{Build, BuildError, Map, UNREACHABLE};
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::worlds::one_way_streets;

/// Passes every middle node of small matrices, in 64 bits.
#[derive(Default)]
struct Plain {
    closed: AtomicUsize,
    is_broken: bool,
}

impl TableSolver for Plain {
    fn most_nodes(&self) -> usize {
        60
    }

    fn close(&self, matrices: &mut [&mut CostMatrix]) -> Result<(), String> {
        for CostMatrix { nodes, through, costs } in matrices.iter_mut().map(|matrix| &mut **matrix)
        {
            assert!(*nodes <= 60 && *through <= *nodes && costs.len() == *nodes * *nodes);
            assert!((0..*nodes).all(|node| costs[node * *nodes + node] == 0));
            for middle in 0..*through {
                for (tail, head) in
                    (0..*nodes).flat_map(|tail| (0..*nodes).map(move |head| (tail, head)))
                {
                    let sum = u64::from(costs[tail * *nodes + middle])
                        + u64::from(costs[middle * *nodes + head]);
                    let cost = &mut costs[tail * *nodes + head];
                    *cost = (*cost).min(sum.min(UNREACHABLE.into()) as u32);
                }
            }
        }
        self.closed.fetch_add(matrices.len(), Ordering::Relaxed);
        if self.is_broken { Err("out of order".to_owned()) } else { Ok(()) }
    }
}

impl Progress for Plain {
    fn advance(&self, _: &'static str, _: usize, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn table_solver(&self) -> Option<&dyn TableSolver> {
        Some(self)
    }
}

fn maps() -> [Map; 2] {
    [
        one_way_streets(),
        Map::from(Rooms { width: 60, height: 50, ..Rooms::default() }.generate().unwrap()),
    ]
}

#[test]
fn an_index_does_not_depend_on_who_computes_its_tables() {
    let plain = Plain::default();
    for map in maps() {
        for form in [Form::General, Form::Climb] {
            let config = AtlasConfig { form, leaf_size: Some(10), ..AtlasConfig::default() };
            let expected = bytes_of(&Atlas::build(&map, &config).unwrap());
            let closed = plain.closed.load(Ordering::Relaxed);
            assert!(bytes_of(&Atlas::build_watched(&map, &config, &plain).unwrap()) == expected);
            assert!(plain.closed.load(Ordering::Relaxed) > closed);
        }
        for (tables, memory_limit) in
            [(Tables::Distances, 1 << 26), (Tables::Distances, u64::MAX), (Tables::Steps, u64::MAX)]
        {
            let config =
                PpaConfig { tables, memory_limit, splits: Some(2), ..PpaConfig::default() };
            let expected = bytes_of(&Ppa::build(&map, &config).unwrap());
            let closed = plain.closed.load(Ordering::Relaxed);
            assert!(bytes_of(&Ppa::build_watched(&map, &config, &plain).unwrap()) == expected);
            let has_closed = plain.closed.load(Ordering::Relaxed) > closed;
            assert_eq!(has_closed, tables == Tables::Distances, "solvers find no steps");
        }
    }
}

#[test]
fn the_error_of_a_solver_ends_the_build() {
    let broken = Plain { is_broken: true, ..Plain::default() };
    for map in maps() {
        let config = AtlasConfig { form: Form::Climb, ..AtlasConfig::default() };
        let atlas = Atlas::build_watched(&map, &config, &broken).map(|_| ());
        let ppa = Ppa::build_watched(&map, &PpaConfig::default(), &broken).map(|_| ());
        let expected = Err(BuildError::Solver { reason: "out of order".to_owned() });
        assert_eq!((&atlas, &ppa), (&expected, &expected));
    }
}
