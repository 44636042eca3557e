//! The device: opened once, shared by all engines.
//!
//! `adapters` chooses one, `kernel` compiles and runs programs, `rounds` cuts batches to the
//! device's limits and keeps several rounds in flight.

mod adapters;
mod kernel;
mod rounds;
#[cfg(test)]
mod tests;

pub use adapters::{Adapter, adapters};
pub(crate) use kernel::{Binding, Kernel, Launch, read_words, wait, with_mapped};
pub use rounds::Timing;
pub(crate) use rounds::{
    HEADER_WORDS, POOL_SOURCE, RoundBuffers, RoundShape, Rounds, batch_room, make_room,
    on_all_cores,
};

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device, ErrorFilter, Features, Limits,
    PollError, PollStatus, PollType, Queue,
};

use crate::error::{GpuError, GpuLimit};

/// The working memory of a batch unless [`GpuOptions`] says otherwise.
const DEFAULT_WORKING_MEMORY: u64 = 2 << 30;

/// The most bytes that the queue copies to a buffer. Its own memory for that is taken without a
/// check: if it runs out, the device is lost.
const QUEUED_BYTES: usize = 64 << 10;

/// The bytes of a piece of a larger upload.
const PIECE_BYTES: usize = 32 << 20;

/// How to open a device.
#[derive(Debug, Clone, Default)]
pub struct GpuOptions {
    /// A part of the adapter's name, in any case. `None` takes the fastest: a discrete GPU before
    /// an integrated one before a software driver. The variable `PORTOLAN_GPU` sets it too.
    pub adapter: Option<String>,
    /// About what each kind of batch uses beside the map and the index, in bytes; `None` for 2 GiB.
    /// More lets more agents run at the same time. Small batches use less. An engine keeps the
    /// memory for the next batch.
    pub working_memory: Option<u64>,
    /// The largest storage binding to use; `None` for what the device allows. Smaller ones cut
    /// batches into more rounds.
    pub max_binding: Option<u64>,
}

/// A GPU that is ready to work. Clones share the device.
///
/// ```
/// let gpu = portolan_gpu::Gpu::new()?;
/// println!("{}", gpu.name());
/// # Ok::<(), portolan_gpu::GpuError>(())
/// ```
#[derive(Clone)]
pub struct Gpu(Arc<Opened>);

struct Opened {
    device: Device,
    queue: Queue,
    name: String,
    limits: Limits,
    features: Features,
    subgroup_size: u32,
    options: GpuOptions,
    lost: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// Opens the fastest adapter.
    pub fn new() -> Result<Self, GpuError> {
        Self::with_options(GpuOptions::default())
    }

    /// Opens an adapter of your choice.
    pub fn with_options(options: GpuOptions) -> Result<Self, GpuError> {
        adapters::open(options)
    }

    /// Uses the device of a host program, such as a game. `features` and limits are read from it.
    /// The host keeps its callbacks for errors and for the loss of the device; in the latter it
    /// calls [`report_lost`](Self::report_lost).
    pub fn from_device(
        device: Device,
        queue: Queue,
        options: GpuOptions,
    ) -> Result<Self, GpuError> {
        let info = device.adapter_info();
        let missing = adapters::missing(&device.limits());
        if let Some(reason) = missing {
            return Err(GpuError::Unsuitable { adapter: info.name, reason });
        }
        Ok(Self(Arc::new(Opened {
            name: info.name,
            limits: device.limits(),
            features: device.features(),
            subgroup_size: info.subgroup_min_size,
            device,
            queue,
            options,
            lost: Arc::default(),
        })))
    }

    /// Tells all engines that the device is lost, so that they answer with [`GpuError::Lost`]. For
    /// hosts that share their device; others find out by themselves.
    pub fn report_lost(&self, reason: impl Into<String>) {
        let mut lost = self.0.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert(reason.into());
    }

    /// An error if this is on another device: then its buffers mean nothing here.
    pub(crate) fn check_same(&self, other: &Self, what: &'static str) -> Result<(), GpuError> {
        match Arc::ptr_eq(&self.0, &other.0) {
            true => Ok(()),
            false => Err(GpuError::OtherGpu { what }),
        }
    }

    /// The name of the adapter.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The device, for hosts that share it.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The queue, for hosts that share it.
    pub fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// The largest storage binding that is used.
    pub fn max_binding(&self) -> u64 {
        let limits = &self.0.limits;
        let device = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        self.0.options.max_binding.map_or(device, |most| most.min(device)) & !255
    }

    /// What sets [`max_binding`](Self::max_binding).
    pub(crate) fn binding_limit(&self) -> GpuLimit {
        let Opened { limits, options, .. } = &*self.0;
        let device = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        match options.max_binding.is_some_and(|most| most < device) {
            true => GpuLimit::MaxBinding,
            false => GpuLimit::Device,
        }
    }

    /// About what each kind of batch uses beside the map and the index, in bytes.
    pub fn working_memory(&self) -> u64 {
        self.0.options.working_memory.unwrap_or(DEFAULT_WORKING_MEMORY)
    }

    /// Whether invocations of a subgroup can exchange values.
    pub fn has_subgroups(&self) -> bool {
        self.0.features.contains(Features::SUBGROUP)
    }

    /// The least number of invocations in a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.0.subgroup_size
    }

    /// The most storage buffers that a kernel may bind in arrays.
    pub(crate) fn most_buffers_in_arrays(&self) -> u64 {
        match self.0.features.contains(adapters::BUFFER_ARRAYS) {
            true => u64::from(self.0.limits.max_binding_array_elements_per_shader_stage),
            false => 0,
        }
    }

    pub(crate) fn has_timestamps(&self) -> bool {
        self.0
            .features
            .contains(Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    }

    /// Whether the device is a software driver.
    pub(crate) fn is_software(&self) -> bool {
        self.0.device.adapter_info().device_type == wgpu::DeviceType::Cpu
    }

    /// The most turns that all loops of an invocation may make together. Mesa's llvmpipe ends loops
    /// beyond it without an error; hardware has no limit.
    pub(crate) fn most_turns(&self) -> u64 {
        if self.is_software() { 65_535 } else { u64::MAX }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Runs work on the device and reports what goes wrong in it. `what` and `bytes` describe the
    /// allocation, if it is one.
    pub(crate) fn guarded<T>(
        &self,
        (what, bytes): (&'static str, u64),
        work: impl FnOnce(&Device) -> T,
    ) -> Result<T, GpuError> {
        self.check_lost()?;
        let device = &self.0.device;
        let filters = [ErrorFilter::Internal, ErrorFilter::Validation, ErrorFilter::OutOfMemory];
        let scopes = filters.map(|filter| device.push_error_scope(filter));
        let result = work(device);
        // Scopes end in the reverse order.
        let [internal, validation, memory] = scopes;
        let errors = [memory, validation, internal].map(|scope| pollster::block_on(scope.pop()));
        self.check_lost()?;
        match errors.into_iter().flatten().next() {
            None => Ok(result),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(GpuError::OutOfMemory { what, bytes }),
            Some(error) => Err(self.failed(&error)),
        }
    }

    /// What an error of the driver layer means. On a lost device, work fails in many ways.
    pub(crate) fn failed(&self, error: &dyn fmt::Display) -> GpuError {
        // The device tells that it was destroyed when it has nothing left to do.
        let left = self.poll(PollType::Wait { submission_index: None, timeout: None });
        match left {
            Err(lost) => lost,
            Ok(_) => GpuError::Internal { message: error.to_string() },
        }
    }

    /// Polls the device. This is the only place that does, because the driver layer panics if the
    /// driver reports the loss of the device here.
    pub(crate) fn poll(&self, poll: PollType) -> Result<Result<PollStatus, PollError>, GpuError> {
        let result = catch_unwind(AssertUnwindSafe(|| self.0.device.poll(poll)));
        let result = result.or_else(|panic| match panic.downcast_ref::<String>() {
            Some(text) if text.contains("Device::poll") => {
                self.report_lost(text.trim());
                Err(GpuError::Lost { reason: text.trim().to_owned() })
            }
            // It comes from a callback of the host.
            _ => resume_unwind(panic),
        });
        self.check_lost()?;
        result
    }

    /// Records commands and gives them to the device.
    pub(crate) fn submit(&self, record: impl FnOnce(&mut CommandEncoder)) -> Result<(), GpuError> {
        self.guarded(("a launch", 0), |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            record(&mut encoder);
            self.0.queue.submit([encoder.finish()]);
        })
    }

    /// An error if the device has been lost.
    pub(crate) fn check_lost(&self) -> Result<(), GpuError> {
        let lost = self.0.lost.lock().unwrap_or_else(PoisonError::into_inner);
        match &*lost {
            None => Ok(()),
            Some(reason) => Err(GpuError::Lost { reason: reason.clone() }),
        }
    }

    /// A buffer without contents.
    pub(crate) fn buffer(
        &self,
        what: &'static str,
        bytes: u64,
        usage: BufferUsages,
    ) -> Result<Buffer, GpuError> {
        // Bindings must not be empty.
        let size = bytes.max(16).next_multiple_of(4);
        self.check_size(what, size, usage)?;
        let buffer = self.create((what, size), usage, false)?;
        // Creation on a destroyed device succeeds.
        self.poll(PollType::Poll)?.ok();
        Ok(buffer)
    }

    /// A storage buffer that kernels read.
    pub(crate) fn upload<T: bytemuck::NoUninit>(
        &self,
        what: &'static str,
        contents: &[T],
    ) -> Result<Buffer, GpuError> {
        let contents = bytemuck::cast_slice(contents);
        self.with_contents(what, contents, BufferUsages::STORAGE | BufferUsages::COPY_SRC)
    }

    /// Small constants of a kernel.
    pub(crate) fn uniform<T: bytemuck::NoUninit>(
        &self,
        what: &'static str,
        contents: &T,
    ) -> Result<Buffer, GpuError> {
        self.with_contents(what, bytemuck::bytes_of(contents), BufferUsages::UNIFORM)
    }

    /// A buffer with these contents, and zeros up to its end.
    fn with_contents(
        &self,
        what: &'static str,
        contents: &[u8],
        usage: BufferUsages,
    ) -> Result<Buffer, GpuError> {
        let buffer = self.buffer(what, contents.len() as u64, usage | BufferUsages::COPY_DST)?;
        let mut padded;
        let contents = match contents.len().is_multiple_of(4) {
            true => contents,
            false => {
                padded = contents.to_vec();
                padded.resize(contents.len().next_multiple_of(4), 0);
                &padded
            }
        };
        if contents.len() <= QUEUED_BYTES {
            let queue = &self.0.queue;
            self.guarded((what, buffer.size()), |_| queue.write_buffer(&buffer, 0, contents))?;
            return Ok(buffer);
        }
        for (number, piece) in contents.chunks(PIECE_BYTES).enumerate() {
            if number > 0 {
                // One piece at a time takes memory of the host.
                kernel::wait(self, None)?;
            }
            self.copy_piece(what, piece, (&buffer, (number * PIECE_BYTES) as u64))?;
        }
        Ok(buffer)
    }

    /// Copies a piece of an upload to this place of a buffer.
    fn copy_piece(
        &self,
        what: &'static str,
        piece: &[u8],
        (buffer, at): (&Buffer, u64),
    ) -> Result<(), GpuError> {
        let bytes = piece.len() as u64;
        let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
        let staging = self.create((what, bytes), usage, true)?;
        match staging.get_mapped_range_mut(..) {
            Ok(mut view) => view.slice(..).copy_from_slice(piece),
            Err(error) => return Err(self.failed(&error)),
        }
        self.guarded((what, bytes), |device| {
            staging.unmap();
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&staging, 0, buffer, at, bytes);
            self.0.queue.submit([encoder.finish()]);
        })
    }

    fn create(
        &self,
        (what, size): (&'static str, u64),
        usage: BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<Buffer, GpuError> {
        let descriptor = BufferDescriptor { label: Some(what), size, usage, mapped_at_creation };
        self.guarded((what, size), |device| device.create_buffer(&descriptor))
    }

    fn check_size(
        &self,
        what: &'static str,
        needed: u64,
        usage: BufferUsages,
    ) -> Result<(), GpuError> {
        let (available, limit) = match usage.contains(BufferUsages::STORAGE) {
            true => (self.max_binding(), self.binding_limit()),
            false => (self.0.limits.max_buffer_size, GpuLimit::Device),
        };
        if needed > available {
            return Err(GpuError::TooLarge { what, needed, available, limit });
        }
        Ok(())
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Gpu")
            .field("name", &self.name())
            .field("max_binding", &self.max_binding())
            .field("working_memory", &self.working_memory())
            .field("subgroup_size", &self.subgroup_size())
            .finish()
    }
}
