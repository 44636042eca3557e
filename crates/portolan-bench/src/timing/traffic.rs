//! What new weights for a whole graph cost.

use std::time::Instant;

use portolan::atlas::Atlas;
use portolan::generate::Random;
use portolan::registry::Method;
use portolan::{Changes, Cost, CsrGraph, Engine, Graph, Map, UNREACHABLE};

use super::Times;
use super::edits::Replayed;
use crate::workload::Subject;
use crate::workload::edits::searches;
use crate::{Bars, Error, engines};

/// What one engine needed for new weights.
#[derive(Debug, Default)]
pub struct InTraffic {
    /// Building from scratch on the same maps.
    pub builds: Times,
    /// Taking new weights for all edges.
    pub all: Times,
    /// Taking new weights for a tenth of the edges.
    pub tenth: Times,
    /// Becoming as fast as an engine built from scratch.
    pub rebuilds: Times,
    /// The paths after new weights.
    pub replayed: Replayed,
}

/// How often weights change.
const ROUNDS: usize = 5;

/// Gives all edges of a graph new weights, then a tenth of them, again and again, and judges paths
/// after each.
pub fn in_traffic(
    method: &'static dyn Method,
    subject: &Subject,
    bars: &dyn Bars,
) -> Result<InTraffic, Error> {
    let Map::Graph(graph) = &subject.map else {
        let reason = "traffic changes the weights of a graph, and this map is a grid".into();
        return Err(Error::Refused { reason });
    };
    let mut random = Random::new(subject.settings.seed);
    let mut found = InTraffic::default();
    let mut engine = engines::build(method, subject, bars)?;
    let bar = bars.bar(method.name(), ROUNDS);
    for round in 0..ROUNDS {
        let all = in_jams(graph, graph, 1.0, &mut random)?;
        let map = Map::from(all.clone());
        // The map as a build finds it, without anything found on first use.
        let fresh = Subject {
            map: Map::from(all.with_weights(|_, _, weight| weight).map_err(refused)?),
            ..subject.clone()
        };
        let start = Instant::now();
        drop(engines::build(method, &fresh, bars)?);
        found.builds.add(start.elapsed());
        let start = Instant::now();
        engine = with_weights(&*engine, &map)?;
        found.all.add(start.elapsed());
        found.replayed.search(
            &map,
            &*engine,
            2 * round + 1,
            subject,
            &searches(&map, 1, None, &mut random),
        )?;
        let map = Map::from(in_jams(&all, graph, 0.1, &mut random)?);
        let start = Instant::now();
        engine = with_weights(&*engine, &map)?;
        found.tenth.add(start.elapsed());
        found.replayed.search(
            &map,
            &*engine,
            2 * round + 2,
            subject,
            &searches(&map, 1, None, &mut random),
        )?;
        let start = Instant::now();
        engine = engine.rebuilt(&map).map_err(engines::cannot_build(method.name()))?;
        found.rebuilds.add(start.elapsed());
        bar.inc(1);
    }
    Ok(found)
}

/// The graph with new weights for a share of the edges: half to four times the weight without
/// traffic.
fn in_jams(
    graph: &CsrGraph,
    free: &CsrGraph,
    share: f64,
    random: &mut Random,
) -> Result<CsrGraph, Error> {
    let tails = 0..free.node_count() as u32;
    let mut usual = tails.flat_map(|tail| free.edges(tail)).map(|(_, weight)| weight);
    let weights = graph.with_weights(|_, _, old| {
        let usual = u64::from(usual.next().unwrap_or(old));
        match random.chance(share) {
            true => (usual * (4 + random.below(29)) / 8).min(u64::from(UNREACHABLE - 1)) as Cost,
            false => old,
        }
    });
    weights.map_err(refused)
}

fn refused(error: portolan::GraphError) -> Error {
    Error::Refused { reason: error.to_string() }
}

/// The engine for the same graph with other weights. Only `Atlas` does not build from scratch.
fn with_weights(engine: &dyn Engine, map: &Map) -> Result<Box<dyn Engine>, Error> {
    match engine.downcast_ref::<Atlas>() {
        Some(atlas) => match atlas.reweighed(map) {
            Ok(atlas) => Ok(Box::new(atlas)),
            Err(error) => Err(Error::Refused { reason: error.to_string() }),
        },
        None => {
            let refreshed = engine.refresh(map, &Changes::default());
            refreshed.map_err(engines::cannot_build(engine.name()))
        }
    }
}
