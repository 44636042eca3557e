//! The default browser of the system.

use std::io;
use std::process::{Command, Stdio};

/// Opens this address. Does not wait until that is done.
pub(super) fn open(address: &str) -> io::Result<()> {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut opener = command.spawn()?;
    // Waits for the opener, so that it does not stay in the table of processes.
    std::thread::spawn(move || opener.wait());
    Ok(())
}
