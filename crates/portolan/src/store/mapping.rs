//! Files as memory; the only place of this module that is not plain safe Rust.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::{Mmap, MmapMut};

use super::error::OpenError;

/// The largest alignment that an element of an array has.
const ALIGNMENT: usize = align_of::<u64>();

/// The bytes of a file, mapped, or read where that cannot be.
pub(super) fn open(path: &Path) -> Result<bytes::Bytes, OpenError> {
    // Asked before opening: opening a pipe would wait for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(OpenError::NotAnIndex);
    }
    let mut file = File::open(path)?;
    if let Some(bytes) = map(&file) {
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(aligned(bytes.into()))
}

/// So many zero bytes in large pages, of which the processor remembers where they lie: whoever
/// reads here and there in megabytes waits less for them. `None` where the system has no memory to
/// give that way.
pub(super) fn large_pages(bytes: usize) -> Option<MmapMut> {
    let room = MmapMut::map_anon(bytes).ok()?;
    // Where there are no large pages, small ones are as good as any others.
    #[cfg(target_os = "linux")]
    let _ = room.advise(memmap2::Advice::HugePage);
    Some(room)
}

/// The same bytes where numbers can lie; copied only where they do not.
pub(super) fn aligned(bytes: bytes::Bytes) -> bytes::Bytes {
    if bytes.as_ptr().align_offset(ALIGNMENT) == 0 {
        return bytes;
    }
    let mut room = vec![0; bytes.len() + ALIGNMENT];
    let start = room.as_ptr().align_offset(ALIGNMENT);
    room[start..start + bytes.len()].copy_from_slice(&bytes);
    bytes::Bytes::from_owner(room).slice(start..start + bytes.len())
}

fn map(file: &File) -> Option<bytes::Bytes> {
    // SAFETY: the mapping is read-only and lives as long as any view of it. That nobody changes the
    // file meanwhile cannot be enforced on any system that we know; the library itself only ever
    // replaces files (`replace_file`), which leaves a mapped one alone, and `IndexFile::open` asks
    // others to do the same. Should the bytes change all the same, every number read from them is
    // checked before it is used as an index: they are data, never addresses.
    let mapping = unsafe { Mmap::map(file) }.ok()?;
    Some(bytes::Bytes::from_owner(mapping))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_at_an_odd_place_move() {
        let bytes = bytes::Bytes::from_owner((0..64).collect::<Vec<u8>>());
        for start in 0..9 {
            let part = bytes.slice(start..start + 32);
            let moved = aligned(part.clone());
            assert_eq!(moved, part);
            assert_eq!(moved.as_ptr().align_offset(ALIGNMENT), 0);
        }
    }
}
