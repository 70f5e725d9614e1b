//! The rules that must hold in the end for everything that was mailed.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use anyhow::ensure;
use serde_json::Value;

use super::ledger::{Mail, Try, Way, What};
use super::table::{GAMES, Pair};
use super::{forwarded_for_look, list, number, text};
use crate::http::Http;
use crate::people::address;
use crate::report::Report;
use crate::sink::{Arrival, Life, mark};

/// Every board of the server as the API returns it.
pub(crate) async fn read_boards(http: SocketAddr, pairs: &[Pair]) -> anyhow::Result<Vec<Value>> {
    let mut http = Http::connect(http).await?;
    let mut boards = Vec::new();
    let mut looks = 0..;
    let mut who = || forwarded_for_look("verifier", looks.next().unwrap_or_default());
    for (game, _) in GAMES {
        for pair in pairs {
            let [ann, _] = &pair.userids;
            let mut cursor = String::new();
            loop {
                let path = format!("/api/v1/boards?game={game}&user={ann}&limit=200{cursor}");
                let page = http.get_with(&path, &who()).await?.json()?;
                for summary in list(&page, "boards") {
                    let path = format!("/api/v1/boards/{game}/{}", number(summary, "number"));
                    let answer = http.get_with(&path, &who()).await?;
                    ensure!(answer.status == 200, "{path}: {}", answer.text());
                    boards.push(answer.json()?);
                }
                match page.get("cursor").and_then(Value::as_u64) {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
        }
    }
    Ok(boards)
}

/// Checks that every challenge led to one board, and that the move lists have every mailed move once and nothing else.
pub(crate) fn check_boards(mails: &[Mail], boards: &[Value], pairs: &[Pair], report: &mut Report) {
    let mut made: BTreeMap<(String, u64, u64), (String, String)> = BTreeMap::new();
    let mut automatic = 0;
    for board in boards {
        check_numbers(board, report);
        for entry in list(board, "moves") {
            if entry.get("auto").and_then(Value::as_bool) == Some(true) {
                automatic += 1;
                continue;
            }
            let key = (text(board, "game").to_owned(), number(board, "number"), number(entry, "number"));
            made.insert(key, (text(entry, "userid").to_owned(), text(entry, "text").to_owned()));
        }
    }
    report.row("boards", boards.len());
    report.row("  over", boards.iter().filter(|board| text(board, "state") == "over").count());
    report.row("moves in their lists", made.len());
    report.row("  and made by the server itself", automatic);
    for (game, _) in GAMES {
        for pair in pairs {
            let asked = mails.iter().filter(|mail| {
                matches!(mail.what, What::Challenge { game: of, pair: by, .. } if of == game && by == pair.number)
            });
            let [ann, _] = &pair.userids;
            let plays = |board: &&Value| {
                text(board, "game") == game
                    && list(board, "players").any(|player| text(player, "userid") == ann)
            };
            let (asked, there) = (asked.count(), boards.iter().filter(plays).count());
            report.expect(asked == there, || format!("{asked} {game} challenges of {ann}, {there} boards"));
        }
    }
    for (serial, mail) in mails.iter().enumerate() {
        let What::Move { game, board, number, userid, text, .. } = &mail.what else { continue };
        let stored = made.remove(&((*game).to_owned(), *board, *number));
        // A swap changes the owners of the seats after the move was made.
        let same = stored.as_ref().is_some_and(|(by, stored)| stored == text && !by.is_empty());
        report.expect(same, || {
            format!("mail {serial}: {game} {board}, move {number} by {userid} is {text}; stored: {stored:?}")
        });
    }
    for (key, entry) in made {
        report.broken(format!("a move nobody mailed: {key:?} {entry:?}"));
    }
}

/// The moves of a board are numbered 1, 2, 3 and so on, each number once.
fn check_numbers(board: &Value, report: &mut Report) {
    let numbers: Vec<u64> = list(board, "moves").map(|entry| number(entry, "number")).collect();
    report.expect((1..).zip(&numbers).all(|(wanted, number)| wanted == *number), || {
        format!("{} {}: its moves have the numbers {numbers:?}", text(board, "game"), number(board, "number"))
    });
}

/// The mails that arrived, by the mail that caused them.
#[derive(Default)]
struct Arrived {
    /// Board mails by serial number and recipient: how many.
    told: BTreeMap<(u64, String), usize>,
    /// Answers by serial number.
    answers: BTreeMap<u64, Vec<Arrival>>,
    /// Mails that arrived more than once.
    twice: usize,
}

/// Checks that every mail had one outcome and that every mail caused by it arrived.
pub(crate) fn check_mails(mails: &[Mail], arrivals: Vec<Arrival>, report: &mut Report) {
    count_mails(mails, report);
    let arrived = sort(arrivals, report);
    let newest = newest_told(mails, &arrived);
    let (mut told, mut superseded, mut answered, mut again) = (0, 0, 0, 0);
    for (serial, mail) in (0_u64..).zip(mails) {
        report.expect(mail.count(Try::Taken) == 1, || format!("mail {serial} was never taken"));
        let answers = arrived.answers.get(&serial).map(Vec::as_slice).unwrap_or_default();
        match &mail.what {
            What::Refused | What::Question => {
                answered += answers.len();
                report.expect(
                    answers.len() == 1 && answers.iter().all(|answer| answer.recipient == mail.from),
                    || {
                        format!(
                            "mail {serial} ({:?} from {}) has {} answers",
                            mail.what,
                            mail.from,
                            answers.len()
                        )
                    },
                );
            }
            What::Challenge { .. } | What::Move { .. } => {
                again += answers.len();
                let repeats = answers.iter().all(|answer| answer.subject.contains("Already played"));
                let tries = mail.tries.len() - mail.count(Try::ShutOut);
                let handed_over = match mail.way {
                    // A file that was read but not yet moved when the server was killed is read again.
                    Way::Folder => true,
                    // `deliver` stores a mail by itself when the server goes away without an answer.
                    Way::Deliver => answers.len() < 2 * tries,
                    _ => answers.len() < tries,
                };
                report.expect(repeats && handed_over, || {
                    let subjects: Vec<&str> = answers.iter().map(|answer| answer.subject.as_str()).collect();
                    format!(
                        "mail {serial} ({:?}), handed over {tries} times, was answered {subjects:?}",
                        mail.what
                    )
                });
                for player in players(&mail.what) {
                    match arrived.told.get(&(serial, player.clone())) {
                        Some(1) => told += 1,
                        None if newest.get(&board_of(&mail.what, &player)).is_some_and(|at| *at > serial) => {
                            superseded += 1;
                        }
                        other => report.broken(format!(
                            "mail {serial} ({:?}): {player} got {} mails of it",
                            mail.what,
                            other.unwrap_or(&0)
                        )),
                    }
                }
            }
        }
    }
    report.row("board mails that arrived", told);
    report.row("  left out because a newer one arrived", superseded);
    report.row("answers to questions and mistakes", answered);
    report.row("answers `already played` to mails that came again", again);
    report.row("mails out that arrived twice, around a kill", arrived.twice);
    let known: BTreeSet<u64> = (0..mails.len() as u64).collect();
    for serial in arrived.told.keys().map(|(serial, _)| serial).chain(arrived.answers.keys()) {
        report.expect(known.contains(serial), || format!("a mail about {serial}, which was never sent"));
    }
}

fn count_mails(mails: &[Mail], report: &mut Report) {
    let count = |which: &dyn Fn(&Mail) -> bool| mails.iter().filter(|mail| which(mail)).count();
    report.row("handed in", mails.len());
    report.row("  moves", count(&|mail| matches!(mail.what, What::Move { .. })));
    report.row("  challenges", count(&|mail| matches!(mail.what, What::Challenge { .. })));
    report.row("  mistakes", count(&|mail| matches!(mail.what, What::Refused)));
    report.row("  questions", count(&|mail| matches!(mail.what, What::Question)));
    for way in Way::ALL {
        match count(&|mail| mail.way == way) {
            0 => {}
            by => report.row(format!("  by {way:?}").to_lowercase(), by),
        }
    }
    for (what, ended) in [
        ("taken (250, 200, exit code 0)", Try::Taken),
        ("tries that broke off without an answer", Try::Unanswered),
        ("tries while there was no server", Try::ShutOut),
        ("tries put off by the server", Try::PutOff),
    ] {
        report.row(what, mails.iter().map(|mail| mail.count(ended)).sum::<usize>());
    }
}

/// Sorts the mails that arrived. A mail may arrive twice only from two processes, and then with the same bytes.
fn sort(arrivals: Vec<Arrival>, report: &mut Report) -> Arrived {
    report.row("mails out", arrivals.len());
    let mut copies: BTreeMap<String, Vec<Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        copies.entry(arrival.message_id.clone()).or_default().push(arrival);
    }
    let mut arrived = Arrived::default();
    for (id, copies) in copies {
        let lives: BTreeSet<Life> = copies.iter().map(|copy| copy.life).collect();
        let forms: BTreeSet<(u64, &str)> =
            copies.iter().map(|copy| (copy.digest, copy.recipient.as_str())).collect();
        arrived.twice += copies.len() - 1;
        report.expect(lives.len() == copies.len(), || {
            format!("{id} came {} times from {} servers: {:?}", copies.len(), lives.len(), copies.first())
        });
        report
            .expect(forms.len() == 1, || format!("{id} came in {} forms: {:?}", forms.len(), copies.first()));
        let Some(first) = copies.into_iter().next() else { continue };
        if let Some(serial) = mark(&first.in_reply_to) {
            arrived.answers.entry(serial).or_default().push(first);
        } else if let Some(serial) = first.marks.last() {
            *arrived.told.entry((*serial, first.recipient)).or_default() += 1;
        } else {
            report.broken(format!("a mail that follows from nothing: {first:?}"));
        }
    }
    arrived
}

fn players(what: &What) -> Vec<String> {
    match what {
        What::Challenge { pair, .. } | What::Move { pair, .. } => {
            Pair::new(*pair).userids.iter().map(|userid| address(userid)).collect()
        }
        What::Refused | What::Question => Vec::new(),
    }
}

fn board_of(what: &What, player: &str) -> (&'static str, u64, String) {
    match what {
        What::Challenge { game, board, .. } | What::Move { game, board, .. } => {
            (*game, *board, player.to_owned())
        }
        What::Refused | What::Question => ("", 0, String::new()),
    }
}

/// By board and player, the last mail that the player was notified of. The mails of a board are numbered in the order of
/// its moves.
fn newest_told(mails: &[Mail], arrived: &Arrived) -> BTreeMap<(&'static str, u64, String), u64> {
    let mut newest = BTreeMap::new();
    for (serial, player) in arrived.told.keys() {
        if let Some(mail) = mails.get(*serial as usize) {
            newest.insert(board_of(&mail.what, player), *serial);
        }
    }
    newest
}
