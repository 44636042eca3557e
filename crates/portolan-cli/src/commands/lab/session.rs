//! A socket and its scene. The scene has a thread, where it answers one request after the other;
//! the server's own thread moves messages and notices when a request is cancelled or the page is
//! gone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc as blocking;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use portolan_lab::{Link, Scene, Shelf, wire};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{Instant, interval, timeout};

/// Requests of a view that may wait. The page sends few at a time.
const MOST_WAITING: usize = 64;

/// KiB of requests of all views that may wait.
pub(super) const MOST_WAITING_KIB: usize = 256 << 10;

/// Frames that wait for the page to read them.
const MOST_UNSENT: usize = 4;

/// How often a page is asked for a sign of life.
const PING: Duration = Duration::from_secs(20);

/// After so long without any, or with a frame half sent, the page is gone.
const SILENCE: Duration = Duration::from_secs(120);

/// What a view needs of the server.
pub(super) struct Session {
    pub(super) shelf: Arc<Shelf>,
    pub(super) limits: Limits,
    /// Changes when the lab stops.
    pub(super) stopping: watch::Receiver<()>,
    /// One of [`Limits::count`].
    pub(super) permit: OwnedSemaphorePermit,
}

/// What all views may take together.
#[derive(Clone)]
pub(super) struct Limits {
    /// A permit for each view.
    pub(super) count: Arc<Semaphore>,
    /// A permit for each KiB of requests that wait.
    pub(super) waiting_kib: Arc<Semaphore>,
}

/// A request, with its share of [`Limits::waiting_kib`].
struct Request {
    bytes: Bytes,
    _share: OwnedSemaphorePermit,
}

/// What both threads of a session know.
#[derive(Default)]
struct Wanted {
    /// The page is gone.
    closed: AtomicBool,
    /// Requests up to this number, counted from one, are cancelled.
    cancelled: AtomicU64,
}

/// Tells the scene that the page is gone, however the session ends.
struct Closing(Arc<Wanted>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
    }
}

/// The way back to the page, for the request with this number.
struct SocketLink<'a> {
    frames: &'a mpsc::Sender<Vec<u8>>,
    wanted: &'a Wanted,
    number: u64,
}

impl Link for SocketLink<'_> {
    fn send(&self, frame: Vec<u8>) {
        // Waits for a page that reads slowly.
        if self.frames.blocking_send(frame).is_err() {
            self.wanted.closed.store(true, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.wanted.closed.load(Ordering::Relaxed)
            || self.wanted.cancelled.load(Ordering::Relaxed) >= self.number
    }
}

/// Answers the requests of a socket until it is closed.
pub(super) async fn run(mut socket: WebSocket, session: Session) {
    let Session { shelf, limits, stopping, permit } = session;
    let wanted = Arc::new(Wanted::default());
    let closing = Closing(wanted.clone());
    let (requests, waiting) = blocking::sync_channel(MOST_WAITING);
    let (frames, unsent) = mpsc::channel(MOST_UNSENT);
    let scene = std::thread::Builder::new().name("scene".into()).spawn(move || {
        let mut scene = Scene::new(shelf);
        answer(&waiting, &frames, &wanted, |request, link| scene.handle(request, link));
        // A session counts until its thread has ended.
        drop(permit);
    });
    let reason = match scene {
        Err(_) => Some((close_code::AGAIN, "The system has no thread left for another view.")),
        Ok(_) => {
            let waiting_kib = limits.waiting_kib;
            move_messages(&mut socket, unsent, &closing.0, stopping, |bytes| {
                let kib = bytes.len().div_ceil(1 << 10) as u32;
                let share = waiting_kib.clone().try_acquire_many_owned(kib);
                share.is_ok_and(|share| requests.try_send(Request { bytes, _share: share }).is_ok())
            })
            .await
        }
    };
    // Work stops while the page still reads the reason.
    drop(closing);
    if let Some((code, reason)) = reason {
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        let _ = timeout(PING, socket.send(close)).await;
    }
}

/// Why a session ends, unless the page ended it.
type Reason = Option<(u16, &'static str)>;

/// Moves messages between the page and the scene until one of them is gone.
async fn move_messages(
    socket: &mut WebSocket,
    mut unsent: mpsc::Receiver<Vec<u8>>,
    wanted: &Wanted,
    mut stopping: watch::Receiver<()>,
    pass_on: impl Fn(Bytes) -> bool,
) -> Reason {
    let mut received = 0;
    let mut heard = Instant::now();
    let mut ping = interval(PING);
    loop {
        tokio::select! {
            frame = unsent.recv() => {
                // The scene ends before the socket only if it broke.
                let Some(frame) = frame else {
                    let reason = "A defect ended this view; the terminal of the lab shows its trace.";
                    return Some((close_code::ERROR, reason));
                };
                let sent = timeout(SILENCE, socket.send(Message::Binary(Bytes::from(frame)))).await;
                if !matches!(sent, Ok(Ok(()))) {
                    return None;
                }
            }
            message = socket.recv() => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Binary(bytes))) if wire::is_cancel(&bytes) => {
                        wanted.cancelled.store(received, Ordering::Relaxed);
                    }
                    Some(Ok(Message::Binary(bytes))) => {
                        received += 1;
                        if !pass_on(bytes) {
                            return Some((close_code::POLICY, "Too many requests wait for answers."));
                        }
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    _ => return None,
                }
            }
            _ = ping.tick() => {
                let sent = timeout(SILENCE, socket.send(Message::Ping(Bytes::new()))).await;
                if heard.elapsed() > SILENCE || !matches!(sent, Ok(Ok(()))) {
                    return None;
                }
            }
            _ = stopping.changed() => {
                return Some((close_code::AWAY, "The lab was stopped."));
            }
        }
    }
}

/// Answers requests until the page is gone, or one breaks the scene.
fn answer(
    waiting: &blocking::Receiver<Request>,
    frames: &mpsc::Sender<Vec<u8>>,
    wanted: &Wanted,
    mut handle: impl FnMut(&[u8], &dyn Link),
) {
    for (number, Request { bytes, _share }) in (1..).zip(waiting) {
        let link = SocketLink { frames, wanted, number };
        // A defect of one view must not end the lab. The page says that the view is lost.
        let answered = catch_unwind(AssertUnwindSafe(|| handle(&bytes, &link)));
        if answered.is_err() || wanted.closed.load(Ordering::Relaxed) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_ends_its_view_only() {
        let (requests, waiting) = blocking::sync_channel(1);
        let share = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        requests.send(Request { bytes: Bytes::new(), _share: share }).unwrap();
        let (frames, mut unsent) = mpsc::channel(1);
        answer(&waiting, &frames, &Wanted::default(), |_, _| panic!("as this test wants"));
        // The end of its frames is what the server notices.
        drop(frames);
        assert!(unsent.blocking_recv().is_none());
    }
}
