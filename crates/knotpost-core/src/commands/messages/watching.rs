//! `subscribe` and `unsubscribe`: watching boards without playing. `notify` finds its boards here as well.

use knotpost_commands::BoardSet;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Board, Code, Games, Refusal, ServiceError, find_game, no_such_board};
use crate::commands::authorize::{authorize, authorize_on};
use crate::mailing::post::post_to_user;
use crate::replies::answer::{count, numbers};
use crate::replies::{Answer, Content, Facts, Reply};
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::{UserRow, WriteTx};

const MOST_BOARDS: usize = 100;
pub(in crate::commands) const MOST_LISTED: i64 = 500;

#[derive(Debug, Serialize)]
struct Subscriptions {
    #[serde(rename = "name")]
    game: String,
    title: String,
    userid: String,
    /// True if future boards are watched too.
    all: bool,
    #[serde(serialize_with = "count")]
    boards: Vec<i64>,
    missing: Vec<String>,
}

impl Content for Subscriptions {
    const TEMPLATE: &'static str = "subscriptions";

    fn facts(&self) -> Facts {
        Facts::of(self).with("numbers", numbers(&self.boards))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Watch {
    Begin,
    End,
}

/// Of several boards, those that exist are processed.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: &str,
    boards: &BoardSet,
    watch: Watch,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = find_game(&app.games, game)?.meta();
    let numbers: &[u32] = match boards {
        BoardSet::All => &[],
        BoardSet::These(numbers) => numbers,
    };
    let Named { boards: boards_named, missing, user } =
        find_named(tx, &app.games, ready, meta.name, numbers).await?;
    for board in &boards_named {
        match watch {
            Watch::Begin => tx.subscribe(board.row.id, user.id).await?,
            Watch::End => {
                tx.unsubscribe(board.row.id, user.id).await?;
            }
        }
    }
    match (boards, watch) {
        (BoardSet::All, Watch::Begin) => tx.set_watches_all(meta.name, user.id, true).await?,
        (BoardSet::All, Watch::End) => tx.unsubscribe_all(meta.name, user.id).await?,
        (BoardSet::These(_), _) => {}
    }
    let (all, _) = tx.watches_all(meta.name, user.id).await?;
    if all && watch == Watch::End {
        let message = format!("{} watches all {} boards, these too", user.userid, meta.title);
        return Err(Refusal::new(Code::BadValue, message)
            .hint(format!(
                "To watch no boards any more: {} unsubscribe {} PASSWORD all",
                meta.name, user.userid
            ))
            .about_game(meta.name)
            .into());
    }
    let reply = Reply::from(Subscriptions {
        game: meta.name.to_owned(),
        title: meta.title.to_owned(),
        userid: user.userid.clone(),
        all,
        boards: tx.watched_boards(meta.name, user.id, MOST_LISTED).await?,
        missing,
    });
    confirm(tx, app, reply, &user, &boards_named, now).await
}

pub(in crate::commands) struct Named {
    pub(in crate::commands) boards: Vec<Board>,
    pub(in crate::commands) missing: Vec<String>,
    pub(in crate::commands) user: UserRow,
}

/// Looks up the boards and the acting user. Refuses if no board exists.
pub(in crate::commands) async fn find_named(
    tx: &mut WriteTx,
    games: &Games,
    ready: &Ready,
    game: &str,
    numbers: &[u32],
) -> Result<Named, ServiceError> {
    if numbers.len() > MOST_BOARDS {
        let message = format!("one command names at most {MOST_BOARDS} boards");
        return Err(Refusal::new(Code::TooMuchMail, message).about_game(game).into());
    }
    let title = find_game(games, game)?.meta().title;
    let (mut boards, mut missing): (Vec<Board>, Vec<String>) = Default::default();
    for (index, number) in numbers.iter().enumerate() {
        if numbers.iter().take(index).any(|other| other == number) {
            continue;
        }
        match Board::load(tx, games, game, *number).await? {
            Some(board) => boards.push(board),
            None => missing.push(format!("There is no {title} board {number}.")),
        }
    }
    if let Some(first) = numbers.first().filter(|_| boards.is_empty()) {
        return Err(no_such_board(games, game, *first).into());
    }
    if boards.len() != 1 {
        return Ok(Named { boards, missing, user: authorize(tx, ready).await? });
    }
    let (board, user) = authorize_on(tx, ready, boards.remove(0)).await?;
    Ok(Named { boards: vec![board], missing, user })
}

pub(in crate::commands) async fn confirm(
    tx: &mut WriteTx,
    app: &App,
    reply: Reply,
    user: &UserRow,
    boards: &[Board],
    now: Millis,
) -> Result<Answer, ServiceError> {
    post_to_user(tx, app, &reply, user.id, now).await?;
    let mut answer = Answer::to_registered(reply);
    answer.boards.extend(boards.iter().map(Board::name));
    Ok(answer)
}
