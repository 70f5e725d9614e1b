//! One session: the order of commands, their limits and their replies.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use smtp_proto::{Error, MAIL_BODY_BINARYMIME, MAIL_SMTPUTF8, MailFrom, Request};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::command::Command;
use super::reply::{Charset, write_lines, write_reply};
use super::stream::{Line, Wire};
use super::{Intake, Protocol, RecipientVerdict, SmtpSettings};

pub(super) const FAREWELL: Duration = Duration::from_secs(2);

pub(super) struct Session {
    pub(super) settings: Arc<SmtpSettings>,
    pub(super) intake: Arc<dyn Intake>,
    pub(super) peer: Option<IpAddr>,
    cancel: CancellationToken,
    security: Security,
    pub(super) helo: Option<String>,
    pub(super) transaction: Option<Transaction>,
    pub(super) errors: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Security {
    Plain,
    Tls,
}

pub(super) struct Transaction {
    pub(super) mail_from: Option<String>,
    pub(super) recipients: Vec<String>,
    pub(super) charset: Charset,
}

enum Next {
    Command,
    Data,
    StartTls,
    Close,
}

enum Ended {
    Closed,
    StartTls,
}

impl Session {
    pub(super) fn new(
        settings: Arc<SmtpSettings>,
        intake: Arc<dyn Intake>,
        peer: Option<IpAddr>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            settings,
            intake,
            peer,
            cancel,
            security: Security::Plain,
            helo: None,
            transaction: None,
            errors: 0,
        }
    }

    pub(super) async fn turn_away(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut wire = Wire::new(stream);
        self.say(&mut wire.output, 421, "4.3.2", "too many connections, please try again later");
        let _ = timeout(FAREWELL, wire.close()).await;
    }

    pub(super) async fn run<S: AsyncRead + AsyncWrite + Unpin>(mut self, stream: S) {
        let mut wire = Wire::new(stream);
        let name = self.settings.hostname.clone();
        let kind = match self.settings.protocol {
            Protocol::Smtp => "ESMTP",
            Protocol::Lmtp => "LMTP",
        };
        self.say(&mut wire.output, 220, "", &format!("{name} {kind} Knotpost"));
        if let Ok(Ended::StartTls) = self.converse(&mut wire).await {
            self.secure(wire).await;
        } else {
            self.part(wire).await;
        }
    }

    async fn secure<S: AsyncRead + AsyncWrite + Unpin>(&mut self, wire: Wire<S>) {
        let Some(config) = self.settings.tls.clone() else { return };
        let handshake = TlsAcceptor::from(config).accept(wire.into_stream());
        let Ok(Ok(stream)) = timeout(self.settings.data_timeout, handshake).await else { return };
        self.security = Security::Tls;
        self.helo = None;
        self.transaction = None;
        let mut wire = Wire::new(stream);
        let _ = self.converse(&mut wire).await;
        self.part(wire).await;
    }

    async fn part<S: AsyncRead + AsyncWrite + Unpin>(&self, wire: Wire<S>) {
        let _ = timeout(FAREWELL, wire.close()).await;
    }

    pub(super) async fn grace_is_over(&self) {
        self.cancel.cancelled().await;
        tokio::time::sleep(self.settings.grace).await;
    }

    async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        wire: &mut Wire<S>,
    ) -> std::io::Result<Ended> {
        loop {
            let line = tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    self.say(&mut wire.output, 421, "4.3.2", "the server is going down, please try again later");
                    return Ok(Ended::Closed);
                }
                line = timeout(self.settings.command_timeout, wire.next_line()) => line,
            };
            let Ok(line) = line else {
                self.say(&mut wire.output, 421, "4.4.2", "waited too long for a command");
                return Ok(Ended::Closed);
            };
            let next = match line? {
                Line::Command(line) => self.obey(&line, &mut wire.output),
                Line::Malformed => {
                    self.refuse(&mut wire.output, 500, "5.5.2", "a command is one line that ends with CR LF")
                }
                Line::End => return Ok(Ended::Closed),
            };
            match next {
                Next::Command => {}
                Next::Data => {
                    if !self.take_message(wire).await? {
                        return Ok(Ended::Closed);
                    }
                }
                Next::StartTls => {
                    wire.flush().await?;
                    return Ok(Ended::StartTls);
                }
                Next::Close => return Ok(Ended::Closed),
            }
            if self.errors > self.settings.max_errors {
                self.say(&mut wire.output, 421, "4.7.0", "too many errors");
                return Ok(Ended::Closed);
            }
        }
    }

    fn obey(&mut self, line: &[u8], out: &mut Vec<u8>) -> Next {
        match Request::parse(&mut line.iter()) {
            Ok(Request::Ehlo { host }) if self.settings.protocol == Protocol::Smtp => self.greet(&host, out),
            Ok(Request::Lhlo { host }) if self.settings.protocol == Protocol::Lmtp => self.greet(&host, out),
            Ok(Request::Helo { host }) if self.settings.protocol == Protocol::Smtp => {
                self.helo = Some(host.into_owned());
                self.transaction = None;
                let name = self.settings.hostname.clone();
                self.answer(out, 250, "", &name)
            }
            Ok(Request::Mail { from }) => self.start(from, out),
            Ok(Request::Rcpt { to }) if to.address.is_empty() => self.add_nameless(line, out),
            Ok(Request::Rcpt { to }) => self.add_recipient(to.address.into_owned(), out),
            Ok(Request::Data) => self.invite(out),
            Ok(Request::Rset) => {
                self.transaction = None;
                self.answer(out, 250, "2.0.0", "ok")
            }
            Ok(Request::Noop { .. }) => self.answer(out, 250, "2.0.0", "ok"),
            Ok(Request::Quit) => {
                self.say(out, 221, "2.0.0", "goodbye");
                Next::Close
            }
            Ok(Request::StartTls) => self.start_tls(out),
            Ok(Request::Help { .. }) => self.answer(
                out,
                214,
                "2.0.0",
                "send a mail with the Subject \"help\" to learn what can be done here",
            ),
            Ok(Request::Vrfy { .. }) => {
                self.answer(out, 252, "2.1.5", "cannot say; send a mail and see whether it is taken")
            }
            Ok(
                request @ (Request::Ehlo { .. }
                | Request::Lhlo { .. }
                | Request::Helo { .. }
                | Request::Bdat { .. }
                | Request::Auth { .. }
                | Request::Expn { .. }
                | Request::Etrn { .. }
                | Request::Atrn { .. }
                | Request::Burl { .. }),
            ) => {
                let text = format!("{} is not offered here", Command::of(&request).word());
                self.refuse(out, 502, "5.5.1", &text)
            }
            Err(error) => self.refuse_error(&error, out),
        }
    }

    fn refuse_error(&mut self, error: &Error, out: &mut Vec<u8>) -> Next {
        match error {
            Error::InvalidSenderAddress => {
                self.refuse(out, 501, "5.1.7", "this is not a valid sender address")
            }
            Error::InvalidRecipientAddress => {
                self.refuse(out, 501, "5.1.3", "this is not a valid recipient address")
            }
            Error::SyntaxError { syntax } => {
                self.refuse(out, 501, "5.5.4", &format!("the form is: {syntax}"))
            }
            Error::InvalidParameter { param } => {
                self.refuse(out, 501, "5.5.4", &format!("the value of {param} is wrong"))
            }
            Error::UnsupportedParameter { .. } => {
                self.refuse(out, 555, "5.5.4", "this parameter is not offered here")
            }
            _ => self.refuse(out, 500, "5.5.1", "no such command"),
        }
    }

    fn greet(&mut self, host: &str, out: &mut Vec<u8>) -> Next {
        self.helo = Some(host.to_owned());
        self.transaction = None;
        let mut lines = vec![
            self.settings.hostname.clone(),
            "PIPELINING".to_owned(),
            "8BITMIME".to_owned(),
            "SMTPUTF8".to_owned(),
            "ENHANCEDSTATUSCODES".to_owned(),
        ];
        if self.settings.tls.is_some() && self.security == Security::Plain {
            lines.push("STARTTLS".to_owned());
        }
        lines.push(format!("SIZE {}", self.settings.max_message));
        write_lines(out, 250, &lines);
        Next::Command
    }

    fn start(&mut self, from: MailFrom<std::borrow::Cow<'_, str>>, out: &mut Vec<u8>) -> Next {
        if self.helo.is_none() {
            return self.refuse(out, 503, "5.5.1", "greet first, with EHLO or LHLO");
        }
        if self.transaction.is_some() {
            return self.refuse(out, 503, "5.5.1", "there is a message begun already; RSET drops it");
        }
        if from.size > self.settings.max_message {
            let text = format!("a message may have {} bytes at most", self.settings.max_message);
            return self.refuse(out, 552, "5.3.4", &text);
        }
        if from.flags & MAIL_BODY_BINARYMIME != 0 {
            return self.refuse(out, 555, "5.5.4", "binary messages are not taken here");
        }
        let charset = if from.flags & MAIL_SMTPUTF8 == 0 { Charset::Ascii } else { Charset::Utf8 };
        if charset == Charset::Ascii && !from.address.is_ascii() {
            return self.refuse(out, 553, "5.6.7", "this address needs SMTPUTF8");
        }
        let mail_from = Some(from.address.into_owned()).filter(|address| !address.is_empty());
        self.transaction = Some(Transaction { mail_from, recipients: Vec::new(), charset });
        self.answer(out, 250, "2.1.0", "ok")
    }

    /// smtp-proto gives the empty address for `<postmaster>`, which every server accepts, and for `<>`, which none
    /// does.
    fn add_nameless(&mut self, line: &[u8], out: &mut Vec<u8>) -> Next {
        if line.to_ascii_lowercase().windows(12).any(|window| window == b"<postmaster>") {
            return self.add_recipient("postmaster".to_owned(), out);
        }
        self.refuse(out, 501, "5.1.3", "this is not a valid recipient address")
    }

    fn add_recipient(&mut self, address: String, out: &mut Vec<u8>) -> Next {
        let Some(transaction) = &mut self.transaction else {
            return self.refuse(out, 503, "5.5.1", "say who sends first, with MAIL FROM");
        };
        if transaction.recipients.len() >= self.settings.max_recipients {
            return self.refuse(
                out,
                452,
                "4.5.3",
                "too many recipients, send the others a message of their own",
            );
        }
        if transaction.charset == Charset::Ascii && !address.is_ascii() {
            return self.refuse(out, 553, "5.6.7", "this address needs SMTPUTF8");
        }
        match self.intake.recipient(&address) {
            RecipientVerdict::Accepted => {
                transaction.recipients.push(address);
                self.answer(out, 250, "2.1.5", "ok")
            }
            RecipientVerdict::Unknown { text } => self.refuse(out, 550, "5.1.1", &text),
            RecipientVerdict::NotOurs => {
                self.refuse(out, 550, "5.7.1", "mail for others is not passed on from here")
            }
            RecipientVerdict::TryLater { text } => self.refuse(out, 451, "4.3.0", &text),
        }
    }

    fn invite(&mut self, out: &mut Vec<u8>) -> Next {
        match &self.transaction {
            None => self.refuse(out, 503, "5.5.1", "say who sends first, with MAIL FROM"),
            Some(transaction) if transaction.recipients.is_empty() => {
                self.refuse(out, 503, "5.5.1", "there is no valid recipient")
            }
            Some(_) => {
                self.say(out, 354, "", "end the message with a line that holds a dot alone");
                Next::Data
            }
        }
    }

    fn start_tls(&mut self, out: &mut Vec<u8>) -> Next {
        if self.settings.tls.is_none() || self.security == Security::Tls {
            return self.refuse(out, 503, "5.5.1", "TLS cannot be started here");
        }
        self.say(out, 220, "2.0.0", "ready for TLS");
        Next::StartTls
    }

    pub(super) fn say(&self, out: &mut Vec<u8>, code: u16, enhanced: &str, text: &str) {
        let charset = self.transaction.as_ref().map_or(Charset::Ascii, |transaction| transaction.charset);
        write_reply(out, code, enhanced, text, charset);
    }

    fn answer(&self, out: &mut Vec<u8>, code: u16, enhanced: &str, text: &str) -> Next {
        self.say(out, code, enhanced, text);
        Next::Command
    }

    fn refuse(&mut self, out: &mut Vec<u8>, code: u16, enhanced: &str, text: &str) -> Next {
        self.errors += 1;
        self.answer(out, code, enhanced, text)
    }
}
