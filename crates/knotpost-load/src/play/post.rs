//! The players' mail servers: they send each mail by one of the ways in, and send it again when there is no answer.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::ledger::{Ledger, Try, Way};
use crate::deployed::{forwarded_for, received_from};
use crate::http::{Http, Response};
use crate::server::{Endpoints, Place, said};
use crate::sink::MARK;
use crate::smtp::{Client, Dialect, command_mail, encode};

/// The address that commands are mailed to.
pub(crate) const SERVER: &str = "pbmserv@games.example";
/// The secret of `POST /inbound`.
const HOOK_SECRET: &str = "shown-by-the-trial-to-the-hook-alone";
/// Temporary failure (sysexits.h).
const EX_TEMPFAIL: i32 = 75;
/// Mails that are handed over at the same time, at most.
const SENDERS: usize = 12;

/// The watched Maildir.
fn folder(place: &Place) -> PathBuf {
    place.data().join("in")
}

/// Switches on the ways in that are off by default.
pub(crate) fn enable_listeners(place: Place) -> anyhow::Result<Place> {
    for part in ["tmp", "new", "cur"] {
        std::fs::create_dir_all(folder(&place).join(part))?;
    }
    Ok(place
        .with("SERVER__ADDRESS", SERVER)
        .with("MAILDIR__WATCH", "in")
        .with("INBOUND__SECRET", HOOK_SECRET))
}

/// True when the server has read every file in the watched folder, or watches none.
pub(crate) fn is_folder_empty(place: &Place) -> bool {
    std::fs::read_dir(folder(place).join("new")).map_or(true, |mut files| files.next().is_none())
}

/// Sends mails to the servers by turns.
pub(crate) struct Post {
    servers: Vec<Arc<Place>>,
    next: AtomicUsize,
    pub(crate) ledger: Ledger,
    places: Semaphore,
    in_hand: AtomicUsize,
    taken: AtomicUsize,
    /// The answer of a server that took nothing for the moment.
    refusal: Mutex<String>,
}

impl Post {
    /// For at least one server.
    pub(crate) fn new(servers: Vec<Arc<Place>>) -> Self {
        Self {
            servers,
            next: AtomicUsize::new(0),
            ledger: Ledger::default(),
            places: Semaphore::new(SENDERS),
            in_hand: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            refusal: Mutex::default(),
        }
    }

    /// The next server by turns.
    fn server(&self) -> anyhow::Result<&Place> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.servers.len();
        self.servers.get(turn).map(AsRef::as_ref).context("no server")
    }

    /// The endpoints of the next server by turns.
    pub(crate) fn endpoints(&self) -> anyhow::Result<Endpoints> {
        self.server()?.endpoints()
    }

    /// The number of mails being sent now.
    pub(crate) fn in_hand(&self) -> usize {
        self.in_hand.load(Ordering::SeqCst)
    }

    /// The number of mails accepted so far.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// The answer to the sender that was last put off.
    pub(crate) fn last_refusal(&self) -> String {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put_off(&self, answer: String) -> Try {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = answer;
        Try::PutOff
    }

    /// Sends a mail to one server after the other until it is accepted. A permanent refusal is an error: no mail sent here
    /// should get one.
    pub(crate) async fn mail(&self, serial: u64, way: Way, from: &str, subject: &str) -> anyhow::Result<()> {
        let _place = self.places.acquire().await?;
        let mut message = command_mail(from, SERVER, subject, &format!("{MARK}{serial}"));
        if self.servers.iter().any(|server| server.is_deployed) {
            message.insert_str(0, &received_from(from));
        }
        loop {
            self.in_hand.fetch_add(1, Ordering::SeqCst);
            let ended = match way {
                Way::Smtp => self.try_socket(Dialect::Smtp, from, &message).await,
                Way::Lmtp => self.try_socket(Dialect::Lmtp, from, &message).await,
                Way::Deliver => self.try_pipe(&message).await,
                Way::Hook => self.try_hook(from, &message).await,
                Way::Folder => self.put_into_folder(serial, &message),
                Way::Api => self.try_api(serial, subject).await,
            };
            self.in_hand.fetch_sub(1, Ordering::SeqCst);
            let ended = ended.with_context(|| format!("`{subject}` from {from}"))?;
            self.ledger.tried(serial, ended);
            if ended == Try::Taken {
                self.taken.fetch_add(1, Ordering::SeqCst);
                return Ok(());
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    async fn try_socket(&self, dialect: Dialect, from: &str, message: &str) -> anyhow::Result<Try> {
        let endpoints = self.endpoints()?;
        let address = if dialect == Dialect::Smtp { endpoints.smtp } else { endpoints.lmtp };
        let Ok(mut client) = Client::connect(address, dialect).await else { return Ok(Try::ShutOut) };
        let Ok(reply) = client.send(from, SERVER, &encode(message)).await else { return Ok(Try::Unanswered) };
        if reply.is_success() {
            // The mail is accepted, whether QUIT succeeds or not.
            let _ = client.quit().await;
            return Ok(Try::Taken);
        }
        if reply.is_transient() {
            return Ok(self.put_off(reply.text));
        }
        bail!("refused: {}", reply.text)
    }

    async fn try_hook(&self, from: &str, message: &str) -> anyhow::Result<Try> {
        let Ok(mut http) = Http::connect(self.endpoints()?.http).await else { return Ok(Try::ShutOut) };
        let headers = format!(
            "Content-Type: message/rfc822\r\nX-Knotpost-Secret: {HOOK_SECRET}\r\n\
             X-Envelope-From: {from}\r\nX-Envelope-To: {SERVER}\r\n{}",
            forwarded_for(from)
        );
        let message = message.replace('\n', "\r\n");
        self.judge(http.post("/inbound", &headers, message.as_bytes()).await)
    }

    /// Sends the command itself. A broken attempt is repeated with the same idempotency key, at any server.
    async fn try_api(&self, serial: u64, command: &str) -> anyhow::Result<Try> {
        let Ok(mut http) = Http::connect(self.endpoints()?.http).await else { return Ok(Try::ShutOut) };
        let headers = format!("Idempotency-Key: {MARK}{serial}\r\n");
        let body = format!("{command}\n{MARK}{serial}.\n");
        self.judge(http.post("/commands", &headers, body.as_bytes()).await)
    }

    fn judge(&self, answer: std::io::Result<Response>) -> anyhow::Result<Try> {
        match answer {
            Err(_) => Ok(Try::Unanswered),
            Ok(response) if response.status == 200 => Ok(Try::Taken),
            Ok(response) if response.status == 503 => Ok(self.put_off(response.text())),
            Ok(response) => bail!("refused: {} {}", response.status, response.text()),
        }
    }

    /// Delivers into the Maildir atomically, as delivery agents do.
    fn put_into_folder(&self, serial: u64, message: &str) -> anyhow::Result<Try> {
        let folder = folder(self.server()?);
        let name = format!("{serial}.trial.localhost");
        let draft = folder.join("tmp").join(&name);
        std::fs::write(&draft, message)?;
        std::fs::rename(&draft, folder.join("new").join(&name))?;
        Ok(Try::Taken)
    }

    async fn try_pipe(&self, message: &str) -> anyhow::Result<Try> {
        let output = self.server()?.run(&["deliver"], message.as_bytes()).await?;
        match output.status.code() {
            Some(0) => Ok(Try::Taken),
            Some(EX_TEMPFAIL) => Ok(Try::PutOff),
            _ => bail!("`deliver` failed: {}", said(&output)),
        }
    }
}
