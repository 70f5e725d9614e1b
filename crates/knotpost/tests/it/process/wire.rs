//! The listeners of a running server, spoken to byte by byte. A connection that breaks is an answer too:
//! these tests kill servers in the middle of sentences.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::running::{PATIENCE, Running, read_all};

/// An HTTP answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// One request on a connection of its own; an error when the answer is not whole.
pub(crate) async fn request(http: SocketAddr, head: &str, body: &str) -> io::Result<Response> {
    request_from(http, "localhost", head, body).await
}

/// The same, of the server that has this name.
pub(crate) async fn request_from(
    http: SocketAddr,
    host: &str,
    head: &str,
    body: &str,
) -> io::Result<Response> {
    let mut stream = TcpStream::connect(http).await?;
    let length = body.len();
    let request =
        format!("{head}\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await?;
    let answer = String::from_utf8(read_all(&mut stream).await).map_err(io::Error::other)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let status =
        head.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    if length.is_some_and(|length: usize| length != body.len()) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Response { status, body: body.to_owned() })
}

/// Executes one command over HTTP.
pub(crate) async fn command(http: SocketAddr, line: &str) -> io::Result<Response> {
    let body = serde_json::json!({ "command": line }).to_string();
    request(http, "POST /commands HTTP/1.1\r\nContent-Type: application/json", &body).await
}

/// Hands over one mail by SMTP; the reply to its last line, or the one that ended it before.
pub(crate) async fn mail(smtp: SocketAddr, from: &str, to: &str, message: &str) -> io::Result<String> {
    let mut stream = BufReader::new(TcpStream::connect(smtp).await?);
    stream.get_ref().set_nodelay(true)?;
    let data = message.replace("\r\n", "\n").replace('\n', "\r\n").replace("\r\n.", "\r\n..");
    let steps = [
        (String::new(), '2'),
        ("EHLO client.example.net\r\n".to_owned(), '2'),
        (format!("MAIL FROM:<{from}>\r\n"), '2'),
        (format!("RCPT TO:<{to}>\r\n"), '2'),
        ("DATA\r\n".to_owned(), '3'),
        (format!("{data}\r\n.\r\n"), '2'),
    ];
    let mut reply = String::new();
    for (line, expected) in steps {
        stream.get_mut().write_all(line.as_bytes()).await?;
        reply = read_reply(&mut stream).await?;
        if !reply.starts_with(expected) {
            break;
        }
    }
    Ok(reply)
}

async fn read_reply(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    loop {
        let mut line = String::new();
        if timeout(PATIENCE, stream.read_line(&mut line)).await?? == 0 || !line.ends_with('\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.as_bytes().get(3) != Some(&b'-') {
            return Ok(line.trim_end().to_owned());
        }
    }
}

impl Running {
    pub(crate) fn http(&self) -> SocketAddr {
        self.ports.http.unwrap()
    }

    pub(crate) fn smtp(&self) -> SocketAddr {
        self.ports.smtp.unwrap()
    }

    /// Executes a command over HTTP that must succeed; its text.
    pub(crate) async fn ask(&self, line: &str) -> Value {
        let response = command(self.http(), line).await.unwrap();
        assert_eq!(response.status, 200, "{line}: {response:?}");
        response.json()
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        request(self.http(), &format!("GET {path} HTTP/1.1"), "").await.unwrap()
    }

    /// Hands over a mail that must be taken.
    pub(crate) async fn post(&self, from: &str, message: &str) {
        let reply = mail(self.smtp(), from, "pbmserv@localhost", message).await.unwrap();
        assert!(reply.starts_with("250"), "{reply}");
    }

    /// Two users, `ann` and `bob`, with the passwords `ann-secret` and `bob-secret`.
    pub(crate) async fn sign_up_two(&self) {
        for user in ["ann", "bob"] {
            self.ask(&format!("signup {user} {user}-secret {user}@example.org")).await;
        }
    }

    /// The moves of a board as its page tells them.
    pub(crate) async fn moves(&self, number: u32) -> Vec<String> {
        let board = self.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
        board["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|made| made["text"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// A mail as a player's mail program writes it.
pub(crate) fn letter(from: &str, subject: &str, message_id: &str) -> String {
    format!(
        "From: {from}\nTo: pbmserv@localhost\nSubject: {subject}\nMessage-ID: <{message_id}>\n\
         Date: Fri, 20 Nov 2026 10:00:00 +0000\n\nGood luck!\n"
    )
}
