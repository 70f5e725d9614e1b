//! The ways on which mail comes in, with somebody real at the other end: a socket in the file system, a folder, a
//! disk that is full.

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::letters::{copies, letters};
use super::peers::python;
use super::running::{PATIENCE, Place, has_neighbour, read_all, run_neighbour, wait_for};
use super::wire::{letter, mail};

/// Speaks LMTP: the socket's path and the recipients; prints those who were refused.
const LMTP: &str = r"
import json, smtplib, sys
path, *recipients = sys.argv[1:]
with smtplib.LMTP(path) as server:
    refused = server.sendmail('ann@example.org', recipients, sys.stdin.buffer.read())
print(json.dumps({who: answer[0] for who, answer in refused.items()}))
";

/// Delivers the mails on its standard input, divided by lines of form feeds, into a Maildir as fetchmail's
/// delivery agents do.
const DELIVER: &str = r"
import mailbox, sys
folder = mailbox.Maildir(sys.argv[1], create=True)
for mail in sys.stdin.buffer.read().split(b'\f\n'):
    if mail:
        folder.add(mail)
";

/// What lies in the folders `new` and `cur`: how many, and the flags of those in `cur`.
const COUNT: &str = r"
import mailbox, sys
mails = list(mailbox.Maildir(sys.argv[1], create=False))
print(sum(m.get_subdir() == 'new' for m in mails), sum('S' in m.get_flags() for m in mails))
";

#[tokio::test]
async fn lmtp_on_a_socket_of_the_file_system_is_spoken_by_python() {
    if !has_neighbour("python3") {
        return;
    }
    let place = Place::new();
    let path = place.root().join("lmtp");
    let listen = format!("unix:{}", path.display());
    let place = place.with("KNOTPOST_LMTP__LISTEN", &listen).with("KNOTPOST_LMTP__SOCKET_MODE", "0622");
    let server = place.start().await;
    let ports = std::fs::read_to_string(place.data().join("ports.json")).unwrap();
    assert!(ports.contains(&format!("\"lmtp\":\"{listen}\"")), "{ports}");
    let metadata = std::fs::symlink_metadata(&path).unwrap();
    assert!(metadata.file_type().is_socket());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o622);
    let message = letter("ann@example.org", "help", "one@example.org").replace('\n', "\r\n");
    // One address of ours: Python waits for one answer, however many were accepted.
    let to = ["pbmserv@localhost", "nobody@localhost"];
    let said = python(LMTP, &[&[path.to_str().unwrap()], &to[..]].concat(), &message).await.succeed();
    assert_eq!(said.trim(), r#"{"nobody@localhost": 550}"#);
    place.wait_until_idle().await;
    assert_eq!(place.received().len(), 1, "one mail, whoever it was for");

    // Another server does not take the place of a living one.
    let rival = Place::new().with("KNOTPOST_LMTP__LISTEN", &listen);
    let refused = rival.try_start().await.err().expect("it does not start");
    assert!(refused.code() != 0 && refused.stderr.contains("lmtp.listen"), "{refused:?}");
    python(LMTP, &[path.to_str().unwrap(), to[0]], &message).await.succeed();

    // What a dead server left behind is in nobody's way.
    server.kill().await;
    assert!(path.exists());
    let server = place.start().await;
    python(LMTP, &[path.to_str().unwrap(), to[0]], &message).await.succeed();
    server.stop().await;
    assert!(!path.exists(), "a clean stop tidies up");
}

#[tokio::test]
async fn mails_that_python_puts_into_a_folder_are_answered_once_across_a_kill() {
    const MAILS: usize = 40;
    if !has_neighbour("python3") {
        return;
    }
    let place = Place::new();
    let folder = place.root().join("fetched");
    let folder = folder.to_str().unwrap().to_owned();
    let place = place.with("KNOTPOST_MAILDIR__WATCH", &folder).with("KNOTPOST_MAILDIR__POLL_SECONDS", "0.05");
    // The server comes first: the folder is not there yet.
    let server = place.start().await;
    let mails: Vec<String> = (0..MAILS)
        .map(|number| letter(&format!("a{number}@example.org"), "help", &format!("{number}@example.org")))
        .collect();
    let (first, second) = mails.split_at(MAILS / 2);
    python(DELIVER, &[&folder], &first.join("\u{c}\n")).await.succeed();
    wait_for("the first of them", async || (!place.received().is_empty()).then_some(())).await;
    server.kill().await;
    python(DELIVER, &[&folder], &second.join("\u{c}\n")).await.succeed();
    let server = place.start().await;
    wait_for("an empty folder", async || {
        let counts = python(COUNT, &[&folder], "").await.succeed();
        (counts.trim() == format!("0 {MAILS}")).then_some(())
    })
    .await;
    place.wait_until_idle().await;
    server.stop().await;
    let rows = place.received();
    for number in 0..MAILS {
        let id = format!("{number}@example.org");
        let executed = rows.iter().filter(|row| {
            row.message_id.as_deref() == Some(&id) && row.reason.as_deref() == Some("executed")
        });
        assert_eq!(executed.count(), 1, "{id}: {rows:?}");
    }
    assert!(rows.len() <= MAILS + 1, "one at most was in progress: {}", rows.len());
    // A letter that was written and not yet noted when the kill fell lies there twice, under one id.
    assert_eq!(copies(&place.maildir()).len(), MAILS);
    assert!(letters(&place.maildir()).len() <= MAILS + first.len(), "those after the kill leave once");
}

#[tokio::test]
async fn a_server_does_not_read_its_own_outgoing_mail() {
    let place = Place::new().with("KNOTPOST_MAILDIR__WATCH", "mail/out");
    let refused = place.try_start().await.err().expect("it does not start");
    assert!(refused.stderr.contains("maildir.watch"), "{refused:?}");
}

#[tokio::test]
async fn a_client_in_the_middle_of_a_message_does_not_hold_up_the_end() {
    let place = Place::new();
    let server = place.start().await;
    let mut client = TcpStream::connect(server.smtp()).await.unwrap();
    let begun =
        "EHLO a\r\nMAIL FROM:<ann@example.org>\r\nRCPT TO:<pbmserv@localhost>\r\nDATA\r\nSubject: help\r\n";
    client.write_all(begun.as_bytes()).await.unwrap();
    let mut said = [0; 1024];
    wait_for("the invitation", async || {
        let seen = client.peek(&mut said).await.unwrap();
        String::from_utf8_lossy(&said[..seen]).contains("354 ").then_some(())
    })
    .await;
    server.signal("TERM").await;
    let ended = tokio::time::timeout(Duration::from_secs(10), server.end()).await.expect("ten seconds");
    assert_eq!(ended.code(), 0, "{ended:?}");
    let said = String::from_utf8(read_all(&mut client).await).unwrap();
    assert!(said.ends_with("421 4.3.2 the server is going down, please try again later\r\n"), "{said}");
    assert!(place.received().is_empty());
}

#[tokio::test]
async fn mistakes_of_the_operator_keep_mail_waiting() {
    let place = Place::new().with("KNOTPOST_HTTP__LISTNE", "x");
    let message = letter("ann@example.org", "help", "x@example.org");
    for arguments in [&["deliver"][..], &["deliver", "--tto", "x"], &["--config", "absent.toml", "deliver"]] {
        let ended = place.run_with(arguments, message.as_bytes()).await;
        assert_eq!(ended.code(), 75, "{arguments:?}: {ended:?}");
    }
    assert_eq!(place.run(&["deliver", "--help"]).await.code(), 0);
    assert_eq!(place.run(&["config", "show"]).await.code(), 78, "others are told what it is");
}

#[tokio::test]
async fn a_reply_address_in_a_piped_mail_is_found() {
    let place = Place::new().migrated().await;
    let message = "Delivered-To: pbmserv+tag@localhost\n".to_owned()
        + &letter("ann@example.org", "help", "x@example.org");
    assert_eq!(place.run_with(&["deliver"], message.as_bytes()).await.code(), 0);
    let recipients: String = place.ask("SELECT recipients FROM inbox");
    assert_eq!(recipients, "pbmserv+tag@localhost\npbmserv@localhost");
}

#[tokio::test]
async fn deliver_finds_a_way_while_servers_come_and_go() {
    const MAILS: usize = 12;
    let place = Place::new();
    place.start().await.stop().await;
    let deliveries = async {
        for number in 0..MAILS {
            let from = format!("a{number}@example.org");
            let message = letter(&from, "help", &format!("{number}@example.org"));
            let ended = place.run_with(&["deliver"], message.as_bytes()).await;
            assert_eq!(ended.code(), 0, "{number}: {ended:?}");
        }
    };
    let servers = async {
        for round in 0..4 {
            let server = place.start().await;
            if round % 2 == 0 {
                server.stop().await
            } else {
                server.kill().await
            };
        }
    };
    tokio::join!(deliveries, servers);
    let server = place.start().await;
    place.wait_until_idle().await;
    server.stop().await;
    let rows = place.received();
    for number in 0..MAILS {
        let id = format!("{number}@example.org");
        let of_this = rows.iter().filter(|row| row.message_id.as_deref() == Some(&id));
        assert_eq!(
            of_this.filter(|row| row.reason.as_deref() == Some("executed")).count(),
            1,
            "{id}: {rows:?}"
        );
    }
}

/// The files of the server may not grow any more, as on a disk that is full.
#[tokio::test]
async fn on_a_full_disk_mail_is_put_off_and_none_is_lost() {
    if !has_neighbour("prlimit") {
        return;
    }
    let place = Place::new().with_shell("trap '' XFSZ; exec \"$@\"");
    let server = place.start().await;
    let limit = async |size: &str| {
        let id = server.id().to_string();
        run_neighbour("prlimit", &["--pid", &id, &format!("--fsize={size}:unlimited")]).await.succeed();
    };
    let largest =
        std::fs::read_dir(place.data()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).max();
    limit(&(largest.unwrap() + (256 << 10)).to_string()).await;
    let send = async |number: usize| {
        // Each from somebody else: how much room there is has nothing to do with how often one is answered.
        let from = format!("ann{number}@example.org");
        let message = letter(&from, "help", &format!("{number}@example.org"));
        mail(server.smtp(), &from, "pbmserv@localhost", &message).await.unwrap()
    };
    let mut taken = 0;
    let refused = loop {
        let reply = send(taken).await;
        if !reply.starts_with("250") {
            break reply;
        }
        taken += 1;
        assert!(taken < 10_000, "a disk that is never full");
    };
    assert!(refused.starts_with("451 4.3.0"), "{refused}");
    assert!(taken > 0, "there was some room");
    // What is small still finds room in what the files have already: the server is not ready for that.
    let largest =
        std::fs::read_dir(place.data()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).max();
    limit(&largest.unwrap().to_string()).await;
    let told = server.get("/readyz").await;
    assert_eq!((told.status, told.body.contains("its disk is full")), (503, true), "{told:?}");
    // Now there is none for anything.
    limit("0").await;
    let refused = send(taken).await;
    assert!(refused.starts_with("451 4.3.0"), "{refused}");
    let told = server.get("/readyz").await;
    assert_eq!((told.status, told.body.contains("its disk is full")), (503, true), "{told:?}");
    limit("unlimited").await;
    assert_eq!(server.get("/readyz").await.status, 200);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !send(taken).await.starts_with("250") {
        assert!(tokio::time::Instant::now() < deadline, "there is room again");
    }
    place.wait_until_idle().await;
    server.stop().await;
    let rows = place.received();
    for number in 0..=taken {
        let id = format!("{number}@example.org");
        let done = |reason: &str| {
            let of_this = rows.iter().filter(|row| row.message_id.as_deref() == Some(&id));
            of_this.filter(|row| row.reason.as_deref() == Some(reason)).count()
        };
        assert_eq!(done("executed"), 1, "{id}");
    }
    assert!(copies(&place.maildir()).values().all(|copies| *copies == 1), "nothing is told twice");
    assert_eq!(letters(&place.maildir()).len(), taken + 1);
}
