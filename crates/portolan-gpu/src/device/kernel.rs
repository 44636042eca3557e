//! Programs on the device.

use std::num::NonZero;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, Buffer, BufferBinding, BufferBindingType,
    BufferUsages, CommandEncoder, ComputePass, ComputePassDescriptor, ComputePipeline,
    ComputePipelineDescriptor, MapMode, PipelineCompilationOptions, PipelineLayout,
    PipelineLayoutDescriptor, PollType, ShaderModuleDescriptor, ShaderSource, ShaderStages,
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

/// What a kernel binds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Binding {
    Uniform,
    /// A storage buffer that is only read.
    Read,
    /// Storage buffers that are read and written: an array, if there are several.
    Write(u32),
}

impl Binding {
    fn is_array(self) -> bool {
        matches!(self, Self::Write(2..))
    }

    fn entry(self, number: u32) -> BindGroupLayoutEntry {
        let (ty, count) = match self {
            Self::Uniform => (BufferBindingType::Uniform, 1),
            Self::Read => (BufferBindingType::Storage { read_only: true }, 1),
            Self::Write(count) => (BufferBindingType::Storage { read_only: false }, count),
        };
        BindGroupLayoutEntry {
            binding: number,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: NonZero::new(count).filter(|_| self.is_array()),
        }
    }
}

/// The most runs of a kernel in one submission. Windows resets devices that work on one for two
/// seconds, and a run may take a fraction of a second.
const SUBMITTED_RUNS: u64 = 8;

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
        Self::compile(gpu, name, &[&[COSTS], sources].concat(), entry, constants, None)
    }

    /// The same with these bindings in each group, numbered from 0, some of which may be arrays.
    /// Not all have to be used.
    pub(crate) fn with_bindings(
        gpu: &Gpu,
        name: &'static str,
        sources: &[&str],
        entry: &str,
        groups: &[&[Binding]],
    ) -> Result<Self, GpuError> {
        let layout = gpu.guarded((name, 0), |device| {
            let group = |bindings: &&[Binding]| {
                let entries = (0..).zip(*bindings).map(|(number, binding)| binding.entry(number));
                device.create_bind_group_layout(&BindGroupLayoutDescriptor {
                    label: Some(name),
                    entries: &entries.collect::<Vec<_>>(),
                })
            };
            let groups: Vec<_> = groups.iter().map(group).collect();
            device.create_pipeline_layout(&PipelineLayoutDescriptor {
                label: Some(name),
                bind_group_layouts: &groups.iter().map(Some).collect::<Vec<_>>(),
                immediate_size: 0,
            })
        })?;
        let has_arrays = groups.iter().copied().flatten().any(|binding| binding.is_array());
        let enable = if has_arrays { "enable wgpu_binding_array;\n" } else { "" };
        let sources = [&[enable, COSTS], sources].concat();
        Self::compile(gpu, name, &sources, entry, &[], Some(&layout))
    }

    fn compile(
        gpu: &Gpu,
        name: &'static str,
        sources: &[&str],
        entry: &str,
        constants: &[(&str, f64)],
        layout: Option<&PipelineLayout>,
    ) -> Result<Self, GpuError> {
        let text = sources.concat();
        let pipeline = gpu.guarded((name, 0), |device| {
            let module = device.create_shader_module(ShaderModuleDescriptor {
                label: Some(name),
                source: ShaderSource::Wgsl(text.into()),
            });
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(name),
                layout,
                module: &module,
                entry_point: Some(entry),
                compilation_options: PipelineCompilationOptions {
                    constants,
                    ..PipelineCompilationOptions::default()
                },
                cache: None,
            })
        })?;
        // Compilation on a destroyed device succeeds.
        gpu.poll(PollType::Poll)?.ok();
        Ok(Self { name, pipeline })
    }

    /// Binds the buffers of each group, by binding number.
    pub(crate) fn bind(&self, gpu: &Gpu, groups: &[&[(u32, &Buffer)]]) -> Result<Launch, GpuError> {
        let ones = groups.iter().map(|group| {
            group.iter().map(|&(binding, buffer)| (binding, std::slice::from_ref(buffer))).collect()
        });
        let groups: Vec<Vec<_>> = ones.collect();
        self.bind_arrays(gpu, &groups.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The same with several buffers for each array of bindings.
    pub(crate) fn bind_arrays(
        &self,
        gpu: &Gpu,
        groups: &[&[(u32, &[Buffer])]],
    ) -> Result<Launch, GpuError> {
        let groups = gpu.guarded((self.name, 0), |device| {
            let bind = |(index, buffers): (usize, &&[(u32, &[Buffer])])| {
                let arrays: Vec<Vec<BufferBinding<'_>>> = buffers
                    .iter()
                    .map(|(_, array)| array.iter().map(Buffer::as_entire_buffer_binding).collect())
                    .collect();
                let entries: Vec<BindGroupEntry<'_>> = buffers
                    .iter()
                    .zip(&arrays)
                    .map(|(&(binding, _), array)| BindGroupEntry {
                        binding,
                        resource: match &array[..] {
                            [buffer] => BindingResource::Buffer(buffer.clone()),
                            buffers => BindingResource::BufferArray(buffers),
                        },
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

    /// Records so many runs of this many workgroups, one after the other. If they are too many for
    /// a submission, the encoder is submitted and replaced in between.
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
        for run in 0..times.div_ceil(SUBMITTED_RUNS) {
            if run > 0 {
                let next = gpu.device().create_command_encoder(&Default::default());
                gpu.queue().submit([std::mem::replace(encoder, next).finish()]);
            }
            let mut pass = self.begin(encoder);
            for _ in 0..SUBMITTED_RUNS.min(times - run * SUBMITTED_RUNS) {
                // The limit is 65,535 at least, and no batch reaches its square.
                pass.dispatch_workgroups(columns as u32, rows as u32, 1);
            }
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
    let result = gpu.poll(PollType::Wait { submission_index: submission, timeout: None })?;
    result.map(|_| ()).map_err(|error| gpu.failed(&error))
}

/// Reads the start of a buffer that has been mapped, and unmaps it.
pub(crate) fn with_mapped<T>(
    gpu: &Gpu,
    buffer: &Buffer,
    bytes: u64,
    read: impl FnOnce(&[u32]) -> T,
) -> Result<T, GpuError> {
    let result = match buffer.slice(0..bytes).get_mapped_range() {
        Ok(view) => read(bytemuck::cast_slice(&view)),
        Err(error) => return Err(gpu.failed(&error)),
    };
    gpu.guarded(("a mapped buffer", 0), |_| buffer.unmap())?;
    Ok(result)
}
