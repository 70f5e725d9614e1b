//! An HTTP/1.1 client for one server on this machine: one keep-alive connection, one request after the other. It supports
//! what that server sends, nothing more.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::PATIENCE;

/// The header line of a JSON body.
pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> io::Result<Value> {
        serde_json::from_slice(&self.body).map_err(io::Error::other)
    }
}

/// A keep-alive connection.
#[derive(Debug)]
pub(crate) struct Http {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
}

impl Http {
    pub(crate) async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), request: Vec::with_capacity(1024) })
    }

    pub(crate) async fn get(&mut self, path: &str) -> io::Result<Response> {
        self.ask("GET", path, "", b"").await
    }

    /// As above, with additional header lines, each ended by CRLF.
    pub(crate) async fn get_with(&mut self, path: &str, headers: &str) -> io::Result<Response> {
        self.ask("GET", path, headers, b"").await
    }

    /// Sends `body` with additional header lines, each ended by CRLF.
    pub(crate) async fn post(&mut self, path: &str, headers: &str, body: &[u8]) -> io::Result<Response> {
        self.ask("POST", path, headers, body).await
    }

    async fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> io::Result<Response> {
        self.request.clear();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        self.request.extend_from_slice(head.as_bytes());
        self.request.extend_from_slice(body);
        self.stream.get_mut().write_all(&self.request).await?;
        timeout(PATIENCE, self.read()).await?
    }

    async fn read(&mut self) -> io::Result<Response> {
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line().await?;
            match line.to_ascii_lowercase().split_once(':') {
                None => break,
                Some(("content-length", value)) => length = value.trim().parse().map_err(io::Error::other)?,
                Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
                Some(_) => {}
            }
        }
        let body = if chunked { self.chunks().await? } else { self.exactly(length).await? };
        Ok(Response { status, body })
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 || !line.ends_with('\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    async fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(body)
    }

    async fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line().await?, 16).map_err(io::Error::other)?;
            body.extend(self.exactly(length).await?);
            self.line().await?;
            if length == 0 {
                return Ok(body);
            }
        }
    }
}
