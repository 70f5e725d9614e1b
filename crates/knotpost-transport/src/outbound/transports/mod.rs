//! Transports: the ways on which mail leaves, behind one send function.
//!
//! A failure is either transient (the queue tries again) or permanent. No error repeats the transport's URL, which may
//! hold a password. Knows nothing of the outbox.

mod authorities;
pub mod maildir;
mod relay;
mod sendmail;
mod smtp;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lettre::transport::smtp::client::Certificate;

pub use self::authorities::AuthorityError;
use self::authorities::read_authorities;
use self::maildir::{Attempt, Maildir};
pub use self::sendmail::Sendmail;
pub use self::smtp::{RelayStep, RelayTrouble, SmtpRelay};
use knotpost_core::config::Config;
use knotpost_platform::files::check_folder;

/// Reason why a transport cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// No transport of that name.
    #[error(
        "mail transports are maildir:PATH, smtp://user:password@host:port, smtps://…, sendmail:PATH and memory:"
    )]
    Unknown,
    /// An `smtp://` URL that cannot be read.
    #[error(
        "a mail relay is written smtp://user:password@host:port, with ?tls=none, opportunistic or required behind it"
    )]
    Relay,
    /// TLS cannot be set up for this host.
    #[error("TLS cannot be set up for the mail relay")]
    Tls,
    /// The certificate authorities for the relay cannot be used.
    #[error(transparent)]
    Authorities(#[from] AuthorityError),
    /// The folder cannot be made.
    #[error("the mail folder cannot be used")]
    Folder(#[from] std::io::Error),
}

/// Reason why a mail was not sent, as text for the administrator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It was certainly not delivered; another attempt may succeed.
    #[error("not sent for now: {0}")]
    Transient(String),
    /// Nothing was heard after the mail was handed over: it may have been delivered, or may not.
    #[error("sent, perhaps: {0}")]
    Unheard(String),
    /// No attempt will succeed.
    #[error("refused: {0}")]
    Permanent(String),
    /// No attempt will succeed: the recipient was refused.
    #[error("the recipient was refused: {0}")]
    Recipient(String),
}

/// A transport. Cheap to clone; clones share connections.
#[derive(Debug, Clone)]
pub enum Transport {
    /// Into a folder on this machine.
    Maildir(Maildir),
    Smtp(SmtpRelay),
    /// Through a program on this machine.
    Sendmail(Sendmail),
    /// Into memory, for tests.
    Memory(MemoryBox),
}

/// A mail that left through [`Transport::Memory`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The return path; `None` is the null path.
    pub from: Option<String>,
    /// The recipient.
    pub to: String,
    /// The mail.
    pub bytes: Vec<u8>,
}

/// Mails that left through [`Transport::Memory`], and failures to come.
#[derive(Debug, Clone, Default)]
pub struct MemoryBox {
    state: Arc<Mutex<MemoryState>>,
}

#[derive(Debug, Default)]
struct MemoryState {
    sent: Vec<Sent>,
    failures: Vec<SendError>,
}

impl MemoryBox {
    /// All mails sent so far, in order.
    pub fn sent(&self) -> Vec<Sent> {
        self.lock().sent.clone()
    }

    /// Removes and returns all mails sent so far.
    pub fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut self.lock().sent)
    }

    /// Makes the next sending fail; several failures come in the order of their calls.
    pub fn fail_next(&self, error: SendError) {
        self.lock().failures.push(error);
    }

    fn send(&self, sent: Sent) -> Result<(), SendError> {
        let mut state = self.lock();
        if !state.failures.is_empty() {
            return Err(state.failures.remove(0));
        }
        state.sent.push(sent);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport {
    /// Sets up the transport that a configuration names.
    ///
    /// # Errors
    /// [`TransportError`], without anything of the URL in it.
    pub fn from_config(config: &Config) -> Result<Self, TransportError> {
        Self::of(config)?.set_up()
    }

    /// The transport of a URL, for a server that calls itself `localhost`. Relative Maildir paths are within the data
    /// folder, and so is the default one, `mail/out`.
    ///
    /// # Errors
    /// [`TransportError`], without anything of the URL in it.
    pub fn from_url(url: &str, data_dir: &Path) -> Result<Self, TransportError> {
        Self::read(url, data_dir, "localhost", Vec::new())?.set_up()
    }

    /// The transport that a configuration names, which is not set up: no folder is made.
    ///
    /// # Errors
    /// [`TransportError`] for what [`Transport::from_config`] would refuse.
    pub fn examine(config: &Config) -> Result<Self, TransportError> {
        let examined = Self::of(config)?;
        if let Self::Maildir(maildir) = &examined {
            check_folder(maildir.root())?;
        }
        Ok(examined)
    }

    fn of(config: &Config) -> Result<Self, TransportError> {
        let authorities = read_authorities(&config.mail.tls_ca)?;
        Self::read(&config.mail.transport, &config.server.data, &config.helo(), authorities)
    }

    fn read(
        url: &str,
        data_dir: &Path,
        helo: &str,
        authorities: Vec<Certificate>,
    ) -> Result<Self, TransportError> {
        let (scheme, rest) = url.trim().split_once(':').ok_or(TransportError::Unknown)?;
        match (scheme, rest) {
            ("maildir", "") => Ok(Self::Maildir(Maildir::at(data_dir.join("mail").join("out")))),
            ("maildir", path) => Ok(Self::Maildir(Maildir::at(data_dir.join(path)))),
            ("smtp" | "smtps", rest) => Ok(Self::Smtp(SmtpRelay::from_url(scheme, rest, helo, authorities)?)),
            ("sendmail", "") => Ok(Self::Sendmail(Sendmail { program: "/usr/sbin/sendmail".into() })),
            ("sendmail", path) => Ok(Self::Sendmail(Sendmail { program: path.into() })),
            ("memory", "") => Ok(Self::Memory(MemoryBox::default())),
            _ => Err(TransportError::Unknown),
        }
    }

    fn set_up(self) -> Result<Self, TransportError> {
        if let Self::Maildir(maildir) = &self {
            maildir.make_folders()?;
        }
        Ok(self)
    }

    /// The Maildir, when that is the transport.
    pub fn maildir(&self) -> Option<&Maildir> {
        match self {
            Self::Maildir(maildir) => Some(maildir),
            _ => None,
        }
    }

    /// Sends one mail to one recipient.
    ///
    /// After [`SendError::Transient`] and [`SendError::Unheard`] the mail may be sent again.
    pub async fn send(&self, mail: &Outgoing<'_>) -> Result<(), SendError> {
        mail.check()?;
        match self {
            Self::Smtp(relay) => relay.send(mail).await,
            Self::Maildir(maildir) => deliver(maildir.clone(), mail).await,
            Self::Sendmail(program) => program.send(mail.from, mail.to, &with_lf(mail.bytes)).await,
            Self::Memory(memory) => memory.send(Sent {
                from: mail.from.map(str::to_owned),
                to: mail.to.to_owned(),
                bytes: mail.bytes.to_vec(),
            }),
        }
    }
}

/// A mail with its envelope.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The return path; `None` is the null path.
    pub from: Option<&'a str>,
    /// The recipient.
    pub to: &'a str,
    /// The mail, as `Composer::write` makes it.
    pub bytes: &'a [u8],
    /// The name of its file where mails are files.
    pub file: &'a str,
    pub attempt: Attempt,
}

impl Outgoing<'_> {
    fn check(&self) -> Result<(), SendError> {
        if is_one_address(self.to) && self.from.is_none_or(is_one_address) {
            return Ok(());
        }
        Err(SendError::Permanent("the address is not one that mail can be sent to".to_owned()))
    }
}

/// True if this is one address, without anything that could end a header line, a command or an argument.
fn is_one_address(address: &str) -> bool {
    address.contains('@')
        && !address.starts_with('-')
        && !address.chars().any(|c| c.is_control() || c.is_whitespace() || matches!(c, '<' | '>'))
}

async fn deliver(maildir: Maildir, mail: &Outgoing<'_>) -> Result<(), SendError> {
    let failed = |error: &dyn std::fmt::Display| {
        SendError::Transient(format!("the mail folder cannot be written: {error}"))
    };
    let (file, attempt, copy) = (mail.file.to_owned(), mail.attempt, local_copy(mail));
    let delivery = move || maildir.deliver(&file, &copy, attempt);
    match tokio::task::spawn_blocking(delivery).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}

/// The mail as it is stored in a mailbox: with the envelope on top.
fn local_copy(mail: &Outgoing<'_>) -> Vec<u8> {
    let mut copy =
        format!("Return-Path: <{}>\nDelivered-To: {}\n", mail.from.unwrap_or_default(), mail.to).into_bytes();
    copy.extend_from_slice(&with_lf(mail.bytes));
    copy
}

/// The bytes with the line ends of files on this machine.
fn with_lf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}
