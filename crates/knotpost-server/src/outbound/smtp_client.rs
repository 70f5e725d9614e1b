//! Mail out to a relay by SMTP: connections kept open, and what the relay's answers mean for the queue.
//!
//! Speaks through lettre's connection, but opens and keeps the connections itself: they must send small packets at
//! once, or every mail waits for the relay's delayed acknowledgement.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::relay::{Relay, Security, parse_relay};
use super::transport::{SendError, TransportError};

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
    idle: Mutex<Vec<Line>>,
}

/// An open connection to the relay.
struct Line {
    connection: AsyncSmtpConnection,
    /// Whether it takes commands before the answers to those before them: RFC 2920.
    pipelines: bool,
}

impl fmt::Debug for SmtpClient {
    /// Without the password.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SmtpClient").field("relay", &self.shared.relay.host).finish_non_exhaustive()
    }
}

/// One mail on its way to the relay.
struct Parcel<'a> {
    from: Option<Address>,
    to: Address,
    mail: &'a [u8],
}

impl Parcel<'_> {
    /// Whether an address has letters beyond ASCII, which not every mail server carries: RFC 6531.
    fn is_international(&self) -> bool {
        let beyond = |address: &Address| !address.to_string().is_ascii();
        beyond(&self.to) || self.from.as_ref().is_some_and(beyond)
    }
}

/// How far a mail had come when it failed.
enum Failure {
    /// The connection was of no use any more; nothing was said about the mail.
    Stale(Error),
    /// The relay or the network refused the mail.
    Mail(Error),
    /// The relay refused its recipient.
    Recipient(Error),
}

impl SmtpClient {
    pub(super) fn from_url(scheme: &str, rest: &str) -> Result<Self, TransportError> {
        let relay = parse_relay(scheme, rest)?;
        let tls = tls_parameters(&relay)?;
        Ok(Self { shared: Arc::new(Shared { relay, tls, idle: Mutex::default() }) })
    }

    pub(super) async fn send(
        &self,
        envelope_from: Option<&str>,
        to: &str,
        mail: &[u8],
    ) -> Result<(), SendError> {
        let from = envelope_from.map(parse_address).transpose()?;
        // lettre ends every message with a line end of its own.
        let mail = mail.strip_suffix(b"\r\n").unwrap_or(mail);
        let parcel = Parcel { from, to: parse_address(to)?, mail };
        let kept = self.lock_idle().pop();
        if let Some(line) = kept {
            match self.hand_over(line, &parcel).await? {
                Ok(()) => return Ok(()),
                Err(Failure::Stale(_)) => {}
                Err(Failure::Mail(error)) => return Err(judge(&error)),
                Err(Failure::Recipient(error)) => return Err(judge_recipient(&error)),
            }
        }
        let line = self.shared.connect().await?;
        match self.hand_over(line, &parcel).await? {
            Ok(()) => Ok(()),
            Err(Failure::Stale(error)) => Err(SendError::Transient(describe(&error))),
            Err(Failure::Mail(error)) => Err(judge(&error)),
            Err(Failure::Recipient(error)) => Err(judge_recipient(&error)),
        }
    }

    async fn hand_over(&self, mut line: Line, parcel: &Parcel<'_>) -> Result<Result<(), Failure>, SendError> {
        let server = line.connection.server_info();
        if parcel.is_international() && !server.supports_feature(Extension::SmtpUtfEight) {
            self.keep(line);
            let text = "the relay does not carry addresses with letters beyond ASCII (SMTPUTF8)";
            return Err(SendError::Permanent(text.to_owned()));
        }
        let Ok(handed) = timeout(MAIL_PATIENCE, line.transact(parcel)).await else {
            return Err(SendError::Transient("the relay did not answer in time".to_owned()));
        };
        let reusable = match &handed {
            Ok(()) => true,
            Err(Failure::Stale(_)) => false,
            Err(Failure::Mail(error) | Failure::Recipient(error)) => {
                error.status().is_some()
                    && timeout(CONNECT_PATIENCE, line.connection.command(Rset))
                        .await
                        .is_ok_and(|reset| reset.is_ok())
            }
        };
        if reusable {
            self.keep(line);
        }
        Ok(handed)
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

impl Shared {
    /// A connection ready for mail. Whatever goes wrong here is no mail's fault.
    async fn connect(&self) -> Result<Line, SendError> {
        match timeout(CONNECT_PATIENCE, self.open()).await {
            Ok(opened) => opened,
            Err(_) => Err(SendError::Transient("the relay did not answer in time".to_owned())),
        }
    }

    async fn open(&self) -> Result<Line, SendError> {
        let failed = |error: Error| SendError::Transient(describe(&error));
        let hello = ClientId::default();
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
        // Asked once more: lettre does not tell of extensions that it makes no use of. Whoever minds that is spoken to
        // slowly, and whoever has gone is missed at the next command.
        let offers = connection.command(Ehlo::new(hello)).await;
        let pipelines = offers.is_ok_and(|offers| {
            offers.message().any(|offer| offer.trim().eq_ignore_ascii_case("PIPELINING"))
        });
        Ok(Line { connection, pipelines })
    }
}

/// The commands before a message, for a relay that takes them at once.
struct Opening {
    mail: Mail,
    recipient: Rcpt,
}

impl fmt::Display for Opening {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}{Data}", self.mail, self.recipient)
    }
}

/// A message without its last line end, as it travels: RFC 5321, section 4.5.2. lettre would look at each byte, and
/// send the end by itself.
struct Content<'a>(&'a str);

impl fmt::Display for Content<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0.split_inclusive('\n') {
            if line.starts_with('.') {
                out.write_str(".")?;
            }
            out.write_str(line)?;
        }
        out.write_str("\r\n.\r\n")
    }
}

impl Line {
    async fn transact(&mut self, parcel: &Parcel<'_>) -> Result<(), Failure> {
        let connection = &mut self.connection;
        let mut parameters = Vec::new();
        if parcel.is_international() {
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !parcel.mail.is_ascii() && connection.server_info().supports_feature(Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let mail = Mail::new(parcel.from.clone(), parameters);
        let recipient = Rcpt::new(parcel.to.clone(), Vec::new());
        if self.pipelines {
            self.open_at_once(Opening { mail, recipient }).await?;
        } else {
            connection.command(mail).await.map_err(refused_mail)?;
            connection.command(recipient).await.map_err(Failure::Recipient)?;
            connection.command(Data).await.map_err(Failure::Mail)?;
        }
        let taken = match str::from_utf8(parcel.mail) {
            Ok(text) => self.connection.command(Content(text)).await,
            Err(_) => self.connection.message(parcel.mail).await,
        };
        taken.map(drop).map_err(Failure::Mail)
    }

    /// All commands before the message at once: a relay far away answers them in the time of one.
    async fn open_at_once(&mut self, opening: Opening) -> Result<(), Failure> {
        let connection = &mut self.connection;
        let mail = connection.command(opening).await.map(drop).map_err(refused_mail);
        if matches!(mail, Err(Failure::Stale(_))) {
            return mail;
        }
        // Every command has its answer, whatever the ones before it said.
        let recipient = connection.read_response().await;
        let data = connection.read_response().await;
        let has_refused = mail.is_err() || recipient.as_ref().is_err_and(|error| error.status().is_some());
        if has_refused && data.is_ok() {
            // The relay waits for a message all the same: an empty one, which has nobody to go to.
            let _ = connection.command(".\r\n").await;
        }
        mail?;
        recipient.map_err(Failure::Recipient)?;
        data.map(drop).map_err(Failure::Mail)
    }
}

fn refused_mail(error: Error) -> Failure {
    // A connection kept too long ends with the next command: by a 421 or without a word.
    let ended = error.status().is_none_or(|code| u16::from(code) == 421);
    if ended { Failure::Stale(error) } else { Failure::Mail(error) }
}

fn parse_address(text: &str) -> Result<Address, SendError> {
    text.parse()
        .map_err(|_| SendError::Permanent("the address is not one that mail can be sent to".to_owned()))
}

/// Refusals of this mail are permanent; refusals of us (50x: protocol, 53x: authentication) are somebody's mistake in
/// a configuration, and no mail shall be lost by it.
fn judge(error: &Error) -> SendError {
    let said = describe(error);
    let code = error.status().map(u16::from).unwrap_or_default();
    let refused = (510..=529).contains(&code) || (540..=599).contains(&code);
    if refused { SendError::Permanent(said) } else { SendError::Transient(said) }
}

fn judge_recipient(error: &Error) -> SendError {
    match judge(error) {
        SendError::Permanent(said) => SendError::Recipient(said),
        other => other,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_message_ends_it() {
        assert_eq!(Content("").to_string(), "\r\n.\r\n");
        assert_eq!(Content(".").to_string(), "..\r\n.\r\n");
        assert_eq!(
            Content("To: a\r\n\r\n.\r\na.b\r\n..").to_string(),
            "To: a\r\n\r\n..\r\na.b\r\n...\r\n.\r\n"
        );
    }
}
