//! Batches: the order of their queries, several of them interleaved, and what paths share.

pub(crate) mod interleaved;
pub(crate) mod order;
pub(crate) mod shared_paths;
