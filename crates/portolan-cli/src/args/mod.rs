//! The command line: every command, option and explanation, as clap reads them.

mod bounds;
mod generate;
mod map;
mod reproduce;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use portolan::Settings;
use portolan_bench::workload::{Place, Wanted};

pub(crate) use generate::{
    ArenaArgs, GenerateArgs, GridArgs, MapKind, OutputArgs, Product, SwitchArgs,
};
pub(crate) use map::{MapArgs, MapOptions};
pub(crate) use reproduce::{ReproduceArgs, StudyArgs, TrialArgs};
pub(crate) use values::Memory;
use values::whole;

/// Exact shortest paths on grids and road networks.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    subcommand_required = true,
    long_about = "Exact shortest paths on grids and road networks.\n\n\
        Reads MovingAI .map, DIMACS .gr, PNG pictures and drawings. Answers queries with any engine, \
        verifies the answers and measures the time. Start with `portolan demo`.",
    after_help = format!(
        "{}\nExit codes: 0 done, 1 wrong answers found, 2 bad input, 130 interrupted.\n\
        `portolan help COMMAND` explains a command and gives examples.",
        crate::which_engine::help()
    )
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what Portolan does: maps, engines, checked paths, a page of pictures
    #[command(
        long_about = "Show what Portolan does, in a few seconds.\n\n\
            Generates three maps, builds four engines on each, runs the same queries on all of them, checks \
            every path step by step and against a reference search, and prints the time and memory of each engine. Then it \
            edits a map and moves a crowd. Writes one HTML page with pictures, and keeps the maps and pictures beside it.",
        after_help = "Examples:\n  portolan demo\n  portolan demo --all\n  portolan demo -o /tmp/maps --queries 1000"
    )]
    Demo(DemoArgs),
    /// Generate a map from a seed, and queries with their answers
    #[command(
        long_about = "Generate a map from a seed, and queries with their answers.\n\n\
            The same settings give the same bytes on every machine. Grids are written as MovingAI .map, \
            their queries as .scen with optimal lengths; road networks as DIMACS .gr with \
            coordinates (.co) and queries (.queries) beside them. `arena` and `switch` are scenarios whose map changes, for \
            `portolan replay`: a .scen of version 2 with its patches (.patch) beside it. In `arena` obstacles move; \
            `switch` replaces whole maps, given as files.",
        after_help = "Examples:\n  \
            portolan generate rooms --size 512 --room 8 --seed 1 -o rooms.map --queries 1000\n  \
            portolan generate maze --size 300x200 --corridor 3 -o maze.map\n  \
            portolan generate roads --nodes 20000 -o roads.gr\n  \
            portolan generate arena --seed 1 -o arena.scen\n  \
            portolan generate switch rooms.map maze.map -o switch.scen"
    )]
    Generate(GenerateArgs),
    /// Describe a map: size, components, terrain, and which engines support it
    #[command(
        long_about = "Describe a map.\n\n\
            Prints its kind and size, passable cells or nodes and edges, connected components, terrain or \
            coordinates, and memory; which form `atlas` chooses within --memory, and why; and all engines, \
            with the reason if one does not support the map.",
        after_help = "Examples:\n  portolan info rooms.map\n  portolan info rooms.map --moves hex --json\n  \
            portolan info roads.gr --coordinates roads.co"
    )]
    Info(InfoArgs),
    /// Recommend an engine: measure the candidates on your map for a few seconds
    #[command(
        long_about = "Recommend an engine for a map.\n\n\
            Builds the candidates and runs the same queries and the same edits on all of them. Each edit blocks \
            the middle of a path that is queried right after it. Prints build time, memory, the median time of a full path, and \
            the mean times of an edit and of the first path after it. Then recommends an engine for a static map, rare edits, \
            edits in every frame, little memory, crowds, and near-optimal paths, and shows how to use it.\n\n\
            Queries come from --scen, from the scenario beside the map (MAP.scen, or NAME.queries for NAME.gr), or are random with \
            --seed. The numbers of queries and edits depend on the size of the map and on --seconds, never on the clock. A build that \
            exceeds its share of the time is cancelled and listed as such. A slow engine runs only the first queries, and the table \
            shows how many. Every path is walked and its cost compared, as in `verify`.",
        after_help = "Examples:\n  portolan recommend rooms.map\n  \
            portolan recommend roads.gr --coordinates roads.co --seconds 30\n  \
            portolan recommend town.png --scen town.scen --memory 16MiB\n\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Recommend(RecommendArgs),
    /// Build an engine and save it in an index file
    #[command(
        long_about = "Build an engine and save it in an index file.\n\n\
            `query` and `bench` open it with --index in milliseconds, whatever its size. The file is valid only for \
            this map with these options. It replaces an old file only when it is complete, so an \
            interrupted build leaves the old file unchanged. The same map and options give the same bytes \
            with any number of threads.",
        after_help = "Examples:\n  portolan build rooms.map -o rooms.index\n  \
            portolan build roads.gr --coordinates roads.co -o roads.index --memory 1GiB\n  \
            portolan query rooms.map --index rooms.index --from 3,4 --to 200,17"
    )]
    Build(BuildArgs),
    /// Verify an index file, and with its map a sample of its answers
    #[command(
        long_about = "Verify an index file.\n\n\
            Opening an index reads only parts of it; this command reads all of it and compares every checksum. \
            Given the map and the options of the build, it also opens the index for that map and compares \
            a sample of its paths with Dijkstra's algorithm.",
        after_help = "Examples:\n  portolan check-index rooms.index\n  \
            portolan check-index rooms.index rooms.map\n\n\
            Exit code 2 if the index is damaged or belongs to another map, 1 on wrong answers."
    )]
    CheckIndex(CheckIndexArgs),
    /// Find one shortest path, and draw it
    #[command(
        long_about = "Find one shortest path.\n\n\
            Start and goal are x,y on grids (0,0 is the top left cell) and node ids on graphs (DIMACS files count \
            from 1). A drawing can mark them with S and T instead. `no path` is an answer, not an error. The time \
            is the best of three runs, or that of the first run if it takes longer than 0.2 s.",
        after_help = "Examples:\n  portolan query rooms.map --from 3,4 --to 200,17\n  \
            portolan query rooms.map --from 3,4 --to 200,17 --picture path.png\n  \
            portolan query rooms.map --from 3,4 --to 200,17 --index rooms.index\n  \
            portolan query cave.map --from 9,9 --to 90,70 --partial --path\n  \
            portolan query drawing.txt --path\n  \
            portolan query roads.gr --coordinates roads.co --from 1 --to 900 --json"
    )]
    Query(QueryArgs),
    /// Verify that engines answer correctly: every path walked, every cost compared
    #[command(
        long_about = "Verify that engines answer correctly.\n\n\
            Runs every query on every engine. Each path is walked step by step, and its ends and the sum of its costs are \
            checked. The distance is queried separately and compared. The length must be that of the \
            scenario or, without a scenario, that of a Dijkstra search that shares no code with the engines. \
            If the cost overflows, an engine must report it. A near-optimal engine fails only if a path is \
            illegal, shorter than possible, missing, or found where there is none.\n\n\
            Without --scen or --random, the queries are those of the scenario beside the map (MAP.scen, or NAME.queries \
            for NAME.gr), else 1000 random ones. Scenario lengths assume eight moves that never cut \
            corners; with other rules, paths are compared with the Dijkstra search. It is an error if there is no query.\n\n\
            Engines on the GPU get all queries as one batch, for the paths and for the distances alone. An answer that is \
            missing from the batch, or comes twice, is a fault.",
        after_help = "Examples:\n  portolan verify rooms.map\n  \
            portolan verify rooms.map --moves four --random 200 --engines astar,bidirectional\n  \
            portolan verify roads.gr --scen roads.queries\n  \
            portolan verify rooms.map --random 10000 --engines gpu-astar,gpu-atlas\n\nExit code 1 on any wrong or illegal path."
    )]
    Verify(VerifyArgs),
    /// Measure engines: build, memory, time per path, nodes expanded
    #[command(
        long_about = "Measure engines.\n\n\
            Times of engines on the CPU are per full path, on one thread, in scenario order: the best of three rounds per \
            query. Parsing and drawing queries are not timed. Counting and \
            checking have a separate round. Answers are checked as in `verify`.\n\n\
            Engines on the GPU get all queries as one batch and stand in a table of their own: paths and distances per second, \
            and the time of all paths from the call to the last answer, the best of three batches. Upload, kernel and download \
            overlap; a dash means that the device cannot time them.",
        after_help = "Examples:\n  portolan bench rooms.map\n  \
            portolan bench rooms.map --engines dijkstra,astar --limit 200\n  \
            portolan bench rooms.map --index rooms.index --engines astar,ppa\n  \
            portolan bench roads.gr --coordinates roads.co --random 500 --json\n  \
            portolan bench rooms.map --random 100000 --engines atlas,gpu-atlas\n\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Bench(BenchArgs),
    /// Measure edits: the refresh of an engine, and the queries after it
    #[command(
        long_about = "Measure edits.\n\n\
            Makes one random edit at a time, from --seed: on grids it blocks or frees a cell, on graphs it doubles the \
            weight of an edge or restores the old weight (of parallel edges only the cheapest \
            stays). Every engine follows the same edits. `edit` is the time of the refresh, without \
            the edit of the map. `first` is the time of the first full path after it, including the creation of the query \
            object, which every refresh makes necessary. A few more searches \
            follow. All have random ends that are passable on the edited map, the same for every engine. \
            Every path is walked on the edited map and compared with a Dijkstra search that shares no code with the \
            engines.\n\n\
            `dynamic` is the metric of the DHPA* paper, the total time of one refresh and N searches for N from \
            10 to 100: the mean refresh, the mean first search, and N - 1 times the mean of the others. Times \
            are of one run on one thread, except for refreshes, which use --threads.\n\n\
            With --agent, edits block and free positions of the unit.\n\n\
            With --traffic, all edges of a graph get new weights, then a tenth of them, five times over. `all weights` and \
            `a tenth` are the times of the engine for them, `labels` the time until it is as fast as a new one again, and \
            `build` the time of a build from scratch. Only the engines named atlas do not build from scratch for that.",
        after_help = "Examples:\n  portolan edit-bench rooms.map\n  \
            portolan edit-bench roads.gr --traffic --engines atlas --threads 1\n  \
            portolan edit-bench rooms.map --engines astar,ppa --edits 1000 --json\n  \
            portolan edit-bench roads.gr --coordinates roads.co --seed 7\n\n\
            Exit code 1 on any wrong or illegal path."
    )]
    EditBench(EditBenchArgs),
    /// Replay a scenario whose map changes: edits and queries in turn
    #[command(
        long_about = "Replay a scenario whose map changes.\n\n\
            Reads a scenario of version 2, as in the dynamic track of the Grid-Based Path Planning Competition, and the \
            .patch file that it names. At the start all cells are passable. Every group of patches is \
            one edit of a world, and its engine follows. The queries after it run on the edited map; \
            every path is walked there and compared with the length in the file.\n\n\
            `edit` is the time of an edit of map and engine. `query` is the time of a full path; for the first one after \
            an edit it includes the creation of the query object. `in all` is the sum of all edits and queries. Times are from one \
            run, with a separate world for each engine, and exclude the build on the open map.",
        after_help = "Examples:\n  portolan generate arena -o arena.scen\n  \
            portolan replay arena.scen\n  \
            portolan replay arena.scen --engines astar,atlas --json\n  \
            portolan replay arena.scen --engines atlas --advance\n\n\
            Exit code 1 on any wrong or illegal path."
    )]
    Replay(ReplayArgs),
    /// Rerun the experiments of a paper, or of this project, and write a report
    #[command(
        long_about = "Rerun the experiments of a paper, or of this project, and write a report.\n\n\
            The report compares published figures with Portolan's and explains where Portolan's are worse.",
        after_help = "Examples:\n  portolan reproduce ppa -o ppa.html\n  portolan reproduce ppa --quick\n  \
            portolan reproduce growth -o growth.html"
    )]
    Reproduce(ReproduceArgs),
    /// List the GPUs of this machine, and which of them is used
    #[command(
        long_about = "List the GPUs of this machine, and which of them is used.\n\n\
            For each: its driver, the limits that decide how large maps and batches may be, and the reason if it \
            cannot be used. The fastest is used: a discrete GPU before an integrated one before a software driver. \
            The variable PORTOLAN_GPU names another, by a part of its name.\n\n\
            `verify` and `bench` run engines on the GPU by name, as in --engines gpu-astar. Without a GPU they \
            fail; nothing falls back to the CPU by itself.",
        after_help = "Examples:\n  portolan gpu\n  PORTOLAN_GPU=llvmpipe portolan gpu\n  \
            portolan bench rooms.map --random 10000 --engines gpu-astar\n\n\
            Exit code 2 if there is no GPU that can be used."
    )]
    Gpu(GpuArgs),
    /// Show every method at work, on a page in the browser
    #[command(
        long_about = "Show every method at work, on a page in the browser.\n\n\
            Starts a server that only this machine reaches, and prints the address of the page. The page is part of the \
            program and works offline. Its address holds a token: pages of other sites cannot use the server. \
            Ctrl-C stops it.\n\n\
            With MAP, the page opens this map; others can be dropped on it.",
        after_help = "Examples:\n  portolan lab --open\n  portolan lab rooms.map\n  \
            portolan lab roads.gr --coordinates roads.co --port 8080"
    )]
    Lab(LabArgs),
    /// Print completions for a shell
    #[command(
        long_about = "Print a script that completes commands and options in a shell.",
        after_help = "Examples:\n  source <(portolan completions bash)\n  \
            portolan completions fish > ~/.config/fish/completions/portolan.fish"
    )]
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The folder for the page, maps and pictures
    #[arg(short, long, value_name = "DIR", default_value = "portolan-demo")]
    pub(crate) output: PathBuf,
    /// Show every engine that supports a map; takes longer
    #[arg(long)]
    pub(crate) all: bool,
    /// Queries per engine on each map
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<u32>(1..=100_000))]
    pub(crate) queries: u32,
    /// Threads of a build; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u16>(0..=1024))]
    pub(crate) threads: u16,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// The index file to write
    #[arg(short, long, value_name = "INDEX")]
    pub(crate) output: PathBuf,
    /// Which engine to build [default: atlas]
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckIndexArgs {
    /// The index file
    #[arg(value_name = "INDEX")]
    pub(crate) index: PathBuf,
    /// The map of the index
    #[arg(value_name = "MAP")]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: MapOptions,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Start of the path: x,y on grids, a node id on graphs [drawings: S]
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub(crate) from: Option<Place>,
    /// Goal of the path [drawings: T]
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub(crate) to: Option<Place>,
    /// The engine; `portolan info MAP` lists them [default: astar, or that of the index]
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Open this index, written by `portolan build`, instead of building the engine
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
    /// If the goal is blocked or unreachable, go to the nearest reachable place; graphs need
    /// coordinates
    #[arg(long)]
    pub(crate) partial: bool,
    /// Print the whole path
    #[arg(long)]
    pub(crate) path: bool,
    /// Draw the map, the searched area and the path; .png or .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// Print one JSON object, path included
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RecommendArgs {
    /// Approximate time to measure
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

fn seconds(text: &str) -> Result<f64, &'static str> {
    let seconds = text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    seconds.ok_or("a number of seconds from 0.1 to 86400")
}

/// Where queries come from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Queries")]
pub(crate) struct WorkloadArgs {
    /// Read queries from this file: .scen on grids, .queries on graphs
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    pub(crate) scen: Option<PathBuf>,
    /// Generate this many random queries
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000_000))]
    pub(crate) random: Option<u32>,
    /// Use only this many queries, spread evenly over the file
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::from(u32::MAX)))]
    pub(crate) limit: Option<u32>,
    /// Engines to run, or `all` of the CPU [default: all, or that of the index]; names of the GPU
    /// begin with gpu-
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) engines: Vec<String>,
}

impl WorkloadArgs {
    /// The queries that are requested.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { scen: self.scen.clone(), random: self.random, limit: self.limit }
    }
}

/// The memory of the GPU.
#[derive(Debug, Args)]
#[command(next_help_heading = "Queries")]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "engines of the GPU are refused"))]
pub(crate) struct GpuMemoryArgs {
    /// Memory of a batch on the GPU, beside map and index: bytes, KB, MB, GB, KiB, MiB, GiB
    /// [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    pub(crate) gpu_memory: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
    #[command(flatten)]
    pub(crate) gpu: GpuMemoryArgs,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Print a JSON array with one object per engine
    #[arg(long)]
    pub(crate) json: bool,
    /// Open this index, written by `portolan build`, instead of building its engine
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) workload: WorkloadArgs,
    #[command(flatten)]
    pub(crate) gpu: GpuMemoryArgs,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EditBenchArgs {
    /// Number of edits
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) edits: u32,
    /// Edit the middle of the next path instead of a random cell or edge
    #[arg(long)]
    pub(crate) on_paths: bool,
    /// Instead change all weights of a graph at once, and a tenth of them
    #[arg(long, conflicts_with_all = ["edits", "on_paths"])]
    pub(crate) traffic: bool,
    /// Engines to run, or `all` [default: all that refresh without a rebuild]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) engines: Vec<String>,
    /// Print a JSON array with one object per engine
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) map: MapArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The scenario, of version 2
    #[arg(value_name = "SCEN")]
    pub(crate) scen: PathBuf,
    /// Engines to run, or `all` [default: all that refresh without a rebuild]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) engines: Vec<String>,
    /// After every edit, switch to engines that were rebuilt in the background
    #[arg(long)]
    pub(crate) advance: bool,
    /// Print a JSON array with one object per engine
    #[arg(long)]
    pub(crate) json: bool,
    /// Memory limit of an index: bytes, KB, MB, GB, KiB, MiB, GiB, or 8V for 8 entries per cell
    /// [default: 24 bytes a cell, at least 128MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Seed of random choices during a build
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed, value_parser = whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// Threads of a build; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u16>(0..=1024))]
    pub(crate) threads: u16,
}

#[derive(Debug, Args)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "the command is refused"))]
pub(crate) struct GpuArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[cfg_attr(not(feature = "lab"), allow(dead_code, reason = "the command is refused"))]
pub(crate) struct LabArgs {
    /// A map to begin with: MovingAI .map, DIMACS .gr, PNG or a drawing
    #[arg(value_name = "MAP")]
    pub(crate) map: Option<PathBuf>,
    /// Coordinates of a .gr map (DIMACS .co)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub(crate) coordinates: Option<PathBuf>,
    /// Port of the server; 0 for a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Address to listen at; others than the default let other machines in
    #[arg(long, value_name = "IP", default_value_t = std::net::IpAddr::from([127, 0, 0, 1]))]
    pub(crate) bind: std::net::IpAddr,
    /// Open the page in the default browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, ignore_case = true)]
    pub(crate) shell: clap_complete::Shell,
}
