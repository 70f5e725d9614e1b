//! One connection to a relay: sends the commands and the message of a mail, pipelined where the relay allows it.
//!
//! What a reply means for the mail is decided by the client.

use std::fmt;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use memchr::memmem;

use super::{Outgoing, SendError};

/// An open connection to the relay.
pub(super) struct SmtpConnection {
    connection: AsyncSmtpConnection,
    /// Whether the relay offers PIPELINING: RFC 2920.
    pipelines: bool,
}

impl fmt::Debug for SmtpConnection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SmtpConnection").field("pipelines", &self.pipelines).finish_non_exhaustive()
    }
}

/// One mail on its way to the relay.
pub(super) struct Parcel<'a> {
    from: Option<Address>,
    to: Address,
    mail: &'a [u8],
}

impl<'a> Parcel<'a> {
    pub(super) fn read(mail: &Outgoing<'a>) -> Result<Self, SendError> {
        let from = mail.from.map(parse_address).transpose()?;
        // lettre adds a line end to every message.
        let bytes = mail.bytes.strip_suffix(b"\r\n").unwrap_or(mail.bytes);
        Ok(Self { from, to: parse_address(mail.to)?, mail: bytes })
    }

    /// Whether an address has letters beyond ASCII, which not every mail server supports: RFC 6531.
    fn is_international(&self) -> bool {
        let beyond = |address: &Address| !address.to_string().is_ascii();
        beyond(&self.to) || self.from.as_ref().is_some_and(beyond)
    }

    pub(super) fn is_ascii(&self) -> bool {
        self.mail.is_ascii()
    }

    /// Whether it can be sent as text, with further commands after it.
    pub(super) fn is_text(&self) -> bool {
        str::from_utf8(self.mail).is_ok()
    }
}

fn parse_address(text: &str) -> Result<Address, SendError> {
    text.parse()
        .map_err(|_| SendError::Permanent("the address is not one that mail can be sent to".to_owned()))
}

/// How far a mail had come when it failed.
pub(super) enum Failure {
    /// The connection was closed; the relay has said nothing about the mail.
    Stale(Error),
    /// The relay or the network refused the mail.
    Mail(Error),
    /// The relay refused its recipient.
    Recipient(Error),
}

impl Failure {
    /// Whether it is a reply of the relay, which waits for the next command.
    pub(super) fn is_answer(&self) -> bool {
        match self {
            Self::Stale(_) => false,
            Self::Mail(error) | Self::Recipient(error) => error.status().is_some(),
        }
    }
}

/// The commands before a message, for a relay that pipelines.
struct Opening {
    mail: Mail,
    recipient: Rcpt,
}

impl fmt::Display for Opening {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}{Data}", self.mail, self.recipient)
    }
}

/// A message without its last line end, dot-stuffed: RFC 5321, section 4.5.2. lettre's own function checks each byte
/// and sends the end separately.
struct Content<'a> {
    text: &'a str,
    /// The commands that are sent together with its end: RFC 2920, section 3.1.
    next: Option<Opening>,
}

impl fmt::Display for Content<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.text;
        if text.starts_with('.') {
            out.write_str(".")?;
        }
        // Such lines are rare.
        while let Some(end) = memmem::find(text.as_bytes(), b"\n.") {
            let (head, tail) = text.split_at(end + 1);
            write!(out, "{head}.")?;
            text = tail;
        }
        out.write_str(text)?;
        out.write_str("\r\n.\r\n")?;
        self.next.as_ref().map_or(Ok(()), |next| next.fmt(out))
    }
}

impl SmtpConnection {
    /// A connection on which the greeting is over.
    pub(super) async fn new(mut connection: AsyncSmtpConnection, hello: ClientId) -> Self {
        // EHLO once more: lettre does not report extensions that it does not use. With a relay that refuses this the
        // commands go one by one; a closed connection is noticed at the next command.
        let offers = connection.command(Ehlo::new(hello)).await;
        let pipelines = offers.is_ok_and(|offers| {
            offers.message().any(|offer| offer.trim().eq_ignore_ascii_case("PIPELINING"))
        });
        Self { connection, pipelines }
    }

    /// Whether the relay can take a mail with these addresses.
    pub(super) fn carries(&self, parcel: &Parcel<'_>) -> bool {
        !parcel.is_international() || self.connection.server_info().supports_feature(Extension::SmtpUtfEight)
    }

    /// Whether nobody on the way can read along.
    pub(super) fn is_encrypted(&self) -> bool {
        self.connection.is_encrypted()
    }

    /// Ends the connection in order.
    pub(super) async fn quit(mut self) {
        let _ = self.connection.quit().await;
    }

    /// Resets a mail that was begun; `false`: the connection is not usable any more.
    pub(super) async fn reset(&mut self) -> bool {
        self.connection.command(Rset).await.is_ok()
    }

    /// Sends all commands before the message; after them the relay waits for it.
    pub(super) async fn begin(&mut self, parcel: &Parcel<'_>) -> Result<(), Failure> {
        let opening = self.opening(parcel);
        let connection = &mut self.connection;
        if self.pipelines {
            // Together they take one round trip.
            let mail = connection.command(opening).await.map(drop).map_err(refused_mail);
            return self.read_opening(mail).await;
        }
        connection.command(opening.mail).await.map_err(refused_mail)?;
        connection.command(opening.recipient).await.map_err(Failure::Recipient)?;
        connection.command(Data).await.map(drop).map_err(Failure::Mail)
    }

    /// As [`Self::begin`], where the commands went with the end of another message.
    pub(super) async fn hear_announced(&mut self) -> Result<(), Failure> {
        let mail = self.connection.read_response().await.map(drop).map_err(refused_mail);
        self.read_opening(mail).await
    }

    /// Whether the commands of this mail may go with the end of another message.
    pub(super) fn may_announce(&self, parcel: &Parcel<'_>) -> bool {
        self.pipelines && self.carries(parcel)
    }

    /// Sends the message that the relay waits for, and with its end the commands of the next, whose replies are read
    /// by [`Self::hear_announced`].
    pub(super) async fn hand_over(
        &mut self,
        parcel: &Parcel<'_>,
        next: Option<&Parcel<'_>>,
    ) -> Result<(), Failure> {
        let next = next.map(|next| self.opening(next));
        let taken = match str::from_utf8(parcel.mail) {
            Ok(text) => self.connection.command(Content { text, next }).await,
            Err(_) => self.connection.message(parcel.mail).await,
        };
        taken.map(drop).map_err(Failure::Mail)
    }

    fn opening(&self, parcel: &Parcel<'_>) -> Opening {
        let mut parameters = Vec::new();
        if parcel.is_international() {
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !parcel.is_ascii() && self.connection.server_info().supports_feature(Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        Opening {
            mail: Mail::new(parcel.from.clone(), parameters),
            recipient: Rcpt::new(parcel.to.clone(), Vec::new()),
        }
    }

    /// Reads the replies to the commands before a message, the first of which has been read.
    async fn read_opening(&mut self, mail: Result<(), Failure>) -> Result<(), Failure> {
        if matches!(mail, Err(Failure::Stale(_))) {
            return mail;
        }
        // Every command has a reply, even after a refusal.
        let connection = &mut self.connection;
        let recipient = connection.read_response().await;
        let data = connection.read_response().await;
        let has_refused = mail.is_err() || recipient.as_ref().is_err_and(|error| error.status().is_some());
        if has_refused && data.is_ok() {
            // The relay waits for a message all the same: an empty one, which has no recipient.
            let _ = connection.command(".\r\n").await;
        }
        mail?;
        recipient.map_err(Failure::Recipient)?;
        data.map(drop).map_err(Failure::Mail)
    }
}

fn refused_mail(error: Error) -> Failure {
    // A connection that was idle too long ends with the next command: by a 421 or without a reply.
    let ended = error.status().is_none_or(|code| u16::from(code) == 421);
    if ended { Failure::Stale(error) } else { Failure::Mail(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn travels(text: &str) -> String {
        Content { text, next: None }.to_string()
    }

    #[test]
    fn no_line_of_a_message_ends_it() {
        assert_eq!(travels(""), "\r\n.\r\n");
        assert_eq!(travels("."), "..\r\n.\r\n");
        assert_eq!(travels("To: a\r\n\r\n.\r\na.b\r\n.."), "To: a\r\n\r\n..\r\na.b\r\n...\r\n.\r\n");
    }
}
