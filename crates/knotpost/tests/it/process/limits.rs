//! What a server does with few file descriptors, and what it tells of itself.

use std::os::unix::fs::PermissionsExt as _;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::running::{Place, read_some};
use super::wire::{mail, request};

fn open_files(id: u32) -> Vec<String> {
    let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    line.split_whitespace().skip(3).take(2).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_limit_of_open_files_is_raised() {
    let place = Place::new().with_shell("ulimit -Sn 256; ulimit -Hn 4096; exec \"$@\"");
    let server = place.start().await;
    assert_eq!(open_files(server.id()), ["4096", "4096"]);
    let ended = server.stop().await;
    assert!(!ended.stderr.contains("limit of open files"), "{ended:?}");
}

#[tokio::test]
async fn web_clients_leave_descriptors_for_mail() {
    let place = Place::new().with_shell("ulimit -n 128; exec \"$@\"");
    let server = place.start().await;
    server.sign_up_two().await;
    let mut held = Vec::new();
    for _ in 0..150 {
        let mut stream = TcpStream::connect(server.http()).await.unwrap();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").await;
        held.push(stream);
    }
    // The last one has the place of a silent one, so all before it have been dealt with.
    let (mut stream, mut last) = (held.pop().unwrap(), String::new());
    stream.write_all(b"Connection: close\r\n\r\n").await.unwrap();
    stream.read_to_string(&mut last).await.unwrap();
    assert!(last.starts_with("HTTP/1.1 200 "), "{last}");
    let message = "From: ann@example.org\nTo: pbmserv@localhost\nSubject: help\nMessage-ID: <1@ann>\n\n";
    let reply = mail(server.smtp(), "ann@example.org", "pbmserv@localhost", message).await.unwrap();
    assert!(reply.starts_with("250"), "{reply}");
    drop(held);
    let ended = server.stop().await;
    assert!(ended.stderr.contains("the limit of open files is 128, too low"), "{ended:?}");
}

#[tokio::test]
async fn the_key_of_the_mailbox_is_told_at_the_start_to_its_operator_alone() {
    let place = Place::new();
    let mut keys = Vec::new();
    for _ in 0..2 {
        let server = place.start().await;
        let file = place.data().join("ports.json");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let key = server.ports.mailbox_key.clone().unwrap();
        let address = format!("/mailbox?key={key}");
        let closed = request(server.http(), "GET /mailbox HTTP/1.1", "").await.unwrap();
        assert!(closed.status == 403 && !closed.body.contains(&key), "{closed:?}");
        let opened = request(server.http(), &format!("GET {address} HTTP/1.1"), "").await.unwrap();
        assert_eq!(opened.status, 303);
        let cookie = format!("GET /mailbox HTTP/1.1\r\nCookie: knotpost-mailbox={key}");
        assert_eq!(request(server.http(), &cookie, "").await.unwrap().status, 200);
        for old in &keys {
            let cookie = format!("GET /mailbox HTTP/1.1\r\nCookie: knotpost-mailbox={old}");
            assert_eq!(
                request(server.http(), &cookie, "").await.unwrap().status,
                403,
                "a key is good for one start"
            );
        }
        let mut smtp = TcpStream::connect(server.smtp()).await.unwrap();
        assert!(read_some(&mut smtp).await.starts_with(b"220"));
        drop(smtp);
        let ended = server.stop().await;
        assert!(ended.stdout.contains(&address), "{}", ended.stdout);
        keys.push(key);
    }
}
