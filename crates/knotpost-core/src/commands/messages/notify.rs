//! `notify`: mails about ends of boards, for all boards or those named.

use serde::Serialize;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, find_game};
use crate::commands::messages::watching::{MOST_LISTED, Named, confirm, find_named};
use crate::replies::answer::{count, numbers};
use crate::replies::{Answer, Content, Facts, Reply};
use crate::requests::Ready;
use knotpost_model::{BoardState, Millis};
use knotpost_storage::WriteTx;

#[derive(Debug, Serialize)]
struct Notifications {
    #[serde(rename = "name")]
    game: String,
    title: String,
    userid: String,
    all: bool,
    #[serde(serialize_with = "count")]
    boards: Vec<i64>,
    missing: Vec<String>,
}

impl Content for Notifications {
    const TEMPLATE: &'static str = "notifications";

    fn facts(&self) -> Facts {
        Facts::of(self).with("numbers", numbers(&self.boards))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    numbers: &[u32],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = find_game(&app.games, game)?.meta();
    let Named { boards: named, mut missing, user } =
        find_named(tx, &app.games, ready, meta.name, numbers).await?;
    let (mut ended, boards_named): (Vec<Board>, Vec<Board>) =
        named.into_iter().partition(|board| board.row.state == BoardState::Over);
    let has_ended = |board: &Board| format!("{} board {} has ended already", board.title(), board.row.number);
    if boards_named.is_empty()
        && let Some(board) = ended.pop()
    {
        return Err(Refusal::new(Code::GameOver, has_ended(&board)).about(board).into());
    }
    missing.extend(ended.iter().map(|board| has_ended(board) + "."));
    let (_, all) = tx.watches_all(meta.name, user.id).await?;
    let all = if numbers.is_empty() { !all } else { all };
    if numbers.is_empty() {
        tx.set_hears_of_all(meta.name, user.id, all).await?;
    }
    for board in &boards_named {
        tx.switch_notification(board.row.id, user.id).await?;
    }
    let reply = Reply::from(Notifications {
        game: meta.name.to_owned(),
        title: meta.title.to_owned(),
        userid: user.userid.clone(),
        all,
        boards: tx.notified_boards(meta.name, user.id, MOST_LISTED).await?,
        missing,
    });
    confirm(tx, app, reply, &user, &boards_named, now).await
}
