//! The mail server of the outside world: accepts every mail the trial's server sends, records what the rules need, and may
//! be slow or defer a mail.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::dice::{Dice, happens, pause};

/// The treatment of clients.
struct Manners {
    /// The delay before the answer to a message.
    pause: Range<Duration>,
    /// The percentage of mails that are deferred once.
    put_off: u64,
    dice: Dice,
    /// The mails that were deferred.
    known: HashSet<String>,
}

/// The process that sent a mail, as far as the sink can tell. Everything that may cause a mail to be sent twice begins
/// another life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Life {
    /// The listener: each server has its own.
    listener: usize,
    /// The number of earlier processes of this listener when the connection was made.
    before: usize,
    /// The number of times that the database had gone away or come back.
    era: usize,
}

/// A mail that was answered 250, or would have been if its sender had not been killed.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) life: Life,
    pub(crate) recipient: String,
    /// Without angle brackets.
    pub(crate) message_id: String,
    /// Without angle brackets; empty when there is none.
    pub(crate) in_reply_to: String,
    pub(crate) subject: String,
    /// The words of its text that begin with [`MARK`].
    pub(crate) marks: Vec<u64>,
    /// The path of the confirmation page that its text links to.
    pub(crate) confirmation: Option<String>,
    /// A digest of all its bytes.
    pub(crate) digest: u64,
}

/// The prefix of the word by which a mail is recognised; a number follows.
pub(crate) const MARK: &str = "load-mail-";

struct Shared {
    manners: Mutex<Manners>,
    arrivals: Mutex<Vec<Arrival>>,
    /// One for each listener.
    lives: Vec<AtomicUsize>,
    era: AtomicUsize,
    gate: watch::Sender<bool>,
}

/// The sink, listening.
pub(crate) struct Sink {
    /// The addresses of its listeners, at least one.
    pub(crate) addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sink {
    /// Listens on a free port of this machine for each of the servers; takes a while to answer, drawn by the dice.
    pub(crate) async fn open(listeners: usize, pause: Range<Duration>, dice: Dice) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            manners: Mutex::new(Manners { pause, put_off: 0, dice, known: HashSet::new() }),
            arrivals: Mutex::default(),
            lives: (0..listeners).map(|_| AtomicUsize::new(0)).collect(),
            era: AtomicUsize::new(0),
            gate: watch::Sender::new(true),
        });
        let mut sink = Self { addresses: Vec::new(), shared, tasks: Vec::new() };
        for index in 0..listeners {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            sink.addresses.push(listener.local_addr()?);
            let host = Arc::clone(&sink.shared);
            sink.tasks.push(tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    // A killed client breaks the connection, which is no error here.
                    tokio::spawn(serve(stream, index, Arc::clone(&host)));
                }
            }));
        }
        Ok(sink)
    }

    /// One listener that accepts everything at once.
    pub(crate) async fn prompt() -> std::io::Result<Self> {
        Self::open(1, Duration::ZERO..Duration::ZERO, Dice::with_seed(0)).await
    }

    /// The setting that makes a server send its mail to this listener.
    pub(crate) fn transport(&self, listener: usize) -> String {
        let address = self.addresses.get(listener).map(ToString::to_string).unwrap_or_default();
        format!("smtp://{address}")
    }

    /// New connections of this listener come from another process from now on.
    pub(crate) fn begin_life(&self, listener: usize) {
        if let Some(life) = self.shared.lives.get(listener) {
            life.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The database has gone away or come back: a sender may not have been able to acknowledge its mail.
    pub(crate) fn begin_era(&self) {
        self.shared.era.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.shared.arrivals).len()
    }

    /// Sets the percentage of mails that are deferred once from now on.
    pub(crate) fn put_off(&self, share: u64) {
        lock(&self.shared.manners).put_off = share;
    }

    /// The number of deferred mails.
    pub(crate) fn count_put_off(&self) -> usize {
        lock(&self.shared.manners).known.len()
    }

    /// Everything that arrived so far.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        lock(&self.shared.arrivals).clone()
    }

    /// Discards what arrived so far.
    pub(crate) fn clear(&self) {
        lock(&self.shared.arrivals).clear();
    }

    /// Holds up every client that begins a mail, or lets all of them pass.
    pub(crate) fn set_gate(&self, open: bool) {
        self.shared.gate.send_replace(open);
    }
}

impl Shared {
    async fn pass_gate(&self) {
        // The gate lives as long as `self`.
        let _ = self.gate.subscribe().wait_for(|open| *open).await;
    }

    /// True when this mail is deferred, and the delay of the answer.
    fn judge(&self, arrival: &Arrival) -> (bool, Duration) {
        let Manners { pause: delay, put_off, dice, known } = &mut *lock(&self.manners);
        let (delay, may) = (pause(dice, delay), happens(dice, *put_off));
        (may && known.insert(arrival.message_id.clone()), delay)
    }
}

async fn serve(stream: TcpStream, listener: usize, shared: Arc<Shared>) -> std::io::Result<()> {
    let before = shared.lives.get(listener).map_or(0, |life| life.load(Ordering::SeqCst));
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 sink.example.net ESMTP\r\n").await?;
    let mut recipient = String::new();
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let answer: &[u8] = match verb.as_str() {
            "EHLO" => b"250-sink.example.net\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250 SMTPUTF8\r\n",
            "MAIL" => {
                shared.pass_gate().await;
                b"250 2.1.0 fine\r\n"
            }
            "RCPT" => {
                let path = line.split(['<', '>']).nth(1);
                path.unwrap_or_default().clone_into(&mut recipient);
                b"250 2.1.5 known\r\n"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await?;
                let Some(message) = read_message(&mut stream).await? else { return Ok(()) };
                let life = Life { listener, before, era: shared.era.load(Ordering::SeqCst) };
                let arrival = read_arrival(life, &recipient, &message);
                let (put_off, pause) = shared.judge(&arrival);
                if put_off {
                    b"451 4.7.1 come again\r\n"
                } else {
                    lock(&shared.arrivals).push(arrival);
                    sleep_if_any(pause).await;
                    b"250 2.0.0 taken\r\n"
                }
            }
            "QUIT" => {
                stream.write_all(b"221 2.0.0 bye\r\n").await?;
                return Ok(());
            }
            _ => b"250 2.0.0 fine\r\n",
        };
        stream.write_all(answer).await?;
    }
}

/// Sleeps, without a timer for zero: a timer takes at least a millisecond.
async fn sleep_if_any(pause: Duration) {
    if !pause.is_zero() {
        sleep(pause).await;
    }
}

/// Reads a message up to its dot; `None` when the connection breaks.
async fn read_message(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Vec<u8>>> {
    let mut message = Vec::with_capacity(4096);
    loop {
        let begin = message.len();
        if stream.read_until(b'\n', &mut message).await? == 0 {
            return Ok(None);
        }
        let line = message.get(begin..).unwrap_or_default();
        if line == b".\r\n" {
            message.truncate(begin);
            return Ok(Some(message));
        }
        if line.starts_with(b"..") {
            message.remove(begin);
        }
    }
}

fn read_arrival(life: Life, recipient: &str, message: &[u8]) -> Arrival {
    let mut hasher = DefaultHasher::new();
    message.hash(&mut hasher);
    let parsed = MessageParser::default().parse(without_pictures(message)).unwrap_or_default();
    let text = parsed.body_text(0).unwrap_or_default();
    Arrival {
        life,
        recipient: recipient.to_owned(),
        message_id: parsed.message_id().unwrap_or_default().to_owned(),
        in_reply_to: parsed.in_reply_to().as_text().unwrap_or_default().to_owned(),
        subject: parsed.subject().unwrap_or_default().to_owned(),
        marks: marks(&text),
        confirmation: confirmation(&text),
        digest: hasher.finish(),
    }
}

/// The parts before the first picture. Pictures are most of the bytes, and reading them would be measured as the server's
/// time.
fn without_pictures(message: &[u8]) -> &[u8] {
    let begins = memchr::memmem::find(message, b"\r\nContent-Type: image/").unwrap_or(message.len());
    message.get(..begins).unwrap_or_default()
}

fn confirmation(text: &str) -> Option<String> {
    let link = text.split_whitespace().find_map(|word| word.split_once("/confirm/"));
    link.map(|(_, token)| format!("/confirm/{token}"))
}

/// The number of the first mark of a text; `None` without one.
pub(crate) fn mark(text: &str) -> Option<u64> {
    marks(text).first().copied()
}

fn marks(text: &str) -> Vec<u64> {
    let words = text.split(MARK).skip(1);
    let numbers = words.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_is_read_from_folded_headers_and_its_text() {
        let message =
            b"Message-ID: <1@a>\r\nIn-Reply-To:\r\n <load-mail-7@b>\r\nSubject: Osbox\r\n Board\r\n\r\n\
                        load-mail-12.\r\n<p>load-mail-12.</p> load-mail-3\r\n";
        let arrival = read_arrival(Life::default(), "ann@example.org", message);
        assert_eq!((arrival.message_id.as_str(), arrival.subject.as_str()), ("1@a", "Osbox Board"));
        assert_eq!(mark(&arrival.in_reply_to), Some(7));
        assert_eq!(arrival.marks, [3, 12]);
        assert_eq!(arrival.confirmation, None);
    }

    #[test]
    fn a_link_to_a_confirmation_is_found_whole() {
        let message = b"Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
                        Open this page:\r\nhttp://play.example.net/confirm/2.61.17=\r\n9.cc\r\n\r\nBye.\r\n";
        let arrival = read_arrival(Life::default(), "ann@example.org", message);
        assert_eq!(arrival.confirmation.as_deref(), Some("/confirm/2.61.179.cc"));
    }
}
