//! A hundred thousand paths at once, on all cores, in the order of the requests.

use std::time::Instant;

use portolan::generate::{Random, Rooms};
use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    let finder =
        PathFinder::new(Rooms { width: 256, height: 256, ..Rooms::default() }.generate()?)?;
    let mut random = Random::new(1);
    let mut cell = || (random.below(256), random.below(256));
    let requests: Vec<_> = (0..100_000).map(|_| (cell(), cell())).collect();

    let begun = Instant::now();
    let paths = finder.find_all(&requests)?;
    let (mut found, mut longest) = (0, 0.0_f64);
    for answer in &paths {
        match answer {
            Ok(Some(path)) => (found, longest) = (found + 1, longest.max(path.length())),
            Ok(None) => {} // no path
            Err(_) => {}   // an end is blocked; the error says which
        }
    }
    println!("{found} paths of {} in {:?}", paths.len(), begun.elapsed());
    println!("the longest is {longest:.1} cells long");
    Ok(())
}
