//! A program that is told what happens: it notes every request and answers as it was told to.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use knotpost_core::identity::{FreshHook, HookWish, ProvenUser, create_webhook};
use knotpost_core::webhooks::{HookEvent, HookForm, HookSecret};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::TestApp;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) line: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
    pub(crate) bytes: Vec<u8>,
}

impl Told {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or_else(|| panic!("no {name} in {self:?}"), String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Whether it was signed with this secret.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let timestamp = self.header("webhook-timestamp").parse().expect("seconds");
        let secret = HookSecret::read(secret).expect("a secret");
        self.header("webhook-signature") == secret.sign(self.header("webhook-id"), timestamp, &self.body)
    }
}

#[derive(Default)]
struct Log {
    told: Vec<Told>,
    answers: VecDeque<String>,
    connections: usize,
}

/// Something that listens on a free port of this machine.
#[derive(Clone)]
pub(crate) struct HookHost {
    pub(crate) place: SocketAddr,
    log: Arc<Mutex<Log>>,
}

impl HookHost {
    /// A host without TLS.
    pub(crate) async fn start() -> Self {
        Self::start_with(None).await
    }

    /// A host, with TLS when it has a certificate.
    pub(crate) async fn start_with(tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let place = listener.local_addr().expect("a port");
        let log = Arc::new(Mutex::new(Log::default()));
        let noted = Arc::clone(&log);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, tls) = (Arc::clone(&noted), tls.clone());
                log.lock().unwrap().connections += 1;
                tokio::spawn(async move {
                    match tls {
                        None => answer(stream, &log).await,
                        Some(tls) => {
                            if let Ok(stream) = TlsAcceptor::from(tls).accept(stream).await {
                                answer(stream, &log).await;
                            }
                        }
                    }
                });
            }
        });
        Self { place, log }
    }

    /// Its address for a webhook.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?for=me", self.place)
    }

    /// How it answers the next requests, as `410 Gone` with fields behind it; 204 to all others. Without an answer
    /// at all: an empty one.
    pub(crate) fn answer_next(&self, answers: &[&str]) {
        self.log.lock().unwrap().answers.extend(answers.iter().map(|answer| (*answer).to_owned()));
    }

    /// What it was told since the last look.
    pub(crate) fn told(&self) -> Vec<Told> {
        std::mem::take(&mut self.log.lock().unwrap().told)
    }

    /// How often somebody has connected.
    pub(crate) fn connections(&self) -> usize {
        self.log.lock().unwrap().connections
    }
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin, log: &Mutex<Log>) {
    let mut stream = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let headers: HashMap<String, String> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let told = Told {
        line: lines[0].clone(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        bytes: body,
    };
    let status = {
        let mut log = log.lock().unwrap();
        log.told.push(told);
        log.answers.pop_front().unwrap_or_else(|| "204 No Content".to_owned())
    };
    if status.is_empty() {
        return;
    }
    if status == "silence" {
        tokio::time::sleep(std::time::Duration::from_mins(1)).await;
    }
    let head = if status == "204 No Content" { "" } else { "content-length: 5\r\n" };
    let text = if head.is_empty() { "" } else { "hello" };
    let _ = stream.write_all(format!("HTTP/1.1 {status}\r\n{head}\r\n{text}").as_bytes()).await;
    let _ = stream.shutdown().await;
}

impl TestApp {
    /// A user who has just shown their password.
    pub(crate) async fn proven(&self, userid: &str) -> ProvenUser {
        let mut tx = self.app.store.read().await.expect("a transaction");
        let row = tx.find_user(userid).await.expect("it reads").expect("a user");
        ProvenUser {
            user: row.id,
            userid: row.userid,
            hash: row.password_hash.expect("a password"),
            key: None,
            session: None,
            password_at: None,
        }
    }

    /// Makes a webhook for these events.
    pub(crate) async fn add_hook(&self, userid: &str, url: &str, events: &[HookEvent]) -> FreshHook {
        let wish = HookWish { url: url.to_owned(), events: events.to_vec(), form: HookForm::Signed };
        create_webhook(&self.app, self.proven(userid).await, wish).await.expect("a webhook")
    }
}
