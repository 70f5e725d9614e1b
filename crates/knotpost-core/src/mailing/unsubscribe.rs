//! Taking no more mails of a kind without a password: by the link that stands in each of them, or by a mail to the
//! address beside it.

use crate::links::Links;
use knotpost_rules::Registry;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::mailing::digest;
use crate::mailing::post::post_answerable;
use crate::mailing::puzzles;
use crate::mailing::reply_address::Purpose;
use crate::mailing::reply_grant::{AnsweredMail, Subject, board_facts};
use crate::replies::{Answer, Heading, Refusing, Reply};
use knotpost_model::{Address, BoardKey, LeaveReason, Millis, TournamentName, UserKey};
use knotpost_storage::{ALL_GAMES, ReadTx, RemarkRow, SeatRow, StoreError, UserRow, UserState, WriteTx};

/// The template of what a user writes to another one.
pub(crate) const MESSAGE: &str = "message";

/// Mails that can be refused by a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Mails to everybody.
    Broadcasts,
    /// Reminders.
    Nags,
    /// The puzzles of the day, of all games.
    Puzzles,
    /// The mail of the day: a mail comes when it is the user's turn instead, as they would not know otherwise.
    Digests,
    /// Messages of other users, and what is said on their boards by those who do not play there.
    Messages,
    /// Mails about a board that the user watches without playing.
    Watching(BoardKey),
    /// The mail when a board ends that they asked for.
    Endings(BoardKey),
    /// Mails about a tournament that the user plays in, who is out of it then.
    Tournament(TournamentName),
}

/// Subject of a link, for the page that asks and thanks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusable {
    /// User whose mails they are.
    pub userid: String,
    /// Kind of mails, as in `no more …`.
    pub what: String,
    /// The command that brings them back.
    pub again: String,
    /// Tournament that the user leaves by it.
    pub leaves: Option<TournamentName>,
}

/// A mail that wants no more mails of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Unsubscribing {
    user: UserRow,
    address: String,
    kind: Kind,
}

impl Kind {
    /// The word in the link.
    pub fn word(self) -> String {
        match self {
            Self::Broadcasts => "broadcasts".to_owned(),
            Self::Nags => "nags".to_owned(),
            Self::Puzzles => "puzzles".to_owned(),
            Self::Digests => "digests".to_owned(),
            Self::Messages => "messages".to_owned(),
            Self::Watching(board) => format!("board-{}", board.0),
            Self::Endings(board) => format!("end-{}", board.0),
            Self::Tournament(name) => format!("tournament-{}", name.0),
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        let key = |number: &str| number.parse().ok().map(BoardKey);
        match word.split_once('-') {
            Some(("board", number)) => key(number).map(Self::Watching),
            Some(("end", number)) => key(number).map(Self::Endings),
            Some(("tournament", number)) => {
                number.parse().ok().map(|number| Self::Tournament(TournamentName(number)))
            }
            _ => [Self::Broadcasts, Self::Nags, Self::Puzzles, Self::Digests, Self::Messages]
                .into_iter()
                .find(|kind| kind.word() == word),
        }
    }

    /// The mails that a reader can refuse in one of this template, with this subject of answers to it, where that does not
    /// depend on a board.
    pub(crate) fn of(template: &str, subject: Option<&Subject>) -> Option<Self> {
        match (template, subject) {
            (
                "tournament_started" | "tournament_deadline" | "tournament_news",
                Some(Subject::Tournament { tournament }),
            ) => Some(Self::Tournament(*tournament)),
            _ => Self::of_template(template),
        }
    }

    fn of_template(template: &str) -> Option<Self> {
        match template {
            "broadcast" => Some(Self::Broadcasts),
            "puzzles" => Some(Self::Puzzles),
            "digest" => Some(Self::Digests),
            MESSAGE => Some(Self::Messages),
            _ => None,
        }
    }

    /// The mails that the reader of this one can refuse.
    async fn of_mail(tx: &mut ReadTx, mail: &AnsweredMail) -> Result<Option<Self>, StoreError> {
        let (Some(board), Some(facts)) = (mail.row.board_id.map(BoardKey), board_facts(&mail.row)?) else {
            return Ok(Self::of(&mail.row.kind, mail.subject.as_ref()));
        };
        let (seats, remarks) = (tx.seats(board).await?, tx.remarks(&facts.remarks()).await?);
        Ok(refusable((board, seats.as_slice()), facts.heading, &remarks, mail.reader.id))
    }

    /// The ways in which this user takes no more of these; `reply_to` is the address that ends them, where there is one.
    pub(crate) fn ways(self, links: &Links, user: &UserRow, reply_to: Option<String>) -> Refusing {
        let page = links.unsubscribe(user.id, &self.word());
        Refusing { page, reply_to }
    }
}

/// The mails that a reader can refuse by the link in this one: players get the boards they play in any case, and what is
/// said by those who play there.
pub(crate) fn refusable(
    (board, seats): (BoardKey, &[SeatRow]),
    heading: Heading,
    remarks: &[RemarkRow],
    reader: UserKey,
) -> Option<Kind> {
    let plays = seats.iter().any(|seat| seat.user_id == reader);
    let is_of_outsider =
        |remark: &RemarkRow| seats.iter().all(|seat| Some(&seat.userid) != remark.userid.as_ref());
    match heading {
        Heading::Chat if plays && !remarks.is_empty() && remarks.iter().all(is_of_outsider) => {
            Some(Kind::Messages)
        }
        Heading::Nag => Some(Kind::Nags),
        Heading::Notification => Some(Kind::Endings(board)),
        _ => (!plays).then_some(Kind::Watching(board)),
    }
}

/// Reads which mails a mail to one of those addresses ends, whatever it says. It holds under any password.
pub(crate) async fn read_mail(
    tx: &mut ReadTx,
    mails: &[AnsweredMail],
) -> Result<Option<Unsubscribing>, StoreError> {
    for mail in mails.iter().filter(|mail| mail.purpose == Some(Purpose::End)) {
        if let Some(kind) = Kind::of_mail(tx, mail).await? {
            let (user, address) = (mail.reader.clone(), mail.row.recipient.clone());
            return Ok(Some(Unsubscribing { user, address, kind }));
        }
    }
    Ok(None)
}

/// Stops them, and says so where the mails went, once a day.
pub(crate) async fn accept(
    tx: &mut WriteTx,
    app: &App,
    wanted: &Unsubscribing,
    now: Millis,
) -> Result<Answer, StoreError> {
    let Unsubscribing { user, address, kind } = wanted;
    let seen = describe(tx, app.games.registry, user, *kind).await?;
    stop(tx, user.id, *kind, now).await?;
    // A board that is gone sends nothing any more.
    let seen = seen.unwrap_or_else(|| Refusable {
        userid: user.userid.clone(),
        what: "mails about that board".to_owned(),
        again: "help subscribe".to_owned(),
        leaves: None,
    });
    let reply = Reply::said("unsubscribed", json!(seen));
    let said = format!("unsubscribed {} {}", user.id.0, kind.word());
    if tx.count_answer(&said, now.0 / 86_400_000 * 24).await? == 1
        && let Ok(recipient) = address.parse::<Address>()
    {
        post_answerable(tx, app, &reply, &recipient, Some(user.id), (None, None), now).await?;
    }
    Ok(Answer { changed: true, ..Answer::to_registered(reply) })
}

/// User and kind of the mails that a link stops; `None`: it is none of ours, or its user has left.
pub async fn view_unsubscribe(app: &App, token: &str) -> Result<Option<Refusable>, StoreError> {
    let Some((user, kind)) = read(app, token) else { return Ok(None) };
    let mut tx = app.store.read().await?;
    let user = tx.user(user).await?.filter(|user| user.state != UserState::Deleted);
    match user {
        Some(user) => describe(&mut tx, app.games.registry, &user, kind).await,
        None => Ok(None),
    }
}

/// Stops them. As [`view_unsubscribe`].
pub async fn unsubscribe(app: &Arc<App>, token: &str) -> Result<Option<Refusable>, StoreError> {
    let (Some((user, kind)), Some(seen)) = (read(app, token), view_unsubscribe(app, token).await?) else {
        return Ok(None);
    };
    let now = app.clock.now();
    let stopped = app.store.write(async move |tx| {
        // Whoever left in the meantime has no preferences.
        let is_here = tx.user(user).await?.is_some_and(|user| user.state != UserState::Deleted);
        if is_here {
            stop(tx, user, kind, now).await?;
        }
        Ok::<_, StoreError>(is_here)
    });
    Ok(stopped.await?.then_some(seen))
}

async fn stop(tx: &mut WriteTx, user: UserKey, kind: Kind, now: Millis) -> Result<(), StoreError> {
    match kind {
        Kind::Broadcasts | Kind::Nags | Kind::Messages => {
            tx.set_preference(user, ALL_GAMES, &kind.word(), Some("off")).await
        }
        Kind::Puzzles => puzzles::stop(tx, user).await,
        Kind::Digests => digest::stop(tx, user).await,
        Kind::Watching(board) => {
            let Some(row) = tx.board(board).await? else { return Ok(()) };
            if tx.watches_all(&row.game, user).await?.0 {
                return tx.unsubscribe_all(&row.game, user).await;
            }
            tx.unsubscribe(board, user).await.map(drop)
        }
        Kind::Endings(board) => {
            let Some(row) = tx.board(board).await? else { return Ok(()) };
            if tx.watches_all(&row.game, user).await?.1 {
                tx.set_hears_of_all(&row.game, user, false).await?;
            }
            tx.forget_notification(board, user).await
        }
        Kind::Tournament(name) => tx.leave_tournament(name, user, LeaveReason::Withdrew, now).await,
    }
}

async fn describe(
    tx: &mut ReadTx,
    registry: &'static Registry,
    user: &UserRow,
    kind: Kind,
) -> Result<Option<Refusable>, StoreError> {
    let userid = user.userid.clone();
    let (what, again) = match kind {
        Kind::Broadcasts => ("broadcasts".to_owned(), format!("set {userid} PASSWORD broadcasts=on")),
        Kind::Nags => ("reminders".to_owned(), format!("set {userid} PASSWORD nags=on")),
        Kind::Puzzles => ("puzzles".to_owned(), format!("set {userid} PASSWORD puzzle=on")),
        Kind::Digests => ("mails of the day".to_owned(), format!("set {userid} PASSWORD moves=digest")),
        Kind::Messages => {
            ("messages of other users".to_owned(), format!("set {userid} PASSWORD messages=on"))
        }
        Kind::Watching(board) | Kind::Endings(board) => {
            let Some(row) = tx.board(board).await? else { return Ok(None) };
            let (watches, hears) = tx.watches_all(&row.game, user.id).await?;
            let title = registry.find(&row.game).map_or(row.game.as_str(), |game| game.meta().title);
            let (verb, all, about) = match kind {
                Kind::Endings(_) => ("notify", hears, "mails about the end of"),
                _ => ("subscribe", watches, "mails about"),
            };
            let (what, number) = if all {
                (
                    format!("{about} other players' {title} boards"),
                    if verb == "notify" { "" } else { " all" }.to_owned(),
                )
            } else {
                (format!("{about} {title} board {}", row.number), format!(" {}", row.number))
            };
            (what, format!("{} {verb} {userid} PASSWORD{number}", row.game))
        }
        Kind::Tournament(name) => {
            (format!("mails about tournament {name}"), format!("enter {userid} PASSWORD {name}"))
        }
    };
    let leaves = match kind {
        Kind::Tournament(name) => Some(name),
        _ => None,
    };
    Ok(Some(Refusable { userid, what, again, leaves }))
}

fn read(app: &App, token: &str) -> Option<(UserKey, Kind)> {
    let (user, word) = app.links.read_unsubscribe(token)?;
    Some((user, Kind::from_word(&word)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_word_that_is_read_back_and_holds_no_dot() {
        let boards =
            [Kind::Watching(BoardKey(7)), Kind::Endings(BoardKey(8)), Kind::Tournament(TournamentName(9))];
        let all = [Kind::Broadcasts, Kind::Nags, Kind::Puzzles, Kind::Digests, Kind::Messages];
        for kind in all.into_iter().chain(boards) {
            assert_eq!(Kind::from_word(&kind.word()), Some(kind));
            assert!(!kind.word().contains('.'));
        }
        assert_eq!(Kind::from_word("board-x"), None);
    }
}
