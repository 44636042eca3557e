//! The options of `portolan reproduce`.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use portolan_bench::experiments::{Extent, Kind, Options, Part, Study};

use super::values::whole;

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    #[command(subcommand)]
    pub(crate) study: StudyArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StudyArgs {
    /// Partially Precomputed A*: Figures 12 to 16, Table I, 100 edge deletions
    #[command(
        long_about = "Repeat the experiments of the paper on Partially Precomputed A*.\n\n\
            Figures 12 to 16 on road networks of 11 thousand to 200 thousand nodes, Table I on a room map of \
            512 x 512 cells, and 100 random edge deletions. Every path is walked and compared with A*. The \
            report is one self-contained HTML page, with a Markdown version beside it.",
        after_help = "Examples:\n  portolan reproduce ppa\n  \
            portolan reproduce ppa --maps ~/maps -o ppa.html\n  \
            portolan reproduce ppa --quick\n\n\
            Times are meaningful only on an idle machine.\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Ppa(TrialArgs),
    /// Landmarks: expanded nodes and time with and without them, by number and placement
    #[command(
        long_about = "Measure what landmarks save on the kinds of map that Red Blob Games' page on differential \
            heuristics shows: Dragon Age, mazes and caves, with four moves as there and with eight.\n\n\
            A* without landmarks and with 1 to 16 of them, for every placement, and with compressed tables: expanded nodes, \
            times, and pictures of the searched areas. Every path is walked and its cost \
            compared. The report is one self-contained HTML page, with a Markdown version beside it.",
        after_help = "Examples:\n  portolan reproduce landmarks -o landmarks.html\n  \
            portolan reproduce landmarks --maps ~/maps --queries 50\n  \
            portolan reproduce landmarks --quick\n\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Landmarks(TrialArgs),
    /// Portal-based true-distance heuristics: Tables 1 to 4, Figure 4
    #[command(
        long_about = "Repeat the experiments of the paper on portal-based true-distance heuristics.\n\n\
            Rooms, mazes and a map of Baldur's Gate; the differential, canonical, border, gateway and portal \
            heuristics, Portal-Based Search and the perfect portal heuristic with memory from |V| / 64 to 16 |V|. \
            Every path is walked and compared with A*. The report is one self-contained HTML page, with a Markdown \
            version beside it.",
        after_help = "Examples:\n  portolan reproduce portals\n  \
            portolan reproduce portals --maps ~/maps -o portals.html\n  \
            portolan reproduce portals --count 1\n  \
            portolan reproduce portals --quick\n\n\
            Five maps of each kind take half an hour. Times are meaningful only on an idle machine.\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Portals(PortalsArgs),
    /// How `atlas` grows: larger maps, smaller memory limits, more threads
    #[command(
        long_about = "Measure how `atlas` grows with the map, what smaller memory limits cost and what more threads bring.\n\n\
            Sizes: generated grids from 512 x 512 cells up, each side twice as long as the one before, and road networks from 50 \
            thousand nodes up, under the default memory limit: build time, peak memory, size of the index, distances and \
            full paths. Exponents are fitted by least squares on logarithms.\n\
            Limits: a map of each kind under 1 to 32 bytes a cell and, with --maps, every real map under 4 to 128 MiB.\n\
            Threads: batches and builds on 1 to 64 threads, as far as the machine has as many, beside a loop that only computes.\n\n\
            Every path is walked, and 50 costs on each map are compared with Dijkstra's algorithm or A*. A map that is \
            refused is a row that says so. The report is one self-contained HTML page, with a Markdown version and the \
            plots as SVG beside it. --page puts tables and plots into a Markdown page of your own, between a line \
            `<!-- figures: Sizes -->` and a line `<!-- end of figures -->`, and so for every other section.",
        after_help = "Examples:\n  portolan reproduce growth -o growth.html\n  \
            portolan reproduce growth --largest 2048 --largest-roads 500000\n  \
            portolan reproduce growth --parts threads --kinds rooms,roads\n  \
            portolan reproduce growth --quick\n\n\
            The largest maps take hours on two cores and up to 20 GiB of memory; --parts and --kinds split the run.\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Growth(GrowthArgs),
    /// HPA*, DHPA* and SHPA*: Figures 5 to 7
    #[command(
        long_about = "Repeat the experiments of the paper on DHPA* and SHPA*.\n\n\
            On the 120 maps of Baldur's Gate: build time by cluster size; search time and path length \
            by the length of the shortest path; and the total time of builds and searches while obstacles of 2 x 2 \
            cells move over a fiftieth of the map, also with `shpa`, `atlas`, `ppa`, `differential` and A* on some maps. \
            Every path is walked and compared with A*. The report is one self-contained HTML page, with a Markdown version and the \
            plots as SVG beside it.",
        after_help = "Examples:\n  portolan reproduce dhpa\n  \
            portolan reproduce dhpa --maps ~/maps -o dhpa.html\n  \
            portolan reproduce dhpa --quick\n\n\
            Takes a minute or two. Times are meaningful only on an idle machine.\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Dhpa(TrialArgs),
    /// A* on the GPU: Table 1, Figures 5 to 10, batches of up to a million agents
    #[command(
        long_about = "Repeat the experiments of the paper on A* for graphics processors, and go past them.\n\n\
            All pairs on the maps of Table 1 with one agent per invocation, pre-calculated paths and several invocations per \
            agent; two maps of 140 x 130 cells and an open one with the hierarchy, clusters of 10 to 25 and up to 1,600 \
            agents; then every engine of the GPU with 10 thousand agents to a million, also on real maps of 512 x 512 cells if \
            --maps names their folder. Beside each engine stands its counterpart on all cores of the CPU. Every path is walked \
            and its cost compared. The report is one HTML page that stands alone; the same as Markdown and the plots as SVG \
            are written beside it.\n\n\
            It needs a GPU, or a software driver, on which --quick takes less than a minute; see `portolan gpu`.",
        after_help = "Examples:\n  portolan reproduce gpu -o gpu.html\n  \
            portolan reproduce gpu --maps ~/maps\n  \
            portolan reproduce gpu --agents 10000\n  \
            portolan reproduce gpu --quick\n\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Gpu(GpuStudyArgs),
}

impl StudyArgs {
    /// The experiment.
    pub(crate) fn study(&self) -> Study {
        match self {
            Self::Ppa(_) => Study::Ppa,
            Self::Landmarks(_) => Study::Landmarks,
            Self::Portals(_) => Study::Portals,
            Self::Growth(_) => Study::Growth,
            Self::Dhpa(_) => Study::Dhpa,
            Self::Gpu(_) => Study::Gpu,
        }
    }

    /// The options of an experiment on real maps.
    pub(crate) fn trial(&self) -> Option<&TrialArgs> {
        match self {
            Self::Ppa(args) | Self::Landmarks(args) | Self::Dhpa(args) => Some(args),
            Self::Portals(args) => Some(&args.trial),
            Self::Growth(_) | Self::Gpu(_) => None,
        }
    }

    /// The folder with real maps that was named, unless maps are to be generated.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Growth(args) => args.maps.as_deref(),
            Self::Gpu(args) => args.maps.as_deref(),
            _ => self.trial().and_then(TrialArgs::folder),
        }
    }

    /// The Markdown page that takes tables and plots.
    pub(crate) fn page(&self) -> Option<&Path> {
        if let Self::Growth(args) = self { args.page.as_deref() } else { None }
    }

    /// The options that all have.
    pub(crate) fn report(&self) -> &ReportArgs {
        match self {
            Self::Growth(args) => &args.report,
            Self::Gpu(args) => &args.report,
            Self::Ppa(args) | Self::Landmarks(args) | Self::Dhpa(args) => &args.report,
            Self::Portals(args) => &args.trial.report,
        }
    }

    /// How large the experiment is.
    pub(crate) fn options<'a>(&'a self, stem: &'a str) -> Options<'a> {
        let (trial, report) = (self.trial(), self.report());
        Options {
            maps: self.folder(),
            quick: report.quick,
            seed: report.seed,
            queries: match self {
                Self::Gpu(args) => args.agents,
                _ => trial.and_then(|trial| trial.queries),
            },
            count: if let Self::Portals(args) = self { args.count } else { None },
            growth: if let Self::Growth(args) = self { args.extent() } else { Extent::default() },
            stem,
        }
    }

    /// The command that repeats the experiment, for its report.
    pub(crate) fn command(&self) -> String {
        let (report, mut words) = (self.report(), String::from("portolan reproduce "));
        words += match self {
            Self::Ppa(_) => "ppa",
            Self::Landmarks(_) => "landmarks",
            Self::Portals(_) => "portals",
            Self::Growth(_) => "growth",
            Self::Dhpa(_) => "dhpa",
            Self::Gpu(_) => "gpu",
        };
        if report.quick {
            words += " --quick";
        }
        if let Some(trial) = self.trial() {
            words += if trial.generated { " --generated" } else { "" };
            words +=
                &trial.queries.map_or(String::new(), |queries| format!(" --queries {queries}"));
        }
        match self {
            Self::Portals(PortalsArgs { count: Some(count), .. }) => {
                words += &format!(" --count {count}");
            }
            Self::Gpu(GpuStudyArgs { agents: Some(agents), .. }) => {
                words += &format!(" --agents {agents}");
            }
            Self::Growth(args) => words += &args.words(),
            _ => {}
        }
        format!("{words} --seed {}", report.seed)
    }
}

/// What experiments on real maps take.
#[derive(Debug, Args)]
pub(crate) struct TrialArgs {
    /// The folder of real maps; missing ones are replaced by generated maps. Reads
    /// rooms/8room_000.map and roads/luxembourg-*.gr with luxembourg.co (ppa); dao, mazes and da2
    /// (landmarks); bgmaps/AR0012SR.map (portals); bgmaps/*.map (dhpa)
    #[arg(long, value_name = "DIR", env = "PORTOLAN_MAPS", hide_env_values = true)]
    pub(crate) maps: Option<PathBuf>,
    /// Use generated maps only; their figures cannot be compared with published ones
    #[arg(long)]
    pub(crate) generated: bool,
    /// Maximum number of searches on each map [default: as in the paper: 1000 on roads and 291 on
    /// rooms (ppa), 1000 (portals); 200 (landmarks, dhpa)]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) queries: Option<u32>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

impl TrialArgs {
    /// The folder with real maps, unless maps are to be generated.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.maps.as_deref().filter(|_| !self.generated)
    }
}

#[derive(Debug, Args)]
pub(crate) struct PortalsArgs {
    #[command(flatten)]
    pub(crate) trial: TrialArgs,
    /// Number of room maps, and of mazes [paper: 5]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100))]
    pub(crate) count: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct GrowthArgs {
    /// Side of the largest grid, in cells
    #[arg(long, value_name = "CELLS", default_value_t = 8192, conflicts_with = "quick")]
    #[arg(value_parser = whole::<u32>(512..=32768))]
    pub(crate) largest: u32,
    /// Nodes of the largest road network
    #[arg(long, value_name = "N", default_value_t = 4_000_000, conflicts_with = "quick")]
    #[arg(value_parser = whole::<u32>(50_000..=32_000_000))]
    pub(crate) largest_roads: u32,
    #[arg(long, value_name = "PARTS", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = named(Part::ALL, Part::name))]
    #[arg(help = format!("Parts of the experiment, separated by commas: {}", list(Part::ALL.map(Part::name))))]
    pub(crate) parts: Vec<Part>,
    #[arg(long, value_name = "KINDS", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = named(Kind::ALL, Kind::name))]
    #[arg(help = format!("Kinds of generated maps, separated by commas: {}", list(Kind::ALL.map(Kind::name))))]
    pub(crate) kinds: Vec<Kind>,
    /// The folder with real maps, which --quick leaves out: all .map and .gr files in it are built
    /// under six limits
    #[arg(long, value_name = "DIR", env = "PORTOLAN_MAPS", hide_env_values = true)]
    pub(crate) maps: Option<PathBuf>,
    /// A Markdown page whose tables and plots are replaced; drawings go to the folder `images`
    /// beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

impl GrowthArgs {
    fn extent(&self) -> Extent {
        /// All, where none is named.
        fn or_all<T: Copy>(named: &[T], all: &[T]) -> Vec<T> {
            if named.is_empty() { all.to_vec() } else { named.to_vec() }
        }
        Extent {
            parts: or_all(&self.parts, &Part::ALL),
            kinds: or_all(&self.kinds, &Kind::ALL),
            side: self.largest,
            nodes: self.largest_roads,
        }
    }

    /// The options, for the command that repeats the experiment.
    fn words(&self) -> String {
        let mut words = String::new();
        if !self.report.quick {
            words += &format!(" --largest {} --largest-roads {}", self.largest, self.largest_roads);
            words += if self.maps.is_some() { " --maps DIR" } else { "" };
        }
        let parts: Vec<&str> = self.parts.iter().map(|part| part.name()).collect();
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        for (option, names) in [("--parts", parts), ("--kinds", kinds)] {
            if !names.is_empty() {
                words += &format!(" {option} {}", names.join(","));
            }
        }
        words
    }
}

/// Reads one of these by its name.
fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).try_map(move |word| {
        all.into_iter().find(|&one| name(one) == word).ok_or("a name of the list is expected")
    })
}

fn list<const N: usize>(names: [&str; N]) -> String {
    format!("{} [default: all]", names.join(", "))
}

#[derive(Debug, Args)]
pub(crate) struct GpuStudyArgs {
    /// The folder with real maps, which --quick leaves out. Used are: bg512/AR0072SR.map,
    /// mazes/maze512-8-0.map, random/random512-10-0.map, rooms/8room_000.map
    #[arg(long, value_name = "DIR", env = "PORTOLAN_MAPS", hide_env_values = true)]
    pub(crate) maps: Option<PathBuf>,
    /// Agents of the largest batch [default: 1000000]
    #[arg(long, value_name = "N", conflicts_with = "quick")]
    #[arg(value_parser = whole::<u32>(200..=100_000_000))]
    pub(crate) agents: Option<u32>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// What every experiment takes.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The report, an .html file; its .md is written beside it
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
    /// Small maps and few queries: a trial run in seconds, whose figures mean nothing
    #[arg(long)]
    pub(crate) quick: bool,
    /// Seed of generated maps, searches and edits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// The date in the report [default: today]
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
}
