//! Tests that count what the global allocator hands out. They run one at a time: each begins with
//! [`portolan_testkit::allocator::alone`].

#[cfg(feature = "metis")]
mod atlas;
mod damaged_index;
mod landmarks;

#[global_allocator]
static ALLOCATOR: portolan_testkit::allocator::Counting = portolan_testkit::allocator::Counting;
