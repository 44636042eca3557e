//! Times by round and query.

use std::time::Duration;

/// In microseconds; not a number where nothing was asked or answered.
pub struct Times(Vec<Vec<f64>>);

impl Times {
    /// For so many rounds of so many queries.
    pub(crate) fn new(rounds: usize, asks: usize) -> Self {
        Self(vec![vec![f64::NAN; asks]; rounds])
    }

    pub(crate) fn set(&mut self, round: usize, index: usize, time: Duration) {
        self.0[round][index] = time.as_secs_f64() * 1e6;
    }

    /// The mean over the queries of the best time of each; not a number where there are none.
    pub fn best_us(&self) -> f64 {
        let asks = self.0.first().map_or(0, Vec::len);
        let best = (0..asks).map(|index| self.0.iter().map(|times| times[index]).reduce(f64::min));
        mean(best.flatten())
    }

    /// The median over all rounds but the first, which warms up, of the mean over these queries.
    pub fn median_us(&self, queries: &[usize]) -> Option<f64> {
        let measured = self.0.iter().skip(1);
        median(measured.map(|times| mean(queries.iter().map(|&index| times[index]))))
    }
}

/// Of those that are numbers; of two in the middle the larger.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Of those that are numbers.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values
        .filter(|value| value.is_finite())
        .fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_best_times() {
        let mut times = Times::new(4, 3);
        // The third query is never asked, and the second not in the last round.
        for (round, pair) in [[9, 9], [2, 4], [8, 6], [1, 0]].into_iter().enumerate() {
            for (index, us) in pair.into_iter().enumerate().filter(|&(_, us)| us > 0) {
                times.set(round, index, Duration::from_micros(us));
            }
        }
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-9;
        assert!(near(times.median_us(&[0, 1, 2]), 3.0));
        assert!(near(times.median_us(&[0]), 2.0));
        assert!(near(Some(times.best_us()), 2.5));
        assert_eq!(times.median_us(&[2]), None);
    }
}
