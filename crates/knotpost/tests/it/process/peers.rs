//! Mail programs that are not ours, on either side: swaks and Python's smtplib hand mail in,
//! Python's mailbox and email modules read what came out.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::recipes::recipe;
use super::running::{Ended, PATIENCE, Place, has_neighbour, run_neighbour, users};

/// Sends one mail with Python's smtplib: host port sender recipient [starttls], mail on stdin.
const SEND: &str = r"
import smtplib, ssl, sys
host, port, sender, recipient, *how = sys.argv[1:]
with smtplib.SMTP(host, int(port), timeout=60) as server:
    if 'starttls' in how:
        context = ssl.create_default_context(cafile=how[1])
        context.check_hostname = False
        server.starttls(context=context)
        server.ehlo()
    refused = server.sendmail(sender, [recipient], sys.stdin.buffer.read())
    assert not refused, refused
";

/// Reads a Maildir with Python's own modules and prints each mail's fields, as JSON.
const READ: &str = r"
import email, email.policy, json, mailbox, sys
def factory(file):
    return email.message_from_binary_file(file, policy=email.policy.default)
mails = []
for mail in mailbox.Maildir(sys.argv[1], factory=factory, create=False):
    assert not mail.defects, mail.defects
    for header in mail.values():
        assert not getattr(header, 'defects', ()), header.defects
    body = mail.get_body(('plain',))
    mails.append({
        'headers': {name.lower(): str(value) for name, value in mail.items()},
        'names': [name.lower() for name in mail.keys()],
        'type': mail.get_content_type(),
        'charset': body.get_content_charset(),
        'text': body.get_content(),
    })
json.dump(mails, sys.stdout)
";

/// Runs a script with something on its standard input.
pub(crate) async fn python(script: &str, arguments: &[&str], input: &str) -> Ended {
    let mut command = Command::new("python3");
    command.arg("-c").arg(script).args(arguments).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    Ended::from(child.wait_with_output().await.unwrap())
}

/// All mails of a Maildir as Python reads them.
async fn read_maildir(place: &Place) -> Vec<Value> {
    let said = python(READ, &[place.maildir().to_str().unwrap()], "").await.succeed();
    serde_json::from_str(&said).unwrap()
}

fn header<'a>(mail: &'a Value, name: &str) -> &'a str {
    mail["headers"][name].as_str().unwrap_or_else(|| panic!("no {name} in {mail}"))
}

#[tokio::test]
async fn swaks_hands_mail_in_and_is_refused_where_it_should_be() {
    if !has_neighbour("swaks") {
        return;
    }
    let place = Place::new();
    let server = place.start().await;
    let address = server.smtp().to_string();
    let usual = ["--server", &address, "--from", "ann@example.org", "--helo", "client.example.net"];
    let send = async |more: &[&str]| run_neighbour("swaks", &[&usual[..], more].concat()).await;
    let taken =
        send(&["--to", "pbmserv@localhost", "--header", "Subject: signup ann ann-secret", "--body", "hello"])
            .await;
    assert_eq!(taken.code(), 0, "{taken:?}");
    let piped =
        send(&["--pipeline", "--to", "pbmserv@localhost", "--header", "Subject: help", "--body", "."]).await;
    assert_eq!(piped.code(), 0, "{piped:?}");
    // 24: no recipient was accepted.
    let stranger = send(&["--to", "somebody@elsewhere.example"]).await;
    assert_eq!(stranger.code(), 24, "{stranger:?}");
    assert!(stranger.stdout.contains("550 5.7.1"), "{stranger:?}");
    let unknown = send(&["--to", "nobody@localhost"]).await;
    assert_eq!(unknown.code(), 24, "{unknown:?}");
    // 26: the message was not accepted.
    let several = ["--h-From", "a@example.org, b@example.org", "--to", "pbmserv@localhost"];
    let several = send(&several).await;
    assert_eq!(several.code(), 26, "{several:?}");
    place.wait_until_idle().await;
    assert_eq!(users(&place).await, ["ann"]);
    server.stop().await;
}

#[tokio::test]
async fn the_swaks_command_of_the_manual_is_answered() {
    if !has_neighbour("swaks") {
        return;
    }
    let place = Place::new();
    let server = place.start().await;
    let line = recipe("swaks").replace("127.0.0.1:2525", &server.smtp().to_string());
    let mut command = Command::new("sh");
    command.args(["-c", &line]).stdin(Stdio::null()).kill_on_drop(true);
    let said = tokio::time::timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
    assert!(said.status.success(), "{said:?}");
    place.wait_until_idle().await;
    let mails = read_maildir(&place).await;
    assert!(mails.iter().any(|mail| header(mail, "to").contains("ann@example.org")), "{mails:?}");
    server.stop().await;
}

/// The first mails of a new server, as the manual has them. A debug build hashes slowly, so its pause is replaced.
#[tokio::test]
async fn the_first_game_of_the_manual_begins() {
    if !has_neighbour("swaks") {
        return;
    }
    let place = Place::new().with("KNOTPOST_SERVER__ADDRESS", "pbmserv@games.example");
    let server = place.start().await;
    let script = recipe("first-game").replace("127.0.0.1:2525", &server.smtp().to_string());
    let (first, second) = script.split_once("sleep 2\n").expect("a pause");
    let (function, _) = first.split_once("\n}\n").expect("a function");
    for script in [first.to_owned(), format!("{function}\n}}\n{second}")] {
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdin(Stdio::null()).kill_on_drop(true);
        let said = tokio::time::timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
        assert!(said.status.success(), "{said:?}");
        place.wait_until_idle().await;
    }
    let mails = read_maildir(&place).await;
    let board = |mail: &_| {
        header(mail, "to").contains("ann@example.org") && header(mail, "subject").contains("Osbox Board 101")
    };
    assert!(mails.iter().any(board), "{mails:?}");
    server.stop().await;
}

#[tokio::test]
async fn pythons_smtplib_plays_in_the_open_and_under_tls() {
    if !has_neighbour("python3") {
        return;
    }
    let (made, _) = crate::smtp_peer::self_signed();
    let place = Place::new();
    let certificate = place.write("cert.pem", made.cert.pem());
    let key = place.write("key.pem", made.signing_key.serialize_pem());
    let certificate = certificate.to_str().unwrap().to_owned();
    let place = place
        .with("KNOTPOST_SMTP__TLS_CERT", &certificate)
        .with("KNOTPOST_SMTP__TLS_KEY", key.to_str().unwrap());
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let port = server.smtp().port().to_string();
    for (user, line, how) in [
        ("ann", "osbox move 101 ann ann-secret a1", &[][..]),
        ("bob", "Re: osbox move 101 bob bob-secret a9", &["starttls", &certificate][..]),
    ] {
        let from = format!("{user}@example.org");
        let message = format!(
            "From: {user} <{from}>\r\nTo: pbmserv@localhost\r\nSubject: {line}\r\nMIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nsch\u{f6}n!\r\n.\r\nend\r\n"
        );
        let arguments = [&["127.0.0.1", &port, &from, "pbmserv@localhost"], how].concat();
        python(SEND, &arguments, &message).await.succeed();
        place.wait_until_idle().await;
    }
    assert_eq!(server.moves(101).await, ["a1", "a9"]);
    server.stop().await;
}

#[tokio::test]
async fn python_reads_what_was_mailed_with_the_headers_of_a_good_citizen() {
    if !has_neighbour("python3") {
        return;
    }
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    let message = "From: ann@example.org\nTo: pbmserv@localhost\nSubject: osbox move 101 ann ann-secret a1\n\
                   Message-ID: <mine@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n\
                   Gr\u{fc}\u{df}e, \u{65e5}\u{672c}\n";
    server.post("ann@example.org", message).await;
    server
        .post(
            "ann@example.org",
            "From: ann@example.org\nSubject: osbox show 101\nMessage-ID: <q@example.org>\n\n",
        )
        .await;
    place.wait_until_idle().await;
    server.stop().await;

    let mails = read_maildir(&place).await;
    for mail in &mails {
        expect_good_citizen(mail);
    }
    let about_board: Vec<_> = mails
        .iter()
        .filter(|mail| header(mail, "subject").contains("Osbox Board 101") && !is_answer(mail))
        .collect();
    assert_eq!(about_board.len(), 4, "two players, the challenge and one move");
    let thread = header(about_board[0], "in-reply-to");
    for mail in &about_board {
        assert_eq!(header(mail, "in-reply-to"), thread, "one thread a board");
        assert_eq!(header(mail, "references"), thread);
        assert!(header(mail, "list-id").contains("<osbox.localhost>"), "{mail}");
        assert_eq!(header(mail, "auto-submitted"), "auto-generated");
    }
    let moved: Vec<_> =
        about_board.iter().filter(|mail| header(mail, "subject").ends_with("bob **")).collect();
    assert_eq!(moved.len(), 2, "both are told, with the mark of a comment");
    assert!(
        moved.iter().all(|mail| mail["text"].as_str().unwrap().contains("Gr\u{fc}\u{df}e, \u{65e5}\u{672c}"))
    );
    let answers: Vec<_> = mails.iter().filter(|mail| is_answer(mail)).collect();
    assert_eq!(answers.len(), 1, "the query");
    assert_eq!(header(answers[0], "in-reply-to"), "<q@example.org>");
}

fn is_answer(mail: &Value) -> bool {
    header(mail, "auto-submitted") == "auto-replied"
}

fn expect_good_citizen(mail: &Value) {
    let recipient = header(mail, "delivered-to");
    assert!(["ann@example.org", "bob@example.org"].contains(&recipient), "{mail}");
    let (userid, _) = recipient.split_once('@').unwrap();
    assert!(
        [recipient.to_owned(), format!("{userid} <{recipient}>")].contains(&header(mail, "to").to_owned()),
        "{mail}"
    );
    assert_eq!(header(mail, "from"), "Knotpost <pbmserv@localhost>");
    assert_eq!(header(mail, "x-loop"), "pbmserv@localhost");
    assert_eq!(header(mail, "x-auto-response-suppress"), "All");
    assert_eq!(header(mail, "mime-version"), "1.0");
    assert!(!header(mail, "date").is_empty());
    let id = header(mail, "message-id");
    assert!(id.starts_with('<') && id.ends_with("@localhost>"), "{id}");
    // A return path of its own for every mail, so that a bounce says which one it is about.
    let path = header(mail, "return-path");
    let tag = path.strip_prefix("<pbmserv+b.").and_then(|rest| rest.strip_suffix("@localhost>"));
    let (number, signature) = tag.and_then(|tag| tag.split_once('.')).unwrap_or_else(|| panic!("{path}"));
    assert!(number.parse::<u64>().is_ok() && signature.len() >= 16, "{path}");
    let names: Vec<_> = mail["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for once in ["from", "to", "subject", "date", "message-id", "auto-submitted", "return-path"] {
        assert_eq!(names.iter().filter(|name| **name == once).count(), 1, "{once} in {mail}");
    }
    let text = mail["text"].as_str().unwrap();
    assert!(!text.contains("secret"), "{mail}");
    // Nobody learns another player's address.
    let other = if recipient.starts_with("ann") { "bob@example.org" } else { "ann@example.org" };
    assert!(!mail.to_string().contains(other), "{mail}");
}
