//! The SMTP transport: sends mails to a relay over pooled connections, and maps the relay's replies to results.
//!
//! Uses lettre's connections, but opens and pools them itself: they must send small packets at once (`TCP_NODELAY`),
//! or every mail waits for the relay's delayed acknowledgement.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, Certificate, TlsParameters, TlsParametersBuilder,
};
use lettre::transport::smtp::extension::ClientId;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::relay::{Relay, Security, parse_relay};
use super::smtp_connection::{Failure, Parcel, SmtpConnection};
use super::{Outgoing, SendError, TransportError};

/// How long connecting or resetting a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_mins(1);
/// How long each step of a mail may take: RFC 5321, section 4.5.3.2.6, asks for ten minutes at the end of a message.
const MAIL_TIMEOUT: Duration = Duration::from_mins(10);
/// The most idle connections in the pool.
const MAX_IDLE: usize = 10;

#[derive(Clone)]
pub(super) struct SmtpClient {
    shared: Arc<Shared>,
}

struct Shared {
    relay: Relay,
    tls: Option<TlsParameters>,
    /// The name in our greeting.
    hello: ClientId,
    idle: Mutex<Vec<SmtpConnection>>,
}

impl fmt::Debug for SmtpClient {
    /// Without the password.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SmtpClient").field("relay", &self.shared.relay.host).finish_non_exhaustive()
    }
}

/// Whether a mail was announced with the end of the one before it.
#[derive(Debug, Default)]
pub(super) enum Begun {
    #[default]
    Not,
    /// Its commands were sent; the relay's replies to them are read when the mail has its turn.
    Announced {
        connection: Box<SmtpConnection>,
        /// Whether the message was announced as ASCII.
        ascii: bool,
    },
}

impl SmtpClient {
    /// A client of the relay in the URL, which trusts these authorities too.
    pub(super) fn from_url(
        scheme: &str,
        rest: &str,
        helo: &str,
        authorities: Vec<Certificate>,
    ) -> Result<Self, TransportError> {
        let relay = parse_relay(scheme, rest)?;
        let tls = tls_parameters(&relay, authorities)?;
        // The settings were checked: address literals have their brackets.
        let hello = ClientId::Domain(helo.to_owned());
        Ok(Self { shared: Arc::new(Shared { relay, tls, hello, idle: Mutex::default() }) })
    }

    /// Connects as for a mail, and sends none. Says whether the connection was encrypted.
    pub(super) async fn try_out(&self, patience: Duration) -> Result<bool, RelayTrouble> {
        match timeout(patience, self.shared.open()).await {
            Ok(Ok(connection)) => {
                let is_encrypted = connection.is_encrypted();
                let _ = timeout(patience, connection.quit()).await;
                Ok(is_encrypted)
            }
            Ok(Err(trouble)) => Err(trouble),
            Err(_) => {
                let problem = format!("no answer within {} seconds", patience.as_secs());
                Err(RelayTrouble { step: RelayStep::Greet, problem })
            }
        }
    }

    /// The relay itself.
    pub(super) fn relay(&self) -> &Relay {
        &self.shared.relay
    }

    /// Sends a mail, and announces the next one where the relay pipelines.
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
        if let Begun::Announced { connection, ascii } = begun
            // For a message other than the announced one the connection is dropped, which takes the announcement back.
            && ascii == parcel.is_ascii()
        {
            match self.begin(*connection, &parcel, true).await {
                Ok(connection) => return self.hand_over(connection, &parcel, next).await,
                Err(NotBegun::Stale(_)) => {}
                Err(NotBegun::Refused(error)) => return (Err(error), Begun::Not),
            }
        }
        let idle = self.lock_idle().pop();
        if let Some(connection) = idle {
            match self.begin(connection, &parcel, false).await {
                Ok(connection) => return self.hand_over(connection, &parcel, next).await,
                Err(NotBegun::Stale(_)) => {}
                Err(NotBegun::Refused(error)) => return (Err(error), Begun::Not),
            }
        }
        let connection = match self.shared.connect().await {
            Ok(connection) => connection,
            Err(error) => return (Err(error), Begun::Not),
        };
        match self.begin(connection, &parcel, false).await {
            Ok(connection) => self.hand_over(connection, &parcel, next).await,
            Err(NotBegun::Stale(error) | NotBegun::Refused(error)) => (Err(error), Begun::Not),
        }
    }

    /// Sends the commands of a mail, and returns the connection on which the relay waits for the message.
    async fn begin(
        &self,
        mut connection: SmtpConnection,
        parcel: &Parcel<'_>,
        is_announced: bool,
    ) -> Result<SmtpConnection, NotBegun> {
        if !connection.carries(parcel) {
            self.pool(connection);
            let text = "the relay does not carry addresses with letters beyond ASCII (SMTPUTF8)";
            return Err(NotBegun::Refused(SendError::Permanent(text.to_owned())));
        }
        let begun = async {
            if is_announced { connection.hear_announced().await } else { connection.begin(parcel).await }
        };
        match timeout(MAIL_TIMEOUT, begun).await {
            Ok(Ok(())) => Ok(connection),
            Ok(Err(failure)) => {
                if failure.is_answer() {
                    self.pool_if_in_order(connection).await;
                }
                Err(match failure {
                    Failure::Stale(error) => NotBegun::Stale(SendError::Transient(describe(&error))),
                    other => NotBegun::Refused(judge(&other)),
                })
            }
            Err(_) => Err(NotBegun::Refused(too_slow())),
        }
    }

    /// Sends the message that the relay waits for.
    async fn hand_over(
        &self,
        mut connection: SmtpConnection,
        parcel: &Parcel<'_>,
        next: Option<&Parcel<'_>>,
    ) -> (Result<(), SendError>, Begun) {
        let next = next.filter(|next| parcel.is_text() && connection.may_announce(next));
        let Ok(handed) = timeout(MAIL_TIMEOUT, connection.hand_over(parcel, next)).await else {
            return (Err(SendError::Unheard(TOO_SLOW.to_owned())), Begun::Not);
        };
        let is_heard = handed.as_ref().map_or_else(Failure::is_answer, |()| true);
        let begun = match next {
            // The reply to this mail is returned before those to the next are read.
            Some(next) if is_heard => {
                Begun::Announced { connection: Box::new(connection), ascii: next.is_ascii() }
            }
            _ => {
                match &handed {
                    Ok(()) => self.pool(connection),
                    Err(failure) if failure.is_answer() => self.pool_if_in_order(connection).await,
                    Err(_) => {}
                }
                Begun::Not
            }
        };
        let sent = handed.map_err(|failure| match judge(&failure) {
            // The relay may have taken the mail and the connection ended before it could say so.
            SendError::Transient(said) if !is_heard => SendError::Unheard(said),
            other => other,
        });
        (sent, begun)
    }

    async fn pool_if_in_order(&self, mut connection: SmtpConnection) {
        if timeout(CONNECT_TIMEOUT, connection.reset()).await.unwrap_or(false) {
            self.pool(connection);
        }
    }

    fn pool(&self, connection: SmtpConnection) {
        let mut idle = self.lock_idle();
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, Vec<SmtpConnection>> {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far a connection to a relay came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayStep {
    /// The network; with `smtps:` TLS and the greeting, too.
    Connect,
    /// The greeting and EHLO.
    Greet,
    /// STARTTLS.
    Encrypt,
    /// The user and the password.
    LogIn,
}

/// A connection to a relay that did not come about.
#[derive(Clone, Debug)]
pub struct RelayTrouble {
    /// The step that failed.
    pub step: RelayStep,
    /// Why, without a password.
    pub problem: String,
}

impl RelayTrouble {
    fn at(step: RelayStep) -> impl Fn(Error) -> Self {
        move |error| Self { step, problem: describe(&error) }
    }
}

/// Why the relay does not wait for a message.
enum NotBegun {
    /// The connection was closed; the relay has said nothing about the mail.
    Stale(SendError),
    Refused(SendError),
}

impl Shared {
    /// A connection ready for mail. A failure here is not the mail's, so it is transient.
    async fn connect(&self) -> Result<SmtpConnection, SendError> {
        match timeout(CONNECT_TIMEOUT, self.open()).await {
            Ok(opened) => opened.map_err(|trouble| SendError::Transient(trouble.problem)),
            Err(_) => Err(too_slow()),
        }
    }

    async fn open(&self) -> Result<SmtpConnection, RelayTrouble> {
        let hello = self.hello.clone();
        let place = (self.relay.host.as_str(), self.relay.port);
        let mut connection = if self.relay.security == Security::Wrapped {
            AsyncSmtpConnection::connect_tokio1(place, None, &hello, self.tls.clone(), None)
                .await
                .map_err(RelayTrouble::at(RelayStep::Connect))?
        } else {
            let unreachable = |error| RelayTrouble {
                step: RelayStep::Connect,
                problem: format!("the relay cannot be reached: {error}"),
            };
            let stream = TcpStream::connect(place).await.map_err(unreachable)?;
            let _ = stream.set_nodelay(true);
            AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello)
                .await
                .map_err(RelayTrouble::at(RelayStep::Greet))?
        };
        let upgrade = match self.relay.security {
            Security::Required => true,
            Security::Opportunistic => connection.can_starttls(),
            Security::None | Security::Wrapped => false,
        };
        if let Some(tls) = self.tls.clone().filter(|_| upgrade) {
            connection.starttls(tls, &hello).await.map_err(RelayTrouble::at(RelayStep::Encrypt))?;
        }
        if let Some((user, password)) = self.relay.credentials.clone() {
            connection
                .auth(DEFAULT_MECHANISMS, &Credentials::new(user, password))
                .await
                .map_err(RelayTrouble::at(RelayStep::LogIn))?;
        }
        Ok(SmtpConnection::new(connection, hello).await)
    }
}

const TOO_SLOW: &str = "the relay did not answer in time";

fn too_slow() -> SendError {
    SendError::Transient(TOO_SLOW.to_owned())
}

/// Refusals of this mail are permanent. Refusals of this server (50x: protocol, 53x: authentication) are errors of
/// configuration, by which no mail must be lost.
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

/// The TLS settings for the relay; `None` when TLS is never used.
fn tls_parameters(
    relay: &Relay,
    authorities: Vec<Certificate>,
) -> Result<Option<TlsParameters>, TransportError> {
    let unverified = match relay.security {
        Security::None => return Ok(None),
        Security::Opportunistic => true,
        Security::Required | Security::Wrapped => false,
    };
    let trusting = TlsParameters::builder(relay.host.clone());
    authorities
        .into_iter()
        .fold(trusting, TlsParametersBuilder::add_root_certificate)
        .dangerous_accept_invalid_certs(unverified)
        .dangerous_accept_invalid_hostnames(unverified)
        .build()
        .map(Some)
        .map_err(|_| TransportError::Tls)
}
