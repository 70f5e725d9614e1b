//! Postfix on either side of a server: it brings mail by SMTP, LMTP and a pipe, keeps it while no server runs, and
//! carries our mail onward into the boxes of the players.
//!
//! Each test has a Postfix of its own, with folders of its own and a port of its own, and ends it.

mod whole_game;

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use serde_json::Value;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::peers::python;
use super::recipes::recipe;
use super::running::{PATIENCE, Place, has_neighbour, leave_out, run_neighbour, wait_for};
use super::wire::{letter, mail};
use crate::harness::free_address;

const ADDRESS: &str = "pbmserv@knotpost.test";

/// What differs between files `master.cf`: the listener, and the pipe.
const SERVICES: &str = "\
cleanup   unix  n  -  n  -  0  cleanup
qmgr      unix  n  -  n  1  1  qmgr
rewrite   unix  -  -  n  -  -  trivial-rewrite
bounce    unix  -  -  n  -  0  bounce
defer     unix  -  -  n  -  0  bounce
trace     unix  -  -  n  -  0  bounce
smtp      unix  -  -  n  -  -  smtp
relay     unix  -  -  n  -  -  smtp
lmtp      unix  -  -  n  -  -  lmtp
error     unix  -  -  n  -  -  error
retry     unix  -  -  n  -  -  error
virtual   unix  -  n  n  -  -  virtual
anvil     unix  -  -  n  -  1  anvil
scache    unix  -  -  n  -  1  scache
tlsmgr    unix  -  -  n  1000?  1  tlsmgr
flush     unix  n  -  n  1000?  0  flush
proxymap  unix  -  -  n  -  -  proxymap
postlog   unix-dgram  n  -  n  -  1  postlogd
";

/// All mails of a Maildir as Python reads them: who got it, its id and what it says.
const BOX: &str = r"
import json, mailbox, sys
mails = [dict(to=str(m['Delivered-To']), id=str(m['Message-ID']), subject=str(m['Subject']), text=m.as_string())
         for m in mailbox.Maildir(sys.argv[1], create=False)]
json.dump(mails, sys.stdout)
";

/// Sends the mail on its standard input between addresses in any script.
const SEND_UTF8: &str = r"
import smtplib, sys
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as server:
    server.ehlo()
    server.sendmail(sys.argv[2], sys.argv[3:], sys.stdin.buffer.read(), mail_options=['SMTPUTF8', 'BODY=8BITMIME'])
";

/// Sends the mail on its standard input byte by byte as it is.
const SEND_BYTES: &str = r"
import smtplib, sys
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as server:
    server.sendmail(sys.argv[2], [sys.argv[3]], sys.stdin.buffer.read())
";

/// A Postfix that runs.
struct Postfix {
    root: PathBuf,
    address: SocketAddr,
    master: Child,
}

/// Whether Postfix is here and may be started.
fn is_possible() -> bool {
    if !has_neighbour("postfix") || !has_neighbour("python3") {
        return false;
    }
    let root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if !root {
        leave_out("tests with Postfix, which only root can start");
    }
    root
}

fn free_port() -> u16 {
    free_address().port()
}

/// Postfix works under users of its own, who must reach its folders.
fn open_up(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Postfix {
    /// Starts one in a folder of the place. `transports` says how each address is reached.
    async fn start(place: &Place, port: u16, transports: &str, pipe: &str, more: &str) -> Self {
        let root = place.root().join("postfix");
        let shown = root.display();
        let defaults = format!(
            "compatibility_level = 3.6\nqueue_directory = {shown}/queue\ndata_directory = {shown}/data\n\
             myhostname = mx.example.net\nmydestination =\nlocal_recipient_maps =\nalias_maps =\n\
             inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks = 127.0.0.0/8\n\
             smtpd_relay_restrictions = permit_mynetworks, reject\nrelay_domains = knotpost.test\n\
             transport_maps = texthash:{shown}/conf/transport\nrecipient_delimiter = +\n\
             virtual_mailbox_domains = players.test\nvirtual_mailbox_base = {shown}/boxes\n\
             virtual_mailbox_maps = static:all/\nvirtual_uid_maps = static:65534\nvirtual_gid_maps = static:65534\n\
             knotpost_destination_recipient_limit = 1\n\
             disable_dns_lookups = yes\nmaillog_file_prefixes = {shown}\nmaillog_file = {shown}/log\n\
             queue_run_delay = 1s\nminimal_backoff_time = 1s\nmaximal_backoff_time = 2s\ntransport_retry_time = 1s\n"
        );
        let main = replace_settings(&defaults, more);
        let services = format!("127.0.0.1:{port}  inet  n  -  n  -  -  smtpd\n{SERVICES}{pipe}");
        Self::start_as(place, port, &main, &services, transports).await
    }

    /// Starts one with these settings and services.
    async fn start_as(place: &Place, port: u16, main: &str, services: &str, transports: &str) -> Self {
        open_up(place.root());
        let root = place.root().join("postfix");
        for folder in ["conf", "queue", "data", "boxes"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("conf/main.cf"), main).unwrap();
        fs::write(root.join("conf/master.cf"), services).unwrap();
        fs::write(root.join("conf/transport"), transports).unwrap();
        let owned = [("postfix", root.join("data")), ("65534:65534", root.join("boxes"))];
        for (owner, folder) in owned {
            run_neighbour("chown", &[owner, folder.to_str().unwrap()]).await.succeed();
        }
        let conf = root.join("conf");
        let conf = conf.to_str().unwrap();
        // Every process of Postfix logs each warning about its settings when it starts: enough of them fill the socket
        // to `postlogd` before it reads, and as it logs its own there too, it then waits for itself.
        let checked = run_neighbour("postfix", &["-c", conf, "check"]).await;
        assert_eq!(checked.stderr, "", "its settings are without a warning");
        checked.succeed();
        let programs = run_neighbour("postconf", &["-c", conf, "-h", "daemon_directory"]).await.succeed();
        let master = Command::new(Path::new(programs.trim()).join("master"))
            .args(["-c", conf])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let postfix = Self { root, address: SocketAddr::from(([127, 0, 0, 1], port)), master };
        wait_for("Postfix", async || TcpStream::connect(postfix.address).await.ok()).await;
        postfix
    }

    /// Hands over a mail that Postfix must take.
    async fn send(&self, from: &str, to: &str, message: &str) {
        let reply = mail(self.address, from, to, message).await.unwrap();
        assert!(reply.starts_with("250"), "{reply}");
    }

    /// How many mails it keeps, put off or not.
    fn queued(&self) -> usize {
        ["incoming", "active", "deferred"]
            .iter()
            .map(|queue| count_files(&self.root.join("queue").join(queue)))
            .sum()
    }

    async fn wait_until_empty(&self) {
        wait_for("an empty queue", async || (self.queued() == 0).then_some(())).await;
    }

    /// The mails that reached the players.
    async fn boxes(&self) -> Vec<Value> {
        let folder = self.root.join("boxes/all");
        let said = python(BOX, &[folder.to_str().unwrap()], "").await.succeed();
        serde_json::from_str(&said).unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.root.join("log")).unwrap_or_default()
    }

    async fn stop(mut self) {
        let id = self.master.id().expect("it runs").to_string();
        run_neighbour("kill", &["-TERM", &id]).await.succeed();
        timeout(PATIENCE, self.master.wait()).await.expect("it ends").unwrap();
    }
}

impl Drop for Postfix {
    /// What it logged belongs to a failure: its folder goes with the test.
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("Postfix logged\n{}", self.log());
        }
    }
}

fn count_files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let count = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => count_files(&entry.path()),
        Ok(kind) if kind.is_file() => 1,
        _ => 0,
    };
    entries.filter_map(Result::ok).map(count).sum()
}

/// Settings with more in place of those of the same names, as the manual tells an operator to do.
fn replace_settings(defaults: &str, more: &str) -> String {
    fn name(line: &str) -> Option<&str> {
        line.split('=').next().map(str::trim)
    }
    let replaced: HashSet<_> = more.lines().map(name).collect();
    let mut lines: Vec<&str> = defaults.lines().filter(|line| !replaced.contains(&name(line))).collect();
    lines.extend(more.lines());
    lines.join("\n") + "\n"
}

/// Starts a Postfix with a recipe of the manual and its `smtpd` in a chroot, as Debian has it.
async fn start_by_recipe(place: &Place, name: &str, destinations: &str, server: SocketAddr) -> Postfix {
    let (root, port) = (place.root().join("postfix"), free_port());
    let shown = root.display();
    let fit = |text: String| {
        let text = text.replace("[127.0.0.1]:2525", &format!("[127.0.0.1]:{}", server.port()));
        text.replace("/etc/postfix/transport", &format!("{shown}/conf/transport"))
    };
    let defaults = format!(
        "compatibility_level = 3.6\nqueue_directory = {shown}/queue\ndata_directory = {shown}/data\n\
         myhostname = mx.example.net\nmydestination = {destinations}\nalias_maps =\nlocal_transport = discard:\n\
         inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks = 192.0.2.0/24\n\
         smtpd_relay_restrictions = reject_unauth_destination\n\
         disable_dns_lookups = yes\nmaillog_file_prefixes = {shown}\nmaillog_file = {shown}/log\n"
    );
    let main = replace_settings(&defaults, &fit(recipe(name)));
    let services = format!(
        "127.0.0.1:{port}  inet  n  -  y  -  -  smtpd\n{SERVICES}discard  unix  -  -  n  -  -  discard\n"
    );
    let transports = fit(recipe("postfix-shared-transport"));
    fs::create_dir_all(root.join("conf")).unwrap();
    let file = root.join("conf/transport");
    fs::write(&file, &transports).unwrap();
    let conf = root.join("conf");
    fs::write(conf.join("main.cf"), &main).unwrap();
    let map = format!("hash:{}", file.display());
    run_neighbour("postmap", &["-c", conf.to_str().unwrap(), &map]).await.succeed();
    Postfix::start_as(place, port, &main, &services, &transports).await
}

/// A server that listens as the recipes say, and knows its relay.
fn place_by_recipe() -> Place {
    let relays = recipe("postfix-relays");
    let place = Place::new();
    let data = place.data();
    place.write(
        "knotpost.toml",
        format!("[server]\naddress = \"pbmserv@games.example\"\ndata = \"{}\"\n{relays}", data.display()),
    );
    place.with("KNOTPOST_SERVER__ADDRESS", "pbmserv@games.example")
}

#[tokio::test]
async fn the_recipe_for_a_domain_brings_the_mail_of_postfix() {
    if !is_possible() {
        return;
    }
    for name in ["postfix-domain", "postfix-zero"] {
        bring_mail_of_a_domain(name).await;
    }
}

async fn bring_mail_of_a_domain(recipe: &str) {
    let place = place_by_recipe();
    let server = place.start().await;
    let postfix = start_by_recipe(&place, recipe, "localhost", server.smtp()).await;
    for (number, to) in ["pbmserv", "pbmserv+r.abc", "postmaster", "abuse"].iter().enumerate() {
        let message = letter("ann@players.test", "help", &format!("{number}@players.test"));
        postfix.send("ann@players.test", &format!("{to}@games.example"), &message).await;
    }
    let message = letter("ann@players.test", "help", "x@players.test");
    let reply = mail(postfix.address, "ann@players.test", "nobody@games.example", &message).await.unwrap();
    assert!(reply.starts_with("550"), "{reply}");
    wait_for("all four", async || (place.received().len() == 4).then_some(())).await;
    postfix.wait_until_empty().await;
    server.stop().await;
    postfix.stop().await;
}

#[tokio::test]
async fn the_recipe_for_a_shared_domain_leaves_the_users_of_the_machine_their_mail() {
    if !is_possible() {
        return;
    }
    let place = place_by_recipe();
    let server = place.start().await;
    let postfix = start_by_recipe(&place, "postfix-shared", "games.example", server.smtp()).await;
    let message = |number: u32| letter("ann@players.test", "help", &format!("{number}@players.test"));
    for (number, to) in [(1, "pbmserv"), (2, "pbmserv+r.abc"), (3, "daemon")] {
        postfix.send("ann@players.test", &format!("{to}@games.example"), &message(number)).await;
    }
    let reply =
        mail(postfix.address, "ann@players.test", "nobody.here@games.example", &message(4)).await.unwrap();
    assert!(reply.starts_with("550"), "{reply}");
    wait_for("both", async || (place.received().len() == 2).then_some(())).await;
    server.stop().await;
    postfix.stop().await;
}

/// A server on fixed ports behind a Postfix that is its relay as well.
struct Pair {
    place: Place,
    postfix: Postfix,
    lmtp: u16,
}

impl Pair {
    async fn start() -> Self {
        Self::start_with("").await
    }

    /// With more settings of Postfix.
    async fn start_with(more: &str) -> Self {
        let place = Place::new();
        let (port, smtp, lmtp) = (free_port(), free_port(), free_port());
        let socket = place.root().join("lmtp");
        let program = place.root().join("knotpost");
        // Whoever runs the pipe may not look into the folder the tests were built in.
        fs::copy(env!("CARGO_BIN_EXE_knotpost"), &program).unwrap();
        let settings = format!(
            "[server]\naddress = \"{ADDRESS}\"\ndata = \"{}\"\nsocket = \"deliver\"\n",
            place.data().display()
        );
        let settings = place.write("knotpost.toml", settings);
        let transports = format!(
            "pbmserv+lmtp@knotpost.test lmtp:inet:127.0.0.1:{lmtp}\n\
             pbmserv+unix@knotpost.test lmtp:unix:{}\n\
             pbmserv+pipe@knotpost.test knotpost:\n\
             knotpost.test smtp:[127.0.0.1]:{smtp}\n",
            socket.display()
        );
        let pipe = format!(
            "knotpost  unix  -  n  n  -  4  pipe\n  flags=DRhu user=nobody argv={} --config {} deliver --to ${{recipient}}\n",
            program.display(),
            settings.display()
        );
        let postfix = Postfix::start(&place, port, &transports, &pipe, more).await;
        let place = place
            .with("KNOTPOST_SERVER__ADDRESS", ADDRESS)
            .with("KNOTPOST_SERVER__SOCKET_MODE", "0666")
            .with("KNOTPOST_SMTP__LISTEN", format!("127.0.0.1:{smtp}"))
            .with("KNOTPOST_LMTP__SOCKET_MODE", "0666")
            .with("KNOTPOST_LMTP__LISTEN", format!("unix:{}", socket.display()))
            .with("KNOTPOST_ACCOUNTS__CONFIRM_ADDRESSES", "off")
            .with("KNOTPOST_MAIL__TRANSPORT", format!("smtp://127.0.0.1:{port}?tls=none"));
        Self { place, postfix, lmtp }
    }

    /// Waits until this many mails have been carried out, and everything that follows has arrived.
    async fn wait_until_idle(&self, mails: usize) {
        wait_for("every mail", async || {
            let rows = self.place.received();
            (rows.iter().filter(|row| row.state == "done").count() >= mails).then_some(())
        })
        .await;
        self.place.wait_until_idle().await;
        self.postfix.wait_until_empty().await;
    }
}

/// A mail that makes an account and is answered with a welcome.
fn sign_up(user: &str) -> (String, String) {
    let from = format!("{user}@players.test");
    let message =
        letter(&from, &format!("signup {user} {user}-secret"), &format!("{user}.mail@players.test"))
            .replace("pbmserv@localhost", ADDRESS);
    (from, message)
}

#[tokio::test]
async fn postfix_brings_mail_by_every_way_and_keeps_it_while_no_server_runs() {
    if !is_possible() {
        return;
    }
    let pair = Pair::start().await;
    let postfix = &pair.postfix;
    // Nobody is there: all of it waits at Postfix. Two of the addresses carry tags that it knows no way for.
    let ways = ["", "+smtp", "+r.abcdef234567", "+lmtp", "+unix", "+pipe"];
    let mut sent = 0;
    let send = async |count: usize, sent: &mut usize| {
        for way in ways {
            for _ in 0..count {
                let (from, message) = sign_up(&format!("user{sent}"));
                postfix.send(&from, &format!("pbmserv{way}@knotpost.test"), &message).await;
                *sent += 1;
            }
        }
    };
    send(2, &mut sent).await;
    wait_for("a try of each", async || {
        (postfix.log().matches("status=deferred").count() >= sent).then_some(())
    })
    .await;
    wait_for("all of it in the queue", async || (postfix.queued() == sent).then_some(())).await;

    let server = pair.place.start().await;
    wait_for("all but those for the port", async || (pair.place.received().len() == sent - 2).then_some(()))
        .await;
    server.stop().await;

    // While it is down again, more come. Then it listens on the port in place of the socket.
    send(1, &mut sent).await;
    let Pair { place, postfix, lmtp } = pair;
    let place = place.with("KNOTPOST_LMTP__LISTEN", format!("127.0.0.1:{lmtp}"));
    let pair = Pair { place, postfix, lmtp };
    let server = pair.place.start().await;
    wait_for("those for the port", async || (pair.place.received().len() == sent - 1).then_some(())).await;
    server.stop().await;
    let place = pair.place.with(
        "KNOTPOST_LMTP__LISTEN",
        format!("unix:{}/lmtp", pair.postfix.root.parent().unwrap().display()),
    );
    let pair = Pair { place, ..pair };
    let server = pair.place.start().await;
    pair.wait_until_idle(sent).await;

    let rows = pair.place.received();
    assert_eq!(rows.len(), sent, "each once: {rows:?}");
    assert!(
        rows.iter().all(|row| row.state == "done" && row.reason.as_deref() == Some("executed")),
        "{rows:?}"
    );
    let mut ids: Vec<_> = rows.iter().filter_map(|row| row.message_id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), sent);
    for (way, count) in [("smtp", 9), ("lmtp", 6), ("pipe", 3)] {
        let found: i64 = pair.place.ask(&format!("SELECT COUNT(*) FROM inbox WHERE way = '{way}'"));
        assert_eq!(found, count, "by {way}");
    }
    let tagged: i64 = pair.place.ask(
        "SELECT COUNT(*) FROM inbox WHERE recipients LIKE 'pbmserv+r.%' AND recipients NOT LIKE '%abcdef%'",
    );
    assert_eq!(tagged, 3, "tags come through, and are kept from who reads the database");

    // What the server mailed has passed Postfix as well: each welcome lies in a box, once.
    let letters = pair.postfix.boxes().await;
    assert_eq!(letters.len(), sent, "{}", pair.postfix.log());
    let mut readers: Vec<_> = letters.iter().map(|letter| letter["to"].as_str().unwrap()).collect();
    readers.sort_unstable();
    readers.dedup();
    assert_eq!(readers.len(), sent, "one each");
    server.stop().await;
    pair.postfix.stop().await;
}

#[tokio::test]
async fn postfix_tells_the_sender_in_our_words_what_was_refused() {
    if !is_possible() {
        return;
    }
    let pair = Pair::start().await;
    let server = pair.place.start().await;
    let message = letter("ann@players.test", "help", "x@players.test");
    pair.postfix.send("ann@players.test", "nobody@knotpost.test", &message).await;
    let several = message.replace("From: ann@players.test", "From: ann@players.test, bob@players.test");
    for way in ["", "+unix", "+pipe"] {
        pair.postfix.send("ann@players.test", &format!("pbmserv{way}@knotpost.test"), &several).await;
    }
    wait_for("four reports", async || {
        (pair.postfix.queued() == 0 && pair.postfix.boxes().await.len() == 4).then_some(())
    })
    .await;
    let reports = pair.postfix.boxes().await;
    let saying = |words: &str| {
        reports.iter().filter(|report| report["text"].as_str().unwrap().contains(words)).count()
    };
    assert_eq!(saying("commands go to\n    pbmserv@knotpost.test"), 1, "{reports:?}");
    assert_eq!(saying("exactly one address in its From"), 3, "{reports:?}");
    assert!(pair.place.received().is_empty());
    server.stop().await;
    pair.postfix.stop().await;
}

#[tokio::test]
async fn postfix_carries_addresses_in_any_script_both_ways() {
    if !is_possible() {
        return;
    }
    let pair = Pair::start().await;
    let server = pair.place.start().await;
    let message = "From: \u{432}\u{430}\u{441}\u{44f}@players.test\r\nTo: pbmserv@knotpost.test\r\nSubject: signup vasja vasja-secret\r\n\
                   Message-ID: <v@players.test>\r\n\r\n\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}\r\n";
    let port = pair.postfix.address.port().to_string();
    let sender = "\u{432}\u{430}\u{441}\u{44f}@players.test";
    python(SEND_UTF8, &[&port, sender, ADDRESS], message).await.succeed();
    // The same by LMTP.
    let again = message.replace("signup vasja vasja-secret", "help").replace("<v@", "<w@");
    python(SEND_UTF8, &[&port, sender, "pbmserv+unix@knotpost.test"], &again).await.succeed();
    pair.wait_until_idle(2).await;
    let letters = pair.postfix.boxes().await;
    assert_eq!(letters.len(), 2, "{}", pair.postfix.log());
    assert!(
        pair.postfix.log().matches(&format!("to=<{sender}>, relay=virtual")).count() == 2,
        "{}",
        pair.postfix.log()
    );
    server.stop().await;
    pair.postfix.stop().await;
}

/// Hands a sign-up with such a line in its text to Postfix, for SMTP and for LMTP.
async fn send_line(pair: &Pair, number: usize, line: &str) {
    let port = pair.postfix.address.port().to_string();
    for (way, to) in [("smtp", ADDRESS), ("lmtp", "pbmserv+unix@knotpost.test")] {
        let user = format!("{way}{number}");
        let (from, head) = sign_up(&user);
        let head = head.replace("\r\n", "\n").replace('\n', "\r\n");
        let message = format!("{}\r\n\r\n{line}\r\nand more\r\n", head.trim_end());
        python(SEND_BYTES, &[&port, &from, to], &message).await.succeed();
    }
}

/// What broken programs end lines with, and what stands in the middle of them.
const STRAY: [&str; 4] = ["left\rright", "left\nright", "left\r\r", "left\n.\rright"];

#[tokio::test]
async fn what_postfix_makes_of_stray_line_ends_is_taken() {
    if !is_possible() {
        return;
    }
    let pair = Pair::start().await;
    let server = pair.place.start().await;
    for (number, line) in STRAY.into_iter().enumerate() {
        send_line(&pair, number, line).await;
    }
    pair.wait_until_idle(2 * STRAY.len()).await;
    let rows = pair.place.received();
    assert!(rows.iter().all(|row| row.reason.as_deref() == Some("executed")), "{rows:?}");
    let letters = pair.postfix.boxes().await;
    assert_eq!(letters.len(), 2 * STRAY.len(), "a welcome each, and nothing came back: {letters:?}");
    server.stop().await;
    pair.postfix.stop().await;
}

#[tokio::test]
async fn a_stray_cr_that_postfix_is_told_to_pass_comes_back_to_its_sender() {
    if !is_possible() {
        return;
    }
    let pair = Pair::start_with("cleanup_replace_stray_cr_lf = no\n").await;
    let server = pair.place.start().await;
    send_line(&pair, 0, "left\rright").await;
    wait_for("two reports", async || {
        (pair.postfix.queued() == 0 && pair.postfix.boxes().await.len() == 2).then_some(())
    })
    .await;
    for report in pair.postfix.boxes().await {
        let text = report["text"].as_str().unwrap();
        assert!(text.contains("5.6.0"), "{text}");
    }
    assert!(pair.place.received().is_empty());
    // Line ends alone are made whole in any case.
    send_line(&pair, 1, "left\nright").await;
    pair.wait_until_idle(2).await;
    server.stop().await;
    pair.postfix.stop().await;
}
