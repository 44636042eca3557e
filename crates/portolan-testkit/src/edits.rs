//! Random edits of any map.

use portolan::changes::{CellChange, EdgeChange, NodeChange, TerrainChange};
use portolan::generate::Random;
use portolan::{Changes, Graph, Map, NodeId, Point};

/// One to three random edits that the map can take, as one step.
pub fn random_changes(map: &Map, random: &mut Random) -> Changes {
    let mut changes = Changes::default();
    let nodes = map.node_count() as u64;
    for _ in 0..1 + random.below(3) {
        let node = random.below(nodes) as NodeId;
        match map {
            Map::Grid(grid) if grid.has_terrain() && random.chance(0.5) => {
                let factor = 1 + random.below(9) as u8;
                changes.terrain.push(TerrainChange { node, factor });
            }
            Map::Grid(_) => {
                let passable = random.chance(0.6);
                changes.cells.push(CellChange { node, passable });
            }
            Map::Graph(graph) => {
                let usable: Vec<NodeId> =
                    (0..nodes as NodeId).filter(|&node| graph.contains(node)).collect();
                if usable.len() < 2 || random.chance(0.05) {
                    let place = Point { x: random.below(99) as i32, y: random.below(99) as i32 };
                    let at = graph.coordinates().map(|_| place);
                    changes.nodes.push(NodeChange::Insert { at });
                    return changes;
                }
                let mut pick = || usable[random.below(usable.len() as u64) as usize];
                let (tail, head) = (pick(), pick());
                let existing = graph.edges(tail).next();
                let weight = random.below(50) as u32;
                match (random.below(8), existing) {
                    (0, _) => {
                        // Alone, so that no edge of the same step hangs on the node.
                        return Changes::new().delete_node(tail);
                    }
                    (1 | 2, Some((head, _))) => {
                        // Alone, since a pair can be deleted only once.
                        return Changes::new().delete_edge(tail, head);
                    }
                    (3 | 4, Some((head, _))) => {
                        changes.edges.push(EdgeChange::SetWeight { tail, head, weight });
                    }
                    _ => changes.edges.push(EdgeChange::Insert { tail, head, weight }),
                }
            }
        }
    }
    changes
}
