//! Programs on the device.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferUsages, CommandEncoder,
    ComputePass, ComputePassDescriptor, ComputePipeline, ComputePipelineDescriptor, MapMode,
    PipelineCompilationOptions, PollType, ShaderModuleDescriptor, ShaderSource,
};

use super::Gpu;
use crate::error::GpuError;

/// A compiled kernel.
///
/// Its workgroups are numbered in one dimension by `workgroup_number` of `costs.wgsl`: launches of
/// more than 65,535 groups use two.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    name: &'static str,
    pipeline: ComputePipeline,
}

/// A kernel with its buffers, ready to run.
#[derive(Debug)]
pub(crate) struct Launch {
    name: &'static str,
    pipeline: ComputePipeline,
    groups: Vec<BindGroup>,
}

/// Functions for every kernel.
const COSTS: &str = include_str!("costs.wgsl");

impl Kernel {
    /// Compiles the function `entry` of these sources, one after the other.
    pub(crate) fn new(
        gpu: &Gpu,
        name: &'static str,
        sources: &[&str],
        entry: &str,
        constants: &[(&str, f64)],
    ) -> Result<Self, GpuError> {
        let mut text = COSTS.to_owned();
        sources.iter().for_each(|source| text.push_str(source));
        let pipeline = gpu.guarded((name, 0), |device| {
            let module = device.create_shader_module(ShaderModuleDescriptor {
                label: Some(name),
                source: ShaderSource::Wgsl(text.into()),
            });
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(name),
                layout: None,
                module: &module,
                entry_point: Some(entry),
                compilation_options: PipelineCompilationOptions {
                    constants,
                    ..PipelineCompilationOptions::default()
                },
                cache: None,
            })
        })?;
        Ok(Self { name, pipeline })
    }

    /// Binds the buffers of each group, by binding number.
    pub(crate) fn bind(&self, gpu: &Gpu, groups: &[&[(u32, &Buffer)]]) -> Result<Launch, GpuError> {
        let groups = gpu.guarded((self.name, 0), |device| {
            let bind = |(index, buffers): (usize, &&[(u32, &Buffer)])| {
                let entries: Vec<BindGroupEntry<'_>> = buffers
                    .iter()
                    .map(|&(binding, buffer)| BindGroupEntry {
                        binding,
                        resource: buffer.as_entire_binding(),
                    })
                    .collect();
                device.create_bind_group(&BindGroupDescriptor {
                    label: Some(self.name),
                    layout: &self.pipeline.get_bind_group_layout(index as u32),
                    entries: &entries,
                })
            };
            groups.iter().enumerate().map(bind).collect()
        })?;
        Ok(Launch { name: self.name, pipeline: self.pipeline.clone(), groups })
    }
}

impl Launch {
    /// Records a run of this many workgroups.
    pub(crate) fn record(&self, gpu: &Gpu, encoder: &mut CommandEncoder, workgroups: u64) {
        self.record_times(gpu, encoder, workgroups, 1);
    }

    /// Records so many runs of this many workgroups, one after the other.
    pub(crate) fn record_times(
        &self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        workgroups: u64,
        times: u64,
    ) {
        if workgroups == 0 {
            return;
        }
        let most = u64::from(gpu.limits().max_compute_workgroups_per_dimension);
        let rows = workgroups.div_ceil(most);
        let columns = workgroups.div_ceil(rows);
        let mut pass = self.begin(encoder);
        for _ in 0..times {
            // At most the square of the limit, which no batch reaches.
            pass.dispatch_workgroups(columns as u32, rows.min(most) as u32, 1);
        }
    }

    /// Records a run of workgroups in three dimensions, each within the limits of all devices.
    pub(crate) fn record_in_space(&self, encoder: &mut CommandEncoder, [x, y, z]: [u32; 3]) {
        self.begin(encoder).dispatch_workgroups(x, y, z);
    }

    /// Records a run whose numbers of workgroups, in three dimensions, are in a buffer.
    pub(crate) fn record_indirect(&self, encoder: &mut CommandEncoder, workgroups: &Buffer) {
        self.begin(encoder).dispatch_workgroups_indirect(workgroups, 0);
    }

    fn begin<'a>(&self, encoder: &'a mut CommandEncoder) -> ComputePass<'a> {
        let descriptor = ComputePassDescriptor { label: Some(self.name), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(&self.pipeline);
        for (index, group) in (0..).zip(&self.groups) {
            pass.set_bind_group(index, group, &[]);
        }
        pass
    }
}

/// Downloads part of a buffer, which must allow copies from it.
pub(crate) fn read_words(
    gpu: &Gpu,
    what: &'static str,
    buffer: &Buffer,
    words: u64,
) -> Result<Vec<u32>, GpuError> {
    if words == 0 {
        return Ok(Vec::new());
    }
    let bytes = words * 4;
    let staging = gpu.buffer(what, bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    gpu.guarded((what, bytes), |device| {
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
        gpu.queue().submit([encoder.finish()]);
        staging.map_async(MapMode::Read, .., |_| {});
    })?;
    wait(gpu, None)?;
    with_mapped(gpu, &staging, bytes, |words| words.to_vec())
}

/// Waits for a submission, or for all.
pub(crate) fn wait(gpu: &Gpu, submission: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
    let poll = PollType::Wait { submission_index: submission, timeout: None };
    let result = gpu.device().poll(poll);
    gpu.check_lost()?;
    result.map(|_| ()).map_err(|error| GpuError::Internal { message: error.to_string() })
}

/// Reads the start of a buffer that has been mapped, and unmaps it.
pub(crate) fn with_mapped<T>(
    gpu: &Gpu,
    buffer: &Buffer,
    bytes: u64,
    read: impl FnOnce(&[u32]) -> T,
) -> Result<T, GpuError> {
    let lost = |error: &dyn std::fmt::Display| match gpu.check_lost() {
        Err(lost) => lost,
        Ok(()) => GpuError::Internal { message: error.to_string() },
    };
    let result = match buffer.slice(0..bytes).get_mapped_range() {
        Ok(view) => read(bytemuck::cast_slice(&view)),
        Err(error) => return Err(lost(&error)),
    };
    buffer.unmap();
    Ok(result)
}
