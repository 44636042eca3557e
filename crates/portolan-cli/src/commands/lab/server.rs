//! Listens, limits connections, and stops on a signal.
//!
//! A connection carries one request and must be done in [`PATIENCE`], unless it becomes a socket.
//! So silent and slow clients hold little, and not for long.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use portolan_bench::workload::files;
use portolan_lab::{LabError, Limits, Shelf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::routes::{self, Lab, MOST_SESSIONS};
use super::{browser, session};
use crate::Outcome;
use crate::args::LabArgs;
use crate::error::Error;
use crate::interrupt;
use crate::output::Output;

/// Connections that are not sockets, at a time. Others are closed at once.
const MOST_CONNECTIONS: usize = 128;

/// How long such a connection may last.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long views may take to stop.
const GRACE: Duration = Duration::from_secs(3);

/// A request has at most so many bytes before its body; the body is not read.
const MOST_HEADER_BYTES: usize = 16 << 10;

pub(super) fn run(args: &LabArgs, output: &mut Output) -> Result<Outcome, Error> {
    let shelf = Arc::new(Shelf::new(Limits::default()));
    let link = match &args.map {
        None => String::new(),
        Some(map) => format!("#map={}", escaped(&add_map(&shelf, map, args)?)),
    };
    let wanted = SocketAddr::new(args.bind, args.port);
    let cannot_listen = |source| Error::Listen { at: wanted, source };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(cannot_listen)?.block_on(async {
        let listener = TcpListener::bind(wanted).await.map_err(cannot_listen)?;
        let at = listener.local_addr().map_err(cannot_listen)?;
        let token = routes::token().map_err(cannot_listen)?;
        let (signal, signalled) = oneshot::channel::<()>();
        // Dropped at the end, after which signals end the program as they do elsewhere.
        let _stoppable = interrupt::Stoppable::new(|| drop(signal));
        announce(&format!("http://{}/{token}/{link}", reachable(at)), args, output)?;
        let (stop, stopping) = watch::channel(());
        let sessions = session::Limits {
            count: Arc::new(Semaphore::new(MOST_SESSIONS)),
            waiting_kib: Arc::new(Semaphore::new(session::MOST_WAITING_KIB)),
        };
        let router = routes::router(Lab { at, token, shelf, sessions: sessions.clone(), stopping });
        tokio::select! {
            () = serve(listener, router) => {}
            _ = signalled => {}
        }
        let _ = stop.send(());
        // Work that does not look whether it is wanted ends with the program.
        let _ = timeout(GRACE, sessions.count.acquire_many(MOST_SESSIONS as u32)).await;
        Ok::<_, Error>(())
    })?;
    writeln!(output, "The lab has stopped.")?;
    Ok(Outcome::Done)
}

/// Keeps a map file for the page; returns what restores it.
fn add_map(shelf: &Shelf, path: &Path, args: &LabArgs) -> Result<String, Error> {
    let in_lab = |error| Error::Lab { path: path.into(), error: Box::new(error) };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let all = [Some(path), args.coordinates.as_deref()].into_iter().flatten();
    // Refused before they are read. What is no file is left to the reader.
    let size: u64 = all.filter_map(|path| path.metadata().ok()).map(|found| found.len()).sum();
    let most = shelf.limits().most_file_bytes;
    if size > most {
        let (found, most) = (format!("{size} bytes"), format!("{most} bytes"));
        return Err(in_lab(LabError::TooLarge { what: "the file".into(), found, most }));
    }
    let map = files::read(path)?;
    let coordinates = args.coordinates.as_deref().map(files::read).transpose()?;
    shelf.add_file(&name, &map, coordinates.as_deref()).map_err(in_lab)
}

/// Escapes what may not stand in the value of a link.
fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' => {
                escaped.push(byte.into());
            }
            _ => {
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
        escaped
    })
}

/// An address that a browser on this machine can open.
fn reachable(at: SocketAddr) -> SocketAddr {
    let ip = match at.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, at.port())
}

fn announce(address: &str, args: &LabArgs, output: &mut Output) -> Result<(), Error> {
    writeln!(output, "{address}")?;
    writeln!(output, "Open this address in a browser. Ctrl-C stops the lab.")?;
    output.flush()?;
    if !args.bind.is_loopback() {
        output.complain(format_args!(
            "warning: other machines can reach this server. Whoever learns the address can use the lab, \
             and the connection is not encrypted.\n"
        ));
    }
    if args.open
        && let Err(error) = browser::open(address)
    {
        output.complain(format_args!("warning: cannot open a browser: {error}\n"));
    }
    Ok(())
}

async fn serve(listener: TcpListener, router: Router) {
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No file descriptor is left, or the client has gone.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(permit) = connections.clone().try_acquire_owned() else { continue };
        let router = router.clone();
        tokio::spawn(async move {
            let _ = timeout(PATIENCE, answer(stream, router)).await;
            drop(permit);
        });
    }
}

/// Answers the request of a connection. Ends early if it becomes a socket.
async fn answer(stream: TcpStream, router: Router) {
    // Frames are small and wait for nothing.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.max_buf_size(MOST_HEADER_BYTES);
    let service = TowerToHyperService::new(router);
    let _ = http.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
}
