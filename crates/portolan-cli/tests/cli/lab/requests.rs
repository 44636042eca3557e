//! Requests for files: what is served, to whom, and what is refused.

use std::io::{Read, Write};

use portolan_lab::page;

use super::server::Server;

#[test]
fn every_file_of_the_page_is_served_and_locked_to_this_origin() {
    let server = Server::start();
    for file in page::FILES {
        let response = server.get(&server.below(file.path));
        assert_eq!(
            (response.status, response.body.as_str()),
            (200, file.contents),
            "{}",
            file.path
        );
        let kind = format!("content-type: {}", file.media_type());
        for header in [
            &kind,
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(response.head.contains(header), "{}: {header}: {}", file.path, response.head);
        }
    }
    assert_eq!(server.get(&server.below("")).body, page::FILES[0].contents);
}

#[test]
fn nothing_is_served_without_the_token() {
    let server = Server::start();
    let wrong = server.token.replace(|digit: char| digit != 'f', "f");
    for path in ["/", "/index.html", "/js/main.js", "//", &format!("/{wrong}/"), "/socket"] {
        let response = server.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert!(!response.body.contains(&server.token), "{path}: {}", response.body);
    }
    let short = format!("/{}/", &server.token[..31]);
    assert_eq!(server.get(&short).status, 404);
}

#[test]
fn other_hosts_are_refused() {
    let server = Server::start();
    let path = server.below("");
    let port = server.host.rsplit_once(':').unwrap().1;
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1", ""] {
        let response = server.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(response.status, 421, "{host}");
    }
    let two = format!("Host: {}\r\nHost: evil.example", server.host);
    assert_ne!(server.send(&format!("GET {path} HTTP/1.1\r\n{two}\r\n\r\n")).status, 200);
    assert_eq!(server.send(&format!("GET {path} HTTP/1.0\r\n\r\n")).status, 421);
    let named = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    assert_eq!(server.send(&named).status, 200);
}

#[test]
fn paths_do_not_leave_the_page() {
    let server = Server::start();
    for path in [
        "../Cargo.toml",
        "../../../../etc/passwd",
        "js/../../../../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "/etc/passwd",
        "js",
        "js/",
        "js/main.js/",
        "js/missing.js",
        "JS/MAIN.JS",
        "js/main.js%00",
    ] {
        let response = server.get(&server.below(path));
        assert_eq!(response.status, 404, "{path}: {}", response.body);
    }
}

#[test]
fn only_plain_requests_are_answered() {
    let server = Server::start();
    let (path, host) = (server.below(""), &server.host);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"] {
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(server.send(&request).status, 405, "{method}");
    }
    let long = "x".repeat(1 << 20);
    let large = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Large: {long}\r\n\r\n");
    assert_ne!(server.send(&large).status, 200, "a large header");
    let many = "X-Many: 1\r\n".repeat(1000);
    let many = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{many}\r\n");
    assert_ne!(server.send(&many).status, 200, "many headers");
    for garbage in ["\r\n\r\n", "GET\r\n\r\n", "\0\0\0\0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        assert_ne!(server.send(&format!("{garbage}\r\n\r\n")).status, 200, "{garbage:?}");
    }
    assert_eq!(server.get(&path).status, 200, "and the lab goes on");
}

#[test]
fn silent_clients_are_sent_away() {
    let server = Server::start();
    let mut silent: Vec<_> = (0..20).map(|_| server.connect()).collect();
    for client in &mut silent[10..] {
        client.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    }
    assert_eq!(server.get(&server.below("")).status, 200, "others are served meanwhile");
    for mut client in silent {
        let mut rest = Vec::new();
        // Reading ends when the server closes; a timeout would be an error of another kind.
        if let Err(error) = client.read_to_end(&mut rest) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
    }
}

#[test]
fn a_flood_of_connections_does_not_end_the_lab() {
    let server = Server::start();
    let flood: Vec<_> = (0..400).map(|_| server.connect()).collect();
    drop(flood);
    server.wait_until("it answers again", || server.get(&server.below("")).status == 200);
}
