//! The local socket: both ends of the way from `deliver` to the running server.
//!
//! The client writes one line of JSON (the envelope), then the message, and closes its side; the server answers one
//! line: `stored …`, `refused CODE ENHANCED …` or `later …`.

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

use crate::inbound::intake::{Envelope, Intake, Receipt};
use crate::inbound::listeners::unix_socket::NamedSocket;
use knotpost_core::intake::Way;

const MESSAGE_TIMEOUT: Duration = Duration::from_mins(1);
const RECEIPT_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_ENVELOPE_BYTES: u64 = 64 * 1024;

/// The envelope of a piped message, as far as the pipe knows it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Piped {
    pub recipients: Vec<String>,
    pub mail_from: Option<String>,
}

impl Piped {
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

/// Returns after cancellation, with the socket removed.
pub async fn serve(
    socket: NamedSocket,
    intake: Arc<dyn Intake>,
    max_message: usize,
    stop: CancellationToken,
) {
    let (listener, name) = socket.into_parts();
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
            // Perhaps out of file descriptors: a short pause lets other tasks close theirs.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    // A client that connects now finds no server and stores the message itself.
    drop((name, listener));
    while sessions.join_next().await.is_some() {}
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
        // Without a receipt `deliver` tells its mail server to try again.
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

/// `None` for a message over the limit.
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

pub async fn receive_piped(intake: &dyn Intake, piped: Piped, raw: Vec<u8>) -> Receipt {
    for recipient in &piped.recipients {
        if let Some(refused) = intake.recipient(recipient).refuse(recipient) {
            return refused;
        }
    }
    intake.receive(piped.envelope(), raw).await
}

/// A failure to submit, after which the client may store the message itself.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    #[error("no server listens for it")]
    NoServer,
    /// As a rule for lack of permission.
    #[error("the server's socket cannot be used")]
    Closed(#[source] io::Error),
    /// The server may have taken the message or not.
    #[error("the server went away in the middle")]
    Broken(#[source] io::Error),
}

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
