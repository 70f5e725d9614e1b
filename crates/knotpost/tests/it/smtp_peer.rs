//! A listener on a port of its own, whoever takes its mail, and a client that speaks line by line.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use knotpost_transport::inbound::smtp::{Certificates, serve};
use knotpost_transport::inbound::{Envelope, Intake, Protocol, Receipt, RecipientVerdict, SmtpSettings};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Takes everything for `games@example.org` and says what it is told to say.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) received: Mutex<Vec<(Envelope, Vec<u8>)>>,
    pub(crate) answer: Mutex<Option<Receipt>>,
    pub(crate) pause: Duration,
}

impl Inbox {
    pub(crate) fn answer_with(&self, receipt: Receipt) {
        *self.answer.lock().unwrap() = Some(receipt);
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        let received = self.received.lock().unwrap();
        received.iter().map(|(_, raw)| String::from_utf8_lossy(raw).into_owned()).collect()
    }
}

impl Intake for Inbox {
    fn recipient(&self, address: &str) -> RecipientVerdict {
        match address.to_lowercase().rsplit_once('@') {
            Some(("games" | "games+r.abc" | "postmaster", "example.org")) => RecipientVerdict::Accepted,
            Some(("later", _)) => RecipientVerdict::TryLater { text: "not now".into() },
            Some((_, "example.org")) => {
                RecipientVerdict::Unknown { text: "write to games@example.org".into() }
            }
            None if address.eq_ignore_ascii_case("postmaster") => RecipientVerdict::Accepted,
            _ => RecipientVerdict::NotOurs,
        }
    }

    fn receive(&self, envelope: Envelope, raw: Vec<u8>) -> BoxFuture<'_, Receipt> {
        Box::pin(async move {
            tokio::time::sleep(self.pause).await;
            self.received.lock().unwrap().push((envelope, raw));
            self.answer.lock().unwrap().clone().unwrap_or(Receipt::Stored { text: "stored".into() })
        })
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) cancel: CancellationToken,
    pub(crate) task: JoinHandle<()>,
    _guard: DropGuard,
}

pub(crate) async fn start(protocol: Protocol, change: impl FnOnce(&mut SmtpSettings)) -> Server {
    start_with(Inbox::default(), protocol, change).await
}

pub(crate) async fn start_with(
    inbox: Inbox,
    protocol: Protocol,
    change: impl FnOnce(&mut SmtpSettings),
) -> Server {
    let mut settings = SmtpSettings::new("mail.example.org", protocol);
    change(&mut settings);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let inbox = Arc::new(inbox);
    let cancel = CancellationToken::new();
    let task = tokio::spawn(serve(listener, Arc::new(settings), inbox.clone(), cancel.clone()));
    Server { address, inbox, cancel: cancel.clone(), task, _guard: cancel.drop_guard() }
}

/// A certificate for `mail.example.org` that nobody has signed but itself.
pub(crate) fn self_signed() -> (rcgen::CertifiedKey<rcgen::KeyPair>, Arc<rustls::ServerConfig>) {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["mail.example.org".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    assert!(Certificates::load(&key, &certificate).is_err(), "the other way round they are no pair");
    assert!(Certificates::load(&folder.path().join("absent.pem"), &key).is_err());
    let tls = Arc::new(Certificates::load(&certificate, &key).unwrap()).server_config().unwrap();
    (made, tls)
}

pub(crate) struct Client<S> {
    pub(crate) stream: S,
    pub(crate) unread: Vec<u8>,
}

impl Client<TcpStream> {
    pub(crate) async fn connect(server: &Server) -> Self {
        Self::over(TcpStream::connect(server.address).await.unwrap()).await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    pub(crate) async fn over(stream: S) -> Self {
        let mut client = Self { stream, unread: Vec::new() };
        assert!(client.reply().await.starts_with("220 mail.example.org"));
        client
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// One reply with all its lines, without the last line end; empty at the end of the connection.
    pub(crate) async fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                let line = String::from_utf8(line).unwrap();
                reply.push_str(&line);
                if line.as_bytes().get(3) != Some(&b'-') {
                    return reply.trim_end().to_owned();
                }
            }
            let read = timeout(Duration::from_secs(20), self.stream.read_buf(&mut self.unread)).await;
            if read.expect("an answer in time").unwrap_or(0) == 0 {
                return reply;
            }
        }
    }

    pub(crate) async fn ask(&mut self, text: &str) -> String {
        self.send(&format!("{text}\r\n")).await;
        self.reply().await
    }

    /// Everything up to the message itself.
    pub(crate) async fn begin(&mut self) {
        assert!(self.ask("EHLO client.example.net").await.starts_with("250-"));
        assert!(self.ask("MAIL FROM:<fred@example.net>").await.starts_with("250 2.1.0"));
        assert!(self.ask("RCPT TO:<games@example.org>").await.starts_with("250 2.1.5"));
        assert!(self.ask("DATA").await.starts_with("354"));
    }
}
