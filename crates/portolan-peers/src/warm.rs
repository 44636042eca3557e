//! Times with warm caches: one contestant alone, asked everything again and again.

use std::hint::black_box;
use std::time::Instant;

use crate::contestant::Contestant;
use crate::times::median;
use crate::{Ask, Subject};

/// The mean times of one contestant in microseconds: of five passes over all queries, after one
/// that does not count, the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warm {
    /// Of a full path.
    pub path_us: f64,
    /// Of a distance alone, where the contestant finds one.
    pub distance_us: Option<f64>,
}

impl Warm {
    /// Asks all queries in their order, six times for paths and six times for distances. Answers
    /// are not looked at.
    pub fn measure(subject: &Subject, contestant: &mut dyn Contestant) -> Self {
        let path_us = median_pass_us(subject, |ask| {
            let _ = black_box(contestant.find(ask.from, ask.to));
        });
        let first = subject.asks.first();
        let tells = first.is_some_and(|ask| contestant.distance(ask.from, ask.to).is_some());
        let distance_us = tells.then(|| {
            median_pass_us(subject, |ask| {
                let _ = black_box(contestant.distance(ask.from, ask.to));
            })
        });
        Self { path_us, distance_us }
    }
}

/// A pass is timed as a whole, so that reading the clock takes no part of it.
fn median_pass_us(subject: &Subject, mut ask_one: impl FnMut(&Ask)) -> f64 {
    const PASSES: usize = 5;
    let mut pass = || {
        let start = Instant::now();
        subject.asks.iter().for_each(&mut ask_one);
        start.elapsed().as_secs_f64() * 1e6 / subject.asks.len() as f64
    };
    pass();
    median((0..PASSES).map(|_| pass())).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestant::Found;
    use portolan::{Grid, Map, NodeId};

    /// Finds nothing, and counts how often it is asked for paths and for distances.
    struct Asked {
        counts: [usize; 2],
        tells: bool,
    }

    impl Contestant for Asked {
        fn name(&self) -> &str {
            "asked"
        }

        fn find(&mut self, _: NodeId, _: NodeId) -> Found {
            self.counts[0] += 1;
            Ok(None)
        }

        fn path(&self) -> Vec<NodeId> {
            Vec::new()
        }

        fn distance(&mut self, _: NodeId, _: NodeId) -> Option<Found> {
            self.counts[1] += 1;
            self.tells.then_some(Ok(None))
        }
    }

    #[test]
    fn warm_times_are_of_all_queries_six_times_over() {
        let map = Map::from(Grid::new(3, 1).unwrap());
        let asks = vec![Ask::new(0, 1, None), Ask::new(1, 2, None)];
        let subject = Subject { name: "test".into(), map, asks, unusable: 0 };
        for (tells, counts) in [(true, [12, 13]), (false, [12, 1])] {
            let mut asked = Asked { counts: [0; 2], tells };
            let warm = Warm::measure(&subject, &mut asked);
            assert!(warm.path_us.is_finite());
            assert_eq!((warm.distance_us.is_some(), asked.counts), (tells, counts));
        }
    }
}
