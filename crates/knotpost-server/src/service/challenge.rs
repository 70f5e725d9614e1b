//! Challenges: a new board, made at once.

use knotpost_commands::{Days, GivenOption, ServerOptions};
use knotpost_rules::{AnyGame, Seed};

use super::Prepared;
use super::boards::{answer_with_board, find_game, game_options};
use super::post::{BoardFacts, Heading, Note};
use super::prepare::check_rate;
use super::{Answer, Board, Code, Refusal, ServiceError};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{Millis, RemarkKind};
use crate::store::{NewBoard, NewSeat, StoreError, Tx, UserRow, UserState};

#[expect(clippy::too_many_arguments, reason = "the parts of one command")]
pub(super) async fn challenge(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game_name: &str,
    players: &[String],
    options: &[GivenOption],
    server: &ServerOptions,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = find_game(app, game_name)?;
    let options = game_options(game, options, players.len())?;
    let users = find_players(tx, game, players).await?;
    check_rate(prepared, "too many challenges were sent from there; try again later")
        .map_err(|refusal| refusal.about_game(game_name))?;
    let seed: [u8; 32] = random_bytes(app.entropy.as_ref()).map_err(StoreError::from)?;
    let position = game.setup(&options, users.len(), &Seed(seed));
    let distinct = users.iter().any(|user| Some(user.id) != users.first().map(|first| first.id));
    let new = NewBoard {
        game: game_name.to_owned(),
        options: options.to_string(),
        rules_version: game.meta().rules_version,
        seed,
        rated: distinct && !server.unrated,
        position: position.position(),
        scores: position.scores().to_string(),
        at: now,
        nag_ms: limit_ms(server.nagtime),
        forfeit_ms: limit_ms(server.forfeittime),
        total_ms: limit_ms(server.totaltime),
    };
    let number = tx.take_board_number(game_name).await?;
    let key = tx.insert_board(number, &new).await?;
    let first = position.next_seat().index();
    for (index, user) in users.iter().enumerate() {
        tx.insert_seat(key, NewSeat { seat: index as i64 + 1, user: user.id, to_move: index == first })
            .await?;
    }
    let mut facts = BoardFacts::plain(Heading::New);
    if !prepared.body.trim().is_empty() {
        facts.remark = Some(tx.insert_remark(key, 0, None, RemarkKind::Comment, &prepared.body, now).await?);
    }
    if !new.rated {
        facts.notes.push(Note::Unrated);
    }
    let Some(row) = tx.board(key).await? else {
        return Err(StoreError::Corrupt("a board vanished inside its own transaction".to_owned()).into());
    };
    let board = Board::from_row(tx, app, row).await?;
    answer_with_board(tx, app, &board, facts, now).await
}

fn limit_ms(days: Option<Days>) -> Option<i64> {
    days.and_then(|days| i64::try_from(days.as_millis()).ok())
}

async fn find_players(
    tx: &mut Tx,
    game: &dyn AnyGame,
    names: &[String],
) -> Result<Vec<UserRow>, ServiceError> {
    let (mut users, mut unknown, mut unwilling) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match tx.find_user(name).await? {
            Some(user) if user.state == UserState::Active => users.push(user),
            Some(user) => unwilling.push(user.userid),
            None => unknown.push(name.clone()),
        }
    }
    if unknown.is_empty() && unwilling.is_empty() {
        return Ok(users);
    }
    let mut refusal =
        Refusal::new(Code::InvalidChallenge, "not everybody in this challenge can play; no board was made");
    if !unknown.is_empty() {
        refusal = refusal.hint(format!("Unknown: {}", unknown.join(", ")));
    }
    if !unwilling.is_empty() {
        refusal = refusal.hint(format!("Not willing: {}", unwilling.join(", ")));
    }
    Err(refusal.about_game(game.meta().name).into())
}
