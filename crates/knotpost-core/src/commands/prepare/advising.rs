//! Commands that need a computer player's search, done outside any transaction.

use knotpost_commands::{Command, ErrorCode, ParseError};
use knotpost_rules::Position;

use crate::app::App;
use crate::boards::{Board, Games, Standing};
use crate::commands::boards::{analyse, hint};
use crate::identity::{Limits, Login};
use crate::requests::{Admission, Authenticated, Preparation};
use crate::thinking::{AskedFor, Thinking, Thoughts, Unanswered};
use knotpost_model::UserKey;
use knotpost_storage::StoreError;

const MOST_POSITIONS: usize = 300;

/// Board that a command asks a computer player about. Missing permission is reported in the transaction.
enum Subject {
    Nothing,
    Hint(Board, UserKey),
    Analysis(Board),
}

async fn find_subject(app: &App, sent: &Authenticated) -> Result<Subject, StoreError> {
    let (game, number, asker) = match (&sent.command, &sent.login) {
        (Ok(Command::Analyse { game, board }), _) => (game, *board, None),
        (Ok(Command::Hint { game, board, who: _ }), Login::Known { user, .. }) => (game, *board, Some(*user)),
        _ => return Ok(Subject::Nothing),
    };
    if app.games.find(game).is_none() {
        return Ok(Subject::Nothing);
    }
    let mut tx = app.store.read().await?;
    let Some(board) = Board::load(&mut tx, &app.games, game, number).await? else {
        return Ok(Subject::Nothing);
    };
    let Some(asker) = asker else {
        let may_ask = analyse::check(&app.config, &board).is_ok();
        return Ok(if may_ask { Subject::Analysis(board) } else { Subject::Nothing });
    };
    let user = tx.user(asker).await?;
    let may_ask = user.is_some_and(|user| hint::check(&app.config, &board, &user).is_ok());
    Ok(if may_ask { Subject::Hint(board, asker) } else { Subject::Nothing })
}

/// True if a command asks for what is not known yet.
pub(super) async fn needs_search(app: &App, sent: &Authenticated) -> Result<bool, StoreError> {
    Ok(match find_subject(app, sent).await? {
        Subject::Nothing => false,
        Subject::Hint(..) => true,
        Subject::Analysis(board) => app.thinking.recall_analysis(hint::question(&board)).is_none(),
    })
}

/// Runs the search for a command, if its sender may ask.
pub(super) async fn take_advice(
    app: &App,
    sent: &Authenticated,
    admission: &Admission,
) -> Result<Preparation, StoreError> {
    if matches!(admission, Admission::Refused(_)) {
        return Ok(Preparation::None);
    }
    match find_subject(app, sent).await? {
        Subject::Nothing => Ok(Preparation::None),
        Subject::Hint(board, user) => {
            let question = hint::question(&board);
            let seen = (board.game.meta().name, board.position.clone_box());
            Ok(Preparation::Hint { question, thought: app.thinking.ask(user, question, seen).await })
        }
        Subject::Analysis(board) => {
            let question = hint::question(&board);
            let thoughts = if let Some(known) = app.thinking.recall_analysis(question) {
                Ok(known)
            } else {
                let positions = positions_of(&app.games, &board).await?;
                analyse(&app.limits, &app.thinking, sent, admission, &board, positions).await
            };
            Ok(Preparation::Analysis { question, thoughts })
        }
    }
}

async fn analyse(
    limits: &Limits,
    thinking: &Thinking,
    sent: &Authenticated,
    admission: &Admission,
    board: &Board,
    positions: Vec<Option<Box<dyn Position>>>,
) -> Result<Thoughts, Unanswered> {
    let whose = match sent.login {
        Login::Known { user, .. } => AskedFor::User(user),
        _ => AskedFor::Guest(sent.origin.host),
    };
    let (question, game) = (hint::question(board), board.game.meta().name);
    let thoughts = thinking.analyse(whose, question, game, positions).await;
    // The share of all together is charged for work really done.
    if let (Ok(_), Admission::Counted(asker)) = (&thoughts, admission) {
        limits.made(asker);
    }
    thoughts
}

/// The position before each move; of a long game, the last ones. Each is replayed from the start, so that
/// other tasks run in between.
async fn positions_of(games: &Games, board: &Board) -> Result<Vec<Option<Box<dyn Position>>>, StoreError> {
    let moves = board.entries.len();
    let mut positions = Vec::with_capacity(moves);
    for ply in 0..moves {
        if ply + MOST_POSITIONS < moves {
            positions.push(None);
            continue;
        }
        let board = board.at(games, ply)?;
        let is_open = matches!(board.standing(), Standing::ToMove(_));
        positions.push(is_open.then(|| board.position.clone_box()));
        tokio::task::yield_now().await;
    }
    Ok(positions)
}

/// Seconds of search for all lines of one mail; one analysis takes all of it.
pub(super) const MOST_SECONDS: u32 = 20;

pub(super) fn seconds_of(command: &Result<Command, ParseError>) -> u32 {
    match command {
        Ok(Command::Hint { .. }) => 1,
        Ok(Command::Analyse { .. }) => MOST_SECONDS,
        _ => 0,
    }
}

pub(super) fn too_much_thinking() -> ParseError {
    let message = "one mail asks for one analysis or twenty hints; send the others in another mail";
    ParseError::new(ErrorCode::TooMuchMail, message)
}
