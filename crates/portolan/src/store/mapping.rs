//! Maps files into memory; the only unsafe code of this module.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::{Mmap, MmapMut};

use super::error::OpenError;

/// The largest alignment that an element of an array has.
const ALIGNMENT: usize = align_of::<u64>();

/// The bytes of a file: mapped, or read if it cannot be mapped.
pub(super) fn open(path: &Path) -> Result<bytes::Bytes, OpenError> {
    let file = open_regular(path)?;
    match map(&file) {
        Some(bytes) => Ok(bytes),
        None => read(file),
    }
}

/// The bytes of a file, read into large pages.
pub(super) fn load(path: &Path) -> Result<bytes::Bytes, OpenError> {
    let mut file = open_regular(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    // The header has the length of the file, so a file that grows or shrinks meanwhile is refused.
    if let Some(mut memory) = (length > 0).then(|| large_pages(length)).flatten() {
        file.read_exact(&mut memory)?;
        return Ok(bytes::Bytes::from_owner(memory));
    }
    read(file)
}

/// Zeroed memory in large pages, which reduce TLB misses of random access. `None` if the system
/// refuses the allocation.
pub(super) fn large_pages(bytes: usize) -> Option<MmapMut> {
    let memory = MmapMut::map_anon(bytes).ok()?;
    // Best effort: without large pages the system uses small ones.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    Some(memory)
}

/// The same bytes aligned for numbers; copied only if they are not.
pub(super) fn aligned(bytes: bytes::Bytes) -> bytes::Bytes {
    if bytes.as_ptr().align_offset(ALIGNMENT) == 0 {
        return bytes;
    }
    let mut copy = vec![0; bytes.len() + ALIGNMENT];
    let start = copy.as_ptr().align_offset(ALIGNMENT);
    copy[start..start + bytes.len()].copy_from_slice(&bytes);
    bytes::Bytes::from_owner(copy).slice(start..start + bytes.len())
}

fn open_regular(path: &Path) -> Result<File, OpenError> {
    // Checked before opening, because opening a pipe waits for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(OpenError::NotAnIndex);
    }
    Ok(File::open(path)?)
}

fn read(mut file: File) -> Result<bytes::Bytes, OpenError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(aligned(bytes.into()))
}

fn map(file: &File) -> Option<bytes::Bytes> {
    // SAFETY: the mapping is read-only and lives as long as any view of it. No known system can
    // prevent changes to the file meanwhile. The library itself only replaces files
    // (`replace_file`), which leaves a mapped file unchanged, and the documentation of
    // `IndexFile::open` requires the same of other programs. If the bytes change nevertheless,
    // every number read from them is checked before it is used as an index: they are data, never
    // addresses.
    let mapping = unsafe { Mmap::map(file) }.ok()?;
    Some(bytes::Bytes::from_owner(mapping))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misaligned_bytes_are_copied() {
        let bytes = bytes::Bytes::from_owner((0..64).collect::<Vec<u8>>());
        for start in 0..9 {
            let part = bytes.slice(start..start + 32);
            let moved = aligned(part.clone());
            assert_eq!(moved, part);
            assert_eq!(moved.as_ptr().align_offset(ALIGNMENT), 0);
        }
    }
}
