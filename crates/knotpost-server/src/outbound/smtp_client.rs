//! Mail out to a relay by SMTP: connections kept open, and what the relay's answers mean for the queue.
//!
//! Speaks through lettre's connection, but opens and keeps the connections itself: they must send small packets at
//! once, or every mail waits for the relay's delayed acknowledgement.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::relay::{Relay, Security, parse_relay};
use super::smtp_line::{Failure, Line, Parcel};
use super::transport::{Outgoing, SendError, TransportError};

const CONNECT_PATIENCE: Duration = Duration::from_mins(1);
/// RFC 5321, section 4.5.3.2.6, asks for ten minutes of patience at the end of a message.
const MAIL_PATIENCE: Duration = Duration::from_mins(10);
/// Connections kept while they have nothing to do.
const MAX_IDLE: usize = 10;

#[derive(Clone)]
pub(super) struct SmtpClient {
    shared: Arc<Shared>,
}

struct Shared {
    relay: Relay,
    tls: Option<TlsParameters>,
    /// Who we say we are.
    hello: ClientId,
    idle: Mutex<Vec<Line>>,
}

impl fmt::Debug for SmtpClient {
    /// Without the password.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SmtpClient").field("relay", &self.shared.relay.host).finish_non_exhaustive()
    }
}

/// Whether a mail was begun together with the end of the one before it.
#[derive(Debug, Default)]
pub(super) enum Begun {
    /// It begins like any other.
    #[default]
    Not,
    /// Its commands are with the relay, whose answers are still to be read: they are this mail's own affair.
    Announced {
        line: Box<Line>,
        /// Whether the message was one of ASCII alone, which the relay was told.
        ascii: bool,
    },
}

impl SmtpClient {
    pub(super) fn from_url(scheme: &str, rest: &str, helo: &str) -> Result<Self, TransportError> {
        let relay = parse_relay(scheme, rest)?;
        let tls = tls_parameters(&relay)?;
        // The settings were checked: literals stand in brackets already.
        let hello = ClientId::Domain(helo.to_owned());
        Ok(Self { shared: Arc::new(Shared { relay, tls, hello, idle: Mutex::default() }) })
    }

    /// Sends a mail, and begins the next in the same breath where the relay takes that.
    pub(super) async fn send(
        &self,
        mail: &Outgoing<'_>,
        begun: Begun,
        next: Option<&Outgoing<'_>>,
    ) -> (Result<(), SendError>, Begun) {
        let parcel = match Parcel::read(mail) {
            Ok(parcel) => parcel,
            Err(error) => return (Err(error), Begun::Not),
        };
        let next = next.and_then(|next| Parcel::read(next).ok());
        let next = next.as_ref();
        if let Begun::Announced { line, ascii } = begun
            // Another message than was announced: nothing has come of it when the connection ends.
            && ascii == parcel.is_ascii()
        {
            match self.begin(*line, &parcel, true).await {
                Ok(line) => return self.hand_over(line, &parcel, next).await,
                Err(NotBegun::Stale(_)) => {}
                Err(NotBegun::Refused(error)) => return (Err(error), Begun::Not),
            }
        }
        let kept = self.lock_idle().pop();
        if let Some(line) = kept {
            match self.begin(line, &parcel, false).await {
                Ok(line) => return self.hand_over(line, &parcel, next).await,
                Err(NotBegun::Stale(_)) => {}
                Err(NotBegun::Refused(error)) => return (Err(error), Begun::Not),
            }
        }
        let line = match self.shared.connect().await {
            Ok(line) => line,
            Err(error) => return (Err(error), Begun::Not),
        };
        match self.begin(line, &parcel, false).await {
            Ok(line) => self.hand_over(line, &parcel, next).await,
            Err(NotBegun::Stale(error) | NotBegun::Refused(error)) => (Err(error), Begun::Not),
        }
    }

    /// Gives the connection on which the relay waits for the message.
    async fn begin(&self, mut line: Line, parcel: &Parcel<'_>, is_announced: bool) -> Result<Line, NotBegun> {
        if !line.carries(parcel) {
            self.keep(line);
            let text = "the relay does not carry addresses with letters beyond ASCII (SMTPUTF8)";
            return Err(NotBegun::Refused(SendError::Permanent(text.to_owned())));
        }
        let begun =
            async { if is_announced { line.hear_announced().await } else { line.begin(parcel).await } };
        match timeout(MAIL_PATIENCE, begun).await {
            Ok(Ok(())) => Ok(line),
            Ok(Err(failure)) => {
                if failure.is_answer() {
                    self.keep_if_in_order(line).await;
                }
                Err(match failure {
                    Failure::Stale(error) => NotBegun::Stale(SendError::Transient(describe(&error))),
                    other => NotBegun::Refused(judge(&other)),
                })
            }
            Err(_) => Err(NotBegun::Refused(too_slow())),
        }
    }

    /// Hands over the message that the relay waits for.
    async fn hand_over(
        &self,
        mut line: Line,
        parcel: &Parcel<'_>,
        next: Option<&Parcel<'_>>,
    ) -> (Result<(), SendError>, Begun) {
        let next = next.filter(|next| parcel.is_text() && line.may_announce(next));
        let Ok(handed) = timeout(MAIL_PATIENCE, line.hand_over(parcel, next)).await else {
            return (Err(too_slow()), Begun::Not);
        };
        let is_heard = handed.as_ref().map_or_else(Failure::is_answer, |()| true);
        let begun = match next {
            // What the relay says to the next mail must not keep back what it said to this one.
            Some(next) if is_heard => Begun::Announced { line: Box::new(line), ascii: next.is_ascii() },
            _ => {
                match &handed {
                    Ok(()) => self.keep(line),
                    Err(failure) if failure.is_answer() => self.keep_if_in_order(line).await,
                    Err(_) => {}
                }
                Begun::Not
            }
        };
        (handed.map_err(|failure| judge(&failure)), begun)
    }

    async fn keep_if_in_order(&self, mut line: Line) {
        if timeout(CONNECT_PATIENCE, line.reset()).await.unwrap_or(false) {
            self.keep(line);
        }
    }

    fn keep(&self, line: Line) {
        let mut idle = self.lock_idle();
        if idle.len() < MAX_IDLE {
            idle.push(line);
        }
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, Vec<Line>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the relay does not wait for a message.
enum NotBegun {
    /// The connection was of no use any more; nothing was said about the mail.
    Stale(SendError),
    /// It does not want this one.
    Refused(SendError),
}

impl Shared {
    /// A connection ready for mail. Whatever goes wrong here is no mail's fault.
    async fn connect(&self) -> Result<Line, SendError> {
        match timeout(CONNECT_PATIENCE, self.open()).await {
            Ok(opened) => opened,
            Err(_) => Err(too_slow()),
        }
    }

    async fn open(&self) -> Result<Line, SendError> {
        let failed = |error: Error| SendError::Transient(describe(&error));
        let hello = self.hello.clone();
        let place = (self.relay.host.as_str(), self.relay.port);
        let mut connection = if self.relay.security == Security::Wrapped {
            AsyncSmtpConnection::connect_tokio1(place, None, &hello, self.tls.clone(), None)
                .await
                .map_err(failed)?
        } else {
            let unreachable = |error| SendError::Transient(format!("the relay cannot be reached: {error}"));
            let stream = TcpStream::connect(place).await.map_err(unreachable)?;
            let _ = stream.set_nodelay(true);
            AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello).await.map_err(failed)?
        };
        let upgrade = match self.relay.security {
            Security::Required => true,
            Security::Opportunistic => connection.can_starttls(),
            Security::None | Security::Wrapped => false,
        };
        if let Some(tls) = self.tls.clone().filter(|_| upgrade) {
            connection.starttls(tls, &hello).await.map_err(failed)?;
        }
        if let Some((user, password)) = self.relay.credentials.clone() {
            connection.auth(DEFAULT_MECHANISMS, &Credentials::new(user, password)).await.map_err(failed)?;
        }
        Ok(Line::new(connection, hello).await)
    }
}

fn too_slow() -> SendError {
    SendError::Transient("the relay did not answer in time".to_owned())
}

/// Refusals of this mail are permanent; refusals of us (50x: protocol, 53x: authentication) are somebody's mistake in
/// a configuration, and no mail shall be lost by it.
fn judge(failure: &Failure) -> SendError {
    let (Failure::Stale(error) | Failure::Mail(error) | Failure::Recipient(error)) = failure;
    let said = describe(error);
    let code = error.status().map(u16::from).unwrap_or_default();
    let refused = (510..=529).contains(&code) || (540..=599).contains(&code);
    match failure {
        Failure::Recipient(_) if refused => SendError::Recipient(said),
        Failure::Mail(_) if refused => SendError::Permanent(said),
        _ => SendError::Transient(said),
    }
}

/// The error with its causes, on one line.
fn describe(error: &Error) -> String {
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !said.contains(&words) {
            said.push_str(": ");
            said.push_str(&words);
        }
        cause = inner.source();
    }
    said.chars().take(500).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What TLS asks of the relay's certificate; `None` when TLS is never used.
fn tls_parameters(relay: &Relay) -> Result<Option<TlsParameters>, TransportError> {
    let unverified = match relay.security {
        Security::None => return Ok(None),
        Security::Opportunistic => true,
        Security::Required | Security::Wrapped => false,
    };
    TlsParameters::builder(relay.host.clone())
        .dangerous_accept_invalid_certs(unverified)
        .dangerous_accept_invalid_hostnames(unverified)
        .build()
        .map(Some)
        .map_err(|_| TransportError::Tls)
}
