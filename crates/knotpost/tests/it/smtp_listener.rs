//! The SMTP and LMTP listener, spoken to over real sockets.

use std::sync::Arc;
use std::time::Duration;

use knotpost_transport::inbound::smtp::serve_unix;
use knotpost_transport::inbound::unix_socket::NamedSocket;
use knotpost_transport::inbound::{Protocol, Receipt, SmtpSettings, Way};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::smtp_peer::{Client, Inbox, Server, self_signed, start, start_with};

#[tokio::test]
async fn a_message_is_taken_with_its_envelope() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let mut client = Client::connect(&server).await;
    let hello = client.ask("EHLO client.example.net").await;
    for keyword in ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "SIZE 4194304"] {
        assert!(hello.contains(keyword), "{keyword} in {hello}");
    }
    assert!(!hello.contains("STARTTLS"), "not offered without a certificate");
    client.begin().await;
    assert_eq!(client.ask("Subject: hi\r\n\r\n..dot\r\n.").await, "250 2.0.0 stored");
    assert!(client.ask("QUIT").await.starts_with("221"));
    assert_eq!(client.reply().await, "");
    let received = server.inbox.received.lock().unwrap();
    let (envelope, raw) = &received[0];
    assert_eq!(raw, b"Subject: hi\r\n\r\n.dot\r\n");
    assert_eq!(envelope.way, Way::Smtp);
    assert_eq!(envelope.helo.as_deref(), Some("client.example.net"));
    assert_eq!(envelope.mail_from.as_deref(), Some("fred@example.net"));
    assert_eq!(envelope.recipients, ["games@example.org"]);
    assert!(envelope.peer.is_some_and(|peer| peer.is_loopback()));
}

#[tokio::test]
async fn a_whole_conversation_in_one_write_is_understood() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let mut client = Client::connect(&server).await;
    client.send("EHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<games@example.org>\r\nDATA\r\none\r\n.\r\nMAIL FROM:<x@y.z> SIZE=10 BODY=8BITMIME\r\nRCPT TO:<postmaster>\r\nDATA\r\n.\r\nQUIT\r\n").await;
    let mut codes = Vec::new();
    for _ in 0..9 {
        codes.push(client.reply().await[..3].to_owned());
    }
    assert_eq!(codes, ["250", "250", "250", "354", "250", "250", "250", "354", "250"]);
    assert!(client.reply().await.starts_with("221"));
    assert_eq!(server.inbox.bodies(), ["one\r\n", ""], "the second message is empty, and ended");
    assert_eq!(server.inbox.received.lock().unwrap()[0].0.mail_from, None);
}

#[tokio::test]
async fn only_crlf_dot_crlf_ends_a_message_and_bare_line_ends_are_refused() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let probes =
        ["\n.\n", "\n.\r\n", "\r.\r", "\r\n.\n", "\r.\r\n", "\r\n.\r", "\r\n.\r\r\n", "\r\n.\r.\r\r\n"];
    for probe in probes {
        let mut client = Client::connect(&server).await;
        client.begin().await;
        let smuggled = format!(
            "one{probe}MAIL FROM:<evil@example.net>\r\nRCPT TO:<games@example.org>\r\nDATA\r\ntwo\r\n.\r\n\
             MAIL FROM:<evil@example.net>\r\nRCPT TO:<games@example.org>\r\nDATA\r\nthree\r\n.\r\n"
        );
        client.send(&smuggled).await;
        assert!(client.reply().await.starts_with("550 5.6.0"), "{probe:?}");
        assert_eq!(client.reply().await, "", "{probe:?}: one answer, and nothing behind it is read");
    }
    assert!(server.inbox.bodies().is_empty());
}

#[tokio::test]
async fn command_lines_end_with_crlf_and_have_a_length() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let mut client = Client::connect(&server).await;
    client.send("NOOP\n").await;
    assert!(client.reply().await.starts_with("500 5.5.2"));
    client.send("NOOP\rMAIL FROM:<a@b.c>\r\n").await;
    assert!(client.reply().await.starts_with("500 5.5.2"));
    client.send(&format!("NOOP {}\r\nNOOP\r\n", "x".repeat(100_000))).await;
    assert!(client.reply().await.starts_with("500 5.5.2"));
    assert!(client.reply().await.starts_with("250"), "the next command is read again");
}

#[tokio::test]
async fn strangers_mail_is_neither_relayed_nor_taken() {
    let server = start(Protocol::Smtp, |settings| settings.max_recipients = 2).await;
    let mut client = Client::connect(&server).await;
    assert!(client.ask("MAIL FROM:<a@b.c>").await.starts_with("503"), "greet first");
    client.ask("EHLO a").await;
    assert!(client.ask("RCPT TO:<games@example.org>").await.starts_with("503"));
    assert!(client.ask("DATA").await.starts_with("503"));
    client.ask("MAIL FROM:<a@b.c>").await;
    assert!(client.ask("RCPT TO:<fred@example.com>").await.starts_with("550 5.7.1"));
    assert_eq!(client.ask("RCPT TO:<nobody@example.org>").await, "550 5.1.1 write to games@example.org");
    assert!(client.ask("RCPT TO:<later@example.org>").await.starts_with("451"));
    assert!(client.ask("RCPT TO:<>").await.starts_with("501"));
    assert!(client.ask("DATA").await.starts_with("503"), "no valid recipient");
    assert!(client.ask("RCPT TO:<GAMES+R.abc@Example.org>").await.starts_with("250"));
    assert!(client.ask("RCPT TO:<games@example.org>").await.starts_with("250"));
    assert!(client.ask("RCPT TO:<games@example.org>").await.starts_with("452 4.5.3"));
}

/// A message of more than 256 KiB needs a place, which it gives back.
#[tokio::test]
async fn large_messages_have_few_places_and_are_put_off_without_one() {
    let large = format!("{}.", "0123456789\r\n".repeat(25_000));
    for (places, replies) in [(1, ["250 2.0.0", "250 2.0.0"]), (0, ["452 4.3.1", "452 4.3.1"])] {
        let server =
            start(Protocol::Smtp, |settings| settings.large_messages = Arc::new(Semaphore::new(places)))
                .await;
        let mut client = Client::connect(&server).await;
        client.ask("EHLO a").await;
        for reply in replies {
            client.begin().await;
            let said = client.ask(&large).await;
            assert!(said.starts_with(reply), "{said}");
        }
        client.begin().await;
        assert!(client.ask("small\r\n.").await.starts_with("250"));
    }
}

#[tokio::test]
async fn messages_that_are_too_large_are_refused_before_and_after() {
    let server = start(Protocol::Smtp, |settings| settings.max_message = 1000).await;
    let mut client = Client::connect(&server).await;
    client.ask("EHLO a").await;
    assert!(client.ask("MAIL FROM:<a@b.c> SIZE=1001").await.starts_with("552 5.3.4"));
    client.begin().await;
    assert!(client.ask(&format!("{}\r\n.", "0123456789\r\n".repeat(300))).await.starts_with("552 5.3.4"));
    client.begin().await;
    assert!(
        client.ask(&format!("{}.", "0123456789\r\n".repeat(80))).await.starts_with("250"),
        "and then a small one"
    );
    client.begin().await;
    client.send(&"0123456789\r\n".repeat(2000)).await;
    let reply = client.reply().await;
    assert!(reply.starts_with("552 5.3.4"), "for good, without an end in sight: {reply}");
    assert_eq!(client.reply().await, "");
    assert_eq!(server.inbox.bodies().len(), 1);
}

#[tokio::test]
async fn the_intake_has_the_last_word() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let mut client = Client::connect(&server).await;
    client.begin().await;
    server.inbox.answer_with(Receipt::Refused {
        code: 550,
        enhanced: "5.7.0",
        text: "several authors\r\n250 ok".into(),
    });
    assert_eq!(client.ask("x\r\n.").await, "550 5.7.0 several authors  250 ok");
    client.begin().await;
    server.inbox.answer_with(Receipt::try_later("the queue is full"));
    assert_eq!(client.ask("x\r\n.").await, "451 4.3.0 the queue is full");
    client.begin().await;
    let text = "too much mail today".to_owned();
    server.inbox.answer_with(Receipt::TryLater { code: 450, enhanced: "4.7.1", text });
    assert_eq!(client.ask("x\r\n.").await, "450 4.7.1 too much mail today");
}

#[tokio::test]
async fn other_commands_have_answers_and_errors_have_a_limit() {
    let server = start(Protocol::Smtp, |settings| settings.max_errors = 4).await;
    let mut client = Client::connect(&server).await;
    for (command, code) in [
        ("HELO a", "250"),
        ("VRFY games", "252"),
        ("HELP", "214"),
        ("NOOP x", "250"),
        ("RSET", "250"),
        ("EXPN all", "502"),
        ("STARTTLS", "503"),
        ("AUTH PLAIN AGEAYg==", "502"),
        ("LHLO a", "502"),
    ] {
        assert!(client.ask(command).await.starts_with(code), "{command}");
    }
    client.send("WHAT\r\n").await;
    assert!(client.reply().await.starts_with("500 5.5.1"));
    assert!(client.reply().await.starts_with("421 4.7.0"));
    assert_eq!(client.reply().await, "");
}

#[tokio::test]
async fn addresses_beyond_ascii_need_smtputf8() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let mut client = Client::connect(&server).await;
    client.ask("EHLO a").await;
    assert!(client.ask("MAIL FROM:<вася@example.net>").await.starts_with("553 5.6.7"));
    assert!(client.ask("MAIL FROM:<вася@example.net> SMTPUTF8").await.starts_with("250"));
    assert!(client.ask("MAIL FROM:<a@b.c> BODY=BINARYMIME").await.starts_with("503"), "one at a time");
    client.ask("RSET").await;
    assert!(client.ask("MAIL FROM:<a@b.c> BODY=BINARYMIME").await.starts_with("555"));
    assert!(client.ask("MAIL FROM:<a@b.c> FOO=BAR").await.starts_with("555"));
}

#[tokio::test]
async fn slow_clients_are_let_go() {
    let server = start(Protocol::Smtp, |settings| {
        settings.command_timeout = Duration::from_millis(300);
        settings.data_timeout = Duration::from_millis(300);
        settings.message_timeout = Duration::from_millis(700);
    })
    .await;
    let mut dripping = Client::connect(&server).await;
    for _ in 0..8 {
        if dripping.stream.write_all(b"N").await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(dripping.reply().await.starts_with("421 4.4.2"), "byte by byte is not a command");

    let mut silent = Client::connect(&server).await;
    silent.begin().await;
    silent.send("Subject: wait").await;
    assert!(silent.reply().await.starts_with("421 4.4.2"));

    let mut endless = Client::connect(&server).await;
    endless.begin().await;
    for _ in 0..12 {
        if endless.stream.write_all(b"x\r\n").await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(endless.reply().await.starts_with("421 4.4.2"));
    assert!(server.inbox.bodies().is_empty(), "half a message is none");
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_nothing() {
    let server = start(Protocol::Smtp, |settings| settings.max_connections = 1).await;
    let mut client = Client::connect(&server).await;
    client.begin().await;
    client.send("half").await;
    let mut second = TcpStream::connect(server.address).await.unwrap();
    let mut said = String::new();
    second.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("421 4.3.2"), "one connection is enough here: {said}");
    drop(client);
    let mut third = None;
    for _ in 0..100 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let mut code = [0; 3];
        stream.read_exact(&mut code).await.unwrap();
        if &code == b"220" {
            third = Some(stream);
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(third.is_some(), "the place is free again");
    assert!(server.inbox.bodies().is_empty());
}

#[tokio::test]
async fn loopback_has_a_limit_like_any_host_unless_it_is_a_relay() {
    let first_line = async |server: &Server| {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let mut code = [0; 3];
        stream.read_exact(&mut code).await.unwrap();
        (stream, String::from_utf8(code.to_vec()).unwrap())
    };
    let server = start(Protocol::Smtp, |settings| settings.max_per_host = 2).await;
    let held = [first_line(&server).await, first_line(&server).await];
    assert!(held.iter().all(|(_, code)| code == "220"));
    assert_eq!(first_line(&server).await.1, "421", "two are enough");
    let relay = start(Protocol::Smtp, |settings| {
        (settings.max_per_host, settings.max_connections) = (2, 10);
        settings.relays = vec!["127.0.0.0/8".to_owned()].try_into().unwrap();
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..9 {
        held.push(first_line(&relay).await);
    }
    assert!(held.iter().all(|(_, code)| code == "220"));
    assert_eq!(first_line(&relay).await.1, "421", "one place is for others");
}

#[tokio::test]
async fn lmtp_answers_for_each_recipient() {
    let server = start(Protocol::Lmtp, |_| {}).await;
    let mut client = Client::connect(&server).await;
    assert!(client.ask("EHLO a").await.starts_with("502"), "LMTP greets otherwise");
    assert!(client.ask("LHLO mta.example.net").await.starts_with("250-"));
    client.ask("MAIL FROM:<fred@example.net>").await;
    client.ask("RCPT TO:<games@example.org>").await;
    assert!(client.ask("RCPT TO:<nobody@example.org>").await.starts_with("550"));
    client.ask("RCPT TO:<games+r.abc@example.org>").await;
    client.ask("DATA").await;
    assert_eq!(client.ask("x\r\n.").await, "250 2.0.0 stored");
    assert_eq!(client.reply().await, "250 2.0.0 stored");
    assert!(client.ask("NOOP").await.starts_with("250 2.0.0 ok"), "two answers, no more");
    assert_eq!(server.inbox.received.lock().unwrap()[0].0.way, Way::Lmtp);
    assert_eq!(server.inbox.received.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn lmtp_is_spoken_over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lmtp.sock");
    let listener = NamedSocket::bind(&path, 0o600).unwrap();
    let inbox = Arc::new(Inbox::default());
    let cancel = CancellationToken::new();
    let settings = Arc::new(SmtpSettings::new("mail.example.org", Protocol::Lmtp));
    let task = tokio::spawn(serve_unix(listener, settings, inbox.clone(), cancel.clone()));
    let mut client = Client::over(tokio::net::UnixStream::connect(&path).await.unwrap()).await;
    client.ask("LHLO a").await;
    client.ask("MAIL FROM:<a@b.c>").await;
    client.ask("RCPT TO:<games@example.org>").await;
    client.ask("DATA").await;
    assert!(client.ask("x\r\n.").await.starts_with("250"));
    assert_eq!(inbox.received.lock().unwrap()[0].0.peer, None);
    cancel.cancel();
    task.await.unwrap();
    assert!(!path.exists(), "the name goes with the server");
}

#[tokio::test]
async fn stopping_finishes_the_message_in_hand_and_sends_the_idle_away() {
    let inbox = Inbox { pause: Duration::from_millis(300), ..Inbox::default() };
    let server = start_with(inbox, Protocol::Smtp, |_| {}).await;
    let mut idle = Client::connect(&server).await;
    let mut busy = Client::connect(&server).await;
    busy.begin().await;
    busy.send("first half ").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    server.cancel.cancel();
    assert!(idle.reply().await.starts_with("421 4.3.2"));
    assert_eq!(idle.reply().await, "");
    assert!(busy.ask("second half\r\n.").await.starts_with("250"));
    assert!(busy.reply().await.starts_with("421 4.3.2"));
    timeout(Duration::from_secs(10), server.task).await.expect("an end").unwrap();
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_client_that_does_not_come_to_an_end_is_left_when_the_grace_is_over() {
    let server = start(Protocol::Smtp, |settings| settings.grace = Duration::from_millis(200)).await;
    let mut client = Client::connect(&server).await;
    client.begin().await;
    client.send("half a message").await;
    server.cancel.cancel();
    assert!(client.reply().await.starts_with("421 4.3.2"));
    assert_eq!(client.reply().await, "");
    server.task.await.unwrap();
    assert!(server.inbox.bodies().is_empty());
}

#[tokio::test]
async fn starttls_secures_the_session_and_forgets_what_came_before() {
    let (made, tls) = self_signed();
    let server = start(Protocol::Smtp, |settings| settings.tls = Some(tls)).await;

    let mut client = Client::connect(&server).await;
    assert!(client.ask("EHLO a").await.contains("STARTTLS"));
    client.ask("MAIL FROM:<a@b.c>").await;
    // The RCPT that is pushed in behind STARTTLS must not be obeyed inside.
    client.send("STARTTLS\r\nRCPT TO:<games@example.org>\r\n").await;
    assert!(client.reply().await.starts_with("220"));

    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from("mail.example.org").unwrap();
    let stream =
        tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, client.stream).await.unwrap();
    let mut secured = Client { stream, unread: Vec::new() };
    assert!(secured.ask("MAIL FROM:<a@b.c>").await.starts_with("503"), "greet again");
    assert!(!secured.ask("EHLO a").await.contains("STARTTLS"));
    assert!(secured.ask("STARTTLS").await.starts_with("503"));
    secured.begin().await;
    assert!(secured.ask("x\r\n.").await.starts_with("250"));
    assert_eq!(server.inbox.bodies(), ["x\r\n"]);
}

const SMTPLIB: &str = "import smtplib, sys\n\
    with smtplib.SMTP('127.0.0.1', int(sys.argv[1]), local_hostname='client.example.net') as s:\n\
    \x20   s.sendmail('fred@example.net', ['games@example.org'], b'Subject: python\\r\\n\\r\\n.\\r\\n')\n\
    \x20   try:\n\
    \x20       s.sendmail('fred@example.net', ['nobody@example.org'], b'x')\n\
    \x20   except smtplib.SMTPRecipientsRefused as e:\n\
    \x20       print(e.recipients['nobody@example.org'][0])\n";

/// Runs a program that speaks SMTP; `None`, with a word, where it is not installed.
async fn run_peer(program: &str, arguments: &[&str]) -> Option<String> {
    match tokio::process::Command::new(program).args(arguments).output().await {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => {
            eprintln!("skipped: {program} cannot be run here: {error}");
            None
        }
    }
}

#[tokio::test]
async fn pythons_smtplib_delivers() {
    let server = start(Protocol::Smtp, |_| {}).await;
    let Some(said) = run_peer("python3", &["-c", SMTPLIB, &server.address.port().to_string()]).await else {
        return;
    };
    assert_eq!(said.trim(), "550");
    assert_eq!(server.inbox.bodies(), ["Subject: python\r\n\r\n.\r\n"]);
}

#[tokio::test]
async fn swaks_delivers_by_smtp_and_by_lmtp() {
    for (protocol, name) in [(Protocol::Smtp, "ESMTP"), (Protocol::Lmtp, "LMTP")] {
        let server = start(protocol, |_| {}).await;
        let place = server.address.to_string();
        let arguments = [
            "--server",
            &place,
            "--protocol",
            name,
            "--pipeline",
            "--from",
            "<>",
            "--to",
            "games@example.org,postmaster@example.org",
            "--body",
            "hello",
        ];
        let Some(said) = run_peer("swaks", &arguments).await else { return };
        assert!(said.contains("250 2.0.0 stored"), "{said}");
        let received = server.inbox.received.lock().unwrap();
        assert_eq!(received[0].0.recipients.len(), 2);
        assert_eq!(received[0].0.mail_from, None);
    }
}
