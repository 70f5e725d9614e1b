//! Relays with ways of their own, and how mail gets through to them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use knotpost_transport::outbound::{Beginning, Outgoing, SendError, Transport};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// What a relay answers to a line of one of its connections, which are counted from 0.
pub(crate) type Answer = fn(line: &str, connection: usize) -> &'static str;

const HURRIED: &str = "250-relay.example.net\r\n250 PIPELINING\r\n";

pub(crate) fn agreeable(line: &str, _: usize) -> &'static str {
    match line.get(..4).unwrap_or(line) {
        "EHLO" => HURRIED,
        "DATA" => "354 go on\r\n",
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
        Self::with(answer, Duration::from_millis(60)).await
    }

    /// One that takes everything, several commands at once, and answers as soon as it has read them.
    pub(crate) async fn quick() -> Self {
        Self::with(agreeable, Duration::ZERO).await
    }

    async fn with(answer: Answer, patience: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::default());
        let ears = Arc::clone(&heard);
        let task = tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, connection, (answer, patience), Arc::clone(&ears)));
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

    /// The verbs, in the order in which they came; `…` stands behind those that had to wait for an answer.
    pub(crate) fn heard(&self) -> String {
        self.heard.lock().unwrap().join(" ")
    }
}

/// Answers a command when nothing more comes for a moment, so that it shows whether the other side waits.
async fn serve(
    stream: TcpStream,
    connection: usize,
    (answer, patience): (Answer, Duration),
    heard: Arc<Mutex<Vec<String>>>,
) {
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
        let waits = timeout(patience, stream.fill_buf()).await.is_err();
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

/// Sends a mail that no other follows.
pub(crate) async fn send(
    transport: &Transport,
    from: Option<&str>,
    to: &str,
    bytes: &[u8],
) -> Result<(), SendError> {
    transport.send(&Outgoing { from, to, bytes, file: None }, Beginning::default(), None).await.0
}

/// Sends mails, telling the relay about each together with the end of the one before it.
async fn send_all(transport: &Transport, mails: &[Outgoing<'_>]) -> Vec<Result<(), SendError>> {
    let (mut outcomes, mut begun) = (Vec::new(), Beginning::default());
    for (number, mail) in mails.iter().enumerate() {
        let (outcome, after) = transport.send(mail, begun, mails.get(number + 1)).await;
        outcomes.push(outcome);
        begun = after;
    }
    outcomes
}

fn to(address: &str) -> Outgoing<'_> {
    Outgoing { from: None, to: address, bytes: MAIL, file: None }
}

#[tokio::test]
async fn a_relay_that_takes_commands_at_once_is_told_all_of_them() {
    let relay = Relay::open(agreeable).await;
    let transport = relay.transport();
    send(&transport, Some("games@example.org"), "fred@example.net", MAIL).await.unwrap();
    send(&transport, None, "joe@example.net", MAIL).await.unwrap();
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
    send(&relay.transport(), None, "fred@example.net", MAIL).await.unwrap();
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
    send(&relay.transport(), None, "fred@example.net", MAIL).await.unwrap();
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
    let refused = send(&transport, None, "nobody@example.net", MAIL).await.unwrap_err();
    assert!(matches!(&refused, SendError::Recipient(said) if said.contains("no such user")), "{refused:?}");
    send(&transport, None, "fred@example.net", MAIL).await.unwrap();
    let (refused, sent) = ("MAIL RCPT DATA… .… RSET…", "MAIL RCPT DATA… (Subject: x) .…");
    assert_eq!(relay.heard(), format!("EHLO… EHLO… {refused} {sent}"));
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
    let refused = send(&relay.transport(), None, "fred@example.net", MAIL).await.unwrap_err();
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
        send(&transport, None, to, MAIL).await.unwrap();
    }
    let heard = relay.heard();
    assert_eq!(heard.matches("(Subject: x)").count(), 2, "{heard}");
    assert_eq!(heard.matches("EHLO").count(), 4, "{heard}");
}

#[tokio::test]
async fn the_next_mail_is_begun_together_with_the_end_of_the_one_before_it() {
    let relay = Relay::open(agreeable).await;
    let transport = relay.transport();
    let outcomes =
        send_all(&transport, &[to("fred@example.net"), to("joe@example.net"), to("ann@example.net")]).await;
    assert_eq!(outcomes, [Ok(()), Ok(()), Ok(())]);
    let next = "(Subject: x) . MAIL RCPT DATA…";
    assert_eq!(relay.heard(), format!("EHLO… EHLO… MAIL RCPT DATA… {next} {next} (Subject: x) .…"));
    // The connection is kept.
    send(&transport, None, "fred@example.net", MAIL).await.unwrap();
    assert_eq!(relay.heard().matches("EHLO").count(), 2);
}

#[tokio::test]
async fn a_relay_that_takes_one_command_at_a_time_is_told_of_one_mail_at_a_time() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("EHLO") => "250 relay.example.net\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let outcomes = send_all(&relay.transport(), &[to("fred@example.net"), to("joe@example.net")]).await;
    assert_eq!(outcomes, [Ok(()), Ok(())]);
    let mail = "MAIL… RCPT… DATA… (Subject: x) .…";
    assert_eq!(relay.heard(), format!("EHLO… EHLO… {mail} {mail}"));
}

#[tokio::test]
async fn what_a_relay_says_to_one_of_several_mails_is_said_of_no_other() {
    let relay = Relay::open(|line, connection| match line.get(..4) {
        Some("RCPT") if line.contains("nobody") => "550 5.1.1 no such user\r\n",
        _ => agreeable(line, connection),
    });
    let relay = relay.await;
    let mails = [to("fred@example.net"), to("nobody@example.net"), to("joe@example.net")];
    let outcomes = send_all(&relay.transport(), &mails).await;
    assert!(
        matches!(outcomes.as_slice(), [Ok(()), Err(SendError::Recipient(said)), Ok(())] if said.contains("no such user")),
        "{outcomes:?}"
    );
    // The message that the relay waited for all the same is empty, and nobody was asked twice.
    let next = "(Subject: x) . MAIL RCPT DATA… .… RSET…";
    assert_eq!(relay.heard(), format!("EHLO… EHLO… MAIL RCPT DATA… {next} MAIL RCPT DATA… (Subject: x) .…"));
}

#[tokio::test]
async fn a_message_that_is_refused_takes_the_next_mail_along_no_more_than_a_lost_answer_does() {
    static MESSAGES: Mutex<usize> = Mutex::new(0);
    let relay = Relay::open(|line, connection| {
        if line == ".\r\n" {
            let mut messages = MESSAGES.lock().unwrap();
            *messages += 1;
            return match *messages {
                1 => "554 5.7.1 not this one\r\n",
                // The relay is gone, with the mail that was begun.
                3 => "421 4.3.2 closing\r\n",
                _ => "250 2.0.0 fine\r\n",
            };
        }
        agreeable(line, connection)
    });
    let relay = relay.await;
    let mails = ["a@example.net", "b@example.net", "c@example.net", "d@example.net"].map(to);
    let outcomes = send_all(&relay.transport(), &mails).await;
    assert!(
        matches!(
            outcomes.as_slice(),
            [Err(SendError::Permanent(_)), Ok(()), Err(SendError::Unheard(_)), Ok(())]
        ),
        "{outcomes:?}"
    );
    assert_eq!(relay.heard().matches("EHLO").count(), 4, "{}", relay.heard());
}

#[tokio::test]
async fn a_mail_that_was_begun_and_is_not_sent_reaches_nobody() {
    let relay = Relay::open(agreeable).await;
    let transport = relay.transport();
    let (outcome, begun) =
        transport.send(&to("fred@example.net"), Beginning::default(), Some(&to("joe@example.net"))).await;
    outcome.unwrap();
    drop(begun);
    send(&transport, None, "ann@example.net", MAIL).await.unwrap();
    let heard = relay.heard();
    assert_eq!(heard.matches("(Subject: x)").count(), 2, "{heard}");
    assert_eq!(heard.matches("EHLO").count(), 4, "another connection: {heard}");
    // What it says now is not what the relay was told of.
    let (outcome, begun) =
        transport.send(&to("fred@example.net"), Beginning::default(), Some(&to("joe@example.net"))).await;
    outcome.unwrap();
    let other = Outgoing { bytes: "Subject: ü\r\n".as_bytes(), ..to("joe@example.net") };
    transport.send(&other, begun, None).await.0.unwrap();
    assert_eq!(relay.heard().matches("EHLO").count(), 6, "{}", relay.heard());
}

#[tokio::test]
async fn a_relay_that_is_silent_about_the_next_mail_has_taken_the_one_before_it() {
    static MAILS: Mutex<usize> = Mutex::new(0);
    let relay = Relay::open(|line, connection| {
        let mut mails = MAILS.lock().unwrap();
        *mails += usize::from(line.starts_with("MAIL"));
        if *mails > 1 { "" } else { agreeable(line, connection) }
    });
    let relay = relay.await;
    let transport = relay.transport();
    let (mail, next) = (to("fred@example.net"), to("joe@example.net"));
    let sending = transport.send(&mail, Beginning::default(), Some(&next));
    let (outcome, _) = timeout(Duration::from_secs(20), sending).await.expect("it was taken");
    outcome.unwrap();
}
