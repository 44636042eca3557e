//! `portolan lab`: a server for the page of `portolan-lab`.
//!
//! `server.rs` listens, limits connections and stops on a signal; `routes.rs` answers requests for
//! files and opens sockets; `session.rs` passes the messages of a socket to a scene in a thread of
//! its own; `browser.rs` opens the page.

#[cfg(feature = "lab")]
mod browser;
#[cfg(feature = "lab")]
mod routes;
#[cfg(feature = "lab")]
mod server;
#[cfg(feature = "lab")]
mod session;

use crate::Outcome;
use crate::args::LabArgs;
use crate::error::Error;
use crate::output::Output;

#[cfg(not(feature = "lab"))]
pub(crate) fn run(_: &LabArgs, _: &mut Output) -> Result<Outcome, Error> {
    Err(Error::WithoutLab)
}

#[cfg(feature = "lab")]
pub(crate) fn run(args: &LabArgs, output: &mut Output) -> Result<Outcome, Error> {
    server::run(args, output)
}
