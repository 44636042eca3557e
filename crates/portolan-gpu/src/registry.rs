//! The list of all methods of the GPU, and building them by name from generic settings.

use portolan::partition::Partitioner;
use portolan::{Map, Settings};

use crate::atlas::{GpuAtlas, GpuAtlasConfig};
use crate::device::Gpu;
use crate::engine::GpuEngine;
use crate::error::GpuError;
use crate::hierarchy::{GpuHierarchical, GpuHierarchicalConfig};
use crate::search::{GpuAstar, GpuCooperative, GpuPrecalculated};

/// All methods by name.
pub static METHODS: &[GpuMethod] = &[
    GpuMethod {
        name: "gpu-astar",
        summary: "A* with a geometric lower bound, an invocation per agent",
        exact: true,
        counterpart: "astar",
        build: |gpu, map, _| boxed(GpuAstar::build(gpu, map)),
    },
    GpuMethod {
        name: "gpu-precalculated",
        summary: "A* that knows the shortest paths along all columns and rows",
        exact: true,
        counterpart: "astar",
        build: |gpu, map, _| boxed(GpuPrecalculated::build(gpu, map)),
    },
    GpuMethod {
        name: "gpu-cooperative",
        summary: "A* with a workgroup per agent",
        exact: true,
        counterpart: "astar",
        build: |gpu, map, _| boxed(GpuCooperative::build(gpu, map)),
    },
    GpuMethod {
        name: "gpu-hierarchical",
        summary: "A* over the exits of clusters, whose paths are stored",
        exact: false,
        counterpart: "hpa",
        build: |gpu, map, settings| {
            let config = GpuHierarchicalConfig { cluster_size: settings.cluster_size };
            boxed(GpuHierarchical::build(gpu, map, &config))
        },
    },
    GpuMethod {
        name: "gpu-atlas",
        summary: "hub labels: every path is looked up, without a search",
        exact: true,
        counterpart: "atlas",
        build: |gpu, map, settings| {
            let config = GpuAtlasConfig::default();
            let config = GpuAtlasConfig {
                memory_limit: settings.memory_limit.bytes(map),
                partitioner: Partitioner { seed: settings.seed, ..config.partitioner },
                ..config
            };
            boxed(GpuAtlas::build(gpu, map, &config))
        },
    },
];

fn boxed<E: GpuEngine + 'static>(
    engine: Result<E, GpuError>,
) -> Result<Box<dyn GpuEngine>, GpuError> {
    Ok(Box::new(engine?))
}

/// The method of this name.
pub fn method(name: &str) -> Option<&'static GpuMethod> {
    METHODS.iter().find(|method| method.name == name)
}

/// A method of the GPU by name, with its type erased.
#[derive(Debug)]
pub struct GpuMethod {
    /// The name it is registered under.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// Whether its paths are always shortest paths.
    pub exact: bool,
    /// The method of [`portolan::METHODS`] that does the same on the CPU.
    pub counterpart: &'static str,
    build: BuildEngine,
}

type BuildEngine = fn(&Gpu, &Map, &Settings) -> Result<Box<dyn GpuEngine>, GpuError>;

impl GpuMethod {
    /// Uploads the map and precomputes what the method needs. Methods ignore the settings that they
    /// do not use.
    pub fn build(
        &self,
        gpu: &Gpu,
        map: &Map,
        settings: &Settings,
    ) -> Result<Box<dyn GpuEngine>, GpuError> {
        (self.build)(gpu, map, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_have_a_counterpart_on_the_cpu() {
        for entry in METHODS {
            assert!(entry.name.starts_with("gpu-"), "{}", entry.name);
            assert!(std::ptr::eq(method(entry.name).unwrap(), entry), "{} comes twice", entry.name);
            let cpu = portolan::registry::method(entry.counterpart).unwrap();
            assert_eq!(cpu.exact(), entry.exact, "{}", entry.name);
        }
        assert!(method("gpu-dijkstra").is_none());
    }
}
