//! Errors of the GPU.

use std::error::Error;
use std::fmt;

use portolan::{BuildError, EndpointError};

/// Why work on the GPU fails. Nothing falls back to the CPU by itself.
///
/// The message is the [`problem`](Self::problem) and its [`remedy`](Self::remedy).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter at all.
    NoAdapter {
        /// What the driver loader reports.
        reason: String,
    },
    /// No adapter whose name contains the requested text.
    NotFound {
        /// The requested text.
        wanted: String,
        /// The names of all adapters.
        found: Vec<String>,
    },
    /// The adapter lacks something that the kernels need.
    Unsuitable {
        /// The name of the adapter.
        adapter: String,
        /// What it lacks.
        reason: String,
    },
    /// The device was lost: reset, unplugged or destroyed. Everything on it is gone.
    Lost {
        /// What the driver reports.
        reason: String,
    },
    /// Data of one [`Gpu`](crate::Gpu) was given to an engine, fields or a crowd of another.
    OtherGpu {
        /// What was given.
        what: &'static str,
    },
    /// The device ran out of memory.
    OutOfMemory {
        /// What the memory is for.
        what: &'static str,
        /// The size of the allocation that failed.
        bytes: u64,
    },
    /// The answers do not fit into the memory of this computer.
    OutOfHostMemory {
        /// What the memory is for.
        what: &'static str,
        /// The size of the allocation that failed.
        bytes: u64,
    },
    /// Something that cannot be split exceeds a limit, yours or that of the device.
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size in bytes.
        needed: u64,
        /// The most bytes that the limit allows.
        available: u64,
        /// What sets the limit.
        limit: GpuLimit,
    },
    /// The method does not work on this map.
    Unsupported {
        /// The name of the method.
        method: &'static str,
        /// The reason, and what to do instead.
        reason: String,
    },
    /// Preparing the map failed, or was cancelled.
    Build(BuildError),
    /// An invalid argument.
    Endpoint(EndpointError),
    /// The driver or a kernel broke a rule of the interface: a bug in Portolan or in the driver.
    Internal {
        /// What the driver layer reports.
        message: String,
    },
}

/// What sets the limit of a [`GpuError::TooLarge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GpuLimit {
    /// The memory limit of an index:
    /// [`GpuAtlasConfig::memory_limit`](crate::GpuAtlasConfig::memory_limit).
    Memory,
    /// [`GpuOptions::working_memory`](crate::GpuOptions::working_memory).
    WorkingMemory,
    /// [`GpuOptions::max_binding`](crate::GpuOptions::max_binding).
    MaxBinding,
    /// The storage bindings of the device.
    Device,
    /// The kernels, which number words with 32 bits.
    Kernels,
}

impl GpuError {
    /// What is wrong, without the remedy.
    pub fn problem(&self) -> String {
        match self {
            Self::NoAdapter { reason } => format!("no GPU was found ({reason})"),
            Self::NotFound { wanted, found } => {
                format!("no GPU is called `{wanted}`; there are: {}", found.join(", "))
            }
            Self::Unsuitable { adapter, reason } => {
                format!("`{adapter}` cannot run Portolan: {reason}")
            }
            Self::Lost { reason } => format!("the GPU was lost ({reason})"),
            Self::OtherGpu { what } => format!("{what} is on another `Gpu`"),
            Self::OutOfMemory { what, bytes } => {
                format!("the GPU has no room for {bytes} bytes of {what}")
            }
            Self::OutOfHostMemory { what, bytes } => {
                format!("this computer has no room for {bytes} bytes of {what}")
            }
            Self::TooLarge { what, needed, available, limit } => {
                let of = match limit {
                    GpuLimit::Memory => "the memory limit is",
                    GpuLimit::WorkingMemory => "the working memory has room for",
                    GpuLimit::MaxBinding => "the largest binding in the options allows",
                    GpuLimit::Device => "this device allows",
                    GpuLimit::Kernels => "kernels can address",
                };
                format!("{what}: {needed} bytes are needed, and {of} {available}")
            }
            Self::Unsupported { method, reason } => {
                format!("{method} cannot serve this map: {reason}")
            }
            Self::Build(error) => error.to_string(),
            Self::Endpoint(error) => error.to_string(),
            Self::Internal { message } => format!("internal error on the GPU: {message}"),
        }
    }

    /// What a program can do about it. `None` if the problem says so itself.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoAdapter { .. } => {
                "install a Vulkan driver, or Mesa's software driver (Debian: \
                 mesa-vulkan-drivers), or use an engine of the CPU"
            }
            Self::Unsuitable { .. } => "choose another adapter",
            Self::Lost { .. } => "create a new `Gpu` and build the engines again",
            Self::OtherGpu { .. } => "create both with one `Gpu` or its clones",
            Self::OutOfHostMemory { .. } => "ask for fewer at a time",
            Self::OutOfMemory { .. } => {
                "free memory on it, lower `GpuOptions::working_memory`, or use a smaller index"
            }
            Self::TooLarge { limit, .. } => match limit {
                GpuLimit::Memory => "raise `memory_limit`, or use another engine",
                GpuLimit::WorkingMemory => "raise `GpuOptions::working_memory`",
                GpuLimit::MaxBinding => "raise `GpuOptions::max_binding`",
                GpuLimit::Device => "use a smaller map, another engine, or another device",
                GpuLimit::Kernels => "use a smaller map or another engine",
            },
            Self::Internal { .. } => "please report it with the output of `portolan gpu`",
            Self::NotFound { .. }
            | Self::Unsupported { .. }
            | Self::Build(_)
            | Self::Endpoint(_) => return None,
        })
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.problem())?;
        self.remedy().map_or(Ok(()), |remedy| write!(out, "; {remedy}"))
    }
}

impl Error for GpuError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The messages of both contain that of the error itself.
        match self {
            Self::Build(error) => error.source(),
            Self::Endpoint(error) => error.source(),
            _ => None,
        }
    }
}

impl From<BuildError> for GpuError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<EndpointError> for GpuError {
    fn from(error: EndpointError) -> Self {
        Self::Endpoint(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_names_what_to_raise() {
        let (what, needed, available) = ("labels", 2000, 1000);
        for (limit, expected) in [
            (GpuLimit::Memory, "the memory limit is 1000; raise `memory_limit`"),
            (GpuLimit::WorkingMemory, "room for 1000; raise `GpuOptions::working_memory`"),
            (GpuLimit::MaxBinding, "allows 1000; raise `GpuOptions::max_binding`"),
            (GpuLimit::Device, "allows 1000; use a smaller map, another engine, or another device"),
            (GpuLimit::Kernels, "address 1000; use a smaller map or another engine"),
        ] {
            let text = GpuError::TooLarge { what, needed, available, limit }.to_string();
            assert!(text.starts_with("labels: 2000 bytes are needed, and "), "{text}");
            assert!(text.contains(expected), "{text}");
        }
    }
}
