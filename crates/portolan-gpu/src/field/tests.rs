//! Against the fields of the CPU: costs, steps and refusals, bit for bit.

use portolan::generate::Random;
use portolan::{Connectivity, EndpointError};
use portolan_testkit::worlds::{drawn, random, rules};

use super::*;

fn gpu() -> Gpu {
    Gpu::new().expect("a GPU, or a software driver")
}

fn check(fields: &GpuFields, name: &str, goals: &[NodeId]) -> GpuFlowField {
    let field = fields.field(goals).expect("a working device");
    let expected = FlowField::new(fields.map(), goals).expect("the same goals");
    assert_eq!(field.goals(), expected.goals(), "{name}");
    assert_eq!(field.costs().expect("a working device"), expected.costs(), "{name}");
    let next = |node| expected.next(node).unwrap_or(node);
    let steps: Vec<_> = (0..fields.map().node_count() as NodeId).map(next).collect();
    assert_eq!(field.steps().expect("a working device"), steps, "{name}");
    assert_eq!(field.download().expect("a working device"), expected, "{name}");
    field
}

/// Some cells that are not blocked.
fn free_cells(map: &Map, count: usize, random: &mut Random) -> Vec<NodeId> {
    let nodes: Vec<NodeId> =
        (0..map.node_count() as NodeId).filter(|&node| map.contains(node)).collect();
    if nodes.is_empty() {
        return nodes;
    }
    (0..count).map(|_| nodes[random.below(nodes.len() as u64) as usize]).collect()
}

#[test]
fn small_worlds() {
    let worlds = drawn().into_iter().chain((0..80).map(random));
    let mut grids = worlds.filter(|world| world.map.as_grid().is_some());
    let first = grids.next().expect("a grid");
    let mut fields = GpuFields::build(&gpu(), &first.map).expect("a grid");
    for world in std::iter::once(first).chain(grids) {
        fields.set_map(&world.map).expect("a grid");
        for count in [0, 1, 3] {
            let goals = free_cells(&world.map, count, &mut Random::new(count as u64));
            check(&fields, &world.to_string(), &goals);
        }
    }
}

#[test]
fn maps_of_many_tiles() {
    let gpu = gpu();
    for (name, connectivity, corners) in rules() {
        let mut random = Random::new(3);
        let grid = Grid::from_fn(150, 101, |_, _| !random.chance(0.3)).expect("a size");
        let grid = grid.with_connectivity(connectivity).with_corners(corners);
        let factors = (0..150 * 101).map(|_| 1 + random.below(255) as u8).collect();
        let rough = grid.clone().with_terrain(factors).expect("factors");
        for grid in [grid, rough] {
            let map = Map::from(grid);
            let fields = GpuFields::build(&gpu, &map).expect("a grid");
            for count in [1, 100] {
                check(&fields, name, &free_cells(&map, count, &mut random));
            }
        }
    }
}

#[test]
fn a_long_corridor_takes_many_passes() {
    let grid = Grid::from_fn(200, 81, |x, y| y % 2 == 0 || x == if y % 4 == 1 { 199 } else { 0 });
    let map = Map::from(grid.expect("a size"));
    let fields = GpuFields::build(&gpu(), &map).expect("a grid");
    let field = check(&fields, "a corridor", &[0]);
    assert!(field.passes() > FIRST_PASSES + 2 * FIRST_PASSES, "{} passes", field.passes());
}

#[test]
fn costs_that_overflow_are_told_from_missing_paths() {
    // A wall cuts off the last cells. The dearest ground makes the others too far.
    let length = 40_000;
    let grid = Grid::from_fn(length, 1, |x, _| x != length - 3).expect("a size");
    let grid = grid.with_terrain(vec![255; length as usize]).expect("factors");
    let map = Map::from(grid.with_connectivity(Connectivity::Four));
    let fields = GpuFields::build(&gpu(), &map).expect("a grid");
    let field = check(&fields, "a long row", &[0]).download().expect("a working device");
    assert!(matches!(field.cost(length - 4), Err(EndpointError::CostOverflow { .. })));
    assert_eq!((field.cost(length - 1), field.costs()[1]), (Ok(None), 510 * 408));
}

#[test]
fn a_field_is_refilled_after_an_edit() {
    let map = Map::from(Grid::new(50, 40).expect("a size"));
    let mut fields = GpuFields::build(&gpu(), &map).expect("a grid");
    let mut field = check(&fields, "before", &[0]);
    let walled = Grid::from_fn(50, 40, |x, y| x != 20 || y == 39).expect("a size");
    let walled = Map::from(walled);
    fields.set_map(&walled).expect("a grid");
    fields.refill(&mut field, &[49]).expect("the same size");
    let expected = FlowField::new(&walled, &[49]).expect("a goal");
    assert_eq!(field.download().expect("a working device"), expected);
    assert_eq!((field.map().contains(20), field.goals()), (false, &[49][..]));
}

#[test]
fn goals_are_refused_as_on_the_cpu() {
    let map = Map::from("..#".parse::<Grid>().expect("a drawing"));
    let gpu = gpu();
    let fields = GpuFields::build(&gpu, &map).expect("a grid");
    for goals in [&[2][..], &[0, 3], &[2, 3]] {
        let expected = FlowField::new(&map, goals).expect_err("not a goal");
        let refused = fields.field(goals).expect_err("not a goal");
        assert_eq!(refused, GpuError::Endpoint(expected));
    }
    let other = Map::from(Grid::new(2, 2).expect("a size"));
    let others = GpuFields::build(&gpu, &other).expect("a grid");
    let mut field = others.field(&[0]).expect("a goal");
    let refused = fields.refill(&mut field, &[0]);
    assert!(matches!(refused, Err(GpuError::Unsupported { .. })), "{refused:?}");
    let graph = drawn().into_iter().find(|world| world.map.as_graph().is_some()).expect("a graph");
    let refused = GpuFields::build(&gpu, &graph.map).map(|_| ());
    assert!(matches!(refused, Err(GpuError::Unsupported { .. })), "{refused:?}");
}

#[test]
fn fields_of_another_gpu_are_refused() {
    let map = Map::from(Grid::new(20, 20).expect("a size"));
    let [own, other] =
        [gpu(), gpu()].map(|gpu| GpuFields::build(&gpu, &map).expect("a grid of moderate size"));
    let (first, mut foreign) = (own.field(&[0]).unwrap(), other.field(&[399]).unwrap());
    let mut crowd = GpuCrowd::new(&own, &[(21, 0)]).expect("memory");
    let refused = crowd.advance(&[&foreign], 1);
    assert!(matches!(refused, Err(GpuError::OtherGpu { .. })), "{refused:?}");
    let refused = own.refill(&mut foreign, &[5]);
    assert!(matches!(refused, Err(GpuError::OtherGpu { .. })), "{refused:?}");
    assert_eq!((foreign.goals(), crowd.positions()), (&[399][..], Ok(vec![21])));
    let expected = |goal| FlowField::new(&map, &[goal]);
    assert_eq!(first.download().ok(), expected(0).ok());
    assert_eq!(foreign.download().ok(), expected(399).ok());
}

#[test]
fn crowds_take_the_steps_of_their_fields() {
    let mut random = Random::new(11);
    let grid = Grid::from_fn(70, 50, |_, _| !random.chance(0.2)).expect("a size");
    let map = Map::from(grid);
    let fields = GpuFields::build(&gpu(), &map).expect("a grid");
    let goals: Vec<Vec<NodeId>> = (0..3).map(|_| free_cells(&map, 2, &mut random)).collect();
    let on_device: Vec<_> = goals.iter().map(|goals| check(&fields, "a field", goals)).collect();
    let on_device: Vec<_> = on_device.iter().collect();
    let on_host: Vec<_> = goals.iter().map(|goals| FlowField::new(&map, goals)).collect();
    // Some follow no field, some are blocked or outside the map.
    let agents: Vec<(NodeId, u32)> =
        (0..2000).map(|_| (random.below(3600) as NodeId, random.below(4) as u32)).collect();
    let mut crowd = GpuCrowd::new(&fields, &agents).expect("memory");
    let mut expected = agents.clone();
    for steps in [0, 1, 1, 5] {
        crowd.advance(&on_device, steps).expect("fields of the map");
        for _ in 0..steps {
            for (node, field) in &mut expected {
                if let Some(Ok(field)) = on_host.get(*field as usize) {
                    *node = field.next(*node).unwrap_or(*node);
                }
            }
        }
        let positions = crowd.positions().expect("a working device");
        assert!(positions.iter().zip(&expected).all(|(node, agent)| *node == agent.0));
    }
    assert!(expected.iter().zip(&agents).filter(|(now, then)| now != then).count() > 500);
    assert_eq!(crowd.len(), 2000);
    let nobody = GpuCrowd::new(&fields, &[]).expect("memory");
    assert_eq!((nobody.is_empty(), nobody.positions()), (true, Ok(Vec::new())));
}
