//! Boards whose players stop moving: whatever happens to the servers, the clock reminds them at most once and ends each
//! game once.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;

use crate::http::Http;
use crate::people::{address, challenge, command, password, sign_up};
use crate::play::{list, number, text};
use crate::report::Report;
use crate::server::Patience;
use crate::sink::Arrival;

/// Seconds between a reminder and the loss, at least and at most. After a kill another server takes
/// the clock over within 90.
const BETWEEN: (f64, f64) = (15.0, 100.0);
const DAY: f64 = 86_400.0;

/// A board whose players have stopped.
pub(super) struct Timed {
    number: u64,
    /// The player to move, and the opponent.
    players: [String; 2],
}

/// The player to move and the opponent.
fn players(at: usize) -> [String; 2] {
    [format!("slow{at}"), format!("wait{at}")]
}

/// True for a mail to one of these players.
pub(super) fn is_about_time(arrival: &Arrival) -> bool {
    arrival.recipient.starts_with("slow") || arrival.recipient.starts_with("wait")
}

/// Begins the given number of boards, with one move by each player. Their reminders are spread over `seconds`.
pub(super) async fn begin(http: SocketAddr, count: usize, seconds: u64) -> anyhow::Result<Vec<Timed>> {
    let between = (seconds as f64 / 2.0).clamp(BETWEEN.0, BETWEEN.1);
    let everybody: Vec<String> = (0..count).flat_map(players).collect();
    sign_up(http, &everybody).await?;
    let mut connection = Http::connect(http).await?;
    let mut boards = Vec::new();
    for at in 0..count {
        let [slow, wait] = players(at);
        let nag = seconds as f64 * (at + 1) as f64 / (count + 2) as f64;
        let times = format!("--nagtime={:.7} --forfeittime={:.7}", nag / DAY, (nag + between) / DAY);
        let line = format!("osbox challenge -size=4 {slow} {wait} {times}");
        let number = challenge(&mut connection, &line, "").await?;
        for (user, word) in [(&slow, "f1"), (&wait, "f9")] {
            command(&mut connection, &format!("osbox move {number} {user} {} {word}", password(user)))
                .await?;
        }
        boards.push(Timed { number, players: [slow, wait] });
    }
    Ok(boards)
}

/// Waits until the clock has ended all of them.
pub(super) async fn wait_for_ends(
    http: SocketAddr,
    boards: &[Timed],
    patience: Duration,
) -> anyhow::Result<()> {
    let mut patience = Patience::new(patience, Duration::from_millis(200));
    let mut connection = Http::connect(http).await?;
    for board in boards {
        while text(&show(&mut connection, board).await?, "state") == "active" {
            patience.wait(&format!("the clock does not end osbox {}", board.number)).await?;
        }
    }
    Ok(())
}

async fn show(http: &mut Http, board: &Timed) -> anyhow::Result<Value> {
    let path = format!("/api/v1/boards/osbox/{}", board.number);
    Ok(http.get(&path).await?.json()?)
}

/// Checks that each game was ended once and both players were notified; a reminder went to at most one of them.
pub(super) async fn check(
    http: SocketAddr,
    boards: &[Timed],
    arrivals: &[Arrival],
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut connection = Http::connect(http).await?;
    let mut reminders = 0;
    for board in boards {
        let shown = show(&mut connection, board).await?;
        let moves = list(&shown, "moves").count();
        report.expect(text(&shown, "state") == "over" && moves == 3, || {
            format!("osbox {}: the clock left it with {moves} moves: {shown}", board.number)
        });
        report.expect(number(&shown, "number") == board.number, || "another board was shown".to_owned());
        let told = |user: &str, subject: &str| {
            let mails = arrivals.iter().filter(|mail| mail.recipient == address(user));
            let ids = mails.filter(|mail| mail.subject == subject).map(|mail| &mail.message_id);
            ids.collect::<BTreeSet<_>>().len()
        };
        let [slow, wait] = &board.players;
        let nag = format!("Nag: Osbox Board {} {}", board.number, slow);
        let nags = told(slow, &nag);
        reminders += nags;
        report.expect(nags <= 1 && told(wait, &nag) == 0, || {
            format!("osbox {}: {nags} reminders of one silence", board.number)
        });
        for user in &board.players {
            let ends = told(user, &format!("Osbox Board {}", board.number));
            report.expect(ends == 1, || {
                format!("osbox {}: {} was told {ends} times of the end", board.number, user)
            });
        }
    }
    report.row("games ended by the clock, each once", boards.len());
    report.row("  after a reminder", reminders);
    Ok(())
}
