//! The SMTP and LMTP listener: takes mail for our own addresses from other mail servers and answers after the
//! message is stored.
//!
//! Speaks the protocols, keeps the limits and hands whole messages to an [`Intake`]. Knows neither the store nor
//! what is in a message.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

mod command;
mod message;
mod reply;
mod session;
mod stream;
mod tls;

pub use command::Command;
pub use tls::{Certificates, TlsError};

use super::unix_socket::NamedSocket;
use crate::connections::{AcceptFailures, Slots};
use crate::domain::{Host, Networks};

use session::Session;

/// The way a message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// The SMTP listener.
    Smtp,
    /// The LMTP listener.
    Lmtp,
    /// Piped into `deliver`.
    Pipe,
    /// `POST /inbound`.
    Http,
    /// A watched Maildir.
    Maildir,
}

impl Way {
    /// Whether somebody waits on this way for an answer that he passes on to the sender.
    pub fn has_session(self) -> bool {
        matches!(self, Self::Smtp | Self::Lmtp)
    }

    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Smtp => "smtp",
            Self::Lmtp => "lmtp",
            Self::Pipe => "pipe",
            Self::Http => "http",
            Self::Maildir => "maildir",
        }
    }
}

/// What is known of a message beside its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The way it came.
    pub way: Way,
    /// The host that brought it.
    pub peer: Option<IpAddr>,
    /// The name that host gave itself.
    pub helo: Option<String>,
    /// The return path; `None` is the null path `<>`.
    pub mail_from: Option<String>,
    /// The recipients, as they were written; all of them were accepted by [`Intake::recipient`].
    pub recipients: Vec<String>,
}

/// What to say to `RCPT TO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientVerdict {
    /// An address of ours.
    Accepted,
    /// Our domain, but no address of ours; the text says what would be.
    Unknown {
        /// One sentence for the sender.
        text: String,
    },
    /// Somebody else's address: we do not relay.
    NotOurs,
    /// Not at the moment.
    TryLater {
        /// One sentence for the sender.
        text: String,
    },
}

/// What to say at the end of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// It is stored, durably.
    Stored {
        /// One line for the log of the other side.
        text: String,
    },
    /// It will not be taken, now or later.
    Refused {
        /// The reply code, 5xx.
        code: u16,
        /// The enhanced status code, "5.x.y".
        enhanced: &'static str,
        /// One sentence for the sender.
        text: String,
    },
    /// It cannot be taken now.
    TryLater {
        /// The reply code, 4xx.
        code: u16,
        /// The enhanced status code, "4.x.y".
        enhanced: &'static str,
        /// One line for the log of the other side.
        text: String,
    },
}

/// The enhanced status code of [`Receipt::TryLater`] when no mail at all can be stored.
pub(super) const STORE_TROUBLE: &str = "4.3.0";

impl Receipt {
    /// Not now, because of this server's own state (451 4.3.0).
    pub fn try_later(text: impl Into<String>) -> Self {
        Self::TryLater { code: 451, enhanced: STORE_TROUBLE, text: text.into() }
    }
}

/// Whoever takes the messages.
pub trait Intake: Send + Sync {
    /// Judges a recipient, quickly and without waiting.
    fn recipient(&self, address: &str) -> RecipientVerdict;

    /// Takes a message. The receipt is given to the other side as it is: `Stored` means stored.
    fn receive(&self, envelope: Envelope, raw: Vec<u8>) -> BoxFuture<'_, Receipt>;
}

/// The protocol spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 5321.
    Smtp,
    /// RFC 2033: as SMTP, but one answer for each recipient.
    Lmtp,
}

impl Protocol {
    /// Its name in the log and in metrics.
    fn name(self) -> &'static str {
        match self {
            Self::Smtp => "smtp",
            Self::Lmtp => "lmtp",
        }
    }
}

/// How the listener behaves.
#[derive(Debug, Clone)]
pub struct SmtpSettings {
    /// The name we give ourselves.
    pub hostname: String,
    /// What is spoken on this listener.
    pub protocol: Protocol,
    /// The largest message, in bytes.
    pub max_message: usize,
    /// The most recipients of a message.
    pub max_recipients: usize,
    /// The most refused commands of a session.
    pub max_errors: usize,
    /// The most connections at once.
    pub max_connections: usize,
    /// The most connections at once from one host that is no relay.
    pub max_per_host: usize,
    /// Mail servers that relay for this one. They have no limit of their own, but leave room for others.
    pub relays: Networks,
    /// How long a client may take for a whole command line.
    pub command_timeout: Duration,
    /// How long a client may be silent within a message.
    pub data_timeout: Duration,
    /// How long a client may take for a whole message.
    pub message_timeout: Duration,
    /// How long clients may take for a message they have begun after we were told to stop.
    pub grace: Duration,
    /// Certificate and key for STARTTLS; offered only when present.
    pub tls: Option<Arc<ServerConfig>>,
}

impl SmtpSettings {
    /// Careful defaults.
    pub fn new(hostname: impl Into<String>, protocol: Protocol) -> Self {
        Self {
            hostname: hostname.into(),
            protocol,
            max_message: 256 * 1024,
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

/// Serves a TCP listener until cancelled; returns when the last session has ended or the grace is over.
pub async fn serve(
    listener: TcpListener,
    settings: Arc<SmtpSettings>,
    intake: Arc<dyn Intake>,
    cancel: CancellationToken,
) {
    accept_all(listener, settings, intake, cancel).await;
}

/// Serves a listener on a Unix socket as [`serve`] does a TCP one; whoever may connect there is a relay.
#[cfg(unix)]
pub async fn serve_unix(
    socket: NamedSocket,
    settings: Arc<SmtpSettings>,
    intake: Arc<dyn Intake>,
    cancel: CancellationToken,
) {
    let (listener, name) = socket.into_parts();
    // The name goes before the last sessions end: whoever comes now is told at once that nobody listens.
    let stopped = cancel.clone();
    let forget = tokio::spawn(async move {
        stopped.cancelled().await;
        drop(name);
    });
    accept_all(listener, settings, intake, cancel).await;
    forget.abort();
}

/// Where connections come from.
trait Accept {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn next(&self) -> impl Future<Output = io::Result<(Self::Stream, Option<IpAddr>)>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> io::Result<(TcpStream, Option<IpAddr>)> {
        let (stream, peer) = self.accept().await?;
        // Answers are small and waited for.
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
    let slots = Slots::new(settings.max_connections, settings.max_per_host);
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
        // A Unix socket has no address: the operator decides who may connect there, as with relays.
        let host = peer.filter(|peer| !settings.relays.contain(*peer)).map(Host::of);
        let Ok(slot) = slots.take(host) else {
            sessions.spawn(session.turn_away(stream));
            continue;
        };
        sessions.spawn(async move {
            session.run(stream).await;
            drop(slot);
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
