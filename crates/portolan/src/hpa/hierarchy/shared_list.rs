//! A list whose clones share their common entries.
//!
//! Cloning a list of references increments every reference count, which on a large map takes longer
//! than refreshing the cluster that an edit changed. Here references are grouped into pages and a
//! clone counts pages; replacing a reference copies its page.

use std::ops::Index;
use std::sync::Arc;

/// References per page.
const PAGE: usize = 64;

pub(crate) struct SharedList<T> {
    /// All full except the last.
    pages: Vec<Arc<[Arc<T>]>>,
    len: usize,
}

impl<T> SharedList<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        Some(&**self.pages.get(index / PAGE)?.get(index % PAGE)?)
    }

    /// Replaces an entry; clones keep the old one.
    pub(crate) fn set(&mut self, index: usize, entry: Arc<T>) {
        Arc::make_mut(&mut self.pages[index / PAGE])[index % PAGE] = entry;
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        (0..self.len).map(|index| &self[index])
    }

    /// The size of a list of this many entries, without the entries.
    pub(crate) fn bytes(len: usize) -> usize {
        len * size_of::<Arc<T>>() + len.div_ceil(PAGE) * size_of::<Arc<[Arc<T>]>>()
    }
}

impl<T> Index<usize> for SharedList<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.pages[index / PAGE][index % PAGE]
    }
}

impl<T> From<Vec<Arc<T>>> for SharedList<T> {
    fn from(entries: Vec<Arc<T>>) -> Self {
        Self { pages: entries.chunks(PAGE).map(Arc::from).collect(), len: entries.len() }
    }
}

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> Self {
        Self { pages: self.pages.clone(), len: self.len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_do_not_see_what_is_replaced() {
        let list = SharedList::from((0..150).map(Arc::new).collect::<Vec<_>>());
        let mut clone = list.clone();
        clone.set(149, Arc::new(7));
        assert!(list.iter().copied().eq(0..150) && list[149] == 149 && clone[149] == 7);
        assert_eq!((clone.get(148), clone.get(150), clone.len()), (Some(&148), None, 150));
    }
}
