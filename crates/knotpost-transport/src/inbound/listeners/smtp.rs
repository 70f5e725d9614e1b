//! The SMTP and LMTP listener: takes mail for our own addresses and replies after the message is stored.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

mod command;
mod message;
mod reply;
mod session;
mod stream;
mod tls;
mod validity;

pub use command::Command;
pub use tls::{Certificates, TlsError};

use crate::inbound::intake::{Envelope, Intake, Receipt, RecipientVerdict};
use crate::inbound::listeners::unix_socket::NamedSocket;
use knotpost_model::Networks;
use knotpost_platform::connections::{AcceptFailures, Places};

use session::Session;

/// Most messages of more than 256 KiB at once.
const LARGE_MESSAGES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 5321.
    Smtp,
    /// RFC 2033: as SMTP, but one reply for each recipient.
    Lmtp,
}

impl Protocol {
    fn name(self) -> &'static str {
        match self {
            Self::Smtp => "smtp",
            Self::Lmtp => "lmtp",
        }
    }
}

#[derive(Debug, Clone)]
pub struct SmtpSettings {
    pub hostname: String,
    pub protocol: Protocol,
    /// Bytes.
    pub max_message: usize,
    /// Places of messages of more than 256 KiB; without one they are put off.
    pub large_messages: Arc<Semaphore>,
    pub max_recipients: usize,
    pub max_errors: usize,
    pub max_connections: usize,
    pub max_per_host: usize,
    /// Mail servers that relay for this one. They have no limit per host, but leave room for other clients.
    pub relays: Networks,
    pub command_timeout: Duration,
    /// Limit of silence within a message.
    pub data_timeout: Duration,
    pub message_timeout: Duration,
    /// Time to finish a message after cancellation.
    pub grace: Duration,
    /// For STARTTLS; offered only if present.
    pub tls: Option<Arc<ServerConfig>>,
}

impl SmtpSettings {
    pub fn new(hostname: impl Into<String>, protocol: Protocol) -> Self {
        Self {
            hostname: hostname.into(),
            protocol,
            max_message: 4 * 1024 * 1024,
            large_messages: Arc::new(Semaphore::new(LARGE_MESSAGES)),
            max_recipients: 100,
            max_errors: 20,
            max_connections: 1000,
            max_per_host: 50,
            relays: Networks::default(),
            command_timeout: Duration::from_mins(5),
            data_timeout: Duration::from_mins(2),
            message_timeout: Duration::from_mins(10),
            grace: Duration::from_secs(4),
            tls: None,
        }
    }
}

/// Returns after cancellation, at the end of the last session or of the grace period.
pub async fn serve(
    listener: TcpListener,
    settings: Arc<SmtpSettings>,
    intake: Arc<dyn Intake>,
    cancel: CancellationToken,
) {
    accept_all(listener, settings, intake, cancel).await;
}

/// Every client counts as a relay.
#[cfg(unix)]
pub async fn serve_unix(
    socket: NamedSocket,
    settings: Arc<SmtpSettings>,
    intake: Arc<dyn Intake>,
    cancel: CancellationToken,
) {
    let (listener, name) = socket.into_parts();
    // The name is removed before the last sessions end, so that new clients are refused at once.
    let stopped = cancel.clone();
    let forget = tokio::spawn(async move {
        stopped.cancelled().await;
        drop(name);
    });
    accept_all(listener, settings, intake, cancel).await;
    forget.abort();
}

trait Accept {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn next(&self) -> impl Future<Output = io::Result<(Self::Stream, Option<IpAddr>)>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> io::Result<(TcpStream, Option<IpAddr>)> {
        let (stream, peer) = self.accept().await?;
        // Replies are small, and clients wait for them.
        let _ = stream.set_nodelay(true);
        Ok((stream, Some(peer.ip())))
    }
}

#[cfg(unix)]
impl Accept for tokio::net::UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn next(&self) -> io::Result<(Self::Stream, Option<IpAddr>)> {
        self.accept().await.map(|(stream, _)| (stream, None))
    }
}

async fn accept_all(
    listener: impl Accept,
    settings: Arc<SmtpSettings>,
    intake: Arc<dyn Intake>,
    cancel: CancellationToken,
) {
    let places = Places::new(settings.max_connections, settings.max_per_host);
    let mut failures = AcceptFailures::new(settings.protocol.name());
    let mut sessions = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = cancel.cancelled() => break,
            accepted = listener.next() => accepted,
        };
        while sessions.try_join_next().is_some() {}
        let (stream, peer) = match accepted {
            Ok(connection) => connection,
            Err(error) => {
                failures.pause_after(&error).await;
                continue;
            }
        };
        let session = Session::new(Arc::clone(&settings), Arc::clone(&intake), peer, cancel.clone());
        // A Unix socket has no address: its permissions decide which clients connect, so they count as relays.
        let host = peer.filter(|peer| !settings.relays.contain(*peer));
        // A session is never closed for another one, as it may be taking a mail; it has time limits of its own.
        let Ok(request) = places.open(host).and_then(|place| place.begin(host, false)) else {
            sessions.spawn(session.turn_away(stream));
            continue;
        };
        sessions.spawn(async move {
            session.run(stream).await;
            drop(request);
        });
    }
    drop(listener);
    finish(sessions, settings.grace + session::FAREWELL).await;
}

async fn finish(mut sessions: JoinSet<()>, grace: Duration) {
    let all_ended = async { while sessions.join_next().await.is_some() {} };
    if timeout(grace, all_ended).await.is_err() {
        sessions.shutdown().await;
    }
}
