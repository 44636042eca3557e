//! The program `peers`; everything it does is in `portolan_bench::peers`.

use std::process::ExitCode;

use portolan_bench::peers::{self, Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    peers::main()
}
