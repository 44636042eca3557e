//! One type for arrays built in memory and arrays in a mapped file.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref, RangeBounds};

use memmap2::MmapMut;
use rayon::prelude::*;

use super::mapping::large_pages;

/// An array of bytes.
pub(crate) type Bytes = Array<u8>;
/// An array of 32-bit numbers: node ids, costs.
pub(crate) type Words = Array<u32>;
/// An array of 64-bit numbers: bitmaps, offsets into large sections.
pub(crate) type Longs = Array<u64>;

/// The elements of arrays: `u8`, `u16`, `u32` or `u64`.
pub(crate) trait Element: sealed::Number {}

/// An immutable array that is cheap to clone: built in memory, or a view into an index file, which
/// stays mapped while views exist.
///
/// Dereferencing costs a few instructions; take the slice once before a loop. Only the alignment of
/// the element is guaranteed.
#[derive(Clone)]
pub(crate) struct Array<T> {
    /// Whole, aligned elements in native byte order; anything else reads as empty.
    bytes: bytes::Bytes,
    element: PhantomData<T>,
}

/// The least size in bytes for large pages.
const LARGE: usize = 1 << 20;

impl<T: Element> Array<T> {
    /// A part of this array, without a copy; `None` if the range is out of bounds.
    pub(crate) fn slice(&self, range: impl RangeBounds<usize>) -> Option<Self> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.checked_add(1)?,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        (start <= end && end <= self.len()).then(|| {
            let bytes = self.bytes.slice(start * size_of::<T>()..end * size_of::<T>());
            Self { bytes, element: PhantomData }
        })
    }

    /// The size of the elements in bytes, in memory or in a file.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// An array of this length, initialised with one value and then filled. Large arrays use large
    /// pages, for random access.
    pub(crate) fn filled(len: usize, element: T, fill: impl FnOnce(&mut [T])) -> Self {
        let mut draft = ArrayDraft::new(len, element);
        fill(draft.elements_mut());
        draft.finish()
    }

    /// The elements in little-endian bytes; `None` if the bytes are misaligned or not a whole
    /// number of elements. Copies on big-endian machines only.
    pub(super) fn from_little_endian(bytes: bytes::Bytes) -> Option<Self> {
        let elements: &[T] = match bytes.is_empty() {
            true => &[],
            false => bytemuck::try_cast_slice(&bytes).ok()?,
        };
        if cfg!(target_endian = "big") {
            return Some(Self::from(swapped(elements)));
        }
        Some(Self { bytes, element: PhantomData })
    }
}

/// A mutable array under construction; large ones use large pages.
pub(crate) enum ArrayDraft<T> {
    Small(Vec<T>),
    Large(MmapMut),
}

impl<T: Element> ArrayDraft<T> {
    /// An array of this length with equal elements.
    pub(crate) fn new(len: usize, element: T) -> Self {
        let bytes = len.saturating_mul(size_of::<T>());
        let Some(memory) = (bytes >= LARGE).then(|| large_pages(bytes)).flatten() else {
            return Self::Small(vec![element; len]);
        };
        let mut draft = Self::Large(memory);
        // In parallel, because the system allocates and clears pages on first access.
        let pieces = draft.elements_mut().par_chunks_mut(LARGE);
        pieces.for_each(|piece| piece.fill(element));
        draft
    }

    pub(crate) fn elements(&self) -> &[T] {
        match self {
            Self::Small(elements) => elements,
            Self::Large(memory) => bytemuck::cast_slice(memory),
        }
    }

    pub(crate) fn elements_mut(&mut self) -> &mut [T] {
        match self {
            Self::Small(elements) => elements,
            Self::Large(memory) => bytemuck::cast_slice_mut(memory),
        }
    }

    /// The finished array, without a copy.
    pub(crate) fn finish(self) -> Array<T> {
        match self {
            Self::Small(elements) => elements.into(),
            Self::Large(memory) => {
                Array { bytes: bytes::Bytes::from_owner(memory), element: PhantomData }
            }
        }
    }
}

/// An array of any element type.
pub(crate) trait AnyArray {
    /// The bytes of its elements.
    fn bytes_mut(&mut self) -> &mut bytes::Bytes;
}

impl<T: Element> AnyArray for Array<T> {
    fn bytes_mut(&mut self) -> &mut bytes::Bytes {
        &mut self.bytes
    }
}

/// Moves arrays that are read together into one block of large pages, each aligned to a cache line.
/// Separately, arrays smaller than a large page would occupy many small pages. Does nothing if the
/// arrays are small in total.
pub(crate) fn pack_arrays(arrays: &mut [&mut dyn AnyArray]) {
    const LINE: usize = 64;
    let lens = arrays.iter_mut().map(|array| array.bytes_mut().len().next_multiple_of(LINE));
    let total: usize = lens.sum();
    let block = (total >= LARGE).then(|| large_pages(total)).flatten();
    let Some(mut block) = block else { return };
    let (mut ranges, mut start) = (Vec::with_capacity(arrays.len()), 0);
    for array in arrays.iter_mut() {
        // Frees each array before copying the next.
        let bytes = std::mem::take(array.bytes_mut());
        let range = start..start + bytes.len();
        block[range.clone()].copy_from_slice(&bytes);
        start = range.end.next_multiple_of(LINE);
        ranges.push(range);
    }
    let block = bytes::Bytes::from_owner(block);
    for (array, range) in arrays.iter_mut().zip(ranges) {
        *array.bytes_mut() = block.slice(range);
    }
}

/// Converts elements between native and little-endian byte order on big-endian machines.
pub(super) fn swapped<T: Element>(elements: &[T]) -> Vec<T> {
    elements.iter().map(|element| element.swapped()).collect()
}

impl<T: Element> Deref for Array<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // Fails only for empty arrays with an unaligned address.
        bytemuck::try_cast_slice(&self.bytes).unwrap_or_default()
    }
}

impl<T: Element> From<Vec<T>> for Array<T> {
    fn from(elements: Vec<T>) -> Self {
        /// Owns the elements for `bytes`, which stores their address.
        struct Owner<T>(Box<[T]>);
        impl<T: Element> AsRef<[u8]> for Owner<T> {
            fn as_ref(&self) -> &[u8] {
                bytemuck::cast_slice(&self.0)
            }
        }
        let bytes = bytes::Bytes::from_owner(Owner(elements.into_boxed_slice()));
        Self { bytes, element: PhantomData }
    }
}

impl<T: Element> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::from(Vec::from_iter(elements))
    }
}

impl<T: Element> Default for Array<T> {
    fn default() -> Self {
        Self { bytes: bytes::Bytes::new(), element: PhantomData }
    }
}

impl<T: Element> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Element> Eq for Array<T> {}

/// Shows only the number of elements, because there may be a hundred million.
impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}; {}]", std::any::type_name::<T>(), self.len())
    }
}

mod sealed {
    pub(crate) trait Number: bytemuck::Pod + Send + Sync + PartialEq {
        /// The number with its bytes reversed.
        fn swapped(self) -> Self;
    }
}

macro_rules! elements {
    ($($number:ty)*) => {$(
        impl Element for $number {}
        impl sealed::Number for $number {
            fn swapped(self) -> Self {
                self.swap_bytes()
            }
        }
    )*};
}
elements!(u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_arrays_keep_their_elements() {
        for len in [0, 1, 17, LARGE / 2 + 3] {
            let mut words: Words = (0..len as u32).collect();
            let mut bytes: Bytes = (0..len).map(|at| at as u8).collect();
            let (old_words, old_bytes) = (words.clone(), bytes.clone());
            pack_arrays(&mut [&mut bytes, &mut words]);
            assert_eq!((&words, &bytes), (&old_words, &old_bytes));
            assert_eq!(words.memory_bytes(), 4 * len);
        }
    }

    #[test]
    fn filled_arrays_have_the_filled_elements() {
        for len in [0, 1, LARGE, 2 * LARGE + 1] {
            let array = Array::<u16>::filled(len, 7, |elements| {
                elements.iter_mut().step_by(2).for_each(|element| *element = 9);
            });
            assert_eq!(array.len(), len);
            let expected = |at: usize| if at.is_multiple_of(2) { 9 } else { 7 };
            assert!(array.iter().enumerate().all(|(at, &element)| element == expected(at)));
        }
    }

    #[test]
    fn slices_of_slices_share_their_memory() {
        let words: Words = (0..100).collect();
        let part = words.slice(10..=19).unwrap().slice(5..).unwrap();
        assert_eq!(*part, [15, 16, 17, 18, 19]);
        assert_eq!(part.as_ptr(), words[15..].as_ptr());
        drop(words);
        assert_eq!(part.memory_bytes(), 20);
        assert_eq!(part.first(), Some(&15));
        assert_eq!(format!("{part:?}"), "[u32; 5]");
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges)]
    fn ranges_out_of_bounds_give_no_slice() {
        let words = Words::from(vec![1, 2, 3]);
        assert!(words.slice(0..4).is_none());
        assert!(words.slice(2..1).is_none());
        assert!(words.slice(usize::MAX..).is_none());
        assert!(words.slice(..=usize::MAX).is_none());
        assert!(words.slice((Bound::Excluded(usize::MAX), Bound::Unbounded)).is_none());
        assert_eq!(words.slice(..), Some(words.clone()));
    }

    #[test]
    fn empty_arrays_read_as_empty_at_every_address() {
        let longs = Longs::from(vec![1, 2]);
        for empty in [Longs::default(), Longs::from(vec![]), longs.slice(1..1).unwrap()] {
            assert!(empty.is_empty() && empty == Longs::default());
            assert_eq!(empty.slice(0..0), Some(Longs::default()));
        }
    }

    #[test]
    fn odd_lengths_and_odd_addresses_are_refused() {
        let bytes = bytes::Bytes::from_owner(bytemuck::cast_slice::<u64, u8>(&[1, 2, 3]).to_vec());
        let start = bytes.as_ptr().align_offset(8);
        let aligned = bytes.slice(start..start + 16);
        assert!(Array::<u64>::from_little_endian(aligned.clone()).is_some());
        assert!(Array::<u64>::from_little_endian(aligned.slice(..12)).is_none());
        assert!(Array::<u32>::from_little_endian(aligned.slice(..12)).is_some());
        assert!(Array::<u32>::from_little_endian(aligned.slice(1..9)).is_none());
        assert!(Array::<u16>::from_little_endian(aligned.slice(1..9)).is_none());
        assert!(Array::<u8>::from_little_endian(aligned.slice(1..8)).is_some());
        assert!(Array::<u64>::from_little_endian(aligned.slice(1..1)).is_some());
    }

    #[test]
    fn swapping_reverses_the_bytes_of_each_element() {
        assert_eq!(swapped(&[0x0102_0304u32, 5]), [0x0403_0201, 0x0500_0000]);
        assert_eq!(swapped(&[7u8, 8]), [7, 8]);
    }
}
