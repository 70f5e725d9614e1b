//! The mail server of the outside world: takes every mail, and has its readers read it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A mail that was delivered.
#[derive(Clone, Debug)]
pub(in crate::process) struct Arrived {
    /// The envelope recipient.
    pub(in crate::process) to: String,
    pub(in crate::process) subject: String,
    pub(in crate::process) text: String,
    pub(in crate::process) reply_to: Option<String>,
    pub(in crate::process) message_id: String,
}

impl Arrived {
    fn parse(to: &str, bytes: &[u8]) -> Self {
        let message = MessageParser::default().parse(bytes).expect("a mail");
        let reply_to = message.reply_to().and_then(|to| to.first()).and_then(|to| to.address());
        Self {
            to: to.to_owned(),
            subject: message.subject().unwrap_or_default().to_owned(),
            text: message.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
            reply_to: reply_to.map(str::to_owned),
            message_id: message.message_id().unwrap_or_default().to_owned(),
        }
    }

    /// The path of the first link in it to a page below this one.
    pub(in crate::process) fn page(&self, below: &str) -> Option<String> {
        let link = self.text.split_whitespace().find(|word| word.contains(below))?;
        Some(link.get(link.find(below)?..)?.trim_end_matches(['.', '>', ')']).to_owned())
    }
}

/// The server, listening.
pub(in crate::process) struct Outside {
    pub(in crate::process) address: SocketAddr,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    task: JoinHandle<()>,
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Outside {
    pub(in crate::process) async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let arrived = Arc::new(Mutex::default());
        let shared = Arc::clone(&arrived);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(BufReader::new(stream), Arc::clone(&shared)));
            }
        });
        Self { address, arrived, task }
    }

    /// Takes the first such mail out.
    pub(in crate::process) fn take(&self, wanted: impl Fn(&Arrived) -> bool) -> Option<Arrived> {
        let mut arrived = self.arrived.lock().unwrap();
        let place = arrived.iter().position(wanted)?;
        Some(arrived.remove(place))
    }

    /// What nobody has taken.
    pub(in crate::process) fn unread(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }
}

/// Serves one connection; ends with it.
async fn converse(mut stream: BufReader<TcpStream>, arrived: Arc<Mutex<Vec<Arrived>>>) -> Option<()> {
    stream.write_all(b"220 mx.home.test ESMTP\r\n").await.ok()?;
    let (mut recipient, mut line) = (String::new(), Vec::new());
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line).await.ok()? == 0 {
            return None;
        }
        let said = String::from_utf8_lossy(&line).trim_end().to_owned();
        let reply = match said.get(..4).unwrap_or_default().to_uppercase().as_str() {
            "EHLO" => "250-mx.home.test\r\n250-PIPELINING\r\n250 8BITMIME",
            "RCPT" => {
                recipient = said.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                "250 2.1.5 known"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await.ok()?;
                let mut message = Vec::new();
                loop {
                    line.clear();
                    stream.read_until(b'\n', &mut line).await.ok().filter(|read| *read > 0)?;
                    if line == b".\r\n" {
                        break;
                    }
                    message.extend(line.strip_prefix(b".").unwrap_or(&line));
                }
                arrived.lock().unwrap().push(Arrived::parse(&recipient, &message));
                "250 2.0.0 taken"
            }
            "QUIT" => "221 2.0.0 bye",
            _ => "250 2.0.0 fine",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
    }
}
