//! What `portolan reproduce` takes: a paper, and how large the experiment is.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    #[command(subcommand)]
    pub(crate) paper: Paper,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Paper {
    /// Partially Precomputed A*: Figures 12 to 16, Table I, 100 edge deletions
    #[command(
        long_about = "Repeat the experiments of the paper on Partially Precomputed A*.\n\n\
            Figures 12 to 16 on road networks of 11 thousand to 200 thousand nodes, Table I on a room map of \
            512 x 512 cells, and 100 random edge deletions. Every path is walked and compared with A*. The \
            report is one HTML page that stands alone; the same as Markdown is written beside it.",
        after_help = "Examples:\n  portolan reproduce ppa\n  \
            portolan reproduce ppa --maps ~/maps -o ppa.html\n  \
            portolan reproduce ppa --quick\n\n\
            Times are worth something only if the machine does nothing else.\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Ppa(ExperimentArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ExperimentArgs {
    /// The folder with real maps (rooms/8room_000.map, roads/luxembourg-*.gr with luxembourg.co); where
    /// they are missing, generated maps take their place
    #[arg(long, value_name = "DIR", env = "PORTOLAN_MAPS", hide_env_values = true)]
    #[arg(default_value = "../shared/maps")]
    pub(crate) maps: PathBuf,
    /// The report, an .html file; the .md is written beside it
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
    /// Small maps and few queries: everything once, in seconds, with nothing to compare
    #[arg(long)]
    pub(crate) quick: bool,
    /// At most so many searches on each map [paper: 1000 on roads, 291 on rooms]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) queries: Option<u32>,
    /// What generated maps, searches and deletions are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The date that the report bears [default: today]
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
}
