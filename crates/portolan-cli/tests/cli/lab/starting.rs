//! What `portolan lab` is started with.

use std::io::Read;

use serde_json::{Value, json};

use super::server::Server;
use crate::folder::Folder;

#[test]
fn a_port_in_use_is_an_error_with_a_remedy() {
    let server = Server::start();
    let port = server.host.rsplit_once(':').unwrap().1;
    let ran = Folder::new().run(&format!("lab --port {port}"));
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    let expected = format!("error: cannot listen at 127.0.0.1:{port}: ");
    assert!(ran.err.starts_with(&expected), "{}", ran.err);
    assert!(ran.err.contains("\nhelp: choose another --port"), "{}", ran.err);
}

#[test]
fn other_machines_are_let_in_with_a_warning_only() {
    let mut server = Server::start_in(&Folder::new(), "lab --bind 0.0.0.0");
    assert!(server.host.starts_with("127.0.0.1:"), "{}", server.address);
    assert_eq!(server.get(&server.below("")).status, 200);
    server.child.kill().unwrap();
    let mut warning = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut warning).unwrap();
    assert!(warning.starts_with("warning: other machines can reach this server."), "{warning}");
}

/// The map that a link restores.
fn choice(address: &str) -> Value {
    let value = address.split_once("#map=").expect("a link to the map").1;
    let mut bytes = Vec::new();
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn a_map_is_opened_by_the_address() {
    let folder = Folder::filled();
    for (words, kind) in
        [("lab small.map", json!("grid")), ("lab small.gr --coordinates small.co", json!("graph"))]
    {
        let server = Server::start_in(&folder, words);
        let ask = json!({ "id": 1, "topic": "maps", "do": "open", "map": choice(&server.address) });
        let reply = server.socket().ask(ask);
        assert_eq!(reply["data"]["kind"], kind, "{words}: {reply}");
        let has_coordinates = reply["data"]["has_coordinates"].as_bool();
        assert!(has_coordinates.unwrap_or(true), "{words}: {reply}");
    }
}

#[test]
fn maps_that_the_lab_cannot_open_are_refused() {
    let folder = Folder::filled();
    folder.write("broken.map", "type octile\nheight 5\nwidth 8\nmap\n....\n");
    folder.write("words.doc", "neither a map nor a drawing");
    folder.write("large.map", "type octile\nheight 3000\nwidth 3000\nmap\n");
    let huge = std::fs::File::create(folder.path("huge.map")).unwrap();
    huge.set_len(1 << 40).unwrap();
    for (words, expected) in [
        ("lab broken.map", "error: the lab cannot open `broken.map`: broken.map: "),
        ("lab words.doc", "help: Drop a MovingAI .map"),
        ("lab huge.map", "the file has 1099511627776 bytes; the lab takes at most 67108864 bytes"),
        ("lab missing.map", "error: there is no file `missing.map`"),
        ("lab small.gr --coordinates broken.map", "`small.gr`"),
        ("lab --coordinates small.co", "MAP"),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
        assert!(ran.err.contains(expected), "{words}: {}", ran.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_default_browser_is_opened_when_asked_for() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;

    let folder = Folder::new();
    folder.write("xdg-open", "#!/bin/sh\necho \"$1\" > part && mv part opened\n");
    let all = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("xdg-open"), all).unwrap();
    let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
    let mut command = folder.command();
    command.args(["lab", "--open"]).env("PATH", path).stdin(Stdio::null());
    let server = Server::of(command);
    server.wait_until("the browser is opened", || folder.path("opened").exists());
    assert_eq!(String::from_utf8(folder.read("opened")).unwrap().trim_end(), server.address);
}
