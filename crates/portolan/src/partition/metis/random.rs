//! The random numbers of METIS: generated here, one sequence per thread.
//!
//! METIS draws through three functions of the bundled library GKlib, which forward to C's global
//! `rand`. This file defines the same three functions. They are linked before METIS's archive, and
//! a linker takes from an archive only what is still missing, so METIS calls these. Calls in
//! different threads are then independent, and the numbers are the same on every system. Only METIS
//! uses these names.
//!
//! A program may be linked differently, for example with METIS as a shared library. So [`turn`]
//! checks whether the first call used these functions. If not, calls exclude each other, as C's
//! `rand` requires.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::random::Random;

/// Locked for writing by calls that must run alone, for reading by all others.
static CALLS: RwLock<()> = RwLock::new(());

/// Whether METIS uses these functions; known after the first call.
static OURS: OnceLock<bool> = OnceLock::new();

thread_local! {
    /// The state of this thread's sequence; `None` until METIS sets a seed.
    static SOURCE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs a call of METIS, in parallel with others unless it must run `alone`. The call must set its
/// seed.
pub(super) fn turn<T>(alone: bool, call: impl FnOnce() -> T) -> T {
    if !alone && OURS.get() == Some(&true) {
        let _reading = CALLS.read().unwrap_or_else(PoisonError::into_inner);
        return call();
    }
    let _writing = CALLS.write().unwrap_or_else(PoisonError::into_inner);
    // Code that references METIS then also references these, so they are linked with it.
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

// SAFETY (all three): the names and signatures are those of GKlib, and the functions do what GKlib
// documents. No other linked symbol has these names, except in a second GKlib, which then uses
// these functions too.

/// Sets the seed.
#[unsafe(no_mangle)]
extern "C" fn gk_randinit(seed: u64) {
    SOURCE.set(Some(seed));
}

/// A number of 31 bits, like C's `rand`: METIS converts it to a signed integer.
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

    /// The crate builds METIS from its sources, so calls never have to exclude each other here.
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
