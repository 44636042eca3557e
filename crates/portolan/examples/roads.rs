//! A road network: one source, many destinations, and how far one gets in ten minutes.
//!
//! `cargo run --release --example roads`

use portolan::Graph;
use portolan::generate::{RoadMetric, Roads};
use portolan::search::{Scratch, dijkstra};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let roads = Roads { nodes: 50_000, metric: RoadMetric::Milliseconds, ..Roads::default() };
    let graph = roads.generate()?;
    println!("{} junctions, {} directed roads", graph.node_count(), graph.edge_count());

    let depot = 25_000;
    let customers = [17, 4_711, 31_415, 49_999];
    let mut scratch = Scratch::default();
    let times = dijkstra::one_to_many(&graph, &mut scratch, depot, &customers)?;
    for (customer, time) in customers.iter().zip(times) {
        match time {
            Some(milliseconds) => {
                println!("to {customer}: {:.1} min", f64::from(milliseconds) / 60e3)
            }
            None => println!("to {customer}: no way"),
        }
    }
    let near = dijkstra::within(&graph, &mut scratch, depot, 10 * 60 * 1000)?;
    println!("{} junctions within ten minutes", near.len());
    Ok(())
}
