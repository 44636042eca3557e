//! The random numbers that METIS draws: ours, from one source for each thread.
//!
//! METIS draws through three functions of GKlib, a library that comes with it, where they pass on
//! to C's global `rand`. The same three are defined here. They are linked before the archive that
//! METIS is, and an archive is opened only for what is still missing, so METIS draws from here:
//! calls in different threads leave each other alone, and the numbers are the same on every system.
//! Nothing but METIS knows these names.
//!
//! A program can be linked in other ways, with METIS from a shared library for one. [`turn`] takes
//! nothing for granted: it sees whether the first call was served from here, and if not, calls take
//! turns as C's `rand` demands.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::random::Random;

/// Held for writing by calls that must be alone, for reading by the others.
static CALLS: RwLock<()> = RwLock::new(());

/// Whether METIS draws from here; known after the first call.
static OURS: OnceLock<bool> = OnceLock::new();

thread_local! {
    /// Where the numbers of this thread go on; `None` until METIS sets a seed.
    static SOURCE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs a call of METIS, side by side with others unless it asks to be `alone`. It must set its
/// seed.
pub(super) fn turn<T>(alone: bool, call: impl FnOnce() -> T) -> T {
    if !alone && OURS.get() == Some(&true) {
        let _reading = CALLS.read().unwrap_or_else(PoisonError::into_inner);
        return call();
    }
    let _writing = CALLS.write().unwrap_or_else(PoisonError::into_inner);
    // Whoever asks for METIS also asks for these, so that they are linked with whatever calls it.
    black_box((
        gk_randinit as extern "C" fn(u64),
        gk_randint32 as extern "C" fn() -> u32,
        gk_randint64 as extern "C" fn() -> u64,
    ));
    SOURCE.set(None);
    let result = call();
    OURS.get_or_init(|| SOURCE.get().is_some());
    result
}

fn bits() -> u64 {
    let mut random = Random::new(SOURCE.get().unwrap_or_default());
    let bits = random.bits();
    SOURCE.set(Some(random.state()));
    bits
}

// SAFETY (all three): the names are GKlib's own, with its own signatures, and stand for what it
// says they do. No other symbol that a program may link has them, unless it holds a second GKlib,
// which then draws from here too.

/// Sets the seed.
#[unsafe(no_mangle)]
extern "C" fn gk_randinit(seed: u64) {
    SOURCE.set(Some(seed));
}

/// A number of 31 bits, as C's `rand` gives: METIS takes it for a signed one.
#[unsafe(no_mangle)]
extern "C" fn gk_randint32() -> u32 {
    (bits() >> 33) as u32
}

/// A number of 63 bits.
#[unsafe(no_mangle)]
extern "C" fn gk_randint64() -> u64 {
    bits() >> 1
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::OURS;
    use crate::Map;
    use crate::generate::Rooms;
    use crate::partition::{Partitioner, Topology};

    /// The crate builds METIS from its sources, so here calls never have to take turns.
    #[test]
    fn cuts_in_many_threads_are_those_in_one() {
        let grid = Rooms { width: 80, height: 60, room: 8, ..Rooms::default() }.generate().unwrap();
        let topology = Topology::of_map(&Map::from(grid)).unwrap();
        let cut =
            |seed| Partitioner { seed, ..Partitioner::default() }.separate(&topology).unwrap();
        let expected: Vec<_> = (0..40).map(cut).collect();
        assert_eq!(OURS.get(), Some(&true));
        assert!((0..40).into_par_iter().map(cut).collect::<Vec<_>>() == expected);
        assert!(expected[1..].iter().any(|other| *other != expected[0]), "seeds do not matter");
    }
}
