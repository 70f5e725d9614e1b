//! The mail servers of the players: they hand mails over by one of the ways in and, without an
//! answer, come again with the same mail.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;

use super::ledger::{Ledger, Try, Way};
use crate::deployed::{forwarded_for, received_from};
use crate::http::Http;
use crate::server::{Doors, Place, said};
use crate::sink::MARK;
use crate::smtp::{Client, Dialect, encode};

/// Where commands are mailed to.
pub(crate) const SERVER: &str = "pbmserv@games.example";
/// What the hook shows.
const HOOK_SECRET: &str = "shown-by-the-trial-to-the-hook-alone";
/// Temporary failure (sysexits.h).
const EX_TEMPFAIL: i32 = 75;

/// The watched Maildir.
fn folder(place: &Place) -> PathBuf {
    place.data().join("in")
}

/// Opens the doors that are closed unless somebody wants them.
pub(crate) fn open_doors(place: Place) -> anyhow::Result<Place> {
    for part in ["tmp", "new", "cur"] {
        std::fs::create_dir_all(folder(&place).join(part))?;
    }
    Ok(place
        .with("SERVER__ADDRESS", SERVER)
        .with("MAILDIR__WATCH", "in")
        .with("INBOUND__SECRET", HOOK_SECRET))
}

/// Whether everything in the folder was taken.
pub(crate) fn is_folder_empty(place: &Place) -> bool {
    std::fs::read_dir(folder(place).join("new")).is_ok_and(|mut files| files.next().is_none())
}

/// A server as whoever hands something over knows it.
pub(crate) struct House {
    pub(crate) place: Arc<Place>,
    /// Where the server that runs now, or ran last, listens.
    pub(crate) doors: watch::Receiver<Doors>,
}

/// Hands mails over, to one house after the other.
pub(crate) struct Post {
    houses: Vec<House>,
    next: AtomicUsize,
    pub(crate) ledger: Arc<Ledger>,
    /// Whether mails come over a relay.
    is_relayed: bool,
    places: Semaphore,
    in_hand: AtomicUsize,
    taken: AtomicUsize,
}

impl Post {
    /// To at least one house; at most `places` mails are in hand at once.
    pub(crate) fn new(houses: Vec<House>, ledger: Arc<Ledger>, places: usize) -> anyhow::Result<Self> {
        ensure!(!houses.is_empty(), "there is no server to hand mail to");
        let is_relayed = houses.iter().any(|house| house.place.is_deployed());
        Ok(Self {
            houses,
            is_relayed,
            next: AtomicUsize::new(0),
            ledger,
            places: Semaphore::new(places.max(1)),
            in_hand: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
        })
    }

    /// Whose turn it is.
    fn house(&self) -> anyhow::Result<&House> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.houses.len();
        self.houses.get(turn).context("no house")
    }

    /// Where some server that runs now, or ran last, listens.
    pub(crate) fn doors(&self) -> anyhow::Result<Doors> {
        Ok(*self.house()?.doors.borrow())
    }

    /// How many mails are being handed over at this moment.
    pub(crate) fn in_hand(&self) -> usize {
        self.in_hand.load(Ordering::SeqCst)
    }

    /// How many mails were taken so far.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// Hands a mail over until it is taken, to another house each time. A mail that is refused for
    /// good is an error: none of those sent here should be.
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
        let doors = self.doors()?;
        let door = if dialect == Dialect::Smtp { doors.smtp } else { doors.lmtp };
        let Ok(mut client) = Client::connect(door, dialect).await else { return Ok(Try::ShutOut) };
        let Ok(reply) = client.send(from, SERVER, &encode(message)).await else { return Ok(Try::Unanswered) };
        if reply.is_success() {
            // Taken is taken, whatever becomes of the good-bye.
            let _ = client.quit().await;
            return Ok(Try::Taken);
        }
        if reply.is_transient() {
            return Ok(Try::PutOff);
        }
        bail!("refused: {}", reply.text)
    }

    async fn try_hook(&self, from: &str, message: &str) -> anyhow::Result<Try> {
        let Ok(mut http) = Http::connect(self.doors()?.http).await else { return Ok(Try::ShutOut) };
        let headers = format!(
            "Content-Type: message/rfc822\r\nX-Knotpost-Secret: {HOOK_SECRET}\r\n\
             X-Envelope-From: {from}\r\nX-Envelope-To: {SERVER}\r\n{}",
            forwarded_for(from)
        );
        match http.post("/inbound", &headers, message.replace('\n', "\r\n").as_bytes()).await {
            Err(_) => Ok(Try::Unanswered),
            Ok(response) if response.status == 200 => Ok(Try::Taken),
            Ok(response) if response.status == 503 => Ok(Try::PutOff),
            Ok(response) => bail!("refused: {}", response.text()),
        }
    }

    /// The command itself. A try that broke off is repeated under the same key, wherever.
    async fn try_api(&self, serial: u64, command: &str) -> anyhow::Result<Try> {
        let Ok(mut http) = Http::connect(self.doors()?.http).await else { return Ok(Try::ShutOut) };
        let headers = format!("Idempotency-Key: {MARK}{serial}\r\n");
        let body = format!("{command}\n{MARK}{serial}.\n");
        match http.post("/commands", &headers, body.as_bytes()).await {
            Err(_) => Ok(Try::Unanswered),
            Ok(response) if response.status == 200 => Ok(Try::Taken),
            Ok(response) if response.status == 503 => Ok(Try::PutOff),
            Ok(response) => bail!("refused: {} {}", response.status, response.text()),
        }
    }

    /// As delivery agents do it: whole or not at all. Whoever reads the folder takes it from there.
    fn put_into_folder(&self, serial: u64, message: &str) -> anyhow::Result<Try> {
        let folder = folder(&self.house()?.place);
        let name = format!("{serial}.trial.localhost");
        let draft = folder.join("tmp").join(&name);
        std::fs::write(&draft, message)?;
        std::fs::rename(&draft, folder.join("new").join(&name))?;
        Ok(Try::Taken)
    }

    async fn try_pipe(&self, message: &str) -> anyhow::Result<Try> {
        let output = self.house()?.place.run(&["deliver"], message.as_bytes()).await?;
        match output.status.code() {
            Some(0) => Ok(Try::Taken),
            Some(EX_TEMPFAIL) => Ok(Try::PutOff),
            _ => bail!("`deliver` failed: {}", said(&output)),
        }
    }
}
