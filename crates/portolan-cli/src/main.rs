//! The program `portolan`; everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(portolan_cli::main())
}
