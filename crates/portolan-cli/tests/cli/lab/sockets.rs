//! Sockets: who may open them, what they bear, and that work ends with them.

use portolan_lab::wire::Frame;
use serde_json::{Value, json};
use tungstenite::Message;

use super::server::{Server, Socket};

const LIST: fn() -> Value = || json!({ "id": 5, "topic": "maps", "do": "list" });

#[test]
fn only_the_page_opens_sockets() {
    let server = Server::start();
    let path = server.below("socket");
    let own = format!("http://{}", server.host);
    let port = server.host.rsplit_once(':').unwrap().1;
    for origin in [
        None,
        Some("null"),
        Some("http://evil.example"),
        Some("http://127.0.0.1:1"),
        Some(&*format!("http://evil.example:{port}")),
        Some(&*format!("https://{}", server.host)),
        Some(&*format!("{own}.evil.example")),
        // Another origin than the host of the request, though of the same server.
        Some(&*format!("http://localhost:{port}")),
    ] {
        assert_eq!(server.try_socket(&path, origin).err(), Some(403), "{origin:?}");
    }
    for path in ["/socket", "/0123456789abcdef0123456789abcdef/socket"] {
        assert_eq!(server.try_socket(path, Some(&own)).err(), Some(404), "{path}");
    }
    assert_eq!(server.socket().ask(LIST())["id"], 5);
}

#[test]
fn garbage_is_refused_and_the_socket_goes_on() {
    let server = Server::start();
    let mut socket = server.socket();
    let long = vec![255; 1 << 20];
    for garbage in [&b""[..], b"x", b"\0\0\0\0", &long, b"\x04\0\0\0[1] ", b"\x04\0\0\0null"] {
        socket.send(garbage.to_vec());
        let reply = socket.receive().unwrap();
        assert!(reply["error"]["message"].is_string(), "{reply}");
    }
    for request in [
        json!({}),
        json!({ "id": -1, "topic": 3 }),
        json!({ "topic": "nonsense" }),
        json!({ "topic": "maps", "do": "nonsense" }),
        json!({ "topic": "maps", "do": "drop", "name": "../../x.map" }),
    ] {
        let reply = socket.ask(request.clone());
        assert!(reply["error"]["message"].is_string(), "{request}: {reply}");
    }
    assert!(socket.ask(LIST())["data"]["gallery"].is_array());
}

#[test]
fn what_is_no_frame_or_too_large_closes_its_socket_only() {
    let server = Server::start();
    let mut other = server.socket();

    let mut socket = server.socket();
    socket.0.send(Message::text("words")).unwrap();
    assert!(socket.receive().is_none(), "text");

    // The server closes while this is sent.
    let mut socket = server.socket();
    let _ = socket.0.send(Message::binary(vec![0; 80 << 20]));
    assert!(socket.receive().is_none(), "80 MiB");

    assert!(other.ask(LIST())["data"].is_object());
}

#[test]
fn views_are_limited_in_number() {
    let server = Server::start();
    let own = format!("http://{}", server.host);
    let path = server.below("socket");
    let mut open = Vec::new();
    let refused = loop {
        match server.try_socket(&path, Some(&own)) {
            Ok(socket) => open.push(socket),
            Err(status) => break status,
        }
        assert!(open.len() < 1000, "there is no limit");
    };
    assert_eq!(refused, 503);
    assert!(open.len() >= 16, "{} are too few for a page of many tabs", open.len());
    assert!(open.iter_mut().all(|socket| socket.ask(LIST())["data"].is_object()));
    drop(open);
    server.wait_until("views are free again", || server.try_socket(&path, Some(&own)).is_ok());
}

/// Starts a build that takes many seconds, and returns when it is at work. It looks often whether
/// it is still wanted.
fn start_long_build(server: &Server) -> Socket {
    let mut socket = server.socket();
    let source =
        json!({ "from": "generated", "kind": "noise", "size": 1024, "grain": 30, "seed": 1 });
    let request = json!({
        "id": 1, "topic": "search", "do": "run", "from": 0, "to": 1,
        "map": { "source": source, "moves": "four" },
        "engine": { "name": "differential", "memory": 1024, "landmarks": 64 },
    });
    socket.send(Frame::new(request).encode());
    let header = socket.receive().unwrap();
    assert!(header["progress"]["phase"].is_string(), "{header}");
    socket
}

#[test]
fn cancelled_work_ends_at_once_and_the_view_goes_on() {
    let server = Server::start();
    let mut socket = start_long_build(&server);
    socket.send(Frame::new(json!({ "id": 1, "topic": "cancel" })).encode());
    let reply = loop {
        let header = socket.receive().unwrap();
        if header.get("progress").is_none() {
            break header;
        }
    };
    assert_eq!(reply["error"]["cancelled"], true, "{reply}");
    assert!(socket.ask(LIST())["data"].is_object());
}

/// The processor time that a program has used, in ticks.
#[cfg(target_os = "linux")]
fn ticks(child: &std::process::Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // The name of the program may hold spaces; what follows it does not.
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn work_ends_when_its_tab_is_closed() {
    use std::time::Duration;

    let server = Server::start();
    drop(start_long_build(&server));
    server.wait_until("the processor is idle", || {
        let before = ticks(&server.child);
        std::thread::sleep(Duration::from_millis(500));
        ticks(&server.child) <= before + 1
    });
    // It was not just done: the next view has to build it again.
    drop(start_long_build(&server));
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_lab_cleanly_even_at_work() {
    use std::io::Read;
    use std::process::Command;

    for signal in ["-INT", "-TERM"] {
        let mut server = Server::start();
        let mut socket = start_long_build(&server);
        let id = server.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let status = server.child.wait().unwrap();
        let mut rest = String::new();
        server.rest_of_output.read_to_string(&mut rest).unwrap();
        assert_eq!(status.code(), Some(0), "{signal}: {status:?}");
        assert!(rest.ends_with("The lab has stopped.\n"), "{rest}");
        while socket.receive().is_some() {}
    }
}
