//! Worlds to test engines on: small enough to know every answer, odd enough to find every bug.

use std::fmt;

use portolan::formats::ascii;
use portolan::generate::Random;
use portolan::{Connectivity, Corners, GraphBuilder, Grid, Map, NodeId, Point};

/// A map and where it comes from; shown whole when a test fails.
#[derive(Debug, Clone)]
pub struct World {
    /// What it is, with the seed where there is one.
    pub name: String,
    /// The map.
    pub map: Map,
}

impl World {
    /// A world of this name.
    pub fn new(name: impl Into<String>, map: impl Into<Map>) -> Self {
        Self { name: name.into(), map: map.into() }
    }
}

/// The name, then the drawing of a grid or the edges of a graph.
impl fmt::Display for World {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.name)?;
        match &self.map {
            Map::Grid(grid) => {
                let mut drawing = Vec::new();
                ascii::write(grid, &[], &mut drawing).map_err(|_| fmt::Error)?;
                writeln!(out, "{:?} {:?}", grid.connectivity(), grid.corners())?;
                out.write_str(&String::from_utf8_lossy(&drawing))
            }
            Map::Graph(graph) => {
                for tail in 0..self.map.node_count() as NodeId {
                    for (head, weight) in graph.edges(tail) {
                        writeln!(out, "{tail} -> {head}: {weight}")?;
                    }
                }
                match graph.coordinates() {
                    Some(points) => writeln!(out, "{points:?}"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// The grid of a drawing such as `"S#. / .#. / ..T"`, with its start and goal.
///
/// # Panics
/// Where the drawing is not one.
pub fn draw(drawing: &str) -> (Grid, Option<NodeId>, Option<NodeId>) {
    let drawn = ascii::read(drawing.as_bytes()).expect("a drawing");
    let node = |cell: Option<(u32, u32)>| cell.and_then(|(x, y)| drawn.grid.node(x, y));
    let (start, goal) = (node(drawn.start), node(drawn.goal));
    (drawn.grid, start, goal)
}

/// A ring of one-way streets with short cuts, some of which cost nothing.
pub fn one_way_streets() -> Map {
    let mut builder = GraphBuilder::new(120).expect("few nodes");
    let mut draw = Random::new(2);
    for tail in 0..120 {
        for (head, weight) in [
            ((tail + 1) % 120, 3 + draw.below(5) as u32),
            (draw.below(120) as u32, draw.below(40) as u32),
        ] {
            builder.add_edge(tail, head, weight).expect("both are nodes");
        }
    }
    builder.build().into()
}

/// Drawn grids under all rules, and graphs made by hand, each with a known trap.
pub fn drawn() -> Vec<World> {
    let drawings = [
        ("one cell", "."),
        ("one blocked cell", "#"),
        ("a row", "....."),
        ("a wall to walk round", "..#.. / ..#.. / ....."),
        ("a closed door", ".#. / .#. / .#."),
        ("a diagonal squeeze", ".# / #."),
        ("a corridor two wide", "...... / ...... / ##..## / ##..##"),
        ("a room in a room", "....... / .#####. / .#...#. / .#...#. / .###.#. / ......."),
        ("a chequered floor", ".#.#. / #.#.# / .#.#. / #.#.# / .#.#."),
        ("a spiral", "....... / ######. / ....... / .###### / ......."),
        ("dear ground in the way", "..9.. / ..9.. / ....."),
        ("cheap detour", "19991 / 19991 / 11111"),
    ];
    let mut worlds = Vec::new();
    for (name, drawing) in drawings {
        for (rules, connectivity, corners) in rules() {
            let grid = draw(drawing).0.with_connectivity(connectivity).with_corners(corners);
            worlds.push(World::new(format!("{name}, {rules}"), grid));
        }
    }
    worlds.extend(graphs_by_hand());
    worlds
}

/// A world that depends on its seed alone: its kind, its size, its rules, its cells or edges.
pub fn random(seed: u64) -> World {
    let mut random = Random::new(seed);
    if random.chance(0.6) {
        random_grid(seed, &mut random)
    } else {
        random_graph(seed, &mut random)
    }
}

/// Every connectivity and corner rule, with a name for each.
pub fn rules() -> [(&'static str, Connectivity, Corners); 5] {
    [
        ("four", Connectivity::Four, Corners::Never),
        ("eight, corners never", Connectivity::Eight, Corners::Never),
        ("eight, corners past one", Connectivity::Eight, Corners::PastOne),
        ("eight, corners always", Connectivity::Eight, Corners::Always),
        ("hex", Connectivity::Hex, Corners::Never),
    ]
}

fn random_grid(seed: u64, random: &mut Random) -> World {
    let (width, height) = (1 + random.below(14) as u32, 1 + random.below(14) as u32);
    let blocked = [0.0, 0.1, 0.3, 0.5][random.below(4) as usize];
    let (rules, connectivity, corners) = rules()[random.below(5) as usize];
    let grid = Grid::from_fn(width, height, |_, _| !random.chance(blocked)).expect("a size");
    let mut grid = grid.with_connectivity(connectivity).with_corners(corners);
    let has_terrain = random.chance(0.4);
    if has_terrain {
        let dearest = [2, 9, 255][random.below(3) as usize];
        let factors = (0..width * height).map(|_| 1 + random.below(dearest) as u8).collect();
        grid = grid.with_terrain(factors).expect("factors");
    }
    let ground = if has_terrain { "terrain" } else { "one terrain" };
    World::new(format!("random grid of seed {seed}, {rules}, {ground}"), grid)
}

fn random_graph(seed: u64, random: &mut Random) -> World {
    let nodes = 1 + random.below(40);
    let edges = random.below(nodes * 4);
    let heaviest = [1, 3, 100, 1_000_000][random.below(4) as usize];
    let (directed, near, placed) = (random.chance(0.6), random.chance(0.5), random.chance(0.5));
    let mut builder = GraphBuilder::new(nodes as usize).expect("nodes");
    let points: Vec<Point> = (0..nodes)
        .map(|_| Point { x: random.below(2000) as i32 - 1000, y: random.below(2000) as i32 })
        .collect();
    for _ in 0..edges {
        let tail = random.below(nodes) as NodeId;
        // Edges among neighbours only leave the graph in pieces more often.
        let head = if near {
            (tail + random.below(3) as NodeId) % nodes as NodeId
        } else {
            random.below(nodes) as NodeId
        };
        let weight = match random.chance(0.25) {
            true => 0,
            false if placed && random.chance(0.9) => {
                let (a, b) = (points[tail as usize], points[head as usize]);
                let (dx, dy) = (f64::from(a.x - b.x), f64::from(a.y - b.y));
                (dx * dx + dy * dy).sqrt().ceil() as u32
            }
            false => random.below(heaviest + 1) as u32,
        };
        // Zero-weight edges between places leave no bound; half of the placed graphs do without.
        let weight = if placed && seed.is_multiple_of(2) { weight.max(1) } else { weight };
        if directed {
            builder.add_edge(tail, head, weight).expect("an edge");
        } else {
            builder.add_two_way(tail, head, weight).expect("an edge");
        }
    }
    if placed {
        builder.set_coordinates(points).expect("coordinates");
    }
    let kind = if directed { "directed" } else { "undirected" };
    World::new(format!("random {kind} graph of seed {seed}"), builder.build())
}

fn graphs_by_hand() -> Vec<World> {
    let graph = |name: &str, nodes: usize, edges: &[(NodeId, NodeId, u32)]| {
        let mut builder = GraphBuilder::new(nodes).expect("nodes");
        for &(tail, head, weight) in edges {
            builder.add_edge(tail, head, weight).expect("an edge");
        }
        World::new(name, builder.build())
    };
    let half = 1 << 31;
    vec![
        graph("a graph without edges", 3, &[]),
        graph("a one-way ring", 4, &[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)]),
        graph("a ring of zero weights", 3, &[(0, 1, 0), (1, 2, 0), (2, 0, 0)]),
        graph(
            "parallel edges and loops",
            3,
            &[(0, 0, 0), (0, 1, 9), (0, 1, 2), (1, 2, 0), (1, 1, 5)],
        ),
        graph("zero beside one", 4, &[(0, 1, 1), (0, 2, 0), (2, 1, 0), (1, 3, 0), (3, 0, 0)]),
        graph(
            "costs beyond 32 bits",
            4,
            &[(0, 1, half), (1, 2, half), (2, 3, 1), (3, 2, u32::MAX - 1)],
        ),
        graph(
            "an overflow with much beside it",
            6,
            &[(0, 1, 3_000_000_000), (1, 2, 3_000_000_000), (0, 3, 1), (0, 4, 1), (5, 2, 1)],
        ),
        graph("one step short of overflow", 3, &[(0, 1, u32::MAX - 2), (1, 2, 1), (2, 0, 0)]),
    ]
}
