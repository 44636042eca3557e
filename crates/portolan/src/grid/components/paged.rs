//! A copy-on-write array in pages.
//!
//! Clones share all pages; writing to a shared page copies it. So a version of a map costs the
//! pages that it changed, and a reference for each of the others.

use std::sync::Arc;

/// Entries per page. Smaller pages are cheaper to copy, larger ones are fewer to share.
const PAGE: usize = 2048;

#[derive(Clone)]
pub(super) struct Paged<T> {
    /// All pages are full except the last, which may have spare capacity.
    pages: Vec<Arc<[T]>>,
    len: usize,
}

impl<T: Copy> Paged<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> T {
        self.pages[index / PAGE][index % PAGE]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.pages[index / PAGE])[index % PAGE]
    }

    pub(super) fn push(&mut self, value: T) {
        let (page, at) = (self.len / PAGE, self.len % PAGE);
        if at == 0 {
            self.pages.push(Arc::new([]));
        }
        let capacity = self.pages[page].len();
        if at == capacity {
            let mut grown = self.pages[page].to_vec();
            grown.resize((2 * capacity).clamp(16, PAGE), value);
            self.pages[page] = grown.into();
        }
        self.len += 1;
        *self.get_mut(self.len - 1) = value;
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let entries: usize = self.pages.iter().map(|page| page.len()).sum();
        entries * size_of::<T>() + self.pages.capacity() * size_of::<Arc<[T]>>()
    }
}

impl<T: Copy> From<Vec<T>> for Paged<T> {
    fn from(entries: Vec<T>) -> Self {
        Self { pages: entries.chunks(PAGE).map(Arc::from).collect(), len: entries.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_never_see_writes_of_others() {
        for start in [0, 1, 5, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE] {
            let mut entries: Vec<usize> = (0..start).collect();
            let mut paged = Paged::from(entries.clone());
            let held = paged.clone();
            for value in 0..PAGE + 20 {
                paged.push(value);
                entries.push(value);
            }
            for at in (0..entries.len()).step_by(7) {
                *paged.get_mut(at) += 1;
                entries[at] += 1;
            }
            assert_eq!(paged.len(), entries.len());
            assert!((0..entries.len()).all(|at| paged.get(at) == entries[at]));
            assert!((0..start).all(|at| held.get(at) == at) && held.len() == start);
        }
    }
}
