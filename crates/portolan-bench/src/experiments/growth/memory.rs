//! Resident memory of this process, as Linux tells it.
//!
//! `/proc/self/status` has the memory that is resident now (`VmRSS`) and the most that ever was
//! (`VmHWM`); a 5 written to `/proc/self/clear_refs` lowers that mark to what is resident now.

use std::fs;

/// Does the work. Also returns by how many bytes resident memory grew at most, if the system tells.
pub(super) fn most_resident<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    release();
    let before = fs::write("/proc/self/clear_refs", "5").ok().and_then(|()| status("VmRSS:"));
    let result = work();
    let most = before.and_then(|before| Some(status("VmHWM:")?.saturating_sub(before)));
    (result, most)
}

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// Gives memory that is free back to the system. Otherwise work seems to need no memory where it
/// finds what an earlier index has left.
fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[allow(unsafe_code)]
        // SAFETY: this is the signature of the C library's function, which any thread may call at
        // any time.
        unsafe extern "C" {
            safe fn malloc_trim(keep: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn the_most_memory_is_seen_though_it_is_free_again() {
        let touched = |bytes: usize| drop(black_box(vec![1_u8; bytes]));
        touched(64 << 20);
        let ((), most) = most_resident(|| touched(32 << 20));
        // Other tests run on other threads and free memory, too.
        assert!(most.is_none_or(|most| (16 << 20..512 << 20).contains(&most)), "{most:?}");
    }
}
