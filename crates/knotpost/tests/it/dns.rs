//! A name server on a port of its own, with zones made up for the test.
//!
//! It speaks just enough of RFC 1035 for a resolver to ask it; everything it was not told is `NXDOMAIN`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

const A: u16 = 1;
const PTR: u16 = 12;
const MX: u16 = 15;
const TXT: u16 = 16;

/// What is said about a name.
#[derive(Clone, Default)]
pub(crate) struct Zone(HashMap<(String, u16), Said>);

#[derive(Clone)]
enum Said {
    Records(Vec<Vec<u8>>),
    Failure,
    Nothing,
}

impl Zone {
    pub(crate) fn txt(mut self, name: &str, text: &str) -> Self {
        let strings = text.as_bytes().chunks(255);
        let data = strings.flat_map(|string| [&[string.len() as u8], string].concat()).collect();
        self.add(name, TXT, data);
        self
    }

    pub(crate) fn a(mut self, name: &str, address: [u8; 4]) -> Self {
        self.add(name, A, address.to_vec());
        self
    }

    pub(crate) fn mx(mut self, name: &str, exchange: &str) -> Self {
        self.add(name, MX, [&[0, 10], encode(exchange).as_slice()].concat());
        self
    }

    /// The name of an address, which is given as its name in `in-addr.arpa`.
    pub(crate) fn ptr(mut self, name: &str, host: &str) -> Self {
        self.add(name, PTR, encode(host));
        self
    }

    /// The same without any record of this name.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(known, _), _| known != name);
        self
    }

    /// The servers of this name are broken.
    pub(crate) fn failing(mut self, name: &str) -> Self {
        self.0.insert((name.to_owned(), TXT), Said::Failure);
        self
    }

    /// The servers of this name do not answer.
    pub(crate) fn silent(mut self, name: &str) -> Self {
        self.0.insert((name.to_owned(), TXT), Said::Nothing);
        self
    }

    fn add(&mut self, name: &str, kind: u16, data: Vec<u8>) {
        match self.0.entry((name.to_owned(), kind)).or_insert(Said::Records(Vec::new())) {
            Said::Records(records) => records.push(data),
            other => *other = Said::Records(vec![data]),
        }
    }

    fn answer(&self, query: &[u8]) -> Option<Vec<u8>> {
        let (name, end) = decode(query)?;
        let kind = u16::from_be_bytes([*query.get(end)?, *query.get(end + 1)?]);
        let question = &query[12..end + 4];
        let (code, records) = match self.0.get(&(name.clone(), kind)) {
            Some(Said::Nothing) => return None,
            Some(Said::Failure) => (2, &[][..]),
            Some(Said::Records(records)) => (0, records.as_slice()),
            None if self.0.keys().any(|(known, _)| *known == name) => (0, &[][..]),
            None => (3, &[][..]),
        };
        let mut out = query[..2].to_vec();
        out.extend([0x81, 0x80 | code, 0, 1, 0, records.len() as u8, 0, 0, 0, 0]);
        out.extend(question);
        for data in records {
            // The name of the question, for a minute.
            out.extend([0xc0, 12]);
            out.extend(kind.to_be_bytes());
            out.extend([0, 1, 0, 0, 0, 60]);
            out.extend((data.len() as u16).to_be_bytes());
            out.extend(data);
        }
        Some(out)
    }
}

fn encode(name: &str) -> Vec<u8> {
    let labels = name
        .split('.')
        .filter(|label| !label.is_empty())
        .flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat());
    labels.chain([0]).collect()
}

/// The name that is asked for, and where it ends.
fn decode(query: &[u8]) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join(".").to_lowercase(), at));
        }
        labels.push(String::from_utf8(query.get(at..at + length)?.to_vec()).ok()?);
        at += length;
    }
}

/// A running name server; it ends with this value.
pub(crate) struct NameServer {
    /// Where it listens, as the configuration names it.
    pub(crate) address: String,
    asked: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl NameServer {
    pub(crate) async fn start(zone: Zone) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok((length, peer)) = socket.recv_from(&mut buffer).await {
                counter.fetch_add(1, Ordering::Relaxed);
                if let Some(answer) = zone.answer(&buffer[..length]) {
                    let _ = socket.send_to(&answer, peer).await;
                }
            }
        });
        Self { address, asked, task }
    }

    /// How many questions it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
