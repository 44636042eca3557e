//! Which GPUs there are, and opening one.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{
    Backends, DeviceDescriptor, DeviceType, Features, Instance, InstanceDescriptor, Limits,
    MemoryHints,
};

use super::{Gpu, GpuOptions, Opened};
use crate::error::GpuError;

/// Names an adapter, like [`GpuOptions::adapter`].
const VARIABLE: &str = "PORTOLAN_GPU";

/// Features that kernels use where there are any.
const WANTED: Features = Features::SUBGROUP
    .union(Features::TIMESTAMP_QUERY)
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(BUFFER_ARRAYS);

/// Features for arrays of storage buffers.
pub(super) const BUFFER_ARRAYS: Features = Features::BUFFER_BINDING_ARRAY
    .union(Features::STORAGE_RESOURCE_BINDING_ARRAY)
    .union(Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING);

/// The least storage binding to work with: the least that WebGPU allows.
const LEAST_BINDING: u64 = 128 << 20;

/// What the kernels need beside: the least that WebGPU allows, or less.
const NEEDED: [Need; 9] = [
    ("storage buffers of a kernel", |it| it.max_storage_buffers_per_shader_stage, 8),
    ("uniform buffers of a kernel", |it| it.max_uniform_buffers_per_shader_stage, 3),
    ("groups of bindings", |it| it.max_bind_groups, 3),
    ("bindings of a group", |it| it.max_bindings_per_bind_group, 8),
    ("invocations of a workgroup", |it| it.max_compute_invocations_per_workgroup, 256),
    ("columns of a workgroup", |it| it.max_compute_workgroup_size_x, 256),
    ("rows of a workgroup", |it| it.max_compute_workgroup_size_y, 16),
    ("bytes of workgroup memory", |it| it.max_compute_workgroup_storage_size, 16_384),
    ("workgroups in a row", |it| it.max_compute_workgroups_per_dimension, 65_535),
];

/// What it is, the limit of a device, and the least that will do.
type Need = (&'static str, fn(&Limits) -> u32, u32);

/// A GPU of this machine.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The name by which [`GpuOptions::adapter`] finds it.
    pub name: String,
    /// Discrete, integrated, virtual, or a software driver.
    pub kind: &'static str,
    /// The interface of its driver: Vulkan, Metal or DirectX 12.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// The largest storage binding in bytes.
    pub max_binding: u64,
    /// The largest buffer in bytes.
    pub max_buffer: u64,
    /// Bytes of memory that a workgroup shares.
    pub workgroup_memory: u32,
    /// The most invocations of a workgroup.
    pub workgroup_size: u32,
    /// The least and the greatest number of invocations of a subgroup; `None` without subgroup
    /// operations.
    pub subgroup: Option<(u32, u32)>,
    /// Whether kernels can be timed on the device.
    pub timestamps: bool,
    /// Why it cannot be used; `None` if it can.
    pub missing: Option<String>,
}

/// All GPUs of this machine, the fastest first.
pub fn adapters() -> Vec<Adapter> {
    found().iter().map(describe).collect()
}

/// Opens the adapter that the options or the environment name, or the first that can be used.
pub(super) fn open(options: GpuOptions) -> Result<Gpu, GpuError> {
    let found = found();
    let wanted = options.adapter.clone().or_else(|| std::env::var(VARIABLE).ok());
    let adapter = match &wanted {
        None => {
            let usable = found.iter().find(|adapter| missing(&adapter.limits()).is_none());
            usable.or(found.first()).ok_or_else(|| GpuError::NoAdapter {
                reason: "no driver for Vulkan, Metal or DirectX 12 answers".to_owned(),
            })?
        }
        Some(wanted) => {
            let is_wanted = |adapter: &&wgpu::Adapter| {
                adapter.get_info().name.to_lowercase().contains(&wanted.to_lowercase())
            };
            found.iter().find(is_wanted).ok_or_else(|| GpuError::NotFound {
                wanted: wanted.clone(),
                found: found.iter().map(|adapter| adapter.get_info().name).collect(),
            })?
        }
    };
    let info = adapter.get_info();
    if let Some(reason) = missing(&adapter.limits()) {
        return Err(GpuError::Unsuitable { adapter: info.name, reason });
    }
    let features = adapter.features() & WANTED;
    let limits = adapter.limits();
    let descriptor = DeviceDescriptor {
        label: Some("portolan"),
        required_features: features,
        required_limits: limits.clone(),
        memory_hints: MemoryHints::Performance,
        ..DeviceDescriptor::default()
    };
    let (device, queue) =
        pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
            GpuError::Unsuitable { adapter: info.name.clone(), reason: error.to_string() }
        })?;
    let lost = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&lost);
    device.set_device_lost_callback(move |reason, message| {
        let text = if message.is_empty() { format!("{reason:?}") } else { message };
        seen.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    });
    // Errors outside a scope must not end the program; the next scope finds a broken device.
    device.on_uncaptured_error(Arc::new(|_| {}));
    let subgroup_size = info.subgroup_min_size;
    Ok(Gpu(Arc::new(Opened {
        device,
        queue,
        name: info.name,
        limits,
        features,
        subgroup_size,
        options,
        lost,
    })))
}

/// What a device with these limits lacks.
pub(super) fn missing(limits: &Limits) -> Option<String> {
    let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    if binding < LEAST_BINDING {
        let text = "its storage bindings hold";
        return Some(format!("{text} {binding} bytes, and {LEAST_BINDING} are needed"));
    }
    let lacks = |&&(_, has, needed): &&Need| has(limits) < needed;
    let (what, has, needed) = NEEDED.iter().find(lacks)?;
    Some(format!("it allows {} {what}, and {needed} are needed", has(limits)))
}

/// All adapters, the fastest first.
fn found() -> Vec<wgpu::Adapter> {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    let mut descriptor = InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let instance = Instance::new(descriptor);
    let mut found = pollster::block_on(instance.enumerate_adapters(backends));
    // The sort is stable: adapters of one kind stay in the order of the driver.
    found.sort_by_key(|adapter| match adapter.get_info().device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    });
    found
}

fn describe(adapter: &wgpu::Adapter) -> Adapter {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    Adapter {
        kind: match info.device_type {
            DeviceType::DiscreteGpu => "discrete GPU",
            DeviceType::IntegratedGpu => "integrated GPU",
            DeviceType::VirtualGpu => "virtual GPU",
            DeviceType::Cpu => "software driver",
            DeviceType::Other => "unknown kind",
        },
        backend: info.backend.to_string(),
        driver: [info.driver, info.driver_info].join(" ").trim().to_owned(),
        max_binding: limits.max_storage_buffer_binding_size,
        max_buffer: limits.max_buffer_size,
        workgroup_memory: limits.max_compute_workgroup_storage_size,
        workgroup_size: limits.max_compute_invocations_per_workgroup,
        subgroup: features
            .contains(Features::SUBGROUP)
            .then_some((info.subgroup_min_size, info.subgroup_max_size)),
        timestamps: features.contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
        missing: missing(&limits),
        name: info.name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_with_low_limits_are_refused() {
        assert_eq!(missing(&Limits::default()), None);
        let lower: [fn(&mut Limits); 6] = [
            |limits| limits.max_compute_invocations_per_workgroup = 64,
            |limits| limits.max_compute_workgroups_per_dimension = 16,
            |limits| limits.max_bind_groups = 1,
            |limits| limits.max_buffer_size = 1 << 20,
            |limits| limits.max_compute_workgroup_storage_size = 4096,
            |limits| limits.max_storage_buffers_per_shader_stage = 4,
        ];
        for lower in lower {
            let mut limits = Limits::default();
            lower(&mut limits);
            let reason = missing(&limits);
            assert!(reason.is_some_and(|reason| reason.contains("are needed")), "{limits:?}");
        }
    }
}
