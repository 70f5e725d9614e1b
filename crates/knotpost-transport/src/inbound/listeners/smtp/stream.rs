//! The byte stream of a session: complete command lines in, buffered replies out.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// RFC 5321 asks for 512 and room for extensions.
const MAX_LINE: usize = 2048;
const CHUNK: usize = 16 * 1024;
/// Bytes still received from a client after the last reply.
const MAX_DISCARDED: usize = 16 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Command(Vec<u8>),
    /// Too long, or without CRLF; its content is not read.
    Malformed,
    End,
}

pub(super) struct Wire<S> {
    stream: S,
    /// Unused from `used` on.
    input: Vec<u8>,
    used: usize,
    pub(super) output: Vec<u8>,
    /// True if later input is received and ignored before the connection is closed.
    discards: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, input: Vec::new(), used: 0, output: Vec::new(), discards: false }
    }

    /// Sends the buffered replies before it waits. Cancel safe.
    pub(super) async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.unread().len() >= MAX_LINE {
                return self.drop_long_line().await;
            }
            self.flush().await?;
            if self.fill().await? == 0 {
                return Ok(Line::End);
            }
        }
    }

    /// Returns the received bytes; waits for some if there are none. Empty at the end of the stream.
    pub(super) async fn chunk(&mut self) -> io::Result<&[u8]> {
        if self.unread().is_empty() {
            self.flush().await?;
            self.fill().await?;
        }
        Ok(self.unread())
    }

    pub(super) fn consume(&mut self, length: usize) {
        self.used = (self.used + length).min(self.input.len());
    }

    /// Sends the buffered replies. Cancel safe: sent bytes are not sent again.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        if self.output.is_empty() {
            return Ok(());
        }
        while !self.output.is_empty() {
            let sent = self.stream.write(&self.output).await?;
            if sent == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.output.drain(..sent);
        }
        self.stream.flush().await
    }

    /// Ignores later input: if bytes are left unread when a connection closes, the client's system may discard the
    /// last reply.
    pub(super) fn discard_rest(&mut self) {
        self.discards = true;
    }

    pub(super) async fn close(mut self) {
        if self.flush().await.is_err() || self.stream.shutdown().await.is_err() || !self.discards {
            return;
        }
        let mut discarded = 0;
        while discarded < MAX_DISCARDED {
            self.used = self.input.len();
            match self.fill().await {
                Ok(length) if length > 0 => discarded += length,
                _ => return,
            }
        }
    }

    pub(super) fn into_stream(self) -> S {
        self.stream
    }

    fn unread(&self) -> &[u8] {
        self.input.get(self.used..).unwrap_or_default()
    }

    async fn fill(&mut self) -> io::Result<usize> {
        if self.used > 0 {
            self.input.drain(..self.used);
            self.used = 0;
        }
        self.input.reserve(CHUNK);
        self.stream.read_buf(&mut self.input).await
    }

    fn take_line(&mut self) -> Option<Line> {
        let unread = self.unread();
        let end = unread.iter().position(|byte| *byte == b'\n')? + 1;
        let line = unread.get(..end)?;
        let body = line.strip_suffix(b"\r\n");
        let good = end <= MAX_LINE && body.is_some_and(|body| !body.contains(&b'\r') && !body.contains(&0));
        let line = if good { Line::Command(line.to_vec()) } else { Line::Malformed };
        self.consume(end);
        Some(line)
    }

    async fn drop_long_line(&mut self) -> io::Result<Line> {
        loop {
            self.used = self.input.len();
            if self.fill().await? == 0 {
                return Ok(Line::End);
            }
            if self.take_line().is_some() {
                return Ok(Line::Malformed);
            }
        }
    }
}
