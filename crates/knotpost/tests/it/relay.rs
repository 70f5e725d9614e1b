//! Relays with ways of their own, and how mail gets through to them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use knotpost_transport::outbound::{Attempt, Outgoing, SendError, Transport};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a relay answers to a line of one of its connections, which are counted from 0.
pub(crate) type Answer = fn(line: &str, connection: usize) -> &'static str;

pub(crate) fn agreeable(line: &str, _: usize) -> &'static str {
    match line.get(..4).unwrap_or(line) {
        "EHLO" => "250 relay.example.net\r\n",
        "DATA" => "354 go on\r\n",
        "QUIT" => "221 2.0.0 bye\r\n",
        _ => "250 2.0.0 fine\r\n",
    }
}

/// A relay that says what it is told to, and everything it heard.
pub(crate) struct Relay {
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
    pub(crate) async fn open(answer: Answer) -> Self {
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

    /// Where it listens.
    pub(crate) fn place(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn transport(&self) -> Transport {
        Transport::from_url(&format!("smtp://{}", self.address), Path::new(".")).unwrap()
    }

    /// The verbs and the lines of messages, in the order in which they came.
    pub(crate) fn heard(&self) -> String {
        self.heard.lock().unwrap().join(" ")
    }
}

/// Answers each command; `""` closes the connection. What follows `@` comes after this number of seconds.
async fn serve(stream: TcpStream, connection: usize, answer: Answer, heard: Arc<Mutex<Vec<String>>>) {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 relay.example.net\r\n").await.unwrap();
    let (mut line, mut is_message) = (String::new(), false);
    loop {
        line.clear();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        if is_message && line != ".\r\n" {
            heard.lock().unwrap().push(format!("({})", line.trim()));
            continue;
        }
        let said = answer(&line, connection);
        heard.lock().unwrap().push(line.get(..4).unwrap_or(&line).trim().to_owned());
        let said = match said.split_once('@') {
            Some((seconds, late)) => {
                tokio::time::sleep(Duration::from_secs(seconds.parse().unwrap())).await;
                late
            }
            None => said,
        };
        if said.is_empty() || stream.write_all(said.as_bytes()).await.is_err() {
            return;
        }
        is_message = said.ends_with("354 go on\r\n");
        if said.starts_with("421") || said.starts_with("221") {
            return;
        }
    }
}

const MAIL: &[u8] = b"Subject: x\r\n";

/// Sends a mail.
pub(crate) async fn send(
    transport: &Transport,
    from: Option<&str>,
    to: &str,
    bytes: &[u8],
) -> Result<(), SendError> {
    let file = format!("1.{to}.knotpost");
    transport.send(&Outgoing { from, to, bytes, file: &file, attempt: Attempt::First }).await
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_mail() {
    let relay = Relay::open(agreeable).await;
    let transport = relay.transport();
    send(&transport, Some("games@example.org"), "fred@example.net", MAIL).await.unwrap();
    send(&transport, None, "joe@example.net", MAIL).await.unwrap();
    let mail = "MAIL RCPT DATA (Subject: x) .";
    assert_eq!(relay.heard(), format!("EHLO {mail} {mail}"));
}

#[tokio::test]
async fn a_relay_is_told_of_letters_beyond_ascii_where_it_supports_them() {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let relay = Relay::open(|line, connection| {
        if line.starts_with("MAIL") {
            SAID.lock().unwrap().push(line.trim().to_owned());
        }
        match (line.get(..4), connection) {
            (Some("EHLO"), 0) => "250-relay.example.net\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n",
            _ => agreeable(line, connection),
        }
    });
    let relay = relay.await;
    let transport = relay.transport();
    send(&transport, None, "b\u{fc}cher@example.net", MAIL).await.unwrap();
    send(&transport, None, "fred@example.net", "Subject: \u{fc}\r\n".as_bytes()).await.unwrap();
    assert_eq!(*SAID.lock().unwrap(), ["MAIL FROM:<> SMTPUTF8", "MAIL FROM:<> BODY=8BITMIME"]);
}

#[tokio::test]
async fn what_is_refused_tells_its_own_reason_and_ends_the_connection() {
    let relay = Relay::open(|line, connection| match (line.get(..4), connection) {
        (Some("MAIL"), 0) => "552 5.3.4 too large\r\n",
        (Some("RCPT"), 1) => "550 5.1.1 no such user\r\n",
        (Some("RCPT"), 2) => "550 5.1.8 bad sender\r\n",
        (Some("DATA"), 3) => "554 5.5.1 no\r\n",
        (_, 4) if line == ".\r\n" => "554 5.7.1 not this one\r\n",
        (_, 5) if line == ".\r\n" => "452 4.3.1 full\r\n",
        (Some("MAIL"), 6) => "530 5.7.0 log in first\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let transport = relay.transport();
    let mut outcomes = Vec::new();
    for _ in 0..8 {
        outcomes.push(match send(&transport, None, "fred@example.net", MAIL).await {
            Ok(()) => "sent".to_owned(),
            Err(error) => format!("{error:?}").split('(').next().unwrap().to_owned(),
        });
    }
    let refused = ["Permanent", "Recipient", "Recipient", "Permanent", "Permanent", "Transient", "Transient"];
    assert_eq!(outcomes[..7], refused);
    assert_eq!(outcomes[7], "sent");
    let message = "(Subject: x) .";
    assert_eq!(
        relay.heard(),
        format!(
            "EHLO MAIL QUIT EHLO MAIL RCPT QUIT EHLO MAIL RCPT QUIT EHLO MAIL RCPT DATA QUIT \
             EHLO MAIL RCPT DATA {message} QUIT EHLO MAIL RCPT DATA {message} QUIT EHLO MAIL QUIT \
             EHLO MAIL RCPT DATA {message}"
        )
    );
}

#[tokio::test]
async fn nobody_gets_an_empty_mail_because_an_answer_about_them_could_not_be_read() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("RCPT") => "fine, I think\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let failed = send(&relay.transport(), None, "fred@example.net", MAIL).await.unwrap_err();
    assert!(matches!(failed, SendError::Transient(_)), "{failed:?}");
    assert_eq!(relay.heard(), "EHLO MAIL RCPT QUIT");
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
        send(&transport, None, to, MAIL).await.unwrap();
    }
    let heard = relay.heard();
    assert_eq!(heard.matches("(Subject: x)").count(), 2, "{heard}");
    assert_eq!(heard.matches("EHLO").count(), 2, "{heard}");
}

#[tokio::test]
async fn a_lost_answer_to_a_message_leaves_open_whether_it_arrived() {
    let relay = Relay::open(|line, connection| match line {
        ".\r\n" if connection == 0 => "421 4.3.2 closing\r\n",
        ".\r\n" if connection == 1 => "",
        line => agreeable(line, connection),
    });
    let relay = relay.await;
    let transport = relay.transport();
    let closing = send(&transport, None, "fred@example.net", MAIL).await.unwrap_err();
    assert!(matches!(closing, SendError::Transient(_)), "it says that it did not take it: {closing:?}");
    let lost = send(&transport, None, "fred@example.net", MAIL).await.unwrap_err();
    assert!(matches!(lost, SendError::Unheard(_)), "{lost:?}");
    send(&transport, None, "fred@example.net", MAIL).await.unwrap();
}

/// A relay that is slow about each first mail on a connection: the late 250 must not be taken for the reply to another.
#[tokio::test(start_paused = true)]
async fn a_reply_that_comes_too_late_is_said_of_no_other_mail() {
    for (slow, is_unheard, seconds) in
        [("MAIL", false, 120), ("RCPT", false, 120), ("DATA", false, 120), (".\r\n", true, 600)]
    {
        static SLOW: Mutex<&str> = Mutex::new("");
        *SLOW.lock().unwrap() = slow;
        let relay = Relay::open(|line, connection| {
            if connection == 0 && line.starts_with(*SLOW.lock().unwrap()) {
                return if line.starts_with("DATA") { "700@354 go on\r\n" } else { "700@250 2.0.0 fine\r\n" };
            }
            match line {
                ".\r\n" => "554 5.7.1 not this one\r\n",
                line => agreeable(line, connection),
            }
        });
        let relay = relay.await;
        let transport = relay.transport();
        let began = tokio::time::Instant::now();
        let late = send(&transport, None, "fred@example.net", MAIL).await.unwrap_err();
        assert_eq!(matches!(late, SendError::Unheard(_)), is_unheard, "{slow}: {late:?}");
        assert_eq!(matches!(late, SendError::Transient(_)), !is_unheard, "{slow}: {late:?}");
        assert_eq!(began.elapsed().as_secs(), seconds, "{slow}");
        // Before the late reply, and after it.
        for _ in 0..2 {
            let next = send(&transport, None, "joe@example.net", MAIL).await.unwrap_err();
            assert!(matches!(next, SendError::Permanent(_)), "{slow}: {next:?}");
            tokio::time::sleep(Duration::from_mins(15)).await;
        }
    }
}

#[tokio::test]
async fn a_relay_that_says_more_than_it_was_asked_is_called_again() {
    static MESSAGES: Mutex<usize> = Mutex::new(0);
    let relay = Relay::open(|line, connection| {
        if line != ".\r\n" {
            return agreeable(line, connection);
        }
        let mut messages = MESSAGES.lock().unwrap();
        *messages += 1;
        if *messages == 1 { "250 2.0.0 fine\r\n250 2.0.0 fine\r\n" } else { "452 4.3.1 full\r\n" }
    });
    let relay = relay.await;
    let transport = relay.transport();
    send(&transport, None, "fred@example.net", MAIL).await.unwrap();
    let refused = send(&transport, None, "joe@example.net", MAIL).await.unwrap_err();
    assert!(matches!(&refused, SendError::Transient(said) if said.contains("full")), "{refused:?}");
    assert_eq!(relay.heard().matches("EHLO").count(), 2, "{}", relay.heard());
}
