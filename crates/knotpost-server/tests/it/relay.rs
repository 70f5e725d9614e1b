//! Relays with ways of their own, and how mail gets through to them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use knotpost_server::outbound::{SendError, Transport};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// What a relay answers to a line of one of its connections, which are counted from 0.
type Answer = fn(line: &str, connection: usize) -> &'static str;

const HURRIED: &str = "250-relay.example.net\r\n250 PIPELINING\r\n";

fn agreeable(line: &str, _: usize) -> &'static str {
    match line.get(..4).unwrap_or(line) {
        "EHLO" => HURRIED,
        "DATA" => "354 go on\r\n",
        _ => "250 2.0.0 fine\r\n",
    }
}

/// A relay that says what it is told to, and everything it heard.
struct Relay {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Relay {
    async fn open(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::default());
        let ears = Arc::clone(&heard);
        let task = tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, connection, answer, Arc::clone(&ears)));
                connection += 1;
            }
        });
        Self { address, heard, task }
    }

    fn transport(&self) -> Transport {
        Transport::from_url(&format!("smtp://{}", self.address), Path::new(".")).unwrap()
    }

    /// The verbs, in the order in which they came; `…` stands behind those that had to wait for an answer.
    fn heard(&self) -> String {
        self.heard.lock().unwrap().join(" ")
    }
}

/// Answers a command when nothing more comes for a moment, so that it shows whether the other side waits.
async fn serve(stream: TcpStream, connection: usize, answer: Answer, heard: Arc<Mutex<Vec<String>>>) {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 relay.example.net\r\n").await.unwrap();
    let (mut line, mut answers, mut is_message) = (String::new(), String::new(), false);
    loop {
        line.clear();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        if is_message && line != ".\r\n" {
            heard.lock().unwrap().push(format!("({})", line.trim()));
            continue;
        }
        is_message = false;
        let said = answer(&line, connection);
        answers.push_str(said);
        let waits = timeout(Duration::from_millis(60), stream.fill_buf()).await.is_err();
        let verb = line.get(..4).unwrap_or(&line).trim();
        heard.lock().unwrap().push(format!("{verb}{}", if waits { "…" } else { "" }));
        if waits {
            if stream.write_all(answers.as_bytes()).await.is_err() {
                return;
            }
            is_message = answers.ends_with("354 go on\r\n");
            answers.clear();
        }
        if said.starts_with("421") {
            return;
        }
    }
}

const MAIL: &[u8] = b"Subject: x\r\n";

#[tokio::test]
async fn a_relay_that_takes_commands_at_once_is_told_all_of_them() {
    let relay = Relay::open(agreeable).await;
    let transport = relay.transport();
    transport.send(Some("games@example.org"), "fred@example.net", MAIL).await.unwrap();
    transport.send(None, "joe@example.net", MAIL).await.unwrap();
    let mail = "MAIL RCPT DATA… (Subject: x) .…";
    assert_eq!(relay.heard(), format!("EHLO… EHLO… {mail} {mail}"));
}

#[tokio::test]
async fn a_relay_that_does_not_say_so_is_told_one_after_the_other() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("EHLO") => "250 relay.example.net\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    relay.transport().send(None, "fred@example.net", MAIL).await.unwrap();
    assert_eq!(relay.heard(), "EHLO… EHLO… MAIL… RCPT… DATA… (Subject: x) .…");
}

#[tokio::test]
async fn a_relay_that_minds_a_second_greeting_is_told_one_after_the_other() {
    static GREETED: Mutex<bool> = Mutex::new(false);
    let relay = Relay::open(|line, connection| {
        let again = line.starts_with("EHLO") && std::mem::replace(&mut *GREETED.lock().unwrap(), true);
        if again { "503 5.5.1 once is enough\r\n" } else { agreeable(line, connection) }
    });
    let relay = relay.await;
    relay.transport().send(None, "fred@example.net", MAIL).await.unwrap();
    assert_eq!(relay.heard(), "EHLO… EHLO… MAIL… RCPT… DATA… (Subject: x) .…");
}

#[tokio::test]
async fn a_recipient_who_is_refused_among_other_commands_leaves_the_connection_in_order() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("RCPT") if line.contains("nobody") => "550 5.1.1 no such user\r\n",
        // Allowed even if there is nobody to send the message to.
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let transport = relay.transport();
    let refused = transport.send(None, "nobody@example.net", MAIL).await.unwrap_err();
    assert!(matches!(&refused, SendError::Recipient(said) if said.contains("no such user")), "{refused:?}");
    transport.send(None, "fred@example.net", MAIL).await.unwrap();
    let (refused, sent) = ("MAIL RCPT DATA… .… RSET…", "MAIL RCPT DATA… (Subject: x) .…");
    assert_eq!(relay.heard(), format!("EHLO… EHLO… {refused} {sent}"));
}

#[tokio::test]
async fn nobody_gets_an_empty_mail_because_an_answer_about_him_could_not_be_read() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("RCPT") => "fine, I think\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let failed = relay.transport().send(None, "fred@example.net", MAIL).await.unwrap_err();
    assert!(matches!(failed, SendError::Transient(_)), "{failed:?}");
    assert_eq!(relay.heard(), "EHLO… EHLO… MAIL RCPT DATA…");
}

#[tokio::test]
async fn a_mail_that_is_refused_among_other_commands_is_refused_for_its_own_reason() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("MAIL") => "552 5.3.4 too large\r\n",
        Some("RCPT" | "DATA") => "503 5.5.1 no mail was begun\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let refused = relay.transport().send(None, "fred@example.net", MAIL).await.unwrap_err();
    assert!(matches!(&refused, SendError::Permanent(said) if said.contains("too large")), "{refused:?}");
    assert_eq!(relay.heard(), "EHLO… EHLO… MAIL RCPT DATA… RSET…");
}

#[tokio::test]
async fn a_relay_that_has_enough_of_a_connection_is_called_again() {
    static MAILS: Mutex<usize> = Mutex::new(0);
    let relay = Relay::open(|line, connection| {
        let is_mail = line.starts_with("MAIL");
        *MAILS.lock().unwrap() += usize::from(is_mail);
        if is_mail && connection == 0 && *MAILS.lock().unwrap() == 2 {
            return "421 4.3.2 closing\r\n";
        }
        agreeable(line, connection)
    });
    let relay = relay.await;
    let transport = relay.transport();
    for to in ["fred@example.net", "joe@example.net"] {
        transport.send(None, to, MAIL).await.unwrap();
    }
    let heard = relay.heard();
    assert_eq!(heard.matches("(Subject: x)").count(), 2, "{heard}");
    assert_eq!(heard.matches("EHLO").count(), 4, "{heard}");
}
