//! The SMTP transport: sends mails to a relay over pooled connections of lettre, and maps the relay's replies to results.
//!
//! The pool is our own. lettre's takes a connection back on which a mail was given up, so that the late reply to that mail
//! would be taken for the reply to the next; here a connection is pooled only after the reply to its mail was read.
//! lettre does not say either which command was refused, and waits for the relay's delayed acknowledgement with every mail
//! (no `TCP_NODELAY`).

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, Certificate, TlsParameters, TlsParametersBuilder,
};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::relay::{Relay, Security, is_loopback, parse_relay};
use super::{Outgoing, SendError, TransportError};
use knotpost_platform::with_causes;

/// Limit until the relay waits for the message.
const BEGIN_TIMEOUT: Duration = Duration::from_mins(2);
/// Limit of the message and the reply to it: RFC 5321, section 4.5.3.2.6, asks for ten minutes.
const MESSAGE_TIMEOUT: Duration = Duration::from_mins(10);
/// Limit for the end of a connection after a refusal.
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most idle connections in the pool.
const MAX_IDLE: usize = 10;

/// A mail relay, by SMTP.
#[derive(Clone)]
pub struct SmtpRelay {
    shared: Arc<Shared>,
}

struct Shared {
    relay: Relay,
    tls: Option<TlsParameters>,
    /// The name in our greeting.
    hello: ClientId,
    /// Connections on which the reply to the last mail was read.
    idle: Mutex<Vec<AsyncSmtpConnection>>,
}

impl fmt::Debug for SmtpRelay {
    /// Without the password.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SmtpRelay").field("relay", &self.shared.relay.host).finish_non_exhaustive()
    }
}

/// One mail on its way to the relay.
struct Parcel<'a> {
    from: Option<Address>,
    to: Address,
    message: &'a [u8],
}

impl<'a> Parcel<'a> {
    fn read(mail: &Outgoing<'a>) -> Result<Self, SendError> {
        let from = mail.from.map(parse_address).transpose()?;
        // lettre adds a line end to every message.
        let message = mail.bytes.strip_suffix(b"\r\n").unwrap_or(mail.bytes);
        Ok(Self { from, to: parse_address(mail.to)?, message })
    }

    /// True if an address has letters beyond ASCII, which not every mail server supports: RFC 6531.
    fn is_international(&self) -> bool {
        let beyond = |address: &Address| !address.to_string().is_ascii();
        beyond(&self.to) || self.from.as_ref().is_some_and(beyond)
    }
}

fn parse_address(text: &str) -> Result<Address, SendError> {
    text.parse()
        .map_err(|_| SendError::Permanent("the address is not one that mail can be sent to".to_owned()))
}

/// Reasons for which the relay does not wait for a message.
enum NotBegun {
    /// The connection was closed; the relay has said nothing about the mail.
    Stale(Error),
    /// The relay or the network refused the mail.
    Mail(Error),
    /// The relay refused its recipient.
    Recipient(Error),
    /// The relay does not support such addresses.
    Unsupported,
    /// Its replies are not those to our commands.
    OutOfTurn,
}

impl From<NotBegun> for SendError {
    fn from(failure: NotBegun) -> Self {
        match failure {
            NotBegun::Stale(error) => Self::Transient(describe(&error)),
            NotBegun::Recipient(error) if is_final(&error) => Self::Recipient(describe(&error)),
            NotBegun::Mail(error) | NotBegun::Recipient(error) => refused(&error),
            NotBegun::Unsupported => Self::Permanent(
                "the relay does not carry addresses with letters beyond ASCII (SMTPUTF8)".to_owned(),
            ),
            NotBegun::OutOfTurn => Self::Transient("the relay replied out of turn".to_owned()),
        }
    }
}

impl SmtpRelay {
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
    ///
    /// # Errors
    /// A step failed, or the relay was slower than `patience`.
    pub async fn try_out(&self, patience: Duration) -> Result<bool, RelayTrouble> {
        match timeout(patience, self.shared.open()).await {
            Ok(Ok(mut connection)) => {
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

    /// Its host and port.
    pub fn place(&self) -> String {
        format!("{}:{}", self.shared.relay.host, self.shared.relay.port)
    }

    /// True if it runs on this machine.
    pub fn is_near(&self) -> bool {
        is_loopback(&self.shared.relay.host)
    }

    /// Sends a mail. A connection on which something went wrong is closed.
    pub(super) async fn send(&self, mail: &Outgoing<'_>) -> Result<(), SendError> {
        let parcel = Parcel::read(mail)?;
        let Ok(begun) = timeout(BEGIN_TIMEOUT, self.shared.begin(&parcel)).await else {
            return Err(SendError::Transient(TOO_SLOW.to_owned()));
        };
        let mut connection = begun?;
        match timeout(MESSAGE_TIMEOUT, connection.message(parcel.message)).await {
            Ok(Ok(_)) => {
                self.shared.pool(connection);
                Ok(())
            }
            Ok(Err(error)) if error.status().is_some() => {
                quit(connection).await;
                Err(refused(&error))
            }
            // The relay may have taken the mail and the connection ended before it could say so.
            Ok(Err(error)) => Err(SendError::Unheard(describe(&error))),
            Err(_) => Err(SendError::Unheard(TOO_SLOW.to_owned())),
        }
    }
}

/// Steps of connecting to a relay.
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
    /// Reason of the failure, without a password.
    pub problem: String,
}

impl RelayTrouble {
    fn at(step: RelayStep) -> impl Fn(Error) -> Self {
        move |error| Self { step, problem: describe(&error) }
    }
}

impl Shared {
    /// A connection on which the relay waits for the message of this mail.
    async fn begin(&self, parcel: &Parcel<'_>) -> Result<AsyncSmtpConnection, SendError> {
        let idle = self.lock_idle().pop();
        if let Some(connection) = idle {
            match begin_on(connection, parcel).await {
                // It was idle too long, or said more than it was asked.
                Err(NotBegun::Stale(_) | NotBegun::OutOfTurn) => {}
                begun => return Ok(begun?),
            }
        }
        // A failure here is not the mail's, so it is transient.
        let connection = self.open().await.map_err(|trouble| SendError::Transient(trouble.problem))?;
        Ok(begin_on(connection, parcel).await?)
    }

    fn pool(&self, connection: AsyncSmtpConnection) {
        let mut idle = self.lock_idle();
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<AsyncSmtpConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn open(&self) -> Result<AsyncSmtpConnection, RelayTrouble> {
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
        Ok(connection)
    }
}

/// Sends the commands before the message.
async fn begin_on(
    mut connection: AsyncSmtpConnection,
    parcel: &Parcel<'_>,
) -> Result<AsyncSmtpConnection, NotBegun> {
    let begun = commands_before_message(&mut connection, parcel).await;
    if let Err(failure) = begun {
        quit(connection).await;
        return Err(failure);
    }
    Ok(connection)
}

async fn commands_before_message(
    connection: &mut AsyncSmtpConnection,
    parcel: &Parcel<'_>,
) -> Result<(), NotBegun> {
    let mut parameters = Vec::new();
    if parcel.is_international() {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(NotBegun::Unsupported);
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !parcel.message.is_ascii() && connection.server_info().supports_feature(Extension::EightBitMime) {
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    connection.command(Mail::new(parcel.from.clone(), parameters)).await.map_err(|error| {
        // A connection that was idle too long ends with the next command: by a 421 or without a reply.
        let has_ended = error.status().is_none_or(|code| u16::from(code) == 421);
        if has_ended { NotBegun::Stale(error) } else { NotBegun::Mail(error) }
    })?;
    connection.command(Rcpt::new(parcel.to.clone(), Vec::new())).await.map_err(NotBegun::Recipient)?;
    // No other reply is one to DATA: the relay would be a reply behind, and its 250 that to another command.
    let reply = connection.command(Data).await.map_err(NotBegun::Mail)?;
    if reply.has_code(354) { Ok(()) } else { Err(NotBegun::OutOfTurn) }
}

/// Ends a connection on which no reply is awaited.
async fn quit(mut connection: AsyncSmtpConnection) {
    let _ = timeout(QUIT_TIMEOUT, connection.quit()).await;
}

const TOO_SLOW: &str = "the relay did not answer in time";

/// The result for a refused mail. Only what is final is permanent.
fn refused(error: &Error) -> SendError {
    let said = describe(error);
    if is_final(error) { SendError::Permanent(said) } else { SendError::Transient(said) }
}

/// True if a reply refuses this mail for good. Refusals of this server (50x: protocol, 53x: authentication) are errors of
/// configuration, by which no mail must be lost.
fn is_final(error: &Error) -> bool {
    let code = error.status().map(u16::from).unwrap_or_default();
    (510..=529).contains(&code) || (540..=599).contains(&code)
}

/// The error with its causes, on one line.
fn describe(error: &Error) -> String {
    with_causes(error).chars().take(500).map(|c| if c.is_control() { ' ' } else { c }).collect()
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
