//! Every command of SMTP and LMTP at its largest and its smallest, once and two thousand times in one session.

use knotpost_transport::inbound::Protocol;
use knotpost_transport::inbound::smtp::Command;

use tokio::net::TcpStream;

use super::session::{Listener, pour};
use super::spent::{Meter, Spent, check_growth, print_head};
use super::table::{COMMANDS, CommandRow, Word};
use crate::harness::{Place, TestApp};
use crate::smtp_peer::Client;

/// Bytes of the longest command line that the listener looks at, with its line end.
const LONGEST: usize = 2048;
/// How often a command is sent in one session, without waiting for answers.
const OFTEN: usize = 2_000;
/// As far as it is not more than this, which no session hears to its end.
const MOST_BYTES: usize = 2_000 * LONGEST;

/// What is sent for a line of the table: `{line}` becomes as long as the longest line allows, `{99}` that many bytes.
fn written(line: &str) -> String {
    let Some((before, rest)) = line.split_once('{') else { return format!("{line}\r\n") };
    let (size, after) = rest.split_once('}').unwrap();
    let size = size.parse().unwrap_or_else(|_| LONGEST - "\r\n".len() - before.len() - after.len());
    format!("{before}{}{after}\r\n", "x".repeat(size))
}

/// A client that has said what stands before the command.
async fn after(listener: &Listener, row: &CommandRow) -> Client<TcpStream> {
    let mut client = listener.client().await;
    for line in row.before {
        let line = line.replace("EHLO", listener.greeting());
        let reply = client.ask(&line).await;
        assert!(reply.starts_with('2'), "{line}: {reply}");
    }
    client
}

/// What the command costs once; whether the listener knows it.
async fn once(app: &TestApp, listener: &Listener, row: &CommandRow, line: &str) -> (Spent, bool) {
    let mut client = after(listener, row).await;
    let sent = written(line);
    let meter = Meter::start(app);
    client.send(&sent).await;
    let reply = client.reply().await;
    (meter.stop(app, sent.len(), reply.len() + "\r\n".len()), !reply.ends_with("no such command"))
}

/// What `times` repetitions of it cost in one session.
async fn often(app: &TestApp, listener: &Listener, row: &CommandRow, line: &str, times: usize) -> Spent {
    let client = after(listener, row).await;
    let sent = written(line);
    let sent = sent.repeat(times.min(MOST_BYTES / sent.len()));
    let meter = Meter::start(app);
    let answered = pour(client, sent.as_bytes()).await;
    meter.stop(app, sent.len(), answered)
}

#[tokio::test]
async fn a_command_of_a_mail_session_costs_no_more_than_its_row() {
    for command in Command::ALL {
        let row = COMMANDS.iter().find(|row| row.word == Word::Of(*command));
        let row = row.unwrap_or_else(|| panic!("{} has no row in the table of costs", command.word()));
        assert!(row.lines.iter().all(|line| line.starts_with(command.word())), "{row:?}");
    }
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    for protocol in [Protocol::Smtp, Protocol::Lmtp] {
        let listener = Listener::of(&app, protocol).await;
        println!("{protocol:?}");
        print_head();
        for (row, line) in COMMANDS.iter().flat_map(|row| row.lines.iter().map(move |line| (row, *line))) {
            let what = format!("{protocol:?}: {}", line.chars().take(30).collect::<String>());
            let (spent, is_known) = once(&app, &listener, row, line).await;
            assert_eq!(is_known, row.word != Word::Unknown, "{what}");
            spent.check(row.cost, 1, &what);
            spent.print(&what);
            let spent = often(&app, &listener, row, line, OFTEN).await;
            spent.check(row.cost, OFTEN, &format!("{what}, often"));
            spent.print("    often");
        }
    }
}

#[tokio::test]
async fn a_session_that_is_twice_as_long_takes_twice_as_long() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    let listener = Listener::of(&app, Protocol::Smtp).await;
    for (row, line) in COMMANDS.iter().flat_map(|row| row.lines.iter().map(move |line| (row, *line))) {
        check_growth(line, (OFTEN / 2, OFTEN), async |times| {
            often(&app, &listener, row, line, times).await.processor
        })
        .await;
    }
}
