//! Errors of the GPU.

use portolan::{BuildError, EndpointError};

/// Why work on the GPU fails. Nothing falls back to the CPU by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter at all.
    #[error(
        "no GPU was found ({reason}); install a Vulkan driver, or Mesa's software driver \
         (Debian: mesa-vulkan-drivers), or use an engine of the CPU"
    )]
    NoAdapter {
        /// What the driver loader reports.
        reason: String,
    },
    /// No adapter whose name contains the requested text.
    #[error("no GPU is called `{wanted}`; there are: {}", found.join(", "))]
    NotFound {
        /// The requested text.
        wanted: String,
        /// The names of all adapters.
        found: Vec<String>,
    },
    /// The adapter lacks something that the kernels need.
    #[error("`{adapter}` cannot run Portolan: {reason}; choose another adapter")]
    Unsuitable {
        /// The name of the adapter.
        adapter: String,
        /// What it lacks.
        reason: String,
    },
    /// The device was lost: reset, unplugged or destroyed. Everything on it is gone.
    #[error("the GPU was lost ({reason}); create a new `Gpu` and build the engines again")]
    Lost {
        /// What the driver reports.
        reason: String,
    },
    /// The device ran out of memory.
    #[error(
        "the GPU has no room for {bytes} bytes of {what}; free memory on it, lower \
         `GpuOptions::working_memory`, or use a smaller index"
    )]
    OutOfMemory {
        /// What the memory is for.
        what: &'static str,
        /// The size of the allocation that failed.
        bytes: u64,
    },
    /// Something that cannot be split does not fit into one binding of the device.
    #[error(
        "{what} takes {needed} bytes in one piece, and {available} are allowed on this device; \
         use a smaller map, another engine, or a device with larger storage bindings"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size in bytes.
        needed: u64,
        /// The largest size that the device, or `GpuOptions`, allows.
        available: u64,
    },
    /// The method does not work on this map.
    #[error("{method} cannot serve this map: {reason}")]
    Unsupported {
        /// The name of the method.
        method: &'static str,
        /// The reason, and what to do instead.
        reason: String,
    },
    /// Preparing the map failed, or was cancelled.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// An invalid argument.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The driver or a kernel broke a rule of the interface: a bug in Portolan or in the driver.
    #[error(
        "internal error on the GPU: {message}; please report it with the output of `portolan gpu`"
    )]
    Internal {
        /// What the driver layer reports.
        message: String,
    },
}
