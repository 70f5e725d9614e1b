//! Letters and the ways on which they leave.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use knotpost_core::mailing::LocalMailbox as _;
use knotpost_transport::inbound::smtp::Certificates;
use knotpost_transport::inbound::{Protocol, Receipt, parse};
use knotpost_transport::outbound::{
    Auto, ComposeError, Letter, SendError, Transport, TransportError, compose,
};
use mail_parser::{HeaderValue, MessageParser};
use proptest::prelude::*;
use tokio::net::{TcpListener, TcpStream};

use crate::harness::{Place, TestApp, free_address};
use crate::relay::send;
use crate::smtp_peer;

fn letter() -> Letter {
    Letter {
        from: ("Knotpost".into(), "games@example.org".into()),
        to: "fred@example.net".into(),
        to_name: None,
        subject: "Osbox Board 123 fred **".into(),
        html: None,
        text: "Your turn, fred.\n\n  a b c\n1 / \\ .\n\n-- \nKnotpost\n".into(),
        message_id: "knotpost.17@example.org".into(),
        date: 1_793_697_600_000,
        in_reply_to: Some("m1@mail.example.net".into()),
        references: vec!["board.123@example.org".into(), "m1@mail.example.net".into()],
        auto: Auto::Replied,
        list_id: Some(("Osbox".into(), "osbox.games.example.org".into())),
        reply_to: Some("games+r.abcdef234567@example.org".into()),
        x_loop: "games@example.org".into(),
        unsubscribe: None,
        unsubscribe_to: None,
    }
}

fn text_of(letter: &Letter) -> String {
    String::from_utf8(compose(letter, &[]).unwrap()).unwrap()
}

#[test]
fn a_letter_in_ascii_travels_as_it_is() {
    let letter = letter();
    insta::assert_snapshot!("letter-ascii", text_of(&letter).replace("\r\n", "\n"));
    assert_eq!(compose(&letter, &[]), compose(&letter.clone(), &[]), "the same letter, the same bytes");
}

#[test]
fn a_letter_in_other_scripts_is_encoded_readably() {
    let letter = Letter {
        from: ("Brieftaube \"Käthe\"".into(), "games@example.org".into()),
        subject: "Osbox Board 123 jürgen ** — ein sehr langer Betreff, der über mehrere Zeilen geht ♜♞"
            .into(),
        text: "Zug: ♜ é = 100 %\n".into(),
        list_id: None,
        reply_to: None,
        in_reply_to: None,
        references: vec![],
        auto: Auto::Generated,
        unsubscribe: Some("https://games.example.org/unsubscribe/abc".into()),
        ..letter()
    };
    let text = text_of(&letter);
    assert!(text.is_ascii());
    insta::assert_snapshot!("letter-utf8", text.replace("\r\n", "\n"));
}

#[test]
fn our_own_parser_reads_our_own_letters() {
    let message = parse(&compose(&letter(), &[]).unwrap()).unwrap();
    assert_eq!(message.author(), Some("games@example.org"));
    assert_eq!(message.text, Some(letter().text));
    assert_eq!(message.subject, letter().subject);
    assert_eq!(message.message_id.as_deref(), Some("knotpost.17@example.org"));
    assert_eq!(message.references, letter().references);
    assert_eq!(message.date, Some(letter().date));
    assert_eq!(message.auto_submitted.as_deref(), Some("auto-replied"));
    assert_eq!(message.x_loop, ["games@example.org"]);
}

#[test]
fn line_ends_in_a_field_never_begin_another() {
    let evil = "x\r\nBcc: joe@example.com\r\n\r\nbody";
    let texts = Letter {
        subject: evil.into(),
        from: (evil.into(), "games@example.org".into()),
        list_id: Some((evil.into(), "a.b".into())),
        ..letter()
    };
    let parsed = compose(&texts, &[]).unwrap();
    let parsed = MessageParser::new().parse(&parsed).unwrap();
    assert!(parsed.bcc().is_none());
    assert_eq!(parsed.subject(), Some("x Bcc: joe@example.com body"));
    let refused = [
        Letter { to: evil.into(), ..letter() },
        Letter { to: "a@b.c, d@e.f".into(), ..letter() },
        Letter { from: ("x".into(), evil.into()), ..letter() },
        Letter { reply_to: Some("a@b.c>".into()), ..letter() },
        Letter { message_id: evil.into(), ..letter() },
        Letter { references: vec!["a> <b".into()], ..letter() },
        Letter { in_reply_to: Some(String::new()), ..letter() },
        Letter { list_id: Some(("x".into(), evil.into())), ..letter() },
        Letter { unsubscribe: Some("https://x>\r\nBcc: y".into()), ..letter() },
        Letter { x_loop: "x y@z".into(), ..letter() },
    ];
    for letter in refused {
        assert!(
            matches!(compose(&letter, &[]), Err(ComposeError::Address(_) | ComposeError::Id(_))),
            "{letter:?}"
        );
    }
    assert_eq!(compose(&Letter { date: i64::MAX, ..letter() }, &[]), Err(ComposeError::Date));
}

#[test]
fn pythons_email_module_reads_the_same() {
    const READER: &str = "import sys, email, email.policy\n\
        m = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)\n\
        assert not m.defects, m.defects\n\
        sys.stdout.buffer.write('\\0'.join([str(m['subject']), str(m['from'].addresses[0].display_name), str(m['from'].addresses[0].addr_spec), str(m['message-id']), str(m['date'].datetime.timestamp()), m.get_content()]).encode())";
    let letter = Letter {
        from: ("Brieftaube \"Käthe\", Köln".into(), "games@example.org".into()),
        subject: "Zug ♜♞ für jürgen: ".repeat(12).trim().to_owned(),
        text: format!("♜ = Turm   \n{}\n.\nFrom here\n", "lang ".repeat(60)),
        ..letter()
    };
    let child =
        Command::new("python3").args(["-c", READER]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no python3 here");
        return;
    };
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &compose(&letter, &[]).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let read = String::from_utf8(output.stdout).unwrap();
    let fields: Vec<&str> = read.split('\0').collect();
    assert_eq!(
        fields,
        [
            letter.subject.as_str(),
            &letter.from.0,
            "games@example.org",
            "<knotpost.17@example.org>",
            "1793697600.0",
            &letter.text
        ]
    );
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_back(subject in "\\PC{0,120}", name in "\\PC{1,40}", text in "(\\PC|\n|\t){0,300}") {
        let letter = Letter { from: (name.clone(), "games@example.org".into()), subject: subject.clone(), text: text.clone(), ..letter() };
        let bytes = compose(&letter, &[]).unwrap();
        prop_assert!(bytes.is_ascii());
        prop_assert!(bytes.split(|byte| *byte == b'\n').all(|line| line.len() <= 999 && line.last().is_none_or(|last| *last == b'\r')));
        let parsed = MessageParser::new().parse(&bytes).unwrap();
        prop_assert_eq!(parsed.headers().len(), MessageParser::new().parse(&compose(&self::letter(), &[]).unwrap()).unwrap().headers().len());
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !subject.contains("=?") {
            prop_assert_eq!(squeeze(parsed.subject().unwrap_or_default()), squeeze(&subject));
        }
        prop_assert!(matches!(parsed.header("From"), Some(HeaderValue::Address(_))));
        prop_assert_eq!(parsed.from().unwrap().first().unwrap().address.as_deref(), Some("games@example.org"));
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(lines(parsed.body_text(0).unwrap_or_default().trim_end_matches(['\r', '\n'])), lines(text.trim_end_matches('\n')));
    }
}

const MAILDIR_READER: &str = "import sys, mailbox\nbox = mailbox.Maildir(sys.argv[1], create=False)\nprint(sorted(m['Delivered-To'] + ' ' + m['Subject'] for m in box))";

#[tokio::test]
async fn a_maildir_holds_what_was_sent_and_other_programs_read_it() {
    let data = tempfile::tempdir().unwrap();
    let transport = Transport::from_url("maildir:", data.path()).unwrap();
    let bytes = compose(&letter(), &[]).unwrap();
    send(&transport, Some("games+b.17.x@example.org"), "fred@example.net", &bytes).await.unwrap();
    send(&transport, None, "joe@example.com", &bytes).await.unwrap();
    let maildir = transport.maildir().unwrap();
    assert_eq!(maildir.root(), data.path().join("mail/out"));
    let [second, first] = &maildir.newest(None, 9).unwrap()[..] else { panic!("two mails") };
    let read = |name| String::from_utf8(maildir.read_up_to(name, 1 << 20).unwrap().unwrap()).unwrap();
    let (first, second) = (read(first), read(second));
    assert!(
        first.starts_with("Return-Path: <games+b.17.x@example.org>\nDelivered-To: fred@example.net\nDate: "),
        "{first}"
    );
    assert!(!first.contains('\r'));
    assert!(second.starts_with("Return-Path: <>\nDelivered-To: joe@example.com\n"));

    match Command::new("python3").args(["-c", MAILDIR_READER]).arg(maildir.root()).output() {
        Err(_) => eprintln!("skipped in part: there is no python3 here"),
        Ok(output) => assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            "['fred@example.net Osbox Board 123 fred **', 'joe@example.com Osbox Board 123 fred **']"
        ),
    }
}

#[tokio::test]
async fn a_relay_takes_mail_and_its_answers_are_understood() {
    let server = smtp_peer::start(Protocol::Smtp, |_| {}).await;
    let url = format!("smtp://{}", server.address);
    let transport = Transport::from_url(&url, Path::new(".")).unwrap();
    assert!(transport.maildir().is_none());
    let bytes = compose(&letter(), &[]).unwrap();
    send(&transport, Some("games+b.17.x@example.org"), "games@example.org", &bytes).await.unwrap();
    send(&transport, None, "games@example.org", b"Subject: dots\r\n\r\n.\r\n..\r\n").await.unwrap();
    {
        let received = server.inbox.received.lock().unwrap();
        assert_eq!(received[0].0.mail_from.as_deref(), Some("games+b.17.x@example.org"));
        assert_eq!(received[0].1, bytes);
        assert_eq!(received[1].0.mail_from, None, "the null path");
        assert_eq!(received[1].1, b"Subject: dots\r\n\r\n.\r\n..\r\n");
    }
    let unknown = send(&transport, None, "nobody@example.org", &bytes).await.unwrap_err();
    assert!(
        matches!(&unknown, SendError::Recipient(said) if said.contains("write to games@example.org")),
        "{unknown:?}"
    );
    let later = send(&transport, None, "later@example.org", &bytes).await.unwrap_err();
    assert!(matches!(&later, SendError::Transient(said) if said.contains("not now")), "{later:?}");
    server.inbox.answer_with(Receipt::try_later("queue full"));
    assert!(matches!(
        send(&transport, None, "games@example.org", &bytes).await,
        Err(SendError::Transient(_))
    ));
    server.inbox.answer_with(Receipt::Refused { code: 554, enhanced: "5.6.0", text: "no".into() });
    assert!(matches!(
        send(&transport, None, "games@example.org", &bytes).await,
        Err(SendError::Permanent(_))
    ));
}

#[tokio::test]
async fn a_relay_that_is_away_or_distrusts_us_loses_no_mail() {
    let gone = free_address();
    let transport = Transport::from_url(&format!("smtp://fred:s3cret@{gone}"), Path::new(".")).unwrap();
    let error = send(&transport, None, "games@example.org", b"x\r\n").await.unwrap_err();
    assert!(matches!(&error, SendError::Transient(_)), "{error:?}");
    assert!(!format!("{error:?} {transport:?}").contains("s3cret"));

    // This listener offers no AUTH: a mistake in the configuration, not in the mail.
    let server = smtp_peer::start(Protocol::Smtp, |_| {}).await;
    let transport =
        Transport::from_url(&format!("smtp://fred:s3cret@{}", server.address), Path::new(".")).unwrap();
    let error = send(&transport, None, "games@example.org", b"x\r\n").await.unwrap_err();
    assert!(matches!(&error, SendError::Transient(said) if !said.contains("s3cret")), "{error:?}");
}

#[tokio::test]
async fn a_connection_that_the_relay_closed_meanwhile_costs_no_mail() {
    let server = smtp_peer::start(Protocol::Smtp, |settings| {
        settings.command_timeout = Duration::from_millis(200);
    })
    .await;
    let transport = Transport::from_url(&format!("smtp://{}", server.address), Path::new(".")).unwrap();
    for _ in 0..2 {
        send(&transport, None, "games@example.org", b"x\r\n").await.unwrap();
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    assert_eq!(server.inbox.received.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn tls_is_used_where_offered_and_verified_where_required() {
    let (_, tls) = smtp_peer::self_signed();
    let server = smtp_peer::start(Protocol::Smtp, |settings| settings.tls = Some(tls)).await;
    let send_by = async |query: &str| {
        let transport =
            Transport::from_url(&format!("smtp://{}?tls={query}", server.address), Path::new(".")).unwrap();
        send(&transport, None, "games@example.org", b"x\r\n").await
    };
    send_by("none").await.unwrap();
    send_by("opportunistic").await.unwrap();
    assert!(
        matches!(send_by("required").await, Err(SendError::Transient(_))),
        "nobody vouches for this certificate"
    );
    assert_eq!(server.inbox.received.lock().unwrap().len(), 2);
}

/// A relay at 127.0.0.1 for which an authority vouches that nobody else knows, and the file with that authority.
async fn private_relay(folder: &Path) -> (smtp_peer::Server, Arc<rustls::ServerConfig>, PathBuf) {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    let (root_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut root = CertificateParams::new(Vec::new()).unwrap();
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root_pem = root.self_signed(&root_key).unwrap().pem();
    let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &Issuer::new(root, root_key)).unwrap();
    let file = |name: &str, text: String| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    let (certificate, key) = (file("cert.pem", leaf.pem()), file("key.pem", key.serialize_pem()));
    let tls = Arc::new(Certificates::load(&certificate, &key).unwrap()).server_config().unwrap();
    let offered = Arc::clone(&tls);
    let server = smtp_peer::start(Protocol::Smtp, |settings| settings.tls = Some(offered)).await;
    (server, tls, file("ca.pem", root_pem))
}

/// A port on which TLS comes first; what is inside goes to the server.
async fn wrapped(server: SocketAddr, tls: Arc<rustls::ServerConfig>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let acceptor = tokio_rustls::TlsAcceptor::from(tls);
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut outside) = acceptor.accept(stream).await else { continue };
            let mut inside = TcpStream::connect(server).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
        }
    });
    address
}

#[tokio::test]
async fn a_relay_is_trusted_for_the_authorities_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (server, tls, authority) = private_relay(folder.path()).await;
    let wrapped = wrapped(server.address, tls).await;
    for url in [format!("smtp://{}?tls=required", server.address), format!("smtps://{wrapped}")] {
        let mut config = knotpost_core::config::Config::default();
        config.mail.transport.0 = url;
        let send = async |config: &knotpost_core::config::Config| {
            send(&Transport::from_config(config).unwrap(), None, "games@example.org", b"x\r\n").await
        };
        assert!(
            matches!(send(&config).await, Err(SendError::Transient(_))),
            "nobody knows who vouches for it"
        );
        config.mail.tls_ca = authority.clone();
        send(&config).await.unwrap();
    }
    assert_eq!(server.inbox.received.lock().unwrap().len(), 2);
}

#[test]
fn authorities_that_cannot_be_read_are_refused_whatever_the_transport_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    };
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (path, words) in [
        (folder.path().join("absent.pem"), "absent.pem holds no usable PEM"),
        (file("key.pem", "no certificate"), "key.pem holds no certificate"),
        (file("broken.pem", broken), "a certificate in"),
    ] {
        let mut config = knotpost_core::config::Config::default();
        "memory:".clone_into(&mut config.mail.transport.0);
        config.mail.tls_ca = path;
        let error = Transport::examine(&config).unwrap_err();
        assert!(matches!(error, TransportError::Authorities(_)), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test]
async fn no_more_mails_leave_in_an_hour_than_are_allowed_and_the_rest_later_in_order() {
    let app = TestApp::start_with(Place::Sqlite, |config| config.mail.per_hour = 3).await;
    for name in ["ann", "bob", "eve", "joe", "kim"] {
        app.post(&format!("signup {name} {name}-secret {name}@{name}.example"), "").await;
    }
    let mut readers = Vec::new();
    for sent in [3, 0, 2] {
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), sent, "{letters:?}");
        readers.extend(letters.into_iter().map(|letter| letter.to));
        app.clock.advance(31 * 60_000);
    }
    let expected = ["ann", "bob", "eve", "joe", "kim"].map(|name| format!("{name}@{name}.example"));
    assert_eq!(readers, expected);
}

#[cfg(unix)]
#[tokio::test]
async fn a_sendmail_program_gets_the_mail_and_says_how_it_went() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (program, seen) = (folder.path().join("sendmail"), folder.path().join("seen"));
    let script = format!(
        "#!/bin/sh\nprintf '%s|' \"$@\" > '{0}'\ncase \"$5\" in\n  full@*) echo 'no space' >&2; exit 75;;\n  nobody@*) echo 'no such user' >&2; exit 67;;\nesac\ncat >> '{0}'\n",
        seen.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let transport = Transport::from_url(&format!("sendmail:{}", program.display()), folder.path()).unwrap();
    send(&transport, Some("games@example.org"), "fred@example.net", b"Subject: x\r\n\r\n.\r\n")
        .await
        .unwrap();
    assert_eq!(
        fs::read_to_string(&seen).unwrap(),
        "-i|-f|games@example.org|--|fred@example.net|Subject: x\n\n.\n"
    );
    send(&transport, None, "fred@example.net", b"x\r\n").await.unwrap();
    assert!(
        fs::read_to_string(&seen).unwrap().starts_with("-i|-f||--|fred@"),
        "the null path is said, not left out"
    );
    let full = send(&transport, None, "full@example.net", b"x\r\n").await.unwrap_err();
    assert!(matches!(&full, SendError::Transient(said) if said.contains("no space")), "{full:?}");
    let nobody = send(&transport, None, "nobody@example.net", b"x\r\n").await.unwrap_err();
    assert!(matches!(&nobody, SendError::Recipient(said) if said.contains("no such user")), "{nobody:?}");
    let absent = Transport::from_url("sendmail:/no/such/program", folder.path()).unwrap();
    assert!(matches!(send(&absent, None, "a@b.c", b"x").await, Err(SendError::Transient(_))));
}

#[tokio::test]
async fn memory_keeps_what_was_sent_and_fails_when_told_to() {
    let transport = Transport::from_url("memory:", Path::new(".")).unwrap();
    let Transport::Memory(memory) = &transport else { panic!("{transport:?}") };
    memory.fail_next(SendError::Transient("once".into()));
    assert!(send(&transport, None, "a@b.c", b"x").await.is_err());
    send(&transport.clone(), Some("d@e.f"), "a@b.c", b"x").await.unwrap();
    assert_eq!(memory.sent()[0].from.as_deref(), Some("d@e.f"));
    assert_eq!(memory.take().len(), 1);
    assert!(memory.sent().is_empty());
}

#[tokio::test]
async fn addresses_that_are_more_than_addresses_go_nowhere() {
    let transport = Transport::from_url("memory:", Path::new(".")).unwrap();
    for to in ["", "fred", "a@b.c\r\nRCPT TO:<d@e.f>", "-oQ/tmp@b.c", "a b@c.d", "<a@b.c>"] {
        assert!(matches!(send(&transport, None, to, b"x").await, Err(SendError::Permanent(_))), "{to:?}");
    }
}

#[test]
fn what_is_no_transport_is_refused_without_its_password() {
    for url in [
        "",
        "maildir",
        "pigeon:",
        "memory:x",
        "smtp:",
        "smtp://u:s3cret@",
        "smtp://u:s3cret@h:x",
        "imap://u:s3cret@h",
    ] {
        let error = Transport::from_url(url, Path::new(".")).unwrap_err();
        assert!(matches!(error, TransportError::Unknown | TransportError::Relay), "{url}");
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }
}

#[tokio::test]
async fn the_relay_is_greeted_with_the_domain_of_the_address_or_the_name_that_was_given() {
    let server = smtp_peer::start(Protocol::Smtp, |_| {}).await;
    for (helo, expected) in
        [("", "example.org"), ("mx.example.net", "mx.example.net"), ("[192.0.2.1]", "[192.0.2.1]")]
    {
        let mut config = knotpost_core::config::Config::default();
        "games@example.org".clone_into(&mut config.server.address);
        config.mail.transport.0 = format!("smtp://{}?tls=none", server.address);
        helo.clone_into(&mut config.mail.helo);
        let transport = Transport::from_config(&config).unwrap();
        send(&transport, None, "games@example.org", b"Subject: x\r\n\r\nhi\r\n").await.unwrap();
        let received = server.inbox.received.lock().unwrap();
        assert_eq!(received.last().unwrap().0.helo.as_deref(), Some(expected));
    }
}
