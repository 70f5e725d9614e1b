//! Read-only queries about boards.

use std::collections::{HashMap, HashSet};

use knotpost_commands::Selector;

use crate::app::App;
use crate::boards::proposals::{check_repeated, is_pending};
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::identity::presence::{Absence, absences, in_short};
use crate::ratings::board_ratings;
use crate::replies::facts::{note_of, notes_of_unreached};
use crate::replies::sheet::{Listing, Spoken};
use crate::replies::{Answer, BoardFacts, BoardLine, GameCount, Heading, Reply, Sheet};
use knotpost_model::{BoardKey, BoardState, Millis, ProposalKind, UserKey};
use knotpost_rules::AnyGame;
use knotpost_storage::{
    BoardContext, BoardFilter, BoardRow, ProposalRow, ReadTx, SeatRow, StoreError, UserRow,
};

pub(crate) const MOST_SHEETS: usize = 40;
pub(crate) const MOST_LINES: i64 = 500;

pub(crate) async fn count_games(
    tx: &mut ReadTx,
    games: impl Iterator<Item = &'static dyn AnyGame>,
) -> Result<Vec<GameCount>, StoreError> {
    let mut counts = Vec::new();
    for game in games {
        let meta = game.meta();
        let (active, over) = tx.count_boards(meta.name).await?;
        counts.push(GameCount {
            game: meta.name.to_owned(),
            title: meta.title.to_owned(),
            summary: meta.summary.to_owned(),
            active,
            over,
        });
    }
    Ok(counts)
}

/// The board with its full move list and the remark on the last move.
pub(crate) async fn show(tx: &mut ReadTx, board: &Board, now: Millis) -> Result<Sheet, StoreError> {
    Ok(show_with_offers(tx, board, None, now).await?.0)
}

#[derive(Debug, Default)]
pub(crate) struct Offers {
    pub(crate) pending: Option<ProposalRow>,
    pub(crate) refused: Vec<(UserKey, ProposalKind)>,
}

pub(crate) async fn show_with_offers(
    tx: &mut ReadTx,
    board: &Board,
    reader: Option<&str>,
    now: Millis,
) -> Result<(Sheet, Offers), StoreError> {
    let around = tx.board_context(board.row.id, board.entries.len() as i64).await?;
    show_with_context(tx, board, around, reader, now).await
}

/// As [`show_with_offers`], where it is known what is shown around the board.
pub(crate) async fn show_with_context(
    tx: &mut ReadTx,
    board: &Board,
    around: BoardContext,
    reader: Option<&str>,
    now: Millis,
) -> Result<(Sheet, Offers), StoreError> {
    let pending = around.proposal.filter(|proposal| is_pending(proposal, board));
    let refused = around.refused.iter().map(|offer| (offer.user_id, offer.kind));
    let refused = refused.filter(|offer| check_repeated(board, &around.refused, *offer).is_err()).collect();
    let notes = pending.iter().map(|proposal| note_of(board, proposal)).collect();
    let facts = BoardFacts { subscribers: around.watchers, notes, ..BoardFacts::plain(Heading::Show) };
    let mut facts = facts.with_moment(board, now);
    facts.notes.extend(notes_of_unreached(board, |seat| around.unreached.contains(&seat.userid)));
    let sheet = Sheet {
        spoken: around.comment.map(Spoken::from).into_iter().collect(),
        ratings: board_ratings::change_lines(tx, board).await?,
        ..Sheet::of(board, &facts, reader, Listing::Whole, now)
    };
    Ok((sheet, Offers { pending, refused }))
}

pub(crate) fn boards_answer(mut sheets: Vec<Sheet>, missing: Vec<String>) -> Answer {
    let boards = sheets
        .iter()
        .filter_map(|sheet| Some(crate::play::boards::name(&sheet.game, i64::from(sheet.number?))))
        .collect();
    let reply = match sheets.len() {
        1 if missing.is_empty() => Reply::Board(Box::new(sheets.remove(0))),
        _ => Reply::Boards { subject: "Show summary".to_owned(), sheets, missing },
    };
    Answer { boards, ..Answer::to_sender(reply) }
}

pub(crate) fn check_amount(game: Option<&str>, boards: usize) -> Result<(), ServiceError> {
    if boards <= MOST_SHEETS {
        return Ok(());
    }
    let refusal = Refusal::new(
        Code::TooMuchMail,
        format!("that is more than {MOST_SHEETS} boards; an answer of that size is too much mail"),
    )
    .hint(format!("Ask for fewer boards, or for a table: {} games USERID", game.unwrap_or("all")));
    Err(Refusal { game: game.map(str::to_owned), ..refusal }.into())
}

/// Text for an empty list, with the way to more. `game`: name and title, or none for all games.
pub(crate) fn describe_none(
    game: Option<(&str, &str)>,
    users: &[UserRow],
    selector: Option<Selector>,
) -> String {
    let names: Vec<&str> = users.iter().map(|user| user.userid.as_str()).collect();
    let names = names.join(", ");
    let of = if users.is_empty() { String::new() } else { format!(" of {names}") };
    let (word, title) = game.map_or(("all", String::new()), |(name, title)| (name, format!("{title} ")));
    let none = match selector {
        Some(Selector::Next) if !users.is_empty() => format!("No {title}board waits for {names}."),
        None | Some(Selector::Active | Selector::Next) => format!("No {title}board{of} is being played."),
        Some(Selector::Inactive) => format!("No {title}board{of} is over."),
        Some(_) => format!("There is no {title}board{of}."),
    };
    match game {
        Some(_) => format!(
            "{none} `{word} games` lists all that are being played, `{word} history` those that are over, and \
             `{word} challenge USERID USERID` begins one."
        ),
        None => format!("{none} `list` shows all games and how much they are played."),
    }
}

pub(crate) async fn find_users(
    tx: &mut ReadTx,
    game: Option<&str>,
    names: &[String],
) -> Result<Vec<UserRow>, ServiceError> {
    let mut users = Vec::new();
    for name in names {
        let Some(user) = tx.find_user(name).await? else {
            let refusal = Refusal::new(Code::NoSuchUser, format!("there is no user `{name}`"));
            return Err(Refusal { game: game.map(str::to_owned), ..refusal }.into());
        };
        users.push(user);
    }
    Ok(users)
}

pub(crate) async fn select_boards(
    tx: &mut ReadTx,
    game: &str,
    users: &[UserRow],
    selector: Option<Selector>,
    limit: i64,
) -> Result<Vec<BoardRow>, ServiceError> {
    let state = match selector {
        None | Some(Selector::Active | Selector::Next) => Some(BoardState::Active),
        Some(Selector::Inactive) => Some(BoardState::Over),
        Some(Selector::All | Selector::Standard | Selector::Tournament) => None,
    };
    let next = selector == Some(Selector::Next);
    let in_tournament = match selector {
        Some(Selector::Tournament) => Some(true),
        Some(Selector::Standard) => Some(false),
        None | Some(Selector::All | Selector::Active | Selector::Inactive | Selector::Next) => None,
    };
    let game = Some(game.to_owned());
    let filter = BoardFilter { game, state, next, in_tournament, ..BoardFilter::default() };
    if users.is_empty() {
        return Ok(tx.list_boards(&filter, limit).await?);
    }
    let (mut rows, mut known): (Vec<BoardRow>, HashSet<BoardKey>) = (Vec::new(), HashSet::new());
    for user in users {
        let found = tx.list_boards(&BoardFilter { user: Some(user.id), ..filter.clone() }, limit).await?;
        rows.extend(found.into_iter().filter(|row| known.insert(row.id)));
        if rows.len() as i64 >= limit {
            break;
        }
    }
    Ok(rows)
}

pub(crate) type Seated = (BoardRow, Vec<SeatRow>);

pub(crate) async fn lines(
    tx: &mut ReadTx,
    app: &App,
    boards: &[Seated],
) -> Result<Vec<BoardLine>, StoreError> {
    let to_move = |(row, seats): &Seated| {
        let seat = seats.iter().find(|seat| seat.to_move)?;
        (row.state == BoardState::Active).then_some(seat.user_id)
    };
    let mut users: Vec<UserKey> = boards.iter().filter_map(to_move).collect();
    users.sort_unstable_by_key(|user| user.0);
    users.dedup();
    let absences = absences(tx, app.clock.as_ref(), &app.config, &users).await?;
    let line = |(row, seats): &Seated| BoardLine {
        game: row.game.clone(),
        title: app.games.find(&row.game).map_or("", |game| game.meta().title),
        number: row.number,
        ply: row.ply,
        players: seats.iter().map(|seat| seat.userid.clone()).collect(),
        status: status(row, seats, &absences),
    };
    Ok(boards.iter().map(line).collect())
}

fn status(row: &BoardRow, seats: &[SeatRow], absences: &HashMap<UserKey, Vec<Absence>>) -> String {
    match row.state {
        BoardState::Active => seats.iter().find(|seat| seat.to_move).map_or_else(
            || "waiting".to_owned(),
            |seat| format!("{}'s turn{}", seat.userid, in_short(absences.get(&seat.user_id))),
        ),
        BoardState::Removed => "removed".to_owned(),
        BoardState::Over => match winner(row, seats).as_str() {
            "TIE" => "tie".to_owned(),
            name => format!("won by {name}"),
        },
    }
}

/// Name, or `TIE`.
pub(crate) fn winner(row: &BoardRow, seats: &[SeatRow]) -> String {
    let winner = row.winners.as_deref().and_then(|winners| winners.parse::<i64>().ok());
    winner
        .and_then(|winner| seats.iter().find(|seat| seat.seat == winner))
        .map_or_else(|| "TIE".to_owned(), |seat| seat.userid.clone())
}
