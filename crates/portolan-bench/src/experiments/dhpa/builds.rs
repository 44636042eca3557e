//! Figure 5: how long builds take.

use std::time::Instant;

use portolan::hpa::{Hpa, HpaConfig};
use portolan::{Build, Engine, Settings};

use super::paper;
use crate::experiments::Steps;
use crate::workload::Subject;
use crate::{Error, engines};

/// How often each build is timed; the best time counts.
const ROUNDS: usize = 3;

/// What all maps take together with clusters of one size.
pub(super) struct Total {
    pub(super) size: u32,
    /// Clusters with a passable cell.
    pub(super) clusters: usize,
    /// Seconds for HPA* and for DHPA*.
    pub(super) seconds: [f64; 2],
}

/// What is stored for the map with the most passable cells.
pub(super) struct Largest {
    pub(super) name: String,
    pub(super) clusters: usize,
    pub(super) entries: usize,
    pub(super) ways: usize,
    /// Bytes of all that DHPA* and HPA* have.
    pub(super) bytes: [usize; 2],
}

fn config(settings: &Settings, size: u32, cached: bool) -> HpaConfig {
    let config = HpaConfig::from_settings(settings, cached);
    HpaConfig { cluster_size: size, memory_limit: u64::MAX, ..config }
}

pub(super) fn run(maps: &[Subject], steps: &Steps<'_>) -> Result<Vec<Total>, Error> {
    let sizes = paper::BUILDS.map(|(size, ..)| size);
    let mut totals = sizes.map(|size| Total { size, clusters: 0, seconds: [0.0; 2] });
    for map in maps {
        steps.next(format!("builds on {}", map.path.display()));
        for total in &mut totals {
            let mut best = [f64::INFINITY; 2];
            for _ in 0..ROUNDS {
                for (cached, best) in [false, true].into_iter().zip(&mut best) {
                    let config = config(&map.settings, total.size, cached);
                    let start = Instant::now();
                    let built =
                        Hpa::build(&map.map, &config).map_err(engines::cannot_build("hpa"))?;
                    *best = start.elapsed().as_secs_f64().min(*best);
                    drop(built);
                }
            }
            total.seconds.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
            let one = Hpa::build(&map.map, &config(&map.settings, total.size, false));
            total.clusters +=
                one.map_err(engines::cannot_build("hpa"))?.summary().passable_clusters;
        }
    }
    Ok(totals.into())
}

pub(super) fn largest(maps: &[Subject]) -> Result<Largest, Error> {
    let largest = maps.iter().max_by_key(|map| map.map.usable_count()).ok_or(Error::NoEngine)?;
    let build = |cached| {
        let config = config(&largest.settings, super::CLUSTER, cached);
        Hpa::build(&largest.map, &config).map_err(engines::cannot_build("hpa"))
    };
    let (hpa, dhpa) = (build(false)?, build(true)?);
    Ok(Largest {
        name: largest.path.display().to_string(),
        clusters: dhpa.summary().passable_clusters,
        entries: dhpa.summary().entries,
        ways: hpa.summary().intra_edges,
        bytes: [dhpa.memory_bytes(), hpa.memory_bytes()],
    })
}
