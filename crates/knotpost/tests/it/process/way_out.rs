//! The ways on which mail leaves, with somebody real at the other end.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::letters::{Outgoing, copies, letters};
use super::running::{Place, Running, wait_for};
use crate::harness::free_address;

/// A relay that refuses for now until it is told to accept.
#[derive(Clone, Default)]
struct Relay {
    accepts: Arc<Mutex<bool>>,
    refused: Arc<Mutex<Vec<String>>>,
    taken: Arc<Mutex<Vec<(String, String)>>>,
}

impl Relay {
    async fn open() -> (Self, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let relay = Self::default();
        let shared = relay.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(shared.clone().converse(BufReader::new(stream)));
            }
        });
        (relay, address)
    }

    fn accept(&self) {
        *self.accepts.lock().unwrap() = true;
    }

    /// Serves one connection; ends with it.
    async fn converse(self, mut stream: BufReader<TcpStream>) -> Option<()> {
        let mut sender = String::new();
        stream.get_mut().write_all(b"220 relay.example\r\n").await.ok()?;
        loop {
            let line = read_line(&mut stream).await?;
            let word = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
            let reply = match word.as_str() {
                "MAIL" => {
                    sender = line;
                    "250 fine"
                }
                "RCPT" if !*self.accepts.lock().unwrap() => {
                    self.refused.lock().unwrap().push(line);
                    "451 4.3.0 not now"
                }
                "DATA" => {
                    stream.get_mut().write_all(b"354 go on\r\n").await.ok()?;
                    let mut message = String::new();
                    loop {
                        let line = read_line(&mut stream).await?;
                        if line == "." {
                            break;
                        }
                        message.push_str(line.strip_prefix('.').unwrap_or(&line));
                        message.push('\n');
                    }
                    self.taken.lock().unwrap().push((std::mem::take(&mut sender), message));
                    "250 taken"
                }
                "QUIT" => "221 bye",
                _ => "250 fine",
            };
            stream.get_mut().write_all(format!("{reply}\r\n").as_bytes()).await.ok()?;
        }
    }
}

async fn read_line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

impl Place {
    /// How many mails were tried and wait for their next try.
    fn put_off(&self) -> i64 {
        self.ask("SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND attempts > 0 AND error IS NOT NULL")
    }

    /// Lets the next try come now, which a minute would bring as well.
    ///
    /// Says how many mails wait for one.
    fn hurry(&self) -> usize {
        let sql = "UPDATE outbox SET due_at = 0 WHERE state = 'queued' AND error IS NOT NULL";
        self.open_database().execute(sql, []).unwrap()
    }
}

async fn play_a_move(server: &Running) {
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server.ask("osbox move 101 ann ann-secret a1").await;
}

fn relay_through(relay: impl std::fmt::Display) -> Place {
    Place::new()
        .with("KNOTPOST_MAIL__TRANSPORT", format!("smtp://{relay}"))
        .with("KNOTPOST_ACCOUNTS__CONFIRM_ADDRESSES", "off")
}

#[tokio::test]
async fn a_relay_that_refuses_for_now_gets_every_mail_once_when_it_accepts() {
    let (relay, address) = Relay::open().await;
    let place = relay_through(address);
    let server = place.start().await;
    play_a_move(&server).await;
    wait_for("a refusal of every mail", async || (relay.refused.lock().unwrap().len() >= 6).then_some(()))
        .await;
    // The first board certainly did not arrive, so that it may give way to the one with the move.
    let gives_way = |mail: &Outgoing| mail.state == "dropped" && mail.ply == Some(0);
    let waiting = place.outgoing();
    assert!(waiting.iter().all(|mail| mail.state == "queued" || gives_way(mail)), "{waiting:?}");
    assert!(relay.taken.lock().unwrap().is_empty());
    assert_eq!(server.moves(101).await, ["a1"], "a game does not wait for mail");

    relay.accept();
    // A stop and a start between the two tries lose nothing.
    server.stop().await;
    let server = place.start().await;
    place.hurry();
    place.wait_until_idle().await;
    server.stop().await;
    let taken = relay.taken.lock().unwrap().clone();
    let mut sent = place.outgoing();
    sent.retain(|mail| !gives_way(mail));
    assert_eq!(taken.len(), sent.len(), "each once");
    for mail in sent {
        assert_eq!(mail.state, "sent");
        let named = format!("Message-ID: <{}>", mail.message_id);
        let copies: Vec<_> = taken.iter().filter(|(_, message)| message.contains(&named)).collect();
        assert_eq!(copies.len(), 1, "{mail:?}");
        assert!(copies[0].0.contains("FROM:<pbmserv+b."), "{:?}", copies[0].0);
    }
}

#[tokio::test]
async fn a_relay_that_cannot_carry_an_address_is_named_and_domains_go_through_all() {
    let (relay, address) = Relay::open().await;
    relay.accept();
    let place = relay_through(address);
    let server = place.start().await;
    server.ask("signup vasja vasja-secret \u{432}\u{430}\u{441}\u{44f}@example.org").await;
    server.ask("signup ann ann-secret ann@b\u{fc}cher.example").await;
    server.ask("osbox challenge ann vasja").await;
    place.wait_until_idle().await;
    let sql = "SELECT recipient, error FROM outbox WHERE state = 'failed'";
    let failed: Vec<(String, String)> = place.rows(sql, |row| row.try_into());
    assert_eq!(failed.len(), 2, "the welcome and the board: {failed:?}");
    assert!(failed.iter().all(|(to, why)| !to.is_ascii() && why.contains("SMTPUTF8")), "{failed:?}");
    let taken = relay.taken.lock().unwrap().clone();
    assert_eq!(taken.len(), 2);
    assert!(
        taken.iter().all(|(_, message)| message.contains("\nTo: ann <ann@xn--bcher-kva.example>\n")),
        "{taken:?}"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_relay_that_is_another_server_of_ours_ends_every_circle() {
    // Mail for ann goes to a second server: it takes it, knows it for a server's and stays silent.
    let second = Place::new().with("KNOTPOST_SERVER__ADDRESS", "ann@example.org");
    let receiving = second.start().await;
    let place = relay_through(receiving.smtp());
    let server = place.start().await;
    server.ask("signup ann ann-secret ann@example.org").await;
    server.ask("osbox challenge ann ann").await;
    place.wait_until_idle().await;
    second.wait_until_idle().await;
    let rows = second.received();
    assert_eq!(rows.len(), 2, "the welcome and the board: {rows:?}");
    assert!(rows.iter().all(|row| row.reason.as_deref() == Some("auto_submitted")), "{rows:?}");
    assert!(letters(&second.maildir()).is_empty(), "nothing is answered");
    server.stop().await;
    receiving.stop().await;
}

#[tokio::test]
async fn a_sendmail_program_gets_envelope_and_message() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let script = "#!/bin/sh\n\
        # The first try fails as a program does whose disk is full.\n\
        here=$(dirname \"$0\")\n\
        [ -e \"$here/tried\" ] || { touch \"$here/tried\"; exit 75; }\n\
        file=$(mktemp \"$here/sent.XXXXXX\")\n\
        { echo \"$@\"; cat; } >\"$file.part\" && mv \"$file.part\" \"$file\"\n";
    let program = place.write("sendmail", script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = place
        .with("KNOTPOST_MAIL__TRANSPORT", format!("sendmail:{}", program.display()))
        .with("KNOTPOST_ACCOUNTS__CONFIRM_ADDRESSES", "off");
    let server = place.start().await;
    server.ask("signup ann ann-secret ann@example.org").await;
    wait_for("the first try", async || place.root().join("tried").exists().then_some(())).await;
    // Once, and only when the failure is written down: a mail that is being sent is left alone.
    wait_for("its failure", async || (place.hurry() > 0).then_some(())).await;
    place.wait_until_idle().await;
    server.stop().await;
    let sent: Vec<String> = std::fs::read_dir(place.root())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with("sent."))
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    assert_eq!(sent.len(), 1);
    let (arguments, message) = sent[0].split_once('\n').unwrap();
    assert!(arguments.starts_with("-i -f pbmserv+b."), "{arguments}");
    assert!(arguments.ends_with("@localhost -- ann@example.org"), "{arguments}");
    assert!(message.contains("\nTo: ann <ann@example.org>\n") && !message.contains('\r'), "{message}");
}

#[tokio::test]
async fn a_log_that_cannot_be_written_stops_no_mail() {
    let place = Place::new().with_shell("exec \"$@\" 2>/dev/full");
    let server = place.start().await;
    let aside = place.root().join("aside");
    std::fs::rename(place.maildir(), &aside).unwrap();
    std::fs::write(place.maildir(), "").unwrap();
    server.sign_up_two().await;
    // Both: one that is being tried would be put off after it was told to come now.
    wait_for("mails that are put off, which is logged", async || (place.put_off() == 2).then_some(())).await;
    std::fs::remove_file(place.maildir()).unwrap();
    std::fs::rename(&aside, place.maildir()).unwrap();
    place.hurry();
    place.wait_until_idle().await;
    assert_eq!(letters(&place.maildir()).len(), 2, "each got their welcome");
    // It ends well.
    server.stop().await;
}

#[tokio::test]
async fn a_mail_that_left_before_a_crash_lies_there_once_after_it() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    place.wait_until_idle().await;
    server.kill().await;
    let before = copies(&place.maildir());
    assert_eq!(before.len(), 2);
    // As if it had been killed after the mails were laid down and before that was noted.
    place.alter("UPDATE outbox SET state = 'queued', done_at = NULL, due_at = 0");
    let server = place.start().await;
    place.wait_until_idle().await;
    server.stop().await;
    assert_eq!(copies(&place.maildir()), before);
}

/// The links of all mails in a Maildir.
fn links(maildir: &std::path::Path) -> Vec<String> {
    let mut links = Vec::new();
    for letter in letters(maildir) {
        let message = MessageParser::default().parse(&letter.text).expect("a mail");
        let text = message.body_text(0).expect("a text").into_owned();
        links.extend(text.split_whitespace().filter(|word| word.starts_with("http")).map(str::to_owned));
    }
    links
}

/// Where the web listens, what `server.public_url` says, and where links lead: `PORT` is the one that was bound.
#[tokio::test]
async fn links_lead_to_the_port_that_was_bound_unless_an_address_is_set() {
    let fixed = free_address().to_string();
    for (listen, public_url, origin) in [
        ("127.0.0.1:0", None, "http://127.0.0.1:PORT"),
        (&*fixed, None, "http://127.0.0.1:PORT"),
        ("0.0.0.0:0", None, "http://127.0.0.1:PORT"),
        ("[::1]:0", None, "http://[::1]:PORT"),
        ("127.0.0.1:0", Some("https://games.example"), "https://games.example"),
    ] {
        let mut place = Place::new().with("KNOTPOST_HTTP__LISTEN", listen);
        if let Some(url) = public_url {
            place = place.with("KNOTPOST_SERVER__PUBLIC_URL", url);
        }
        // A start after another one has another port.
        for _ in 0..2 {
            let server = place.start().await;
            let origin = origin.replace("PORT", &server.http().port().to_string());
            if letters(&place.maildir()).is_empty() {
                server.sign_up_two().await;
                place.wait_until_idle().await;
            }
            std::fs::remove_dir_all(place.maildir().join("new")).unwrap();
            std::fs::create_dir(place.maildir().join("new")).unwrap();
            // Written by the server, and by a command beside it.
            server.ask("password ann").await;
            server.ask("export me ann ann-secret").await;
            place.run(&["admin", "user", "send-password", "bob"]).await.succeed();
            place.wait_until_idle().await;
            let links = links(&place.maildir());
            let to =
                |path: &str| links.iter().filter(|link| link.starts_with(&format!("{origin}{path}"))).count();
            assert_eq!((to("/reset/"), to("/archive/")), (2, 1), "{listen}, {public_url:?}: {links:?}");
            assert_eq!(to("/"), links.len(), "{listen}, {public_url:?}: {links:?}");
            for link in &links {
                let page = server.get(link.strip_prefix(&origin).unwrap()).await;
                // An archive is shown to whoever logs in.
                let expected = if link.contains("/archive/") { 303 } else { 200 };
                assert_eq!(page.status, expected, "{link}: {page:?}");
            }
            server.stop().await;
        }
    }
}
