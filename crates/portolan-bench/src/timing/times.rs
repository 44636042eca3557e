//! Times, by query and by round.

use std::time::Duration;

/// Times of one kind.
#[derive(Debug, Clone, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Adds one.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// In the order in which they were added.
    pub fn all(&self) -> &[Duration] {
        &self.0
    }

    /// The mean, in microseconds.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.0.iter().map(micros).sum();
        (!self.0.is_empty()).then(|| sum / self.0.len() as f64)
    }

    /// The time that this share of them does not exceed, in microseconds.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).map(micros)
    }
}

impl FromIterator<Duration> for Times {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        Self(times.into_iter().collect())
    }
}

/// Times of queries that are repeated round after round. A query may be left out of a round.
#[derive(Debug, Default)]
pub(crate) struct Rounds(Vec<Vec<Option<Duration>>>);

impl Rounds {
    pub(super) fn set(&mut self, round: usize, query: usize, time: Duration) {
        if self.0.len() <= round {
            self.0.resize_with(round + 1, Vec::new);
        }
        let times = &mut self.0[round];
        if times.len() <= query {
            times.resize(query + 1, None);
        }
        times[query] = Some(time);
    }

    /// The best time of every query that was timed, in the order of the queries.
    pub(crate) fn best(&self) -> Times {
        let queries = self.0.iter().map(Vec::len).max().unwrap_or(0);
        (0..queries).filter_map(|query| self.of(query).min()).collect()
    }

    /// The best time of one query.
    pub(crate) fn best_of(&self, query: usize) -> Option<Duration> {
        self.of(query).min()
    }

    /// The median over the rounds of the mean over these queries, in microseconds.
    #[cfg(any(feature = "peers", test))]
    pub(crate) fn median_us(&self, queries: &[usize]) -> Option<f64> {
        let times = |round: &Vec<Option<Duration>>| {
            queries.iter().filter_map(|&query| *round.get(query)?).collect::<Times>().mean()
        };
        let mut means: Vec<f64> = self.0.iter().filter_map(times).collect();
        means.sort_by(f64::total_cmp);
        // Of two in the middle the larger.
        means.get(means.len() / 2).copied()
    }

    /// The mean over the first queries of the median over their rounds, in microseconds: what
    /// interrupts a query once does not count.
    pub(crate) fn mean_of_medians_us(&self, queries: usize) -> Option<f64> {
        let medians = (0..queries).filter_map(|query| {
            let mut times: Vec<Duration> = self.of(query).collect();
            times.sort_unstable();
            // Of two in the middle the larger.
            times.get(times.len() / 2).copied()
        });
        medians.collect::<Times>().mean()
    }

    fn of(&self, query: usize) -> impl Iterator<Item = Duration> {
        self.0.iter().filter_map(move |round| *round.get(query)?)
    }
}

/// In microseconds.
pub fn micros(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_ranks() {
        let times: Times = (1..=200).rev().map(Duration::from_micros).collect();
        assert_eq!(times.quantile(0.5).map(f64::round), Some(100.0));
        assert_eq!(times.quantile(0.99).map(f64::round), Some(198.0));
        assert_eq!(times.mean().map(|mean| (mean * 10.0).round()), Some(1005.0));
        assert_eq!((Times::default().quantile(0.5), Times::default().mean()), (None, None));
    }

    #[test]
    fn medians_and_best_times() {
        let mut rounds = Rounds::default();
        // The third query is never timed, and the second not in the last round.
        for (round, pair) in [[2, 4], [8, 6], [1, 0]].into_iter().enumerate() {
            for (query, us) in pair.into_iter().enumerate().filter(|&(_, us)| us > 0) {
                rounds.set(round, query, Duration::from_micros(us));
            }
        }
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-9;
        assert!(near(rounds.median_us(&[0, 1, 2]), 3.0));
        assert!(near(rounds.median_us(&[0]), 2.0));
        assert!(near(rounds.best().mean(), 2.5));
        assert_eq!(rounds.median_us(&[2]), None);
        assert!(near(rounds.mean_of_medians_us(1), 2.0));
        assert!(near(rounds.mean_of_medians_us(3), 4.0));
    }
}
