//! Answers to board mails from an address that is not the player's: stored until the player confirms, at an address of
//! theirs, that they wrote them.

use knotpost_commands::Command;
use knotpost_platform::secret::KeyRing;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::boards::{Board, Games};
use crate::mailing::post::post_answerable;
use crate::mailing::reply_grant::{ReplyGrant, Subject, held_mark};
use crate::replies::Reply;
use knotpost_model::{Address, Millis};
use knotpost_storage::{ReadTx, StoreError, WriteTx};

/// For how many days an answer can be confirmed.
pub(crate) const GOOD_FOR_DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;
/// Limit of questions to a player in an hour.
const MOST_QUESTIONS: i64 = 3;

/// So much of the line is shown with the question.
const MOST_SHOWN: usize = 60;

/// Words of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Words {
    /// The short command.
    pub(crate) line: String,
    /// Text that follows it.
    pub(crate) comment: String,
}

/// Keeps the words and asks the player.
pub(crate) async fn hold(
    tx: &mut WriteTx,
    app: &App,
    grant: &ReplyGrant,
    (words, short): (&Words, Option<&Command>),
    (sender, echo): (&str, &str),
    now: Millis,
) -> Result<(), StoreError> {
    let corrupt = |error: serde_json::Error| StoreError::Corrupt(error.to_string());
    let Some((address, board)) = may_ask(tx, &app.games, grant, now).await? else { return Ok(()) };
    let sight = serde_json::to_string(&grant.sight).map_err(corrupt)?;
    // Whatever stands in the line, a password by mistake too, is nobody's to read.
    let sealed = app.secret.seal(app.entropy.as_ref(), &serde_json::to_vec(words).map_err(corrupt)?)?;
    let until = now.plus(GOOD_FOR_DAYS * DAY_MS);
    let id = tx.hold_answer(grant.user.id, grant.board.id, (&sight, &sealed), now, until).await?;
    let Some(subject) = Subject::Held { id, mark: held_mark(&sealed) }.answerable(app) else { return Ok(()) };
    let confirms = match short {
        Some(Command::Confirm { .. }) => submitted(tx, &board, grant).await?,
        _ => None,
    };
    let is_own = tx.proven_address(grant.user.id, &sender.to_lowercase()).await?.is_some();
    let facts = json!({
        "title": board.title(),
        "number": board.row.number,
        "userid": grant.user.userid,
        "sender": sender,
        // Their mail program dropped the reply address, and nothing proves who wrote.
        "is_own": is_own,
        "line": shorten(echo),
        "confirms": confirms,
        "days": GOOD_FOR_DAYS,
    });
    let reply = Reply::said("foreign_answer", facts);
    post_answerable(tx, app, &reply, &address, Some(grant.user.id), (None, Some(subject)), now).await
}

/// The move that the player has submitted on the board as it is.
async fn submitted(tx: &mut ReadTx, board: &Board, grant: &ReplyGrant) -> Result<Option<String>, StoreError> {
    let Some(seat) = board.seat_of(grant.user.id) else { return Ok(None) };
    let row = tx.submission(board.row.id, seat.seat).await?;
    Ok(row.filter(|row| row.ply == board.entries.len() as i64).map(|row| row.text))
}

/// Tells the player of an answer in their name that came without proof: it has to be sent with their password.
pub(crate) async fn tell_unproven(
    tx: &mut WriteTx,
    app: &App,
    grant: &ReplyGrant,
    echo: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let Some((address, board)) = may_ask(tx, &app.games, grant, now).await? else { return Ok(()) };
    let facts = json!({
        "game": grant.board.game,
        "title": board.title(),
        "number": board.row.number,
        "userid": grant.user.userid,
        "line": shorten(echo),
    });
    let reply = Reply::said("unproven_answer", facts);
    post_answerable(tx, app, &reply, &address, Some(grant.user.id), (None, None), now).await
}

fn shorten(echo: &str) -> String {
    echo.chars().take(MOST_SHOWN).collect()
}

/// Address of the player and the board; `None`: they cannot be asked, or were asked too often.
async fn may_ask(
    tx: &mut WriteTx,
    games: &Games,
    grant: &ReplyGrant,
    now: Millis,
) -> Result<Option<(Address, Board)>, StoreError> {
    let Ok(address) = grant.address.parse() else { return Ok(None) };
    let Some(board) = Board::load(tx, games, &grant.board.game, grant.board.number as u32).await? else {
        return Ok(None);
    };
    let asked = tx.count_answer(&format!("foreign {}", grant.user.id.0), now.0 / 3_600_000).await?;
    Ok((asked <= MOST_QUESTIONS).then_some((address, board)))
}

/// The words that are held for this grant; empty when they are gone.
pub(crate) async fn words(
    tx: &mut ReadTx,
    secret: &KeyRing,
    grant: &ReplyGrant,
) -> Result<Words, StoreError> {
    let row = match grant.held {
        Some(id) => tx.held_answer(id).await?,
        None => None,
    };
    let words = row.and_then(|row| secret.unseal(&row.words));
    let words = words.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(words.unwrap_or(Words { line: String::new(), comment: String::new() }))
}

/// That somebody says yes.
pub(crate) struct Consent;

/// Reads a line that says yes; `None`: it says something else.
pub(crate) fn read_consent(line: &str) -> Option<Consent> {
    let word = line.trim().trim_end_matches(['.', '!']).trim_matches(['`', '"', '\'']);
    ["confirm", "yes"].iter().any(|yes| word.eq_ignore_ascii_case(yes)).then_some(Consent)
}
