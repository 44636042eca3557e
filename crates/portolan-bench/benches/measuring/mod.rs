//! What benchmarks share: the options of a run, and medians.

use std::time::Duration;

use clap::Args;

/// Which maps to measure, and how often.
#[derive(Args)]
pub(crate) struct Extent {
    /// Only maps whose folder and name contain this, for example `rooms/8room`
    #[arg(long)]
    pub(crate) maps: Option<String>,
    /// Number of pairs per map and round
    #[arg(long)]
    pub(crate) pairs: Option<usize>,
    /// Number of rounds
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Added by Cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// The median of these times in microseconds, divided by a number of queries.
pub(crate) fn median_us(mut times: Vec<Duration>, queries: usize) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6 / queries.max(1) as f64
}
