//! A road network: lengths in kilometres, distances between depots and customers in the unit of
//! the map, and the path of one delivery.

use portolan::generate::Roads;
use portolan::prelude::*;

fn main() -> Result<(), portolan::Error> {
    // Your own network: edges with lengths, here in kilometres, kept to the metre.
    let bridges = CsrGraph::from_lengths(3, [(0, 1, 1.25), (1, 0, 1.25), (1, 2, 0.4)], 1000)?;
    let mut finder = PathFinder::new(&bridges)?;
    println!("from 0 to 2: {:?} km", finder.find(0, 2)?.map(|path| path.length()));
    println!("from 2 to 0: {:?}", finder.find(2, 0)?); // one way only

    // A larger one, as `portolan::formats::open("roads.gr")` would read it from a file.
    let mut finder = PathFinder::new(Roads { nodes: 2000, ..Roads::default() }.generate()?)?;
    let (depots, customers) = ([3, 1900], [17, 404, 1100, 1750]);
    for (depot, row) in depots.iter().zip(finder.matrix(&depots, &customers)?) {
        let lengths = row.iter().map(|cost| cost.map(|cost| finder.map().length(cost)));
        println!("from depot {depot}: {:?}", lengths.collect::<Vec<_>>());
    }
    let path = finder.find(depots[0], customers[1])?.expect("all roads are connected");
    println!("{} junctions: {:?}", path.nodes().len(), path.nodes().collect::<Vec<_>>());
    Ok(())
}
