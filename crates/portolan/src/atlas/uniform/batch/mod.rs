//! Batches: `order` sorts the queries, `interleaved` runs several at once, and `shared_paths`
//! copies what their paths have in common.

pub(crate) mod interleaved;
pub(crate) mod order;
pub(crate) mod shared_paths;
