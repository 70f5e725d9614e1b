//! Actions of the director; administrators can do them too.

use knotpost_commands::{Days, DirectorAction};
use knotpost_rules::Seat;

use super::boards::{decide, load};
use super::reading::{find_tournament, read_terms, show};
use super::telling::{tell_new_director, tell_out};
use super::view::{TournamentView, takes_entries};
use super::work::start;
use crate::app::App;
use crate::boards::board::seat_at;
use crate::boards::{Code, Refusal, ServiceError, find_board, find_present_user};
use crate::replies::Note;
use knotpost_model::{
    BoardState, LeaveReason, Millis, MoveKind, PlayerState, TournamentAction, TournamentForm, TournamentName,
    TournamentState, clean_text,
};
use knotpost_storage::{NewLogEntry, PlayerRow, StoreError, Told, TournamentRow, UserRow, WriteTx};

const DAY_MS: i64 = 86_400_000;
/// Days by which a round can be put off.
const MOST_DAYS: i64 = 30;
/// Bytes of a reason, or of words to the players.
const LONGEST_TEXT: usize = 4096;

/// Carries an action out. `text` is its reason, or what is said.
pub async fn direct(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    name: TournamentName,
    action: &DirectorAction,
    text: &str,
    now: Millis,
) -> Result<TournamentView, ServiceError> {
    let row = find_tournament(tx, name).await?;
    check_director(&row, user)?;
    let text = check_text(text)?;
    match action {
        DirectorAction::Start => begin(tx, app, row, user, now).await?,
        DirectorAction::Cancel => cancel(tx, row, user, text, now).await?,
        DirectorAction::Extend(days) => extend(tx, row, user, *days, text, now).await?,
        DirectorAction::Admit(userid) => admit(tx, &row, user, userid, now).await?,
        DirectorAction::Expel(userid) => expel(tx, app, &row, user, userid, text, now).await?,
        DirectorAction::Award { board, seat } => award(tx, app, &row, user, *board, *seat, text, now).await?,
        DirectorAction::Say => say(tx, &row, user, text, now).await?,
        DirectorAction::Hand(userid) => hand(tx, app, row, user, userid, now).await?,
    }
    let row = find_tournament(tx, name).await?;
    Ok(show(tx, row, None).await?)
}

fn check_director(row: &TournamentRow, user: &UserRow) -> Result<(), Refusal> {
    if user.role == "admin" || row.director_id == Some(user.id) {
        return Ok(());
    }
    let refusal = Refusal::new(Code::NotAllowed, format!("you do not direct {}", row.id));
    Err(match &row.director {
        Some(director) => refusal.hint(format!("Its director is {director}.")),
        None => refusal.hint("Administrators of the server direct it."),
    })
}

fn check_text(text: &str) -> Result<String, Refusal> {
    let text = clean_text(text).trim().to_owned();
    if text.len() > LONGEST_TEXT {
        let message = format!("the text has {} bytes; it can have {LONGEST_TEXT}", text.len());
        return Err(Refusal::new(Code::BadValue, message));
    }
    Ok(text)
}

/// Refuses what can be done in some states alone.
fn check_state(row: &TournamentRow, allowed: &[TournamentState]) -> Result<(), Refusal> {
    if allowed.contains(&row.state) {
        return Ok(());
    }
    let is = match row.state {
        TournamentState::Open => "has not begun",
        TournamentState::Running => "has begun already",
        TournamentState::Over => "is over",
        TournamentState::Cancelled => "was cancelled",
    };
    Err(Refusal::new(Code::Conflict, format!("{} {is}", row.id)))
}

const UNDER_WAY: &[TournamentState] = &[TournamentState::Open, TournamentState::Running];

fn entry_of(user: &UserRow, action: TournamentAction, words: String) -> NewLogEntry {
    NewLogEntry { user: Some(user.id), words, ..NewLogEntry::of_server(action) }
}

async fn begin(
    tx: &mut WriteTx,
    app: &App,
    mut row: TournamentRow,
    user: &UserRow,
    now: Millis,
) -> Result<(), ServiceError> {
    if row.form == TournamentForm::Ladder {
        let message = format!("{} is a ladder, and runs from its announcement on", row.id);
        return Err(Refusal::new(Code::Conflict, message).into());
    }
    check_state(&row, &[TournamentState::Open])?;
    let terms = read_terms(&row)?;
    if !start(tx, app, &mut row, &terms, now).await? {
        let message =
            format!("{} needs {} players to start, and {} have entered", row.id, terms.minimum, row.entered);
        return Err(Refusal::new(Code::Conflict, message)
            .hint("It can be cancelled, or announced with a smaller `-players=LEAST-MOST`.")
            .into());
    }
    Ok(tx.log_tournament(row.id, &entry_of(user, TournamentAction::Start, String::new()), now).await?)
}

/// Boards that are being played go on as ordinary ones.
async fn cancel(
    tx: &mut WriteTx,
    row: TournamentRow,
    user: &UserRow,
    text: String,
    now: Millis,
) -> Result<(), ServiceError> {
    check_state(&row, UNDER_WAY)?;
    if row.state == TournamentState::Running {
        tx.release_boards(row.id, now).await?;
    }
    let id = row.id;
    let row =
        TournamentRow { state: TournamentState::Cancelled, ended_at: Some(now), due_at: Some(now), ..row };
    tx.update_tournament(&row).await?;
    let entry = NewLogEntry { told: Told::Players, ..entry_of(user, TournamentAction::Cancel, text) };
    Ok(tx.log_tournament(id, &entry, now).await?)
}

async fn extend(
    tx: &mut WriteTx,
    mut row: TournamentRow,
    user: &UserRow,
    days: Days,
    text: String,
    now: Millis,
) -> Result<(), ServiceError> {
    check_state(&row, &[TournamentState::Running])?;
    let span = i64::try_from(days.as_millis()).unwrap_or(i64::MAX);
    if span > MOST_DAYS * DAY_MS {
        return Err(Refusal::new(
            Code::BadValue,
            format!("a round is extended by {MOST_DAYS} days at most, not by {days}"),
        )
        .into());
    }
    if row.form == TournamentForm::Ladder {
        let message = format!("{} is a ladder: it has no deadline that could be put off", row.id);
        return Err(Refusal::new(Code::Conflict, message).into());
    }
    let Some(deadline) = row.deadline.filter(|deadline| *deadline > now) else {
        return Err(Refusal::new(Code::Conflict, "the deadline of the round has passed")
            .hint(format!("`tournament {}` says what comes next.", row.id))
            .into());
    };
    if row.extended {
        return Err(Refusal::new(Code::Conflict, "the round has been extended; a round is extended once")
            .hint(format!("Until its deadline `direct … {} award` decides a board.", row.id))
            .into());
    }
    let deadline = deadline.plus(span);
    row.deadline = Some(deadline);
    row.extended = true;
    row.reminders = 0;
    row.due_at = Some(now);
    tx.update_tournament(&row).await?;
    tx.set_round_deadline(row.id, row.round, deadline).await?;
    let entry = NewLogEntry { told: Told::Players, ..entry_of(user, TournamentAction::Extend, text) };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

async fn admit(
    tx: &mut WriteTx,
    row: &TournamentRow,
    user: &UserRow,
    userid: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    if !takes_entries(row.form, row.state) {
        check_state(row, &[TournamentState::Open])?;
    }
    let subject = find_present_user(tx, userid).await?;
    if tx.last_word_on(row.id, subject.id).await? == Some(TournamentAction::Admit) {
        return Ok(());
    }
    let entry = entry_of(user, TournamentAction::Admit, String::new());
    let entry = NewLogEntry { subject: Some(subject.id), ..entry };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

/// A player who is in.
async fn find_player(tx: &mut WriteTx, row: &TournamentRow, userid: &str) -> Result<PlayerRow, ServiceError> {
    let players = tx.tournament_players(row.id).await?;
    let is_named = |player: &PlayerRow| {
        player.userid.eq_ignore_ascii_case(userid) && player.state == PlayerState::In && !player.is_bot
    };
    let found = players.into_iter().find(is_named);
    found.ok_or_else(|| {
        Refusal::new(Code::Conflict, format!("`{userid}` does not play in {}", row.id))
            .hint(format!("`tournament {}` shows who does.", row.id))
            .into()
    })
}

async fn expel(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    user: &UserRow,
    userid: &str,
    text: String,
    now: Millis,
) -> Result<(), ServiceError> {
    check_state(row, UNDER_WAY)?;
    let player = find_player(tx, row, userid).await?;
    if text.is_empty() {
        return Err(Refusal::new(Code::BadValue, "the reason is missing")
            .hint("It is the text of the mail, and all players are told.")
            .into());
    }
    // Once for each user: admitting and expelling one in turn would write to all players as often as a director likes.
    let is_again = tx.was_expelled(row.id, player.user_id).await?;
    let told = if is_again { Told::Nobody } else { Told::Players };
    if row.state == TournamentState::Open {
        tx.drop_player(row.id, player.user_id).await?;
        let out = PlayerRow { left_why: Some(LeaveReason::Expelled), ..player.clone() };
        tell_out(tx, app, row, &out, None, now).await?;
    } else {
        tx.withdraw_player(row.id, player.user_id, LeaveReason::Expelled, now).await?;
    }
    let entry = entry_of(user, TournamentAction::Expel, text);
    let entry = NewLogEntry { subject: Some(player.user_id), told, ..entry };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one action")]
async fn award(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    user: &UserRow,
    number: u32,
    seat: Option<u8>,
    text: String,
    now: Millis,
) -> Result<(), ServiceError> {
    check_state(row, &[TournamentState::Running])?;
    let found = find_board(tx, app, &row.game, number).await?;
    let place = match found.row.pairing_id {
        Some(pairing) => tx.place_of_pairing(pairing).await?,
        None => None,
    };
    let Some(place) = place.filter(|place| place.id == row.id) else {
        let message = format!("{} is no board of {}", found.name(), row.id);
        return Err(Refusal::new(Code::BadValue, message)
            .hint(format!("`tournament {}` has the numbers of its boards.", row.id))
            .into());
    };
    if found.row.state != BoardState::Active {
        return Err(Refusal::new(Code::GameOver, format!("{} is over", found.name())).about(found).into());
    }
    if user.role != "admin" && tx.plays_in(row.id, user.id, (place.round, &place.pool)).await? {
        let message = "a director who plays awards no board of their own group";
        return Err(Refusal::new(Code::NotAllowed, message).hint("Administrators can.").into());
    }
    let winners: Vec<Seat> = match seat {
        None => found.seats.iter().map(|row| seat_at(row.seat)).collect(),
        Some(seat) if found.seat_row(seat.into()).is_some() => vec![seat_at(seat.into())],
        Some(seat) => {
            return Err(Refusal::new(Code::BadValue, format!("there is no seat {seat} on {}", found.name()))
                .hint("Seats are 1 and 2; `tie` gives half a point to each.")
                .into());
        }
    };
    let key = found.row.id;
    let Some(board) = load(tx, &app.games, key).await? else {
        return Err(StoreError::Corrupt("a board vanished inside its own transaction".to_owned()).into());
    };
    let note =
        Note::Awarded { by: user.userid.clone(), why: text.split_whitespace().collect::<Vec<_>>().join(" ") };
    decide(tx, app, board, (MoveKind::Adjudicated, &winners), note, now).await?;
    let entry = NewLogEntry { board: Some(key), ..entry_of(user, TournamentAction::Award, text) };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

async fn say(
    tx: &mut WriteTx,
    row: &TournamentRow,
    user: &UserRow,
    text: String,
    now: Millis,
) -> Result<(), ServiceError> {
    check_state(row, UNDER_WAY)?;
    if text.is_empty() {
        return Err(Refusal::new(Code::BadValue, "there is nothing to say")
            .hint("What all players are to read is the text of the mail.")
            .into());
    }
    if let Some(last) =
        tx.last_action(row.id, TournamentAction::Say).await?.filter(|last| now.0 - last.0 < DAY_MS)
    {
        let message =
            format!("the players of {} were written to within a day; once a day is the most", row.id);
        let again = last.plus(DAY_MS).to_readable();
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint(format!("From {again} on the same mail is passed on."))
            .into());
    }
    let entry = NewLogEntry { told: Told::Players, ..entry_of(user, TournamentAction::Say, text) };
    Ok(tx.log_tournament(row.id, &entry, now).await?)
}

async fn hand(
    tx: &mut WriteTx,
    app: &App,
    row: TournamentRow,
    user: &UserRow,
    userid: &str,
    now: Millis,
) -> Result<(), ServiceError> {
    check_state(&row, UNDER_WAY)?;
    let player = find_player(tx, &row, userid).await?;
    if row.director_id == Some(player.user_id) {
        return Ok(());
    }
    let id = row.id;
    tx.update_tournament(&TournamentRow { director_id: Some(player.user_id), ..row }).await?;
    let entry = entry_of(user, TournamentAction::Hand, String::new());
    let entry = NewLogEntry { subject: Some(player.user_id), ..entry };
    tx.log_tournament(id, &entry, now).await?;
    if player.user_id != user.id {
        tell_new_director(tx, app, id, player.user_id, now).await?;
    }
    Ok(())
}
