//! A lab that runs, and clients of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use portolan_lab::wire::Frame;
use serde_json::Value;
use tungstenite::client::ClientRequestBuilder;
use tungstenite::{Message, WebSocket};

use crate::folder::Folder;

/// How long anything may take on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A lab that runs. It is killed at the end.
pub(super) struct Server {
    pub(super) child: Child,
    pub(super) rest_of_output: BufReader<std::process::ChildStdout>,
    /// What it printed first.
    pub(super) address: String,
    /// `127.0.0.1:12345`
    pub(super) host: String,
    pub(super) token: String,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    /// In lower case.
    pub(super) head: String,
    pub(super) body: String,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::start_in(&Folder::new(), "lab")
    }

    /// Runs the program with these words as its arguments.
    pub(super) fn start_in(folder: &Folder, words: &str) -> Self {
        let mut command = folder.command();
        command.args(words.split_whitespace()).stdin(Stdio::null());
        Self::of(command)
    }

    /// Runs this command.
    pub(super) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut address = String::new();
        output.read_line(&mut address).unwrap();
        let address = address.trim_end().to_owned();
        let rest = address.strip_prefix("http://").unwrap_or_else(|| panic!("{address:?}"));
        let (host, path) = rest.split_once('/').unwrap();
        let token = path.split_once('/').unwrap().0;
        let (host, token) = (host.to_owned(), token.to_owned());
        Self { child, rest_of_output: output, address, host, token }
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes and reads the answer to its end.
    pub(super) fn send(&self, request: &str) -> Response {
        let mut stream = self.connect();
        // A server that refuses early may close before all is written.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Response { status, head: head.to_lowercase(), body: body.into() }
    }

    pub(super) fn get(&self, path: &str) -> Response {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host))
    }

    /// A path below the token.
    pub(super) fn below(&self, path: &str) -> String {
        format!("/{}/{path}", self.token)
    }

    /// Opens a socket as the page does.
    pub(super) fn socket(&self) -> Socket {
        self.try_socket(&self.below("socket"), Some(&format!("http://{}", self.host))).unwrap()
    }

    /// Opens a socket; returns the status if it is refused.
    pub(super) fn try_socket(&self, path: &str, origin: Option<&str>) -> Result<Socket, u16> {
        let address = format!("ws://{}{path}", self.host).parse().unwrap();
        let mut request = ClientRequestBuilder::new(address);
        if let Some(origin) = origin {
            request = request.with_header("Origin", origin);
        }
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Socket(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Waits until something holds.
    pub(super) fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let start = Instant::now();
        while !holds() {
            assert!(start.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A socket of a view.
#[derive(Debug)]
pub(super) struct Socket(pub(super) WebSocket<TcpStream>);

impl Socket {
    pub(super) fn send(&mut self, bytes: Vec<u8>) {
        self.0.send(Message::binary(bytes)).unwrap();
    }

    /// The header of the next frame; `None` once the socket is closed.
    pub(super) fn receive(&mut self) -> Option<Value> {
        loop {
            match self.0.read() {
                Ok(Message::Binary(bytes)) => return Some(Frame::decode(&bytes).unwrap().header),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Asks and waits for the reply.
    pub(super) fn ask(&mut self, request: Value) -> Value {
        self.send(Frame::new(request).encode());
        loop {
            let header = self.receive().expect("the socket is open");
            if header.get("data").is_some() || header.get("error").is_some() {
                return header;
            }
        }
    }
}
