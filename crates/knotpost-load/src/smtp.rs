//! An SMTP and LMTP client that behaves as a mail server does: step by step, one message after the other on a connection
//! that may be reused.

use std::io;
use std::net::SocketAddr;

use anyhow::ensure;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::PATIENCE;

/// The two protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Smtp,
    Lmtp,
}

/// The last line of an answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn is_success(&self) -> bool {
        self.text.starts_with('2')
    }

    pub(crate) fn is_transient(&self) -> bool {
        self.text.starts_with('4')
    }
}

/// A connection that has been greeted.
#[derive(Debug)]
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    /// Connects and sends EHLO or LHLO; a refusal is an error.
    pub(crate) async fn connect(address: SocketAddr, dialect: Dialect) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut client = Self { stream: BufReader::new(stream) };
        let hello = if dialect == Dialect::Smtp { "EHLO" } else { "LHLO" };
        for line in [String::new(), format!("{hello} mail.example.net\r\n")] {
            let reply = client.say(line.as_bytes()).await?;
            if !reply.is_success() {
                return Err(io::Error::other(reply.text));
            }
        }
        Ok(client)
    }

    /// Sends one message, encoded by [`encode`]. Returns the answer to its end, or the first refusal.
    pub(crate) async fn send(&mut self, from: &str, to: &str, message: &[u8]) -> io::Result<Reply> {
        for line in [format!("MAIL FROM:<{from}>\r\n"), format!("RCPT TO:<{to}>\r\n")] {
            let reply = self.say(line.as_bytes()).await?;
            if !reply.is_success() {
                return Ok(reply);
            }
        }
        let reply = self.say(b"DATA\r\n").await?;
        if !reply.text.starts_with('3') {
            return Ok(reply);
        }
        self.say(message).await
    }

    /// Sends QUIT.
    pub(crate) async fn quit(mut self) -> io::Result<()> {
        self.say(b"QUIT\r\n").await.map(drop)
    }

    async fn say(&mut self, line: &[u8]) -> io::Result<Reply> {
        self.stream.get_mut().write_all(line).await?;
        timeout(PATIENCE, self.hear()).await?
    }

    async fn hear(&mut self) -> io::Result<Reply> {
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).await? == 0 || !line.ends_with('\n') {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(Reply { text: line.trim_end().to_owned() });
            }
        }
    }
}

/// A mail with a command in its Subject. The mark is its Message-ID and all of its text.
pub(crate) fn command_mail(from: &str, to: &str, subject: &str, mark: &str) -> String {
    format!(
        "From: {from}\nTo: {to}\nSubject: {subject}\nMessage-ID: <{mark}@mail.example.net>\n\
         Date: Sat, 21 Nov 2026 10:00:00 +0000\n\n{mark}.\n"
    )
}

/// Hands one mail over in a session of its own; it must be accepted.
pub(crate) async fn hand_over(server: SocketAddr, from: &str, to: &str, message: &str) -> anyhow::Result<()> {
    let mut client = Client::connect(server, Dialect::Smtp).await?;
    let reply = client.send(from, to, &encode(message)).await?;
    ensure!(reply.is_success(), "{message}: {}", reply.text);
    Ok(client.quit().await?)
}

/// A message as it is sent: CRLF line ends, doubled dots, and the final dot.
pub(crate) fn encode(message: &str) -> Vec<u8> {
    let mut wire = String::with_capacity(message.len() + 64);
    for line in message.lines() {
        if line.starts_with('.') {
            wire.push('.');
        }
        wire.push_str(line);
        wire.push_str("\r\n");
    }
    wire.push_str(".\r\n");
    wire.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_encoded_with_its_dots_doubled_and_its_end() {
        assert_eq!(encode("a\n.b\n\nc"), b"a\r\n..b\r\n\r\nc\r\n.\r\n");
    }
}
