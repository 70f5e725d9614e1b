//! A game from sign-up to its end with a Postfix between the players and the server, which asks for confirmations and
//! has its limits on: by SMTP with STARTTLS, by LMTP and by a pipe. One reader's program answers every mail without
//! saying that it is a program, and one reader's mailbox is gone.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::{ADDRESS, Postfix, free_port, is_possible};
use crate::process::deployed::outside::{Arrived, Outside};
use crate::process::running::{Place, Running, wait_for};
use crate::process::wire::{command, mail};

/// More answers than a program can get out of the server in an hour, beside the board mails: ten, a last one, and what was
/// already on its way.
const MOST_ANSWERS: usize = 12;
/// More turns than a game of four dice has.
const MOST_TURNS: usize = 12;

/// How Postfix hands mail to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    StartTls,
    Lmtp,
    Pipe,
}

/// The players, Postfix and the server.
struct Table {
    place: Place,
    postfix: Postfix,
    outside: Arc<Outside>,
    robot: JoinHandle<()>,
    mails: AtomicUsize,
}

impl Table {
    async fn lay(way: Way) -> (Self, Running) {
        let place = Place::new();
        let (port, smtp) = (free_port(), free_port());
        let socket = place.root().join("lmtp");
        let program = place.root().join("knotpost");
        // Whoever runs the pipe may not look into the folder the tests were built in.
        fs::copy(env!("CARGO_BIN_EXE_knotpost"), &program).unwrap();
        let settings = format!(
            "[server]\naddress = \"{ADDRESS}\"\ndata = \"{}\"\nsocket = \"deliver\"\n\
             [smtp]\nrelays = [\"127.0.0.1\"]\n",
            place.data().display()
        );
        let settings = place.write("knotpost.toml", settings);
        let (made, _) = crate::smtp_peer::self_signed();
        let certificate = place.write("cert.pem", made.cert.pem());
        let key = place.write("key.pem", made.signing_key.serialize_pem());

        let outside = Arc::new(Outside::open().await);
        let to_server = match way {
            Way::StartTls => format!("smtp:[127.0.0.1]:{smtp}"),
            Way::Lmtp => format!("lmtp:unix:{}", socket.display()),
            Way::Pipe => "knotpost:".to_owned(),
        };
        let transports = format!(
            "knotpost.test {to_server}\ndan@players.test error:5.1.1 there is nobody of this name\n\
             players.test players:[127.0.0.1]:{}\n",
            outside.address.port()
        );
        let pipe = format!(
            "knotpost  unix  -  n  n  -  4  pipe\n  flags=DRhu user=nobody argv={} --config {} deliver --to ${{recipient}}\n",
            program.display(),
            settings.display()
        );
        // Mail to the players travels in the open, mail to the server does not: two services.
        let more = "relay_domains = knotpost.test players.test\nvirtual_mailbox_domains =\n";
        let more = match way {
            Way::StartTls => format!("{more}smtp_tls_security_level = encrypt\nsmtp_tls_loglevel = 1\n"),
            Way::Lmtp | Way::Pipe => more.to_owned(),
        };
        let pipe = format!("{pipe}players   unix  -  -  n  -  -  smtp\n  -o smtp_tls_security_level=none\n");
        let postfix = Postfix::start(&place, port, &transports, &pipe, &more).await;
        let place = place
            .with("KNOTPOST_SERVER__ADDRESS", ADDRESS)
            .with("KNOTPOST_SERVER__SOCKET_MODE", "0666")
            .with("KNOTPOST_SMTP__LISTEN", format!("127.0.0.1:{smtp}"))
            .with("KNOTPOST_SMTP__TLS_CERT", certificate.to_str().unwrap())
            .with("KNOTPOST_SMTP__TLS_KEY", key.to_str().unwrap())
            .with("KNOTPOST_LMTP__SOCKET_MODE", "0666")
            .with("KNOTPOST_LMTP__LISTEN", format!("unix:{}", socket.display()))
            .with("KNOTPOST_LIMITS__ENABLED", "true")
            .with("KNOTPOST_ACCOUNTS__CONFIRM_ADDRESSES", "on")
            .with("KNOTPOST_MAIL__TRANSPORT", format!("smtp://127.0.0.1:{port}?tls=none"));
        let server = place.start().await;
        let robot = tokio::spawn(answer_everything(Arc::clone(&outside), port));
        (Self { place, postfix, outside, robot, mails: AtomicUsize::new(0) }, server)
    }

    async fn clear(self, server: Running) {
        self.robot.abort();
        server.stop().await;
        self.postfix.stop().await;
    }

    /// A mail of a player to the server.
    async fn write(&self, name: &str, subject: &str, body: &str) {
        self.send(name, ADDRESS, subject, body, "").await;
    }

    /// The same as a reply.
    async fn reply(&self, name: &str, to: &Arrived, words: &str) {
        let address = to.reply_to.as_deref().unwrap_or(ADDRESS);
        let named = format!("In-Reply-To: <{}>\n", to.message_id);
        self.send(name, address, &format!("Re: {}", to.subject), words, &named).await;
    }

    async fn send(&self, name: &str, to: &str, subject: &str, body: &str, headers: &str) {
        let number = self.mails.fetch_add(1, Ordering::Relaxed);
        let from = format!("{name}@players.test");
        let message = format!(
            "From: {from}\nTo: {to}\nSubject: {subject}\nMessage-ID: <{number}.{name}@players.test>\n{headers}\n{body}\n"
        );
        self.postfix.send(&from, to, &message).await;
    }

    /// Waits for a mail to this player.
    async fn read(&self, name: &str, what: &str, wanted: impl Fn(&Arrived) -> bool) -> Arrived {
        let to = format!("{name}@players.test");
        wait_for(&format!("{what} for {name}"), async || {
            self.outside.take(|mail| mail.to == to && wanted(mail))
        })
        .await
    }
}

/// A mail program on holiday: it answers every mail to its reader and does not say that it is a program.
async fn answer_everything(outside: Arc<Outside>, port: u16) {
    let mut number = 0;
    loop {
        sleep(Duration::from_millis(20)).await;
        while let Some(got) = outside.take(|mail| mail.to == "robin@players.test") {
            number += 1;
            let to = got.reply_to.unwrap_or_else(|| ADDRESS.to_owned());
            let message = format!(
                "From: robin@players.test\nTo: {to}\nSubject: Away: {}\nMessage-ID: <{number}.robin@players.test>\n\n\
                 I am on the mountains until Monday.\n",
                got.subject
            );
            let from = "robin@players.test";
            // Postfix may be gone already.
            let _ = mail(([127, 0, 0, 1], port).into(), from, &to, &message).await;
        }
    }
}

/// Everything by mail; a random but legal move each.
async fn play(table: &Table, server: &Running) {
    for name in ["ann", "bob"] {
        table.write(name, &format!("signup {name} {name}-secret"), "").await;
        let asked = table.read(name, "the confirmation", |mail| mail.subject.contains("confirm")).await;
        table.reply(name, &asked, "confirm").await;
        table.read(name, "the welcome", |mail| mail.subject.contains("Welcome")).await;
    }
    for name in ["dan", "robin"] {
        let address = format!("{name}@players.test");
        let secret = format!("{name}-secret\n");
        let add = ["admin", "user", "add", name, &address];
        table.place.run_with(&add, secret.as_bytes()).await.succeed();
        let watch = format!("osbox subscribe {name} {name}-secret all");
        let watched = command(server.http(), &watch).await.unwrap();
        assert_eq!(watched.status, 200, "{watched:?}");
    }
    table.write("ann", "osbox challenge -size=2 ann bob", "Shall we?").await;
    let mut latest = Vec::new();
    for name in ["ann", "bob"] {
        latest.push(table.read(name, "the board", |mail| mail.subject.contains("New Osbox Board 101")).await);
    }
    for turn in 1..=MOST_TURNS {
        let board: Value = server.get("/api/v1/boards/osbox/101").await.json();
        let Some(name) = board["to_move"][0].as_str().map(str::to_owned) else { return };
        let legal: Value = server.get("/api/v1/boards/osbox/101/legal").await.json();
        let legal = legal["legal"].as_array().unwrap().clone();
        let chosen = legal[turn * 7 % legal.len()].as_str().unwrap().to_owned();
        table.reply(&name, &latest[usize::from(name == "bob")], &chosen).await;
        for (seat, name) in ["ann", "bob"].into_iter().enumerate() {
            let about = |mail: &Arrived| {
                mail.subject.starts_with("Osbox Board 101") && mail.text.contains(&format!("{turn} {chosen}"))
            };
            latest[seat] = table.read(name, &format!("turn {turn}"), about).await;
        }
    }
    panic!("the game does not end");
}

async fn tell(way: Way) {
    if !is_possible() {
        return;
    }
    let (table, server) = Table::lay(way).await;
    play(&table, &server).await;
    table.place.wait_until_idle().await;
    table.postfix.wait_until_empty().await;
    table.place.wait_until_idle().await;

    let log = table.postfix.log();
    assert_eq!(log.contains("TLS connection established to"), way == Way::StartTls, "{log}");
    let mails = table.place.outgoing();
    let to = |address: &str, kind: Option<&str>| {
        mails
            .iter()
            .filter(|mail| mail.recipient == address && kind.is_none_or(|one| mail.kind == one))
            .count()
    };
    let answers = to("robin@players.test", None) - to("robin@players.test", Some("board"));
    assert!(answers > 0 && answers <= MOST_ANSWERS, "{answers} answers to a program: {mails:?}");
    let dan = table.place.run(&["admin", "user", "show", "dan"]).await.succeed();
    assert!(!dan.contains("stopped"), "refusals of one day stop nobody: {dan}");
    let board: Value = server.get("/api/v1/boards/osbox/101").await.json();
    assert_eq!(board["state"], "over", "{board}");
    table.clear(server).await;
}

#[tokio::test]
async fn a_game_goes_by_smtp_with_starttls() {
    tell(Way::StartTls).await;
}

#[tokio::test]
async fn a_game_goes_by_lmtp() {
    tell(Way::Lmtp).await;
}

#[tokio::test]
async fn a_game_goes_by_a_pipe() {
    tell(Way::Pipe).await;
}
