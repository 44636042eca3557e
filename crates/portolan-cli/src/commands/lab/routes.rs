//! Files of the page, and sockets. Only the page itself is served: every path begins with a token
//! that the program prints, requests must name the server as their host, and sockets are opened for
//! pages of this origin only.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use portolan_lab::{Shelf, page};
use tokio::sync::watch;

use super::session::{self, Session};

/// The most views at a time, in all pages.
pub(super) const MOST_SESSIONS: usize = 48;

/// What requests share.
pub(super) struct Lab {
    /// Where the server listens.
    pub(super) at: SocketAddr,
    pub(super) token: String,
    pub(super) shelf: Arc<Shelf>,
    pub(super) sessions: session::Limits,
    /// Changes when the lab stops.
    pub(super) stopping: watch::Receiver<()>,
}

/// 128 random bits.
pub(super) fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Answers every request.
pub(super) fn router(lab: Lab) -> Router {
    Router::new()
        .route("/{token}/socket", get(open_socket))
        .fallback(get(send_file))
        .layer(map_response(with_headers))
        .with_state(Arc::new(lab))
}

const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

async fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // A connection carries one request, so that its time can be bounded.
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Why a request is refused.
type Refusal = (StatusCode, &'static str);

impl Lab {
    /// Whether a name and port are those of this server. A page of another site that has its own
    /// name resolve to this machine sends that name.
    fn is_host(&self, host: &str) -> bool {
        let here = self.at;
        let default_port = |ip: IpAddr| SocketAddr::new(ip, 80);
        let address = host.parse::<SocketAddr>().or_else(|_| host.parse().map(default_port));
        let is_address = address.is_ok_and(|at| {
            at.port() == here.port() && (at.ip() == here.ip() || here.ip().is_unspecified())
        });
        let name = host.strip_prefix("localhost");
        let is_name = name.is_some_and(|port| match port.strip_prefix(':') {
            Some(port) => port == here.port().to_string(),
            None => port.is_empty() && here.port() == 80,
        });
        is_address || is_name
    }

    /// The path of a file below the token, or why the request is refused.
    fn path<'a>(&self, uri: &'a Uri, headers: &HeaderMap) -> Result<&'a str, Refusal> {
        if !host(headers).is_some_and(|host| self.is_host(host)) {
            let text = "This server is for its own page only.";
            return Err((StatusCode::MISDIRECTED_REQUEST, text));
        }
        let path = uri.path().strip_prefix('/').and_then(|path| path.strip_prefix(&self.token));
        path.and_then(|path| path.strip_prefix('/')).ok_or_else(|| {
            let text = "Open the address that `portolan lab` printed; it ends with a token.";
            (StatusCode::NOT_FOUND, text)
        })
    }
}

/// The one host that a request names.
fn host(headers: &HeaderMap) -> Option<&str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    hosts.next().is_none().then_some(host)
}

async fn send_file(State(lab): State<Arc<Lab>>, request: Request) -> Response {
    let path = match lab.path(request.uri(), request.headers()) {
        Ok("") => page::FILES[0].path,
        Ok(path) => path,
        Err(refusal) => return refusal.into_response(),
    };
    match page::file(path) {
        Some(file) => ([(header::CONTENT_TYPE, file.media_type())], file.contents).into_response(),
        None => (StatusCode::NOT_FOUND, "There is no such file.").into_response(),
    }
}

async fn open_socket(
    State(lab): State<Arc<Lab>>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if let Err(refusal) = lab.path(&uri, &headers) {
        return refusal.into_response();
    }
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    if origin.and_then(|origin| origin.strip_prefix("http://")) != host(&headers) {
        let text = "Only the page of this server may open a socket.";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    let Ok(permit) = lab.sessions.count.clone().try_acquire_owned() else {
        let text = "Too many views are open; close some.";
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    };
    let most = lab.shelf.limits().most_file_bytes as usize + (1 << 20);
    let session = Session {
        shelf: lab.shelf.clone(),
        limits: lab.sessions.clone(),
        stopping: lab.stopping.clone(),
        permit,
    };
    upgrade
        .max_message_size(most)
        .max_frame_size(most)
        .on_upgrade(move |socket| session::run(socket, session))
}
