//! Watching boards without playing: `subscribe`, `unsubscribe`, `notify`, and the mail when a board ends.

use knotpost_commands::BoardSet;

use super::boards::{find_board, find_game};
use super::execute::{authorize, authorize_on};
use super::post::{BoardFacts, Heading, post_board_to, post_to_user};
use super::{Answer, Board, Code, Prepared, Refusal, Reply, ServiceError};
use crate::app::App;
use crate::domain::{BoardState, Millis, UserKey};
use crate::store::{StoreError, Tx, UserRow};

/// Boards of one command.
const MOST_BOARDS: usize = 100;
/// Boards that an answer lists.
const MOST_LISTED: i64 = 500;

/// Whether to begin watching or to end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    Begin,
    End,
}

/// `subscribe` and `unsubscribe`. All boards are looked up before anything is changed.
pub(super) async fn subscribe(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    boards: &BoardSet,
    watch: Watch,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = find_game(app, game)?.meta();
    let numbers: &[u32] = match boards {
        BoardSet::All => &[],
        BoardSet::These(numbers) => numbers,
    };
    let (boards_named, user) = find_named(tx, app, prepared, meta.name, numbers).await?;
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
    let reply = Reply::Subscriptions {
        game: meta.name.to_owned(),
        title: meta.title.to_owned(),
        userid: user.userid.clone(),
        all,
        boards: tx.watched_boards(meta.name, user.id, MOST_LISTED).await?,
    };
    confirm(tx, app, reply, &user, &boards_named, now).await
}

/// `notify`: switched for all boards, or for those named.
pub(super) async fn notify(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    numbers: &[u32],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let meta = find_game(app, game)?.meta();
    let (mut boards_named, user) = find_named(tx, app, prepared, meta.name, numbers).await?;
    if let Some(index) = boards_named.iter().position(|board| board.row.state == BoardState::Over) {
        let board = boards_named.swap_remove(index);
        let message = format!("{} board {} has ended already", board.title(), board.row.number);
        return Err(Refusal::new(Code::GameOver, message).about(board).into());
    }
    let (_, all) = tx.watches_all(meta.name, user.id).await?;
    let all = if numbers.is_empty() { !all } else { all };
    if numbers.is_empty() {
        tx.set_hears_of_all(meta.name, user.id, all).await?;
    }
    for board in &boards_named {
        tx.switch_notification(board.row.id, user.id).await?;
    }
    let reply = Reply::Notifications {
        game: meta.name.to_owned(),
        title: meta.title.to_owned(),
        userid: user.userid.clone(),
        all,
        boards: tx.notified_boards(meta.name, user.id, MOST_LISTED).await?,
    };
    confirm(tx, app, reply, &user, &boards_named, now).await
}

/// The boards of these numbers, each once, and the user who names them.
async fn find_named(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    game: &str,
    numbers: &[u32],
) -> Result<(Vec<Board>, UserRow), ServiceError> {
    if numbers.len() > MOST_BOARDS {
        let message = format!("one command names at most {MOST_BOARDS} boards");
        return Err(Refusal::new(Code::TooMuchMail, message).about_game(game).into());
    }
    let mut boards: Vec<Board> = Vec::new();
    for (index, number) in numbers.iter().enumerate() {
        if !numbers.iter().take(index).any(|other| other == number) {
            boards.push(find_board(tx, app, game, *number).await?);
        }
    }
    if boards.len() != 1 {
        return Ok((boards, authorize(tx, prepared).await?));
    }
    let (board, user) = authorize_on(tx, prepared, boards.remove(0)).await?;
    Ok((vec![board], user))
}

async fn confirm(
    tx: &mut Tx,
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

/// Tells those who wanted to hear that a board has ended. Players and subscribers get the board anyway.
pub(super) async fn tell_of_end(
    tx: &mut Tx,
    app: &App,
    board: &Board,
    now: Millis,
) -> Result<(), StoreError> {
    let mut readers = tx.notified_users(board.row.id).await?;
    if readers.is_empty() {
        return Ok(());
    }
    let watchers = tx.subscribers(board.row.id).await?;
    readers.retain(|reader| {
        watchers.iter().all(|(key, _)| UserKey(*key) != *reader)
            && board.seats.iter().all(|seat| seat.user_id != *reader)
    });
    post_board_to(tx, app, board, &BoardFacts::plain(Heading::Notification), readers, now).await
}
