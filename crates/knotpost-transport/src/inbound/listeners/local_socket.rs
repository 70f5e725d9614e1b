//! The local socket listener: takes messages that `deliver` submits to the running server, and its client.
//!
//! The client writes one line of JSON (the envelope), then the message, and closes its side; the
//! server answers one line: `stored …`, `refused CODE ENHANCED …` or `later …`.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::inbound::intake::{Envelope, Intake, Receipt, RecipientVerdict};
use crate::inbound::listeners::unix_socket::NamedSocket;
use knotpost_core::intake::Way;

/// How long a client may take to write its message.
const MESSAGE_TIMEOUT: Duration = Duration::from_mins(1);
/// How long the server may take to store it.
const RECEIPT_TIMEOUT: Duration = Duration::from_mins(1);
/// The longest envelope line, in bytes.
const MAX_ENVELOPE_BYTES: u64 = 64 * 1024;

/// The envelope of a piped message, as far as the pipe knows it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Piped {
    /// The addresses it was delivered to.
    pub recipients: Vec<String>,
    /// The return path; `None`: the null path.
    pub mail_from: Option<String>,
}

impl Piped {
    /// The envelope of a message that came through a pipe.
    pub fn envelope(self) -> Envelope {
        Envelope {
            way: Way::Pipe,
            peer: None,
            helo: None,
            mail_from: self.mail_from,
            recipients: self.recipients,
        }
    }
}

/// The server's end.
#[derive(Debug)]
pub struct Socket(NamedSocket);

impl Socket {
    /// Listens on `path`, replacing the socket of a server that is gone; `mode` says who may connect.
    ///
    /// # Errors
    /// When another server listens there, or the socket cannot be made.
    pub fn bind(path: &Path, mode: u32) -> io::Result<Self> {
        NamedSocket::bind(path, mode).map(Self)
    }

    /// Takes messages until the token is cancelled, then removes the socket.
    pub async fn serve(self, intake: Arc<dyn Intake>, max_message: usize, stop: CancellationToken) {
        let (listener, name) = self.0.into_parts();
        let mut sessions = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            while sessions.try_join_next().is_some() {}
            match accepted {
                Ok((stream, _)) => {
                    let (intake, stop) = (Arc::clone(&intake), stop.clone());
                    sessions.spawn(async move {
                        if let Err(error) = converse(stream, intake.as_ref(), max_message, &stop).await {
                            tracing::info!(%error, "a piped message was not handed over");
                        }
                    });
                }
                // Out of file descriptors, for instance: a short pause lets other tasks close theirs.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        // A client that connects now finds no server and stores the message itself.
        drop((name, listener));
        while sessions.join_next().await.is_some() {}
    }
}

async fn converse(
    stream: UnixStream,
    intake: &dyn Intake,
    max_message: usize,
    stop: &CancellationToken,
) -> io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let received = tokio::select! {
        received = timeout(MESSAGE_TIMEOUT, read(BufReader::new(reading), max_message)) => received,
        // No receipt was given yet: `deliver` tells its mail server to try again.
        () = stop.cancelled() => return Err(io::ErrorKind::ConnectionAborted.into()),
    };
    let receipt = match received {
        Ok(Ok(Some((piped, raw)))) => receive_piped(intake, piped, raw).await,
        Ok(Ok(None)) => {
            Receipt::Refused { code: 552, enhanced: "5.3.4", text: "the message is too large".to_owned() }
        }
        Ok(Err(error)) => return Err(error),
        Err(_) => return Err(io::ErrorKind::TimedOut.into()),
    };
    let line = match receipt {
        Receipt::Stored { text } => format!("stored {text}\n"),
        Receipt::Refused { code, enhanced, text } => format!("refused {code} {enhanced} {text}\n"),
        Receipt::TryLater { text, .. } => format!("later {text}\n"),
    };
    writing.write_all(line.as_bytes()).await
}

/// The envelope and the message; `None`: the message is larger than is taken.
async fn read(
    reading: BufReader<tokio::net::unix::OwnedReadHalf>,
    max_message: usize,
) -> io::Result<Option<(Piped, Vec<u8>)>> {
    let mut line = String::new();
    let mut reading = reading.take(MAX_ENVELOPE_BYTES);
    reading.read_line(&mut line).await?;
    let piped: Piped = serde_json::from_str(&line).map_err(io::Error::other)?;
    let mut raw = Vec::new();
    let limit = max_message as u64 + 1;
    reading.set_limit(limit);
    reading.read_to_end(&mut raw).await?;
    Ok((raw.len() <= max_message).then_some((piped, raw)))
}

/// Passes a message to the intake, unless a recipient is refused, as by every other listener.
pub async fn receive_piped(intake: &dyn Intake, piped: Piped, raw: Vec<u8>) -> Receipt {
    for recipient in &piped.recipients {
        match intake.recipient(recipient) {
            RecipientVerdict::Accepted => {}
            RecipientVerdict::Unknown { text } => {
                return Receipt::Refused { code: 550, enhanced: "5.1.1", text };
            }
            RecipientVerdict::NotOurs => {
                let text = format!("{recipient} is not an address of this server");
                return Receipt::Refused { code: 550, enhanced: "5.7.1", text };
            }
            RecipientVerdict::TryLater { text } => return Receipt::try_later(text),
        }
    }
    intake.receive(piped.envelope(), raw).await
}

/// Why a message was not submitted; the client may store it in the server's place.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// No server listens there.
    #[error("no server listens for it")]
    NoServer,
    /// The socket cannot be used, as a rule for lack of permission.
    #[error("the server's socket cannot be used")]
    Closed(#[source] io::Error),
    /// The connection broke: whether the server took the message is not known.
    #[error("the server went away in the middle")]
    Broken(#[source] io::Error),
}

/// Submits a message to the server that listens on `socket`.
///
/// # Errors
/// [`SubmitError`] when the server gave no receipt.
pub async fn submit(socket: &Path, piped: &Piped, raw: &[u8]) -> Result<Receipt, SubmitError> {
    let stream = match UnixStream::connect(socket).await {
        Ok(stream) => stream,
        Err(error) => {
            let nobody = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused);
            return Err(if nobody { SubmitError::NoServer } else { SubmitError::Closed(error) });
        }
    };
    speak(stream, piped, raw).await.map_err(SubmitError::Broken)
}

async fn speak(stream: UnixStream, piped: &Piped, raw: &[u8]) -> io::Result<Receipt> {
    let (reading, mut writing) = stream.into_split();
    let mut request = serde_json::to_vec(piped).map_err(io::Error::other)?;
    request.push(b'\n');
    writing.write_all(&request).await?;
    writing.write_all(raw).await?;
    writing.shutdown().await?;
    let mut line = String::new();
    timeout(RECEIPT_TIMEOUT, BufReader::new(reading).read_line(&mut line)).await??;
    let line = line.trim_end();
    match line.split_once(' ') {
        Some(("stored", text)) => Ok(Receipt::Stored { text: text.to_owned() }),
        Some(("refused", rest)) => {
            let text = rest.splitn(3, ' ').nth(2).unwrap_or(rest).to_owned();
            Ok(Receipt::Refused { code: 550, enhanced: "5.0.0", text })
        }
        Some(("later", text)) => Ok(Receipt::try_later(text)),
        _ => Err(io::Error::other("the server gave no answer")),
    }
}
