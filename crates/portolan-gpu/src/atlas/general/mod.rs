//! The general form: labels of all nodes.
//!
//! `distance.wgsl` finds the hub of each request, `path*.wgsl` follows the hops of both ends to it,
//! `matrix.wgsl` computes blocks of distance matrices.

use portolan::atlas::Separators;
use portolan::{Map, Progress};

use super::form::{Form, PathSize, Program, check_turns};
use super::labels::{GROUP, Hops, Labels, Layout};
use super::{
    GpuAtlasConfig, GpuAtlasForm, NAME, SEGMENTS, check_size, lanes, segment_bits, segments,
};
use crate::device::Gpu;
use crate::error::{GpuError, GpuLimit};

/// Prepares a map on the host and uploads its labels.
pub(super) fn build(
    gpu: &Gpu,
    map: &Map,
    config: &GpuAtlasConfig,
    progress: &dyn Progress,
) -> Result<Form, GpuError> {
    let separators = Separators::of_map(map, &config.cuts(), progress)?;
    let segment_bits = segment_bits(gpu);
    let layout = Layout::new(map, &separators, 1 << segment_bits);
    drop(separators);
    let is_grid = map.as_grid().is_some();
    let entry_bytes = if is_grid { 4 + 1 } else { 4 + 4 };
    let needed = layout.groups * GROUP * entry_bytes + layout.bytes();
    let binding = gpu.binding_limit();
    let in_segments = (SEGMENTS as u64 * GROUP * entry_bytes) << segment_bits;
    check_size("labels", (needed, in_segments), binding)?;
    let records = size_of_val(&layout.records[..]) as u64;
    check_size("records of nodes", (records, gpu.max_binding()), binding)?;
    check_size("labels", (needed, config.memory_limit), GpuLimit::Memory)?;
    // A turn per group of the longest row, and some to join the lanes.
    let longest = layout.records.iter().map(|record| u64::from(record[2])).max().unwrap_or(0);
    let turns = longest.div_ceil(GROUP * u64::from(lanes(gpu))) + 16;
    check_turns(gpu, turns, "another engine")?;
    let labels = layout.fill(map, progress)?;
    if !is_grid && !labels.finite {
        let reason = "costs of 2,147,483,648 and more cannot be added on the device; divide the \
                      weights of the graph by a common factor";
        return Err(GpuError::Unsupported { method: NAME, reason: reason.to_owned() });
    }
    upload(gpu, map, (layout, labels), segment_bits)
}

/// Uploads labels in buffers of 2^`segment_bits` groups.
pub(super) fn upload(
    gpu: &Gpu,
    map: &Map,
    (layout, labels): (Layout, Labels),
    segment_bits: u32,
) -> Result<Form, GpuError> {
    let segment = (GROUP as usize) << segment_bits;
    let used_segments = layout.groups.div_ceil(1 << segment_bits).max(1);
    let bits = f64::from(segment_bits);
    let hops = match &labels.hops {
        Hops::Steps(hops) => segments(gpu, "hops", hops, segment)?,
        Hops::Nodes(hops) => segments(gpu, "hops", hops, segment)?,
    };
    let records = gpu.upload("records of nodes", layout.records.as_flattened())?;
    let ends = gpu.upload("ends of regions", &layout.ends)?;
    let costs = segments(gpu, "labels", &labels.costs, segment)?;
    let (sources, constants) = match map.as_grid() {
        // Four hops are a word.
        Some(grid) => {
            let sources = vec![
                include_str!("path.wgsl"),
                include_str!("path_grid.wgsl"),
                include_str!("../cells.wgsl"),
                include_str!("../legs.wgsl"),
            ];
            (sources, vec![("HOP_SEGMENT_BITS", bits), ("WIDTH", f64::from(grid.width()))])
        }
        // A hop is a word, and four are a group.
        None => {
            let sources = vec![include_str!("path.wgsl"), include_str!("path_graph.wgsl")];
            (sources, vec![("HOP_SEGMENT_BITS", bits + 2.0)])
        }
    };
    Ok(Form {
        kind: GpuAtlasForm::General,
        bytes: layout.bytes() + 4 * labels.costs.len() as u64 + labels.hops.bytes(),
        lanes: lanes(gpu),
        paths: path_sizes(map, &labels),
        path: Program { sources, constants, buffers: [vec![(0, records.clone())], hops].concat() },
        distance: Program {
            sources: vec![include_str!("labels.wgsl"), include_str!("distance.wgsl")],
            constants: vec![("SEGMENT_BITS", bits), ("SEGMENTS", used_segments as f64)],
            buffers: [vec![(0, records), (1, ends)], costs].concat(),
        },
    })
}

/// The sizes of legs, and of cells or nodes.
fn path_sizes(map: &Map, labels: &Labels) -> [PathSize; 2] {
    // Both ends have hops, and most paths are at most a quarter longer than the mean.
    let usual = (2.5 * labels.mean_hops) as u64 + 8;
    let most = 2 * u64::from(labels.most_hops) + 1;
    // Legs take half a word. Both walks take a turn or two per hop.
    let legs = PathSize { usual: usual / 2, most, turns: 4 * most };
    let nodes = match map.as_grid() {
        // A hop has up to 31 steps, but few in most maps. Cells take a turn per step.
        Some(_) => PathSize { usual: 4 * usual, most: 32 * most, turns: (4 + 32) * most },
        None => PathSize { usual, ..legs },
    };
    [legs, nodes]
}
