//! Maps and scenarios made from a seed.

mod random;

pub use random::Random;
