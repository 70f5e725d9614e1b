//! The players' mail servers: they send each mail by one of the ways in, and send it again when there is no answer.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

use super::ledger::{Ledger, Try, Way};
use crate::deployed::{forwarded_for, received_from};
use crate::http::{Http, Response};
use crate::server::{Endpoints, Place, said};
use crate::sink::MARK;
use crate::smtp::{Client, Dialect, encode};

/// The address that commands are mailed to.
pub(crate) const SERVER: &str = "pbmserv@games.example";
/// The secret of `POST /inbound`.
const HOOK_SECRET: &str = "shown-by-the-trial-to-the-hook-alone";
/// Temporary failure (sysexits.h).
const EX_TEMPFAIL: i32 = 75;

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

/// Whether the server has read every file in the watched folder.
pub(crate) fn is_folder_empty(place: &Place) -> bool {
    std::fs::read_dir(folder(place).join("new")).is_ok_and(|mut files| files.next().is_none())
}

/// What a client needs to reach a server.
pub(crate) struct ServerHandle {
    pub(crate) place: Arc<Place>,
    /// The endpoints of the process that runs now, or ran last.
    pub(crate) endpoints: watch::Receiver<Endpoints>,
}

/// Sends mails to the servers by turns.
pub(crate) struct Post {
    servers: Vec<ServerHandle>,
    next: AtomicUsize,
    pub(crate) ledger: Arc<Ledger>,
    /// Whether mails pass through a relay.
    is_relayed: bool,
    places: Semaphore,
    in_hand: AtomicUsize,
    taken: AtomicUsize,
    /// What a server said that took nothing for the moment.
    refusal: Mutex<String>,
}

impl Post {
    /// For at least one server; at most `places` mails are sent at the same time.
    pub(crate) fn new(
        servers: Vec<ServerHandle>,
        ledger: Arc<Ledger>,
        places: usize,
    ) -> anyhow::Result<Self> {
        ensure!(!servers.is_empty(), "there is no server to hand mail to");
        let is_relayed = servers.iter().any(|server| server.place.is_deployed());
        Ok(Self {
            servers,
            is_relayed,
            next: AtomicUsize::new(0),
            ledger,
            places: Semaphore::new(places.max(1)),
            in_hand: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            refusal: Mutex::default(),
        })
    }

    /// The next server by turns.
    fn server(&self) -> anyhow::Result<&ServerHandle> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.servers.len();
        self.servers.get(turn).context("no server")
    }

    /// The endpoints of the next server by turns.
    pub(crate) fn endpoints(&self) -> anyhow::Result<Endpoints> {
        Ok(*self.server()?.endpoints.borrow())
    }

    /// The number of mails being sent now.
    pub(crate) fn in_hand(&self) -> usize {
        self.in_hand.load(Ordering::SeqCst)
    }

    /// The number of mails accepted so far.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// What was said to whoever was last put off.
    pub(crate) fn last_refusal(&self) -> String {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note_refusal(&self, text: &str) {
        text.clone_into(&mut self.refusal.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Sends a mail to one server after the other until it is accepted. A permanent refusal is an error: no mail sent here
    /// should get one.
    pub(crate) async fn mail(&self, serial: u64, way: Way, from: &str, subject: &str) -> anyhow::Result<()> {
        let _place = self.places.acquire().await?;
        let trace = if self.is_relayed { received_from(from) } else { String::new() };
        let message = format!(
            "{trace}From: {from}\nTo: {SERVER}\nSubject: {subject}\nMessage-ID: <{MARK}{serial}@mail.example.net>\n\
             Date: Sat, 21 Nov 2026 10:00:00 +0000\n\n{MARK}{serial}.\n"
        );
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
            if matches!(ended, Try::Taken) {
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
            self.note_refusal(&reply.text);
            return Ok(Try::PutOff);
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
            Ok(response) if response.status == 503 => {
                self.note_refusal(&response.text());
                Ok(Try::PutOff)
            }
            Ok(response) => bail!("refused: {} {}", response.status, response.text()),
        }
    }

    /// Delivers into the Maildir atomically, as delivery agents do.
    fn put_into_folder(&self, serial: u64, message: &str) -> anyhow::Result<Try> {
        let folder = folder(&self.server()?.place);
        let name = format!("{serial}.trial.localhost");
        let draft = folder.join("tmp").join(&name);
        std::fs::write(&draft, message)?;
        std::fs::rename(&draft, folder.join("new").join(&name))?;
        Ok(Try::Taken)
    }

    async fn try_pipe(&self, message: &str) -> anyhow::Result<Try> {
        let output = self.server()?.place.run(&["deliver"], message.as_bytes()).await?;
        match output.status.code() {
            Some(0) => Ok(Try::Taken),
            Some(EX_TEMPFAIL) => Ok(Try::PutOff),
            _ => bail!("`deliver` failed: {}", said(&output)),
        }
    }
}
